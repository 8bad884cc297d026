"""An account's owner signs in to see to what an issue tells of."""

from collections.abc import Awaitable, Callable

from homeassistant.core import HomeAssistant
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from tests.conftest import ME, asked, settled
from tests.fake_provider import Account, FakeProvider, Fault
from tests.flow_views import Browser
from tests.owner import Owner, in_days
from tests.test_config_flow import FAILURES

OTPS = f"{ME}/otps"

SIGN_IN_ISSUES = [
    ("subscription_expiring", "order"),
    ("subscription_ended", "order"),
    ("email_not_verified", "settings"),
]


type Trouble = Callable[[str], Awaitable[None]]


@pytest.fixture
def trouble(owner: Owner, account: Account) -> Trouble:
    """Return what brings the account into the state that an issue tells of."""

    async def bring(kind: str) -> None:
        if kind == "email_not_verified":
            account.is_email_verified = account.is_active = False
        else:
            account.expires_at = in_days(10 if kind == "subscription_expiring" else 0)
        await owner.wait(hours=1.1)
        assert [issue.translation_key for issue in owner.issues()] == [kind]

    return bring


@pytest.mark.parametrize(("kind", "page"), SIGN_IN_ISSUES)
async def test_sign_in(
    browser: Browser,
    owner: Owner,
    provider: FakeProvider,
    account: Account,
    trouble: Trouble,
    kind: str,
    page: str,
) -> None:
    """A link is made when it is asked for; the issue goes once it was seen to."""
    await trouble(kind)
    shown = await browser.fix(kind)
    assert shown["step_id"] == "confirm"
    assert await browser.reads(shown, "title") == (await owner.titles())[0]
    assert "good for 10 minutes" in await browser.reads(shown)
    assert (await browser.look_again())["step_id"] == "confirm"
    assert not provider.one_time_passwords

    shown = await browser.go_on()
    [one_time] = provider.one_time_passwords.values()
    assert shown["step_id"] == "link"
    url = f"{provider.url}/auth/otp?token={one_time.otp}&redirect={page}"
    assert f"]({url})" in await browser.reads(shown)
    # Whoever reloads the page does not lose the link, and makes no other
    assert (await browser.look_again())["description_placeholders"]["url"] == url
    assert len(owner.issues()) == 1

    account.expires_at = in_days(365)
    account.is_email_verified = account.is_active = True
    shown = await browser.go_on()
    assert shown["type"] == "create_entry"
    assert not owner.issues()
    assert len(provider.one_time_passwords) == 1


@pytest.mark.parametrize(("kind", "page"), SIGN_IN_ISSUES)
async def test_still_open(
    browser: Browser, owner: Owner, trouble: Trouble, kind: str, page: str
) -> None:
    """Who only looked at the page is told that nothing has changed."""
    await trouble(kind)
    await browser.fix(kind)
    await browser.go_on()
    shown = await browser.go_on()
    assert shown["reason"] == "still_open"
    assert await browser.reads(shown) == (
        "Nothing has changed yet. The notice stays until it has."
    )
    assert [issue.translation_key for issue in owner.issues()] == [kind]


async def test_renewed_too_briefly(
    browser: Browser, owner: Owner, account: Account, trouble: Trouble
) -> None:
    """A renewal that is itself about to end leaves the issue, with the new day."""
    await trouble("subscription_expiring")
    await browser.fix("subscription_expiring")
    await browser.go_on()
    account.expires_at = in_days(12)
    assert (await browser.go_on())["reason"] == "still_open"
    assert await owner.titles() == ["The subscription of ada ends on 2026-12-03"]


@pytest.mark.parametrize(("fault", "text"), FAILURES)
async def test_no_link(
    hass: HomeAssistant,
    browser: Browser,
    owner: Owner,
    provider: FakeProvider,
    trouble: Trouble,
    fault: Fault,
    text: str,
) -> None:
    """A link that could not be made is told of in the service's words."""
    await trouble("subscription_expiring")
    await browser.fix("subscription_expiring")
    provider.fail(OTPS, fault, times=99)
    shown = await browser.go_on()
    await settled(hass)
    assert shown["reason"] == "failed"
    assert await browser.reads(shown) == text.removesuffix(".")
    assert len(asked(provider, OTPS, "POST")) == 1
    assert len(owner.issues()) == 1


async def test_outage_at_the_end(
    browser: Browser, owner: Owner, provider: FakeProvider, trouble: Trouble
) -> None:
    """Where it can't be told whether it was seen to, that is what is said."""
    await trouble("subscription_expiring")
    await browser.fix("subscription_expiring")
    await browser.go_on()
    provider.fail(ME, Fault.status(503))
    shown = await browser.go_on()
    assert shown["reason"] == "failed"
    assert await browser.reads(shown) == (
        "The service refused the request with status 503: Service Unavailable"
    )
    assert len(owner.issues()) == 1


async def test_loaded_anew_meanwhile(
    hass: HomeAssistant,
    browser: Browser,
    owner: Owner,
    account: Account,
    watched: MockConfigEntry,
    trouble: Trouble,
) -> None:
    """A reload while the owner reads does not hide that the issue was seen to."""
    await trouble("subscription_expiring")
    await browser.fix("subscription_expiring")
    await browser.go_on()
    assert await hass.config_entries.async_reload(watched.entry_id)
    await settled(hass)
    account.expires_at = in_days(365)
    assert (await browser.go_on())["type"] == "create_entry"
    assert not owner.issues()


@pytest.mark.parametrize("steps", [0, 1, 2])
async def test_not_loaded(
    hass: HomeAssistant,
    browser: Browser,
    owner: Owner,
    provider: FakeProvider,
    watched: MockConfigEntry,
    trouble: Trouble,
    steps: int,
) -> None:
    """An account has to work, from the beginning to the end."""
    await trouble("subscription_expiring")
    if steps:
        await browser.fix("subscription_expiring")
    if steps == 2:
        await browser.go_on()
    assert await hass.config_entries.async_unload(watched.entry_id)
    before = len(provider.requests)
    shown = await (browser.go_on() if steps else browser.fix("subscription_expiring"))
    assert shown["reason"] == "not_loaded"
    assert await browser.reads(shown) == "The account has to work first."
    assert len(provider.requests) == before
    assert len(owner.issues()) == 1
