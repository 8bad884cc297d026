"""The blueprints do what they say, with a real event and a real app to be told."""

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
import json
from pathlib import Path
import shutil
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer
from freezegun.api import FrozenDateTimeFactory
from homeassistant.components import automation
from homeassistant.components.blueprint import Blueprint
from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
from homeassistant.util.yaml import load_yaml_dict
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_fire_time_changed,
    async_mock_service,
)

from tests.conftest import (
    CHECK,
    EXIT_IP,
    OTHER_EXIT_IP,
    asked,
    later,
    settled,
    state_of,
)
from tests.fake_provider import Account, Address, FakeProvider, Fault, Tunnel

REPOSITORY = Path(__file__).parents[1]
BLUEPRINTS = REPOSITORY / "blueprints"
MANIFEST = json.loads(
    (REPOSITORY / "custom_components" / "azirevpn" / "manifest.json").read_text()
)
ACTIVITY = "event.home_port_activity"
TUNNEL = "binary_sensor.home_tunnel"
PUBLIC_IP = "sensor.home_public_ip"

type Push = dict[str, Any]
type Add = Callable[..., Awaitable[None]]


class Phone:
    """A phone with the app: what it was told, and what its owner presses."""

    def __init__(self, hass: HomeAssistant) -> None:
        self._hass = hass
        self._told: list[Push] = []
        self.device_id = ""

    async def push(self, request: web.Request) -> web.Response:
        """Take a notification."""
        self._told.append(await request.json())
        return web.json_response({}, status=201)

    def told(self) -> list[Push]:
        """Return the notifications since the last call."""
        told, self._told = self._told, []
        return told

    async def press(self, action: str) -> None:
        """Press a button on a notification."""
        self._hass.bus.async_fire("mobile_app_notification_action", {"action": action})
        await settled(self._hass)


@pytest.fixture
async def phone(hass: HomeAssistant) -> AsyncIterator[Phone]:
    """Register a phone, as its app does."""
    phone = Phone(hass)
    app = web.Application()
    app.router.add_post("/push", phone.push)
    async with TestServer(app) as server:
        entry = MockConfigEntry(
            domain="mobile_app",
            title="Phone",
            data={
                "app_data": {
                    "push_token": "a-token",
                    "push_url": str(server.make_url("/push")),
                },
                "app_id": "app",
                "app_name": "App",
                "app_version": "1",
                "device_id": "a-device",
                "device_name": "Phone",
                "manufacturer": "Someone",
                "model": "A phone",
                "os_name": "An OS",
                "os_version": "1",
                "supports_encryption": False,
                "user_id": "a-user",
                "webhook_id": "a-webhook",
            },
        )
        entry.add_to_hass(hass)
        assert await async_setup_component(hass, "mobile_app", {})
        await settled(hass)
        [device] = dr.async_entries_for_config_entry(dr.async_get(hass), entry.entry_id)
        phone.device_id = device.id
        yield phone


@pytest.fixture
async def add(hass: HomeAssistant, tmp_path: Path) -> AsyncIterator[Add]:
    """Return what makes an automation of a blueprint, as the user interface does."""
    shutil.copytree(BLUEPRINTS, tmp_path / "blueprints")
    hass.config.config_dir = str(tmp_path)

    async def add(name: str, **inputs: Any) -> None:
        assert await async_setup_component(
            hass,
            automation.DOMAIN,
            {
                automation.DOMAIN: {
                    "id": name,
                    "alias": name,
                    "use_blueprint": {"path": f"azirevpn/{name}.yaml", "input": inputs},
                }
            },
        )
        await settled(hass)
        assert state_of(hass, f"automation.{name}") == "on"

    yield add
    await hass.services.async_call(
        automation.DOMAIN, "turn_off", {"entity_id": "all"}, blocking=True
    )


async def pass_time(
    hass: HomeAssistant, freezer: FrozenDateTimeFactory, time: timedelta
) -> None:
    """Let the clocks go on."""
    freezer.tick(time)
    async_fire_time_changed(hass)
    await settled(hass)


@pytest.mark.parametrize(
    "path", BLUEPRINTS.glob("*/azirevpn/*.yaml"), ids=lambda path: path.stem
)
def test_metadata(path: Path) -> None:
    """A blueprint can be fetched again from where it says, and suits what HACS asks."""
    blueprint = Blueprint(
        load_yaml_dict(str(path)),
        expected_domain=automation.DOMAIN,
        schema=automation.config.AUTOMATION_BLUEPRINT_SCHEMA,
    )
    assert blueprint.validate() is None
    source = blueprint.metadata["source_url"]
    assert source.startswith(f"{MANIFEST['documentation']}/blob/main/blueprints/")
    assert source.endswith(f"/{path.relative_to(BLUEPRINTS)}")
    assert blueprint.metadata["homeassistant"]["min_version"].startswith("2026.10.")


async def test_port_closed(
    hass: HomeAssistant,
    provider: FakeProvider,
    with_port: MockConfigEntry,
    phone: Phone,
    add: Add,
) -> None:
    """A phone is told of a port that closes and opens, and can have it checked."""
    more = async_mock_service(hass, "test", "more")
    await add(
        "port_closed",
        port_activity=[ACTIVITY],
        phone=phone.device_id,
        more_actions=[{"action": "test.more", "data": {"port": "{{ port }}"}}],
    )
    await provider.stop_listening(EXIT_IP, 61001)
    await later(hass, minutes=16)
    assert phone.told() == []
    await later(hass, seconds=31)
    [told] = phone.told()
    assert told["title"] == "Port 61001 of Home is closed"
    assert told["message"].startswith("Nothing answers on it.")
    [button] = told["data"]["actions"]
    assert button["title"] == "Check again"
    assert more[0].data == {"port": 61001}

    # Still closed, and then not to be found out
    checks = len(asked(provider, CHECK))
    await phone.press(button["action"])
    assert len(asked(provider, CHECK)) == checks + 1
    [again] = phone.told()
    assert again["title"] == "Port 61001 of Home is closed"
    assert again["data"] == told["data"]
    provider.fail(CHECK, Fault.status(500))
    await phone.press(button["action"])
    [told] = phone.told()
    assert told["title"] == "Port 61001 of Home could not be checked"

    # Open: told once, by the check or by the event that it brings about
    await provider.listen(EXIT_IP, 61001)
    await phone.press(button["action"])
    [told] = phone.told()
    assert told["title"] == "Port 61001 of Home is open"
    assert told["data"]["tag"] == again["data"]["tag"]
    assert told["data"]["actions"] == []
    await phone.press(button["action"])
    [told] = phone.told()
    assert told["title"] == "Port 61001 of Home is open"

    # Another automation's button, and a restart
    checks = len(asked(provider, CHECK))
    await phone.press("azirevpn_check|automation.other|event.home_port_activity|61001")
    await phone.press("SOMETHING_ELSE")
    assert len(asked(provider, CHECK)) == checks
    assert await hass.config_entries.async_reload(with_port.entry_id)
    await settled(hass)
    assert phone.told() == []


async def test_subscription_ends(
    hass: HomeAssistant,
    freezer: FrozenDateTimeFactory,
    provider: FakeProvider,
    account: Account,
    loaded: MockConfigEntry,
    phone: Phone,
    add: Add,
) -> None:
    """A phone is reminded on the days that were chosen, and asks for a link."""
    await add(
        "ending_soon",
        subscription="sensor.ada_subscription_expiry",
        phone=phone.device_id,
        time="09:00:00",
    )
    assert account.expires_at
    end = dt_util.as_local(datetime.fromtimestamp(account.expires_at, UTC))

    async def morning(days_before: int) -> list[Push]:
        """Let it be 9 o'clock some days before the end, and the day before it 10."""
        freezer.move_to(
            (end - timedelta(days=days_before + 1)).replace(hour=10, minute=0)
        )
        async_fire_time_changed(hass)
        await settled(hass)
        assert phone.told() == []
        await pass_time(hass, freezer, timedelta(hours=23))
        return phone.told()

    assert await morning(8) == []
    [told] = await morning(7)
    assert told["title"] == "The subscription of ada ends in 7 days"
    assert end.strftime("%Y-%m-%d at %H:%M") in told["message"]
    [told] = await morning(1)
    assert told["title"] == "The subscription of ada ends tomorrow"
    [button] = told["data"]["actions"]
    assert button["title"] == "Sign in"

    # No link is made before it is asked for, and it leads to where one renews
    assert asked(provider, "/v3/users/me/otps", "POST") == []
    await phone.press(button["action"])
    assert len(asked(provider, "/v3/users/me/otps", "POST")) == 1
    [told] = phone.told()
    url = told["data"]["url"]
    assert url.startswith(f"{provider.manager_url}/auth/otp?token=")
    assert url.endswith("&redirect=order")
    assert told["data"]["clickAction"] == url
    assert told["data"]["actions"] == [{"action": "URI", "title": "Open", "uri": url}]
    assert not hass.data["trace"]["automation.ending_soon"].runs

    provider.fail("/v3/users/me/otps", Fault.status(500))
    await phone.press(button["action"])
    [told] = phone.told()
    assert told["title"] == "There is no sign-in link"
    assert told["data"]["actions"] == []
    await phone.press("azirevpn_sign_in|automation.other|order")
    assert phone.told() == []


async def test_port_ends(
    hass: HomeAssistant,
    freezer: FrozenDateTimeFactory,
    address: Address,
    entry: MockConfigEntry,
    phone: Phone,
    add: Add,
) -> None:
    """A phone is told of a port that comes close to its end, once."""
    end = dt_util.utcnow() + timedelta(days=4)
    address.add_port(61001, expires_at=int(end.timestamp()))
    assert await hass.config_entries.async_setup(entry.entry_id)
    await settled(hass)
    await add(
        "ending_soon",
        subscription="sensor.ada_subscription_expiry",
        port_activity=[ACTIVITY],
        phone=phone.device_id,
    )
    await pass_time(hass, freezer, timedelta(hours=23))
    assert phone.told() == []
    await pass_time(hass, freezer, timedelta(hours=2))
    [told] = phone.told()
    assert told["title"] == "Port 61001 of Home ends in 3 days"
    assert "can't be renewed" in told["message"]
    assert told["data"]["actions"][0]["action"].endswith("|wireguard")
    assert await hass.config_entries.async_reload(entry.entry_id)
    await pass_time(hass, freezer, timedelta(hours=1))
    assert phone.told() == []


async def test_tunnel_down(
    hass: HomeAssistant,
    freezer: FrozenDateTimeFactory,
    provider: FakeProvider,
    tunnel: Tunnel,
    loaded: MockConfigEntry,
    phone: Phone,
    add: Add,
) -> None:
    """A tunnel that stays down is told, and something is done about it."""
    down = async_mock_service(hass, "test", "down")
    up = async_mock_service(hass, "test", "up")
    await add(
        "tunnel_down",
        tunnels=[TUNNEL],
        minutes=6,
        notify=["notify.phone"],
        down_actions=[{"action": "test.down", "data": {"whose": "{{ connection }}"}}],
        up_actions=[{"action": "test.up"}],
    )
    # Down for one poll
    step = timedelta(seconds=301)
    await tunnel.close()
    await pass_time(hass, freezer, step)
    assert state_of(hass, TUNNEL) == "off"
    await tunnel.open()
    await pass_time(hass, freezer, step)
    assert state_of(hass, TUNNEL) == "on"
    assert phone.told() == []

    # Down for longer
    await tunnel.close()
    await pass_time(hass, freezer, step)
    await pass_time(hass, freezer, step)
    assert phone.told() == []
    await pass_time(hass, freezer, step)
    [told] = phone.told()
    assert told["title"] == "The tunnel of Home is down"
    assert told["message"].startswith("It has been down for 6 minutes.")
    assert [call.data for call in down] == [{"whose": "Home"}]
    assert not up
    await tunnel.open()
    await pass_time(hass, freezer, step)
    [told] = phone.told()
    assert told["title"] == "The tunnel of Home is up again"
    assert len(up) == 1

    # Still down after a restart
    await tunnel.close()
    await pass_time(hass, freezer, step)
    assert await hass.config_entries.async_reload(loaded.entry_id)
    for _ in range(3):
        await pass_time(hass, freezer, step)
    assert state_of(hass, TUNNEL) == "off"
    assert phone.told() == []

    # The provider could not be reached, and then the tunnel was down
    await tunnel.open()
    await pass_time(hass, freezer, step)
    [told] = phone.told()
    assert told["title"] == "The tunnel of Home is up again"
    provider.fail("/v3/portforwardings", Fault.status(500))
    await pass_time(hass, freezer, step)
    assert state_of(hass, TUNNEL) == "unavailable"
    await tunnel.close()
    for _ in range(3):
        await pass_time(hass, freezer, step)
    assert [told["title"] for told in phone.told()] == ["The tunnel of Home is down"]
    assert len(down) == 2


async def test_public_ip_changed(
    hass: HomeAssistant,
    provider: FakeProvider,
    tunnel: Tunnel,
    with_port: MockConfigEntry,
    phone: Phone,
    add: Add,
) -> None:
    """Another public address is told, with the one before."""
    more = async_mock_service(hass, "test", "more")
    await add(
        "public_ip_changed",
        public_ips=[PUBLIC_IP],
        notify=["notify.phone"],
        more_actions=[{"action": "test.more", "data": {"ip": "{{ new_ip }}"}}],
    )
    # Down and up again, and a restart
    await tunnel.close()
    await later(hass, minutes=6)
    assert state_of(hass, PUBLIC_IP) == "unavailable"
    await tunnel.open()
    await later(hass, minutes=12)
    assert await hass.config_entries.async_reload(with_port.entry_id)
    await settled(hass)
    assert state_of(hass, PUBLIC_IP) == EXIT_IP
    assert phone.told() == []

    await provider.listen(OTHER_EXIT_IP, 61001)
    tunnel.exit_ip = OTHER_EXIT_IP
    await later(hass, minutes=28)
    assert state_of(hass, PUBLIC_IP) == OTHER_EXIT_IP
    [told] = phone.told()
    assert told["title"] == "Home has another public address"
    assert told["message"] == f"{OTHER_EXIT_IP} instead of {EXIT_IP}"
    assert [call.data for call in more] == [{"ip": OTHER_EXIT_IP}]
