"""What happens to ports is told once, and what was already so is not told."""

from datetime import UTC, datetime, timedelta

from freezegun.api import FrozenDateTimeFactory
from homeassistant.core import HomeAssistant
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_fire_time_changed,
)

from tests.conftest import (
    CHECK,
    EXIT_IP,
    PORTS,
    Activity,
    later,
    press,
    settled,
    state_of,
)
from tests.fake_provider import Address, FakeProvider, Fault, Tunnel
from tests.test_outages import ACTIVITY
from tests.test_ports import REACHABLE, TUNNEL
from tests.test_services import act, run

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def noon(freezer: FrozenDateTimeFactory, provider: FakeProvider) -> None:
    """Begin at noon."""
    freezer.move_to(NOW)


def within(**time: float) -> int:
    """Return when a port that has so much time left expires, in Unix seconds."""
    return int((NOW + timedelta(**time)).timestamp())


def about(kind: str, port: int, expires_at: int | None, **more: str) -> dict[str, str]:
    """Return what is told of a port of the connection Home."""
    told = {"connection": "Home", "event_type": kind, "port": str(port), **more}
    if expires_at:
        told["expires_at"] = datetime.fromtimestamp(expires_at, UTC).isoformat()
    return told


async def set_up(hass: HomeAssistant, entry: MockConfigEntry) -> None:
    """Set the account up, and wait until all is told."""
    assert await hass.config_entries.async_setup(entry.entry_id)
    await settled(hass)
    await later(hass, seconds=6)


async def passes(
    hass: HomeAssistant, freezer: FrozenDateTimeFactory, time: timedelta
) -> None:
    """Let time pass on all clocks, and then one more poll."""
    for step in (time, timedelta(seconds=301)):
        freezer.tick(step)
        async_fire_time_changed(hass)
        await settled(hass)


async def test_every_event(
    hass: HomeAssistant,
    freezer: FrozenDateTimeFactory,
    provider: FakeProvider,
    address: Address,
    entry: MockConfigEntry,
    activity: Activity,
) -> None:
    """Everything that can happen is told with the port, its expiry and the reason."""
    await set_up(hass, entry)
    assert await activity.told() == []

    address.add_port(61001, expires_at=within(days=5))
    await provider.listen(EXIT_IP, 61001)
    await later(hass, minutes=6)
    assert await activity.told() == [
        about("created", 61001, within(days=5), reason="noticed")
    ]
    address.add_port(61002)
    await later(hass, minutes=6)
    assert await activity.told() == [about("created", 61002, None, reason="noticed")]

    await provider.stop_listening(EXIT_IP, 61001)
    await later(hass, minutes=16)
    await later(hass, seconds=31)
    assert await activity.told() == [about("closed", 61001, within(days=5))]
    await provider.listen(EXIT_IP, 61001)
    await later(hass, minutes=16)
    assert await activity.told() == [about("opened", 61001, within(days=5))]

    del address.ports[61002]
    await later(hass, minutes=6)
    assert await activity.told() == [about("removed", 61002, None, reason="noticed")]

    await run(hass, entry, "hide_port", port=61001)
    assert await activity.told() == [
        about("hidden", 61001, within(days=5), reason="requested")
    ]
    await passes(hass, freezer, 2 * DAY)
    assert await activity.told() == [about("expiring", 61001, within(days=5))]
    await passes(hass, freezer, 3 * DAY)
    assert await activity.told() == [about("expired", 61001, within(days=5))]
    await later(hass, minutes=6)
    assert await activity.told() == []


async def test_requested(
    hass: HomeAssistant, entry: MockConfigEntry, activity: Activity
) -> None:
    """What is done here is told at once, and not again by the next list."""
    await set_up(hass, entry)
    port = (await act(hass, entry, "create_port", expires_in=5))["port"]
    await press(hass, f"button.home_port_{port}_delete")
    assert await activity.told() == [
        about("created", port, within(days=5), reason="requested"),
        about("removed", port, within(days=5), reason="requested"),
    ]
    await later(hass, minutes=6)
    assert await activity.told() == []


async def test_expiring_once(
    hass: HomeAssistant,
    freezer: FrozenDateTimeFactory,
    address: Address,
    entry: MockConfigEntry,
    activity: Activity,
) -> None:
    """A port that comes to its end is told of once, whatever happens until then."""
    address.add_port(61001, expires_at=within(days=5))
    await set_up(hass, entry)
    await passes(hass, freezer, 2 * DAY - 302 * SECOND)
    assert await activity.told() == []
    await passes(hass, freezer, 301 * SECOND)
    assert await activity.in_short() == [("expiring", 61001)]
    for _ in range(2):
        await passes(hass, freezer, DAY)
        assert await hass.config_entries.async_unload(entry.entry_id)
        await set_up(hass, entry)
        assert await activity.told() == []
    await passes(hass, freezer, DAY)
    assert await activity.in_short() == [("expired", 61001)]


async def test_warning_time(
    hass: HomeAssistant,
    address: Address,
    entry: MockConfigEntry,
    activity: Activity,
) -> None:
    """A port counts as expiring when the user wants it to."""
    address.add_port(61001, expires_at=within(days=20))
    await set_up(hass, entry)
    hass.config_entries.async_update_entry(entry, options={"port_warning_days": 30})
    await settled(hass)
    assert await activity.in_short() == [("expiring", 61001)]
    # From now on, a port is born close to its end
    port = (await act(hass, entry, "create_port", expires_in=10))["port"]
    assert await activity.in_short() == [("created", port), ("expiring", port)]


async def test_reachability(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    entry: MockConfigEntry,
    activity: Activity,
) -> None:
    """A port opens or closes between two answers that are certain, not by the first."""
    address.add_port(61001)
    await set_up(hass, entry)
    await later(hass, seconds=31)
    assert state_of(hass, REACHABLE) == "off"
    assert await activity.told() == []

    # Unknown, and then as it was
    provider.fail(CHECK, Fault.status(500))
    await later(hass, minutes=16)
    assert state_of(hass, REACHABLE) == "unknown"
    await later(hass, minutes=16)
    await later(hass, seconds=31)
    assert state_of(hass, REACHABLE) == "off"
    assert await activity.told() == []

    # Unknown, and then otherwise
    provider.fail(CHECK, Fault.status(500))
    await later(hass, minutes=16)
    await provider.listen(EXIT_IP, 61001)
    assert await activity.told() == []
    await later(hass, minutes=16)
    assert await activity.in_short() == [("opened", 61001)]

    # A check that is asked for counts as well
    await provider.stop_listening(EXIT_IP, 61001)
    for _ in range(2):
        await press(hass, "button.home_port_61001_check")
    assert await activity.told() == []
    await later(hass, seconds=31)
    assert await activity.in_short() == [("closed", 61001)]


@pytest.mark.parametrize("way", ["proxy closed", "provider fails", "refused"])
async def test_outage(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    tunnel: Tunnel,
    with_port: MockConfigEntry,
    activity: Activity,
    way: str,
) -> None:
    """An outage says nothing of ports, and its end repeats nothing."""
    await activity.told()
    address.add_port(61002)
    await later(hass, minutes=6)
    assert await activity.in_short() == [("created", 61002)]
    before = hass.states.get(ACTIVITY)
    for _ in range(2):
        if way == "proxy closed":
            await tunnel.close()
        else:
            status = 500 if way == "provider fails" else 403
            provider.fail(PORTS, Fault.status(status), times=99)
        for _ in range(4):
            await later(hass, minutes=6)
            assert hass.states.get(ACTIVITY) is before
        await tunnel.open()
        provider.faults.clear()
        await later(hass, minutes=6)
        assert state_of(hass, TUNNEL) == "on"
        assert hass.states.get(ACTIVITY) is before
    assert await activity.told() == []


async def test_many(
    hass: HomeAssistant,
    address: Address,
    entry: MockConfigEntry,
    activity: Activity,
) -> None:
    """Several things that happen at once are told one by one."""
    await set_up(hass, entry)
    numbers = list(range(61001, 61011))
    for number in numbers:
        address.add_port(number)
    await later(hass, minutes=6)
    assert await activity.in_short() == [("created", number) for number in numbers]
    await later(hass, seconds=31)


async def test_reused_number(
    hass: HomeAssistant,
    address: Address,
    entry: MockConfigEntry,
    activity: Activity,
) -> None:
    """A number that comes back is a new port, with its own end."""
    address.add_port(61001, expires_at=within(days=1))
    await set_up(hass, entry)
    await run(hass, entry, "delete_port", port=61001)
    address.add_port(61001, expires_at=within(days=2))
    await later(hass, minutes=6)
    assert await activity.in_short() == [
        ("removed", 61001),
        ("created", 61001),
        ("expiring", 61001),
    ]
