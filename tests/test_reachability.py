"""Whether forwarded ports answer from outside is found out with some patience."""

from collections.abc import AsyncIterator
from datetime import timedelta

from homeassistant.const import EVENT_STATE_CHANGED
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_capture_events,
    async_fire_time_changed,
)

from custom_components.azirevpn.const import DOMAIN
from tests.conftest import (
    CHECK,
    CONNECTION_ID,
    EXIT_IP,
    OTHER_EXIT_IP,
    PORTS,
    HeldAnswer,
    add_connection,
    asked,
    later,
    press,
    settled,
    state_of,
)
from tests.fake_provider import Account, Address, FakeProvider, Fault, Tunnel

REACHABLE = "binary_sensor.home_port_61001_reachable"
PUBLIC_IP = "sensor.home_public_ip"


@pytest.fixture
async def closed(
    hass: HomeAssistant, address: Address, entry: MockConfigEntry
) -> AsyncIterator[MockConfigEntry]:
    """Return the account, set up with a port that nobody listens on."""
    address.add_port(61001)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await settled(hass)
    yield entry
    await hass.config_entries.async_unload(entry.entry_id)


@pytest.fixture
async def opened(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    entry: MockConfigEntry,
) -> AsyncIterator[MockConfigEntry]:
    """Return the account, set up with a port that somebody listens on."""
    address.add_port(61001)
    await provider.listen(EXIT_IP, 61001)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await settled(hass)
    assert state_of(hass, REACHABLE) == "on"
    yield entry
    await hass.config_entries.async_unload(entry.entry_id)


async def test_open(
    hass: HomeAssistant, provider: FakeProvider, opened: MockConfigEntry
) -> None:
    """A port that answers is reachable after one check, without the token."""
    [check] = asked(provider, CHECK)
    assert check.path == f"{CHECK}61001"
    assert "Authorization" not in check.headers
    assert check.remote == EXIT_IP
    assert state_of(hass, PUBLIC_IP) == EXIT_IP


async def test_closed(
    hass: HomeAssistant, provider: FakeProvider, closed: MockConfigEntry
) -> None:
    """A port is closed when it does not answer a second look either."""
    assert state_of(hass, REACHABLE) == "unknown"
    await later(hass, seconds=29)
    assert len(asked(provider, CHECK)) == 1
    await later(hass, seconds=31)
    assert len(asked(provider, CHECK)) == 2
    assert state_of(hass, REACHABLE) == "off"
    assert state_of(hass, PUBLIC_IP) == EXIT_IP

    # What is known as closed needs no second look
    await later(hass, minutes=16)
    await later(hass, seconds=31)
    assert len(asked(provider, CHECK)) == 3
    assert state_of(hass, REACHABLE) == "off"
    await provider.listen(EXIT_IP, 61001)
    await later(hass, minutes=16)
    assert state_of(hass, REACHABLE) == "on"


async def test_closes(
    hass: HomeAssistant, provider: FakeProvider, opened: MockConfigEntry
) -> None:
    """An open port is closed half a minute after the check that found it so."""
    await provider.stop_listening(EXIT_IP, 61001)
    await later(hass, minutes=14)
    assert len(asked(provider, CHECK)) == 1
    await later(hass, minutes=16)
    assert len(asked(provider, CHECK)) == 2
    assert state_of(hass, REACHABLE) == "on"
    await later(hass, seconds=31)
    assert state_of(hass, REACHABLE) == "off"


async def test_blink(
    hass: HomeAssistant, provider: FakeProvider, opened: MockConfigEntry
) -> None:
    """A port that is open again at the second look never was closed."""
    changes = async_capture_events(hass, EVENT_STATE_CHANGED)
    await provider.stop_listening(EXIT_IP, 61001)
    await later(hass, minutes=16)
    await provider.listen(EXIT_IP, 61001)
    await later(hass, seconds=31)
    assert len(asked(provider, CHECK)) == 3
    assert not [change for change in changes if change.data["entity_id"] == REACHABLE]


@pytest.mark.parametrize(
    "fault",
    [
        Fault.status(429, headers={"Retry-After": "0"}),
        Fault.status(500),
        Fault.status(401),
        Fault.reset(),
        Fault.not_json(),
        Fault.wrong_shape(),
    ],
    ids=lambda fault: fault.name,
)
async def test_failed_check(
    hass: HomeAssistant, provider: FakeProvider, opened: MockConfigEntry, fault: Fault
) -> None:
    """A check that failed says nothing, neither that a port is open nor closed."""
    provider.fail(CHECK, fault, times=2)
    await later(hass, minutes=16)
    assert state_of(hass, REACHABLE) == "unknown"
    provider.faults.clear()
    await later(hass, minutes=16)
    assert state_of(hass, REACHABLE) == "on"


async def test_check_without_answer(
    hass: HomeAssistant, provider: FakeProvider, opened: MockConfigEntry
) -> None:
    """A check that takes too long says nothing."""
    held = HeldAnswer()
    provider.fail(CHECK, held.fault)
    check = hass.async_create_task(
        hass.services.async_call(
            DOMAIN,
            "check_port",
            {
                "device_id": opened.runtime_data.connections[CONNECTION_ID].device_id,
                "port": 61001,
            },
            blocking=True,
            return_response=True,
        )
    )
    await held.ready.wait()
    assert state_of(hass, REACHABLE) == "on"
    async_fire_time_changed(hass, dt_util.utcnow() + timedelta(seconds=11))
    with pytest.raises(HomeAssistantError, match="could not be reached"):
        await check
    assert state_of(hass, REACHABLE) == "unknown"
    held.release.set()


@pytest.mark.parametrize("known", ["open", "unknown"])
async def test_failed_second_look(
    hass: HomeAssistant,
    provider: FakeProvider,
    opened: MockConfigEntry,
    known: str,
) -> None:
    """A second look that fails leaves open whether the port is closed."""
    if known == "unknown":
        provider.fail(CHECK, Fault.status(500))
        await later(hass, minutes=16)
    await provider.stop_listening(EXIT_IP, 61001)
    await later(hass, minutes=16)
    provider.fail(CHECK, Fault.status(500))
    await later(hass, seconds=31)
    assert state_of(hass, REACHABLE) == "unknown"


@pytest.mark.parametrize("way", ["proxy closed", "provider says so"])
async def test_tunnel_down_before_second_look(
    hass: HomeAssistant,
    provider: FakeProvider,
    tunnel: Tunnel,
    opened: MockConfigEntry,
    way: str,
) -> None:
    """Without its tunnel a port is unknown, and not asked for elsewhere."""
    await provider.stop_listening(EXIT_IP, 61001)
    await later(hass, minutes=16)
    if way == "proxy closed":
        await tunnel.close()
    else:
        provider.fail(PORTS, Fault.status(403), times=2)
    before = len(asked(provider, CHECK))
    await later(hass, seconds=31)
    assert state_of(hass, "binary_sensor.home_tunnel") == "off"
    assert state_of(hass, REACHABLE) == "unknown"
    await later(hass, minutes=16)
    assert len(asked(provider, CHECK)) == before

    await provider.listen(EXIT_IP, 61001)
    await tunnel.open()
    await later(hass, minutes=6)
    assert state_of(hass, REACHABLE) == "on"


async def test_open_before_second_look(
    hass: HomeAssistant, provider: FakeProvider, opened: MockConfigEntry
) -> None:
    """A port that is found open meanwhile needs no second look."""
    await provider.stop_listening(EXIT_IP, 61001)
    await later(hass, minutes=16)
    await provider.listen(EXIT_IP, 61001)
    await press(hass, "button.home_port_61001_check")
    checks = len(asked(provider, CHECK))
    await later(hass, seconds=31)
    assert len(asked(provider, CHECK)) == checks
    assert state_of(hass, REACHABLE) == "on"


async def test_gone_before_second_look(
    hass: HomeAssistant, address: Address, closed: MockConfigEntry
) -> None:
    """A port that went meanwhile stays gone."""
    del address.ports[61001]
    await later(hass, seconds=31)
    assert state_of(hass, REACHABLE) is None
    assert state_of(hass, "sensor.home_forwarded_ports") == "0"


async def test_unloaded_before_second_look(
    hass: HomeAssistant, provider: FakeProvider, closed: MockConfigEntry
) -> None:
    """Nothing is checked for an account that is not loaded."""
    assert await hass.config_entries.async_unload(closed.entry_id)
    await later(hass, minutes=16)
    assert len(asked(provider, CHECK)) == 1
    assert await hass.config_entries.async_setup(closed.entry_id)


async def test_new_port(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    opened: MockConfigEntry,
) -> None:
    """A port is checked as soon as it appears, and those that were known are not."""
    address.add_port(61002)
    await provider.listen(EXIT_IP, 61002)
    await later(hass, minutes=6)
    assert state_of(hass, "binary_sensor.home_port_61002_reachable") == "on"
    assert [check.path for check in asked(provider, CHECK)] == [
        f"{CHECK}61001",
        f"{CHECK}61002",
    ]


async def test_few_at_a_time(
    hass: HomeAssistant,
    provider: FakeProvider,
    account: Account,
    address: Address,
    tunnel: Tunnel,
    entry: MockConfigEntry,
) -> None:
    """An account has three checks under way at most, all connections together."""
    away = account.add_address("10.0.131.177")
    for port in (61001, 61002):
        address.add_port(port)
    for port in (61003, 61004, 61005):
        away.add_port(port)
    add_connection(hass, entry, away.internal_ipv4, tunnel.url)
    provider.fail(CHECK, Fault.stall(0.3), times=3)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await settled(hass)
    times = sorted(check.time for check in asked(provider, CHECK))
    assert len(times) == 5
    assert times[2] - times[0] < 0.25
    assert times[3] - times[0] > 0.29
    assert await hass.config_entries.async_unload(entry.entry_id)


async def test_other_exit(
    hass: HomeAssistant, provider: FakeProvider, tunnel: Tunnel, opened: MockConfigEntry
) -> None:
    """The public address is the one that the last check went to."""
    await tunnel.close()
    tunnel.exit_ip = OTHER_EXIT_IP
    await provider.listen(OTHER_EXIT_IP, 61001)
    await tunnel.open()
    await later(hass, minutes=16)
    assert state_of(hass, PUBLIC_IP) == OTHER_EXIT_IP
    assert state_of(hass, REACHABLE) == "on"


async def test_outage_of_lists(
    hass: HomeAssistant, provider: FakeProvider, opened: MockConfigEntry
) -> None:
    """After an outage of the provider, the ports are checked at once."""
    provider.fail(PORTS, Fault.status(500))
    await later(hass, minutes=6)
    assert state_of(hass, REACHABLE) == "unavailable"
    await provider.stop_listening(EXIT_IP, 61001)
    await later(hass, minutes=6)
    await later(hass, seconds=31)
    assert state_of(hass, REACHABLE) == "off"
