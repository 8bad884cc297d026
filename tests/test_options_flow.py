"""A user changes the settings of an account."""

from typing import Any

from homeassistant.config_entries import ConfigFlowResult
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType, InvalidData
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from tests.conftest import CHECK, ME, Activity, asked, later, press, settled, state_of
from tests.fake_provider import Address, FakeProvider
from tests.test_ports import REACHABLE
from tests.test_services import act


async def open_settings(
    hass: HomeAssistant, entry: MockConfigEntry
) -> ConfigFlowResult:
    """Choose the settings from the menu."""
    menu = await hass.config_entries.options.async_init(entry.entry_id)
    assert menu["type"] is FlowResultType.MENU
    assert "settings" in menu["menu_options"]
    form = await hass.config_entries.options.async_configure(
        menu["flow_id"], {"next_step_id": "settings"}
    )
    assert form["type"] is FlowResultType.FORM
    assert form["step_id"] == "settings"
    return form


async def enter(
    hass: HomeAssistant, form: ConfigFlowResult, **settings: Any
) -> ConfigFlowResult:
    """Send the settings, and wait for what follows."""
    result = await hass.config_entries.options.async_configure(
        form["flow_id"], settings
    )
    await settled(hass)
    return result


def shown(form: ConfigFlowResult) -> dict[str, Any]:
    """Return what stands in a form: what was set before, or else the default."""
    assert form["data_schema"] is not None
    return {
        str(key): (key.description or {}).get("suggested_value", key.default())
        for key in form["data_schema"].schema
    }


async def test_settings(
    hass: HomeAssistant, provider: FakeProvider, loaded: MockConfigEntry
) -> None:
    """The settings begin with their defaults, and take effect by one new set-up."""
    form = await open_settings(hass, loaded)
    before = shown(form)
    assert before["port_warning_days"] == 3
    assert before["check_ports"] is True
    set_ups = len(asked(provider, ME))
    changed = before | {"port_warning_days": 10.0, "check_ports": False}
    result = await enter(hass, form, **changed)
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert (
        loaded.options.items()
        >= {"port_warning_days": 10, "check_ports": False}.items()
    )
    assert type(loaded.options["port_warning_days"]) is int
    assert len(asked(provider, ME)) == set_ups + 1
    assert shown(await open_settings(hass, loaded)) == changed


@pytest.mark.parametrize("days", [-1, 366, "soon", None])
async def test_nonsense(
    hass: HomeAssistant, loaded: MockConfigEntry, days: object
) -> None:
    """A number of days that makes no sense is not taken."""
    form = await open_settings(hass, loaded)
    with pytest.raises(InvalidData):
        await enter(hass, form, **shown(form) | {"port_warning_days": days})
    assert not loaded.options


async def test_warning_days(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    loaded: MockConfigEntry,
    activity: Activity,
) -> None:
    """A port counts as expiring as long before its end as the user wants it to."""
    await act(hass, loaded, "create_port", expires_in=9)
    assert [kind for kind, _ in await activity.in_short()] == ["created"]
    form = await open_settings(hass, loaded)
    await enter(hass, form, **shown(form) | {"port_warning_days": 10})
    assert [kind for kind, _ in await activity.in_short()] == ["expiring"]
    await later(hass, seconds=31)


async def test_no_checks(
    hass: HomeAssistant, provider: FakeProvider, with_port: MockConfigEntry
) -> None:
    """Ports are not checked for who doesn't want it, unless it is asked for."""
    form = await open_settings(hass, with_port)
    await enter(hass, form, **shown(form) | {"check_ports": False})
    provider.requests.clear()
    assert state_of(hass, REACHABLE) == "unknown"
    await later(hass, minutes=6)
    await later(hass, minutes=16)
    assert not asked(provider, CHECK)
    assert state_of(hass, REACHABLE) == "unknown"

    answer = await act(hass, with_port, "check_port", port=61001)
    assert answer["open"] is True
    assert state_of(hass, REACHABLE) == "on"
    await press(hass, "button.home_check_ports")
    assert len(asked(provider, CHECK)) == 2

    form = await open_settings(hass, with_port)
    await enter(hass, form, **shown(form) | {"check_ports": True})
    assert len(asked(provider, CHECK)) == 3
    assert state_of(hass, REACHABLE) == "on"
