"""Sensors: when things end, and how much there is of them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import override

from homeassistant.components.sensor import (
    SensorDeviceClass,
    SensorEntity,
    SensorEntityDescription,
    SensorStateClass,
)
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.typing import StateType

from .api import PortForwarding, User
from .coordinator import AzireVPNConfigEntry
from .entity import (
    AccountEntity,
    ConnectionEntity,
    PortEntity,
    async_add_connection_entities,
)
from .ports import ConnectionData

# Coordinators do the talking.
PARALLEL_UPDATES = 0

type SensorValue = StateType | datetime


@dataclass(frozen=True, kw_only=True)
class AzireVPNSensorDescription[T](SensorEntityDescription):
    """A sensor and how to read its value."""

    value_fn: Callable[[T], SensorValue]


def next_expiry(data: ConnectionData) -> datetime | None:
    """Return when the first port of a connection expires, if any does."""
    expiries = (port.forwarding.expires_at for port in data.ports.values())
    return min((expiry for expiry in expiries if expiry), default=None)


ACCOUNT_SENSORS: tuple[AzireVPNSensorDescription[User], ...] = (
    AzireVPNSensorDescription(
        key="subscription_expiry",
        translation_key="subscription_expiry",
        device_class=SensorDeviceClass.TIMESTAMP,
        value_fn=lambda user: user.expires_at,
    ),
    AzireVPNSensorDescription(
        key="ips_allocated",
        translation_key="ips_allocated",
        entity_category=EntityCategory.DIAGNOSTIC,
        state_class=SensorStateClass.MEASUREMENT,
        value_fn=lambda user: user.ips_allocated,
    ),
    AzireVPNSensorDescription(
        key="ips_available",
        translation_key="ips_available",
        entity_category=EntityCategory.DIAGNOSTIC,
        state_class=SensorStateClass.MEASUREMENT,
        value_fn=lambda user: user.ips_available,
    ),
    AzireVPNSensorDescription(
        key="currency",
        translation_key="currency",
        entity_category=EntityCategory.DIAGNOSTIC,
        entity_registry_enabled_default=False,
        value_fn=lambda user: user.currency,
    ),
    AzireVPNSensorDescription(
        key="created",
        translation_key="created",
        device_class=SensorDeviceClass.TIMESTAMP,
        entity_category=EntityCategory.DIAGNOSTIC,
        entity_registry_enabled_default=False,
        value_fn=lambda user: user.created_at,
    ),
    AzireVPNSensorDescription(
        key="email",
        translation_key="email",
        entity_category=EntityCategory.DIAGNOSTIC,
        entity_registry_enabled_default=False,
        value_fn=lambda user: user.email,
    ),
)

CONNECTION_SENSORS: tuple[AzireVPNSensorDescription[ConnectionData], ...] = (
    AzireVPNSensorDescription(
        key="forwarded_ports",
        translation_key="forwarded_ports",
        state_class=SensorStateClass.MEASUREMENT,
        value_fn=lambda data: len(data.ports),
    ),
    AzireVPNSensorDescription(
        key="next_port_expiry",
        translation_key="next_port_expiry",
        device_class=SensorDeviceClass.TIMESTAMP,
        value_fn=next_expiry,
    ),
    AzireVPNSensorDescription(
        key="public_ip",
        translation_key="public_ip",
        entity_category=EntityCategory.DIAGNOSTIC,
        value_fn=lambda data: data.public_ip,
    ),
    AzireVPNSensorDescription(
        key="internal_ipv6",
        translation_key="internal_ipv6",
        entity_category=EntityCategory.DIAGNOSTIC,
        entity_registry_enabled_default=False,
        value_fn=lambda data: str(data.internal_ipv6) if data.internal_ipv6 else None,
    ),
)

PORT_SENSORS: tuple[AzireVPNSensorDescription[PortForwarding], ...] = (
    AzireVPNSensorDescription(
        key="port",
        translation_key="port",
        value_fn=lambda forwarding: forwarding.port,
    ),
    AzireVPNSensorDescription(
        key="port_expiry",
        translation_key="port_expiry",
        device_class=SensorDeviceClass.TIMESTAMP,
        value_fn=lambda forwarding: forwarding.expires_at,
    ),
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: AzireVPNConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the sensors of an account, its connections and their ports."""
    account = entry.runtime_data.account
    async_add_entities(
        AccountSensor(account, description) for description in ACCOUNT_SENSORS
    )
    async_add_connection_entities(
        entry,
        async_add_entities,
        connection=lambda connection: [
            ConnectionSensor(connection, description)
            for description in CONNECTION_SENSORS
        ],
        port=lambda connection, number: [
            PortSensor(connection, number, description) for description in PORT_SENSORS
        ],
    )


class AccountSensor(AccountEntity, SensorEntity):
    """A sensor of the account."""

    entity_description: AzireVPNSensorDescription[User]

    @property
    @override
    def native_value(self) -> SensorValue:
        """Return what the account says."""
        return self.entity_description.value_fn(self.coordinator.data.user)


class ConnectionSensor(ConnectionEntity, SensorEntity):
    """A sensor of a connection."""

    entity_description: AzireVPNSensorDescription[ConnectionData]

    @property
    @override
    def native_value(self) -> SensorValue:
        """Return what is known of the connection."""
        return self.entity_description.value_fn(self.data)


class PortSensor(PortEntity, SensorEntity):
    """A sensor of a forwarded port."""

    entity_description: AzireVPNSensorDescription[PortForwarding]

    @property
    @override
    def native_value(self) -> SensorValue:
        """Return what is known of the port."""
        return self.entity_description.value_fn(self.port.forwarding)
