"""The provider itself: what it serves on loopback, and what a test can change."""

import asyncio
from functools import cached_property
from ipaddress import ip_address
from typing import TYPE_CHECKING, Literal, Self

from aiohttp import web

from .accounts import Accounts
from .certificates import Certificates
from .clock import Clock
from .draw import Draw
from .faults import Fault, Faults
from .limits import RateLimit
from .service import RecordedRequest, application
from .tunnel import HOST, Tunnel

if TYPE_CHECKING:
    from types import TracebackType

    from .sign_in import OneTimePassword
    from .users import IpsShape


class FakeProvider:
    """Serve the provider's interface on 127.0.0.1, with all of it in memory.

    Stands on interface.md and in-the-field.md alone, so that a client which was
    written from the same pages is checked by a second reading of them.
    """

    def __init__(
        self,
        *,
        tls: bool = False,
        port: int = 0,
        seed: int | None = None,
        control: bool = False,
    ) -> None:
        """Prepare a provider; port 0 takes a free one, a seed makes draws repeat."""
        self.tls = tls
        self.port = port
        self.control = control
        self.clock = Clock()
        self.draw = Draw(seed)
        self.accounts = Accounts(clock=self.clock, draw=self.draw)
        self.add_account = self.accounts.add
        self.requests: list[RecordedRequest] = []
        self.faults = Faults()
        self.limits = RateLimit(self.clock)
        self.tunnels: list[Tunnel] = []
        self.verification_emails: list[str] = []
        self.one_time_passwords: dict[str, OneTimePassword] = {}

        self.rate_limit = 60
        self.sends_retry_after = True
        self.max_ports = 5
        self.daily_quota: int | None = None
        self.caller_connected = False
        self.not_connected_status = 403
        self.otp_method: Literal["POST", "GET"] = "POST"
        self.ips_shape: IpsShape = "object"
        self.serves_ips = True

        self.stopping = asyncio.Event()
        self._runner: web.AppRunner | None = None
        self._listeners: dict[tuple[str, int], asyncio.Server] = {}

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        exception: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.stop()

    @property
    def url(self) -> str:
        """Return the base address, without a slash at the end."""
        return f"{'https' if self.tls else 'http'}://{HOST}:{self.port}"

    @property
    def manager_url(self) -> str:
        """Return the web manager's address, which is the same."""
        return self.url

    @property
    def ca_pem(self) -> bytes:
        """Return the certificate of the throw-away authority that https stands on."""
        return self._certificates.ca_pem

    async def start(self) -> None:
        """Serve; after a stop on the same port, with all accounts as they were."""
        self.stopping.clear()
        self._runner = web.AppRunner(
            application(self), access_log=None, shutdown_timeout=0.1
        )
        await self._runner.setup()
        tls = self._certificates.server_context() if self.tls else None
        await web.TCPSite(self._runner, HOST, self.port, ssl_context=tls).start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Close the tunnels and listeners, and serve no more."""
        self.stopping.set()
        for tunnel in self.tunnels:
            await tunnel.close()
        for exit_ip, port in list(self._listeners):
            await self.stop_listening(exit_ip, port)
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def open_tunnel(
        self,
        exit_ip: str = "127.0.0.2",
        username: str | None = None,
        password: str | None = None,
        *,
        port: int = 0,
        tls: bool = False,
    ) -> Tunnel:
        """Open a proxy on 127.0.0.1, whose traffic comes from an exit address."""
        tunnel = Tunnel(
            provider_port=self.port,
            exit_ip=exit_ip,
            username=username,
            password=password,
            port=port,
            tls=self._certificates.server_context() if tls else None,
        )
        await tunnel.open()
        self.tunnels.append(tunnel)
        return tunnel

    def is_connected(self, remote: str | None) -> bool:
        """Tell whether a caller from that address is connected to a VPN server."""
        return self.caller_connected or any(
            tunnel.is_open and tunnel.exit_ip == remote for tunnel in self.tunnels
        )

    def fail(
        self, path: str, fault: Fault, *, method: str | None = None, times: int = 1
    ) -> None:
        """Let the next answers on a path fail.

        The path is matched exactly, or as a prefix when it ends with "/" or "*".
        """
        self.faults.plan(path, fault, method=method, times=times)

    async def listen(self, exit_ip: str, port: int) -> None:
        """Accept connections behind a port, so that a check finds it open.

        Raise ValueError if the exit isn't on loopback.
        """
        if not ip_address(exit_ip).is_loopback:
            raise ValueError(f"{exit_ip} is not on loopback")
        self._listeners[exit_ip, port] = await asyncio.start_server(
            _accept, exit_ip, port
        )

    async def stop_listening(self, exit_ip: str, port: int) -> None:
        """Accept no more connections behind a port."""
        listener = self._listeners.pop((exit_ip, port))
        listener.close()
        await listener.wait_closed()

    @cached_property
    def _certificates(self) -> Certificates:
        return Certificates.issue()


async def _accept(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.close()
