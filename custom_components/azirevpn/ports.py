"""What is known of a connection and its ports, and how it changes. It talks to nobody."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from ipaddress import IPv6Address
from typing import Self

from .api import PortForwarding, PortList


@dataclass(frozen=True, kw_only=True)
class Port:
    """A port forwarding, and what is known of it beyond the provider's list.

    reachable: whether it answered from outside when last checked; None where that
    could not be told.
    answered: what the last check found that could tell, whatever came since.
    expiring: whether it came close to its expiry.
    """

    forwarding: PortForwarding
    reachable: bool | None = None
    answered: bool | None = None
    expiring: bool = False

    def is_past(self, now: datetime) -> bool:
        """Return whether the port has expired."""
        return self.forwarding.expires_at is not None and (
            self.forwarding.expires_at <= now
        )

    def is_within(self, time: timedelta, now: datetime) -> bool:
        """Return whether the port expires within a time from now."""
        return self.forwarding.expires_at is not None and (
            self.forwarding.expires_at - now <= time
        )


@dataclass(frozen=True, kw_only=True)
class ConnectionData:
    """What is known of a connection; its ports by number.

    While the tunnel is down, the ports are those that it had before: the
    provider can't be asked whether it still has them.
    """

    tunnel: bool
    internal_ipv6: IPv6Address | None = None
    public_ip: str | None = None
    ports: Mapping[int, Port] = field(default_factory=dict)

    def with_list(self, found: PortList) -> Self:
        """Take over a list of the provider, which came through the tunnel.

        Hidden ports are on no list. What is known of a port beyond it is kept.
        """
        hidden = {
            number: port
            for number, port in self.ports.items()
            if port.forwarding.hidden
        }
        listed = {forwarding.port: self._port(forwarding) for forwarding in found.ports}
        return replace(
            self,
            tunnel=True,
            internal_ipv6=found.internal_ipv6,
            ports=dict(sorted((hidden | listed).items())),
        )

    def without_tunnel(self) -> Self:
        """Keep the ports that are known; whether they answer is unknown."""
        return replace(
            self,
            tunnel=False,
            ports={
                number: replace(port, reachable=None)
                for number, port in self.ports.items()
            },
        )

    def with_port(self, forwarding: PortForwarding) -> Self:
        """Add a port, or change what the provider says of it."""
        ports = {**self.ports, forwarding.port: self._port(forwarding)}
        return replace(self, ports=dict(sorted(ports.items())))

    def without_port(self, number: int) -> Self:
        """Drop a port, if it is known."""
        ports = {key: port for key, port in self.ports.items() if key != number}
        return replace(self, ports=ports)

    def with_check(
        self, number: int, *, is_open: bool | None, source_ip: str | None
    ) -> Self:
        """Take over what a check of a known port found, None where it could not tell."""
        port = self.ports[number]
        checked = replace(
            port,
            reachable=is_open,
            answered=port.answered if is_open is None else is_open,
        )
        return replace(
            self,
            ports={**self.ports, number: checked},
            public_ip=source_ip or self.public_ip,
        )

    def at(self, now: datetime, warning_time: timedelta) -> Self:
        """Let time pass: ports come close to their expiry, and hidden ones end.

        Only a list can end a port that is not hidden.
        """
        return replace(
            self,
            ports={
                number: replace(port, expiring=port.is_within(warning_time, now))
                for number, port in self.ports.items()
                if not (port.forwarding.hidden and port.is_past(now))
            },
        )

    def _port(self, forwarding: PortForwarding) -> Port:
        """Return a port with what is known of it."""
        if known := self.ports.get(forwarding.port):
            return replace(known, forwarding=forwarding)
        return Port(forwarding=forwarding)
