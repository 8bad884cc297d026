"""Events: what happens to the ports of a connection."""

from datetime import datetime, timedelta
from typing import override

from homeassistant.components.event import EventEntity, EventEntityDescription
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.event import async_call_later
from homeassistant.helpers.start import async_at_started

from .activity import PortEventType
from .coordinator import AzireVPNConfigEntry
from .entity import ConnectionEntity, async_add_connection_entities

# Coordinators do the talking.
PARALLEL_UPDATES = 0

# Automations listen only when Home Assistant has started and the entity is there, and
# need a moment for it.
STARTUP_DELAY = timedelta(seconds=5)

PORT_ACTIVITY = EventEntityDescription(
    key="port_activity",
    translation_key="port_activity",
    event_types=list(PortEventType),
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: AzireVPNConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the events of the connections."""
    async_add_connection_entities(
        entry,
        async_add_entities,
        connection=lambda connection: [PortActivityEvent(connection, PORT_ACTIVITY)],
    )


class PortActivityEvent(ConnectionEntity, EventEntity):
    """Tells what happens to the ports of a connection.

    It is always available: an outage says nothing of ports, and coming back from
    one would look like the last event happening again.
    """

    @property
    @override
    def available(self) -> bool:
        """Return that there may be something to tell."""
        return True

    _has_listeners = False

    @override
    async def async_added_to_hass(self) -> None:
        """Tell what was found when the connection was set up, once someone listens."""
        await super().async_added_to_hass()
        self.async_on_remove(async_at_started(self.hass, self._tell_later))

    @callback
    def _tell_later(self, hass: HomeAssistant) -> None:
        """Give the automations, which begin to listen now, a moment.

        After a reload, too: what is told before the entity is back looks to them
        like the entity coming back.
        """
        self.async_on_remove(async_call_later(hass, STARTUP_DELAY, self._tell_all))

    @callback
    def _tell_all(self, _now: datetime) -> None:
        """Tell what there is to tell, now and from now on."""
        self._has_listeners = True
        self._handle_coordinator_update()

    @callback
    @override
    def _handle_coordinator_update(self) -> None:
        """Tell what happened since, and write no state if nothing did."""
        if not self._has_listeners:
            return
        for event in self.coordinator.async_take_events():
            about: dict[str, str | int] = {"port": event.port}
            if event.expires_at:
                about["expires_at"] = event.expires_at.isoformat()
            if event.reason:
                about["reason"] = event.reason.value
            self._trigger_event(event.type, about)
            self.async_write_ha_state()
