"""What the provider speaks of: users, addresses, port forwardings and checks."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Self

from .exceptions import InvalidResponseError
from .values import (
    flag,
    ip_counts,
    ipv4,
    ipv6,
    moment,
    port_number,
    record,
    records,
    text,
    whole_number,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from ipaddress import IPv4Address, IPv6Address


class Currency(StrEnum):
    """The currencies that an account can be kept in (interface.md, User object)."""

    EUR = "EUR"
    USD = "USD"
    SEK = "SEK"


class ManagerPage(StrEnum):
    """The pages of the web manager that a sign-in can lead to (interface.md, Users)."""

    ORDER = "order"
    WIREGUARD = "wireguard"
    SETTINGS = "settings"


@dataclass(frozen=True, kw_only=True, slots=True)
class RateLimit:
    """What the X-RateLimit headers of an answer said, in requests."""

    limit: int
    remaining: int

    @classmethod
    def from_headers(cls, headers: Mapping[str, str]) -> Self | None:
        """Read an answer's headers; None where they say nothing of a limit."""
        limit = whole_number(headers.get("X-RateLimit-Limit"))
        remaining = whole_number(headers.get("X-RateLimit-Remaining"))
        if limit is None or remaining is None:
            return None
        return cls(limit=limit, remaining=remaining)


@dataclass(frozen=True, kw_only=True, slots=True)
class User:
    """An account (interface.md, User object).

    Moments are aware and in UTC. None stands for what the provider didn't tell;
    an `expires_at` of None for an access without an end. A currency that is none
    of `Currency` is kept as it came.
    """

    username: str
    email: str | None
    currency: str
    is_email_verified: bool | None
    is_active: bool | None
    is_oldschool: bool | None
    is_subscribed: bool | None
    ips_allocated: int | None
    ips_available: int | None
    created_at: datetime
    expires_at: datetime | None

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """Read the `data` of an answer; InvalidResponseError where it is no user."""
        user = record(data, "the user")
        username = text(user.get("username"), "username")
        created_at = moment(user.get("created_at"), "created_at")
        if username is None or created_at is None:
            raise InvalidResponseError("The user has no username or no created_at")
        allocated, available = ip_counts(user.get("ips"))
        return cls(
            username=username,
            email=text(user.get("email"), "email"),
            currency=text(user.get("currency"), "currency") or Currency.EUR.value,
            is_email_verified=flag(user.get("is_email_verified"), "is_email_verified"),
            is_active=flag(user.get("is_active"), "is_active"),
            is_oldschool=flag(user.get("is_oldschool"), "is_oldschool"),
            is_subscribed=flag(user.get("is_subscribed"), "is_subscribed"),
            ips_allocated=allocated,
            ips_available=available,
            created_at=created_at,
            expires_at=moment(user.get("expires_at"), "expires_at"),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class OneTimePassword:
    """A token that signs in to the web manager once (interface.md, OTP object)."""

    otp: str = field(repr=False)
    expires_at: datetime

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """Read the `data` of an answer; InvalidResponseError where it is none."""
        token = record(data, "the one-time password")
        otp = text(token.get("otp"), "otp")
        expires_at = moment(token.get("expires_at"), "expires_at")
        if otp is None or expires_at is None:
            raise InvalidResponseError("The one-time password lacks a part")
        return cls(otp=otp, expires_at=expires_at)


@dataclass(frozen=True, kw_only=True, slots=True)
class Address:
    """An internal IPv4 address of the account, and the device it was made for."""

    ipv4: IPv4Address
    device_name: str | None

    @classmethod
    def list_from(cls, data: object) -> tuple[Self, ...]:
        """Read the `data` of an answer; an entry without an IPv4 address is left out."""
        return tuple(
            cls(ipv4=address, device_name=text(entry.get("device_name"), "device_name"))
            for entry in records(data, "the addresses")
            if (address := ipv4(entry.get("ipv4_address"), "ipv4_address"))
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class PortForwarding:
    """A forwarded port (interface.md, Portforwarding object).

    `expires_at` is aware and in UTC; None stands for one without an end.
    """

    port: int
    hidden: bool
    expires_at: datetime | None

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """Read one entry of a list; InvalidResponseError where it is malformed."""
        entry = record(data, "a port forwarding")
        return cls(
            port=port_number(entry.get("port"), "port"),
            hidden=flag(entry.get("hidden"), "hidden") or False,
            expires_at=moment(entry.get("expires_at"), "expires_at"),
        )

    @classmethod
    def from_hiding(cls, data: object, port: int) -> Self:
        """Read the answer to hiding `port`, which comes without the number."""
        entry = record(data, "the hidden port forwarding")
        return cls.from_dict(
            {"hidden": True}
            | {key: value for key, value in entry.items() if value is not None}
            | {"port": port}
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class CreatedPort(PortForwarding):
    """A port forwarding just made, with the internal addresses it leads to."""

    internal_ipv4: IPv4Address
    internal_ipv6: IPv6Address | None

    @property
    def forwarding(self) -> PortForwarding:
        """Return it as a list would have it, and equal to that."""
        return PortForwarding(
            port=self.port, hidden=self.hidden, expires_at=self.expires_at
        )

    @classmethod
    def from_creating(cls, data: object, internal_ipv4: IPv4Address) -> Self:
        """Read the answer to creating a port forwarding for `internal_ipv4`."""
        entry = record(data, "the created port forwarding")
        made = PortForwarding.from_dict(entry)
        return cls(
            port=made.port,
            hidden=made.hidden,
            expires_at=made.expires_at,
            internal_ipv4=ipv4(entry.get("internal_ipv4"), "internal_ipv4")
            or internal_ipv4,
            internal_ipv6=ipv6(entry.get("internal_ipv6"), "internal_ipv6"),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class PortList:
    """The port forwardings of a connection that aren't hidden, by number."""

    internal_ipv4: IPv4Address
    internal_ipv6: IPv6Address | None = None
    ports: tuple[PortForwarding, ...] = ()

    @classmethod
    def from_dict(cls, data: object, internal_ipv4: IPv4Address) -> Self:
        """Read the list of `internal_ipv4`.

        One malformed entry makes it an InvalidResponseError: whoever compares two
        lists must never miss a port that was only badly written.
        """
        answer = record(data, "the list of port forwardings")
        ports = [
            PortForwarding.from_dict(entry)
            for entry in records(answer.get("ports"), "ports")
        ]
        by_number = {port.port: port for port in ports}
        return cls(
            internal_ipv4=ipv4(answer.get("internal_ipv4"), "internal_ipv4")
            or internal_ipv4,
            internal_ipv6=ipv6(answer.get("internal_ipv6"), "internal_ipv6"),
            ports=tuple(by_number[number] for number in sorted(by_number)),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class PortCheck:
    """Whether something answered on a port (interface.md, Port check result).

    `source_ip` is the public address that was tried, `message` the provider's words.
    """

    port: int
    open: bool
    source_ip: str | None
    message: str
