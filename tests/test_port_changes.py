"""Ports are created, hidden and deleted, by actions and by buttons."""

from http import HTTPStatus

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import device_registry as dr, entity_registry as er
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from tests.conftest import (
    CHECK,
    EXIT_IP,
    PORTS,
    Activity,
    asked,
    enable_all,
    later,
    press,
    settled,
    state_of,
)
from tests.fake_provider import Address, FakeProvider, Fault, Tunnel
from tests.test_ports import COUNT, EXPIRY, PORT, REACHABLE, TUNNEL, port_numbers
from tests.test_services import act, run

HIDDEN = "binary_sensor.home_port_61001_hidden"
CREATE = "button.home_create_port"
HIDE = "button.home_port_61001_hide"
DELETE = "button.home_port_61001_delete"
EXPIRES_AT = "2030-03-17T17:46:40+00:00"


def identities(
    hass: HomeAssistant, entry: MockConfigEntry
) -> tuple[set[str], dict[str, str]]:
    """Return the ids of the ports' devices, and those of all entities by name."""
    devices = dr.async_child_entries_for_config_entry(
        dr.async_get(hass), entry.entry_id
    )
    entities = er.async_entries_for_config_entry(er.async_get(hass), entry.entry_id)
    return (
        {device.id for device in devices},
        {entity.entity_id: entity.id for entity in entities},
    )


async def change(
    hass: HomeAssistant, entry: MockConfigEntry, way: str, what: str
) -> None:
    """Hide or delete port 61001, by action or by button."""
    if way == "action":
        await run(hass, entry, f"{what}_port", port=61001)
    else:
        await press(hass, f"button.home_port_61001_{what}")


async def test_create_by_button(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    loaded: MockConfigEntry,
    activity: Activity,
) -> None:
    """The button creates a port with all that the provider sees fit."""
    await press(hass, CREATE)
    [created] = address.ports.values()
    [request] = asked(provider, PORTS, "POST")
    assert request.body == {"internal_ipv4": address.internal_ipv4}
    assert state_of(hass, f"sensor.home_port_{created.port}_port") == str(created.port)
    assert await activity.in_short() == [("created", created.port)]


async def test_check_buttons(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    with_port: MockConfigEntry,
) -> None:
    """The port's button checks it, the connection's button checks all its ports."""
    address.add_port(61002)
    await provider.listen(EXIT_IP, 61002)
    await later(hass, minutes=6)
    provider.requests.clear()
    await press(hass, "button.home_port_61001_check")
    assert [check.path for check in asked(provider, CHECK)] == [f"{CHECK}61001"]
    provider.requests.clear()
    await press(hass, "button.home_check_ports")
    assert sorted(check.path for check in asked(provider, CHECK)) == [
        f"{CHECK}61001",
        f"{CHECK}61002",
    ]


async def test_one_check_fails(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    with_port: MockConfigEntry,
) -> None:
    """Where one of the checks fails, its reason is told and the others count."""
    address.add_port(61002)
    await provider.listen(EXIT_IP, 61002)
    await later(hass, minutes=6)
    provider.fail(f"{CHECK}61001", Fault.status(500))
    with pytest.raises(HomeAssistantError, match="status 500"):
        await press(hass, "button.home_check_ports")
    assert state_of(hass, REACHABLE) == "unknown"
    assert state_of(hass, "binary_sensor.home_port_61002_reachable") == "on"


@pytest.mark.parametrize("way", ["action", "button"])
async def test_hide(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    with_port: MockConfigEntry,
    activity: Activity,
    way: str,
) -> None:
    """A hidden port keeps its device, its entities and what is known of it."""
    await enable_all(hass, with_port)
    before = identities(hass, with_port)
    assert state_of(hass, HIDDEN) == "off"

    await change(hass, with_port, way, "hide")
    for _ in range(2):
        assert address.ports[61001].hidden
        assert state_of(hass, HIDDEN) == "on"
        assert state_of(hass, PORT) == "61001"
        assert state_of(hass, EXPIRY) == EXPIRES_AT
        assert state_of(hass, REACHABLE) == "on"
        assert state_of(hass, COUNT) == "1"
        # No list shows it any more
        await later(hass, minutes=6)
    assert identities(hass, with_port) == before
    [request] = asked(provider, PORTS, "PUT")
    assert request.body == {
        "internal_ipv4": address.internal_ipv4,
        "port": 61001,
        "hidden": True,
    }
    assert await activity.told() == [
        {
            "connection": "Home",
            "event_type": "hidden",
            "port": "61001",
            "expires_at": EXPIRES_AT,
            "reason": "requested",
        }
    ]
    # It is checked like any other
    await provider.stop_listening(EXIT_IP, 61001)
    await later(hass, minutes=16)
    await later(hass, seconds=31)
    assert state_of(hass, REACHABLE) == "off"


async def test_hide_answer(
    hass: HomeAssistant, address: Address, with_port: MockConfigEntry
) -> None:
    """The action answers with the port that is hidden now, also the second time."""
    expected = {"port": 61001, "hidden": True, "expires_at": EXPIRES_AT}
    assert await act(hass, with_port, "hide_port", port=61001) == expected
    assert await act(hass, with_port, "hide_port", port=61001) == expected


async def test_hide_answer_without_expiry(
    hass: HomeAssistant,
    provider: FakeProvider,
    with_port: MockConfigEntry,
) -> None:
    """What the answer leaves out is taken from what is known."""
    provider.fail(PORTS, Fault.wrong_shape({"port": None, "hidden": True}))
    answer = await act(hass, with_port, "hide_port", port=61001)
    assert answer["expires_at"] == EXPIRES_AT
    assert state_of(hass, EXPIRY) == EXPIRES_AT


async def test_hide_unheard_of(
    hass: HomeAssistant, address: Address, with_port: MockConfigEntry
) -> None:
    """A port that no list shows becomes known by hiding it once more."""
    address.add_port(61005, expires_at=1_900_000_000, hidden=True)
    await run(hass, with_port, "hide_port", port=61005)
    assert state_of(hass, "sensor.home_port_61005_port") == "61005"
    await later(hass, minutes=6)
    assert state_of(hass, "sensor.home_port_61005_port_expiry") == EXPIRES_AT


async def test_create_hidden(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    loaded: MockConfigEntry,
    activity: Activity,
) -> None:
    """A port that is hidden from the start is known, though no list ever shows it."""
    answer = await act(hass, loaded, "create_port", hidden=True)
    assert answer["hidden"] is True
    for _ in range(2):
        await later(hass, minutes=6)
        assert state_of(hass, COUNT) == "1"
    assert await activity.in_short() == [("created", answer["port"])]
    listed = await act(hass, loaded, "list_ports")
    assert listed["ports"] == [
        {
            "port": answer["port"],
            "hidden": True,
            "expires_at": answer["expires_at"],
            "reachable": False,
        }
    ]


@pytest.mark.parametrize("way", ["action", "button"])
@pytest.mark.parametrize("hidden", [False, True])
async def test_delete(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    with_port: MockConfigEntry,
    activity: Activity,
    way: str,
    *,
    hidden: bool,
) -> None:
    """A port that is deleted goes at once, with its device."""
    if hidden:
        await run(hass, with_port, "hide_port", port=61001)
        await activity.told()
    lists = len(asked(provider, PORTS))
    await change(hass, with_port, way, "delete")
    assert not address.ports
    assert state_of(hass, PORT) is None
    assert state_of(hass, DELETE) is None
    assert state_of(hass, COUNT) == "0"
    assert not port_numbers(hass, with_port)
    assert len(asked(provider, PORTS)) == lists
    [request] = asked(provider, PORTS, "DELETE")
    assert request.body == {"internal_ipv4": address.internal_ipv4, "port": 61001}
    assert await activity.told() == [
        {
            "connection": "Home",
            "event_type": "removed",
            "port": "61001",
            "expires_at": EXPIRES_AT,
            "reason": "requested",
        }
    ]
    await later(hass, minutes=6)
    assert not port_numbers(hass, with_port)
    assert await activity.told() == []


@pytest.mark.parametrize("way", ["action", "button"])
async def test_delete_gone(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    with_port: MockConfigEntry,
    activity: Activity,
    way: str,
) -> None:
    """A port that the provider no longer has is an error, and for a list to remove."""
    del address.ports[61001]
    provider.fail(PORTS, Fault.status(500), method="GET")
    with pytest.raises(ServiceValidationError, match="Port forwarding not found"):
        await change(hass, with_port, way, "delete")
    await settled(hass)
    assert port_numbers(hass, with_port) == {"Port 61001"}
    await later(hass, minutes=6)
    assert not port_numbers(hass, with_port)
    [event] = await activity.told()
    assert (event["event_type"], event["reason"]) == ("removed", "noticed")


async def test_delete_gone_hidden(
    hass: HomeAssistant, address: Address, with_port: MockConfigEntry
) -> None:
    """A hidden port that the provider no longer has is deleted: no list corrects it."""
    await run(hass, with_port, "hide_port", port=61001)
    del address.ports[61001]
    await press(hass, DELETE)
    assert state_of(hass, PORT) is None
    assert not port_numbers(hass, with_port)


async def test_hide_gone(
    hass: HomeAssistant, address: Address, with_port: MockConfigEntry
) -> None:
    """A port that the provider no longer has can't be hidden, and isn't remembered."""
    del address.ports[61001]
    with pytest.raises(ServiceValidationError, match="Port forwarding not found"):
        await run(hass, with_port, "hide_port", port=61001)
    await later(hass, minutes=6)
    assert not port_numbers(hass, with_port)


async def test_too_many_ports(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    with_port: MockConfigEntry,
) -> None:
    """A sixth port is refused for the likely reason, and in the provider's words."""
    for _ in range(3):
        await act(hass, with_port, "create_port")
    await act(hass, with_port, "create_port", hidden=True)
    with pytest.raises(ServiceValidationError) as caught:
        await press(hass, CREATE)
    assert str(caught.value) == (
        "The connection has 5 ports, and the service takes no more:"
        " No more than 5 port forwardings"
    )
    assert len(address.ports) == 5
    assert len(asked(provider, PORTS, "POST")) == 5


async def test_refused_for_another_reason(
    hass: HomeAssistant, provider: FakeProvider, with_port: MockConfigEntry
) -> None:
    """With room for more, a refusal is only what the provider says."""
    provider.fail(PORTS, Fault.status(HTTPStatus.BAD_REQUEST))
    with pytest.raises(HomeAssistantError, match="status 400: Bad Request"):
        await press(hass, CREATE)


async def test_daily_quota(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    loaded: MockConfigEntry,
) -> None:
    """When the day's ports are used up, that is told and nobody tries again."""
    provider.daily_quota = 1
    await press(hass, CREATE)
    with pytest.raises(
        HomeAssistantError,
        match="No more ports can be created today: todays limit reached",
    ):
        await press(hass, CREATE)
    await later(hass, minutes=6)
    assert len(asked(provider, PORTS, "POST")) == 2
    assert len(address.ports) == 1


@pytest.mark.parametrize(
    "fault",
    [None, Fault.status(500)],
    ids=lambda fault: fault.name if fault else "proxy closed",
)
async def test_create_ends_outage(
    hass: HomeAssistant,
    provider: FakeProvider,
    tunnel: Tunnel,
    with_port: MockConfigEntry,
    fault: Fault | None,
) -> None:
    """A port that can be created shows that the tunnel is up again."""
    if fault is None:
        await tunnel.close()
    else:
        provider.fail(PORTS, fault)
    await later(hass, minutes=6)
    assert state_of(hass, TUNNEL) != "on"
    await tunnel.open()
    await act(hass, with_port, "create_port")
    await settled(hass)
    assert state_of(hass, TUNNEL) == "on"
    assert state_of(hass, COUNT) == "2"
    assert state_of(hass, PORT) == "61001"
