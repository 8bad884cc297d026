"""An administrator has a link made that signs in to the web manager."""

from datetime import UTC, datetime
from typing import Any

from aiohttp import ClientSession
from homeassistant.const import MATCH_ALL
from homeassistant.core import Context, Event, HomeAssistant, callback
from homeassistant.exceptions import (
    HomeAssistantError,
    ServiceValidationError,
    Unauthorized,
)
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry, MockUser
import voluptuous as vol

from custom_components.azirevpn.const import DOMAIN
from tests.conftest import ME, asked, settled
from tests.fake_provider import Account, FakeProvider, Fault
from tests.test_config_flow import FAILURES

OTPS = f"{ME}/otps"


async def create_link(
    hass: HomeAssistant,
    entry_id: str,
    page: Any = "order",
    context: Context | None = None,
) -> dict[str, Any]:
    """Run the action and return its answer."""
    answer = await hass.services.async_call(
        DOMAIN,
        "create_login_link",
        {"config_entry_id": entry_id, "page": page},
        blocking=True,
        return_response=True,
        context=context,
    )
    await settled(hass)
    assert answer is not None
    return answer


@pytest.mark.parametrize("page", ["order", "wireguard", "settings"])
async def test_link(
    hass: HomeAssistant,
    hass_admin_user: MockUser,
    provider: FakeProvider,
    loaded: MockConfigEntry,
    page: str,
) -> None:
    """An administrator gets an address that signs in to the page, and its end."""
    answer = await create_link(
        hass, loaded.entry_id, page, Context(user_id=hass_admin_user.id)
    )
    [one_time] = provider.one_time_passwords.values()
    assert answer == {
        "url": f"{provider.manager_url}/auth/otp?token={one_time.otp}&redirect={page}",
        "expires_at": datetime.fromtimestamp(one_time.expires_at, UTC).isoformat(),
    }
    async with (
        ClientSession() as browser,
        browser.get(answer["url"]) as shown,
    ):
        assert f"Signed in as ada, on to {page}." in await shown.text()


async def test_by_automation(
    hass: HomeAssistant, provider: FakeProvider, loaded: MockConfigEntry
) -> None:
    """What nobody in particular started may do it, as an automation is its owner's."""
    assert (await create_link(hass, loaded.entry_id, context=Context()))["url"]


async def test_not_for_others(
    hass: HomeAssistant,
    hass_read_only_user: MockUser,
    provider: FakeProvider,
    loaded: MockConfigEntry,
) -> None:
    """Who is no administrator does not get into the account."""
    context = Context(user_id=hass_read_only_user.id)
    with pytest.raises(Unauthorized):
        await create_link(hass, loaded.entry_id, context=context)
    assert not asked(provider, OTPS, "POST")
    assert not provider.one_time_passwords


@pytest.mark.parametrize("page", ["", "login", "../order", None])
async def test_unknown_page(
    hass: HomeAssistant, provider: FakeProvider, loaded: MockConfigEntry, page: Any
) -> None:
    """There are three pages."""
    with pytest.raises(vol.Invalid):
        await create_link(hass, loaded.entry_id, page)
    assert not provider.one_time_passwords


async def test_without_answer(
    hass: HomeAssistant, provider: FakeProvider, loaded: MockConfigEntry
) -> None:
    """A link that nobody takes is not made."""
    with pytest.raises(ServiceValidationError):
        await hass.services.async_call(
            DOMAIN,
            "create_login_link",
            {"config_entry_id": loaded.entry_id, "page": "order"},
            blocking=True,
        )
    assert not provider.one_time_passwords


async def test_wrong_entry(
    hass: HomeAssistant, provider: FakeProvider, loaded: MockConfigEntry
) -> None:
    """An account that is none, not this integration's or not loaded is no account."""
    await async_setup_component(hass, "homeassistant", {})
    other = MockConfigEntry(domain="light", title="Lamp")
    other.add_to_hass(hass)
    with pytest.raises(ServiceValidationError, match="nowhere"):
        await create_link(hass, "nowhere")
    with pytest.raises(ServiceValidationError, match="Lamp"):
        await create_link(hass, other.entry_id)
    assert await hass.config_entries.async_unload(loaded.entry_id)
    with pytest.raises(ServiceValidationError, match="ada"):
        await create_link(hass, loaded.entry_id)
    assert not provider.one_time_passwords


@pytest.mark.parametrize(("fault", "text"), FAILURES)
async def test_failure(
    hass: HomeAssistant,
    provider: FakeProvider,
    loaded: MockConfigEntry,
    fault: Fault,
    text: str,
) -> None:
    """What goes wrong is told in the service's words, and nothing is sent twice."""
    provider.fail(OTPS, fault, times=99)
    with pytest.raises(HomeAssistantError) as caught:
        await create_link(hass, loaded.entry_id)
    assert str(caught.value) == text.removesuffix(".")
    await settled(hass)
    assert len(asked(provider, OTPS, "POST")) == 1
    assert not hass.config_entries.flow.async_progress()


async def test_token_refused(
    hass: HomeAssistant, account: Account, loaded: MockConfigEntry
) -> None:
    """A token that was revoked is found out at once, and asked for."""
    account.token = "renewed-token"
    with pytest.raises(HomeAssistantError, match="The access token was refused"):
        await create_link(hass, loaded.entry_id)
    await settled(hass)
    [flow] = hass.config_entries.flow.async_progress()
    assert flow["step_id"] == "reauth_confirm"


async def test_by_get(
    hass: HomeAssistant, provider: FakeProvider, loaded: MockConfigEntry
) -> None:
    """A service that wants GET is asked so after one refusal, and from then on."""
    provider.otp_method = "GET"
    await create_link(hass, loaded.entry_id)
    await create_link(hass, loaded.entry_id)
    assert len(asked(provider, OTPS, "POST")) == 1
    assert len(asked(provider, OTPS, "GET")) == 2
    # Should the service change its mind, it is asked the other way again
    provider.otp_method = "POST"
    await create_link(hass, loaded.entry_id)
    await create_link(hass, loaded.entry_id)
    assert len(asked(provider, OTPS, "POST")) == 3
    assert len(asked(provider, OTPS, "GET")) == 3


@pytest.mark.parametrize("method", ["POST", "GET"])
async def test_secrecy(
    hass: HomeAssistant,
    hass_admin_user: MockUser,
    provider: FakeProvider,
    loaded: MockConfigEntry,
    caplog: pytest.LogCaptureFixture,
    method: Any,
) -> None:
    """The one-time password reaches its caller, and nothing else."""
    caplog.set_level("DEBUG")
    heard = []

    @callback
    def hear(event: Event[Any]) -> None:
        heard.append(str(event.as_dict()))

    hass.bus.async_listen(MATCH_ALL, hear)
    provider.otp_method = method
    await create_link(
        hass, loaded.entry_id, context=Context(user_id=hass_admin_user.id)
    )
    provider.fail(OTPS, Fault.truncated())
    with pytest.raises(HomeAssistantError) as caught:
        await create_link(hass, loaded.entry_id)
    assert len(provider.one_time_passwords) == 2
    assert any("create_login_link" in event for event in heard)
    told = caplog.text + repr(caught.value) + str(hass.states.async_all())
    for otp in provider.one_time_passwords:
        assert otp not in told
        assert not any(otp in event for event in heard)
