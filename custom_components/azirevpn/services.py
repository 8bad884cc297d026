"""The actions: what automations and people can ask of a connection."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from homeassistant.const import ATTR_CONFIG_ENTRY_ID, ATTR_DEVICE_ID
from homeassistant.core import (
    HomeAssistant,
    ServiceCall,
    ServiceResponse,
    SupportsResponse,
    callback,
)
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import config_validation as cv, service
from homeassistant.helpers.typing import VolDictType
import voluptuous as vol

from .api import ManagerPage
from .connection import ConnectionCoordinator
from .const import DOMAIN
from .coordinator import AzireVPNConfigEntry
from .errors import as_action_errors
from .port_changes import async_create_port, async_delete_port, async_hide_port

ATTR_EXPIRES_IN = "expires_in"
ATTR_HIDDEN = "hidden"
ATTR_PAGE = "page"
ATTR_PORT = "port"


def whole_number(value: Any) -> int:
    """Read a whole number; a fraction is a mistake, not to be cut off.

    Raises:
        vol.Invalid: it is no whole number.

    """
    number: float = vol.Coerce(float)(value)
    if not number.is_integer():
        raise vol.Invalid("expected a whole number")
    return int(number)


EXPIRES_IN = vol.All(whole_number, vol.Range(min=0, max=3650))
PORT = vol.All(whole_number, cv.port)
CONNECTION: VolDictType = {vol.Required(ATTR_DEVICE_ID): cv.string}
CONNECTION_AND_PORT: VolDictType = CONNECTION | {vol.Required(ATTR_PORT): PORT}


@dataclass(frozen=True, kw_only=True)
class Action:
    """An action on a connection: what it takes, does and answers."""

    schema: VolDictType
    handler: Callable[[ConnectionCoordinator, ServiceCall], Awaitable[ServiceResponse]]
    supports_response: SupportsResponse = SupportsResponse.OPTIONAL


def as_text(moment: datetime | None) -> str | None:
    """Return a moment as answers give it, in ISO 8601 and UTC."""
    return moment.isoformat() if moment else None


async def _create_port(
    connection: ConnectionCoordinator, call: ServiceCall
) -> dict[str, Any]:
    """Create a port forwarding and answer with what the provider assigned."""
    created = await async_create_port(
        connection,
        expires_in=call.data.get(ATTR_EXPIRES_IN),
        hidden=call.data.get(ATTR_HIDDEN),
    )
    return {
        "port": created.port,
        "hidden": created.hidden,
        "expires_at": as_text(created.expires_at),
        "internal_ipv4": str(created.internal_ipv4),
        "internal_ipv6": str(created.internal_ipv6) if created.internal_ipv6 else None,
    }


async def _check_port(
    connection: ConnectionCoordinator, call: ServiceCall
) -> dict[str, Any]:
    """Ask the provider whether a port answers from outside."""
    check = await connection.checker.async_check(call.data[ATTR_PORT])
    return {
        "port": check.port,
        "open": check.open,
        "source_ip": check.source_ip,
        "message": check.message,
    }


async def _hide_port(
    connection: ConnectionCoordinator, call: ServiceCall
) -> dict[str, Any]:
    """Keep a port out of the provider's lists, for good."""
    hidden = await async_hide_port(connection, call.data[ATTR_PORT])
    return {
        "port": hidden.port,
        "hidden": hidden.hidden,
        "expires_at": as_text(hidden.expires_at),
    }


async def _delete_port(connection: ConnectionCoordinator, call: ServiceCall) -> None:
    """Stop forwarding a port."""
    await async_delete_port(connection, call.data[ATTR_PORT])


async def _list_ports(
    connection: ConnectionCoordinator, call: ServiceCall
) -> dict[str, Any]:
    """List the port forwardings as the provider has them now."""
    data = await connection.async_list_ports()
    return {
        "internal_ipv4": str(connection.connection.internal_ipv4),
        "internal_ipv6": str(data.internal_ipv6) if data.internal_ipv6 else None,
        "ports": [
            {
                "port": number,
                "hidden": port.forwarding.hidden,
                "expires_at": as_text(port.forwarding.expires_at),
                "reachable": port.reachable,
            }
            for number, port in data.ports.items()
        ],
    }


ACTIONS = {
    "create_port": Action(
        schema=CONNECTION
        | {
            vol.Optional(ATTR_EXPIRES_IN): EXPIRES_IN,
            vol.Optional(ATTR_HIDDEN): cv.boolean,
        },
        handler=_create_port,
    ),
    "check_port": Action(
        schema=CONNECTION_AND_PORT,
        handler=_check_port,
        supports_response=SupportsResponse.ONLY,
    ),
    "hide_port": Action(schema=CONNECTION_AND_PORT, handler=_hide_port),
    "delete_port": Action(
        schema=CONNECTION_AND_PORT,
        handler=_delete_port,
        supports_response=SupportsResponse.NONE,
    ),
    "list_ports": Action(
        schema=CONNECTION,
        handler=_list_ports,
        supports_response=SupportsResponse.ONLY,
    ),
}


async def _create_login_link(call: ServiceCall) -> ServiceResponse:
    """Make a link that signs in to the web manager, once."""
    entry: AzireVPNConfigEntry = service.async_get_config_entry(
        call.hass, DOMAIN, call.data[ATTR_CONFIG_ENTRY_ID]
    )
    account = entry.runtime_data.account
    with as_action_errors():
        link = await account.async_create_sign_in_link(call.data[ATTR_PAGE])
    return {"url": link.url, "expires_at": as_text(link.expires_at)}


@callback
def async_setup_services(hass: HomeAssistant) -> None:
    """Register the actions."""
    for name, action in ACTIONS.items():

        async def handle(call: ServiceCall, action: Action = action) -> ServiceResponse:
            """Find the connection, act on it, and answer if an answer is wanted."""
            with as_action_errors():
                answer = await action.handler(_connection(call), call)
            return answer if call.return_response else None

        hass.services.async_register(
            DOMAIN,
            name,
            handle,
            schema=vol.Schema(action.schema),
            supports_response=action.supports_response,
        )
    service.async_register_admin_service(
        hass,
        DOMAIN,
        "create_login_link",
        _create_login_link,
        schema=vol.Schema(
            {
                vol.Required(ATTR_CONFIG_ENTRY_ID): cv.string,
                vol.Required(ATTR_PAGE): vol.Coerce(ManagerPage),
            }
        ),
        supports_response=SupportsResponse.ONLY,
    )


@callback
def _connection(call: ServiceCall) -> ConnectionCoordinator:
    """Return the connection whose device the call names.

    Raises:
        ServiceValidationError: there is no such device, it is no connection of
            this integration, or its account is not loaded.

    """
    device_id = call.data[ATTR_DEVICE_ID]
    entry: AzireVPNConfigEntry
    device, entry = service.async_get_device_and_config_entry(
        call.hass, DOMAIN, device_id
    )
    for connection in entry.runtime_data.connections.values():
        if connection.device_id == device.id:
            return connection
    raise ServiceValidationError(
        translation_domain=DOMAIN,
        translation_key="not_a_connection",
        translation_placeholders={
            "device_name": device.name_by_user or device.name or device_id
        },
    )
