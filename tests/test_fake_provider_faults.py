"""The fake provider's faults."""

import asyncio
import time
from typing import TYPE_CHECKING

from aiohttp import (
    ClientConnectionError,
    ClientPayloadError,
    ClientSession,
    ClientTimeout,
    ServerDisconnectedError,
)
import pytest

from tests.fake_provider import FakeProvider, Fault

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.fake_provider import Address

ME = "/v3/users/me"
PORTS = "/v3/portforwardings"
IPV4 = "10.0.131.176"


@pytest.fixture
def address(provider: FakeProvider) -> Address:
    """Have an address of a new account."""
    return provider.add_account().add_address(IPV4)


@pytest.fixture
async def http(
    provider: FakeProvider, address: Address
) -> AsyncIterator[ClientSession]:
    """Call the provider with the account's token, connected to a VPN server."""
    provider.caller_connected = True
    (account,) = address.accounts
    token = {"Authorization": f"Bearer {account.token}"}
    async with ClientSession(provider.url, headers=token) as session:
        yield session


async def get(http: ClientSession, path: str = ME) -> tuple[int, str]:
    """Return the HTTP status and the text of an answer."""
    async with http.get(path, allow_redirects=False) as answer:
        return answer.status, await answer.text()


@pytest.mark.parametrize(
    ("fault", "status", "text"),
    [
        (
            Fault.status(500),
            500,
            '{"status":"error","message":"Internal Server Error"}',
        ),
        (Fault.status(520), 520, '{"status":"error","message":"Error"}'),
        (Fault.status(503, body="<h1>Busy"), 503, "<h1>Busy"),
        (Fault.status(200, body=[1]), 200, "[1]"),
        (
            Fault.not_json(),
            200,
            "<!doctype html><title>Welcome</title><p>Please sign in.",
        ),
        (Fault.wrong_shape(), 200, '{"status":"success","data":"unexpected"}'),
        (Fault.wrong_shape({}), 200, '{"status":"success","data":{}}'),
        (Fault.redirect("https://example.org/"), 302, ""),
    ],
    ids=lambda value: value.name if isinstance(value, Fault) else "",
)
async def test_wrong_answers(
    provider: FakeProvider, http: ClientSession, fault: Fault, status: int, text: str
) -> None:
    """A fault answers once, and the next answer is right again."""
    provider.fail(ME, fault)
    assert await get(http) == (status, text)
    assert (await get(http))[0] == 200
    assert [request.path for request in provider.requests] == [ME, ME]


async def test_headers(provider: FakeProvider, http: ClientSession) -> None:
    """A fault brings its headers, and everybody gets those of the rate limit."""
    provider.fail(ME, Fault.status(429, headers={"Retry-After": "7"}))
    async with http.get(ME) as answer:
        assert answer.status == 429
        assert answer.headers["Retry-After"] == "7"
        assert answer.headers["X-RateLimit-Limit"] == "60"
    provider.fail(ME, Fault.redirect("https://example.org/"))
    async with http.get(ME, allow_redirects=False) as answer:
        assert answer.headers["Location"] == "https://example.org/"


async def test_what_a_fault_meets(provider: FakeProvider, http: ClientSession) -> None:
    """A path is met exactly, or as a prefix; a method may be asked for as well."""

    async def failing(path: str) -> bool:
        return (await get(http, path))[0] == 500

    provider.fail("/v3/users", Fault.status(500), times=9)
    assert not await failing(ME)
    provider.faults.clear()
    provider.fail("/v3/users/", Fault.status(500))
    assert await failing(ME)
    provider.fail("/v3/*", Fault.status(500), times=2)
    assert await failing(ME)
    assert await failing("/v3/ips")
    assert not await failing(ME)
    provider.fail(ME, Fault.status(500), method="DELETE")
    assert not await failing(ME)
    async with http.delete(ME) as answer:
        assert answer.status == 500


async def test_faults_in_a_row(provider: FakeProvider, http: ClientSession) -> None:
    """Several faults on a path come one after the other."""
    provider.fail(ME, Fault.status(500))
    provider.fail(ME, Fault.status(502))
    assert [(await get(http))[0] for _ in range(3)] == [500, 502, 200]


async def test_reset(
    provider: FakeProvider, http: ClientSession, address: Address
) -> None:
    """A reset leaves nothing done."""
    provider.fail(PORTS, Fault.reset())
    with pytest.raises(ClientConnectionError, match="reset by peer"):
        await http.post(PORTS, json={"internal_ipv4": IPV4})
    assert not address.ports


async def test_lost(
    provider: FakeProvider, http: ClientSession, address: Address
) -> None:
    """A lost answer is about something that was done."""
    provider.fail(PORTS, Fault.lost(), method="POST")
    with pytest.raises(ClientConnectionError, match="reset by peer"):
        await http.post(PORTS, json={"internal_ipv4": IPV4})
    assert len(address.ports) == 1
    assert len(provider.requests) == 1


async def test_reset_in_a_tunnel(provider: FakeProvider, http: ClientSession) -> None:
    """Behind a tunnel a reset is an early end."""
    tunnel = await provider.open_tunnel()
    provider.fail(PORTS, Fault.reset())
    with pytest.raises(ServerDisconnectedError):
        await http.post(PORTS, json={"internal_ipv4": IPV4}, proxy=tunnel.url)


async def test_client_that_tries_again(
    provider: FakeProvider, http: ClientSession
) -> None:
    """What aiohttp repeats by itself is seen twice, so it takes two faults."""
    provider.fail(ME, Fault.reset(), times=2)
    with pytest.raises(ClientConnectionError, match="reset by peer"):
        await http.get(ME)
    assert len(provider.requests) == 2


async def test_truncated(provider: FakeProvider, http: ClientSession) -> None:
    """An answer can break off."""
    provider.fail(ME, Fault.truncated())
    async with http.get(ME) as answer:
        assert answer.status == 200
        with pytest.raises(ClientPayloadError):
            await answer.read()


async def test_stall(
    provider: FakeProvider, http: ClientSession, address: Address
) -> None:
    """An answer can be late, or too late; what was asked for is done all the same."""
    body = {"internal_ipv4": IPV4}
    provider.fail(PORTS, Fault.stall(0.2), times=2)
    start = time.monotonic()
    async with http.post(PORTS, json=body) as answer:
        assert answer.status == 200
    assert time.monotonic() - start >= 0.2
    with pytest.raises(TimeoutError):
        await http.post(PORTS, json=body, timeout=ClientTimeout(total=0.1))
    assert len(address.ports) == 1
    await asyncio.sleep(0.3)
    assert len(address.ports) == 2


async def test_stall_ends_with_the_provider(
    provider: FakeProvider, http: ClientSession, address: Address
) -> None:
    """A stop doesn't wait for answers that are late, nor carry them out."""
    provider.fail(PORTS, Fault.stall(60))
    with pytest.raises(TimeoutError):
        await http.post(
            PORTS, json={"internal_ipv4": IPV4}, timeout=ClientTimeout(total=0.05)
        )
    async with asyncio.timeout(1):
        await provider.stop()
    assert not address.ports


async def test_faults_over_https() -> None:
    """A connection that is encrypted can be reset and broken off too."""
    async with (
        FakeProvider(tls=True) as provider,
        ClientSession(provider.url) as http,
    ):
        provider.fail(PORTS, Fault.reset())
        with pytest.raises(ClientConnectionError):
            await http.post(PORTS, ssl=False)
        provider.fail(ME, Fault.truncated())
        async with http.get(ME, ssl=False) as answer:
            with pytest.raises(ClientPayloadError):
                await answer.read()
