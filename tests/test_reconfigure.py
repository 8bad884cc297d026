"""A user changes an account's access token, or the addresses of the service."""

from collections.abc import AsyncIterator
from typing import Any

from homeassistant.config_entries import ConfigEntryState, ConfigFlowResult
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from tests.conftest import (
    ME,
    account_data,
    asked,
    error_texts,
    form_text,
    later,
    settled,
    state_of,
    suggested,
)
from tests.fake_provider import Account, FakeProvider, Fault
from tests.test_config_flow import FAILURES, REFUSED_TOKEN, WRONG_ADDRESS, service

ACTIVE = "binary_sensor.ada_active"


@pytest.fixture(params=["loaded", "refused", "retrying"])
async def there(
    hass: HomeAssistant,
    provider: FakeProvider,
    account: Account,
    entry: MockConfigEntry,
    request: pytest.FixtureRequest,
) -> MockConfigEntry:
    """Return an entry that works, or one that does not."""
    old_token = account.token
    if request.param == "refused":
        account.token = "another"
    elif request.param == "retrying":
        provider.fail(ME, Fault.status(503))
    works = await hass.config_entries.async_setup(entry.entry_id)
    await settled(hass)
    assert works is (request.param == "loaded")
    account.token = old_token
    return entry


async def enter(
    hass: HomeAssistant, form: ConfigFlowResult, **entered: Any
) -> ConfigFlowResult:
    """Fill in the form, send it, and wait for what follows."""
    result = await hass.config_entries.flow.async_configure(form["flow_id"], entered)
    await settled(hass)
    return result


@pytest.fixture
async def elsewhere(provider: FakeProvider) -> AsyncIterator[FakeProvider]:
    """Serve the same accounts at other addresses."""
    async with FakeProvider() as other:
        other.accounts = provider.accounts
        yield other


async def test_form(
    hass: HomeAssistant, provider: FakeProvider, there: MockConfigEntry
) -> None:
    """The form shows the addresses that are used, and no token."""
    form = await there.start_reconfigure_flow(hass)
    assert form["step_id"] == "reconfigure"
    assert not form["errors"]
    assert suggested(form) == {"service": service(provider)}
    text = await form_text(hass, form)
    assert "the access token of ada" in text
    assert f"({provider.url}/account/token)" in text


@pytest.mark.parametrize("token", [None, "", " ", " renewed-token\n"])
@pytest.mark.parametrize("moves", [True, False])
async def test_change(
    hass: HomeAssistant,
    provider: FakeProvider,
    elsewhere: FakeProvider,
    account: Account,
    there: MockConfigEntry,
    token: str | None,
    *,
    moves: bool,
) -> None:
    """Token, addresses or both are looked at once, and set up with once."""
    if token and token.strip():
        account.token = token.strip()
    form = await there.start_reconfigure_flow(hass)
    provider.requests.clear()
    serving, silent = (elsewhere, provider) if moves else (provider, elsewhere)
    entered = {} if token is None else {"access_token": token}
    result = await enter(hass, form, service=service(serving), **entered)
    assert result["type"] is FlowResultType.ABORT
    assert result["reason"] == "reconfigure_successful"
    assert there.data == account_data(serving, account)
    assert there.state is ConfigEntryState.LOADED
    assert state_of(hass, ACTIVE) == "on"
    assert len(asked(serving, ME)) == 2
    assert not asked(silent, ME)


async def test_polls_again(
    hass: HomeAssistant, account: Account, there: MockConfigEntry
) -> None:
    """What is set up anew goes on being polled."""
    addresses = {field: there.data[field] for field in ("base_url", "manager_url")}
    await enter(hass, await there.start_reconfigure_flow(hass), service=addresses)
    account.is_active = False
    await later(hass, minutes=61)
    assert state_of(hass, ACTIVE) == "off"


async def test_wrong_account(
    hass: HomeAssistant,
    provider: FakeProvider,
    account: Account,
    there: MockConfigEntry,
) -> None:
    """Another account's token does not turn the entry into that account."""
    data, state = dict(there.data), there.state
    other = provider.add_account("grace")
    form = await there.start_reconfigure_flow(hass)
    result = await enter(
        hass, form, access_token=other.token, service=service(provider)
    )
    assert result["type"] is FlowResultType.ABORT
    assert result["reason"] == "wrong_account"
    assert there.data == data
    assert there.unique_id == str(account.created_at)
    assert there.title == "ada"
    assert there.state is state


@pytest.mark.parametrize(("fault", "text"), FAILURES)
async def test_failure(
    hass: HomeAssistant,
    elsewhere: FakeProvider,
    account: Account,
    loaded: MockConfigEntry,
    fault: Fault,
    text: str,
) -> None:
    """What goes wrong is told, changes nothing, and the next try succeeds."""
    data = dict(loaded.data)
    entered = {"access_token": account.token, "service": service(elsewhere)}
    form = await loaded.start_reconfigure_flow(hass)
    elsewhere.fail(ME, fault, times=99)
    form = await enter(hass, form, **entered)
    assert await error_texts(hass, form) == {"base": text}
    assert suggested(form) == entered
    assert loaded.data == data
    assert loaded.state is ConfigEntryState.LOADED

    elsewhere.faults.clear()
    result = await enter(hass, form, **entered)
    assert result["reason"] == "reconfigure_successful"
    assert loaded.data == account_data(elsewhere, account)
    assert state_of(hass, ACTIVE) == "on"


async def test_wrong_token(
    hass: HomeAssistant,
    provider: FakeProvider,
    account: Account,
    there: MockConfigEntry,
) -> None:
    """A token that is refused is not taken; the right one is, in the same form."""
    data = dict(there.data)
    form = await there.start_reconfigure_flow(hass)
    form = await enter(hass, form, access_token="wrong", service=service(provider))
    assert await error_texts(hass, form) == {"base": REFUSED_TOKEN}
    assert there.data == data
    result = await enter(
        hass, form, access_token=account.token, service=service(provider)
    )
    assert result["reason"] == "reconfigure_successful"
    assert there.state is ConfigEntryState.LOADED


@pytest.mark.parametrize("field", ["base_url", "manager_url"])
async def test_wrong_address(
    hass: HomeAssistant, provider: FakeProvider, loaded: MockConfigEntry, field: str
) -> None:
    """An address that is not safe is refused before the token is sent there."""
    data = dict(loaded.data)
    entered = {"service": service(provider, **{field: "http://example.org"})}
    before = len(provider.requests)
    form = await enter(hass, await loaded.start_reconfigure_flow(hass), **entered)
    assert await error_texts(hass, form) == {"base": WRONG_ADDRESS}
    assert suggested(form) == entered
    assert len(provider.requests) == before
    assert loaded.data == data
    result = await enter(hass, form, service=service(provider))
    assert result["reason"] == "reconfigure_successful"
