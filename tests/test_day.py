"""A day in the life of a connection: what its owner sees, and what the provider is asked."""

from collections import Counter
from datetime import UTC, datetime, timedelta

from freezegun.api import FrozenDateTimeFactory
from homeassistant.core import Event, EventStateChangedData, HomeAssistant, callback
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers.event import async_track_state_change_event
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_fire_time_changed,
)

from custom_components.azirevpn.const import DOMAIN
from tests.conftest import CONNECTION_ID, EXIT_IP, settled, state_of
from tests.fake_provider import Address, FakeProvider, Tunnel

ACTIVITY = "event.home_port_activity"
# A second more than five minutes: every step has exactly one poll of the ports, and
# every third one a round of checks.
STEP = timedelta(seconds=301)
MORNING = datetime(2026, 11, 21, 6, tzinfo=UTC)

LIST = "GET /v3/portforwardings"
CREATE = "POST /v3/portforwardings"
HIDE = "PUT /v3/portforwardings"
ACCOUNT = "GET /v3/users/me"


class Day:
    """Lets time pass, and notes what happens and what is asked meanwhile."""

    def __init__(
        self,
        hass: HomeAssistant,
        freezer: FrozenDateTimeFactory,
        provider: FakeProvider,
    ) -> None:
        self._hass = hass
        self._freezer = freezer
        self._provider = provider
        self._events: list[tuple[str, int, str | None]] = []
        async_track_state_change_event(hass, [ACTIVITY], self._note)

    @callback
    def _note(self, event: Event[EventStateChangedData]) -> None:
        """Note an event as its listeners get it; an entity that comes back is none."""
        old, new = event.data["old_state"], event.data["new_state"]
        if new and old and old.state != "unavailable" and new.state != "unavailable":
            self._events.append(
                (
                    new.attributes["event_type"],
                    new.attributes["port"],
                    new.attributes.get("reason"),
                )
            )

    async def steps(self, count: int) -> None:
        """Let as many polls pass."""
        for _ in range(count):
            await self._pass(STEP)

    async def half_a_minute(self) -> None:
        """Let the time to a second look pass."""
        await self._pass(timedelta(seconds=31))

    async def _pass(self, time: timedelta) -> None:
        self._freezer.tick(time)
        async_fire_time_changed(self._hass)
        await settled(self._hass)

    def happened(self) -> list[tuple[str, int, str | None]]:
        """Return the events since the last call: type, port and reason."""
        events, self._events = self._events, []
        return events

    def asked(self) -> Counter[str]:
        """Return how often the provider was asked what since the last call."""
        asked = Counter(
            f"{request.method} {request.path}" for request in self._provider.requests
        )
        self._provider.requests.clear()
        return asked


@pytest.fixture
def day(
    hass: HomeAssistant, freezer: FrozenDateTimeFactory, provider: FakeProvider
) -> Day:
    """Begin a day."""
    freezer.move_to(MORNING)
    return Day(hass, freezer, provider)


async def act(hass: HomeAssistant, action: str, **data: object) -> int:
    """Call an action on the connection; return the port that it answers with."""
    device = next(
        device
        for device in dr.async_entries_for_config_entry(
            dr.async_get(hass), hass.config_entries.async_entries(DOMAIN)[0].entry_id
        )
        if (DOMAIN, CONNECTION_ID) in device.identifiers
    )
    answer = await hass.services.async_call(
        DOMAIN,
        action,
        {"device_id": device.id, **data},
        blocking=True,
        return_response=True,
    )
    await settled(hass)
    assert answer is not None
    port = answer["port"]
    assert isinstance(port, int)
    return port


async def test_a_day(
    hass: HomeAssistant,
    day: Day,
    provider: FakeProvider,
    address: Address,
    tunnel: Tunnel,
    entry: MockConfigEntry,
) -> None:
    """Everything that can happen to ports happens, and is told once."""
    # Nothing is forwarded yet
    await hass.config_entries.async_setup(entry.entry_id)
    await settled(hass)
    assert state_of(hass, "binary_sensor.home_tunnel") == "on"
    assert state_of(hass, "sensor.home_forwarded_ports") == "0"
    assert day.happened() == []
    assert day.asked() == {ACCOUNT: 1, LIST: 1}

    # Create: known at once, and found closed without a word, as nobody listens yet
    port = await act(hass, "create_port", expires_in=30)
    reachable = f"binary_sensor.home_port_{port}_reachable"
    check = f"GET /v3/portforwardings/check/{port}"
    assert state_of(hass, reachable) == "unknown"
    await day.half_a_minute()
    assert state_of(hass, reachable) == "off"
    assert state_of(hass, "sensor.home_public_ip") == EXIT_IP
    assert day.happened() == [("created", port, "requested")]
    assert day.asked() == {CREATE: 1, check: 2, LIST: 1}

    # Open: told by the next round of checks
    await provider.listen(EXIT_IP, port)
    await day.steps(3)
    assert state_of(hass, reachable) == "on"
    assert day.happened() == [("opened", port, None)]
    assert day.asked() == {LIST: 3, check: 1}

    # Closed for a moment: back before the second look
    await provider.stop_listening(EXIT_IP, port)
    await day.steps(3)
    assert state_of(hass, reachable) == "on"
    await provider.listen(EXIT_IP, port)
    await day.half_a_minute()
    assert state_of(hass, reachable) == "on"
    assert day.happened() == []
    assert day.asked() == {LIST: 4, check: 2}

    # Closed for good: told once, however often it is found so
    await provider.stop_listening(EXIT_IP, port)
    await day.steps(3)
    await day.half_a_minute()
    assert state_of(hass, reachable) == "off"
    assert day.happened() == [("closed", port, None)]
    assert day.asked() == {LIST: 4, check: 2}
    await day.steps(6)
    assert day.happened() == []
    assert day.asked() == {LIST: 6, check: 2, ACCOUNT: 1}
    await provider.listen(EXIT_IP, port)
    await day.steps(3)
    assert state_of(hass, reachable) == "on"
    assert day.happened() == [("opened", port, None)]
    assert day.asked() == {LIST: 3, check: 1}

    # The tunnel is down for 20 minutes: nothing is told of ports, nothing is checked
    await tunnel.close()
    await day.steps(4)
    assert state_of(hass, "binary_sensor.home_tunnel") == "off"
    assert state_of(hass, "sensor.home_forwarded_ports") == "unavailable"
    assert state_of(hass, reachable) == "unknown"
    await tunnel.open()
    await day.steps(1)
    assert state_of(hass, "binary_sensor.home_tunnel") == "on"
    assert state_of(hass, "sensor.home_forwarded_ports") == "1"
    assert state_of(hass, reachable) == "on"
    assert day.happened() == []
    # What went to the closed tunnel never arrived
    assert day.asked() == {LIST: 1, check: 1}

    # Hide: the device and its entities stay
    await act(hass, "hide_port", port=port)
    await day.steps(1)
    assert state_of(hass, reachable) == "on"
    assert state_of(hass, "sensor.home_forwarded_ports") == "1"
    assert day.happened() == [("hidden", port, "requested")]
    assert day.asked() == {HIDE: 1, LIST: 1, check: 1, ACCOUNT: 1}

    # Restart: the hidden port is remembered, and nothing is told again
    assert await hass.config_entries.async_unload(entry.entry_id)
    assert state_of(hass, reachable) == "unavailable"
    assert await hass.config_entries.async_setup(entry.entry_id)
    await settled(hass)
    assert state_of(hass, reachable) == "on"
    assert state_of(hass, f"sensor.home_port_{port}_port") == str(port)
    assert day.happened() == []
    assert day.asked() == {ACCOUNT: 1, LIST: 1, check: 1}

    # A port appears from elsewhere
    elsewhere = address.add_port(
        expires_at=int((MORNING + timedelta(days=20)).timestamp())
    ).port
    await day.steps(1)
    assert state_of(hass, "sensor.home_forwarded_ports") == "2"
    assert day.happened() == [("created", elsewhere, "noticed")]

    # A short-lived one is close to its end from the start, and ends a day later
    brief = await act(hass, "create_port", expires_in=1)
    assert day.happened() == [
        ("created", brief, "requested"),
        ("expiring", brief, None),
    ]
    assert state_of(hass, "sensor.home_next_port_expiry") == state_of(
        hass, f"sensor.home_port_{brief}_port_expiry"
    )
    await day.steps(287)
    assert state_of(hass, f"sensor.home_port_{brief}_port") == str(brief)
    assert day.happened() == []
    await day.steps(1)
    assert state_of(hass, f"sensor.home_port_{brief}_port") is None
    assert day.happened() == [("expired", brief, None)]
    day.asked()

    # The server changes and loses all ports; what was hidden can't be told
    address.ports.clear()
    await provider.stop_listening(EXIT_IP, port)
    await day.steps(1)
    assert state_of(hass, f"sensor.home_port_{elsewhere}_port") is None
    assert state_of(hass, "sensor.home_forwarded_ports") == "1"
    assert day.happened() == [("removed", elsewhere, "noticed")]
    assert day.asked()[LIST] == 1
