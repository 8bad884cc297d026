"""What is known of a connection and its ports, and how it is kept up to date."""

import asyncio
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any, override

from homeassistant.config_entries import ConfigEntryState, ConfigSubentry
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import ConfigEntryNotReady
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator
from homeassistant.util.dt import utcnow

from .activity import PortEvent, Reason, port_events
from .api import (
    AuthenticationError,
    AzireVPN,
    AzireVPNError,
    Connection,
    NotConnectedError,
    PortForwarding,
    PortList,
    ProxyError,
)
from .const import (
    CONF_INTERNAL_IPV4,
    CONF_PORT_WARNING_DAYS,
    CONF_PROXY_URL,
    DEFAULT_PORT_WARNING_DAYS,
    LOGGER,
)
from .errors import update_failed
from .known_ports import KnownPorts, Remembered
from .ports import ConnectionData, Port

if TYPE_CHECKING:
    from .coordinator import AccountCoordinator, AzireVPNConfigEntry
    from .reachability import PortChecker

PORTS_INTERVAL = timedelta(minutes=5)
# More than this is never waiting to be told: an event entity is there after set-up.
MOST_EVENTS = 100


def open_connection(client: AzireVPN, data: Mapping[str, Any]) -> Connection:
    """Return the client's side of a connection, for the data of its subentry."""
    return client.connection(data[CONF_INTERNAL_IPV4], proxy=data.get(CONF_PROXY_URL))


class ConnectionCoordinator(DataUpdateCoordinator[ConnectionData | None]):
    """Keeps the port forwardings of a connection up to date.

    Its data is None until the provider first gave an answer.
    """

    config_entry: AzireVPNConfigEntry
    device_id: str
    checker: PortChecker

    def __init__(
        self,
        hass: HomeAssistant,
        account: AccountCoordinator,
        subentry: ConfigSubentry,
        known_ports: KnownPorts,
    ) -> None:
        """Prepare the poll of the connection's ports, every five minutes.

        Args:
            hass: Home Assistant.
            account: the account that the connection belongs to.
            subentry: its name, its address and the way into its tunnel.
            known_ports: what is remembered of the account's ports. The first list of
                a connection of which nothing is remembered is no news.

        """
        super().__init__(
            hass,
            LOGGER,
            config_entry=account.config_entry,
            name=f"connection {subentry.title}",
            update_interval=PORTS_INTERVAL,
            always_update=False,
        )
        self.subentry = subentry
        self.connection = open_connection(account.client, subentry.data)
        self.last_error: AzireVPNError | None = None
        # A list that was asked for before a change must not undo what the change told.
        self.lock = asyncio.Lock()
        self._account = account
        self._known_ports = known_ports
        remembered = known_ports.async_get(subentry)
        self._remembered = remembered.ports
        # Whether a list ever told which ports there are: before, none of them is new.
        self.was_listed = remembered.was_listed
        self._events: deque[PortEvent] = deque(maxlen=MOST_EVENTS)
        self._warning_time = timedelta(
            days=self.config_entry.options.get(
                CONF_PORT_WARNING_DAYS, DEFAULT_PORT_WARNING_DAYS
            )
        )

    @property
    def known(self) -> ConnectionData:
        """What is known; before the first answer, what was known before a restart."""
        return self.data or ConnectionData(tunnel=False, ports=self._remembered)

    @property
    def ports(self) -> Mapping[int, Port]:
        """The known ports by number."""
        return self.known.ports

    @property
    def tunnel(self) -> bool:
        """Whether the provider last answered through the tunnel."""
        return self.last_update_success and self.known.tunnel

    async def async_first_refresh(self) -> None:
        """Read the ports for the first time, without a word if that fails.

        During an outage set-up is tried again and again, and only one that the
        account answers may tell what is wrong with a connection.
        """
        with suppress(ConfigEntryNotReady):
            await self.async_config_entry_first_refresh()

    @override
    async def _async_update_data(self) -> ConnectionData:
        """List the ports, and tell a tunnel that is down from a provider that is.

        A list that failed changes nothing about the ports that are known.
        """
        self.last_error = None
        try:
            async with self.lock:
                return self._with_tunnel(await self.connection.list_ports())
        except AzireVPNError as err:
            self.last_error = err
            if isinstance(err, (NotConnectedError, ProxyError)):
                return self._without_tunnel(err)
            self.doubt_token(err)
            raise update_failed(err) from err

    def _with_tunnel(self, found: PortList) -> ConnectionData:
        """Take over a list, and keep what is known of the ports beyond it."""
        if self.data and not self.data.tunnel:
            LOGGER.info("The tunnel of connection %s is up again", self.subentry.title)
        data = self._aged(self.known.with_list(found), Reason.NOTICED)
        self.was_listed = True
        return data

    def _without_tunnel(self, err: AzireVPNError) -> ConnectionData:
        """Keep the ports that are known; whether they answer is unknown."""
        if self.config_entry.state is ConfigEntryState.LOADED and not (
            self.data and not self.data.tunnel
        ):
            LOGGER.warning(
                "The tunnel of connection %s is down: %s", self.subentry.title, err
            )
        return self._aged(self.known.without_tunnel(), Reason.NOTICED)

    def _aged(self, data: ConnectionData, reason: Reason) -> ConnectionData:
        """Let time pass, and note what happened."""
        now = utcnow()
        aged = data.at(now, self._warning_time)
        if self.was_listed or reason is Reason.REQUESTED:
            self._events.extend(
                port_events(self.ports, aged.ports, now=now, reason=reason)
            )
        return aged

    async def async_change_port(
        self, number: int, forwarding: PortForwarding | None
    ) -> None:
        """Take over a change that was asked for here; None is a port that is gone.

        What no list will show is written before this returns.
        """
        changed = (
            self.known.with_port(forwarding)
            if forwarding
            else self.known.without_port(number)
        )
        self._async_set(self._aged(changed, Reason.REQUESTED))
        self.async_remember()
        if forwarding and forwarding.hidden:
            await self._known_ports.async_write()
        if not self.tunnel:
            # The provider answered through it, so it is up again.
            self.async_look_again()

    @callback
    def async_look_again(self) -> None:
        """List the ports soon, as something is not as it was known."""
        self.config_entry.async_create_task(self.hass, self.async_request_refresh())

    @callback
    def async_take_check(
        self, number: int, *, is_open: bool | None, source_ip: str | None = None
    ) -> None:
        """Take over what a check found, unless the port or the tunnel is gone meanwhile.

        Args:
            number: the port.
            is_open: whether it answered; None where that could not be told.
            source_ip: the address that the provider saw, if it told.

        """
        if self.tunnel and number in self.ports:
            checked = self.known.with_check(
                number, is_open=is_open, source_ip=source_ip
            )
            self._async_set(self._aged(checked, Reason.NOTICED))

    @callback
    def _async_set(self, data: ConnectionData) -> None:
        """Replace the data and tell the entities, if anything changed."""
        if data != self.data:
            self.data = data
            self.async_update_listeners()

    @callback
    def async_take_events(self) -> list[PortEvent]:
        """Hand over what happened since the last call."""
        events = list(self._events)
        self._events.clear()
        return events

    @callback
    def async_remember(self) -> None:
        """Remember the ports, once it is known whether there are any."""
        if self.was_listed or self.ports:
            self._known_ports.async_remember(
                self.subentry.subentry_id,
                Remembered(
                    # That of the subentry may be another by now.
                    internal_ipv4=str(self.connection.internal_ipv4),
                    was_listed=self.was_listed,
                    ports=self.ports,
                ),
            )

    @callback
    def async_forget_hidden(self, number: int) -> bool:
        """Forget a hidden port; return whether it was one."""
        port = self.ports.get(number)
        if port is None or not port.forwarding.hidden:
            return False
        self._async_set(self.known.without_port(number))
        return True

    def doubt_token(self, err: AzireVPNError) -> None:
        """Leave it to the account to decide whether a refused token is a bad one.

        During set-up the account is asked anyway.
        """
        if (
            isinstance(err, AuthenticationError)
            and self.config_entry.state is ConfigEntryState.LOADED
        ):
            self.config_entry.async_create_task(
                self.hass, self._account.async_request_refresh()
            )

    async def async_list_ports(self) -> ConnectionData:
        """List the ports now.

        Raises:
            AzireVPNError: as `Connection.list_ports`.

        """
        await self.async_refresh()
        if self.last_error:
            raise self.last_error
        return self.known
