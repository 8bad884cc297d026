"""Two accounts live side by side, and know nothing of each other."""

from typing import Any

from homeassistant.config_entries import SOURCE_REAUTH, ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import device_registry as dr
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.azirevpn.const import DOMAIN
from tests.conftest import (
    ME,
    OTHER_EXIT_IP,
    PORTS,
    Activity,
    account_data,
    asked,
    connection_subentry,
    later,
    press,
    settled,
    state_of,
)
from tests.fake_provider import Account, Address, FakeProvider, Fault, Tunnel
from tests.test_services import act, run

GRACES_CONNECTION = "01JBOAT00000000000000000000"


@pytest.fixture
def grace(provider: FakeProvider) -> Account:
    """Return the second account, which has the same address in its own tunnel."""
    account = provider.add_account("grace")
    account.add_address("10.0.131.176").add_port(61002)
    return account


@pytest.fixture
async def boat(provider: FakeProvider) -> Tunnel:
    """Open the tunnel of the second account."""
    return await provider.open_tunnel(OTHER_EXIT_IP)


@pytest.fixture
async def other(
    hass: HomeAssistant,
    provider: FakeProvider,
    grace: Account,
    boat: Tunnel,
    with_port: MockConfigEntry,
) -> MockConfigEntry:
    """Return the second account, set up beside the first one."""
    await provider.listen(boat.exit_ip, 61002)
    entry = MockConfigEntry(
        domain=DOMAIN,
        title=grace.username,
        unique_id=str(grace.created_at),
        data=account_data(provider, grace),
        subentries_data=[
            connection_subentry(
                "10.0.131.176", boat.url, title="Boat", subentry_id=GRACES_CONNECTION
            )
        ],
    )
    entry.add_to_hass(hass)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await settled(hass)
    return entry


def states(hass: HomeAssistant) -> tuple[str | None, ...]:
    """Return what is seen of both accounts, their connections and their ports."""
    return tuple(
        state_of(hass, entity_id)
        for entity_id in (
            "binary_sensor.ada_active",
            "sensor.home_forwarded_ports",
            "binary_sensor.home_port_61001_reachable",
            "binary_sensor.grace_active",
            "sensor.boat_forwarded_ports",
            "binary_sensor.boat_port_61002_reachable",
        )
    )


WELL = ("on", "1", "on", "on", "1", "on")


def device_of_boat(hass: HomeAssistant, entry: MockConfigEntry) -> str:
    """Return the id of the second account's connection."""
    device = dr.async_get(hass).async_get_device_by_identifier(
        (DOMAIN, GRACES_CONNECTION), entry.entry_id
    )
    assert device is not None
    return device.id


async def test_side_by_side(
    hass: HomeAssistant,
    provider: FakeProvider,
    with_port: MockConfigEntry,
    other: MockConfigEntry,
) -> None:
    """Each account has its own devices, and its own ports at the same address."""
    assert states(hass) == WELL
    registry = dr.async_get(hass)
    names = [
        {
            str(device.name)
            for device in [
                *dr.async_entries_for_config_entry(registry, entry.entry_id),
                *dr.async_child_entries_for_config_entry(registry, entry.entry_id),
            ]
        }
        for entry in (with_port, other)
    ]
    assert names == [
        {"ada", "Home", "Port 61001"},
        {"grace", "Boat", "Port 61002"},
    ]
    tokens = {
        request.headers["Authorization"]
        for request in asked(provider, PORTS)
        if request.remote == OTHER_EXIT_IP
    }
    assert tokens == {f"Bearer {other.data['access_token']}"}


async def test_actions(
    hass: HomeAssistant,
    address: Address,
    grace: Account,
    with_port: MockConfigEntry,
    other: MockConfigEntry,
) -> None:
    """An action reaches the connection that it names, of whichever account."""
    boat = device_of_boat(hass, other)
    port = (await act(hass, with_port, "create_port", device_id=boat))["port"]
    [graces] = grace.addresses.values()
    assert set(graces.ports) == {61002, port}
    assert set(address.ports) == {61001}
    assert state_of(hass, "sensor.boat_forwarded_ports") == "2"
    assert state_of(hass, "sensor.home_forwarded_ports") == "1"
    with pytest.raises(ServiceValidationError, match="not found"):
        await run(hass, with_port, "delete_port", device_id=boat, port=61001)
    await press(hass, "button.home_port_61001_delete")
    assert not address.ports
    assert set(graces.ports) == {61002, port}
    await later(hass, seconds=31)


async def test_activity(
    hass: HomeAssistant,
    address: Address,
    grace: Account,
    other: MockConfigEntry,
    activity: Activity,
) -> None:
    """What happens is told by the connection that it happens to."""
    assert await activity.told() == []
    [graces] = grace.addresses.values()
    address.add_port(61003)
    graces.ports.clear()
    await later(hass, minutes=6)
    told = {(event["connection"], event["port"]) for event in await activity.told()}
    assert told == {("Home", "61003"), ("Boat", "61002")}
    await later(hass, seconds=31)


async def test_stores(
    hass: HomeAssistant,
    hass_storage: dict[str, Any],
    with_port: MockConfigEntry,
    other: MockConfigEntry,
) -> None:
    """Each account remembers its own ports, and takes only those along."""
    await run(hass, with_port, "hide_port", port=61001)
    boat = device_of_boat(hass, other)
    await run(hass, with_port, "hide_port", device_id=boat, port=61002)
    stored = [f"{DOMAIN}.{entry.entry_id}" for entry in (with_port, other)]
    assert [
        {
            subentry_id: [port["port"] for port in connection["ports"]]
            for subentry_id, connection in hass_storage[key]["data"].items()
        }
        for key in stored
    ] == [{next(iter(with_port.subentries)): [61001]}, {GRACES_CONNECTION: [61002]}]
    assert await hass.config_entries.async_remove(with_port.entry_id)
    await later(hass, seconds=2)
    assert stored[0] not in hass_storage
    assert stored[1] in hass_storage
    assert await hass.config_entries.async_reload(other.entry_id)
    await settled(hass)
    assert states(hass) == (None, None, None, "on", "1", "on")


async def test_tunnel_down(
    hass: HomeAssistant,
    boat: Tunnel,
    with_port: MockConfigEntry,
    other: MockConfigEntry,
) -> None:
    """The tunnel of one account has nothing to do with that of the other."""
    await boat.close()
    await later(hass, minutes=6)
    assert states(hass) == (*WELL[:3], "on", "unavailable", "unknown")
    await boat.open()
    await later(hass, minutes=6)
    assert states(hass) == WELL


async def test_refused_token(
    hass: HomeAssistant,
    grace: Account,
    with_port: MockConfigEntry,
    other: MockConfigEntry,
) -> None:
    """A token that is refused is asked for at its own account."""
    grace.token = "renewed"
    await later(hass, minutes=61)
    assert states(hass) == (*WELL[:3], "unavailable", "unavailable", "unavailable")
    assert list(other.async_get_active_flows(hass, {SOURCE_REAUTH}))
    assert not list(with_port.async_get_active_flows(hass, {SOURCE_REAUTH}))


async def test_rate_limit(
    hass: HomeAssistant,
    provider: FakeProvider,
    with_port: MockConfigEntry,
    other: MockConfigEntry,
) -> None:
    """An account that has to wait lets the other one go on."""
    provider.fail(ME, Fault.status(429, headers={"Retry-After": "900"}))
    await later(hass, minutes=61)
    refused = [
        state_of(hass, f"binary_sensor.{name}_active") for name in ("ada", "grace")
    ]
    assert sorted(map(str, refused)) == ["on", "unavailable"]


async def test_unload(
    hass: HomeAssistant,
    provider: FakeProvider,
    with_port: MockConfigEntry,
    other: MockConfigEntry,
) -> None:
    """An account that is unloaded leaves the other one alone."""
    assert await hass.config_entries.async_unload(with_port.entry_id)
    assert states(hass) == (*["unavailable"] * 3, *WELL[3:])
    provider.requests.clear()
    await later(hass, minutes=6)
    assert {request.remote for request in provider.requests} == {OTHER_EXIT_IP}
    state: ConfigEntryState = other.state
    assert state is ConfigEntryState.LOADED
    assert await hass.config_entries.async_setup(with_port.entry_id)
    await settled(hass)
    assert states(hass) == WELL
