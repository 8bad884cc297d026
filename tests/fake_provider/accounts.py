"""Accounts, their internal addresses and their port forwardings, in memory."""

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .clock import Clock
    from .draw import Draw

# Above the ports that Linux gives to outgoing connections (32768-60999), so that a
# test can listen on a number without meeting one of them.
PORT_NUMBERS = range(61_000, 65_536)
DAY = 86_400


@dataclass(kw_only=True, slots=True)
class PortForwarding:
    """A forwarded port; without an expiry (Unix seconds) it lasts."""

    port: int
    hidden: bool = False
    expires_at: int | None = None


@dataclass(kw_only=True, eq=False)
class Address:
    """An internal address of an account, and the ports forwarded to it."""

    internal_ipv4: str
    device_name: str | None
    id: str
    accounts: Accounts = field(repr=False)
    _ports: dict[int, PortForwarding] = field(default_factory=dict, init=False)

    @property
    def internal_ipv6(self) -> str:
        """Return the address derived as in the seen sample."""
        return "2a0e:1c80:1337:1:" + self.internal_ipv4.replace(".", ":")

    @property
    def ports(self) -> dict[int, PortForwarding]:
        """Return the live port forwardings by number, hidden ones too."""
        now = self.accounts.clock.now()
        for forwarding in list(self._ports.values()):
            if forwarding.expires_at is not None and forwarding.expires_at <= now:
                del self._ports[forwarding.port]
        return self._ports

    def add_port(
        self,
        port: int | None = None,
        *,
        expires_at: int | None = None,
        hidden: bool = False,
    ) -> PortForwarding:
        """Forward a port; None picks a free number. Raise ValueError if it is taken."""
        if port is None:
            port = self.accounts.free_port_number()
        elif port in self.accounts.port_numbers():
            raise ValueError(f"Port {port} is forwarded already")
        forwarding = PortForwarding(port=port, hidden=hidden, expires_at=expires_at)
        self._ports[port] = forwarding
        return forwarding


@dataclass(kw_only=True, eq=False)
class Account:
    """A user of the provider: the user object's fields, and what it doesn't show."""

    username: str
    password: str = field(repr=False)
    token: str = field(repr=False)
    email: str | None
    currency: str
    is_email_verified: bool
    is_active: bool
    is_oldschool: bool
    is_subscribed: bool
    ips_allocated: int
    ips_available: int
    created_at: int
    expires_at: int | None
    referral_code: str | None
    affiliate_code: str | None
    accounts: Accounts = field(repr=False)
    addresses: dict[str, Address] = field(default_factory=dict, init=False)
    # How many ports were created on each day (in UTC, counted from 1970)
    ports_created: Counter[int] = field(default_factory=Counter, init=False)

    def add_address(
        self, internal_ipv4: str, device_name: str | None = None
    ) -> Address:
        """Give the account an internal address."""
        address = Address(
            internal_ipv4=internal_ipv4,
            device_name=device_name,
            id=self.accounts.draw.token(8),
            accounts=self.accounts,
        )
        self.addresses[internal_ipv4] = address
        return address


class Accounts:
    """All accounts of the provider."""

    def __init__(self, *, clock: Clock, draw: Draw) -> None:
        """Start without accounts."""
        self.clock = clock
        self.draw = draw
        self._accounts: list[Account] = []

    def __iter__(self) -> Iterator[Account]:
        return iter(self._accounts)

    def add(
        self,
        username: str = "ada",
        *,
        password: str = "correct horse battery",
        email: str | None = None,
        currency: str = "EUR",
        token: str | None = None,
        expires_in_days: float = 90,
        is_email_verified: bool | None = None,
        is_active: bool = True,
        is_oldschool: bool = False,
        is_subscribed: bool = True,
        ips_allocated: int = 1,
        ips_available: int = 5,
        created_at: int | None = None,
        referral_code: str | None = None,
        affiliate_code: str | None = None,
    ) -> Account:
        """Add an account; a year old, verified if it has an email, with a new token.

        No two accounts have the same `created_at` (Unix seconds): it is moved
        a second on until it is unique.
        """
        now = int(self.clock.now())
        created_at = now - 365 * DAY if created_at is None else created_at
        while any(account.created_at == created_at for account in self):
            created_at += 1
        account = Account(
            username=username,
            password=password,
            token=self.draw.token() if token is None else token,
            email=email,
            currency=currency,
            is_email_verified=(
                email is not None if is_email_verified is None else is_email_verified
            ),
            is_active=is_active,
            is_oldschool=is_oldschool,
            is_subscribed=is_subscribed,
            ips_allocated=ips_allocated,
            ips_available=ips_available,
            created_at=created_at,
            expires_at=now + int(expires_in_days * DAY),
            referral_code=referral_code,
            affiliate_code=affiliate_code,
            accounts=self,
        )
        self._accounts.append(account)
        return account

    def remove(self, account: Account) -> None:
        """Forget an account and everything of it."""
        self._accounts.remove(account)

    def with_token(self, token: str) -> Account | None:
        """Return the account that an access token belongs to."""
        return next((account for account in self if account.token == token), None)

    def with_username(self, username: str) -> Account | None:
        """Return the account of that name."""
        return next((account for account in self if account.username == username), None)

    def port_numbers(self) -> set[int]:
        """Return the numbers of all live port forwardings."""
        return {
            port
            for account in self
            for address in account.addresses.values()
            for port in address.ports
        }

    def free_port_number(self) -> int:
        """Draw a number that no live port forwarding has."""
        taken = self.port_numbers()
        return self.draw.one_of([port for port in PORT_NUMBERS if port not in taken])
