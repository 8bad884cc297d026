"""Binary sensors: what an account may do, and what can be reached."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import override

from homeassistant.components.binary_sensor import (
    BinarySensorDeviceClass,
    BinarySensorEntity,
    BinarySensorEntityDescription,
)
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .coordinator import AccountData, AzireVPNConfigEntry
from .entity import (
    AccountEntity,
    ConnectionEntity,
    PortEntity,
    async_add_connection_entities,
)

# Coordinators do the talking.
PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class AccountBinarySensorDescription(BinarySensorEntityDescription):
    """A binary sensor of an account and how to read it."""

    is_on_fn: Callable[[AccountData], bool | None]


ACCOUNT_BINARY_SENSORS = (
    AccountBinarySensorDescription(
        key="active",
        translation_key="active",
        is_on_fn=lambda account: account.user.is_active,
    ),
    AccountBinarySensorDescription(
        key="subscribed",
        translation_key="subscribed",
        is_on_fn=lambda account: account.user.is_subscribed,
    ),
    AccountBinarySensorDescription(
        key="subscription_expiring",
        translation_key="subscription_expiring",
        device_class=BinarySensorDeviceClass.PROBLEM,
        is_on_fn=lambda account: account.expiring,
    ),
    AccountBinarySensorDescription(
        key="email_verified",
        translation_key="email_verified",
        entity_category=EntityCategory.DIAGNOSTIC,
        is_on_fn=lambda account: account.user.is_email_verified,
    ),
    AccountBinarySensorDescription(
        key="old_pricing",
        translation_key="old_pricing",
        entity_category=EntityCategory.DIAGNOSTIC,
        entity_registry_enabled_default=False,
        is_on_fn=lambda account: account.user.is_oldschool,
    ),
)

TUNNEL = BinarySensorEntityDescription(
    key="tunnel",
    translation_key="tunnel",
    device_class=BinarySensorDeviceClass.CONNECTIVITY,
)

REACHABLE = BinarySensorEntityDescription(
    key="reachable",
    translation_key="reachable",
    device_class=BinarySensorDeviceClass.CONNECTIVITY,
)

HIDDEN = BinarySensorEntityDescription(
    key="hidden",
    translation_key="hidden",
    entity_category=EntityCategory.DIAGNOSTIC,
    entity_registry_enabled_default=False,
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: AzireVPNConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the binary sensors of an account, its connections and their ports."""
    account = entry.runtime_data.account
    async_add_entities(
        AccountBinarySensor(account, description)
        for description in ACCOUNT_BINARY_SENSORS
    )
    async_add_connection_entities(
        entry,
        async_add_entities,
        connection=lambda connection: [TunnelBinarySensor(connection, TUNNEL)],
        port=lambda connection, number: [
            ReachableBinarySensor(connection, number, REACHABLE),
            HiddenBinarySensor(connection, number, HIDDEN),
        ],
    )


class AccountBinarySensor(AccountEntity, BinarySensorEntity):
    """A binary sensor of the account."""

    entity_description: AccountBinarySensorDescription

    @property
    @override
    def is_on(self) -> bool | None:
        """Return what the account says."""
        return self.entity_description.is_on_fn(self.coordinator.data)


class TunnelBinarySensor(ConnectionEntity, BinarySensorEntity):
    """Whether the provider answers through the connection's tunnel."""

    @property
    @override
    def available(self) -> bool:
        """Whether the provider gave any answer: a tunnel that is down is one."""
        return self.coordinator.last_update_success

    @property
    @override
    def is_on(self) -> bool:
        """Return whether the tunnel is up."""
        return self.data.tunnel


class ReachableBinarySensor(PortEntity, BinarySensorEntity):
    """Whether a port answered from outside; unknown where that could not be told."""

    @property
    @override
    def available(self) -> bool:
        """Whether the port is known: a tunnel that is down only makes it unknown."""
        return self.coordinator.last_update_success and self.number in self.data.ports

    @property
    @override
    def is_on(self) -> bool | None:
        """Return what the last check found."""
        return self.port.reachable


class HiddenBinarySensor(PortEntity, BinarySensorEntity):
    """Whether a port is kept out of the provider's lists."""

    @property
    @override
    def is_on(self) -> bool:
        """Return whether the port is hidden."""
        return self.port.forwarding.hidden
