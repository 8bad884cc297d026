"""Ports that no list shows are remembered, in a file that outlives restarts."""

import json
from pathlib import Path
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_fire_time_changed,
)
from pytest_homeassistant_custom_component.typing import WebSocketGenerator

from custom_components.azirevpn.const import DOMAIN
from tests.conftest import (
    CONNECTION_ID,
    ME,
    PORTS,
    Activity,
    add_connection,
    later,
    press,
    settled,
    state_of,
)
from tests.fake_provider import Account, Address, FakeProvider, Fault, Tunnel
from tests.test_connection_change import change
from tests.test_port_changes import DELETE
from tests.test_ports import COUNT, EXPIRY, PORT, REACHABLE, TUNNEL, port_numbers
from tests.test_services import act, run

EXPIRES_AT = 1_900_000_000
DAY = 86_400


class PortsFile:
    """The file in which the ports of an account are stored."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def exists(self) -> bool:
        """Tell whether anything is stored."""
        return self._path.exists()

    def read(self) -> str:
        """Return all that is in the file."""
        return self._path.read_text()

    def write(self, text: str) -> None:
        """Put something else into the file."""
        self._path.parent.mkdir(exist_ok=True)
        self._path.write_text(text)

    def remove(self) -> None:
        """Remove the file, to see whether it is written again."""
        self._path.unlink()

    def ports(self) -> Any:
        """Return the stored ports, by their connections."""
        return {
            subentry_id: connection["ports"]
            for subentry_id, connection in json.loads(self.read())["data"].items()
        }

    def set_aside(self) -> dict[str, str]:
        """Return the files that could not be read, by their names."""
        return {
            path.name: path.read_text()
            for path in self._path.parent.glob(f"{self._path.name}.*")
        }


@pytest.fixture
def hass_storage() -> dict[str, Any]:
    """Let Home Assistant write to files, as it does outside of tests."""
    return {}


@pytest.fixture
def hass_config_dir(hass_tmp_config_dir: str) -> str:
    """Give every test a folder of its own for them."""
    return hass_tmp_config_dir


@pytest.fixture
def file(hass: HomeAssistant, entry: MockConfigEntry) -> PortsFile:
    """Return where the account's ports are stored."""
    return PortsFile(Path(hass.config.path(".storage", f"{DOMAIN}.{entry.entry_id}")))


@pytest.fixture
async def hidden(hass: HomeAssistant, with_port: MockConfigEntry) -> MockConfigEntry:
    """Return the account, with a port that is hidden."""
    await run(hass, with_port, "hide_port", port=61001)
    return with_port


async def restart(hass: HomeAssistant, entry: MockConfigEntry) -> None:
    """Unload the account, and set it up with nothing but the file."""
    assert await hass.config_entries.async_unload(entry.entry_id)
    await hass.config_entries.async_setup(entry.entry_id)
    await settled(hass)


async def test_written_before_done(
    hass: HomeAssistant, file: PortsFile, with_port: MockConfigEntry
) -> None:
    """When hiding is reported as done, the port is in the file already."""
    await act(hass, with_port, "hide_port", port=61001)
    assert file.ports() == {
        CONNECTION_ID: [
            {
                "port": 61001,
                "hidden": True,
                "expires_at": EXPIRES_AT,
                "expiring": False,
            }
        ]
    }
    answer = await act(hass, with_port, "create_port", hidden=True)
    assert {port["port"] for port in file.ports()[CONNECTION_ID]} == {
        61001,
        answer["port"],
    }


async def test_hidden_in_doubt_is_written(
    hass: HomeAssistant,
    provider: FakeProvider,
    file: PortsFile,
    with_port: MockConfigEntry,
) -> None:
    """A port that may be hidden is in the file, too."""
    provider.fail(PORTS, Fault.lost(), method="PUT")
    provider.fail(PORTS, Fault.status(500), method="GET")
    with pytest.raises(Exception, match="could not be reached"):
        await act(hass, with_port, "hide_port", port=61001)
    assert [port["hidden"] for port in file.ports()[CONNECTION_ID]] == [True]


@pytest.mark.parametrize("way", ["restart", "reload", "crash"])
async def test_survives(
    hass: HomeAssistant, file: PortsFile, hidden: MockConfigEntry, way: str
) -> None:
    """A hidden port is known after a start, and nothing of it is lost."""
    if way == "restart":
        await restart(hass, hidden)
    elif way == "reload":
        await hass.config_entries.async_reload(hidden.entry_id)
    else:
        # Whatever is written on the way out never gets to the disk
        written = file.read()
        assert await hass.config_entries.async_unload(hidden.entry_id)
        file.write(written)
        assert await hass.config_entries.async_setup(hidden.entry_id)
    await settled(hass)
    assert state_of(hass, PORT) == "61001"
    assert state_of(hass, EXPIRY) == "2030-03-17T17:46:40+00:00"
    assert state_of(hass, REACHABLE) == "on"
    assert state_of(hass, COUNT) == "1"
    await later(hass, minutes=6)
    assert port_numbers(hass, hidden) == {"Port 61001"}


async def test_survives_change_of_address(
    hass: HomeAssistant,
    account: Account,
    address: Address,
    hidden: MockConfigEntry,
    activity: Activity,
) -> None:
    """With another address a connection keeps its hidden port, and begins in silence."""
    address.add_port(61002)
    account.add_address("10.0.131.177").add_port(61003)
    await later(hass, minutes=6)
    assert ("created", 61002) in await activity.in_short()
    result = await change(hass, hidden, internal_ipv4="10.0.131.177")
    assert result["reason"] == "reconfigure_successful"
    assert port_numbers(hass, hidden) == {"Port 61001", "Port 61003"}
    assert await activity.told() == []
    await later(hass, seconds=31)


async def test_let_go(
    hass: HomeAssistant,
    hass_ws_client: WebSocketGenerator,
    address: Address,
    hidden: MockConfigEntry,
    file: PortsFile,
) -> None:
    """Only the device of a hidden port can be removed by hand, and is forgotten then."""
    assert await async_setup_component(hass, "config", {})
    address.add_port(61002)
    await later(hass, minutes=6)
    client = await hass_ws_client(hass)
    for device in dr.async_child_entries_for_config_entry(
        dr.async_get(hass), hidden.entry_id
    ):
        answer = await client.remove_device(device.id)
        assert answer["success"] is (device.name == "Port 61001")
    assert port_numbers(hass, hidden) == {"Port 61002"}
    await restart(hass, hidden)
    assert port_numbers(hass, hidden) == {"Port 61002"}
    assert [port["port"] for port in file.ports()[CONNECTION_ID]] == [61002]
    await later(hass, seconds=31)


@pytest.mark.parametrize("way", ["proxy closed", "provider fails"])
async def test_start_during_outage(
    hass: HomeAssistant,
    provider: FakeProvider,
    tunnel: Tunnel,
    hidden: MockConfigEntry,
    activity: Activity,
    way: str,
) -> None:
    """Without a list, what is remembered is there and unavailable."""
    await activity.told()
    if way == "proxy closed":
        await tunnel.close()
    else:
        provider.fail(PORTS, Fault.status(500))
    await restart(hass, hidden)
    assert state_of(hass, TUNNEL) != "on"
    assert state_of(hass, PORT) == "unavailable"
    assert state_of(hass, DELETE) == "unavailable"
    assert port_numbers(hass, hidden) == {"Port 61001"}
    await tunnel.open()
    await later(hass, minutes=6)
    assert state_of(hass, PORT) == "61001"
    assert state_of(hass, REACHABLE) == "on"
    assert await activity.told() == []


async def test_start_without_account(
    hass: HomeAssistant, provider: FakeProvider, hidden: MockConfigEntry
) -> None:
    """A set-up that fails forgets nothing either."""
    provider.fail(ME, Fault.status(500))
    await restart(hass, hidden)
    state: ConfigEntryState = hidden.state
    assert state is ConfigEntryState.SETUP_RETRY
    await later(hass, minutes=2)
    assert state_of(hass, PORT) == "61001"


@pytest.mark.parametrize("meanwhile", ["up", "down", "unloaded"])
async def test_expires(
    hass: HomeAssistant,
    freezer: FrozenDateTimeFactory,
    provider: FakeProvider,
    tunnel: Tunnel,
    loaded: MockConfigEntry,
    activity: Activity,
    file: PortsFile,
    meanwhile: str,
) -> None:
    """A hidden port ends with its time, and is told of as expired."""
    port = (await act(hass, loaded, "create_port", expires_in=10, hidden=True))["port"]
    assert await activity.in_short() == [("created", port)]
    if meanwhile == "down":
        await tunnel.close()
    elif meanwhile == "unloaded":
        assert await hass.config_entries.async_unload(loaded.entry_id)
    freezer.tick(10 * DAY + 1)
    if meanwhile == "unloaded":
        assert await hass.config_entries.async_setup(loaded.entry_id)
    async_fire_time_changed(hass)
    await settled(hass)
    await tunnel.open()
    freezer.tick(301)
    async_fire_time_changed(hass)
    await settled(hass)
    assert state_of(hass, COUNT) == "0"
    assert state_of(hass, f"sensor.home_port_{port}_port") is None
    assert not port_numbers(hass, loaded)
    assert await activity.in_short() == [("expired", port)]
    assert file.ports() == {CONNECTION_ID: []}


def as_file(ports: str, *, version: int = 1) -> str:
    """Return what a file with something for ports looks like."""
    return f'{{"version": {version}, "minor_version": 1, "data": {ports}}}'


def as_port(port: str, hidden: str, expires_at: str) -> str:
    """Return what a file with one port of the connection looks like."""
    return as_file(
        '{"CONNECTION": {"internal_ipv4": "10.0.131.176", "was_listed": true, "ports":'
        f' [{{"port": {port}, "hidden": {hidden}, "expires_at": {expires_at},'
        ' "expiring": false}]}}'
    )


@pytest.mark.parametrize(
    "text",
    [
        as_port("61005", "true", "null")[:-20],
        "\x00\x00\x00",
        "",
        "[]",
        "[1, 2]",
        "5",
        '{"anything": "else"}',
        as_file("{}", version=99),
        as_file("{}", version=0),
        as_file("[1]"),
        as_file('{"CONNECTION": 5}'),
        as_file('{"CONNECTION": [5]}'),
        as_file('{"CONNECTION": [{}]}'),
        as_file('{"CONNECTION": {"internal_ipv4": "10.0.131.176"}}'),
        as_file('{"CONNECTION": [{"port": 61005, "hidden": true}]}'),
        as_port('"http"', "true", "1900000000"),
        as_port("70000", "true", "1900000000"),
        as_port("61005", '"perhaps"', "1900000000"),
        as_port("61005", "true", '"tomorrow"'),
        as_port("61005", "true", '"2026-12-24T18:00:00"'),
        as_port("61005", "true", "[2026, 12, 24]"),
    ],
)
async def test_unreadable(
    hass: HomeAssistant,
    address: Address,
    entry: MockConfigEntry,
    file: PortsFile,
    activity: Activity,
    caplog: pytest.LogCaptureFixture,
    text: str,
) -> None:
    """A file that can't be understood is set aside, and what can be listed is shown."""
    address.add_port(61001)
    text = text.replace("CONNECTION", CONNECTION_ID)
    file.write(text)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await settled(hass)
    assert state_of(hass, PORT) == "61001"
    assert port_numbers(hass, entry) == {"Port 61001"}
    assert await activity.told() == []
    [(name, aside)] = file.set_aside().items()
    assert aside == text
    assert name in caplog.text
    assert [port["port"] for port in file.ports()[CONNECTION_ID]] == [61001]
    await later(hass, seconds=31)


async def test_remove_connection(
    hass: HomeAssistant,
    account: Account,
    tunnel: Tunnel,
    hidden: MockConfigEntry,
    file: PortsFile,
) -> None:
    """The ports of a connection that is removed are forgotten, and no others."""
    account.add_address("10.0.131.177").add_port(61002)
    add_connection(hass, hidden, "10.0.131.177", tunnel.url)
    await settled(hass)
    await later(hass, seconds=2)
    [away] = hidden.subentries.keys() - {CONNECTION_ID}
    assert file.ports().keys() == {CONNECTION_ID, away}
    assert hass.config_entries.async_remove_subentry(hidden, CONNECTION_ID)
    await settled(hass)
    await later(hass, seconds=2)
    assert file.ports().keys() == {away}
    assert not file.set_aside()
    await later(hass, seconds=31)


async def test_remove_account(
    hass: HomeAssistant, hidden: MockConfigEntry, file: PortsFile
) -> None:
    """Nothing is left of an account that is removed."""
    assert file.exists()
    assert await hass.config_entries.async_remove(hidden.entry_id)
    await settled(hass)
    await later(hass, minutes=6)
    assert not file.exists()
    assert not file.set_aside()


async def test_written_on_change(
    hass: HomeAssistant,
    address: Address,
    with_port: MockConfigEntry,
    file: PortsFile,
) -> None:
    """The file is written when a port changes, and only then."""
    await later(hass, seconds=2)
    file.remove()
    for _ in range(3):
        await later(hass, minutes=16)
        await later(hass, seconds=31)
    await restart(hass, with_port)
    await later(hass, seconds=2)
    # The file is missed, so it was written once more
    assert [port["port"] for port in file.ports()[CONNECTION_ID]] == [61001]
    file.remove()
    await press(hass, "button.home_check_ports")
    await later(hass, minutes=6)
    assert not file.exists()

    address.add_port(61002)
    await later(hass, minutes=6)
    await later(hass, seconds=2)
    assert {port["port"] for port in file.ports()[CONNECTION_ID]} == {61001, 61002}
    await later(hass, seconds=31)


async def test_deleted_is_forgotten(
    hass: HomeAssistant, hidden: MockConfigEntry, file: PortsFile
) -> None:
    """A hidden port that is deleted is not remembered any more."""
    await press(hass, DELETE)
    await restart(hass, hidden)
    assert state_of(hass, PORT) is None
    assert file.ports() == {CONNECTION_ID: []}


async def test_known_from_its_creation(
    hass: HomeAssistant,
    address: Address,
    tunnel: Tunnel,
    entry: MockConfigEntry,
    file: PortsFile,
) -> None:
    """A port that is hidden from the start is remembered, even before any list."""
    address.add_port(61001)
    await tunnel.close()
    await hass.config_entries.async_setup(entry.entry_id)
    await settled(hass)
    assert not file.exists()
    await tunnel.open()
    answer = await act(hass, entry, "create_port", hidden=True)
    assert answer["port"] in {port["port"] for port in file.ports()[CONNECTION_ID]}
    await later(hass, seconds=31)
