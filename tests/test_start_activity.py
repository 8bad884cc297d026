"""At a start it is told what happened meanwhile, and not what was there before."""

from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.core import CoreState, Event, HomeAssistant
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_capture_events,
)

from tests.conftest import (
    PORTS,
    Activity,
    later,
    press,
    settled,
    state_of,
)
from tests.fake_provider import Account, Address, FakeProvider, Fault, Tunnel
from tests.test_connection_flow import enter, open_form
from tests.test_outages import ACTIVITY
from tests.test_port_activity import DAY, NOW, about, set_up, within
from tests.test_port_changes import DELETE
from tests.test_ports import COUNT, TUNNEL
from tests.test_services import act


@pytest.fixture(autouse=True)
def noon(freezer: FrozenDateTimeFactory, provider: FakeProvider) -> None:
    """Begin at noon."""
    freezer.move_to(NOW)


async def test_first_read(
    hass: HomeAssistant,
    address: Address,
    entry: MockConfigEntry,
    activity: Activity,
) -> None:
    """The ports that a new connection has are no news, not even those that end soon."""
    address.add_port(61001, expires_at=within(days=1))
    address.add_port(61002)
    await set_up(hass, entry)
    assert state_of(hass, COUNT) == "2"
    assert await activity.told() == []
    assert state_of(hass, ACTIVITY) == "unknown"
    await later(hass, minutes=6)
    assert await activity.told() == []


@pytest.mark.parametrize(
    "fault",
    [None, Fault.status(500), Fault.status(403)],
    ids=lambda fault: fault.name if fault else "proxy closed",
)
@pytest.mark.parametrize("restarted", [False, True])
async def test_first_read_is_late(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    tunnel: Tunnel,
    entry: MockConfigEntry,
    activity: Activity,
    fault: Fault | None,
    *,
    restarted: bool,
) -> None:
    """Where the first list failed, the first that succeeds is no news either."""
    address.add_port(61001)
    address.add_port(61002)
    if fault is None:
        await tunnel.close()
    else:
        provider.fail(PORTS, fault, times=1 + restarted)
    await set_up(hass, entry)
    if restarted:
        assert await hass.config_entries.async_unload(entry.entry_id)
        await set_up(hass, entry)
    assert state_of(hass, TUNNEL) != "on"
    await tunnel.open()
    await later(hass, minutes=6)
    assert state_of(hass, COUNT) == "2"
    assert await activity.told() == []

    del address.ports[61002]
    await later(hass, minutes=6)
    assert await activity.in_short() == [("removed", 61002)]


async def test_created_before_first_read(
    hass: HomeAssistant,
    address: Address,
    tunnel: Tunnel,
    entry: MockConfigEntry,
    activity: Activity,
) -> None:
    """What is done here is news, also if nobody knows yet what was there before."""
    address.add_port(61001)
    await tunnel.close()
    await set_up(hass, entry)
    await tunnel.open()
    port = (await act(hass, entry, "create_port"))["port"]
    await settled(hass)
    assert state_of(hass, COUNT) == "2"
    assert await activity.in_short() == [("created", port)]


async def test_new_connection(
    hass: HomeAssistant,
    account: Account,
    address: Address,
    tunnel: Tunnel,
    entry: MockConfigEntry,
    activity: Activity,
) -> None:
    """A connection that is added later begins in silence, and the other one goes on."""
    await set_up(hass, entry)
    account.add_address("10.0.131.177").add_port(61002)
    form = await open_form(hass, entry)
    await hass.config_entries.subentries.async_configure(
        form["flow_id"],
        {"name": "Away", "internal_ipv4": "10.0.131.177", "proxy_url": tunnel.url},
    )
    await settled(hass)
    assert state_of(hass, "sensor.away_port_61002_port") == "61002"
    assert await activity.told() == []
    address.add_port(61001)
    account.addresses["10.0.131.177"].add_port(61003)
    await later(hass, minutes=6)
    told = await activity.told()
    assert {(event["connection"], event["port"]) for event in told} == {
        ("Home", "61001"),
        ("Away", "61003"),
    }


async def test_added_again(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    entry: MockConfigEntry,
    activity: Activity,
) -> None:
    """A connection that is removed and added again is a new one."""
    provider.caller_connected = True
    address.add_port(61001)
    await set_up(hass, entry)
    [subentry_id] = entry.subentries
    hass.config_entries.async_remove_subentry(entry, subentry_id)
    await settled(hass)
    await enter(hass, await open_form(hass, entry), address.internal_ipv4)
    assert state_of(hass, COUNT) == "1"
    assert await activity.told() == []
    await later(hass, seconds=31)


async def test_meanwhile(
    hass: HomeAssistant,
    freezer: FrozenDateTimeFactory,
    address: Address,
    entry: MockConfigEntry,
    activity: Activity,
) -> None:
    """What happened while Home Assistant was away is told when it is back, once."""
    address.add_port(61001, expires_at=within(days=10))
    address.add_port(61002, expires_at=within(days=20))
    address.add_port(61003, expires_at=within(days=13))
    await set_up(hass, entry)
    assert await hass.config_entries.async_unload(entry.entry_id)

    freezer.tick(11 * DAY)
    del address.ports[61002]
    address.add_port(61004, expires_at=within(days=30))
    expected = [
        about("expired", 61001, within(days=10)),
        about("removed", 61002, within(days=20), reason="noticed"),
        about("expiring", 61003, within(days=13)),
        about("created", 61004, within(days=30), reason="noticed"),
    ]
    for news in (expected, []):
        await set_up(hass, entry)
        assert await activity.told() == news
        await later(hass, minutes=6)
        assert await activity.told() == []
        assert await hass.config_entries.async_unload(entry.entry_id)


async def automate(hass: HomeAssistant) -> list[Event[dict[str, Any]]]:
    """Let an automation react to ports that go, and return what it did."""
    assert await async_setup_component(
        hass,
        "automation",
        {
            "automation": {
                "triggers": {
                    "trigger": "event.received",
                    "target": {"entity_id": ACTIVITY},
                    "options": {"event_type": ["removed", "expired"]},
                },
                "actions": {
                    "event": "port_went",
                    "event_data": {
                        "port": "{{ trigger.to_state.attributes.port }}",
                    },
                },
                "mode": "queued",
            }
        },
    )
    reactions: list[Event[dict[str, Any]]] = async_capture_events(hass, "port_went")
    return reactions


async def test_automation(
    hass: HomeAssistant, address: Address, with_port: MockConfigEntry
) -> None:
    """An automation reacts to what happens, and to what happened during a reload."""
    await later(hass, seconds=6)
    reactions = await automate(hass)
    address.add_port(61002)
    address.add_port(61003)
    await later(hass, minutes=6)
    assert not reactions
    await press(hass, DELETE)
    assert [reaction.data["port"] for reaction in reactions] == [61001]

    assert await hass.config_entries.async_unload(with_port.entry_id)
    address.ports.clear()
    await set_up(hass, with_port)
    assert [reaction.data["port"] for reaction in reactions[1:]] == [61002, 61003]


async def test_during_start(
    hass: HomeAssistant,
    address: Address,
    with_port: MockConfigEntry,
    activity: Activity,
) -> None:
    """While Home Assistant starts nobody listens, so it is told a little later."""
    assert await hass.config_entries.async_unload(with_port.entry_id)
    hass.set_state(CoreState.not_running)
    reactions = await automate(hass)
    address.ports.clear()
    address.add_port(61002)
    await set_up(hass, with_port)
    await later(hass, minutes=6)
    assert state_of(hass, COUNT) == "1"
    assert await activity.told() == []

    await hass.async_start()
    await settled(hass)
    await later(hass, seconds=4)
    assert not reactions
    assert await activity.in_short() == [("removed", 61001), ("created", 61002)]
    assert [reaction.data["port"] for reaction in reactions] == [61001]
