"""AzireVPN: a VPN account's subscription and forwarded ports in Home Assistant."""

import asyncio
from collections.abc import Collection
from typing import Any

from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.device_registry import AnyDeviceEntry
from homeassistant.helpers.typing import ConfigType

from .connection import ConnectionCoordinator
from .const import (
    CONF_CHECK_PORTS,
    DEFAULT_CHECK_PORTS,
    DOMAIN,
    LOGGER,
    SUBENTRY_TYPE_CONNECTION,
)
from .coordinator import (
    AccountCoordinator,
    AzireVPNConfigEntry,
    AzireVPNData,
    create_client,
)
from .devices import async_name_account, async_register_devices, port_identifier
from .issues import async_clear_all, async_watch
from .known_ports import KnownPorts
from .reachability import CheckLimit, PortChecker
from .services import async_setup_services

CONFIG_SCHEMA = cv.config_entry_only_config_schema(DOMAIN)

PLATFORMS = [
    Platform.BINARY_SENSOR,
    Platform.BUTTON,
    Platform.CALENDAR,
    Platform.EVENT,
    Platform.SENSOR,
]


async def async_setup(hass: HomeAssistant, config: ConfigType) -> bool:
    """Register the actions, which are there also while no account is loaded."""
    async_setup_services(hass)
    return True


async def async_setup_entry(hass: HomeAssistant, entry: AzireVPNConfigEntry) -> bool:
    """Set up an account and its connections.

    The account is what must answer. A connection that does not is set up all
    the same, and shows it.
    """
    settings = _settings(entry)
    known_ports = KnownPorts(hass, entry.entry_id)
    await known_ports.async_load(entry.subentries.keys())
    account = AccountCoordinator(hass, entry, create_client(hass, entry.data))
    connections = {
        subentry.subentry_id: ConnectionCoordinator(
            hass, account, subentry, known_ports
        )
        for subentry in entry.get_subentries_of_type(SUBENTRY_TYPE_CONNECTION)
    }
    await _async_read_first(account, connections.values())
    entry.runtime_data = AzireVPNData(
        account=account, connections=connections, known_ports=known_ports
    )
    async_register_devices(hass, entry)
    limit = CheckLimit(account.client)
    for connection in connections.values():
        connection.checker = PortChecker(hass, connection, limit)
        entry.async_on_unload(connection.async_add_listener(connection.async_remember))
        connection.async_remember()
    async_watch(hass, entry)
    await hass.config_entries.async_forward_entry_setups(entry, PLATFORMS)
    if entry.options.get(CONF_CHECK_PORTS, DEFAULT_CHECK_PORTS):
        for connection in connections.values():
            connection.checker.async_start()

    async def follow(hass: HomeAssistant, entry: AzireVPNConfigEntry) -> None:
        """Start afresh with other settings; a new title is just a new name."""
        if settings != _settings(entry):
            await hass.config_entries.async_reload(entry.entry_id)
        else:
            async_name_account(hass, entry)

    entry.async_on_unload(entry.add_update_listener(follow))
    if settings != _settings(entry):
        # What was changed meanwhile found no listener yet.
        hass.config_entries.async_schedule_reload(entry.entry_id)
    return True


async def _async_read_first(
    account: AccountCoordinator, connections: Collection[ConnectionCoordinator]
) -> None:
    """Read everything for the first time, side by side.

    Raises:
        ConfigEntryAuthFailed, ConfigEntryNotReady: the account did not answer.

    """
    # All first reads settle before one may fail the set-up, so that none outlives it.
    outcomes = await asyncio.gather(
        account.async_config_entry_first_refresh(),
        *(connection.async_first_refresh() for connection in connections),
        return_exceptions=True,
    )
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
    for connection in connections:
        if connection.last_error:
            LOGGER.warning(
                "Connection %s does not work: %s",
                connection.subentry.title,
                connection.last_error,
            )


async def async_unload_entry(hass: HomeAssistant, entry: AzireVPNConfigEntry) -> bool:
    """Unload an account, with no change under way and nothing left to write."""
    data = entry.runtime_data
    if not await hass.config_entries.async_unload_platforms(entry, PLATFORMS):
        return False
    for connection in data.connections.values():
        async with connection.lock:
            connection.async_remember()
    await data.known_ports.async_write()
    if entry.disabled_by:
        async_clear_all(hass, entry)
    return True


async def async_remove_entry(hass: HomeAssistant, entry: AzireVPNConfigEntry) -> None:
    """Forget the issues and the ports of an account that is removed."""
    async_clear_all(hass, entry)
    await KnownPorts(hass, entry.entry_id).async_remove()


def _settings(entry: AzireVPNConfigEntry) -> tuple[dict[str, Any], ...]:
    """Return all that a set-up goes by, as it is now."""
    return (
        dict(entry.data),
        dict(entry.options),
        {
            subentry_id: subentry.as_dict()
            for subentry_id, subentry in entry.subentries.items()
        },
    )


async def async_remove_config_entry_device(
    hass: HomeAssistant, entry: AzireVPNConfigEntry, device: AnyDeviceEntry
) -> bool:
    """Let go of a hidden port; no list can tell that it does not exist any more."""
    return any(
        connection.async_forget_hidden(number)
        for connection in entry.runtime_data.connections.values()
        for number in list(connection.ports)
        if port_identifier(connection.subentry, number) in device.identifiers
    )
