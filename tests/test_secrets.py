"""Whatever is done with an account, nothing that is secret is written anywhere."""

from collections.abc import Iterator
import json
from typing import Any

from homeassistant.components.recorder import Recorder
from homeassistant.config_entries import ConfigEntry, ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from pytest_homeassistant_custom_component.typing import (
    ClientSessionGenerator,
    WebSocketGenerator,
)
import voluptuous as vol

from custom_components.azirevpn.const import DOMAIN
from tests.conftest import EXIT_IP, ME, later, settled, state_of
from tests.everything import Everything
from tests.fake_provider import Account, FakeProvider, Fault, Tunnel
from tests.test_account_options import enter as enter_options, open_step
from tests.test_config_flow import enter, service
from tests.test_login_link import create_link
from tests.test_sign_up import created, filled, open_sign_up

FIRST_PASSWORD = "analytical-engine-1843"
SECOND_PASSWORD = "difference-engine-1822"
WRONG_PASSWORD = "jacquard-loom-1804"
WRONG_TOKEN = "no-such-token-1791"
RENEWED_TOKEN = "renewed-token-1852"
PROXY_USER = "proxy-user-1815"
PROXY_PASSWORD = "proxy-word-1835"

FIX = "/api/repairs/issues/fix"

# The database is a file, as it is in a real house
pytestmark = pytest.mark.parametrize("persistent_database", [True])


@pytest.fixture
def hass_config_dir(hass_tmp_config_dir: str) -> str:
    """Let Home Assistant write where nothing else is."""
    return hass_tmp_config_dir


@pytest.fixture
async def everything(
    recorder_mock: Recorder,
    recorder_db_url: str,
    hass: HomeAssistant,
    enable_custom_integrations: None,
    hass_storage: dict[str, Any],
    caplog: pytest.LogCaptureFixture,
) -> Everything:
    """Write down everything from now on."""
    caplog.set_level("DEBUG")
    for component in ("repairs", "diagnostics", "system_health", "trace"):
        assert await async_setup_component(hass, component, {})
    return Everything(hass, hass_storage, recorder_db_url, caplog)


@pytest.fixture
async def guarded(provider: FakeProvider, loopback: None) -> Tunnel:
    """Open a tunnel whose proxy wants credentials."""
    return await provider.open_tunnel(EXIT_IP, PROXY_USER, PROXY_PASSWORD)


def echo(*secrets: str) -> Iterator[Fault]:
    """Let the service fail in many ways, and some of them repeat what it was sent."""
    words = " ".join(secrets)
    for status in (400, 403, 422, 500):
        yield Fault.status(
            status,
            body={"status": "error", "message": words, "data": {"field": [words]}},
        )
    yield Fault.reset()
    yield Fault.not_json()
    yield Fault.truncated()


async def sign_up(
    hass: HomeAssistant, provider: FakeProvider, tunnel: Tunnel
) -> ConfigEntry:
    """Create an account and its connection, with everything going wrong at first."""
    form = await open_sign_up(hass)
    for fault in echo(FIRST_PASSWORD):
        provider.fail("/v3/users", fault)
        form = await enter(
            hass, form, **filled(provider, username=fault.name, password=FIRST_PASSWORD)
        )
        assert form["errors"]
    form = await enter(hass, form, **filled(provider, password=FIRST_PASSWORD))
    form = await enter(hass, form)
    form = await enter(hass, form, access_token=WRONG_TOKEN, service=service(provider))
    token = created(provider).token
    for fault in echo(token):
        # A read that was reset is tried once more
        provider.fail(ME, fault, times=2)
        form = await enter(hass, form, access_token=token, service=service(provider))
        assert form["errors"]
        provider.faults.clear()
    result = await enter(hass, form, access_token=token, service=service(provider))
    entry: ConfigEntry = result["result"]
    await settled(hass)

    address = created(provider).add_address("10.0.131.176")
    _, flow_id = result["next_flow"]
    wrong = tunnel.url_with_credentials.replace(PROXY_PASSWORD, f"{PROXY_PASSWORD}x")
    for proxy_url in (wrong, tunnel.url_with_credentials):
        await hass.config_entries.subentries.async_configure(
            flow_id,
            {
                "name": "Home",
                "internal_ipv4": address.internal_ipv4,
                "proxy_url": proxy_url,
            },
        )
    await settled(hass)
    assert state_of(hass, "binary_sensor.home_tunnel") == "on"
    return entry


async def use_options(
    hass: HomeAssistant, provider: FakeProvider, entry: MockConfigEntry
) -> None:
    """Sign in and change the password, with everything going wrong at first."""
    form = await open_step(hass, entry, "sign_in")
    for fault in echo():
        provider.fail(f"{ME}/otps", fault)
        form = await enter_options(hass, form, page="order")
        assert form["errors"]
    form = await enter_options(hass, form, page="order")
    assert form["step_id"] == "sign_in_link"
    await enter_options(hass, form)

    form = await open_step(hass, entry, "change_password")
    for fault in echo(SECOND_PASSWORD):
        provider.fail(f"{ME}/password", fault)
        form = await enter_options(hass, form, password=SECOND_PASSWORD)
        assert form["errors"]
    await enter_options(hass, form, password=SECOND_PASSWORD)
    assert created(provider).password == SECOND_PASSWORD

    form = await open_step(hass, entry, "delete_account")
    form = await enter_options(hass, form, username="grace", password=WRONG_PASSWORD)
    assert form["errors"] == {"password": "invalid_password"}


async def use_actions(
    hass: HomeAssistant, provider: FakeProvider, entry: MockConfigEntry
) -> None:
    """Make a link by an action, and create, hide and delete a port."""
    await create_link(hass, entry.entry_id)
    for fault in echo(created(provider).token):
        provider.fail(f"{ME}/otps", fault)
        with pytest.raises(HomeAssistantError):
            await create_link(hass, entry.entry_id)
    [connection] = entry.runtime_data.connections.values()
    answer: Any = await hass.services.async_call(
        DOMAIN,
        "create_port",
        {"device_id": connection.device_id},
        blocking=True,
        return_response=True,
    )
    for action in ("hide_port", "delete_port"):
        await hass.services.async_call(
            DOMAIN,
            action,
            {"device_id": connection.device_id, "port": answer["port"]},
            blocking=True,
        )
    await settled(hass)


async def use_repair(
    hass: HomeAssistant,
    hass_client: ClientSessionGenerator,
    account: Account,
    entry: MockConfigEntry,
) -> None:
    """Sign in by a repair of a subscription that ended."""
    client = await hass_client()
    data = {
        "handler": DOMAIN,
        "issue_id": f"subscription_ended_{entry.entry_id}",
    }
    begun = await client.post(FIX, json=data)
    flow_id = (await begun.json())["flow_id"]
    link = await client.post(f"{FIX}/{flow_id}", json={})
    assert "token=" in (await link.json())["description_placeholders"]["url"]
    account.expires_at = 1_900_000_000
    await client.post(f"{FIX}/{flow_id}", json={})


async def suffer_outages(
    hass: HomeAssistant, provider: FakeProvider, tunnel: Tunnel
) -> None:
    """Let everything fail that is polled, and the token be renewed."""
    account = created(provider)
    for fault in echo(account.token):
        provider.fail("/v3/*", fault, times=9)
        await later(hass, minutes=61)
        provider.faults.clear()
    await tunnel.close()
    await later(hass, minutes=6)
    await tunnel.open()
    await later(hass, minutes=6)
    account.token = RENEWED_TOKEN
    await later(hass, minutes=61)
    [form] = hass.config_entries.flow.async_progress_by_handler(DOMAIN)
    for token in (WRONG_TOKEN, RENEWED_TOKEN):
        await enter(hass, form, access_token=token)
    await settled(hass)
    assert state_of(hass, "binary_sensor.grace_active") is not None


async def download(
    hass: HomeAssistant,
    hass_client: ClientSessionGenerator,
    entry: MockConfigEntry,
    everything: Everything,
) -> None:
    """Download the diagnostics of the entry and of all its devices."""
    client = await hass_client()
    path = f"/api/diagnostics/config_entry/{entry.entry_id}"
    devices = dr.async_entries_for_config_entry(dr.async_get(hass), entry.entry_id)
    for place in (path, *(f"{path}/device/{device.id}" for device in devices)):
        answer = await client.get(place)
        assert answer.status == 200
        everything.note(await answer.text())


async def test_nothing_secret_is_written(
    recorder_mock: Recorder,
    hass: HomeAssistant,
    hass_client: ClientSessionGenerator,
    hass_storage: dict[str, Any],
    everything: Everything,
    provider: FakeProvider,
    guarded: Tunnel,
) -> None:
    """From signing up to deleting the account, no secret is found anywhere."""
    provider.rate_limit = 10_000
    entry: Any = await sign_up(hass, provider, guarded)
    account = created(provider)
    secrets = [
        account.token,
        WRONG_TOKEN,
        RENEWED_TOKEN,
        FIRST_PASSWORD,
        SECOND_PASSWORD,
        WRONG_PASSWORD,
        PROXY_USER,
        PROXY_PASSWORD,
    ]
    await use_options(hass, provider, entry)
    await use_actions(hass, provider, entry)
    await use_repair(hass, hass_client, account, entry)
    await download(hass, hass_client, entry, everything)
    await suffer_outages(hass, provider, guarded)
    await download(hass, hass_client, entry, everything)
    assert entry.state is ConfigEntryState.LOADED
    written = await everything.written()

    # What is looked through is what there is
    assert RENEWED_TOKEN in str(hass_storage["core.config_entries"])
    assert PROXY_PASSWORD in str(hass_storage["core.config_entries"])
    for place in ("log", "events and states", "database"):
        assert "binary_sensor.grace_active" in written[place]
    assert "create_login_link" in written["database"]
    assert "custom_components.azirevpn" in written["log"]
    assert "**REDACTED**" in written["shown"]
    assert f"storage {DOMAIN}.{entry.entry_id}" in written

    one_time_passwords = {*provider.one_time_passwords}
    assert len(one_time_passwords) >= 3
    found = {
        (place, secret)
        for place, text in written.items()
        for secret in (*secrets, *one_time_passwords)
        if secret in text
    }
    assert not found

    form = await open_step(hass, entry, "delete_account")
    await enter_options(hass, form, username="grace", password=SECOND_PASSWORD)
    written = await everything.written()
    assert not [place for place, text in written.items() if SECOND_PASSWORD in text]
    assert SECOND_PASSWORD not in str(hass_storage)


@pytest.mark.parametrize("kept", [False, True])
async def test_script(
    recorder_mock: Recorder,
    hass: HomeAssistant,
    hass_ws_client: WebSocketGenerator,
    everything: Everything,
    provider: FakeProvider,
    loaded: MockConfigEntry,
    *,
    kept: bool,
) -> None:
    """A link is in a script's trace only if the script itself keeps it.

    Home Assistant traces the variables of a script, and an answer is one of them.
    """
    step: dict[str, Any] = {
        "action": f"{DOMAIN}.create_login_link",
        "data": {"config_entry_id": loaded.entry_id, "page": "order"},
    }
    if kept:
        step["response_variable"] = "link"
    assert await async_setup_component(
        hass, "script", {"script": {"sign_in": {"sequence": [step]}}}
    )
    if kept:
        await hass.services.async_call("script", "sign_in", blocking=True)
    else:
        with pytest.raises(vol.Invalid):
            await hass.services.async_call("script", "sign_in", blocking=True)
    await settled(hass)
    otps = list(provider.one_time_passwords)
    assert len(otps) == kept
    secrets = [*otps, str(loaded.data["access_token"])]
    written = await everything.written()
    assert not {
        (place, secret)
        for place, text in written.items()
        for secret in secrets
        if secret in text
    }

    client = await hass_ws_client()
    await client.send_json_auto_id({"type": "trace/list", "domain": "script"})
    [run] = (await client.receive_json())["result"]
    await client.send_json_auto_id(
        {
            "type": "trace/get",
            "domain": "script",
            "item_id": "sign_in",
            "run_id": run["run_id"],
        }
    )
    trace = (await client.receive_json())["result"]
    [traced] = trace["trace"]["sequence/0"]
    variables = traced.pop("changed_variables", {})
    assert ("link" in variables) is kept
    assert not [secret for secret in secrets if secret in json.dumps(trace)]
