"""An account is set up, reloaded and unloaded."""

from collections.abc import Iterable
import logging

from homeassistant.config_entries import SOURCE_REAUTH, ConfigEntry, ConfigEntryState
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.azirevpn.const import DOMAIN
from tests.conftest import (
    CONNECTION_ID,
    EXIT_IP,
    ME,
    OTHER_EXIT_IP,
    PORTS,
    HeldAnswer,
    add_connection,
    asked,
    later,
    settled,
    state_of,
)
from tests.fake_provider import Account, Address, FakeProvider, Fault, Tunnel

LOGGER_NAME = "custom_components.azirevpn"


@pytest.fixture
async def second(
    hass: HomeAssistant,
    provider: FakeProvider,
    account: Account,
    entry: MockConfigEntry,
) -> Tunnel:
    """Give the account a second connection, and return its tunnel."""
    account.add_address("10.0.131.177")
    tunnel = await provider.open_tunnel(OTHER_EXIT_IP)
    add_connection(hass, entry, "10.0.131.177", tunnel.url)
    return tunnel


def loud(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what the integration warned of."""
    return [
        record.getMessage()
        for record in caplog.records
        if record.name == LOGGER_NAME and record.levelno >= logging.WARNING
    ]


def state_of_entry(entry: MockConfigEntry) -> ConfigEntryState:
    """Return how far the set-up of the account has come."""
    state: ConfigEntryState = entry.state
    return state


async def set_up(hass: HomeAssistant, entry: MockConfigEntry) -> None:
    """Set the account up, whatever comes of it."""
    await hass.config_entries.async_setup(entry.entry_id)
    await settled(hass)


async def test_set_up_and_unload(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    entry: MockConfigEntry,
) -> None:
    """An account goes and comes back as it was, and asks for nothing in between."""
    address.add_port(61001)
    await set_up(hass, entry)
    assert state_of_entry(entry) is ConfigEntryState.LOADED
    shown = {state.entity_id for state in hass.states.async_all()}
    assert len(shown) == 20

    assert await hass.config_entries.async_unload(entry.entry_id)
    assert state_of_entry(entry) is ConfigEntryState.NOT_LOADED
    assert {state.state for state in hass.states.async_all()} == {"unavailable"}
    before = len(provider.requests)
    await later(hass, hours=2)
    assert len(provider.requests) == before

    await set_up(hass, entry)
    assert await hass.config_entries.async_reload(entry.entry_id)
    await settled(hass)
    assert state_of_entry(entry) is ConfigEntryState.LOADED
    assert {state.entity_id for state in hass.states.async_all()} == shown
    assert state_of(hass, "sensor.home_port_61001_port") == "61001"


async def test_stuck(
    hass: HomeAssistant,
    provider: FakeProvider,
    loaded: MockConfigEntry,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An account that can't be unloaded goes on as it was."""

    async def fail(entry: ConfigEntry, platforms: Iterable[Platform]) -> bool:
        """Unload nothing, as when an entity gets in the way."""
        return False

    with monkeypatch.context() as stuck:
        stuck.setattr(hass.config_entries, "async_unload_platforms", fail)
        assert not await hass.config_entries.async_unload(loaded.entry_id)
    assert state_of_entry(loaded) is ConfigEntryState.FAILED_UNLOAD
    lists = len(asked(provider, PORTS))
    await later(hass, minutes=6)
    assert len(asked(provider, PORTS)) == lists + 1
    assert state_of(hass, "binary_sensor.home_tunnel") == "on"
    # Home Assistant would have to restart; this lets it be unloaded after the test
    loaded.mock_state(hass, ConfigEntryState.LOADED)


@pytest.mark.usefixtures("second")
async def test_first_reads(
    hass: HomeAssistant, provider: FakeProvider, entry: MockConfigEntry
) -> None:
    """Set-up asks once for the account and once for each connection, all at once."""
    for path in (ME, PORTS, PORTS):
        provider.fail(path, Fault.stall(0.3))
    await set_up(hass, entry)
    assert sorted(request.path for request in provider.requests) == [PORTS, PORTS, ME]
    times = [request.time for request in provider.requests]
    assert max(times) - min(times) < 0.2


async def test_connection_added_during_set_up(
    hass: HomeAssistant,
    provider: FakeProvider,
    account: Account,
    tunnel: Tunnel,
    entry: MockConfigEntry,
) -> None:
    """A connection that is added while the account is being set up is not missed."""
    account.add_address("10.0.131.177")
    held = HeldAnswer()
    provider.fail(ME, held.fault)
    setting_up = hass.async_create_task(set_up(hass, entry))
    await held.ready.wait()
    add_connection(hass, entry, "10.0.131.177", tunnel.url)
    held.release.set()
    await setting_up
    assert state_of_entry(entry) is ConfigEntryState.LOADED
    assert state_of(hass, "binary_sensor.home_tunnel") == "on"
    assert state_of(hass, "binary_sensor.away_tunnel") == "on"
    assert len(asked(provider, ME)) == 2


async def test_dead_provider(
    hass: HomeAssistant, provider: FakeProvider, entry: MockConfigEntry
) -> None:
    """A provider that is down is tried again later."""
    await provider.stop()
    await set_up(hass, entry)
    assert state_of_entry(entry) is ConfigEntryState.SETUP_RETRY
    assert entry.reason == (
        "The service could not be reached. Check the network and try again"
    )
    await provider.start()
    await later(hass, minutes=2)
    assert state_of_entry(entry) is ConfigEntryState.LOADED
    assert state_of(hass, "binary_sensor.ada_active") == "on"


@pytest.mark.parametrize("answers", [False, True])
async def test_long_outage(
    hass: HomeAssistant,
    provider: FakeProvider,
    tunnel: Tunnel,
    entry: MockConfigEntry,
    caplog: pytest.LogCaptureFixture,
    *,
    answers: bool,
) -> None:
    """During an outage, set-up is tried again and again, without a word each time."""
    if answers:
        provider.fail("/v3/*", Fault.status(500), times=99)
    else:
        await provider.stop()
    await set_up(hass, entry)
    for _ in range(3):
        await later(hass, minutes=3)
    assert state_of_entry(entry) is ConfigEntryState.SETUP_RETRY
    assert not loud(caplog)


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (
            Fault.status(500),
            "The service refused the request with status 500: Internal Server Error",
        ),
        (
            Fault.status(429, headers={"Retry-After": "5"}),
            "The service received too many requests. Try again in 5 seconds",
        ),
        (
            Fault.not_json(),
            "The service gave an answer that could not be understood. Check its address",
        ),
    ],
    ids=lambda value: value.name if isinstance(value, Fault) else "",
)
async def test_account_does_not_answer(
    hass: HomeAssistant,
    provider: FakeProvider,
    entry: MockConfigEntry,
    fault: Fault,
    reason: str,
) -> None:
    """Without the account there is nothing to show yet, and the reason is told."""
    provider.fail(ME, fault)
    await set_up(hass, entry)
    assert state_of_entry(entry) is ConfigEntryState.SETUP_RETRY
    assert entry.reason == reason
    await later(hass, minutes=2)
    assert state_of_entry(entry) is ConfigEntryState.LOADED


async def test_refused_token(
    hass: HomeAssistant, account: Account, entry: MockConfigEntry
) -> None:
    """A refused token fails the set-up, and asks the user for another one."""
    account.token = "renewed"
    await set_up(hass, entry)
    assert state_of_entry(entry) is ConfigEntryState.SETUP_ERROR
    [flow] = entry.async_get_active_flows(hass, {SOURCE_REAUTH})
    assert flow["step_id"] == "reauth_confirm"


@pytest.mark.parametrize(
    "fault",
    [None, Fault.status(401), Fault.status(403), Fault.status(500), Fault.not_json()],
    ids=lambda fault: fault.name if fault else "tunnel closed",
)
async def test_dead_connection(
    hass: HomeAssistant,
    provider: FakeProvider,
    tunnel: Tunnel,
    second: Tunnel,
    entry: MockConfigEntry,
    caplog: pytest.LogCaptureFixture,
    fault: Fault | None,
) -> None:
    """A dead connection blocks neither the account nor the other connection."""
    if fault is None:
        await tunnel.close()
    else:
        provider.fail(PORTS, fault)
    await set_up(hass, entry)
    assert state_of_entry(entry) is ConfigEntryState.LOADED
    assert state_of(hass, "binary_sensor.ada_active") == "on"
    tunnels = {
        state_of(hass, "binary_sensor.home_tunnel"),
        state_of(hass, "binary_sensor.away_tunnel"),
    }
    assert "on" in tunnels
    assert len(tunnels) == 2
    assert len(loud(caplog)) == 1
    assert not hass.config_entries.flow.async_progress()

    await tunnel.open()
    await later(hass, minutes=6)
    assert state_of(hass, "binary_sensor.home_tunnel") == "on"
    assert state_of(hass, "binary_sensor.away_tunnel") == "on"
    assert state_of(hass, "sensor.home_forwarded_ports") == "0"


async def test_devices(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    entry: MockConfigEntry,
) -> None:
    """The account, its connection and the port are devices that hang together."""
    address.add_port(61001)
    await set_up(hass, entry)
    registry = dr.async_get(hass)
    account, connection = dr.async_entries_for_config_entry(registry, entry.entry_id)
    assert (account.name, account.identifiers) == ("ada", {(DOMAIN, entry.unique_id)})
    assert account.configuration_url == provider.manager_url
    assert account.entry_type is dr.DeviceEntryType.SERVICE
    assert (connection.name, connection.identifiers) == (
        "Home",
        {(DOMAIN, CONNECTION_ID)},
    )
    assert connection.via_device_id == account.id
    assert connection.config_subentry_id == CONNECTION_ID
    [port] = dr.async_entries_for_parent_device(registry, connection.id)
    assert (port.name, port.identifiers) == (
        "Port 61001",
        {(DOMAIN, f"{CONNECTION_ID}_61001")},
    )


@pytest.mark.parametrize("renamed", ["before", "after"])
async def test_new_username(
    hass: HomeAssistant, account: Account, entry: MockConfigEntry, renamed: str
) -> None:
    """The entry's title and the device's name follow the username."""
    if renamed == "after":
        await set_up(hass, entry)
        account.username = "grace"
        await later(hass, minutes=61)
    else:
        account.username = "grace"
        await set_up(hass, entry)
    assert entry.title == "grace"
    device = dr.async_get(hass).async_get_device_by_identifier(
        (DOMAIN, str(entry.unique_id)), entry.entry_id
    )
    assert device is not None
    assert device.name == "grace"
    assert state_of_entry(entry) is ConfigEntryState.LOADED


async def test_secrets(
    hass: HomeAssistant,
    provider: FakeProvider,
    account: Account,
    entry: MockConfigEntry,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Neither the token nor the proxy's credentials get out, whatever goes wrong."""
    caplog.set_level("DEBUG")
    tunnel = await provider.open_tunnel(EXIT_IP, "proxy-user", "pr0xy-word")
    subentry = entry.subentries[CONNECTION_ID]
    hass.config_entries.async_update_subentry(
        entry,
        subentry,
        data={**subentry.data, "proxy_url": tunnel.url_with_credentials},
    )
    await set_up(hass, entry)
    assert state_of(hass, "binary_sensor.home_tunnel") == "on"
    await tunnel.close()
    await later(hass, minutes=6)
    await tunnel.open()
    for fault in (
        Fault.status(500, body={"status": "error", "message": account.token}),
        Fault.reset(),
        Fault.truncated(),
        Fault.status(401),
    ):
        provider.fail("/v3/*", fault, times=4)
        await later(hass, minutes=61)
        provider.faults.clear()
    shown = str(hass.states.async_all())
    for secret in (account.token, "proxy-user", "pr0xy-word"):
        assert secret not in caplog.text
        assert secret not in shown
