"""What a request brings, checked in the framework's words."""

from ipaddress import AddressValueError, IPv4Address
import json
import re
from typing import TYPE_CHECKING, Any

from .answers import RefusalError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from aiohttp import web

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")


class Form:
    """Collect the complaints about a request's fields, field by field.

    A reading method returns a harmless value for what is wrong; `check` then refuses
    the request with every complaint at once.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        """Take the fields of a body or a query."""
        self._values = values
        self._complaints: dict[str, list[str]] = {}

    @classmethod
    async def of_body(cls, request: web.Request) -> Form:
        """Read a JSON body; one that isn't a JSON object has no fields."""
        try:
            values = json.loads(await request.read())
        except ValueError:
            values = {}
        return cls(values if isinstance(values, dict) else {})

    def complain(self, name: str, words: str) -> None:
        """Complain about a field, which is named before the words."""
        label = name.replace("_", " ")
        self._complaints.setdefault(name, []).append(words.format(label))

    def fine(self, name: str) -> bool:
        """Tell whether there is no complaint about a field."""
        return name not in self._complaints

    def check(self) -> None:
        """Raise RefusalError with all complaints, if there are any."""
        if self._complaints:
            raise RefusalError(
                422, "The given data was invalid.", data=self._complaints
            )

    def text(self, name: str, *, shortest: int = 0) -> str:
        """Read a required string."""
        value = self._required(name)
        if value is None:
            return ""
        if not isinstance(value, str):
            self.complain(name, "The {} must be a string.")
            return ""
        if len(value) < shortest:
            self.complain(name, f"The {{}} must be at least {shortest} characters.")
        return value

    def optional_text(self, name: str) -> str | None:
        """Read a string that may be left out or null."""
        return None if self._values.get(name) is None else self.text(name)

    def email(self, name: str) -> str:
        """Read a required email address."""
        value = self.text(name)
        if value and not _EMAIL.fullmatch(value):
            self.complain(name, "The {} must be a valid email address.")
        return value

    def optional_email(self, name: str) -> str | None:
        """Read an email address that may be left out or null."""
        return None if self._values.get(name) is None else self.email(name)

    def choice(self, name: str, options: Collection[str], default: str) -> str:
        """Read one of several strings, that may be left out."""
        value = self._values.get(name, default)
        if value in options:
            return str(value)
        self.complain(name, "The selected {} is invalid.")
        return default

    def ipv4(self, name: str) -> str:
        """Read a required IPv4 address."""
        value = self.text(name)
        if value:
            try:
                IPv4Address(value)
            except AddressValueError:
                self.complain(name, "The {} must be a valid IPv4 address.")
        return value

    def number(self, name: str) -> int:
        """Read a required whole number."""
        value = self._required(name)
        if value is None:
            return 0
        if not _is_whole_number(value):
            self.complain(name, "The {} must be a number.")
            return 0
        return int(value)

    def days(self, name: str, default: int) -> int:
        """Read a whole number of days, that may be left out."""
        value = self._values.get(name, default)
        if not _is_whole_number(value):
            self.complain(name, "The {} must be an integer.")
            return default
        if value < 0:
            self.complain(name, "The {} must be at least 0.")
        return int(value)

    def flag(self, name: str) -> bool:
        """Read a boolean that is false when left out."""
        value = self._values.get(name, False)
        if not isinstance(value, bool):
            self.complain(name, "The {} field must be true or false.")
        return value is True

    def accepted(self, name: str) -> None:
        """Insist on a field that is true."""
        value = self._required(name)
        if value is not None and value is not True:
            self.complain(name, "The {} must be accepted.")

    def _required(self, name: str) -> Any:
        value = self._values.get(name)
        if value in (None, ""):
            self.complain(name, "The {} field is required.")
            return None
        return value


def _is_whole_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
