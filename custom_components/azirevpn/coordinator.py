"""A loaded account: what it runs on, and how its user object is kept up to date."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, override

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_ACCESS_TOKEN
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ConfigEntryAuthFailed
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator

from .api import AuthenticationError, AzireVPN, AzireVPNError, User
from .connection import ConnectionCoordinator
from .const import CONF_BASE_URL, CONF_MANAGER_URL, DOMAIN, LOGGER
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


class AccountCoordinator(DataUpdateCoordinator[User]):
    """Keeps the account's user object up to date."""

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

    @override
    async def _async_update_data(self) -> User:
        """Read the account; the entry's title follows its username."""
        try:
            user = await self.client.get_user()
        except AuthenticationError as err:
            raise ConfigEntryAuthFailed(
                translation_domain=DOMAIN, translation_key="invalid_auth"
            ) from err
        except AzireVPNError as err:
            raise update_failed(err) from err
        self.hass.config_entries.async_update_entry(
            self.config_entry, title=user.username
        )
        return user
