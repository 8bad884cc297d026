"""Calendar: when the subscription and the ports of an account expire."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import override

from homeassistant.components.calendar import (
    DOMAIN as CALENDAR_DOMAIN,
    CalendarEntity,
    CalendarEntityDescription,
    CalendarEvent,
)
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.translation import async_translate_state
from homeassistant.util.dt import utcnow

from .const import DOMAIN
from .coordinator import AzireVPNConfigEntry
from .entity import AccountEntity

# Coordinators do the talking.
PARALLEL_UPDATES = 0

EXPIRIES = CalendarEntityDescription(key="expiries", translation_key="expiries")

# An expiry is a moment, and a calendar shows only what lasts.
DURATION = timedelta(minutes=15)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: AzireVPNConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the calendar of an account."""
    async_add_entities([ExpiriesCalendar(entry.runtime_data.account, EXPIRIES)])


class ExpiriesCalendar(AccountEntity, CalendarEntity):
    """The expiries of an account's subscription and of all its ports."""

    @override
    async def async_added_to_hass(self) -> None:
        """Follow the connections, too."""
        await super().async_added_to_hass()
        for (
            connection
        ) in self.coordinator.config_entry.runtime_data.connections.values():
            self.async_on_remove(
                connection.async_add_listener(self._handle_coordinator_update)
            )

    @property
    @override
    def event(self) -> CalendarEvent | None:
        """Return the expiry that is next, or has just been."""
        now = utcnow()
        return min(
            (event for event in self._events() if event.end_datetime_local > now),
            key=lambda event: event.start_datetime_local,
            default=None,
        )

    @override
    async def async_get_events(
        self, hass: HomeAssistant, start_date: datetime, end_date: datetime
    ) -> list[CalendarEvent]:
        """Return the expiries within a time, in their order."""
        return sorted(
            (
                event
                for event in self._events()
                if event.start_datetime_local < end_date
                and event.end_datetime_local > start_date
            ),
            key=lambda event: event.start_datetime_local,
        )

    def _events(self) -> Iterator[CalendarEvent]:
        """Return all expiries that are known."""
        entry = self.coordinator.config_entry
        user = self.coordinator.data.user
        if user.expires_at:
            yield self._event("subscription", user.username, user.expires_at)
        for connection in entry.runtime_data.connections.values():
            for number, port in connection.ports.items():
                if port.forwarding.expires_at:
                    yield self._event(
                        "port",
                        f"{number} ({connection.subentry.title})",
                        port.forwarding.expires_at,
                    )

    def _event(self, kind: str, name: str, expires_at: datetime) -> CalendarEvent:
        """Return the expiry of something, in the language of the house."""
        what = async_translate_state(
            self.hass, kind, CALENDAR_DOMAIN, DOMAIN, EXPIRIES.key, None
        )
        return CalendarEvent(
            start=expires_at, end=expires_at + DURATION, summary=f"{what} {name}"
        )
