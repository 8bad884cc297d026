"""An account's owner changes its username, email and password."""

from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import device_registry as dr
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.azirevpn.const import DOMAIN
from tests.conftest import ME, asked, form_text, settled, state_of, suggested
from tests.fake_provider import Account, FakeProvider, Fault
from tests.test_account_options import NEW_PASSWORD, OTPS, enter, errors, open_step
from tests.test_config_flow import FAILURES

VERIFIED = "binary_sensor.ada_email_verified"

# What is sent where by each step that changes the account
CHANGES = [
    pytest.param(
        "change_username",
        {"username": "lovelace"},
        ("PUT", f"{ME}/username", {"new_username": "lovelace"}),
        id="username",
    ),
    pytest.param(
        "change_email",
        {"email": "lovelace@example.org"},
        ("PUT", f"{ME}/email", {"email": "lovelace@example.org"}),
        id="email",
    ),
    pytest.param("remove_email", {}, ("DELETE", f"{ME}/email", {}), id="no email"),
    pytest.param(
        "change_password",
        {"password": NEW_PASSWORD},
        ("PUT", f"{ME}/password", {"new_password": NEW_PASSWORD}),
        id="password",
    ),
]


@pytest.mark.parametrize(("step", "entered", "request_"), CHANGES)
async def test_change(
    hass: HomeAssistant,
    provider: FakeProvider,
    account: Account,
    loaded: MockConfigEntry,
    step: str,
    entered: dict[str, str],
    request_: tuple[str, str, dict[str, str]],
) -> None:
    """A change is sent once as it was entered; the options stay as they were."""
    hass.config_entries.async_update_entry(loaded, options={"check_ports": False})
    await settled(hass)
    method, path, body = request_
    form = await open_step(hass, loaded, step)
    result = await enter(hass, form, **entered)
    assert result["type"] is FlowResultType.CREATE_ENTRY
    [sent] = asked(provider, path, method)
    assert (sent.body or {}) == body
    assert loaded.options == {"check_ports": False}
    assert loaded.data["access_token"] == account.token
    assert loaded.state is ConfigEntryState.LOADED
    assert state_of(hass, "binary_sensor.home_tunnel") == "on"


async def test_username(
    hass: HomeAssistant, provider: FakeProvider, loaded: MockConfigEntry
) -> None:
    """The title and the device are called after the new username at once."""
    form = await open_step(hass, loaded, "change_username")
    assert suggested(form) == {"username": "ada"}
    await enter(hass, form, username="lovelace")
    assert loaded.title == "lovelace"
    device = dr.async_get(hass).async_get_device_by_identifier(
        (DOMAIN, str(loaded.unique_id)), loaded.entry_id
    )
    assert device is not None
    assert device.name == "lovelace"
    # Entity ids are the user's, and stay
    assert state_of(hass, "binary_sensor.ada_active") == "on"


async def test_email(
    hass: HomeAssistant, account: Account, loaded: MockConfigEntry
) -> None:
    """What a new email means for the account shows at once, without a poll."""
    assert state_of(hass, VERIFIED) == "on"
    form = await open_step(hass, loaded, "change_email")
    assert suggested(form) == {"email": "ada@example.org"}
    await enter(hass, form, email="lovelace@example.org")
    assert account.email == "lovelace@example.org"
    assert state_of(hass, VERIFIED) == "off"


async def test_no_email(
    hass: HomeAssistant, account: Account, loaded: MockConfigEntry
) -> None:
    """The email that would be removed is shown; without one, nothing offers to."""
    form = await open_step(hass, loaded, "remove_email")
    assert "removes ada@example.org" in await form_text(hass, form, "options")
    assert account.email
    await enter(hass, form)
    assert not account.email
    assert state_of(hass, VERIFIED) == "off"
    menu = await hass.config_entries.options.async_init(loaded.entry_id)
    assert "remove_email" not in (menu["menu_options"] or [])


async def test_password(
    hass: HomeAssistant, account: Account, loaded: MockConfigEntry
) -> None:
    """The new password is sent, and not shown."""
    form = await open_step(hass, loaded, "change_password")
    assert suggested(form) == {}
    await enter(hass, form, password=NEW_PASSWORD)
    assert account.password == NEW_PASSWORD
    assert NEW_PASSWORD not in str(loaded.as_dict())


@pytest.mark.parametrize(
    ("step", "entered", "texts", "mended"),
    [
        (
            "change_username",
            {"username": "grace"},
            {"username": "The service says: The new username has already been taken."},
            {"username": "lovelace"},
        ),
        (
            "change_email",
            {"email": "lovelace"},
            {"email": "The service says: The email must be a valid email address."},
            {"email": "lovelace@example.org"},
        ),
        (
            "change_password",
            {"password": "short"},
            {
                "password": "The service says: The new password must be at least"
                " 8 characters."
            },
            {"password": NEW_PASSWORD},
        ),
    ],
)
async def test_complaint(
    hass: HomeAssistant,
    provider: FakeProvider,
    loaded: MockConfigEntry,
    step: str,
    entered: dict[str, str],
    texts: dict[str, str],
    mended: dict[str, str],
) -> None:
    """What the service complains about stands at the field, with what was entered."""
    provider.add_account("grace")
    form = await enter(hass, await open_step(hass, loaded, step), **entered)
    assert form["step_id"] == step
    assert await errors(hass, form) == texts
    assert suggested(form) == entered
    result = await enter(hass, form, **mended)
    assert result["type"] is FlowResultType.CREATE_ENTRY


@pytest.mark.parametrize(("fault", "text"), FAILURES)
@pytest.mark.parametrize(
    ("step", "entered", "request_"),
    [*CHANGES, pytest.param("sign_in", {"page": "wireguard"}, ("", OTPS, {}))],
)
async def test_failure(
    hass: HomeAssistant,
    provider: FakeProvider,
    loaded: MockConfigEntry,
    step: str,
    entered: dict[str, str],
    request_: tuple[str, str, dict[str, str]],
    fault: Fault,
    text: str,
) -> None:
    """What goes wrong is told, nothing is sent twice, and the next try succeeds."""
    path = request_[1]
    form = await open_step(hass, loaded, step)
    provider.fail(path, fault, times=99)
    form = await enter(hass, form, **entered)
    assert form["step_id"] == step
    assert await errors(hass, form) == {"base": text}
    assert suggested(form) == entered
    assert len([sent for sent in provider.requests if sent.path == path]) == 1

    provider.faults.clear()
    # As if the time of a rate limit was over
    loaded.runtime_data.account.client._refused_until = 0.0
    result = await enter(hass, form, **entered)
    assert not result.get("errors")
    # The account was looked at, and its token found to be good
    assert not hass.config_entries.flow.async_progress()


async def test_token_refused(
    hass: HomeAssistant, account: Account, loaded: MockConfigEntry
) -> None:
    """A token that was revoked is found out by the first command, not an hour later."""
    account.token = "renewed-token"
    form = await open_step(hass, loaded, "change_username")
    form = await enter(hass, form, username="lovelace")
    assert form["errors"] == {"base": "invalid_auth"}
    [flow] = hass.config_entries.flow.async_progress()
    assert flow["step_id"] == "reauth_confirm"
