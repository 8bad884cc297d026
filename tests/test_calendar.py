"""The calendar shows when the subscription and the ports of an account expire."""

from datetime import UTC, datetime, timedelta
from typing import Any

from homeassistant.core import HomeAssistant, ServiceCall, callback
from homeassistant.helpers import device_registry as dr
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.azirevpn.const import DOMAIN
from tests.conftest import CONNECTION_ID, add_connection, settled
from tests.fake_provider import Account, Address, FakeProvider, Tunnel
from tests.owner import MORNING, Owner, in_days

CALENDAR = "calendar.ada_expiries"


def at(days: float) -> str:
    """Return a moment so many days after the morning, as the calendar tells it."""
    return datetime.fromtimestamp(in_days(days), UTC).isoformat()


async def events(
    hass: HomeAssistant, start: float = 0, end: float = 400
) -> list[dict[str, Any]]:
    """Return the events between two moments, in days after the morning."""
    answer: Any = await hass.services.async_call(
        "calendar",
        "get_events",
        {
            "entity_id": CALENDAR,
            "start_date_time": MORNING + timedelta(days=start),
            "end_date_time": MORNING + timedelta(days=end),
        },
        blocking=True,
        return_response=True,
    )
    found: list[dict[str, Any]] = answer[CALENDAR]["events"]
    return found


async def summaries(
    hass: HomeAssistant, start: float = 0, end: float = 400
) -> list[str]:
    """Return what the events between two moments are called."""
    return [event["summary"] for event in await events(hass, start, end)]


def shown(hass: HomeAssistant) -> tuple[str, str | None]:
    """Return the calendar's state, and what is next in it."""
    state = hass.states.get(CALENDAR)
    assert state is not None
    return state.state, state.attributes.get("message")


async def test_events(
    hass: HomeAssistant,
    owner: Owner,
    account: Account,
    address: Address,
    watched: MockConfigEntry,
) -> None:
    """Everything that expires is an event, in its order, a quarter of an hour long."""
    account.expires_at = in_days(20)
    address.add_port(61001, expires_at=in_days(30))
    address.add_port(61002, expires_at=in_days(10))
    address.add_port(61003)
    await owner.wait(hours=1.1)
    found = await events(hass)
    assert [(event["summary"], event["start"]) for event in found] == [
        ("Port expires: 61002 (Home)", at(10)),
        ("Subscription ends: ada", at(20)),
        ("Port expires: 61001 (Home)", at(30)),
    ]
    for event in found:
        assert datetime.fromisoformat(event["end"]) - datetime.fromisoformat(
            event["start"]
        ) == timedelta(minutes=15)


QUARTER = 15 / (24 * 60)


@pytest.mark.parametrize(
    ("start", "end", "is_in"),
    [
        (0, 400, True),
        (10, 11, True),
        (9, 10, False),
        (9, 10 + QUARTER, True),
        (10 + QUARTER / 3, 11, True),
        (10 + QUARTER, 11, False),
    ],
)
async def test_range(
    hass: HomeAssistant,
    owner: Owner,
    account: Account,
    watched: MockConfigEntry,
    start: float,
    end: float,
    *,
    is_in: bool,
) -> None:
    """Only what lies within the range is shown, its very end not included."""
    account.expires_at = in_days(10)
    await owner.wait(hours=1.1)
    assert bool(await summaries(hass, start, end)) is is_in


async def test_next(
    hass: HomeAssistant,
    owner: Owner,
    account: Account,
    address: Address,
    watched: MockConfigEntry,
) -> None:
    """The next expiry is told, is on for a while, and gives way to the one after."""
    account.expires_at = in_days(1)
    address.add_port(61001, expires_at=in_days(2))
    await owner.wait(hours=1.1)
    assert shown(hass) == ("off", "Subscription ends: ada")
    await owner.wait(hours=22.9)
    assert shown(hass) == ("on", "Subscription ends: ada")
    await owner.wait(minutes=16)
    assert shown(hass) == ("off", "Port expires: 61001 (Home)")
    # A port that expired is gone, a subscription that ended is only past
    await owner.wait(days=1)
    assert shown(hass) == ("off", None)
    assert await summaries(hass) == ["Subscription ends: ada"]


async def test_no_end(
    hass: HomeAssistant,
    owner: Owner,
    account: Account,
    address: Address,
    watched: MockConfigEntry,
) -> None:
    """What has no end is no event."""
    account.expires_at = None
    address.add_port(61001)
    await owner.wait(hours=1.1)
    assert await events(hass) == []
    assert shown(hass) == ("off", None)


async def test_hidden_port(
    hass: HomeAssistant,
    owner: Owner,
    address: Address,
    watched: MockConfigEntry,
) -> None:
    """A hidden port expires, too."""
    address.add_port(61001, expires_at=in_days(10))
    await owner.wait(minutes=6)
    device = dr.async_get(hass).async_get_device_by_identifier(
        (DOMAIN, CONNECTION_ID), watched.entry_id
    )
    assert device is not None
    await hass.services.async_call(
        DOMAIN, "hide_port", {"device_id": device.id, "port": 61001}, blocking=True
    )
    await owner.wait(minutes=6)
    assert address.ports[61001].hidden
    assert await summaries(hass, end=300) == ["Port expires: 61001 (Home)"]


async def test_all_connections(
    hass: HomeAssistant,
    owner: Owner,
    account: Account,
    address: Address,
    tunnel: Tunnel,
    watched: MockConfigEntry,
) -> None:
    """The ports of every connection are shown, and changes at once."""
    away = account.add_address("10.0.131.177")
    add_connection(hass, watched, away.internal_ipv4, tunnel.url)
    await settled(hass)
    address.add_port(61001, expires_at=in_days(10))
    away.add_port(61002, expires_at=in_days(5))
    await owner.wait(minutes=6)
    assert await summaries(hass, end=300) == [
        "Port expires: 61002 (Away)",
        "Port expires: 61001 (Home)",
    ]
    del away.ports[61002]
    await owner.wait(minutes=6)
    assert shown(hass) == ("off", "Port expires: 61001 (Home)")


async def test_tunnel_down(
    hass: HomeAssistant,
    owner: Owner,
    address: Address,
    tunnel: Tunnel,
    watched: MockConfigEntry,
) -> None:
    """A port expires whether its tunnel is up or not."""
    address.add_port(61001, expires_at=in_days(10))
    await owner.wait(minutes=6)
    await tunnel.close()
    await owner.wait(minutes=6)
    assert await summaries(hass, end=300) == ["Port expires: 61001 (Home)"]


async def test_provider_down(
    hass: HomeAssistant,
    owner: Owner,
    provider: FakeProvider,
    watched: MockConfigEntry,
) -> None:
    """An outage makes the calendar unavailable."""
    await provider.stop()
    await owner.wait(hours=1.1)
    assert shown(hass) == ("unavailable", None)


@pytest.mark.parametrize("what", ["subscription", "port"])
async def test_automation_beforehand(
    hass: HomeAssistant,
    owner: Owner,
    account: Account,
    address: Address,
    watched: MockConfigEntry,
    what: str,
) -> None:
    """An automation runs a day before something expires, and once."""
    if what == "subscription":
        account.expires_at = in_days(3)
    else:
        address.add_port(61001, expires_at=in_days(3))
    await owner.wait(hours=1.1)
    told = []

    @callback
    def tell(call: ServiceCall) -> None:
        told.append(call.data["message"])

    hass.services.async_register("notify", "owner", tell)
    assert await async_setup_component(
        hass,
        "automation",
        {
            "automation": {
                "triggers": {
                    "trigger": "calendar",
                    "entity_id": CALENDAR,
                    "event": "start",
                    "offset": "-24:00:00",
                },
                "actions": {
                    "action": "notify.owner",
                    "data": {"message": "{{ trigger.calendar_event.summary }}"},
                },
            }
        },
    )
    await settled(hass)
    quarters = timedelta(days=2) // timedelta(minutes=15)
    for _ in range(quarters - 5):
        await owner.wait(minutes=15)
    assert told == []
    expected = {
        "subscription": "Subscription ends: ada",
        "port": "Port expires: 61001 (Home)",
    }
    for _ in range(10):
        await owner.wait(minutes=15)
    assert told == [expected[what]]
    for _ in range(97):
        await owner.wait(minutes=15)
    assert told == [expected[what]]
    await hass.services.async_call(
        "automation", "turn_off", {"entity_id": "all"}, blocking=True
    )
