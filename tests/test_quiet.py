"""Nothing is written where nothing changed, and nobody is asked more than needed."""

from collections import Counter
from datetime import timedelta

from freezegun.api import FrozenDateTimeFactory
from homeassistant.const import EVENT_STATE_CHANGED, EVENT_STATE_REPORTED
from homeassistant.core import (
    Event,
    EventStateChangedData,
    EventStateReportedData,
    HomeAssistant,
    callback,
)
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_fire_time_changed,
)

from custom_components.azirevpn import reachability
from tests.conftest import (
    CHECK,
    EXIT_IP,
    ME,
    PORTS,
    add_connection,
    asked,
    later,
    press,
    settled,
    state_of,
)
from tests.fake_provider import Account, Address, FakeProvider, Tunnel
from tests.test_ports import COUNT

NUMBERS = range(61001, 61026)
# A second more than five minutes, so that every step has one poll of the ports
STEP = timedelta(seconds=301)


@pytest.fixture
async def busy(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    tunnel: Tunnel,
    entry: MockConfigEntry,
) -> MockConfigEntry:
    """Return the account, set up with 25 ports that are open."""
    provider.max_ports = len(NUMBERS)
    provider.rate_limit = 10_000
    for number in NUMBERS:
        address.add_port(number, expires_at=1_900_000_000)
        await provider.listen(tunnel.exit_ip, number)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await settled(hass)
    await later(hass, seconds=6)
    assert state_of(hass, COUNT) == "25"
    return entry


def written(hass: HomeAssistant) -> list[str]:
    """Return a list that will hold the ids of entities whose state is written."""
    entity_ids: list[str] = []

    @callback
    def changed(event: Event[EventStateChangedData]) -> None:
        entity_ids.append(event.data["entity_id"])

    @callback
    def reported(event: Event[EventStateReportedData]) -> None:
        entity_ids.append(event.data["entity_id"])

    @callback
    def every(_data: object) -> bool:
        return True

    hass.bus.async_listen(EVENT_STATE_CHANGED, changed)
    # Written as it was; Home Assistant wants a filter for so frequent an event
    hass.bus.async_listen(EVENT_STATE_REPORTED, reported, event_filter=every)
    return entity_ids


async def passes(
    hass: HomeAssistant, freezer: FrozenDateTimeFactory, steps: int
) -> None:
    """Let as many polls of the ports pass."""
    for _ in range(steps):
        freezer.tick(STEP)
        async_fire_time_changed(hass)
        await settled(hass)


async def test_nothing_changed(
    hass: HomeAssistant, address: Address, busy: MockConfigEntry
) -> None:
    """Polls and checks that find everything as it was write no state at all."""
    entity_ids = written(hass)
    for _ in range(10):
        await later(hass, minutes=6)
    for _ in range(2):
        await later(hass, minutes=16)
    await later(hass, minutes=61)
    assert not entity_ids

    # It isn't that nobody looks
    del address.ports[61025]
    await later(hass, minutes=6)
    assert COUNT in entity_ids


async def test_requests_of_an_hour(
    hass: HomeAssistant,
    freezer: FrozenDateTimeFactory,
    provider: FakeProvider,
    account: Account,
    address: Address,
    tunnel: Tunnel,
    entry: MockConfigEntry,
) -> None:
    """An hour is one read of the account, twelve lists a connection, four checks a port."""
    account.add_address("10.0.131.177").add_port(61003)
    add_connection(hass, entry, "10.0.131.177", tunnel.url)
    for number in (61001, 61002, 61003):
        await provider.listen(EXIT_IP, number)
    address.add_port(61001)
    address.add_port(61002)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await settled(hass)
    assert Counter(request.path for request in provider.requests) == {
        ME: 1,
        PORTS: 2,
        **{f"{CHECK}{number}": 1 for number in (61001, 61002, 61003)},
    }
    provider.requests.clear()
    await passes(hass, freezer, 12)
    assert Counter(request.path for request in provider.requests) == {
        ME: 1,
        PORTS: 2 * 12,
        **{f"{CHECK}{number}": 4 for number in (61001, 61002, 61003)},
    }
    assert {request.method for request in provider.requests} == {"GET"}


async def test_second_looks(
    hass: HomeAssistant, provider: FakeProvider, tunnel: Tunnel, busy: MockConfigEntry
) -> None:
    """Before the second looks of many ports, one list tells that the tunnel is up."""
    for number in NUMBERS:
        await provider.stop_listening(tunnel.exit_ip, number)
    provider.requests.clear()
    await press(hass, "button.home_check_ports")
    assert len(asked(provider, CHECK)) == len(NUMBERS)
    assert not asked(provider, PORTS)
    await later(hass, seconds=31)
    assert len(asked(provider, CHECK)) == 2 * len(NUMBERS)
    assert len(asked(provider, PORTS)) == 1
    assert {
        state_of(hass, f"binary_sensor.home_port_{number}_reachable")
        for number in NUMBERS
    } == {"off"}


async def test_half_of_the_rate_limit(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    tunnel: Tunnel,
    entry: MockConfigEntry,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In no window of time are there more checks than half the rate limit."""
    window = 0.4
    monkeypatch.setattr(reachability, "RATE_LIMIT_WINDOW", window)
    provider.rate_limit = 8
    for number in NUMBERS[:10]:
        address.add_port(number)
        await provider.listen(tunnel.exit_ip, number)
    # The provider's own window is a minute, so it would refuse the ninth
    monkeypatch.setattr("tests.fake_provider.limits.WINDOW", window)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await settled(hass)
    times = [check.time for check in asked(provider, CHECK)]
    assert len(times) == 10
    # Four to a window; some arrive later than others after they were sent
    for first, fifth in zip(times, times[4:], strict=False):
        assert fifth - first > window * 0.5
    assert {
        state_of(hass, f"binary_sensor.home_port_{number}_reachable")
        for number in NUMBERS[:10]
    } == {"on"}


@pytest.mark.parametrize("limit", [1, 2])
async def test_small_rate_limit(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    entry: MockConfigEntry,
    monkeypatch: pytest.MonkeyPatch,
    limit: int,
) -> None:
    """However small the rate limit, one check at a time is made."""
    monkeypatch.setattr(reachability, "RATE_LIMIT_WINDOW", 0.4)
    address.add_port(61001)
    address.add_port(61002)
    provider.rate_limit = limit
    monkeypatch.setattr("tests.fake_provider.limits.WINDOW", 0)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await settled(hass)
    first, second = (check.time for check in asked(provider, CHECK))
    assert second - first > 0.2
    assert await hass.config_entries.async_unload(entry.entry_id)
