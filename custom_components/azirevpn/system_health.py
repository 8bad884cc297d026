"""System health: whether the provider can be reached, and how much there is."""

from typing import Any

from homeassistant.components import system_health
from homeassistant.core import HomeAssistant, callback

from .api import DEFAULT_BASE_URL
from .const import CONF_BASE_URL, DOMAIN
from .coordinator import AzireVPNConfigEntry


@callback
def async_register(
    hass: HomeAssistant, register: system_health.SystemHealthRegistration
) -> None:
    """Register what the system's page shows."""
    register.async_register_info(system_health_info)


async def system_health_info(hass: HomeAssistant) -> dict[str, Any]:
    """Return the figures of all loaded accounts."""
    entries: list[AzireVPNConfigEntry] = hass.config_entries.async_loaded_entries(
        DOMAIN
    )
    connections = [
        connection
        for entry in entries
        for connection in entry.runtime_data.connections.values()
    ]
    base_url = entries[0].data[CONF_BASE_URL] if entries else DEFAULT_BASE_URL
    return {
        "can_reach_server": system_health.async_check_can_reach_url(hass, base_url),
        "accounts": len(entries),
        "connections": len(connections),
        "tunnels": sum(connection.tunnel for connection in connections),
        "ports": sum(len(connection.ports) for connection in connections),
    }
