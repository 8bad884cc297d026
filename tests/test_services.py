"""Automations and people create, check and list ports by actions."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

from homeassistant.core import HomeAssistant, SupportsResponse
from homeassistant.helpers import device_registry as dr
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_fire_time_changed,
)

from custom_components.azirevpn.const import DOMAIN
from tests.conftest import (
    CHECK,
    CONNECTION_ID,
    EXIT_IP,
    PORTS,
    HeldAnswer,
    asked,
    later,
    settled,
    state_of,
)
from tests.fake_provider import Address, FakeProvider, Tunnel

DAY = 86_400
IPV4 = "10.0.131.176"
IPV6 = "2a0e:1c80:1337:1:10:0:131:176"


def connection_device(hass: HomeAssistant, entry: MockConfigEntry) -> str:
    """Return the id of the connection's device."""
    device = dr.async_get(hass).async_get_device_by_identifier(
        (DOMAIN, CONNECTION_ID), entry.entry_id
    )
    assert device is not None
    return device.id


async def act(
    hass: HomeAssistant, entry: MockConfigEntry, action: str, **data: Any
) -> dict[str, Any]:
    """Run an action on the connection and return its answer."""
    answer = await hass.services.async_call(
        DOMAIN,
        action,
        {"device_id": connection_device(hass, entry)} | data,
        blocking=True,
        return_response=True,
    )
    await settled(hass)
    assert answer is not None
    return answer


async def run(
    hass: HomeAssistant, entry: MockConfigEntry, action: str, **data: Any
) -> None:
    """Run an action on the connection, whether or not it has an answer."""
    takes_answer = hass.services.supports_response(DOMAIN, action)
    await hass.services.async_call(
        DOMAIN,
        action,
        {"device_id": connection_device(hass, entry)} | data,
        blocking=True,
        return_response=takes_answer is not SupportsResponse.NONE,
    )
    await settled(hass)


def as_text(moment: int | None) -> str | None:
    """Return Unix seconds in ISO 8601 and UTC."""
    return datetime.fromtimestamp(moment, UTC).isoformat() if moment else None


@pytest.mark.parametrize(
    ("data", "sent", "days", "hidden"),
    [
        ({}, {}, 30, False),
        ({"expires_in": 90}, {"expires_in": 90}, 90, False),
        ({"expires_in": "90"}, {"expires_in": 90}, 90, False),
        ({"expires_in": 3650.0}, {"expires_in": 3650}, 3650, False),
        ({"expires_in": 0}, {"expires_in": 0}, None, False),
        ({"hidden": True}, {"hidden": True}, 30, True),
        ({"hidden": False}, {"hidden": False}, 30, False),
    ],
)
async def test_create_port(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    loaded: MockConfigEntry,
    data: dict[str, Any],
    sent: dict[str, Any],
    days: int | None,
    *,
    hidden: bool,
) -> None:
    """A port is created as asked for, and shown at once without another list."""
    lists = len(asked(provider, PORTS))
    answer = await act(hass, loaded, "create_port", **data)
    [created] = address.ports.values()
    assert answer == {
        "port": created.port,
        "hidden": hidden,
        "expires_at": as_text(created.expires_at),
        "internal_ipv4": IPV4,
        "internal_ipv6": IPV6,
    }
    if days is None:
        assert created.expires_at is None
    else:
        assert created.expires_at is not None
        assert abs(created.expires_at - provider.clock.now() - days * DAY) < 60
    [request] = asked(provider, PORTS, "POST")
    assert request.body == {"internal_ipv4": IPV4, **sent}
    assert state_of(hass, f"sensor.home_port_{created.port}_port") == str(created.port)
    assert state_of(hass, "sensor.home_forwarded_ports") == "1"
    assert [check.path for check in asked(provider, CHECK)] == [
        f"{CHECK}{created.port}"
    ]
    assert len(asked(provider, PORTS)) == lists
    assert await hass.config_entries.async_unload(loaded.entry_id)


async def test_create_port_without_answer(
    hass: HomeAssistant, address: Address, loaded: MockConfigEntry
) -> None:
    """Who wants no answer gets none."""
    answer = await hass.services.async_call(
        DOMAIN,
        "create_port",
        {"device_id": connection_device(hass, loaded)},
        blocking=True,
    )
    assert answer is None
    assert len(address.ports) == 1
    await settled(hass)
    assert await hass.config_entries.async_unload(loaded.entry_id)


async def test_create_port_during_poll(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    loaded: MockConfigEntry,
) -> None:
    """A list from before a port was created does not make it vanish again."""
    address.add_port(61001)
    held = HeldAnswer()
    provider.fail(PORTS, held.fault, method="GET")
    async_fire_time_changed(hass, dt_util.utcnow() + timedelta(minutes=6))
    await held.ready.wait()
    creating = hass.async_create_task(act(hass, loaded, "create_port"))
    await asyncio.sleep(0.1)
    held.release.set()
    created = await creating
    assert state_of(hass, f"sensor.home_port_{created['port']}_port") is not None
    assert state_of(hass, "sensor.home_forwarded_ports") == "2"
    await later(hass, minutes=6)
    assert state_of(hass, "sensor.home_forwarded_ports") == "2"
    assert await hass.config_entries.async_unload(loaded.entry_id)


async def test_create_port_after_dead_start(
    hass: HomeAssistant,
    tunnel: Tunnel,
    address: Address,
    entry: MockConfigEntry,
) -> None:
    """A port can be created before the first poll that succeeds."""
    await tunnel.close()
    assert await hass.config_entries.async_setup(entry.entry_id)
    await settled(hass)
    await tunnel.open()
    answer = await act(hass, entry, "create_port")
    assert list(address.ports) == [answer["port"]]
    await later(hass, minutes=6)
    assert state_of(hass, "binary_sensor.home_tunnel") == "on"
    assert state_of(hass, "sensor.home_forwarded_ports") == "1"
    assert await hass.config_entries.async_unload(entry.entry_id)


async def test_check_port(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    loaded: MockConfigEntry,
) -> None:
    """A check tells what the provider found, also of ports that are not listed."""
    address.add_port(61001)
    await provider.listen(EXIT_IP, 61001)
    await later(hass, minutes=6)
    answer = await act(hass, loaded, "check_port", port=61001)
    assert answer == {
        "port": 61001,
        "open": True,
        "source_ip": EXIT_IP,
        "message": "Port 61001 is open",
    }
    answer = await act(hass, loaded, "check_port", port="61002")
    assert answer == {
        "port": 61002,
        "open": False,
        "source_ip": EXIT_IP,
        "message": "Port 61002 is closed",
    }
    assert state_of(hass, "sensor.home_forwarded_ports") == "1"

    # A closed port is told at once, and shown after a second look
    await provider.stop_listening(EXIT_IP, 61001)
    reachable = "binary_sensor.home_port_61001_reachable"
    for _ in range(2):
        answer = await act(hass, loaded, "check_port", port=61001)
        assert answer["open"] is False
        assert state_of(hass, reachable) == "on"
    checks = len(asked(provider, CHECK))
    await later(hass, seconds=31)
    assert len(asked(provider, CHECK)) == checks + 1
    assert state_of(hass, reachable) == "off"


async def test_list_ports(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    loaded: MockConfigEntry,
) -> None:
    """A list is what the provider has now, and is shown as well."""
    answer = await act(hass, loaded, "list_ports")
    assert answer == {"internal_ipv4": IPV4, "internal_ipv6": None, "ports": []}

    address.add_port(61002, expires_at=1_900_000_000)
    address.add_port(61001)
    address.add_port(61003, hidden=True)
    await provider.listen(EXIT_IP, 61001)
    expected = [
        {"port": 61001, "hidden": False, "expires_at": None, "reachable": None},
        {
            "port": 61002,
            "hidden": False,
            "expires_at": "2030-03-17T17:46:40+00:00",
            "reachable": None,
        },
    ]
    answer = await act(hass, loaded, "list_ports")
    assert answer == {"internal_ipv4": IPV4, "internal_ipv6": IPV6, "ports": expected}
    assert state_of(hass, "sensor.home_port_61001_port") == "61001"
    answer = await act(hass, loaded, "list_ports")
    assert [port["reachable"] for port in answer["ports"]] == [True, None]
    await later(hass, seconds=31)
