"""What is known of an account and of its connections, and how it is kept up to date."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from ipaddress import IPv6Address
from typing import TYPE_CHECKING, Any, override

from homeassistant.config_entries import ConfigEntry, ConfigEntryState, ConfigSubentry
from homeassistant.const import CONF_ACCESS_TOKEN
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import ConfigEntryAuthFailed, ConfigEntryNotReady
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator

from .api import (
    AuthenticationError,
    AzireVPN,
    AzireVPNError,
    Connection,
    CreatedPort,
    NotConnectedError,
    PortForwarding,
    PortList,
    ProxyError,
    User,
)
from .const import (
    CONF_BASE_URL,
    CONF_INTERNAL_IPV4,
    CONF_MANAGER_URL,
    CONF_PROXY_URL,
    DOMAIN,
    LOGGER,
)
from .errors import update_failed

if TYPE_CHECKING:
    from .reachability import PortChecker

ACCOUNT_INTERVAL = timedelta(hours=1)
PORTS_INTERVAL = timedelta(minutes=5)

type AzireVPNConfigEntry = ConfigEntry[AzireVPNData]


@dataclass(frozen=True, kw_only=True)
class AzireVPNData:
    """What a loaded account runs on; the mappings go by the ids of subentries."""

    client: AzireVPN
    account: AccountCoordinator
    connections: Mapping[str, ConnectionCoordinator]
    checkers: Mapping[str, PortChecker]


def create_client(hass: HomeAssistant, data: Mapping[str, Any]) -> AzireVPN:
    """Return a client for the data of a config entry."""
    return AzireVPN(
        async_get_clientsession(hass),
        data[CONF_ACCESS_TOKEN],
        base_url=data[CONF_BASE_URL],
        manager_url=data[CONF_MANAGER_URL],
    )


def open_connection(client: AzireVPN, data: Mapping[str, Any]) -> Connection:
    """Return the client's side of a connection, for the data of its subentry."""
    return client.connection(data[CONF_INTERNAL_IPV4], proxy=data.get(CONF_PROXY_URL))


class AccountCoordinator(DataUpdateCoordinator[User]):
    """Keeps the account's user object up to date."""

    config_entry: AzireVPNConfigEntry

    def __init__(
        self, hass: HomeAssistant, entry: AzireVPNConfigEntry, client: AzireVPN
    ) -> None:
        """Prepare the hourly poll of the account."""
        super().__init__(
            hass,
            LOGGER,
            config_entry=entry,
            name=f"account {entry.title}",
            update_interval=ACCOUNT_INTERVAL,
            always_update=False,
        )
        self._client = client

    @override
    async def _async_update_data(self) -> User:
        """Read the account; the entry's title follows its username."""
        try:
            user = await self._client.get_user()
        except AuthenticationError as err:
            raise ConfigEntryAuthFailed(
                translation_domain=DOMAIN, translation_key="invalid_auth"
            ) from err
        except AzireVPNError as err:
            raise update_failed(err) from err
        self.hass.config_entries.async_update_entry(
            self.config_entry, title=user.username
        )
        return user


@dataclass(frozen=True, kw_only=True)
class Port:
    """A port forwarding, and whether it answered from outside when last checked."""

    forwarding: PortForwarding
    reachable: bool | None = None


@dataclass(frozen=True, kw_only=True)
class ConnectionData:
    """What is known of a connection.

    While the tunnel is down, the ports are those that it had before: the
    provider can't be asked whether it still has them.
    """

    tunnel: bool
    internal_ipv6: IPv6Address | None = None
    public_ip: str | None = None
    ports: Mapping[int, Port] = field(default_factory=dict)


class ConnectionCoordinator(DataUpdateCoordinator[ConnectionData | None]):
    """Keeps the port forwardings of a connection up to date.

    Its data is None until the provider first gave an answer.
    """

    config_entry: AzireVPNConfigEntry
    device_id: str

    def __init__(
        self,
        hass: HomeAssistant,
        entry: AzireVPNConfigEntry,
        subentry: ConfigSubentry,
        client: AzireVPN,
        account: AccountCoordinator,
    ) -> None:
        """Prepare the poll of the connection's ports, every five minutes."""
        super().__init__(
            hass,
            LOGGER,
            config_entry=entry,
            name=f"connection {subentry.title}",
            update_interval=PORTS_INTERVAL,
            always_update=False,
        )
        self.subentry = subentry
        self.connection = open_connection(client, subentry.data)
        self.last_error: AzireVPNError | None = None
        self._account = account
        # A list that was asked for before a change must not undo what the change told.
        self._lock = asyncio.Lock()

    @property
    def ports(self) -> Mapping[int, Port]:
        """The known ports by number; none before the provider first gave an answer."""
        return self.data.ports if self.data else {}

    @property
    def tunnel(self) -> bool:
        """Whether the provider last answered through the tunnel."""
        return self.last_update_success and self.data is not None and self.data.tunnel

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
            async with self._lock:
                return self._with_tunnel(await self.connection.list_ports())
        except AzireVPNError as err:
            self.last_error = err
            if isinstance(err, (NotConnectedError, ProxyError)):
                return self._without_tunnel(err)
            self._doubt_token(err)
            raise update_failed(err) from err

    def _with_tunnel(self, found: PortList) -> ConnectionData:
        """Take over a list, and keep what is known of the ports beyond it."""
        known = self.data or ConnectionData(tunnel=True)
        if not known.tunnel:
            LOGGER.info("The tunnel of connection %s is up again", self.subentry.title)
        return ConnectionData(
            tunnel=True,
            internal_ipv6=found.internal_ipv6,
            public_ip=known.public_ip,
            ports={
                forwarding.port: replace(
                    known.ports[forwarding.port], forwarding=forwarding
                )
                if forwarding.port in known.ports
                else Port(forwarding=forwarding)
                for forwarding in found.ports
            },
        )

    def _without_tunnel(self, err: AzireVPNError) -> ConnectionData:
        """Keep the ports that are known; whether they answer is unknown."""
        known = self.data or ConnectionData(tunnel=True)
        if known.tunnel and self.config_entry.state is ConfigEntryState.LOADED:
            LOGGER.warning(
                "The tunnel of connection %s is down: %s", self.subentry.title, err
            )
        return replace(
            known,
            tunnel=False,
            ports={
                number: replace(port, reachable=None)
                for number, port in known.ports.items()
            },
        )

    def _doubt_token(self, err: AzireVPNError) -> None:
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
        return self.data or ConnectionData(tunnel=False)

    async def async_create_port(
        self, *, expires_in: int | None = None, hidden: bool | None = None
    ) -> CreatedPort:
        """Create a port forwarding; it is known at once, without a poll.

        Args:
            expires_in: lifetime in days; None leaves it to the provider.
            hidden: whether the provider leaves it out of its lists.

        Raises:
            AzireVPNError: as `Connection.create_port`.

        """
        try:
            async with self._lock:
                created = await self.connection.create_port(
                    expires_in=expires_in, hidden=hidden
                )
        except AzireVPNError as err:
            self._doubt_token(err)
            raise
        forwarding = PortForwarding(
            port=created.port, hidden=created.hidden, expires_at=created.expires_at
        )
        self.async_update_ports({created.port: Port(forwarding=forwarding)})
        return created

    @callback
    def async_update_ports(
        self, ports: Mapping[int, Port], *, public_ip: str | None = None
    ) -> None:
        """Take in what was learned of some ports between two polls."""
        known = self.data or ConnectionData(tunnel=True)
        data = replace(
            known,
            ports=dict(sorted({**known.ports, **ports}.items())),
            public_ip=public_ip or known.public_ip,
        )
        if data != self.data:
            self.data = data
            self.async_update_listeners()
