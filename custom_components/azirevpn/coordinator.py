"""A loaded account: what it runs on, and how its user object is kept up to date."""

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, override

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_ACCESS_TOKEN
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import ConfigEntryAuthFailed
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator
from homeassistant.util.dt import utcnow

from .api import AuthenticationError, AzireVPN, AzireVPNError, ManagerPage, User
from .connection import ConnectionCoordinator
from .const import (
    CONF_ACCOUNT_WARNING_DAYS,
    CONF_BASE_URL,
    CONF_MANAGER_URL,
    DEFAULT_ACCOUNT_WARNING_DAYS,
    DOMAIN,
    LOGGER,
)
from .errors import update_failed
from .known_ports import KnownPorts

ACCOUNT_INTERVAL = timedelta(hours=1)

type AzireVPNConfigEntry = ConfigEntry[AzireVPNData]


@dataclass(frozen=True, kw_only=True)
class AzireVPNData:
    """What a loaded account runs on; its connections by the ids of their subentries."""

    account: AccountCoordinator
    connections: Mapping[str, ConnectionCoordinator]
    known_ports: KnownPorts


def create_client(hass: HomeAssistant, data: Mapping[str, Any]) -> AzireVPN:
    """Return a client for the data of a config entry."""
    return AzireVPN(
        async_get_clientsession(hass),
        data[CONF_ACCESS_TOKEN],
        base_url=data[CONF_BASE_URL],
        manager_url=data[CONF_MANAGER_URL],
    )


@dataclass(frozen=True, kw_only=True)
class AccountData:
    """What is known of an account.

    expiring: whether its access ends within the days of the settings, or has ended.
    ended: whether it has ended.
    """

    user: User
    expiring: bool
    ended: bool


@dataclass(frozen=True, kw_only=True)
class SignInLink:
    """An address that signs in to the web manager once, until a moment in UTC."""

    url: str = field(repr=False)
    expires_at: datetime


class AccountCoordinator(DataUpdateCoordinator[AccountData]):
    """Keeps what is known of the account up to date."""

    config_entry: AzireVPNConfigEntry

    def __init__(
        self, hass: HomeAssistant, entry: AzireVPNConfigEntry, client: AzireVPN
    ) -> None:
        """Prepare the hourly poll of the account."""
        super().__init__(
            hass,
            LOGGER,
            config_entry=entry,
            name=f"account {entry.title}",
            update_interval=ACCOUNT_INTERVAL,
            always_update=False,
        )
        self.client = client
        self._warning_time = timedelta(
            days=entry.options.get(
                CONF_ACCOUNT_WARNING_DAYS, DEFAULT_ACCOUNT_WARNING_DAYS
            )
        )

    @override
    async def _async_update_data(self) -> AccountData:
        """Read the account; the entry's title follows its username."""
        try:
            user = await self._async_get_user()
        except AuthenticationError as err:
            raise ConfigEntryAuthFailed(
                translation_domain=DOMAIN, translation_key="invalid_auth"
            ) from err
        except AzireVPNError as err:
            raise update_failed(err) from err
        return self._with_title(user)

    async def _async_get_user(self) -> User:
        """Read the account; one odd refusal is not worth asking for a new token."""
        try:
            return await self.client.get_user()
        except AuthenticationError:
            return await self.client.get_user()

    def _with_title(self, user: User) -> AccountData:
        """Name the entry after its user."""
        self.hass.config_entries.async_update_entry(
            self.config_entry, title=user.username
        )
        left = user.expires_at - utcnow() if user.expires_at else timedelta.max
        return AccountData(
            user=user,
            expiring=left <= self._warning_time,
            ended=left <= timedelta(),
        )

    @callback
    def async_take_user(self, user: User) -> None:
        """Take over the account as a change answered with it."""
        self.async_set_updated_data(self._with_title(user))

    async def async_ask[T](self, answer: Awaitable[T]) -> T:
        """Wait for an answer to a command; a refused token is looked into at once.

        Raises:
            AzireVPNError: as the client's method whose answer it is.

        """
        try:
            return await answer
        except AuthenticationError:
            self.config_entry.async_create_task(self.hass, self.async_request_refresh())
            raise

    async def async_create_sign_in_link(self, page: ManagerPage) -> SignInLink:
        """Create a link that signs in to a page of the web manager, once.

        Raises:
            AzireVPNError: as `AzireVPN.create_one_time_password`.

        """
        otp = await self.async_ask(self.client.create_one_time_password())
        return SignInLink(
            url=self.client.sign_in_url(otp, page), expires_at=otp.expires_at
        )
