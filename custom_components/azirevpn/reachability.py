"""Finds out which forwarded ports answer from outside.

A check asks the provider to connect to a port. What it found goes to the
connection's coordinator, and from there to the entities.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.event import async_call_later, async_track_time_interval

from .api import AzireVPNError, PortCheck
from .const import LOGGER
from .coordinator import AzireVPNConfigEntry, ConnectionCoordinator

CHECK_INTERVAL = timedelta(minutes=15)
SECOND_LOOK_DELAY = timedelta(seconds=30)
CHECKS_AT_A_TIME = 3


class PortChecker:
    """Checks every known port of a connection: when it appears, and every 15 minutes.

    A port counts as closed only when the provider said so twice, half a minute
    apart, with the tunnel up. Whatever else goes wrong makes it unknown.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        entry: AzireVPNConfigEntry,
        coordinator: ConnectionCoordinator,
        limit: asyncio.Semaphore,
    ) -> None:
        """Prepare the checks of a connection; the limit is shared by its account."""
        self._hass = hass
        self._entry = entry
        self._coordinator = coordinator
        self._limit = limit
        self._checked: set[int] = set()
        self._second_looks: dict[int, CALLBACK_TYPE] = {}

    @callback
    def async_start(self) -> None:
        """Check what is known now, what appears later, and all of it regularly."""
        for stop in (
            self._coordinator.async_add_listener(self._check_new),
            async_track_time_interval(self._hass, self._check_all, CHECK_INTERVAL),
            self._cancel_second_looks,
        ):
            self._entry.async_on_unload(stop)
        self._check_new()

    async def async_check(self, port: int, *, second_look: bool = False) -> PortCheck:
        """Check a port now and take in what was found.

        Raises:
            AzireVPNError: as `Connection.check_port`; the port is unknown then.

        """
        try:
            async with self._limit:
                check = await self._coordinator.connection.check_port(port)
        except AzireVPNError:
            self._learn(port, reachable=None)
            raise
        if check.open or second_look:
            self._learn(port, reachable=check.open, source_ip=check.source_ip)
        elif port in self._coordinator.ports:
            self._look_again(port)
        return check

    @callback
    def _check_new(self) -> None:
        """Check the ports that appeared since the last look, once the tunnel is up."""
        if not self._coordinator.tunnel:
            self._checked.clear()
            return
        known = self._coordinator.ports.keys()
        new = known - self._checked
        self._checked = set(known)
        self._check(new)

    @callback
    def _check_all(self, _now: datetime) -> None:
        """Check every known port; without a tunnel there is nothing to find out."""
        if self._coordinator.tunnel:
            self._check(self._coordinator.ports)

    @callback
    def _check(self, ports: Iterable[int], *, second_look: bool = False) -> None:
        """Check ports in the background, where a failure shows as unknown."""
        for port in ports:
            self._entry.async_create_background_task(
                self._hass,
                self._check_quietly(port, second_look=second_look),
                f"azirevpn check of port {port}",
            )

    async def _check_quietly(self, port: int, *, second_look: bool) -> None:
        """Check a port.

        A second look first makes sure of the tunnel: without it, a check would
        ask for the port at another address and find it closed there.
        """
        if second_look:
            await self._coordinator.async_refresh()
            if not self._coordinator.tunnel:
                return
        try:
            await self.async_check(port, second_look=second_look)
        except AzireVPNError as err:
            LOGGER.debug("Port %s could not be checked: %s", port, err)

    @callback
    def _look_again(self, port: int) -> None:
        """Arrange for a second look, unless the port is known as closed already."""
        if self._coordinator.ports[port].reachable is False:
            return
        if port not in self._second_looks:
            self._second_looks[port] = async_call_later(
                self._hass, SECOND_LOOK_DELAY, partial(self._take_second_look, port)
            )

    @callback
    def _take_second_look(self, port: int, _now: datetime) -> None:
        """Check the port again."""
        del self._second_looks[port]
        self._check([port], second_look=True)

    @callback
    def _learn(
        self, port: int, *, reachable: bool | None, source_ip: str | None = None
    ) -> None:
        """Hand on what a check found, unless the port is gone meanwhile."""
        known = self._coordinator.ports.get(port)
        if known is not None:
            self._coordinator.async_update_ports(
                {port: replace(known, reachable=reachable)}, public_ip=source_ip
            )

    @callback
    def _cancel_second_looks(self) -> None:
        """Forget the second looks that were arranged."""
        for cancel in self._second_looks.values():
            cancel()
