"""AzireVPN: a VPN account's subscription and forwarded ports in Home Assistant."""

import asyncio
from typing import Any

from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.typing import ConfigType

from .const import DOMAIN, LOGGER, SUBENTRY_TYPE_CONNECTION
from .coordinator import (
    AccountCoordinator,
    AzireVPNConfigEntry,
    AzireVPNData,
    ConnectionCoordinator,
    create_client,
)
from .devices import async_register_devices
from .reachability import CHECKS_AT_A_TIME, PortChecker
from .services import async_setup_services

CONFIG_SCHEMA = cv.config_entry_only_config_schema(DOMAIN)

PLATFORMS = [Platform.BINARY_SENSOR, Platform.SENSOR]


async def async_setup(hass: HomeAssistant, config: ConfigType) -> bool:
    """Register the actions, which are there also while no account is loaded."""
    async_setup_services(hass)
    return True


async def async_setup_entry(hass: HomeAssistant, entry: AzireVPNConfigEntry) -> bool:
    """Set up an account and its connections.

    The account is what must answer. A connection that does not is set up all
    the same, and shows it.
    """
    subentries = _subentries(entry)
    client = create_client(hass, entry.data)
    account = AccountCoordinator(hass, entry, client)
    connections = {
        subentry.subentry_id: ConnectionCoordinator(
            hass, entry, subentry, client, account
        )
        for subentry in entry.get_subentries_of_type(SUBENTRY_TYPE_CONNECTION)
    }
    # All first reads settle before one may fail the set-up, so that none outlives it.
    outcomes = await asyncio.gather(
        account.async_config_entry_first_refresh(),
        *(connection.async_first_refresh() for connection in connections.values()),
        return_exceptions=True,
    )
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
    for connection in connections.values():
        if connection.last_error:
            LOGGER.warning(
                "Connection %s does not work: %s",
                connection.subentry.title,
                connection.last_error,
            )

    limit = asyncio.Semaphore(CHECKS_AT_A_TIME)
    entry.runtime_data = AzireVPNData(
        client=client,
        account=account,
        connections=connections,
        checkers={
            subentry_id: PortChecker(hass, entry, connection, limit)
            for subentry_id, connection in connections.items()
        },
    )
    async_register_devices(hass, entry)
    await hass.config_entries.async_forward_entry_setups(entry, PLATFORMS)
    for checker in entry.runtime_data.checkers.values():
        checker.async_start()
    entry.async_on_unload(entry.add_update_listener(_async_reload))
    if subentries != _subentries(entry):
        # A connection that was added or changed meanwhile found no listener yet.
        hass.config_entries.async_schedule_reload(entry.entry_id)
    return True


async def async_unload_entry(hass: HomeAssistant, entry: AzireVPNConfigEntry) -> bool:
    """Unload an account."""
    return await hass.config_entries.async_unload_platforms(entry, PLATFORMS)


def _subentries(entry: AzireVPNConfigEntry) -> dict[str, dict[str, Any]]:
    """Return all that a set-up reads of the subentries, as it is now."""
    return {
        subentry_id: dict(subentry.as_dict())
        for subentry_id, subentry in entry.subentries.items()
    }


async def _async_reload(hass: HomeAssistant, entry: AzireVPNConfigEntry) -> None:
    """Start afresh when the token, an address, a name or a connection changed."""
    await hass.config_entries.async_reload(entry.entry_id)
