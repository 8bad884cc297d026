"""Buttons: what can be done with a connection and its ports at a touch."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, override

from homeassistant.components.button import ButtonEntity, ButtonEntityDescription
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .connection import ConnectionCoordinator
from .coordinator import AzireVPNConfigEntry
from .entity import ConnectionEntity, PortEntity, async_add_connection_entities
from .errors import as_action_errors
from .port_changes import async_create_port, async_delete_port, async_hide_port

# One request after the other: a press waits for the one before it.
PARALLEL_UPDATES = 1


@dataclass(frozen=True, kw_only=True)
class ConnectionButtonDescription(ButtonEntityDescription):
    """A button of a connection and what it does."""

    press_fn: Callable[[ConnectionCoordinator], Awaitable[Any]]


@dataclass(frozen=True, kw_only=True)
class PortButtonDescription(ButtonEntityDescription):
    """A button of a port and what it does, given the port's number."""

    press_fn: Callable[[ConnectionCoordinator, int], Awaitable[Any]]


CONNECTION_BUTTONS = (
    ConnectionButtonDescription(
        key="create_port",
        translation_key="create_port",
        press_fn=async_create_port,
    ),
    ConnectionButtonDescription(
        key="check_ports",
        translation_key="check_ports",
        entity_category=EntityCategory.DIAGNOSTIC,
        press_fn=lambda connection: connection.checker.async_check_all(),
    ),
)

PORT_BUTTONS = (
    PortButtonDescription(
        key="check",
        translation_key="check",
        entity_category=EntityCategory.DIAGNOSTIC,
        press_fn=lambda connection, number: connection.checker.async_check(number),
    ),
    PortButtonDescription(
        key="hide",
        translation_key="hide",
        entity_category=EntityCategory.CONFIG,
        entity_registry_enabled_default=False,
        press_fn=async_hide_port,
    ),
    PortButtonDescription(
        key="delete",
        translation_key="delete",
        entity_category=EntityCategory.CONFIG,
        press_fn=async_delete_port,
    ),
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: AzireVPNConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the buttons of the connections and their ports."""
    async_add_connection_entities(
        entry,
        async_add_entities,
        connection=lambda connection: [
            ConnectionButton(connection, description)
            for description in CONNECTION_BUTTONS
        ],
        port=lambda connection, number: [
            PortButton(connection, number, description) for description in PORT_BUTTONS
        ],
    )


class ConnectionButton(ConnectionEntity, ButtonEntity):
    """A button of a connection."""

    entity_description: ConnectionButtonDescription

    @override
    async def async_press(self) -> None:
        """Do what the button is for."""
        with as_action_errors():
            await self.entity_description.press_fn(self.coordinator)


class PortButton(PortEntity, ButtonEntity):
    """A button of a port."""

    entity_description: PortButtonDescription

    @override
    async def async_press(self) -> None:
        """Do what the button is for."""
        with as_action_errors():
            await self.entity_description.press_fn(self.coordinator, self.number)
