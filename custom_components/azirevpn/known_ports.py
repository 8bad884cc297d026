"""Remembers the ports of an account, because the provider doesn't list hidden ones."""

from collections.abc import Collection, Mapping
import os
from typing import Any

from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.storage import Store
from homeassistant.util import dt as dt_util

from .activity import Port
from .api import PortForwarding
from .const import DOMAIN, LOGGER

STORAGE_VERSION = 1
SAVE_DELAY = 1  # seconds: several changes at once are written once

type StoredPorts = list[dict[str, Any]]
type Stored = dict[str, StoredPorts]


class KnownPorts:
    """The stored ports of an account, by the id of their connection's subentry.

    What is stored outlives restarts: it tells which hidden ports there are, and
    what changed while nobody looked.
    """

    def __init__(self, hass: HomeAssistant, entry_id: str) -> None:
        """Prepare the store of an account."""
        self._hass = hass
        self._store = Store[Stored](
            hass, STORAGE_VERSION, f"{DOMAIN}.{entry_id}", atomic_writes=True
        )
        self._ports: dict[str, Mapping[int, Port]] = {}
        self._is_waiting = False

    async def async_load(self, subentry_ids: Collection[str]) -> None:
        """Read what is stored, and forget the connections that are gone.

        A file that can't be understood is set aside, as if there were none.
        """
        try:
            stored = await self._store.async_load() or {}
            self._ports = {
                subentry_id: _from_stored(ports)
                for subentry_id, ports in stored.items()
            }
        except (
            AttributeError,
            HomeAssistantError,
            LookupError,
            NotImplementedError,
            TypeError,
            ValueError,
        ) as err:
            aside = f"{self._store.path}.unreadable.{dt_util.utcnow().isoformat()}"
            LOGGER.warning(
                "The stored ports can't be read (%s); the file was set aside as %s",
                type(err).__name__,
                aside,
            )
            await self._hass.async_add_executor_job(os.rename, self._store.path, aside)
        if gone := self._ports.keys() - set(subentry_ids):
            for subentry_id in gone:
                del self._ports[subentry_id]
            self._async_save_soon()

    @callback
    def async_get(self, subentry_id: str) -> Mapping[int, Port] | None:
        """Return the ports of a connection, None if nothing is remembered of it."""
        return self._ports.get(subentry_id)

    @callback
    def async_remember(self, subentry_id: str, ports: Mapping[int, Port]) -> None:
        """Take over the ports of a connection; nothing is written if none changed."""
        known = self._ports.get(subentry_id)
        self._ports[subentry_id] = ports
        if known is None or _to_stored(known) != _to_stored(ports):
            self._async_save_soon()

    async def async_write(self) -> None:
        """Write now what would be written a moment later."""
        if self._is_waiting:
            await self._store.async_save(self._data())

    async def async_remove(self) -> None:
        """Remove all that is stored of the account."""
        await self._store.async_remove()

    @callback
    def _async_save_soon(self) -> None:
        """Write a moment later."""
        self._is_waiting = True
        self._store.async_delay_save(self._data, SAVE_DELAY)

    def _data(self) -> Stored:
        """Return what is to be written."""
        self._is_waiting = False
        return {
            subentry_id: _to_stored(ports) for subentry_id, ports in self._ports.items()
        }


def _to_stored(ports: Mapping[int, Port]) -> StoredPorts:
    """Return what is worth remembering of ports."""
    return [
        {
            "port": number,
            "hidden": port.forwarding.hidden,
            "expires_at": port.forwarding.expires_at.isoformat()
            if port.forwarding.expires_at
            else None,
            "expiring": port.expiring,
        }
        for number, port in ports.items()
    ]


def _from_stored(stored: StoredPorts) -> dict[int, Port]:
    """Return ports as they were remembered."""
    return {
        port["port"]: Port(
            forwarding=PortForwarding(
                port=port["port"],
                hidden=port["hidden"],
                expires_at=dt_util.parse_datetime(
                    port["expires_at"], raise_on_error=True
                )
                if port["expires_at"]
                else None,
            ),
            expiring=port["expiring"],
        )
        for port in stored
    }
