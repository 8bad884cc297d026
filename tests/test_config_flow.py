"""A user adds an account by its access token, and renews the token."""

from typing import Any

from homeassistant.config_entries import (
    SOURCE_USER,
    ConfigEntryState,
    ConfigFlowResult,
    FlowType,
)
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.azirevpn.const import DOMAIN
from tests.conftest import (
    ME,
    account_data,
    asked,
    error_texts,
    settled,
    state_of,
)
from tests.fake_provider import Account, Address, FakeProvider, Fault, Tunnel

pytestmark = pytest.mark.usefixtures("enable_custom_integrations")

REFUSED_TOKEN = "The access token was refused. Make a new one in the web manager."
UNREACHABLE = "The service could not be reached. Check the network and try again."
NOT_UNDERSTOOD = (
    "The service gave an answer that could not be understood. Check its address."
)
WRONG_ADDRESS = (
    "An address of the service can't be used. It must begin with https. Without"
    " encryption it may only lead to this machine."
)
HOLD_ON = "The service received too many requests. Try again in {} seconds."

# What can go wrong with the answer, and what the user reads then
FAILURES = [
    pytest.param(Fault.status(401), REFUSED_TOKEN, id="401"),
    pytest.param(Fault.reset(), UNREACHABLE, id="reset"),
    pytest.param(Fault.not_json(), NOT_UNDERSTOOD, id="captive portal"),
    pytest.param(Fault.wrong_shape(), NOT_UNDERSTOOD, id="wrong shape"),
    pytest.param(Fault.truncated(), NOT_UNDERSTOOD, id="truncated"),
    pytest.param(Fault.redirect("https://example.org/"), NOT_UNDERSTOOD, id="redirect"),
    pytest.param(
        Fault.status(429, headers={"Retry-After": "17"}), HOLD_ON.format(17), id="429"
    ),
    pytest.param(Fault.status(429), HOLD_ON.format(60), id="429 without seconds"),
    pytest.param(
        Fault.status(503),
        "The service refused the request with status 503: Service Unavailable",
        id="503",
    ),
    pytest.param(
        Fault.status(404),
        "The service does not know what was asked for: Not Found",
        id="404",
    ),
]


async def open_token_step(hass: HomeAssistant) -> ConfigFlowResult:
    """Begin to add an account, and choose the access token from the menu."""
    menu = await hass.config_entries.flow.async_init(
        DOMAIN, context={"source": SOURCE_USER}
    )
    assert menu["type"] is FlowResultType.MENU
    assert menu["menu_options"] == ["token", "sign_up"]
    form = await hass.config_entries.flow.async_configure(
        menu["flow_id"], {"next_step_id": "token"}
    )
    assert form["step_id"] == "token"
    assert not form["errors"]
    return form


async def enter(
    hass: HomeAssistant, form: ConfigFlowResult, **entered: Any
) -> ConfigFlowResult:
    """Fill in a form and send it."""
    return await hass.config_entries.flow.async_configure(form["flow_id"], entered)


def service(provider: FakeProvider, **changes: str) -> dict[str, str]:
    """Return the addresses of the service, as entered in their section."""
    return {"base_url": provider.url, "manager_url": provider.manager_url} | changes


def is_service_collapsed(form: ConfigFlowResult) -> bool:
    """Return whether the section of the addresses is out of sight."""
    assert form["data_schema"]
    collapsed = form["data_schema"].schema["service"].options["collapsed"]
    assert isinstance(collapsed, bool)
    return collapsed


@pytest.mark.parametrize("padding", ["", " ", "\n"])
async def test_add_account(
    hass: HomeAssistant,
    provider: FakeProvider,
    account: Account,
    address: Address,
    tunnel: Tunnel,
    padding: str,
) -> None:
    """An account is added by its token, and its first connection right after it."""
    form = await open_token_step(hass)
    assert form["description_placeholders"] == {
        "token_url": "https://manager.azirevpn.com/account/token"
    }
    result = await enter(
        hass,
        form,
        access_token=f"{padding}{account.token}{padding}",
        service=service(provider, base_url=f"{provider.url}/"),
    )
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert result["title"] == "ada"
    assert result["data"] == account_data(provider, account)
    entry = result["result"]
    assert entry.unique_id == str(account.created_at)
    await settled(hass)
    assert entry.state is ConfigEntryState.LOADED
    assert state_of(hass, "binary_sensor.ada_active") == "on"
    assert len(asked(provider, ME)) == 2

    kind, flow_id = result["next_flow"]
    assert kind is FlowType.CONFIG_SUBENTRIES_FLOW
    connection = await hass.config_entries.subentries.async_configure(
        flow_id,
        {"name": "Home", "internal_ipv4": "10.0.131.176", "proxy_url": tunnel.url},
    )
    assert connection["type"] is FlowResultType.CREATE_ENTRY
    await settled(hass)
    assert state_of(hass, "binary_sensor.home_tunnel") == "on"
    assert len(asked(provider, ME)) == 3


@pytest.mark.parametrize(("fault", "text"), FAILURES)
async def test_add_account_failure(
    hass: HomeAssistant,
    provider: FakeProvider,
    account: Account,
    fault: Fault,
    text: str,
) -> None:
    """What goes wrong is told, nothing entered is lost, and the next try succeeds."""
    entered = {"access_token": account.token, "service": service(provider)}
    form = await open_token_step(hass)
    provider.fail(ME, fault, times=99)
    form = await enter(hass, form, **entered)
    assert form["type"] is FlowResultType.FORM
    assert await error_texts(hass, form) == {"base": text}
    assert form["description_placeholders"] is not None
    assert form["description_placeholders"]["token_url"] == (
        f"{provider.url}/account/token"
    )
    assert form["data_schema"] is not None
    suggested = {
        str(key): key.description["suggested_value"]
        for key in form["data_schema"].schema
        if key.description
    }
    assert suggested == {"access_token": account.token}
    assert not hass.config_entries.async_entries(DOMAIN)

    provider.faults.clear()
    result = await enter(hass, form, **entered)
    assert result["type"] is FlowResultType.CREATE_ENTRY


async def test_add_account_without_service(
    hass: HomeAssistant, provider: FakeProvider, account: Account
) -> None:
    """A service that is down can't be reached; when it is back, it can."""
    entered = {"access_token": account.token, "service": service(provider)}
    form = await open_token_step(hass)
    await provider.stop()
    form = await enter(hass, form, **entered)
    assert await error_texts(hass, form) == {"base": UNREACHABLE}
    await provider.start()
    result = await enter(hass, form, **entered)
    assert result["type"] is FlowResultType.CREATE_ENTRY


@pytest.mark.parametrize("token", ["wrong", " ", "ключ", "two\nlines"])
async def test_wrong_token(
    hass: HomeAssistant, provider: FakeProvider, account: Account, token: str
) -> None:
    """A token that isn't one is refused; the right one is then taken."""
    form = await open_token_step(hass)
    form = await enter(hass, form, access_token=token, service=service(provider))
    assert await error_texts(hass, form) == {"base": REFUSED_TOKEN}
    result = await enter(
        hass, form, access_token=account.token, service=service(provider)
    )
    assert result["type"] is FlowResultType.CREATE_ENTRY


@pytest.mark.parametrize("field", ["base_url", "manager_url"])
@pytest.mark.parametrize(
    "url",
    [
        "http://api.example.org",
        "http://192.0.2.1:8080",
        "ftp://127.0.0.1",
        "https://ada:secret@example.org",
        "https://example.org?page=1",
        "https://example.org#top",
        "https://[::1",
        "https://",
        "127.0.0.1",
        "words",
        "",
    ],
)
async def test_wrong_address(
    hass: HomeAssistant,
    provider: FakeProvider,
    account: Account,
    field: str,
    url: str,
) -> None:
    """An address that is none, or not safe, is refused before anything is sent."""
    form = await open_token_step(hass)
    assert is_service_collapsed(form)
    form = await enter(
        hass,
        form,
        access_token=account.token,
        service=service(provider, **{field: url}),
    )
    assert await error_texts(hass, form) == {"base": WRONG_ADDRESS}
    # The section that holds the addresses is open now
    assert not is_service_collapsed(form)
    assert not provider.requests
    result = await enter(
        hass, form, access_token=account.token, service=service(provider)
    )
    assert result["type"] is FlowResultType.CREATE_ENTRY


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:{port}",
        " http://127.0.0.1:{port}/ ",
        "http://[::1]:{port}",
        "https://127.0.0.1:{port}",
    ],
)
async def test_safe_address(
    hass: HomeAssistant, provider: FakeProvider, account: Account, url: str
) -> None:
    """On loopback, http will do; elsewhere it has to be https."""
    form = await open_token_step(hass)
    result = await enter(
        hass,
        form,
        access_token=account.token,
        service=service(provider, manager_url=url.format(port=provider.port)),
    )
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert result["data"]["manager_url"] == url.format(port=provider.port).strip(" /")


async def test_account_twice(
    hass: HomeAssistant,
    provider: FakeProvider,
    account: Account,
    loaded: MockConfigEntry,
) -> None:
    """An account that was renamed meanwhile is still the same one."""
    account.username = "grace"
    account.token = "another-token"
    form = await open_token_step(hass)
    result = await enter(
        hass, form, access_token=account.token, service=service(provider)
    )
    assert result["type"] is FlowResultType.ABORT
    assert result["reason"] == "already_configured"
    assert hass.config_entries.async_entries(DOMAIN) == [loaded]
