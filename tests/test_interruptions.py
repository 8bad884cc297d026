"""Nothing is lost when something else happens in the middle of a change."""

import asyncio
from datetime import timedelta

from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.setup import async_setup_component
from homeassistant.util.dt import utcnow
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from pytest_homeassistant_custom_component.typing import WebSocketGenerator

from custom_components.azirevpn.const import (
    CONF_CHECK_PORTS,
    CONF_PORT_WARNING_DAYS,
    DOMAIN,
)
from tests.conftest import (
    CHECK,
    EXIT_IP,
    ME,
    PORTS,
    Activity,
    HeldAnswer,
    asked,
    later,
    settled,
    state_of,
)
from tests.fake_provider import Account, Address, FakeProvider, Fault
from tests.test_connection_change import change
from tests.test_services import act, run

REACHABLE = "binary_sensor.home_port_61001_reachable"


async def test_reload_during_hidden_creation(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    loaded: MockConfigEntry,
) -> None:
    """A hidden port that is being created while the account reloads is remembered."""
    held = HeldAnswer()
    provider.fail(PORTS, held.fault, method="POST")
    created = hass.async_create_task(act(hass, loaded, "create_port", hidden=True))
    await held.ready.wait()
    reloaded = hass.async_create_task(hass.config_entries.async_reload(loaded.entry_id))
    await asyncio.sleep(0.05)
    held.release.set()
    port = (await created)["port"]
    await reloaded
    await settled(hass)
    assert port in address.ports
    assert state_of(hass, f"sensor.home_port_{port}_port") == str(port)


async def test_cancelled_hide(
    hass: HomeAssistant, provider: FakeProvider, with_port: MockConfigEntry
) -> None:
    """A port that is being hidden when its script is stopped stays known."""
    held = HeldAnswer()
    provider.fail(PORTS, held.fault, method="PUT")
    hiding = asyncio.create_task(run(hass, with_port, "hide_port", port=61001))
    await held.ready.wait()
    hiding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hiding
    held.release.set()
    await later(hass, minutes=6)
    assert state_of(hass, "sensor.home_port_61001_port") == "61001"


async def test_another_address(
    hass: HomeAssistant,
    account: Account,
    address: Address,
    activity: Activity,
    with_port: MockConfigEntry,
) -> None:
    """What is forwarded to another address is no news; a hidden port lives on."""
    address.add_port(61002)
    await run(hass, with_port, "list_ports")
    await run(hass, with_port, "hide_port", port=61001)
    await activity.told()
    other = account.add_address("10.0.7.7")
    other.add_port(61003)
    await change(hass, with_port, internal_ipv4="10.0.7.7")
    await settled(hass)
    assert state_of(hass, "sensor.home_port_61001_port") == "61001"
    assert state_of(hass, "sensor.home_port_61002_port") is None
    assert state_of(hass, "sensor.home_port_61003_port") == "61003"
    assert await activity.told() == []


async def test_let_go_of_hidden_port(
    hass: HomeAssistant,
    hass_ws_client: WebSocketGenerator,
    device_registry: dr.DeviceRegistry,
    entity_registry: er.EntityRegistry,
    address: Address,
    with_port: MockConfigEntry,
) -> None:
    """The device of a hidden port can be removed by hand, that of a listed one not."""
    address.add_port(61002)
    await run(hass, with_port, "list_ports")
    await run(hass, with_port, "hide_port", port=61001)
    assert await async_setup_component(hass, "config", {})
    client = await hass_ws_client(hass)
    for port, is_let_go in ((61001, True), (61002, False)):
        entity = entity_registry.async_get(f"sensor.home_port_{port}_port")
        assert entity
        assert entity.device_id
        answer = await client.remove_device(entity.device_id)
        assert answer["success"] is is_let_go
    await later(hass, minutes=6)
    assert state_of(hass, "sensor.home_port_61001_port") is None
    assert state_of(hass, "sensor.home_port_61002_port") == "61002"


async def test_open_between_two_looks(
    hass: HomeAssistant, provider: FakeProvider, with_port: MockConfigEntry
) -> None:
    """A port that was open after the first look needs two more to be closed."""
    await provider.stop_listening(EXIT_IP, 61001)
    await act(hass, with_port, "check_port", port=61001)
    await provider.listen(EXIT_IP, 61001)
    await act(hass, with_port, "check_port", port=61001)
    await provider.stop_listening(EXIT_IP, 61001)
    await later(hass, seconds=31)
    assert state_of(hass, REACHABLE) == "on"
    assert len(asked(provider, CHECK)) == 3


async def test_no_look_after_unload(
    hass: HomeAssistant, provider: FakeProvider, with_port: MockConfigEntry
) -> None:
    """A check that ends after the account was unloaded has no second look."""
    await provider.stop_listening(EXIT_IP, 61001)
    held = HeldAnswer()
    provider.fail(CHECK, held.fault)
    checked = hass.async_create_task(act(hass, with_port, "check_port", port=61001))
    await held.ready.wait()
    assert await hass.config_entries.async_unload(with_port.entry_id)
    held.release.set()
    await checked
    seen = len(provider.requests)
    await later(hass, seconds=31)
    assert len(provider.requests) == seen


async def test_settings_during_set_up(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    entry: MockConfigEntry,
) -> None:
    """Settings that are changed while the account is set up take effect."""
    address.add_port(61001)
    held = HeldAnswer()
    provider.fail(ME, held.fault)
    set_up = hass.async_create_task(hass.config_entries.async_setup(entry.entry_id))
    await held.ready.wait()
    hass.config_entries.async_update_entry(entry, options={CONF_CHECK_PORTS: False})
    held.release.set()
    await set_up
    await settled(hass)
    assert entry.state is ConfigEntryState.LOADED
    before = len(asked(provider, CHECK))
    await later(hass, minutes=16)
    assert len(asked(provider, CHECK)) == before


async def test_page_of_somebody_else(
    hass: HomeAssistant, provider: FakeProvider, with_port: MockConfigEntry
) -> None:
    """A page that refuses in the provider's place says nothing of the tunnel."""
    provider.fail(PORTS, Fault.status(403, body="<h1>Are you a robot?</h1>"))
    await later(hass, minutes=6)
    assert state_of(hass, "binary_sensor.home_tunnel") == "unavailable"


async def test_new_username_reloads_nothing(
    hass: HomeAssistant,
    device_registry: dr.DeviceRegistry,
    provider: FakeProvider,
    account: Account,
    with_port: MockConfigEntry,
) -> None:
    """A username that changed elsewhere is only a new name."""
    account.username = "countess"
    lists = len(asked(provider, PORTS))
    await later(hass, minutes=61)
    assert with_port.title == "countess"
    device = device_registry.async_get_device_by_identifier(
        (DOMAIN, str(with_port.unique_id)), with_port.entry_id
    )
    assert device
    assert device.name == "countess"
    assert len(asked(provider, PORTS)) == lists + 1
    assert state_of(hass, REACHABLE) == "on"


async def test_warned_again(
    hass: HomeAssistant,
    address: Address,
    activity: Activity,
    entry: MockConfigEntry,
) -> None:
    """A port that does not count as expiring any more is told again when it does."""
    in_ten_days = utcnow() + timedelta(days=10)
    address.add_port(61001, expires_at=int(in_ten_days.timestamp()))
    assert await hass.config_entries.async_setup(entry.entry_id)
    await settled(hass)
    for days, told in ((30, ["expiring"]), (3, []), (30, ["expiring"])):
        hass.config_entries.async_update_entry(
            entry, options={CONF_PORT_WARNING_DAYS: days}
        )
        await settled(hass)
        assert [event["event_type"] for event in await activity.told()] == told
