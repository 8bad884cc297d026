"""A user without an account creates one, and adds it right away."""

from typing import Any

from homeassistant.config_entries import SOURCE_USER, ConfigFlowResult
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType, InvalidData
import pytest

from custom_components.azirevpn.const import DOMAIN
from tests.conftest import asked, error_texts, form_text, settled, suggested
from tests.fake_provider import Account, FakeProvider, Fault
from tests.test_config_flow import FAILURES, UNREACHABLE, WRONG_ADDRESS, enter, service

pytestmark = pytest.mark.usefixtures("enable_custom_integrations")

USERS = "/v3/users"
PASSWORD = "analytical-engine-1843"


async def open_sign_up(hass: HomeAssistant) -> ConfigFlowResult:
    """Begin to add an account, and choose to create one from the menu."""
    menu = await hass.config_entries.flow.async_init(
        DOMAIN, context={"source": SOURCE_USER}
    )
    assert menu["type"] is FlowResultType.MENU
    assert menu["menu_options"] == ["token", "sign_up"]
    form = await hass.config_entries.flow.async_configure(
        menu["flow_id"], {"next_step_id": "sign_up"}
    )
    assert form["step_id"] == "sign_up"
    assert not form["errors"]
    return form


def filled(provider: FakeProvider, **changes: Any) -> dict[str, Any]:
    """Return the form as grace fills it in."""
    return {
        "username": "grace",
        "password": PASSWORD,
        "currency": "EUR",
        "codes": {},
        "service": service(provider),
    } | changes


def created(provider: FakeProvider) -> Account:
    """Return the account of grace."""
    account = provider.accounts.with_username("grace")
    assert account is not None
    return account


async def add_by_token(
    hass: HomeAssistant, provider: FakeProvider, form: ConfigFlowResult
) -> None:
    """Click the explanation on, and enter the token that was made meanwhile."""
    again = await hass.config_entries.flow.async_configure(form["flow_id"])
    assert again["step_id"] == form["step_id"]
    form = await enter(hass, form)
    assert form["step_id"] == "token"
    assert not form["errors"]
    assert form["description_placeholders"] is not None
    assert form["description_placeholders"]["token_url"] == (
        f"{provider.url}/account/token"
    )
    # The addresses need not be entered again
    assert suggested(form) == {"service": service(provider)}
    result = await enter(
        hass,
        form,
        access_token=created(provider).token,
        service=suggested(form)["service"],
    )
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert result["title"] == "grace"
    assert result["result"].unique_id == str(created(provider).created_at)
    assert result["data"] == {
        "access_token": created(provider).token,
        "base_url": provider.url,
        "manager_url": provider.manager_url,
    }
    await settled(hass)


async def test_without_email(hass: HomeAssistant, provider: FakeProvider) -> None:
    """Without an email, only the access token is left to be made."""
    form = await open_sign_up(hass)
    form = await enter(hass, form, **filled(provider))
    assert form["step_id"] == "signed_up"
    assert f"[access token page]({provider.url}/account/token)" in await form_text(
        hass, form
    )
    [request] = asked(provider, USERS, "POST")
    assert request.body == {
        "username": "grace",
        "password": PASSWORD,
        "currency": "EUR",
    }
    assert "Authorization" not in request.headers
    assert not provider.verification_emails
    await add_by_token(hass, provider, form)


async def test_with_email(hass: HomeAssistant, provider: FakeProvider) -> None:
    """With an email, the user is told to verify it first."""
    form = await open_sign_up(hass)
    form = await enter(hass, form, **filled(provider, email="grace@example.org"))
    assert form["step_id"] == "verify_email"
    text = await form_text(hass, form)
    assert "sent to grace@example.org" in text
    assert f"[access token page]({provider.url}/account/token)" in text
    assert provider.verification_emails == ["grace@example.org"]
    account = created(provider)
    account.is_email_verified = account.is_active = True
    await add_by_token(hass, provider, form)


@pytest.mark.parametrize("currency", ["EUR", "USD", "SEK"])
async def test_currency(
    hass: HomeAssistant, provider: FakeProvider, currency: str
) -> None:
    """The account is kept in the chosen currency."""
    form = await open_sign_up(hass)
    await enter(hass, form, **filled(provider, currency=currency))
    assert created(provider).currency == currency


async def test_unknown_currency(hass: HomeAssistant, provider: FakeProvider) -> None:
    """There are three currencies."""
    form = await open_sign_up(hass)
    with pytest.raises(InvalidData):
        await enter(hass, form, **filled(provider, currency="DKK"))
    assert not provider.requests


@pytest.mark.parametrize(
    ("codes", "sent"),
    [
        ({"referral_code": "friend"}, {"referral_code": "friend"}),
        ({"affiliate_code": "page"}, {"affiliate_code": "page"}),
        (
            {"referral_code": "friend", "affiliate_code": "page"},
            {"referral_code": "friend"},
        ),
        ({"referral_code": "", "affiliate_code": ""}, {}),
    ],
)
async def test_codes(
    hass: HomeAssistant,
    provider: FakeProvider,
    codes: dict[str, str],
    sent: dict[str, str],
) -> None:
    """An affiliate code is sent only without a referral code."""
    form = await open_sign_up(hass)
    form = await enter(hass, form, **filled(provider, codes=codes))
    assert form["step_id"] == "signed_up"
    [request] = asked(provider, USERS, "POST")
    assert {
        field: code for field, code in request.body.items() if field.endswith("_code")
    } == sent


@pytest.mark.parametrize(
    ("entered", "texts"),
    [
        (
            {"username": "ada"},
            {"username": "The service says: The username has already been taken."},
        ),
        (
            {"password": "short"},
            {
                "password": "The service says: The password must be at least 8 characters."
            },
        ),
        (
            {"email": "grace"},
            {"email": "The service says: The email must be a valid email address."},
        ),
        (
            {"username": "ada", "password": "short", "email": "grace"},
            {
                "username": "The service says: The username has already been taken.",
                "password": "The service says: The password must be at least"
                " 8 characters.",
                "email": "The service says: The email must be a valid email address.",
            },
        ),
    ],
)
async def test_complaints(
    hass: HomeAssistant,
    provider: FakeProvider,
    account: Account,
    entered: dict[str, str],
    texts: dict[str, str],
) -> None:
    """What the service complains about stands at the fields; the rest is kept."""
    form = await open_sign_up(hass)
    form = await enter(hass, form, **filled(provider, **entered))
    assert form["step_id"] == "sign_up"
    assert await error_texts(hass, form) == texts
    assert suggested(form) == filled(provider, **entered)
    assert provider.accounts.with_username("grace") is None

    form = await enter(hass, form, **filled(provider))
    assert form["step_id"] == "signed_up"
    assert not form["errors"]
    await add_by_token(hass, provider, form)


@pytest.mark.parametrize(
    ("complaints", "texts"),
    [
        (
            {
                "currency": ["Not that."],
                "referral_code": ["Unknown."],
                "affiliate_code": ["Too long.", "Too old."],
            },
            {
                "currency": "The service says: Not that.",
                "base": "The service refused what was entered: Not that. Unknown."
                " Too long. Too old.",
            },
        ),
        (
            {"terms": ["Accept them {first}."], "username": ["Too plain."]},
            {
                "username": "The service says: Too plain.",
                "base": "The service refused what was entered: Accept them {first}."
                " Too plain.",
            },
        ),
    ],
)
async def test_other_complaints(
    hass: HomeAssistant,
    provider: FakeProvider,
    complaints: dict[str, list[str]],
    texts: dict[str, str],
) -> None:
    """A complaint about what is no field, or out of sight, stands above all."""
    body = {"status": "error", "message": "Invalid.", "data": complaints}
    provider.fail(USERS, Fault.status(422, body=body))
    form = await open_sign_up(hass)
    form = await enter(hass, form, **filled(provider))
    assert await error_texts(hass, form) == texts
    form = await enter(hass, form, **filled(provider))
    assert form["step_id"] == "signed_up"


@pytest.mark.parametrize("field", ["base_url", "manager_url"])
async def test_wrong_address(
    hass: HomeAssistant, provider: FakeProvider, field: str
) -> None:
    """A password goes nowhere without encryption."""
    entered = filled(
        provider, service=service(provider, **{field: "http://example.org"})
    )
    form = await open_sign_up(hass)
    form = await enter(hass, form, **entered)
    assert await error_texts(hass, form) == {"base": WRONG_ADDRESS}
    assert suggested(form) == entered
    assert not provider.requests
    form = await enter(hass, form, **filled(provider))
    assert form["step_id"] == "signed_up"


@pytest.mark.parametrize(("fault", "text"), FAILURES)
async def test_failure(
    hass: HomeAssistant, provider: FakeProvider, fault: Fault, text: str
) -> None:
    """What goes wrong is told, nothing entered is lost, and it is sent only once."""
    entered = filled(
        provider,
        email="grace@example.org",
        currency="SEK",
        codes={"referral_code": "friend"},
    )
    form = await open_sign_up(hass)
    provider.fail(USERS, fault, times=99)
    form = await enter(hass, form, **entered)
    assert await error_texts(hass, form) == {"base": text}
    assert suggested(form) == entered
    assert len(asked(provider, USERS, "POST")) == 1


@pytest.mark.parametrize(
    "fault", [Fault.status(429), Fault.status(503), Fault.reset(), Fault.not_json()]
)
async def test_recovery(
    hass: HomeAssistant, provider: FakeProvider, fault: Fault
) -> None:
    """The same form, sent again, creates the account."""
    form = await open_sign_up(hass)
    provider.fail(USERS, fault)
    form = await enter(hass, form, **filled(provider))
    assert set(form["errors"] or {}) == {"base"}
    form = await enter(hass, form, **filled(provider))
    assert form["step_id"] == "signed_up"
    assert not form["errors"]
    await add_by_token(hass, provider, form)


async def test_lost_answer(hass: HomeAssistant, provider: FakeProvider) -> None:
    """An account whose creation was not confirmed can be added by its token."""
    form = await open_sign_up(hass)
    provider.fail(USERS, Fault.lost())
    form = await enter(hass, form, **filled(provider))
    assert await error_texts(hass, form) == {"base": UNREACHABLE}
    form = await enter(hass, form, **filled(provider))
    assert await error_texts(hass, form) == {
        "username": "The service says: The username has already been taken."
    }
    menu = await hass.config_entries.flow.async_init(
        DOMAIN, context={"source": SOURCE_USER}
    )
    form = await hass.config_entries.flow.async_configure(
        menu["flow_id"], {"next_step_id": "token"}
    )
    result = await enter(
        hass,
        form,
        access_token=created(provider).token,
        service=service(provider),
    )
    assert result["title"] == "grace"


async def test_password_is_kept_nowhere(
    hass: HomeAssistant,
    hass_storage: dict[str, Any],
    provider: FakeProvider,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The password is in no log, whatever goes wrong, and in nothing that is stored."""
    caplog.set_level("DEBUG")
    form = await open_sign_up(hass)
    echo = {"status": "error", "message": PASSWORD, "data": {"password": [PASSWORD]}}
    for fault in (
        Fault.reset(),
        Fault.status(500, body=echo),
        Fault.status(422, body=echo),
        Fault.truncated(),
    ):
        provider.fail(USERS, fault)
        form = await enter(hass, form, **filled(provider, username=fault.name))
        assert PASSWORD not in str(form["errors"])
        assert PASSWORD not in str(form["description_placeholders"])
    form = await enter(hass, form, **filled(provider))
    assert PASSWORD not in str(form)
    await add_by_token(hass, provider, form)
    [entry] = hass.config_entries.async_entries(DOMAIN)
    await hass.config_entries._store.async_save(hass.config_entries._data_to_save())
    assert "grace" in str(hass_storage["core.config_entries"])
    for place in (caplog.text, repr(entry), str(entry.as_dict()), str(hass_storage)):
        assert PASSWORD not in place
