"""Forwarded ports outlive the outages of the provider and of their tunnel."""

import logging

from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from tests.conftest import ME, PORTS, asked, later, settled, state_of
from tests.fake_provider import Account, FakeProvider, Fault, Tunnel
from tests.test_ports import (
    COUNT,
    EXPIRY,
    NEXT_EXPIRY,
    PORT,
    REACHABLE,
    TUNNEL,
    port_numbers,
)

UNAVAILABLE = {"unavailable"}
# It is always there: an outage says nothing of ports
ACTIVITY = "event.home_port_activity"


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what the integration said since the last time, for everyone to read."""
    lines = [
        record.getMessage()
        for record in caplog.records
        if record.name == "custom_components.azirevpn"
        and record.levelno >= logging.INFO
    ]
    caplog.clear()
    return lines


async def test_provider_down(
    hass: HomeAssistant,
    provider: FakeProvider,
    tunnel: Tunnel,
    with_port: MockConfigEntry,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Everything is unavailable and stays, with a line in the log at each end."""
    told(caplog)
    provider.fail("/v3/*", Fault.reset(), times=99)
    for lines in (2, 0, 0):
        await later(hass, minutes=61)
        assert {
            state.state
            for state in hass.states.async_all()
            if state.entity_id != ACTIVITY
        } == UNAVAILABLE
        assert state_of(hass, ACTIVITY) == "unknown"
        assert port_numbers(hass, with_port) == {"Port 61001"}
        assert len(told(caplog)) == lines
    provider.faults.clear()
    await later(hass, minutes=61)
    assert state_of(hass, "binary_sensor.ada_active") == "on"
    assert state_of(hass, TUNNEL) == "on"
    assert state_of(hass, REACHABLE) == "on"
    assert len(told(caplog)) == 2
    await later(hass, minutes=61)
    assert not told(caplog)


async def test_proxy_without_provider(
    hass: HomeAssistant,
    provider: FakeProvider,
    tunnel: Tunnel,
    with_port: MockConfigEntry,
) -> None:
    """A proxy whose provider is gone is no tunnel that is down."""
    await provider.stop()
    await tunnel.open()
    await later(hass, minutes=6)
    assert state_of(hass, TUNNEL) == "unavailable"
    assert port_numbers(hass, with_port) == {"Port 61001"}


@pytest.mark.parametrize("way", ["proxy closed", "provider says so"])
async def test_tunnel_down(
    hass: HomeAssistant,
    provider: FakeProvider,
    tunnel: Tunnel,
    with_port: MockConfigEntry,
    caplog: pytest.LogCaptureFixture,
    way: str,
) -> None:
    """The tunnel is off and the ports stay, with a line in the log at each end."""
    told(caplog)
    if way == "proxy closed":
        await tunnel.close()
    else:
        provider.fail(PORTS, Fault.status(403), times=3)
    for lines in (1, 0, 0):
        await later(hass, minutes=6)
        assert state_of(hass, TUNNEL) == "off"
        assert state_of(hass, REACHABLE) == "unknown"
        assert {
            state_of(hass, entity) for entity in (PORT, EXPIRY, COUNT, NEXT_EXPIRY)
        } == UNAVAILABLE
        assert port_numbers(hass, with_port) == {"Port 61001"}
        assert state_of(hass, "binary_sensor.ada_active") == "on"
        assert len(told(caplog)) == lines
    await tunnel.open()
    await later(hass, minutes=6)
    assert state_of(hass, TUNNEL) == "on"
    assert state_of(hass, PORT) == "61001"
    assert state_of(hass, REACHABLE) == "on"
    assert len(told(caplog)) == 1


@pytest.mark.parametrize(
    "fault",
    [
        Fault.status(500),
        Fault.status(500, body={"status": "error", "message": "Not found"}),
        Fault.status(404, body="<title>404</title>"),
        Fault.wrong_shape(),
        Fault.wrong_shape({"ports": [{"port": "none"}]}),
        Fault.wrong_shape({"ports": None}),
        Fault.not_json(),
        Fault.truncated(),
        Fault.redirect("https://example.org/"),
    ],
    ids=lambda fault: fault.name,
)
async def test_failed_list(
    hass: HomeAssistant,
    provider: FakeProvider,
    with_port: MockConfigEntry,
    fault: Fault,
) -> None:
    """No answer but a list says that a port is gone."""
    provider.fail(PORTS, fault)
    await later(hass, minutes=6)
    assert state_of(hass, PORT) == "unavailable"
    assert state_of(hass, TUNNEL) == "unavailable"
    assert port_numbers(hass, with_port) == {"Port 61001"}
    await later(hass, minutes=6)
    assert state_of(hass, PORT) == "61001"
    assert state_of(hass, TUNNEL) == "on"


@pytest.mark.parametrize("seconds", [40, 900])
async def test_asked_to_wait(
    hass: HomeAssistant,
    provider: FakeProvider,
    with_port: MockConfigEntry,
    monkeypatch: pytest.MonkeyPatch,
    seconds: int,
) -> None:
    """The provider is left alone for as long as it asks for, and no longer."""
    provider.fail(PORTS, Fault.status(429, headers={"Retry-After": str(seconds)}))
    await later(hass, minutes=6)
    assert state_of(hass, PORT) == "unavailable"
    assert port_numbers(hass, with_port) == {"Port 61001"}
    before = len(provider.requests)
    await later(hass, seconds=seconds - 5)
    assert len(provider.requests) == before
    clock = hass.loop.time
    monkeypatch.setattr(hass.loop, "time", lambda: clock() + seconds + 1)
    await later(hass, seconds=1)
    assert state_of(hass, PORT) == "61001"


@pytest.mark.parametrize(
    "fault",
    [None, Fault.status(500), Fault.status(403)],
    ids=lambda fault: fault.name if fault else "proxy closed",
)
async def test_restart_during_outage(
    hass: HomeAssistant,
    provider: FakeProvider,
    tunnel: Tunnel,
    with_port: MockConfigEntry,
    fault: Fault | None,
) -> None:
    """A start without a list forgets no port either."""
    if fault is None:
        await tunnel.close()
    else:
        provider.fail(PORTS, fault)
    assert await hass.config_entries.async_reload(with_port.entry_id)
    await settled(hass)
    assert state_of(hass, TUNNEL) != "on"
    assert state_of(hass, PORT) == "unavailable"
    assert port_numbers(hass, with_port) == {"Port 61001"}
    await tunnel.open()
    await later(hass, minutes=6)
    assert state_of(hass, PORT) == "61001"
    assert state_of(hass, REACHABLE) == "on"


async def test_one_odd_refusal(
    hass: HomeAssistant, provider: FakeProvider, with_port: MockConfigEntry
) -> None:
    """A single 401 of the ports is looked into, and asks nobody for a token."""
    before = len(asked(provider, ME))
    provider.fail(PORTS, Fault.status(401))
    await later(hass, minutes=6)
    assert state_of(hass, TUNNEL) == "unavailable"
    assert len(asked(provider, ME)) == before + 1
    assert not hass.config_entries.flow.async_progress()
    await later(hass, minutes=6)
    assert state_of(hass, TUNNEL) == "on"


async def test_refused_token(
    hass: HomeAssistant, account: Account, with_port: MockConfigEntry
) -> None:
    """A token that the account refuses too is asked for within minutes."""
    account.token = "renewed"
    await later(hass, minutes=6)
    [flow] = hass.config_entries.flow.async_progress()
    assert flow["step_id"] == "reauth_confirm"
    assert with_port.state is ConfigEntryState.LOADED
    assert port_numbers(hass, with_port) == {"Port 61001"}
