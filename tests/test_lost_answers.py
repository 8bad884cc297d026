"""Nobody knows what became of a request without an answer, until a list tells."""

from aiohttp import web
from aiohttp.typedefs import Handler
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.azirevpn.api import client
from tests.conftest import (
    PORTS,
    Activity,
    HeldAnswer,
    asked,
    later,
    press,
    settled,
    state_of,
)
from tests.fake_provider import Address, FakeProvider, Fault, Tunnel
from tests.test_port_changes import CREATE, DELETE
from tests.test_ports import COUNT, EXPIRY, PORT, port_numbers
from tests.test_services import act, run

UNKNOWN = "The answer of the service was lost, and it is not known whether"
UNREACHABLE = "The service could not be reached"


def garbled(status: int, text: str) -> Fault:
    """Carry the request out, and answer something else."""

    async def answer(request: web.Request, handler: Handler) -> web.StreamResponse:
        await handler(request)
        return web.Response(status=status, text=text)

    return Fault(f"done, {status}", answer)


# The provider does what it is asked for, and nobody gets to know
DONE = [
    Fault.lost(),
    Fault.truncated(),
    garbled(200, "<!doctype html>"),
    garbled(200, '{"status":"success","data":[]}'),
    garbled(500, '{"status":"error","message":"Server Error"}'),
    garbled(502, "<!doctype html>"),
]
NOT_DONE = [Fault.reset(), Fault.not_json(), Fault.status(500)]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait half a second for an answer, no longer."""
    monkeypatch.setattr(client, "TIMEOUT", 0.5)


@pytest.mark.parametrize("fault", DONE, ids=lambda fault: fault.name)
async def test_created(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    with_port: MockConfigEntry,
    activity: Activity,
    fault: Fault,
) -> None:
    """The one new port in a fresh list is the one that was asked for."""
    provider.fail(PORTS, fault, method="POST")
    answer = await act(hass, with_port, "create_port", expires_in=90)
    [created] = address.ports.keys() - {61001}
    assert answer["port"] == created
    assert answer["hidden"] is False
    assert answer["internal_ipv4"] == address.internal_ipv4
    assert answer["internal_ipv6"] == address.internal_ipv6
    assert len(asked(provider, PORTS, "POST")) == 1
    assert state_of(hass, f"sensor.home_port_{created}_port") == str(created)
    [event] = await activity.told()
    assert (event["event_type"], event["reason"]) == ("created", "requested")
    assert event["expires_at"] == answer["expires_at"]


@pytest.mark.usefixtures("impatient")
async def test_created_late(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    loaded: MockConfigEntry,
) -> None:
    """An answer that does not come in time is looked up."""
    held = HeldAnswer()
    provider.fail(PORTS, held.fault, method="POST")
    answer = await act(hass, loaded, "create_port")
    assert list(address.ports) == [answer["port"]]
    assert len(asked(provider, PORTS, "POST")) == 1
    held.release.set()


@pytest.mark.parametrize("fault", NOT_DONE, ids=lambda fault: fault.name)
async def test_not_created(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    with_port: MockConfigEntry,
    activity: Activity,
    fault: Fault,
) -> None:
    """Without a new port, nothing is claimed and nothing sent again."""
    provider.fail(PORTS, fault, method="POST")
    with pytest.raises(HomeAssistantError, match=UNKNOWN):
        await press(hass, CREATE)
    assert len(asked(provider, PORTS, "POST")) == 1
    assert state_of(hass, COUNT) == "1"
    assert list(address.ports) == [61001]
    assert await activity.told() == []


async def test_two_new_ports(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    with_port: MockConfigEntry,
) -> None:
    """Of two new ports nobody can tell which one was asked for; both are shown."""
    address.add_port(61002)
    provider.fail(PORTS, Fault.lost(), method="POST")
    with pytest.raises(HomeAssistantError, match=UNKNOWN):
        await press(hass, CREATE)
    assert len(asked(provider, PORTS, "POST")) == 1
    await later(hass, minutes=6)
    assert state_of(hass, COUNT) == "3"


@pytest.mark.parametrize("elsewhere", [False, True])
async def test_hidden_asked_for(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    with_port: MockConfigEntry,
    *,
    elsewhere: bool,
) -> None:
    """A hidden port is in no list, and one that is listed is somebody else's."""
    if elsewhere:
        address.add_port(61002)
    provider.fail(PORTS, Fault.lost(), method="POST")
    with pytest.raises(HomeAssistantError, match=UNKNOWN):
        await act(hass, with_port, "create_port", hidden=True)
    assert len(asked(provider, PORTS, "POST")) == 1


@pytest.mark.parametrize(
    "fault", [Fault.status(500), Fault.status(403)], ids=lambda fault: fault.name
)
async def test_created_without_list(
    hass: HomeAssistant,
    provider: FakeProvider,
    with_port: MockConfigEntry,
    activity: Activity,
    fault: Fault,
) -> None:
    """Without a list nothing is claimed; the next list shows the port."""
    provider.fail(PORTS, Fault.lost(), method="POST")
    provider.fail(PORTS, fault, method="GET")
    with pytest.raises(HomeAssistantError, match=UNKNOWN):
        await press(hass, CREATE)
    assert len(asked(provider, PORTS, "POST")) == 1
    await later(hass, minutes=6)
    assert state_of(hass, COUNT) == "2"
    [event] = await activity.told()
    assert (event["event_type"], event["reason"]) == ("created", "noticed")


async def test_created_before_first_list(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    tunnel: Tunnel,
    entry: MockConfigEntry,
) -> None:
    """Where no list was ever seen, a port that is there may have been there before."""
    address.add_port(61001)
    await tunnel.close()
    assert await hass.config_entries.async_setup(entry.entry_id)
    await settled(hass)
    await tunnel.open()
    provider.fail(PORTS, Fault.reset(), method="POST")
    with pytest.raises(HomeAssistantError, match=UNKNOWN):
        await act(hass, entry, "create_port")


async def test_create_never_sent(
    hass: HomeAssistant,
    provider: FakeProvider,
    tunnel: Tunnel,
    with_port: MockConfigEntry,
) -> None:
    """A request that did not even get to the proxy needs no list."""
    await tunnel.close()
    before = len(provider.requests)
    with pytest.raises(HomeAssistantError, match="The proxy could not be reached"):
        await press(hass, CREATE)
    assert len(provider.requests) == before
    assert not tunnel.is_open


@pytest.mark.parametrize("fault", DONE, ids=lambda fault: fault.name)
async def test_hidden(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    with_port: MockConfigEntry,
    activity: Activity,
    fault: Fault,
) -> None:
    """A port that a fresh list no longer has is hidden."""
    provider.fail(PORTS, fault, method="PUT")
    answer = await act(hass, with_port, "hide_port", port=61001)
    assert answer["hidden"] is True
    assert answer["expires_at"] == "2030-03-17T17:46:40+00:00"
    assert address.ports[61001].hidden
    await later(hass, minutes=6)
    assert state_of(hass, PORT) == "61001"
    assert state_of(hass, EXPIRY) == answer["expires_at"]
    assert len(asked(provider, PORTS, "PUT")) == 1
    assert await activity.in_short() == [("hidden", 61001)]


@pytest.mark.parametrize("fault", NOT_DONE, ids=lambda fault: fault.name)
async def test_not_hidden(
    hass: HomeAssistant,
    provider: FakeProvider,
    with_port: MockConfigEntry,
    activity: Activity,
    fault: Fault,
) -> None:
    """A port that a fresh list still has is not hidden."""
    provider.fail(PORTS, fault, method="PUT")
    with pytest.raises(HomeAssistantError):
        await run(hass, with_port, "hide_port", port=61001)
    assert len(asked(provider, PORTS, "PUT")) == 1
    assert await activity.told() == []
    listed = await act(hass, with_port, "list_ports")
    assert [port["hidden"] for port in listed["ports"]] == [False]


@pytest.mark.parametrize("fault", [Fault.lost(), Fault.reset()], ids=["done", "not"])
async def test_hidden_without_list(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    with_port: MockConfigEntry,
    fault: Fault,
) -> None:
    """Without a list it is an error, and the port is kept until a list shows it."""
    provider.fail(PORTS, fault, method="PUT")
    provider.fail(PORTS, Fault.status(500), method="GET")
    with pytest.raises(HomeAssistantError, match=UNREACHABLE):
        await run(hass, with_port, "hide_port", port=61001)
    connection = with_port.runtime_data.connections
    [port] = [port for known in connection.values() for port in known.ports.values()]
    assert port.forwarding.hidden

    await later(hass, minutes=6)
    assert state_of(hass, PORT) == "61001"
    listed = await act(hass, with_port, "list_ports")
    assert [port["hidden"] for port in listed["ports"]] == [address.ports[61001].hidden]


async def test_hide_unheard_of(
    hass: HomeAssistant,
    provider: FakeProvider,
    with_port: MockConfigEntry,
) -> None:
    """No list tells whether a port that nobody knew was hidden, or ever existed."""
    provider.fail(PORTS, Fault.reset(), method="PUT")
    with pytest.raises(HomeAssistantError, match=UNREACHABLE):
        await run(hass, with_port, "hide_port", port=61005)
    assert port_numbers(hass, with_port) == {"Port 61001"}


@pytest.mark.parametrize("fault", DONE, ids=lambda fault: fault.name)
async def test_deleted(
    hass: HomeAssistant,
    provider: FakeProvider,
    with_port: MockConfigEntry,
    activity: Activity,
    fault: Fault,
) -> None:
    """A port that a fresh list no longer has is deleted."""
    provider.fail(PORTS, fault, method="DELETE")
    await press(hass, DELETE)
    assert state_of(hass, PORT) is None
    assert not port_numbers(hass, with_port)
    assert len(asked(provider, PORTS, "DELETE")) == 1
    [event] = await activity.told()
    assert (event["event_type"], event["reason"]) == ("removed", "requested")


@pytest.mark.parametrize("fault", NOT_DONE, ids=lambda fault: fault.name)
async def test_not_deleted(
    hass: HomeAssistant,
    provider: FakeProvider,
    with_port: MockConfigEntry,
    activity: Activity,
    fault: Fault,
) -> None:
    """A port that a fresh list still has is not deleted."""
    provider.fail(PORTS, fault, method="DELETE")
    with pytest.raises(HomeAssistantError):
        await press(hass, DELETE)
    assert state_of(hass, PORT) == "61001"
    assert port_numbers(hass, with_port) == {"Port 61001"}
    assert len(asked(provider, PORTS, "DELETE")) == 1
    assert await activity.told() == []


async def test_deleted_without_list(
    hass: HomeAssistant,
    provider: FakeProvider,
    with_port: MockConfigEntry,
) -> None:
    """Without a list it is an error; the next list shows that the port is gone."""
    provider.fail(PORTS, Fault.lost(), method="DELETE")
    provider.fail(PORTS, Fault.status(500), method="GET")
    with pytest.raises(HomeAssistantError, match=UNREACHABLE):
        await press(hass, DELETE)
    assert state_of(hass, PORT) == "61001"
    await later(hass, minutes=6)
    assert state_of(hass, PORT) is None


async def test_deleted_hidden(
    hass: HomeAssistant,
    provider: FakeProvider,
    with_port: MockConfigEntry,
) -> None:
    """No list tells whether a hidden port is gone, but deleting it again does."""
    await run(hass, with_port, "hide_port", port=61001)
    provider.fail(PORTS, Fault.lost(), method="DELETE")
    with pytest.raises(HomeAssistantError, match=UNREACHABLE):
        await press(hass, DELETE)
    await later(hass, minutes=6)
    assert state_of(hass, PORT) == "61001"
    await press(hass, DELETE)
    assert state_of(hass, PORT) is None
