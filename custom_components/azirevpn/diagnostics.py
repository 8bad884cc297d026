"""Diagnostics of an account: what helps to find a fault, and nothing that is private."""

from dataclasses import asdict
from typing import Any

from homeassistant.components.diagnostics import async_redact_data
from homeassistant.const import CONF_ACCESS_TOKEN, CONF_EMAIL, CONF_USERNAME
from homeassistant.core import HomeAssistant
from homeassistant.helpers.device_registry import AnyDeviceEntry

from .connection import ConnectionCoordinator
from .const import CONF_INTERNAL_IPV4, CONF_PROXY_URL
from .coordinator import AccountCoordinator, AzireVPNConfigEntry

TO_REDACT = {
    CONF_ACCESS_TOKEN,
    CONF_EMAIL,
    CONF_INTERNAL_IPV4,
    CONF_PROXY_URL,
    CONF_USERNAME,
    "created_at",
    "internal_ipv6",
    "public_ip",
}


async def async_get_config_entry_diagnostics(
    hass: HomeAssistant, entry: AzireVPNConfigEntry
) -> dict[str, Any]:
    """Return the settings and what is known, without secrets and personal data."""
    data = entry.runtime_data
    return async_redact_data(
        {
            "entry": dict(entry.data),
            "options": dict(entry.options),
            "account": _account(data.account),
            "connections": [
                _connection(connection) for connection in data.connections.values()
            ],
        },
        TO_REDACT,
    )


async def async_get_device_diagnostics(
    hass: HomeAssistant, entry: AzireVPNConfigEntry, device: AnyDeviceEntry
) -> dict[str, Any]:
    """Return what is known of an account, or of the connection of a device."""
    data = entry.runtime_data
    if device.config_subentry_id is None:
        found = _account(data.account)
    else:
        found = _connection(data.connections[device.config_subentry_id])
    return async_redact_data(found, TO_REDACT)


def _account(account: AccountCoordinator) -> dict[str, Any]:
    """Return what is known of an account."""
    rate_limit = account.client.rate_limit
    return {
        "last_update_success": account.last_update_success,
        "data": asdict(account.data),
        "rate_limit": asdict(rate_limit) if rate_limit else None,
    }


def _connection(connection: ConnectionCoordinator) -> dict[str, Any]:
    """Return what is known of a connection."""
    error = connection.last_error
    return {
        "subentry": dict(connection.subentry.data),
        "last_update_success": connection.last_update_success,
        "last_error": type(error).__name__ if error else None,
        "data": asdict(connection.data) if connection.data else None,
    }
