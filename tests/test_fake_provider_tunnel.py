"""The fake provider's tunnels, certificates and listeners."""

import asyncio
import ssl
from typing import TYPE_CHECKING

from aiohttp import ClientError, ClientHttpProxyError, ClientSession, ClientTimeout
import pytest

from tests.fake_provider import FakeProvider

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.fake_provider import Tunnel

PATH = "/v3/portforwardings"
IPV4 = "10.0.131.176"
QUERY = {"internal_ipv4": IPV4}
# With each request, because aiohttp shows the headers of a session to proxies
TOKEN = {"Authorization": "Bearer nobody-may-read-this"}


@pytest.fixture
async def http(provider: FakeProvider) -> AsyncIterator[ClientSession]:
    """Call the provider, where an account has a port."""
    async with session_for(provider) as session:
        yield session


def session_for(provider: FakeProvider) -> ClientSession:
    """Return a session for a provider, which gets an account with a port."""
    account = provider.add_account(token="nobody-may-read-this")
    account.add_address(IPV4).add_port(52192)
    return ClientSession(provider.url, timeout=ClientTimeout(total=2))


def trusting(provider: FakeProvider) -> ssl.SSLContext:
    """Return a context that trusts the throw-away authority, and strictly checks."""
    return ssl.create_default_context(cadata=provider.ca_pem.decode())


async def status_through(
    http: ClientSession, tunnel: Tunnel, tls: ssl.SSLContext | None = None
) -> int:
    """Return the HTTP status of a list through a tunnel."""
    async with http.get(
        PATH,
        params=QUERY,
        headers=TOKEN,
        proxy=tunnel.url_with_credentials,
        ssl=True if tls is None else tls,
    ) as answer:
        return answer.status


async def raw(tunnel: Tunnel, request: bytes, *, ends: bool = False) -> bytes:
    """Return what a tunnel says to some bytes, after which the client may end."""
    reader, writer = await asyncio.open_connection("127.0.0.1", tunnel.port)
    writer.write(request)
    if ends:
        writer.write_eof()
    async with asyncio.timeout(2):
        answer = await reader.read()
    writer.close()
    return answer


async def test_way_in(provider: FakeProvider, http: ClientSession) -> None:
    """Through a tunnel the provider sees the exit, and answers."""
    tunnel = await provider.open_tunnel(exit_ip="127.0.0.2")
    assert tunnel.url_with_credentials == tunnel.url
    assert await status_through(http, tunnel) == 200
    assert provider.requests[-1].remote == "127.0.0.2"
    assert provider.requests[-1].query == QUERY
    async with http.get(PATH, params=QUERY, headers=TOKEN) as answer:
        assert answer.status == 403
    assert provider.requests[-1].remote == "127.0.0.1"
    assert tunnel.connects == [
        f"GET {provider.url}{PATH}?internal_ipv4={IPV4} HTTP/1.1"
    ]


async def test_plain_http_is_readable(
    provider: FakeProvider, http: ClientSession
) -> None:
    """Without https the tunnel could read everything, both ways."""
    tunnel = await provider.open_tunnel()
    body = {"internal_ipv4": IPV4, "port": 52192}
    async with http.delete(PATH, json=body, headers=TOKEN, proxy=tunnel.url) as answer:
        assert answer.status == 200
    assert provider.requests[-1].body == body
    assert provider.requests[-1].headers["Connection"] == "close"
    assert b"nobody-may-read-this" in tunnel.seen
    assert b'"success"' in tunnel.seen


async def test_bare_address(provider: FakeProvider) -> None:
    """A URL without a path asks for the root."""
    tunnel = await provider.open_tunnel()
    request = f"GET {provider.url} HTTP/1.1\r\nHost: here\r\n\r\n"
    assert (await raw(tunnel, request.encode())).startswith(b"HTTP/1.1 404")
    assert provider.requests[-1].path == "/"


@pytest.mark.parametrize("tls_tunnel", [False, True])
async def test_https_passes_unread(*, tls_tunnel: bool) -> None:
    """An https request is a CONNECT, in which the tunnel can read nothing."""
    async with FakeProvider(tls=True) as provider, session_for(provider) as http:
        tunnel = await provider.open_tunnel(tls=tls_tunnel)
        assert tunnel.url.startswith("https:" if tls_tunnel else "http:")
        assert await status_through(http, tunnel, trusting(provider)) == 200
        assert provider.requests[-1].remote == "127.0.0.2"
        assert tunnel.connects == [f"CONNECT 127.0.0.1:{provider.port} HTTP/1.1"]
        assert len(tunnel.seen) > 1000
        assert b"nobody-may-read-this" not in tunnel.seen
        assert b"52192" not in tunnel.seen


async def test_certificate_is_checked() -> None:
    """Without the throw-away authority nobody trusts the provider."""
    async with FakeProvider(tls=True) as provider, session_for(provider) as http:
        assert provider.url.startswith("https://127.0.0.1:")
        with pytest.raises(ClientError, match="CERTIFICATE_VERIFY_FAILED"):
            await http.get(PATH)
        tls = trusting(provider)
        async with http.get("/v3/users/me", headers=TOKEN, ssl=tls) as answer:
            assert answer.status == 200


async def test_credentials(provider: FakeProvider, http: ClientSession) -> None:
    """A tunnel may ask who is there."""
    tunnel = await provider.open_tunnel(username="gluetun", password="p:@/ss")
    assert tunnel.url_with_credentials == (
        f"http://gluetun:p%3A%40%2Fss@127.0.0.1:{tunnel.port}"
    )
    assert await status_through(http, tunnel) == 200
    assert "Proxy-Authorization" not in provider.requests[-1].headers
    seen = len(provider.requests)
    wrong = f"http://gluetun:guess@127.0.0.1:{tunnel.port}"
    for proxy in (tunnel.url, wrong):
        body = {"internal_ipv4": IPV4}
        async with http.post(PATH, json=body, proxy=proxy) as answer:
            assert answer.status == 407
            assert answer.headers["Proxy-Authenticate"] == 'Basic realm="tunnel"'
    assert len(provider.requests) == seen


async def test_credentials_for_https() -> None:
    """A CONNECT is refused as well."""
    async with FakeProvider(tls=True) as provider, session_for(provider) as http:
        tunnel = await provider.open_tunnel(username="gluetun", password="secret")
        tls = trusting(provider)
        assert await status_through(http, tunnel, tls) == 200
        with pytest.raises(ClientHttpProxyError) as refusal:
            await http.get(PATH, proxy=tunnel.url, ssl=tls)
        assert refusal.value.status == 407


@pytest.mark.parametrize(
    "first",
    [
        "CONNECT 127.0.0.1:1 HTTP/1.1",
        "CONNECT example.org:{port} HTTP/1.1",
        "GET http://example.org:{port}/ HTTP/1.1",
        "GET https://127.0.0.1:{port}/ HTTP/1.1",
        "GET / HTTP/1.1",
    ],
)
async def test_leads_nowhere_else(provider: FakeProvider, first: str) -> None:
    """A tunnel dials the provider only."""
    tunnel = await provider.open_tunnel()
    request = first.format(port=provider.port) + "\r\n\r\n"
    assert (await raw(tunnel, request.encode())).startswith(b"HTTP/1.1 403 Forbidden")


async def test_nonsense(provider: FakeProvider) -> None:
    """Nobody answers what isn't a request."""
    tunnel = await provider.open_tunnel()
    assert await raw(tunnel, b"no request\r\n\r\n") == b""
    assert await raw(tunnel, b"GET /", ends=True) == b""


async def test_close_and_open(provider: FakeProvider, http: ClientSession) -> None:
    """A closed tunnel refuses connections, and comes back at the same address."""
    tunnel = await provider.open_tunnel()
    url = tunnel.url
    await tunnel.close()
    await tunnel.close()
    assert not tunnel.is_open
    with pytest.raises(ClientError, match="Connect call failed"):
        await status_through(http, tunnel)
    await tunnel.open()
    await tunnel.open()
    assert tunnel.url == url
    assert await status_through(http, tunnel) == 200


async def test_close_breaks_connections(provider: FakeProvider) -> None:
    """A connection that is open ends with the tunnel."""
    tunnel = await provider.open_tunnel()
    reader, writer = await asyncio.open_connection("127.0.0.1", tunnel.port)
    writer.write(f"CONNECT 127.0.0.1:{provider.port} HTTP/1.1\r\n\r\n".encode())
    assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
    await tunnel.close()
    async with asyncio.timeout(1):
        assert await reader.read() == b""
    writer.close()


async def test_stalling(provider: FakeProvider, http: ClientSession) -> None:
    """A stalling tunnel takes everything and says nothing."""
    tunnel = await provider.open_tunnel()
    tunnel.stalling = True
    with pytest.raises(TimeoutError):
        await http.get(
            PATH, params=QUERY, proxy=tunnel.url, timeout=ClientTimeout(total=0.1)
        )
    assert tunnel.seen.startswith(b"GET http://")
    assert provider.requests == []
    tunnel.stalling = False
    assert await status_through(http, tunnel) == 200


async def test_provider_is_down(provider: FakeProvider, http: ClientSession) -> None:
    """A tunnel tells when it finds nobody; a provider comes back as it was."""
    url = provider.url
    tunnel = await provider.open_tunnel()
    await provider.stop()
    await tunnel.open()
    assert await status_through(http, tunnel) == 502
    await provider.start()
    assert provider.url == url
    assert await status_through(http, tunnel) == 200


async def test_check_goes_the_same_way(
    provider: FakeProvider, http: ClientSession
) -> None:
    """A check tries the exit that it came from."""
    tunnel = await provider.open_tunnel(exit_ip="127.0.0.2")
    other = await provider.open_tunnel(exit_ip="127.0.0.3")

    async def check(tunnel: Tunnel) -> tuple[str, str]:
        async with http.get(f"{PATH}/check/61234", proxy=tunnel.url) as answer:
            envelope = await answer.json()
            return envelope["status"], envelope["data"]["source_ip"]

    assert await check(tunnel) == ("error", "127.0.0.2")
    await provider.listen("127.0.0.2", 61234)
    assert await check(tunnel) == ("success", "127.0.0.2")
    assert await check(other) == ("error", "127.0.0.3")
    await provider.stop_listening("127.0.0.2", 61234)
    assert await check(tunnel) == ("error", "127.0.0.2")


async def test_listeners_end_with_the_provider() -> None:
    """Nothing is left behind, and nothing listens outside loopback."""
    async with FakeProvider() as provider:
        with pytest.raises(ValueError, match="not on loopback"):
            await provider.listen("192.0.2.1", 61236)
        await provider.listen("127.0.0.2", 61236)
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.2", 61236)
