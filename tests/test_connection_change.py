"""A user changes or removes a connection, and what hangs on it follows."""

from typing import Any

from homeassistant.config_entries import (
    SOURCE_RECONFIGURE,
    ConfigEntryState,
    SubentryFlowResult,
)
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import device_registry as dr, entity_registry as er
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from tests.conftest import (
    CONNECTION_ID,
    ME,
    OTHER_EXIT_IP,
    asked,
    error_texts,
    later,
    settled,
    state_of,
)
from tests.fake_provider import Account, Address, FakeProvider, Tunnel
from tests.test_connection_flow import NO_PROXY, enter, open_form


def identities(
    hass: HomeAssistant, entry: MockConfigEntry
) -> tuple[set[str], dict[str, str]]:
    """Return the ids of the entry's devices, and those of its entities by name."""
    devices = dr.async_entries_for_config_entry(dr.async_get(hass), entry.entry_id)
    entities = er.async_entries_for_config_entry(er.async_get(hass), entry.entry_id)
    return (
        {device.id for device in devices},
        {entity.entity_id: entity.id for entity in entities},
    )


async def change(
    hass: HomeAssistant, entry: MockConfigEntry, **changes: str | None
) -> SubentryFlowResult:
    """Change a connection by the form, which begins with how it is now."""
    form = await hass.config_entries.subentries.async_init(
        (entry.entry_id, "connection"),
        context={"source": SOURCE_RECONFIGURE, "subentry_id": CONNECTION_ID},
    )
    assert form["step_id"] == "reconfigure"
    assert form["data_schema"] is not None
    values: dict[str, Any] = {
        str(key): key.description["suggested_value"]
        for key in form["data_schema"].schema
    }
    assert values["name"] == entry.subentries[CONNECTION_ID].title
    values = {
        key: value for key, value in (values | changes).items() if value is not None
    }
    result = await hass.config_entries.subentries.async_configure(
        form["flow_id"], values
    )
    await settled(hass)
    return result


async def test_change_name(hass: HomeAssistant, loaded: MockConfigEntry) -> None:
    """Another name changes nothing but the name."""
    before = identities(hass, loaded)
    result = await change(hass, loaded, name="Away")
    assert result["type"] is FlowResultType.ABORT
    assert result["reason"] == "reconfigure_successful"
    assert identities(hass, loaded) == before
    tunnel = hass.states.get("binary_sensor.home_tunnel")
    assert tunnel is not None
    assert tunnel.state == "on"
    assert tunnel.name == "Away Tunnel"


async def test_change_address(
    hass: HomeAssistant, account: Account, loaded: MockConfigEntry
) -> None:
    """The connection of another address keeps its devices, entities and history."""
    other = account.add_address("10.0.131.177")
    other.add_port(61001)
    before = identities(hass, loaded)
    result = await change(hass, loaded, internal_ipv4="10.0.131.177/32")
    assert result["reason"] == "reconfigure_successful"
    subentry = loaded.subentries[CONNECTION_ID]
    assert subentry.unique_id == subentry.data["internal_ipv4"] == "10.0.131.177"
    devices, entities = identities(hass, loaded)
    assert devices == before[0]
    assert entities.items() >= before[1].items()
    assert state_of(hass, "sensor.home_port_61001_port") == "61001"


async def test_change_proxy(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    tunnel: Tunnel,
    loaded: MockConfigEntry,
) -> None:
    """A connection can go by another proxy, or by none."""
    before = identities(hass, loaded)
    other = await provider.open_tunnel(OTHER_EXIT_IP, "ada", "s3cret")
    await change(hass, loaded, proxy_url=other.url_with_credentials)
    await tunnel.close()
    address.add_port(61001)
    await later(hass, minutes=6)
    assert state_of(hass, "binary_sensor.home_tunnel") == "on"
    assert state_of(hass, "sensor.home_forwarded_ports") == "1"

    provider.caller_connected = True
    await change(hass, loaded, proxy_url=None)
    assert loaded.subentries[CONNECTION_ID].data == {"internal_ipv4": "10.0.131.176"}
    await other.close()
    await later(hass, minutes=6)
    assert state_of(hass, "binary_sensor.home_tunnel") == "on"
    devices, entities = identities(hass, loaded)
    assert devices == before[0]
    assert entities.items() >= before[1].items()


async def test_change_nothing(
    hass: HomeAssistant, tunnel: Tunnel, loaded: MockConfigEntry
) -> None:
    """The form can be sent as it is, once the tunnel works again."""
    before = dict(loaded.subentries)
    await tunnel.close()
    form = await change(hass, loaded)
    assert await error_texts(hass, form, subentry=True) == {"base": NO_PROXY}
    assert loaded.subentries == before
    await tunnel.open()
    result = await change(hass, loaded)
    assert result["reason"] == "reconfigure_successful"
    assert loaded.subentries == before


async def test_change_to_nonsense(hass: HomeAssistant, loaded: MockConfigEntry) -> None:
    """A mistake is told, and nothing changes."""
    before = dict(loaded.subentries)
    form = await change(hass, loaded, internal_ipv4="camel", proxy_url="camel")
    assert form["errors"] == {
        "internal_ipv4": "invalid_internal_ipv4",
        "proxy_url": "invalid_proxy_url",
    }
    assert loaded.subentries == before


async def test_change_to_taken_address(
    hass: HomeAssistant, account: Account, tunnel: Tunnel, loaded: MockConfigEntry
) -> None:
    """An address that another connection has is not taken from it."""
    account.add_address("10.0.131.177")
    form = await open_form(hass, loaded)
    await enter(hass, form, "10.0.131.177", proxy_url=tunnel.url)
    result = await change(hass, loaded, internal_ipv4="10.0.131.177")
    assert result["type"] is FlowResultType.ABORT
    assert result["reason"] == "already_configured"
    assert loaded.subentries[CONNECTION_ID].unique_id == "10.0.131.176"


async def test_change_while_not_loaded(
    hass: HomeAssistant, entry: MockConfigEntry
) -> None:
    """A connection can be mended while its account is not loaded."""
    result = await change(hass, entry, name="Away")
    assert result["reason"] == "reconfigure_successful"
    assert entry.subentries[CONNECTION_ID].title == "Away"
    assert entry.state is ConfigEntryState.NOT_LOADED


async def test_add_and_remove(
    hass: HomeAssistant,
    provider: FakeProvider,
    account: Account,
    tunnel: Tunnel,
    loaded: MockConfigEntry,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A connection comes and goes with its devices and entities, at one set-up each."""
    before = identities(hass, loaded)
    account.add_address("10.0.131.177").add_port(61001)
    form = await open_form(hass, loaded)
    set_ups = len(asked(provider, ME))
    await hass.config_entries.subentries.async_configure(
        form["flow_id"],
        {"name": "Away", "internal_ipv4": "10.0.131.177", "proxy_url": tunnel.url},
    )
    await settled(hass)
    assert state_of(hass, "binary_sensor.away_tunnel") == "on"
    assert state_of(hass, "sensor.away_port_61001_port") == "61001"
    assert len(asked(provider, ME)) == set_ups + 1

    [added] = loaded.subentries.keys() - {CONNECTION_ID}
    assert hass.config_entries.async_remove_subentry(loaded, added)
    await settled(hass)
    assert state_of(hass, "binary_sensor.away_tunnel") is None
    assert state_of(hass, "sensor.away_port_61001_port") is None
    assert state_of(hass, "binary_sensor.home_tunnel") == "on"
    assert identities(hass, loaded) == before
    assert not dr.async_child_entries_for_config_entry(
        dr.async_get(hass), loaded.entry_id
    )
    assert len(asked(provider, ME)) == set_ups + 2
    assert "Detected that" not in caplog.text
