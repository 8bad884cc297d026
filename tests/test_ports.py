"""Forwarded ports come and go, and show what the provider says of them."""

from datetime import UTC, datetime
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr, entity_registry as er
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.azirevpn.activity import PortEventType
from tests.conftest import (
    CONNECTION_ID,
    EXIT_IP,
    enable_all,
    later,
    settled,
    state_of,
)
from tests.fake_provider import Account, Address

PORT = "sensor.home_port_61001_port"
EXPIRY = "sensor.home_port_61001_port_expiry"
REACHABLE = "binary_sensor.home_port_61001_reachable"
TUNNEL = "binary_sensor.home_tunnel"
COUNT = "sensor.home_forwarded_ports"
NEXT_EXPIRY = "sensor.home_next_port_expiry"


def port_numbers(hass: HomeAssistant, entry: MockConfigEntry) -> set[str]:
    """Return the names of the devices of ports."""
    return {
        str(device.name)
        for device in dr.async_child_entries_for_config_entry(
            dr.async_get(hass), entry.entry_id
        )
    }


def as_state(moment: int | None) -> str:
    """Return Unix seconds as the state of a timestamp."""
    assert moment is not None
    return datetime.fromtimestamp(moment, UTC).isoformat()


async def test_all_entities(
    hass: HomeAssistant,
    account: Account,
    address: Address,
    with_port: MockConfigEntry,
) -> None:
    """Every entity shows what the provider says, with the fitting attributes."""
    address.add_port(61002, expires_at=1_800_000_000)
    address.add_port(61003)
    account.is_subscribed = False
    await enable_all(hass, with_port)

    expected: dict[str, tuple[str, dict[str, Any]]] = {
        "binary_sensor.ada_active": ("on", {}),
        "binary_sensor.ada_subscribed": ("off", {}),
        "binary_sensor.ada_email_verified": ("on", {}),
        "binary_sensor.ada_old_pricing": ("off", {}),
        "sensor.ada_subscription_expiry": (
            as_state(account.expires_at),
            {"device_class": "timestamp"},
        ),
        "sensor.ada_ips_allocated": (
            "1",
            {"state_class": "measurement"},
        ),
        "sensor.ada_ips_available": (
            "5",
            {"state_class": "measurement"},
        ),
        "sensor.ada_currency": ("EUR", {}),
        "sensor.ada_created": (
            as_state(account.created_at),
            {"device_class": "timestamp"},
        ),
        "sensor.ada_email": ("ada@example.org", {}),
        "binary_sensor.ada_subscription_expiring": ("off", {"device_class": "problem"}),
        TUNNEL: ("on", {"device_class": "connectivity"}),
        COUNT: ("3", {"state_class": "measurement"}),
        NEXT_EXPIRY: (as_state(1_800_000_000), {"device_class": "timestamp"}),
        "sensor.home_public_ip": (EXIT_IP, {}),
        "sensor.home_internal_ipv6": ("2a0e:1c80:1337:1:10:0:131:176", {}),
        "button.home_create_port": ("unknown", {}),
        "button.home_check_ports": ("unknown", {}),
        "event.home_port_activity": (
            "unknown",
            {"event_type": None, "event_types": sorted(PortEventType)},
        ),
        PORT: ("61001", {}),
        EXPIRY: (as_state(1_900_000_000), {"device_class": "timestamp"}),
        REACHABLE: ("on", {"device_class": "connectivity"}),
        "binary_sensor.home_port_61001_hidden": ("off", {}),
        "button.home_port_61001_hide": ("unknown", {}),
        "sensor.home_port_61002_port": ("61002", {}),
        "sensor.home_port_61002_port_expiry": (
            as_state(1_800_000_000),
            {"device_class": "timestamp"},
        ),
        "binary_sensor.home_port_61002_reachable": (
            "unknown",
            {"device_class": "connectivity"},
        ),
        "sensor.home_port_61003_port": ("61003", {}),
        "sensor.home_port_61003_port_expiry": (
            "unknown",
            {"device_class": "timestamp"},
        ),
        "binary_sensor.home_port_61003_reachable": (
            "unknown",
            {"device_class": "connectivity"},
        ),
    }
    for number in (61001, 61002, 61003):
        for button in ("check", "delete"):
            expected[f"button.home_port_{number}_{button}"] = ("unknown", {})
    shown = {
        state.entity_id: (
            state.state,
            {
                name: sorted(value) if isinstance(value, list) else value
                for name, value in state.attributes.items()
                if name != "friendly_name"
            },
        )
        for state in hass.states.async_all()
        if state.domain != "calendar"
    }
    assert shown == expected


async def test_seldom_used(hass: HomeAssistant, with_port: MockConfigEntry) -> None:
    """What few people want is there, but disabled; details are diagnostic."""
    entities = {
        entity.entity_id: entity
        for entity in er.async_entries_for_config_entry(
            er.async_get(hass), with_port.entry_id
        )
    }
    assert {name for name, entity in entities.items() if entity.disabled} == {
        "binary_sensor.ada_old_pricing",
        "sensor.ada_currency",
        "sensor.ada_created",
        "sensor.ada_email",
        "sensor.home_internal_ipv6",
        "binary_sensor.home_port_61001_hidden",
        "button.home_port_61001_hide",
    }
    assert {
        name for name, entity in entities.items() if not entity.entity_category
    } == {
        "binary_sensor.ada_active",
        "binary_sensor.ada_subscription_expiring",
        "calendar.ada_expiries",
        "binary_sensor.ada_subscribed",
        "sensor.ada_subscription_expiry",
        TUNNEL,
        COUNT,
        NEXT_EXPIRY,
        "button.home_create_port",
        "event.home_port_activity",
        PORT,
        EXPIRY,
        REACHABLE,
    }


async def test_come_and_go(
    hass: HomeAssistant, address: Address, loaded: MockConfigEntry
) -> None:
    """A port appears, goes with its device, and comes back, at the next poll each."""
    assert state_of(hass, COUNT) == "0"
    assert state_of(hass, NEXT_EXPIRY) == "unknown"
    identities = []
    for _ in range(2):
        address.add_port(61001)
        address.add_port(61002)
        await later(hass, minutes=6)
        assert state_of(hass, PORT) == "61001"
        assert state_of(hass, COUNT) == "2"
        assert port_numbers(hass, loaded) == {"Port 61001", "Port 61002"}
        entity = er.async_get(hass).async_get(PORT)
        assert entity is not None
        identities.append(entity.unique_id)

        del address.ports[61001]
        await later(hass, minutes=6)
        assert state_of(hass, PORT) is None
        assert state_of(hass, REACHABLE) is None
        assert state_of(hass, COUNT) == "1"
        assert port_numbers(hass, loaded) == {"Port 61002"}

        # The answer to a list without any port is a 404
        del address.ports[61002]
        await later(hass, minutes=6)
        assert state_of(hass, COUNT) == "0"
        assert not port_numbers(hass, loaded)
    assert identities == [f"{CONNECTION_ID}_61001_port"] * 2


async def test_gone_while_unloaded(
    hass: HomeAssistant, address: Address, with_port: MockConfigEntry
) -> None:
    """A port that went while nobody looked is not shown again."""
    assert await hass.config_entries.async_unload(with_port.entry_id)
    del address.ports[61001]
    assert await hass.config_entries.async_setup(with_port.entry_id)
    await settled(hass)
    assert state_of(hass, PORT) is None
    assert not port_numbers(hass, with_port)
