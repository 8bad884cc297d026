"""An account's owner opens its options, changes the settings, and signs in."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from aiohttp import ClientSession
from homeassistant.config_entries import ConfigEntryState, ConfigFlowResult
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType, InvalidData
from homeassistant.helpers.translation import async_get_translations
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.azirevpn.const import DOMAIN
from tests.conftest import (
    CHECK,
    ME,
    asked,
    form_text,
    later,
    settled,
    state_of,
    suggested,
)
from tests.fake_provider import Account, FakeProvider, Fault

OTPS = f"{ME}/otps"
NEW_PASSWORD = "difference-engine-1822"

MENU = [
    "settings",
    "sign_in",
    "change_username",
    "change_email",
    "remove_email",
    "change_password",
    "delete_account",
]


async def open_step(
    hass: HomeAssistant, entry: MockConfigEntry, step: str
) -> ConfigFlowResult:
    """Open the account's options, and choose a step from the menu."""
    menu = await hass.config_entries.options.async_init(entry.entry_id)
    assert menu["type"] is FlowResultType.MENU
    form = await hass.config_entries.options.async_configure(
        menu["flow_id"], {"next_step_id": step}
    )
    assert form["step_id"] == step
    assert not form["errors"]
    return form


async def enter(
    hass: HomeAssistant, form: ConfigFlowResult, **entered: Any
) -> ConfigFlowResult:
    """Fill in a form, send it, and wait for what follows."""
    result = await hass.config_entries.options.async_configure(form["flow_id"], entered)
    await settled(hass)
    return result


async def errors(hass: HomeAssistant, form: Mapping[str, Any]) -> dict[str, str]:
    """Return what the form tells about each field, as its user reads it."""
    texts = await async_get_translations(hass, "en", "options", {DOMAIN})
    return {
        field: texts[f"component.{DOMAIN}.options.error.{key}"].format(
            **form["description_placeholders"]
        )
        for field, key in form["errors"].items()
    }


async def test_menu(
    hass: HomeAssistant, account: Account, loaded: MockConfigEntry
) -> None:
    """An email can be removed where there is one."""
    menu = await hass.config_entries.options.async_init(loaded.entry_id)
    assert menu["menu_options"] == MENU
    account.email = None
    await later(hass, minutes=61)
    menu = await hass.config_entries.options.async_init(loaded.entry_id)
    assert menu["menu_options"] == [step for step in MENU if step != "remove_email"]


async def test_not_loaded(
    hass: HomeAssistant, provider: FakeProvider, entry: MockConfigEntry
) -> None:
    """An account that does not work can't be managed."""
    provider.fail(ME, Fault.status(503))
    assert not await hass.config_entries.async_setup(entry.entry_id)
    result = await hass.config_entries.options.async_init(entry.entry_id)
    assert result["type"] is FlowResultType.ABORT
    assert result["reason"] == "not_loaded"


@pytest.mark.parametrize("step", [step for step in MENU if step != "settings"])
async def test_unloaded_meanwhile(
    hass: HomeAssistant, provider: FakeProvider, loaded: MockConfigEntry, step: str
) -> None:
    """An account that stops working while its form is open is not changed."""
    form = await open_step(hass, loaded, step)
    before = len(provider.requests)
    assert await hass.config_entries.async_unload(loaded.entry_id)
    values = {
        "sign_in": {"page": "order"},
        "change_username": {"username": "lovelace"},
        "change_email": {"email": "lovelace@example.org"},
        "change_password": {"password": NEW_PASSWORD},
        "delete_account": {"username": "ada", "password": "correct horse battery"},
    }
    result = await enter(hass, form, **values.get(step, {}))
    assert result["type"] is FlowResultType.ABORT
    assert result["reason"] == "not_loaded"
    assert len(provider.requests) == before


async def test_settings(
    hass: HomeAssistant,
    provider: FakeProvider,
    account: Account,
    with_port: MockConfigEntry,
) -> None:
    """Settings have defaults, are kept, and take effect at once."""
    expiring = "binary_sensor.ada_subscription_expiring"
    assert state_of(hass, expiring) == "off"
    form = await open_step(hass, with_port, "settings")
    assert form["data_schema"] is not None
    defaults = {"account_warning_days": 14, "port_warning_days": 3, "check_ports": True}
    assert form["data_schema"]({}) == defaults
    result = await enter(
        hass, form, account_warning_days=91, port_warning_days=3, check_ports=False
    )
    assert result["type"] is FlowResultType.CREATE_ENTRY
    chosen = {"account_warning_days": 91, "port_warning_days": 3, "check_ports": False}
    assert with_port.options == chosen
    assert with_port.state is ConfigEntryState.LOADED
    assert state_of(hass, expiring) == "on"

    checks = len(asked(provider, CHECK))
    assert checks
    await later(hass, minutes=16)
    assert len(asked(provider, CHECK)) == checks
    assert suggested(await open_step(hass, with_port, "settings")) == chosen


@pytest.mark.parametrize("field", ["account_warning_days", "port_warning_days"])
@pytest.mark.parametrize("days", [-1, 366, "soon"])
async def test_settings_out_of_range(
    hass: HomeAssistant, loaded: MockConfigEntry, field: str, days: Any
) -> None:
    """Nobody is warned more than a year ahead."""
    form = await open_step(hass, loaded, "settings")
    with pytest.raises(InvalidData):
        await enter(hass, form, **{field: days})
    assert loaded.options == {}


@pytest.mark.parametrize("page", ["order", "wireguard", "settings"])
async def test_sign_in(
    hass: HomeAssistant, provider: FakeProvider, loaded: MockConfigEntry, page: str
) -> None:
    """The link really signs in to the page, once; the form tells until when."""
    await hass.config.async_set_time_zone("Asia/Kolkata")
    form = await enter(hass, await open_step(hass, loaded, "sign_in"), page=page)
    assert form["step_id"] == "sign_in_link"
    [one_time] = provider.one_time_passwords.values()
    ends = datetime.fromtimestamp(one_time.expires_at, dt_util.get_default_time_zone())
    assert f"until {ends:%H:%M}." in await form_text(hass, form, "options")
    assert form["description_placeholders"] is not None
    url = form["description_placeholders"]["url"]
    async with ClientSession() as browser:
        async with browser.get(url) as answer:
            assert f"Signed in as ada, on to {page}." in await answer.text()
        async with browser.get(url) as answer:
            assert answer.status == 403
    # Whoever reloads the page finds the same link
    again = await hass.config_entries.options.async_configure(form["flow_id"])
    assert again["description_placeholders"] == form["description_placeholders"]
    assert len(asked(provider, OTPS, "POST")) == 1
    options = dict(loaded.options)
    result = await enter(hass, form)
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert loaded.options == options
    assert loaded.state is ConfigEntryState.LOADED


async def test_sign_in_by_get(
    hass: HomeAssistant, provider: FakeProvider, loaded: MockConfigEntry
) -> None:
    """A service that wants GET is asked so after one refusal, and from then on."""
    provider.otp_method = "GET"
    for posts, gets in ((1, 1), (1, 2)):
        form = await open_step(hass, loaded, "sign_in")
        form = await enter(hass, form, page="order")
        assert form["step_id"] == "sign_in_link"
        assert len(asked(provider, OTPS, "POST")) == posts
        assert len(asked(provider, OTPS, "GET")) == gets
