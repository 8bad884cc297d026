"""The form of a connection suggests the account's addresses, if it can."""

from typing import Any

from homeassistant.config_entries import SubentryFlowResult
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers.selector import SelectSelector, TextSelector
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.azirevpn import connection_flow
from tests.conftest import HeldAnswer, asked, state_of
from tests.fake_provider import Account, FakeProvider, Fault
from tests.test_connection_change import change
from tests.test_connection_flow import IPV4, enter, open_form

IPS = "/v3/ips"


def address_field(form: SubentryFlowResult) -> Any:
    """Return the field for the internal address."""
    assert form["data_schema"] is not None
    return form["data_schema"].schema["internal_ipv4"]


async def test_suggestions(
    hass: HomeAssistant,
    provider: FakeProvider,
    account: Account,
    loaded: MockConfigEntry,
) -> None:
    """Free addresses are shown by the names of their devices, if those have names."""
    provider.caller_connected = True
    account.add_address("10.0.131.177")
    account.add_address("10.0.131.178", device_name="goat")
    form = await open_form(hass, loaded)
    field = address_field(form)
    assert isinstance(field, SelectSelector)
    assert field.config["options"] == [
        {"value": "10.0.131.177", "label": "10.0.131.177"},
        {"value": "10.0.131.178", "label": "goat (10.0.131.178)"},
    ]
    result = await enter(hass, form, "10.0.131.177")
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert state_of(hass, "binary_sensor.home_tunnel") == "on"


async def test_typing(
    hass: HomeAssistant,
    provider: FakeProvider,
    account: Account,
    loaded: MockConfigEntry,
) -> None:
    """An address can be typed all the same, and the account is asked only once."""
    provider.caller_connected = True
    account.add_address("10.0.131.178", device_name="goat")
    form = await open_form(hass, loaded)
    account.add_address("10.0.131.177")
    form = await enter(hass, form, "camel")
    assert form["errors"] == {"internal_ipv4": "invalid_internal_ipv4"}
    assert isinstance(address_field(form), SelectSelector)
    result = await enter(hass, form, "Address = 10.0.131.177/32")
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert len(asked(provider, IPS)) == 1


async def test_change(
    hass: HomeAssistant,
    provider: FakeProvider,
    account: Account,
    loaded: MockConfigEntry,
) -> None:
    """A connection that is changed gets the suggestions, too."""
    account.add_address("10.0.131.177")
    result = await change(hass, loaded, internal_ipv4="10.0.131.177")
    assert result["reason"] == "reconfigure_successful"
    assert len(asked(provider, IPS)) == 1


@pytest.mark.parametrize(
    "fault",
    [
        Fault.status(404),
        Fault.status(401),
        Fault.status(429),
        Fault.status(500),
        Fault.not_json(),
        Fault.wrong_shape({"ipv4_address": IPV4}),
        Fault.wrong_shape([]),
        Fault.reset(),
    ],
    ids=lambda fault: fault.name,
)
async def test_no_suggestions(
    hass: HomeAssistant,
    provider: FakeProvider,
    account: Account,
    loaded: MockConfigEntry,
    fault: Fault,
) -> None:
    """Without suggestions there is a plain field, and everything else works."""
    provider.caller_connected = True
    account.add_address("10.0.131.177")
    provider.fail(IPS, fault, times=99)
    form = await open_form(hass, loaded)
    assert isinstance(address_field(form), TextSelector)
    # Also by someone who errs at first
    form = await enter(hass, form, "camel")
    assert isinstance(address_field(form), TextSelector)
    assert len(asked(provider, IPS)) <= 2
    result = await enter(hass, form, "10.0.131.177")
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert not hass.config_entries.flow.async_progress()


async def test_service_without_addresses(
    hass: HomeAssistant, provider: FakeProvider, loaded: MockConfigEntry
) -> None:
    """A service that knows no such list is as good as any."""
    provider.serves_ips = False
    form = await open_form(hass, loaded)
    assert isinstance(address_field(form), TextSelector)


async def test_slow_suggestions(
    hass: HomeAssistant,
    provider: FakeProvider,
    loaded: MockConfigEntry,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody waits for suggestions that take long."""
    monkeypatch.setattr(connection_flow, "SUGGESTIONS_TIMEOUT", 0.2)
    held = HeldAnswer()
    provider.fail(IPS, held.fault)
    form = await open_form(hass, loaded)
    assert held.ready.is_set()
    assert isinstance(address_field(form), TextSelector)
    held.release.set()
