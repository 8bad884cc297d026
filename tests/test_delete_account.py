"""An account's owner deletes it; and nothing else ever does."""

from typing import Any

from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import (
    device_registry as dr,
    entity_registry as er,
    issue_registry as ir,
)
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.azirevpn.const import DOMAIN
from tests.conftest import (
    CONNECTION_ID,
    ME,
    asked,
    later,
    settled,
    state_of,
    suggested,
)
from tests.fake_provider import Account, Address, FakeProvider, Fault
from tests.test_account_options import MENU, NEW_PASSWORD, enter, errors, open_step
from tests.test_config_flow import FAILURES, UNREACHABLE

PASSWORD = "correct horse battery"


def assert_still_there(
    hass: HomeAssistant, provider: FakeProvider, entry: MockConfigEntry
) -> None:
    """Make sure that neither the account nor anything of it was deleted."""
    assert provider.accounts.with_username("ada") is not None
    assert hass.config_entries.async_entries(DOMAIN) == [entry]
    assert entry.state is ConfigEntryState.LOADED
    assert state_of(hass, "binary_sensor.ada_active") == "on"


async def test_delete(
    hass: HomeAssistant,
    hass_storage: dict[str, Any],
    provider: FakeProvider,
    account: Account,
    with_port: MockConfigEntry,
) -> None:
    """With the account go its entry, devices, entities, issues and what was stored."""
    account.expires_at = int(provider.clock.now()) + 60
    await later(hass, minutes=61)
    assert any(domain == DOMAIN for domain, _ in ir.async_get(hass).issues)
    await with_port.runtime_data.known_ports.async_write()
    store = f"{DOMAIN}.{with_port.entry_id}"
    assert CONNECTION_ID in hass_storage[store]["data"]

    form = await open_step(hass, with_port, "delete_account")
    assert form["description_placeholders"] is not None
    assert form["description_placeholders"]["username"] == "ada"
    assert suggested(form) == {}
    result = await enter(hass, form, username="ada", password=PASSWORD)
    assert result["type"] is FlowResultType.ABORT
    assert result["reason"] == "account_deleted"
    [request] = asked(provider, ME, "DELETE")
    assert request.body == {"password": PASSWORD}
    assert provider.accounts.with_username("ada") is None
    assert not hass.config_entries.async_entries(DOMAIN)
    assert not dr.async_entries_for_config_entry(dr.async_get(hass), with_port.entry_id)
    assert not er.async_entries_for_config_entry(er.async_get(hass), with_port.entry_id)
    assert not [issue for issue in ir.async_get(hass).issues if issue[0] == DOMAIN]
    assert store not in hass_storage
    assert not hass.config_entries.options.async_progress()
    assert not hass.states.async_entity_ids("sensor")


@pytest.mark.parametrize("typed", ["", "Ada", "ada ", "grace"])
async def test_wrong_username(
    hass: HomeAssistant, provider: FakeProvider, loaded: MockConfigEntry, typed: str
) -> None:
    """Who does not type the username exactly is not asked for anything else."""
    before = len(provider.requests)
    form = await open_step(hass, loaded, "delete_account")
    form = await enter(hass, form, username=typed, password=PASSWORD)
    assert await errors(hass, form) == {
        "username": "This is not the username of the account."
    }
    assert len(provider.requests) == before
    assert_still_there(hass, provider, loaded)
    result = await enter(hass, form, username="ada", password=PASSWORD)
    assert result["reason"] == "account_deleted"


async def test_renamed_meanwhile(
    hass: HomeAssistant,
    provider: FakeProvider,
    account: Account,
    entry: MockConfigEntry,
) -> None:
    """The username is the present one, wherever it was changed."""
    await hass.config_entries.async_setup(entry.entry_id)
    await settled(hass)
    account.username = "lovelace"
    await later(hass, minutes=61)
    form = await open_step(hass, entry, "delete_account")
    form = await enter(hass, form, username="ada", password=PASSWORD)
    assert form["errors"] == {"username": "wrong_username"}
    result = await enter(hass, form, username="lovelace", password=PASSWORD)
    assert result["reason"] == "account_deleted"


async def test_wrong_password(
    hass: HomeAssistant, provider: FakeProvider, loaded: MockConfigEntry
) -> None:
    """The service's words stand at the password, and everything stays."""
    form = await open_step(hass, loaded, "delete_account")
    form = await enter(hass, form, username="ada", password="guess")
    assert await errors(hass, form) == {
        "password": "The service says: The password is incorrect."
    }
    assert_still_there(hass, provider, loaded)
    result = await enter(hass, form, username="ada", password=PASSWORD)
    assert result["reason"] == "account_deleted"


@pytest.mark.parametrize("status", [400, 403])
async def test_wrong_password_without_field(
    hass: HomeAssistant, provider: FakeProvider, loaded: MockConfigEntry, status: int
) -> None:
    """Where the service names no field, its words stand above all of them."""
    body = {"status": "error", "message": "That was not the password"}
    provider.fail(ME, Fault.status(status, body=body), method="DELETE")
    form = await open_step(hass, loaded, "delete_account")
    form = await enter(hass, form, username="ada", password=PASSWORD)
    assert await errors(hass, form) == {
        "base": f"The service refused the request with status {status}:"
        " That was not the password"
    }
    assert_still_there(hass, provider, loaded)


@pytest.mark.parametrize(
    ("fault", "text"),
    # What a success holds is left open, so that any is one
    [failure for failure in FAILURES if failure.id != "wrong shape"],
)
async def test_failure(
    hass: HomeAssistant,
    provider: FakeProvider,
    loaded: MockConfigEntry,
    fault: Fault,
    text: str,
) -> None:
    """Only a service that says so has deleted the account."""
    form = await open_step(hass, loaded, "delete_account")
    provider.fail(ME, fault, method="DELETE", times=99)
    form = await enter(hass, form, username="ada", password=PASSWORD)
    assert await errors(hass, form) == {"base": text}
    assert len(asked(provider, ME, "DELETE")) == 1
    assert hass.config_entries.async_entries(DOMAIN) == [loaded]
    assert loaded.state is ConfigEntryState.LOADED


async def test_lost_answer(
    hass: HomeAssistant, provider: FakeProvider, loaded: MockConfigEntry
) -> None:
    """Where the answer was lost the entry stays, and the user decides."""
    form = await open_step(hass, loaded, "delete_account")
    provider.fail(ME, Fault.lost(), method="DELETE")
    form = await enter(hass, form, username="ada", password=PASSWORD)
    assert await errors(hass, form) == {"base": UNREACHABLE}
    assert len(asked(provider, ME, "DELETE")) == 1
    assert hass.config_entries.async_entries(DOMAIN) == [loaded]
    form = await enter(hass, form, username="ada", password=PASSWORD)
    assert form["errors"] == {"base": "invalid_auth"}
    assert hass.config_entries.async_entries(DOMAIN) == [loaded]


async def test_nothing_else_deletes(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    with_port: MockConfigEntry,
) -> None:
    """Of all that can be done in the options, one thing deletes the account."""
    entered: dict[str, list[dict[str, Any]]] = {
        "settings": [{}],
        "sign_in": [{"page": "order"}, {}],
        "change_username": [{"username": "lovelace"}],
        "change_email": [{"email": "lovelace@example.org"}],
        "remove_email": [{}],
        "change_password": [{"password": NEW_PASSWORD}],
        "delete_account": [{"username": "lovelace", "password": NEW_PASSWORD}],
    }
    assert list(entered) == MENU
    deleting = []
    for step, forms in entered.items():
        before = len(asked(provider, ME, "DELETE"))
        form = await open_step(hass, with_port, step)
        for values in forms:
            form = await enter(hass, form, **values)
        assert form["type"] is not FlowResultType.FORM
        if len(asked(provider, ME, "DELETE")) > before:
            deleting.append(step)
    assert deleting == ["delete_account"]
    # Removing the email has an address of its own
    assert [
        request.path for request in provider.requests if request.method == "DELETE"
    ] == [f"{ME}/email", ME]
