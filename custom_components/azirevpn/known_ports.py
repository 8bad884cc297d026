"""Remembers the ports of an account, because the provider doesn't list hidden ones."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
import os
from typing import Any, Self

from homeassistant.config_entries import ConfigSubentry
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.storage import Store
from homeassistant.util import dt as dt_util

from .api import InvalidResponseError, PortForwarding
from .const import CONF_INTERNAL_IPV4, DOMAIN, LOGGER
from .ports import Port

STORAGE_VERSION = 1
SAVE_DELAY = 1  # seconds: several changes at once are written once

type Stored = dict[str, dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Remembered:
    """What is remembered of a connection.

    internal_ipv4: the address that the ports were forwarded to.
    was_listed: whether a list ever told which ports there are.
    """

    internal_ipv4: str
    was_listed: bool = False
    ports: Mapping[int, Port] = field(default_factory=dict)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """Read what was stored; any of many errors where it is something else."""
        return cls(
            internal_ipv4=stored["internal_ipv4"],
            was_listed=stored["was_listed"],
            ports={
                forwarding.port: Port(forwarding=forwarding, expiring=port["expiring"])
                for port in stored["ports"]
                for forwarding in [PortForwarding.from_dict(port)]
            },
        )

    def as_dict(self) -> dict[str, Any]:
        """Return what is stored: ports as the provider would list them."""
        return {
            "internal_ipv4": self.internal_ipv4,
            "was_listed": self.was_listed,
            "ports": [
                {
                    "port": number,
                    "hidden": port.forwarding.hidden,
                    "expires_at": int(port.forwarding.expires_at.timestamp())
                    if port.forwarding.expires_at
                    else None,
                    "expiring": port.expiring,
                }
                for number, port in self.ports.items()
            ],
        }


class KnownPorts:
    """The stored ports of an account's connections, by the ids of their subentries.

    What is stored outlives restarts: it tells which hidden ports there are, and
    what changed while nobody looked.
    """

    def __init__(self, hass: HomeAssistant, entry_id: str) -> None:
        """Prepare the store of an account."""
        self._hass = hass
        self._store = Store[Stored](
            hass, STORAGE_VERSION, f"{DOMAIN}.{entry_id}", atomic_writes=True
        )
        self._connections: dict[str, Remembered] = {}
        self._is_waiting = False

    async def async_load(self, subentry_ids: Collection[str]) -> None:
        """Read what is stored, and forget the connections that are gone.

        A file that can't be understood is set aside, as if there were none.
        """
        try:
            stored = await self._store.async_load() or {}
            self._connections = {
                subentry_id: Remembered.from_dict(connection)
                for subentry_id, connection in stored.items()
            }
        except (
            AttributeError,
            HomeAssistantError,
            InvalidResponseError,
            LookupError,
            NotImplementedError,
            TypeError,
        ) as err:
            aside = f"{self._store.path}.unreadable.{dt_util.utcnow().isoformat()}"
            LOGGER.warning(
                "The stored ports can't be read (%s); the file was set aside as %s",
                type(err).__name__,
                aside,
            )
            await self._hass.async_add_executor_job(os.rename, self._store.path, aside)
        if gone := self._connections.keys() - set(subentry_ids):
            for subentry_id in gone:
                del self._connections[subentry_id]
            self._async_save_soon()

    @callback
    def async_get(self, subentry: ConfigSubentry) -> Remembered:
        """Return what is remembered of a connection.

        With another address, only its hidden ports live on: what is listed there is
        no news.
        """
        address = subentry.data[CONF_INTERNAL_IPV4]
        known = self._connections.get(subentry.subentry_id)
        if known is None or known.internal_ipv4 == address:
            return known or Remembered(internal_ipv4=address)
        hidden = {
            number: port
            for number, port in known.ports.items()
            if port.forwarding.hidden
        }
        return Remembered(internal_ipv4=address, ports=hidden)

    @callback
    def async_remember(self, subentry_id: str, connection: Remembered) -> None:
        """Take over what is known of a connection; unchanged, nothing is written."""
        known = self._connections.get(subentry_id)
        self._connections[subentry_id] = connection
        if known is None or known.as_dict() != connection.as_dict():
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
            subentry_id: connection.as_dict()
            for subentry_id, connection in self._connections.items()
        }
