"""What entities of an account, of a connection and of a port have in common."""

from collections.abc import Callable, Iterable
from typing import override

from homeassistant.core import callback
from homeassistant.helpers.device_registry import ChildDeviceInfo, DeviceInfo
from homeassistant.helpers.entity import Entity, EntityDescription
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.update_coordinator import CoordinatorEntity

from .connection import ConnectionCoordinator
from .coordinator import AccountCoordinator, AzireVPNConfigEntry
from .devices import account_identifier, connection_identifier, port_identifier
from .ports import ConnectionData, Port


class AccountEntity(CoordinatorEntity[AccountCoordinator]):
    """An entity of the account's device."""

    _attr_has_entity_name = True

    def __init__(
        self, coordinator: AccountCoordinator, description: EntityDescription
    ) -> None:
        """Attach the entity to its account."""
        super().__init__(coordinator)
        identifier = account_identifier(coordinator.config_entry)
        self.entity_description = description
        self._attr_unique_id = f"{identifier[1]}_{description.key}"
        self._attr_device_info = DeviceInfo(identifiers={identifier})


class ConnectionEntity(CoordinatorEntity[ConnectionCoordinator]):
    """An entity of a connection's device, available while its tunnel is up."""

    _attr_has_entity_name = True

    def __init__(
        self, coordinator: ConnectionCoordinator, description: EntityDescription
    ) -> None:
        """Attach the entity to its connection."""
        super().__init__(coordinator)
        identifier = connection_identifier(coordinator.subentry)
        self.entity_description = description
        self._attr_unique_id = f"{identifier[1]}_{description.key}"
        self._attr_device_info = DeviceInfo(identifiers={identifier})

    @property
    def data(self) -> ConnectionData:
        """What is known of the connection."""
        return self.coordinator.known

    @property
    @override
    def available(self) -> bool:
        """Whether the provider last answered through the tunnel."""
        return self.coordinator.tunnel


class PortEntity(ConnectionEntity):
    """An entity of a forwarded port, whose device is a child of the connection's."""

    def __init__(
        self,
        coordinator: ConnectionCoordinator,
        number: int,
        description: EntityDescription,
    ) -> None:
        """Attach the entity to its port."""
        super().__init__(coordinator, description)
        identifier = port_identifier(coordinator.subentry, number)
        self.number = number
        self._attr_unique_id = f"{identifier[1]}_{description.key}"
        self._attr_device_info = ChildDeviceInfo(
            identifiers={identifier},
            parent_device_id=coordinator.device_id,
            translation_key="port",
            translation_placeholders={"port": str(number)},
        )

    @property
    def port(self) -> Port:
        """The port that the entity is about."""
        return self.data.ports[self.number]

    @property
    @override
    def available(self) -> bool:
        """Whether the port is known, and its tunnel up."""
        return super().available and self.number in self.data.ports


@callback
def async_add_connection_entities(
    entry: AzireVPNConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
    *,
    connection: Callable[[ConnectionCoordinator], Iterable[Entity]],
    port: Callable[[ConnectionCoordinator, int], Iterable[Entity]] | None = None,
) -> None:
    """Add a platform's entities for every connection, and for its ports as they appear.

    Args:
        entry: the account.
        async_add_entities: the platform's way to add entities.
        connection: makes the entities of a connection.
        port: makes the entities of a port, given its number, if there are any.

    """
    for coordinator in entry.runtime_data.connections.values():
        async_add_entities(
            connection(coordinator),
            config_subentry_id=coordinator.subentry.subentry_id,
        )
        if port:
            _async_follow_ports(entry, async_add_entities, coordinator, port)


@callback
def _async_follow_ports(
    entry: AzireVPNConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
    coordinator: ConnectionCoordinator,
    create: Callable[[ConnectionCoordinator, int], Iterable[Entity]],
) -> None:
    """Add entities for the ports of a connection that are known, and that appear."""
    added: set[int] = set()

    @callback
    def add_new() -> None:
        """Add what appeared; a number that went may come back one day."""
        known = coordinator.ports.keys()
        new = sorted(known - added)
        added.intersection_update(known)
        added.update(new)
        if new:
            async_add_entities(
                (entity for number in new for entity in create(coordinator, number)),
                config_subentry_id=coordinator.subentry.subentry_id,
            )

    entry.async_on_unload(coordinator.async_add_listener(add_new))
    add_new()
