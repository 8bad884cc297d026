"""Finds out which forwarded ports answer from outside.

A check asks the provider to connect to a port. What it found goes to the
connection's coordinator, and from there to the entities.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from functools import partial
from math import inf

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.event import async_call_later, async_track_time_interval

from .api import AzireVPN, AzireVPNError, PortCheck
from .connection import ConnectionCoordinator
from .const import LOGGER

CHECK_INTERVAL = timedelta(minutes=15)
SECOND_LOOK_DELAY = timedelta(seconds=30)
SAME_TIME = 10.0  # seconds
CHECKS_AT_A_TIME = 3
# The provider doesn't tell what time its rate limit is counted over.
RATE_LIMIT_WINDOW = 60.0  # seconds


class CheckLimit:
    """Keeps the checks of an account to three at a time, and to half of its rate limit.

    The other half is for the polls, and for whatever else uses the same address.
    """

    def __init__(self, client: AzireVPN) -> None:
        """Take the rate limit from what the client last saw of it."""
        self._client = client
        self._slots = asyncio.Semaphore(CHECKS_AT_A_TIME)
        self._begun: deque[float] = deque()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a turn, and hold it."""
        async with self._slots:
            await self._wait()
            yield

    async def _wait(self) -> None:
        """Wait until another check fits into the window."""
        loop = asyncio.get_running_loop()
        while True:
            while self._begun and self._begun[0] <= loop.time() - RATE_LIMIT_WINDOW:
                self._begun.popleft()
            seen = self._client.rate_limit
            if not seen or len(self._begun) < max(1, seen.limit // 2):
                self._begun.append(loop.time())
                return
            await asyncio.sleep(self._begun[0] + RATE_LIMIT_WINDOW - loop.time())


class PortChecker:
    """Checks every known port of a connection: when it appears, and every 15 minutes.

    A port counts as closed only when the provider said so twice, half a minute
    apart, with the tunnel up. Whatever else goes wrong makes it unknown.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        connection: ConnectionCoordinator,
        limit: CheckLimit,
    ) -> None:
        """Prepare the checks of a connection; the limit is shared by its account."""
        self._hass = hass
        self._connection = connection
        self._limit = limit
        self._checked: set[int] = set()
        self._second_looks: dict[int, CALLBACK_TYPE] = {}
        self._is_stopped = False
        self._tunnel_lock = asyncio.Lock()
        self._tunnel_seen = -inf  # by the event loop's clock
        connection.config_entry.async_on_unload(self._cancel_second_looks)

    @callback
    def async_start(self) -> None:
        """Check what is known now, what appears later, and all of it regularly."""
        for stop in (
            self._connection.async_add_listener(self._check_new),
            async_track_time_interval(self._hass, self._check_all, CHECK_INTERVAL),
        ):
            self._connection.config_entry.async_on_unload(stop)
        self._check_new()

    async def async_check(self, port: int, *, second_look: bool = False) -> PortCheck:
        """Check a port now and take in what was found.

        Raises:
            AzireVPNError: as `Connection.check_port`; the port is unknown then.

        """
        try:
            async with self._limit.turn():
                check = await self._connection.connection.check_port(port)
        except AzireVPNError:
            self._connection.async_take_check(port, is_open=None)
            raise
        known = self._connection.ports.get(port)
        if check.open and (cancel := self._second_looks.pop(port, None)):
            cancel()
        if check.open or second_look or (known and known.reachable is False):
            self._connection.async_take_check(
                port, is_open=check.open, source_ip=check.source_ip
            )
        elif known:
            self._look_again(port)
        return check

    async def async_check_all(self) -> None:
        """Check every known port now.

        Raises:
            AzireVPNError: as `Connection.check_port`, for one that failed; all the
                others were checked.

        """
        outcomes = await asyncio.gather(
            *(self.async_check(port) for port in self._connection.ports),
            return_exceptions=True,
        )
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome

    @callback
    def _check_new(self) -> None:
        """Check the ports that appeared since the last look, once the tunnel is up."""
        if not self._connection.tunnel:
            self._checked.clear()
            return
        known = self._connection.ports.keys()
        new = known - self._checked
        self._checked = set(known)
        self._check(new)

    @callback
    def _check_all(self, _now: datetime) -> None:
        """Check every known port; without a tunnel there is nothing to find out."""
        if self._connection.tunnel:
            self._check(self._connection.ports)

    @callback
    def _check(self, ports: Iterable[int], *, second_look: bool = False) -> None:
        """Check ports in the background, where a failure shows as unknown."""
        for port in ports:
            self._connection.config_entry.async_create_background_task(
                self._hass,
                self._check_quietly(port, second_look=second_look),
                f"azirevpn check of port {port}",
            )

    async def _check_quietly(self, port: int, *, second_look: bool) -> None:
        """Check a port; a second look first makes sure of the tunnel."""
        if second_look and not await self._async_is_tunnel_up():
            return
        try:
            await self.async_check(port, second_look=second_look)
        except AzireVPNError as err:
            LOGGER.debug("Port %s could not be checked: %s", port, err)

    async def _async_is_tunnel_up(self) -> bool:
        """List the ports, once for all second looks at about the same time.

        Without the tunnel, a check would ask for a port at another address, and
        find it closed there.
        """
        async with self._tunnel_lock:
            now = asyncio.get_running_loop().time()
            if now - self._tunnel_seen > SAME_TIME:
                await self._connection.async_refresh()
                self._tunnel_seen = now
        return self._connection.tunnel

    @callback
    def _look_again(self, port: int) -> None:
        """Arrange for a second look."""
        if port not in self._second_looks and not self._is_stopped:
            self._second_looks[port] = async_call_later(
                self._hass, SECOND_LOOK_DELAY, partial(self._take_second_look, port)
            )

    @callback
    def _take_second_look(self, port: int, _now: datetime) -> None:
        """Check the port again."""
        del self._second_looks[port]
        self._check([port], second_look=True)

    @callback
    def _cancel_second_looks(self) -> None:
        """Forget the second looks that were arranged, and arrange no more."""
        self._is_stopped = True
        for cancel in self._second_looks.values():
            cancel()
