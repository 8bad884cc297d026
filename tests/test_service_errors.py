"""An action that goes wrong says why, in words that its user can read."""

from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import device_registry as dr
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
)
import voluptuous as vol

from custom_components.azirevpn.const import DOMAIN
from tests.conftest import (
    CHECK,
    CONNECTION_ID,
    PORTS,
    later,
    settled,
)
from tests.fake_provider import Address, FakeProvider, Fault, Tunnel
from tests.test_services import act, connection_device, run

# After these a port may have been created all the same
LOSES_ANSWER = {"status 500", "not JSON", "reset"}
UNKNOWN = (
    "The answer of the service was lost, and it is not known whether a port was"
    " created. Look at the ports before you try again"
)


@pytest.mark.parametrize(
    ("action", "data"),
    [
        ("create_port", {"expires_in": -1}),
        ("create_port", {"expires_in": 3651}),
        ("create_port", {"expires_in": 1.5}),
        ("create_port", {"expires_in": "soon"}),
        ("create_port", {"expires_in": None}),
        ("create_port", {"hidden": "perhaps"}),
        ("create_port", {"port": 61001}),
        ("check_port", {}),
        ("check_port", {"port": 0}),
        ("check_port", {"port": 70000}),
        ("check_port", {"port": 80.5}),
        ("check_port", {"port": "http"}),
        ("hide_port", {}),
        ("hide_port", {"port": 0}),
        ("hide_port", {"port": 61001, "hidden": False}),
        ("delete_port", {}),
        ("delete_port", {"port": 70000}),
        ("list_ports", {"port": 61001}),
        ("list_ports", {"device_id": None}),
    ],
)
async def test_invalid_input(
    hass: HomeAssistant,
    provider: FakeProvider,
    loaded: MockConfigEntry,
    action: str,
    data: dict[str, Any],
) -> None:
    """What makes no sense is refused before anything is sent."""
    before = len(provider.requests)
    with pytest.raises(vol.Invalid):
        await run(hass, loaded, action, **data)
    assert len(provider.requests) == before


@pytest.mark.parametrize("action", ["check_port", "list_ports"])
async def test_question_without_answer(
    hass: HomeAssistant, loaded: MockConfigEntry, action: str
) -> None:
    """A question makes no sense to someone who does not listen."""
    with pytest.raises(ServiceValidationError):
        await hass.services.async_call(
            DOMAIN,
            action,
            {"device_id": connection_device(hass, loaded), "port": 61001},
            blocking=True,
        )


@pytest.mark.parametrize(
    ("device", "message"),
    [
        ("account", "ada is not a VPN connection. Choose the device of a connection"),
        (
            "port",
            "Port 61001 is not a VPN connection. Choose the device of a connection",
        ),
        ("foreign", "Lamp"),
        ("unknown", "unknown"),
    ],
)
async def test_wrong_device(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    loaded: MockConfigEntry,
    device: str,
    message: str,
) -> None:
    """Ports are those of a connection, and of no other device."""
    await async_setup_component(hass, "homeassistant", {})
    address.add_port(61001)
    await later(hass, minutes=6)
    await later(hass, seconds=31)
    registry = dr.async_get(hass)
    other = MockConfigEntry(domain="light")
    other.add_to_hass(hass)
    account = registry.async_get_device_by_identifier(
        (DOMAIN, str(loaded.unique_id)), loaded.entry_id
    )
    port = registry.async_get_child_device_by_identifier(
        (DOMAIN, f"{CONNECTION_ID}_61001"), loaded.entry_id
    )
    assert account is not None
    assert port is not None
    devices = {
        "account": account.id,
        "port": port.id,
        "foreign": registry.async_get_or_create(
            config_entry_id=other.entry_id, identifiers={("light", "1")}, name="Lamp"
        ).id,
    }
    before = len(provider.requests)
    with pytest.raises(ServiceValidationError, match=message):
        await act(hass, loaded, "list_ports", device_id=devices.get(device, device))
    assert len(provider.requests) == before


async def test_account_not_loaded(hass: HomeAssistant, loaded: MockConfigEntry) -> None:
    """The actions stay when no account is loaded, and say so."""
    await async_setup_component(hass, "homeassistant", {})
    assert await hass.config_entries.async_unload(loaded.entry_id)
    with pytest.raises(ServiceValidationError, match="ada"):
        await act(hass, loaded, "list_ports")


@pytest.mark.parametrize(
    ("fault", "kind", "message"),
    [
        (
            Fault.status(
                422,
                body={
                    "status": "error",
                    "message": "The given data was invalid.",
                    "data": {
                        "expires_in": ["Too long.", "Too bold."],
                        "hidden": ["No."],
                    },
                },
            ),
            ServiceValidationError,
            "The service refused what was entered: Too long. Too bold. No.",
        ),
        (
            Fault.status(
                406, body={"status": "error", "message": "todays limit reached"}
            ),
            HomeAssistantError,
            "No more ports can be created today: todays limit reached",
        ),
        (
            Fault.status(429, headers={"Retry-After": "7"}),
            HomeAssistantError,
            "The service received too many requests. Try again in 7 seconds",
        ),
        (
            Fault.status(401),
            HomeAssistantError,
            "The access token was refused. Make a new one in the web manager",
        ),
        (
            Fault.status(500),
            HomeAssistantError,
            "The service refused the request with status 500: Internal Server Error",
        ),
        (
            Fault.not_json(),
            HomeAssistantError,
            "The service gave an answer that could not be understood. Check its address",
        ),
        (
            Fault.reset(),
            HomeAssistantError,
            "The service could not be reached. Check the network and try again",
        ),
    ],
    ids=lambda value: value.name if isinstance(value, Fault) else "",
)
@pytest.mark.parametrize(
    "action",
    ["create_port", "hide_port", "delete_port", "list_ports", "check_port"],
)
async def test_refusal(
    hass: HomeAssistant,
    provider: FakeProvider,
    loaded: MockConfigEntry,
    action: str,
    fault: Fault,
    kind: type[HomeAssistantError],
    message: str,
) -> None:
    """What the provider says reaches the user, as the user's mistake or as a failure."""
    path = CHECK if action == "check_port" else PORTS
    provider.fail(path, fault, times=99)
    data = {} if action in {"create_port", "list_ports"} else {"port": 61001}
    if action == "create_port" and fault.name in LOSES_ANSWER:
        message = UNKNOWN
    with pytest.raises(HomeAssistantError) as caught:
        await run(hass, loaded, action, **data)
    assert type(caught.value) is kind
    assert str(caught.value) == message
    await settled(hass)
    assert not hass.config_entries.flow.async_progress()


async def test_proxy_down(
    hass: HomeAssistant, tunnel: Tunnel, address: Address, loaded: MockConfigEntry
) -> None:
    """A proxy that is down is told as such, and nothing is created."""
    await tunnel.close()
    with pytest.raises(HomeAssistantError, match="The proxy could not be reached"):
        await act(hass, loaded, "create_port")
    assert not address.ports


@pytest.mark.parametrize(
    ("action", "status", "kind", "message"),
    [
        (
            "create_port",
            403,
            HomeAssistantError,
            "The service says that this address is not connected to the VPN: Not here",
        ),
        (
            "list_ports",
            403,
            HomeAssistantError,
            "The service says that this address is not connected to the VPN: Not here",
        ),
        (
            "check_port",
            403,
            HomeAssistantError,
            "The service refused the request with status 403: Not here",
        ),
        (
            "hide_port",
            403,
            HomeAssistantError,
            "The service says that this address is not connected to the VPN: Not here",
        ),
        (
            "delete_port",
            403,
            HomeAssistantError,
            "The service says that this address is not connected to the VPN: Not here",
        ),
        (
            "create_port",
            404,
            ServiceValidationError,
            "The service does not know what was asked for: Not here",
        ),
        (
            "check_port",
            404,
            ServiceValidationError,
            "The service does not know what was asked for: Not here",
        ),
    ],
)
async def test_not_here(
    hass: HomeAssistant,
    provider: FakeProvider,
    loaded: MockConfigEntry,
    action: str,
    status: int,
    kind: type[HomeAssistantError],
    message: str,
) -> None:
    """The same status means different things, depending on what was asked."""
    fault = Fault.status(status, body={"status": "error", "message": "Not here"})
    provider.fail(f"{PORTS}*", fault)
    data = {} if action in {"create_port", "list_ports"} else {"port": 61001}
    with pytest.raises(HomeAssistantError) as caught:
        await run(hass, loaded, action, **data)
    assert type(caught.value) is kind
    assert str(caught.value) == message
