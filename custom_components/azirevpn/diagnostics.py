"""Diagnostics of an account: what helps to find a fault, and nothing that is private."""

from dataclasses import asdict
from typing import Any

from homeassistant.components.diagnostics import async_redact_data
from homeassistant.const import CONF_ACCESS_TOKEN, CONF_EMAIL, CONF_USERNAME
from homeassistant.core import HomeAssistant

from .const import CONF_INTERNAL_IPV4, CONF_PROXY_URL
from .coordinator import AzireVPNConfigEntry

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
            "account": {
                "last_update_success": data.account.last_update_success,
                "user": asdict(data.account.data),
            },
            "connections": [
                {
                    "subentry": dict(connection.subentry.data),
                    "last_update_success": connection.last_update_success,
                    "last_error": type(connection.last_error).__name__
                    if connection.last_error
                    else None,
                    "data": asdict(connection.data) if connection.data else None,
                }
                for connection in data.connections.values()
            ],
            "rate_limit": asdict(data.account.client.rate_limit)
            if data.account.client.rate_limit
            else None,
        },
        TO_REDACT,
    )
