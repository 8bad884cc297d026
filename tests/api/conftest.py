"""An account at the fake provider, the client for it, and services that misbehave."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
import socket
import ssl
import struct

import aiohttp
import pytest

from custom_components.azirevpn.api import AzireVPN, Connection
from tests.fake_provider import Account, Address, FakeProvider

INTERNAL_IPV4 = "10.0.131.176"
TOKEN = "token-1234567890"
PASSWORD = "correct horse battery"
PROXY_PASSWORD = "pr0xy-p@ss"
ME = "/v3/users/me"

type Serve = Callable[..., Awaitable[str]]


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    """Open a session as anybody would."""
    async with aiohttp.ClientSession() as opened:
        yield opened


@pytest.fixture
def account(provider: FakeProvider) -> Account:
    """Have an account."""
    return provider.add_account(token=TOKEN, password=PASSWORD, email="ada@example.com")


@pytest.fixture
def address(account: Account) -> Address:
    """Have an internal address."""
    return account.add_address(INTERNAL_IPV4, device_name="camel")


@pytest.fixture
def client(
    provider: FakeProvider, account: Account, session: aiohttp.ClientSession
) -> AzireVPN:
    """Return the client for the account."""
    return AzireVPN(
        session, account.token, base_url=provider.url, manager_url=provider.url
    )


@pytest.fixture
def connection(
    provider: FakeProvider, client: AzireVPN, address: Address
) -> Connection:
    """Return the connection of the address, from inside the tunnel."""
    provider.caller_connected = True
    return client.connection(address.internal_ipv4)


@pytest.fixture
async def secure_provider(loopback: None) -> AsyncIterator[FakeProvider]:
    """Serve the provider's interface over https."""
    async with FakeProvider(tls=True) as running:
        running.add_account(token=TOKEN).add_address(INTERNAL_IPV4)
        yield running


@pytest.fixture
async def trusting_session(
    secure_provider: FakeProvider,
) -> AsyncIterator[aiohttp.ClientSession]:
    """Open a session that trusts the provider's throw-away authority."""
    context = ssl.create_default_context(cadata=secure_provider.ca_pem.decode())
    connector = aiohttp.TCPConnector(ssl=context)
    async with aiohttp.ClientSession(connector=connector) as opened:
        yield opened


@pytest.fixture
async def serve(loopback: None) -> AsyncIterator[Serve]:
    """Return a function that serves the same bytes to everyone, at the address it returns.

    With reset=True it resets the connection after them, else it closes it.
    """
    servers: list[asyncio.Server] = []

    async def start(answer: bytes, *, reset: bool = False) -> str:
        async def respond(
            reader: asyncio.StreamReader, writer: asyncio.StreamWriter
        ) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(answer)
            await writer.drain()
            if reset:
                # The reset would overtake the bytes that weren't read yet.
                await asyncio.sleep(0.05)
                writer.get_extra_info("socket").setsockopt(
                    socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
                )
            writer.close()

        server = await asyncio.start_server(respond, "127.0.0.1", 0)
        servers.append(server)
        return f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"

    yield start
    for server in servers:
        server.close()
        await server.wait_closed()
