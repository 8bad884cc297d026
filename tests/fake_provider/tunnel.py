"""A way into the VPN: a forward HTTP proxy whose traffic leaves by an exit address."""

import asyncio
from base64 import b64encode
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

if TYPE_CHECKING:
    import ssl

HOST = "127.0.0.1"
CHUNK = 65_536
# How long a refused client may take to read why
PATIENCE = 0.5

# Headers between client and proxy, which end there
_PROXY_ONLY = ("proxy-", "connection:", "keep-alive:")


class Tunnel:
    """A proxy on loopback that dials nothing but the provider.

    `connects` holds the first lines of the requests it was asked for, `seen` all bytes
    it could read, in both directions. While `stalling` it accepts and says nothing.
    """

    def __init__(
        self,
        *,
        provider_port: int,
        exit_ip: str,
        username: str | None = None,
        password: str | None = None,
        port: int = 0,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """Take the exit's address, and the credentials to ask for, if any."""
        self.exit_ip = exit_ip
        self.port = port
        self.stalling = False
        self.connects: list[str] = []
        self.seen = bytearray()
        self._provider_port = provider_port
        self._username = username
        self._password = password
        self._tls = tls
        self._server: asyncio.Server | None = None
        self._clients: set[asyncio.Task[None]] = set()

    @property
    def is_open(self) -> bool:
        """Tell whether the tunnel is up."""
        return self._server is not None

    @property
    def url(self) -> str:
        """Return the proxy's address without credentials."""
        return f"{self._scheme}://{HOST}:{self.port}"

    @property
    def url_with_credentials(self) -> str:
        """Return the proxy's address with its credentials, if it asks for any."""
        if self._username is None:
            return self.url
        credentials = ":".join(
            quote(part, safe="") for part in (self._username, self._password or "")
        )
        return f"{self._scheme}://{credentials}@{HOST}:{self.port}"

    async def open(self) -> None:
        """Listen, on the same port as before."""
        if self._server is None:
            self._server = await asyncio.start_server(
                self._welcome, HOST, self.port, ssl=self._tls
            )
            self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Refuse connections from now on, and break those that are open."""
        if self._server is None:
            return
        server, self._server = self._server, None
        server.close()
        for client in self._clients:
            client.cancel()
        await asyncio.gather(*self._clients, return_exceptions=True)
        server.abort_clients()
        await server.wait_closed()

    @property
    def _scheme(self) -> str:
        return "http" if self._tls is None else "https"

    async def _welcome(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._clients.add(task)
        try:
            # An incomplete head is an EOFError, one too long a ValueError
            with suppress(OSError, EOFError, ValueError, asyncio.LimitOverrunError):
                await self._serve(reader, writer)
        finally:
            self._clients.discard(task)
            writer.close()

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if self.stalling:
            while data := await reader.read(CHUNK):
                self.seen += data
            return
        head = await reader.readuntil(b"\r\n\r\n")
        self.seen += head
        first, *headers = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
        self.connects.append(first)
        method, target, version = first.split(" ")
        connects = method == "CONNECT"
        url = urlsplit(f"//{target}" if connects else target)
        if not self._admits(headers):
            await _refuse(reader, writer, HTTPStatus.PROXY_AUTHENTICATION_REQUIRED)
            return
        if (
            url.hostname not in (HOST, "localhost")
            or url.port != self._provider_port
            or url.scheme != ("" if connects else "http")
        ):
            await _refuse(reader, writer, HTTPStatus.FORBIDDEN)
            return
        try:
            provider_reader, provider = await asyncio.open_connection(
                HOST, self._provider_port, local_addr=(self.exit_ip, 0)
            )
        except OSError:
            await _refuse(reader, writer, HTTPStatus.BAD_GATEWAY)
            return
        try:
            if connects:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                path = url._replace(scheme="", netloc="").geturl() or "/"
                kept = [
                    header
                    for header in headers
                    if not header.lower().startswith(_PROXY_ONLY)
                ]
                lines = [f"{method} {path} {version}", *kept, "Connection: close"]
                provider.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
            await self._relay((reader, provider), (provider_reader, writer))
        finally:
            provider.close()

    def _admits(self, headers: list[str]) -> bool:
        """Tell whether the right credentials came along, if any are asked for."""
        if self._username is None:
            return True
        credentials = b64encode(f"{self._username}:{self._password or ''}".encode())
        expected = f"proxy-authorization: Basic {credentials.decode()}"
        return any(
            name.lower() + separator + value == expected
            for name, separator, value in (header.partition(": ") for header in headers)
        )

    async def _relay(
        self, *ways: tuple[asyncio.StreamReader, asyncio.StreamWriter]
    ) -> None:
        """Pass on what comes, both ways, until one side ends."""
        tasks = [asyncio.create_task(self._pass_on(*way)) for way in ways]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _pass_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        while data := await reader.read(CHUNK):
            self.seen += data
            writer.write(data)
            await writer.drain()


async def _refuse(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, status: HTTPStatus
) -> None:
    """Answer with a status and no body."""
    lines = [
        f"HTTP/1.1 {status} {status.phrase}",
        "Content-Length: 0",
        "Connection: close",
    ]
    if status is HTTPStatus.PROXY_AUTHENTICATION_REQUIRED:
        lines.append('Proxy-Authenticate: Basic realm="tunnel"')
    writer.write("\r\n".join([*lines, "", ""]).encode())
    if writer.can_write_eof():
        writer.write_eof()
    # Closing with a body unread would reset the connection before the answer is read
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE):
            while await reader.read(CHUNK):
                pass
