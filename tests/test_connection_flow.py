"""A user adds a connection to an account."""

from typing import Any

from homeassistant.config_entries import (
    SOURCE_USER,
    ConfigEntryState,
    SubentryFlowResult,
)
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.azirevpn.const import DOMAIN
from tests.conftest import (
    EXIT_IP,
    PORTS,
    account_data,
    asked,
    error_texts,
    settled,
    state_of,
)
from tests.fake_provider import Account, Address, FakeProvider, Fault, Tunnel

IPV4 = "10.0.131.176"
NOT_AN_ADDRESS = (
    "This is not an IPv4 address. Enter it as in 10.0.131.176 or 10.0.131.176/32."
)
NOT_A_PROXY = (
    "This is not the address of an HTTP proxy. Enter it with http or https and a port."
)
NO_PROXY = (
    "The proxy could not be reached, or refused the request. Check its address and its"
    " credentials."
)
NOT_CONNECTED = (
    "The service says that this address is not connected to the VPN: You are not"
    " connected to a VPN server."
)
UNREACHABLE = "The service could not be reached. Check the network and try again."
NOT_UNDERSTOOD = (
    "The service gave an answer that could not be understood. Check its address."
)


@pytest.fixture
async def bare(
    hass: HomeAssistant,
    enable_custom_integrations: None,
    provider: FakeProvider,
    account: Account,
    address: Address,
) -> MockConfigEntry:
    """Return the account, set up without a connection."""
    entry = MockConfigEntry(
        domain=DOMAIN,
        title=account.username,
        unique_id=str(account.created_at),
        data=account_data(provider, account),
    )
    entry.add_to_hass(hass)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await settled(hass)
    return entry


async def open_form(hass: HomeAssistant, entry: MockConfigEntry) -> SubentryFlowResult:
    """Begin to add a connection."""
    form = await hass.config_entries.subentries.async_init(
        (entry.entry_id, "connection"), context={"source": SOURCE_USER}
    )
    assert form["type"] is FlowResultType.FORM
    assert not form["errors"]
    return form


async def enter(
    hass: HomeAssistant, form: SubentryFlowResult, address: str, **proxy: str
) -> SubentryFlowResult:
    """Fill in a form, send it, and wait for what follows."""
    entered: dict[str, Any] = {"name": "Home", "internal_ipv4": address, **proxy}
    result = await hass.config_entries.subentries.async_configure(
        form["flow_id"], entered
    )
    await settled(hass)
    return result


async def test_add_with_proxy(
    hass: HomeAssistant, provider: FakeProvider, bare: MockConfigEntry, address: Address
) -> None:
    """Home Assistant reaches the tunnel by its proxy, and shows what is behind it."""
    address.add_port(52192)
    tunnel = await provider.open_tunnel(EXIT_IP, "ada", "s3cret/word")
    result = await enter(
        hass,
        await open_form(hass, bare),
        IPV4,
        proxy_url=f" {tunnel.url_with_credentials} ",
    )
    assert result["type"] is FlowResultType.CREATE_ENTRY
    [subentry] = bare.subentries.values()
    assert subentry.title == "Home"
    assert subentry.unique_id == IPV4
    assert subentry.data["internal_ipv4"] == IPV4
    assert state_of(hass, "binary_sensor.home_tunnel") == "on"
    assert state_of(hass, "sensor.home_port_52192_port") == "52192"
    assert {request.remote for request in asked(provider, PORTS)} == {EXIT_IP}


@pytest.mark.parametrize(
    "text",
    [
        IPV4,
        f" {IPV4} ",
        f"{IPV4}/32",
        f"{IPV4}/255.255.255.255",
        f"Address = {IPV4}/32, 2a0e:1c80:1337:1:10:0:131:176/128",
        f"2a0e:1c80:1337:1:10:0:131:176/128,{IPV4}/32",
    ],
)
async def test_add_without_proxy(
    hass: HomeAssistant, provider: FakeProvider, bare: MockConfigEntry, text: str
) -> None:
    """Inside the tunnel no proxy is needed; the address is taken as users find it."""
    provider.caller_connected = True
    result = await enter(hass, await open_form(hass, bare), text, proxy_url="")
    assert result["type"] is FlowResultType.CREATE_ENTRY
    [subentry] = bare.subentries.values()
    assert subentry.data == {"internal_ipv4": IPV4}
    assert state_of(hass, "binary_sensor.home_tunnel") == "on"


@pytest.mark.parametrize(
    "text",
    [
        "10.0.131.0/24",
        f"{IPV4}/33",
        "10.0.131",
        "2a0e:1c80:1337:1:10:0:131:176",
        "Address = 2a0e:1c80:1337:1:10:0:131:176/128",
        "camel",
        "",
    ],
)
async def test_wrong_address(
    hass: HomeAssistant, provider: FakeProvider, bare: MockConfigEntry, text: str
) -> None:
    """What is no address of one machine is told at its field, unsent."""
    provider.caller_connected = True
    form = await enter(hass, await open_form(hass, bare), text)
    assert await error_texts(hass, form, subentry=True) == {
        "internal_ipv4": NOT_AN_ADDRESS
    }
    assert not asked(provider, PORTS)
    result = await enter(hass, form, IPV4)
    assert result["type"] is FlowResultType.CREATE_ENTRY


@pytest.mark.parametrize(
    "url",
    [
        "socks5://127.0.0.1:1080",
        "127.0.0.1:8888",
        "http://127.0.0.1:99999",
        "http://127.0.0.1:8888/path",
        "http://",
        "words",
        "http://us%3Aer:secret@127.0.0.1:8888",
        "http://ключ:secret@127.0.0.1:8888",
    ],
)
async def test_wrong_proxy(
    hass: HomeAssistant, provider: FakeProvider, bare: MockConfigEntry, url: str
) -> None:
    """What can't be a proxy's address is told at its field, unsent."""
    form = await enter(hass, await open_form(hass, bare), IPV4, proxy_url=url)
    assert await error_texts(hass, form, subentry=True) == {"proxy_url": NOT_A_PROXY}
    assert not asked(provider, PORTS)
    tunnel = await provider.open_tunnel()
    result = await enter(hass, form, IPV4, proxy_url=tunnel.url)
    assert result["type"] is FlowResultType.CREATE_ENTRY


async def test_both_wrong(hass: HomeAssistant, bare: MockConfigEntry) -> None:
    """Two mistakes are told at once."""
    form = await enter(hass, await open_form(hass, bare), "camel", proxy_url="camel")
    assert await error_texts(hass, form, subentry=True) == {
        "internal_ipv4": NOT_AN_ADDRESS,
        "proxy_url": NOT_A_PROXY,
    }


async def test_not_connected(
    hass: HomeAssistant, provider: FakeProvider, bare: MockConfigEntry
) -> None:
    """Outside the tunnel the provider refuses, in its own words."""
    form = await enter(hass, await open_form(hass, bare), IPV4)
    assert await error_texts(hass, form, subentry=True) == {"base": NOT_CONNECTED}
    provider.caller_connected = True
    result = await enter(hass, form, IPV4)
    assert result["type"] is FlowResultType.CREATE_ENTRY


async def test_proxy_down(
    hass: HomeAssistant, tunnel: Tunnel, bare: MockConfigEntry
) -> None:
    """A proxy that can't be reached is told apart from a service that can't."""
    await tunnel.close()
    form = await enter(hass, await open_form(hass, bare), IPV4, proxy_url=tunnel.url)
    assert await error_texts(hass, form, subentry=True) == {"base": NO_PROXY}
    await tunnel.open()
    result = await enter(hass, form, IPV4, proxy_url=tunnel.url)
    assert result["type"] is FlowResultType.CREATE_ENTRY


async def test_proxy_credentials(
    hass: HomeAssistant,
    provider: FakeProvider,
    bare: MockConfigEntry,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A proxy that wants other credentials refuses, and they stay out of the log."""
    tunnel = await provider.open_tunnel(EXIT_IP, "ada", "s3cret-word")
    wrong = tunnel.url.replace("//", "//ada:wr0ng-word@")
    form = await enter(hass, await open_form(hass, bare), IPV4, proxy_url=wrong)
    assert await error_texts(hass, form, subentry=True) == {"base": NO_PROXY}
    result = await enter(hass, form, IPV4, proxy_url=tunnel.url_with_credentials)
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert "-word" not in caplog.text


async def test_service_down(
    hass: HomeAssistant, provider: FakeProvider, bare: MockConfigEntry
) -> None:
    """A service that is down can't be reached; when it is back, it can."""
    provider.caller_connected = True
    await provider.stop()
    form = await enter(hass, await open_form(hass, bare), IPV4)
    assert await error_texts(hass, form, subentry=True) == {"base": UNREACHABLE}
    await provider.start()
    result = await enter(hass, form, IPV4)
    assert result["type"] is FlowResultType.CREATE_ENTRY


async def test_foreign_address(
    hass: HomeAssistant, provider: FakeProvider, bare: MockConfigEntry
) -> None:
    """The provider's own words about an address appear at its field."""
    provider.caller_connected = True
    form = await enter(hass, await open_form(hass, bare), "10.9.9.9")
    assert await error_texts(hass, form, subentry=True) == {
        "internal_ipv4": (
            "The service refused what was entered: The selected internal ipv4 is"
            " invalid."
        )
    }
    result = await enter(hass, form, IPV4)
    assert result["type"] is FlowResultType.CREATE_ENTRY


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (
            Fault.status(
                422,
                body={
                    "status": "error",
                    "message": "The given data was invalid.",
                    "data": {"plan": ["The plan has ended.", "Renew it."]},
                },
            ),
            "The service refused what was entered: The plan has ended. Renew it.",
        ),
        (
            Fault.status(429, headers={"Retry-After": "9"}),
            "The service received too many requests. Try again in 9 seconds.",
        ),
        (
            Fault.status(401),
            "The access token was refused. Make a new one in the web manager.",
        ),
        (
            Fault.status(500),
            "The service refused the request with status 500: Internal Server Error",
        ),
        (Fault.wrong_shape(), NOT_UNDERSTOOD),
        (Fault.not_json(), NOT_UNDERSTOOD),
        (Fault.reset(), UNREACHABLE),
    ],
    ids=lambda value: value.name if isinstance(value, Fault) else "",
)
async def test_failure(
    hass: HomeAssistant,
    provider: FakeProvider,
    bare: MockConfigEntry,
    fault: Fault,
    text: str,
) -> None:
    """Whatever else goes wrong is told, and the next try succeeds."""
    provider.caller_connected = True
    provider.fail(PORTS, fault, times=99)
    form = await enter(hass, await open_form(hass, bare), IPV4)
    assert await error_texts(hass, form, subentry=True) == {"base": text}
    provider.faults.clear()
    result = await enter(hass, form, IPV4)
    assert result["type"] is FlowResultType.CREATE_ENTRY


async def test_address_twice(
    hass: HomeAssistant, provider: FakeProvider, loaded: MockConfigEntry
) -> None:
    """An address has one connection; the service isn't even asked."""
    form = await open_form(hass, loaded)
    before = len(provider.requests)
    result = await enter(hass, form, f"{IPV4}/32")
    assert result["type"] is FlowResultType.ABORT
    assert result["reason"] == "already_configured"
    assert len(provider.requests) == before
    assert len(loaded.subentries) == 1


async def test_entry_not_loaded(
    hass: HomeAssistant, provider: FakeProvider, bare: MockConfigEntry
) -> None:
    """A connection can be added while its account is not loaded."""
    assert await hass.config_entries.async_unload(bare.entry_id)
    provider.caller_connected = True
    result = await enter(hass, await open_form(hass, bare), IPV4)
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert bare.state is ConfigEntryState.NOT_LOADED
    assert await hass.config_entries.async_setup(bare.entry_id)
    await settled(hass)
    assert state_of(hass, "binary_sensor.home_tunnel") == "on"
