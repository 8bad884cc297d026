"""The provider refuses the access token, and the user enters another one."""

from homeassistant.config_entries import ConfigEntryState, ConfigFlowResult
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.azirevpn.const import DOMAIN
from tests.conftest import ME, asked, error_texts, later, settled, state_of
from tests.fake_provider import Account, FakeProvider, Fault
from tests.test_config_flow import FAILURES, REFUSED_TOKEN

ACTIVE = "binary_sensor.ada_active"


def reauth_form(hass: HomeAssistant) -> ConfigFlowResult:
    """Return the one flow that asks the user for another token."""
    [flow] = hass.config_entries.flow.async_progress()
    assert flow["step_id"] == "reauth_confirm"
    return flow


async def enter_token(
    hass: HomeAssistant, form: ConfigFlowResult, token: str
) -> ConfigFlowResult:
    """Enter an access token, and wait for what follows."""
    result = await hass.config_entries.flow.async_configure(
        form["flow_id"], {"access_token": token}
    )
    await settled(hass)
    return result


@pytest.fixture(params=["loaded", "failed"])
async def refused(
    hass: HomeAssistant,
    account: Account,
    entry: MockConfigEntry,
    request: pytest.FixtureRequest,
) -> MockConfigEntry:
    """Return an entry whose token is refused, at a poll or already at set-up."""
    if request.param == "failed":
        account.token = "renewed-token"
        assert not await hass.config_entries.async_setup(entry.entry_id)
        await settled(hass)
        assert entry.state is ConfigEntryState.SETUP_ERROR
    else:
        assert await hass.config_entries.async_setup(entry.entry_id)
        await settled(hass)
        account.token = "renewed-token"
        await later(hass, minutes=61)
        assert entry.state is ConfigEntryState.LOADED
        assert state_of(hass, ACTIVE) == "unavailable"
    return entry


def assert_no_complaints(caplog: pytest.LogCaptureFixture) -> None:
    """Make sure that Home Assistant finds nothing wrong with how it is used."""
    for complaint in ("Detected that", "deprecated", "will stop working"):
        assert complaint not in caplog.text


async def test_renew(
    hass: HomeAssistant,
    provider: FakeProvider,
    refused: MockConfigEntry,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Another token is looked at, taken, and the account is set up once with it."""
    before = len(asked(provider, ME))
    result = await enter_token(hass, reauth_form(hass), " renewed-token\n")
    assert result["type"] is FlowResultType.ABORT
    assert result["reason"] == "reauth_successful"
    assert refused.data["access_token"] == "renewed-token"
    assert refused.state is ConfigEntryState.LOADED
    assert state_of(hass, ACTIVE) == "on"
    assert state_of(hass, "binary_sensor.home_tunnel") == "on"
    assert len(asked(provider, ME)) == before + 2
    assert not hass.config_entries.flow.async_progress()
    assert_no_complaints(caplog)


async def test_form(
    hass: HomeAssistant, provider: FakeProvider, refused: MockConfigEntry
) -> None:
    """The form tells which account it is about, and where tokens are made."""
    form = await hass.config_entries.flow.async_configure(reauth_form(hass)["flow_id"])
    assert form["description_placeholders"] == {
        "name": "ada",
        "token_url": f"{provider.url}/account/token",
    }


async def test_wrong_token(
    hass: HomeAssistant, provider: FakeProvider, refused: MockConfigEntry
) -> None:
    """A token that is refused as well is no use, but the next one may be."""
    form = await enter_token(hass, reauth_form(hass), "wrong")
    assert await error_texts(hass, form) == {"base": REFUSED_TOKEN}
    result = await enter_token(hass, form, "renewed-token")
    assert result["reason"] == "reauth_successful"
    assert refused.state is ConfigEntryState.LOADED


@pytest.mark.parametrize(("fault", "text"), FAILURES)
async def test_failure(
    hass: HomeAssistant,
    provider: FakeProvider,
    refused: MockConfigEntry,
    fault: Fault,
    text: str,
) -> None:
    """What goes wrong is told, and the next try succeeds."""
    provider.fail(ME, fault, times=99)
    form = await enter_token(hass, reauth_form(hass), "renewed-token")
    assert form["type"] is FlowResultType.FORM
    assert await error_texts(hass, form) == {"base": text}
    provider.faults.clear()
    result = await enter_token(hass, form, "renewed-token")
    assert result["reason"] == "reauth_successful"
    assert refused.state is ConfigEntryState.LOADED


async def test_wrong_account(
    hass: HomeAssistant,
    provider: FakeProvider,
    account: Account,
    refused: MockConfigEntry,
) -> None:
    """Another account's token does not turn the entry into that account."""
    other = provider.add_account("grace")
    data = dict(refused.data)
    result = await enter_token(hass, reauth_form(hass), other.token)
    assert result["type"] is FlowResultType.ABORT
    assert result["reason"] == "wrong_account"
    assert refused.data == data
    assert refused.unique_id == str(account.created_at)


async def test_one_odd_refusal(
    hass: HomeAssistant, provider: FakeProvider, loaded: MockConfigEntry
) -> None:
    """A token that is accepted at the second try is not asked for."""
    provider.fail(ME, Fault.status(401))
    await later(hass, minutes=61)
    assert state_of(hass, ACTIVE) == "on"
    assert not hass.config_entries.flow.async_progress_by_handler(DOMAIN)


async def test_same_token(
    hass: HomeAssistant,
    provider: FakeProvider,
    account: Account,
    loaded: MockConfigEntry,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """After refusals that were a mistake, the same token sets up once and polls again."""
    provider.fail(ME, Fault.status(401), times=2)
    await later(hass, minutes=61)
    assert state_of(hass, ACTIVE) == "unavailable"
    before = len(asked(provider, ME))
    result = await enter_token(hass, reauth_form(hass), account.token)
    assert result["reason"] == "reauth_successful"
    assert loaded.state is ConfigEntryState.LOADED
    assert state_of(hass, ACTIVE) == "on"
    assert len(asked(provider, ME)) == before + 2
    account.is_active = False
    await later(hass, minutes=61)
    assert state_of(hass, ACTIVE) == "off"
    assert_no_complaints(caplog)
