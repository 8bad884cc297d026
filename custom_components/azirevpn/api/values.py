"""Single values of an answer, read generously and handed on in strict types."""

from datetime import UTC, datetime
from ipaddress import AddressValueError, IPv4Address, IPv6Address
import re
from typing import TYPE_CHECKING

from .exceptions import InvalidResponseError

if TYPE_CHECKING:
    from collections.abc import Mapping

HIGHEST_PORT = 65535

# The last day of the calendar stays out: in a time zone east of Greenwich it
# would already be past the end.
_END_OF_TIME = int(datetime(9999, 12, 31, tzinfo=UTC).timestamp())
_WHOLE_NUMBER = re.compile(r"\s*-?\d{1,100}\s*", re.ASCII)
_FLAGS = {"false": False, "true": True}


def record(value: object, name: str) -> Mapping[str, object]:
    """Read a JSON object."""
    if not isinstance(value, dict):
        raise InvalidResponseError(f"{name} is not an object")
    return value


def records(value: object, name: str) -> list[Mapping[str, object]]:
    """Read a list of JSON objects."""
    if not isinstance(value, list):
        raise InvalidResponseError(f"{name} is not a list")
    return [record(entry, f"an entry of {name}") for entry in value]


def whole_number(value: object) -> int | None:
    """Read a number, also when it is written as text; None when it is none."""
    match value:
        case bool():
            return None
        case int():
            return value
        case float() if value.is_integer():
            return int(value)
        case str() if _WHOLE_NUMBER.fullmatch(value):
            return int(value)
        case _:
            return None


def port_number(value: object, name: str) -> int:
    """Read a port, 1 to 65535."""
    number = whole_number(value)
    if number is None or not 1 <= number <= HIGHEST_PORT:
        raise InvalidResponseError(f"{name} is not a port number")
    return number


def flag(value: object, name: str) -> bool | None:
    """Read a boolean, also as 0, 1 or text; None stays None."""
    match value:
        case None | bool():
            return value
        case str() if (word := value.strip().lower()) in _FLAGS:
            return _FLAGS[word]
        case _ if (number := whole_number(value)) in {0, 1}:
            return bool(number)
        case _:
            raise InvalidResponseError(f"{name} is not a boolean")


def moment(value: object, name: str) -> datetime | None:
    """Read Unix seconds as an aware datetime in UTC; never is None, 0 or absurd."""
    if value is None:
        return None
    if (seconds := whole_number(value)) is None:
        raise InvalidResponseError(f"{name} is not a timestamp")
    if not 0 < seconds < _END_OF_TIME:
        return None
    return datetime.fromtimestamp(seconds, UTC)


def text(value: object, name: str) -> str | None:
    """Read a text; an empty one is None."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise InvalidResponseError(f"{name} is not a text")
    return well_formed(value) or None


def well_formed(words: str) -> str:
    """Replace the halves of surrogate pairs, which JSON lets pass and UTF-8 doesn't."""
    return words.encode("utf-8", "replace").decode("utf-8")


def ipv4(value: object, name: str) -> IPv4Address | None:
    """Read an IPv4 address; an empty one is None."""
    written = text(value, name)
    try:
        return IPv4Address(written) if written else None
    except AddressValueError:
        raise InvalidResponseError(f"{name} is not an IPv4 address") from None


def ipv6(value: object, name: str) -> IPv6Address | None:
    """Read an IPv6 address; an empty one is None."""
    written = text(value, name)
    try:
        return IPv6Address(written) if written else None
    except AddressValueError:
        raise InvalidResponseError(f"{name} is not an IPv6 address") from None


def ip_counts(value: object) -> tuple[int | None, int | None]:
    """Read allocated and available addresses, whose shape the documentation leaves open.

    An object, two numbers, or a list of objects; what is none of these is unknown.
    """
    if isinstance(value, list):
        match [_count(entry) for entry in value]:
            case [int() as allocated, int() as available]:
                return allocated, available
        value = {
            key: count
            for entry in value
            if isinstance(entry, dict)
            for key, count in entry.items()
        }
    if not isinstance(value, dict):
        return None, None
    return _count(value.get("allocated")), _count(value.get("available"))


def _count(value: object) -> int | None:
    """Read a number of things; None where it is none."""
    number = whole_number(value)
    return None if number is None or number < 0 else number
