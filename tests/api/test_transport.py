"""The ways in which an answer doesn't arrive: broken, too long, late, or not at all."""

import gzip
import socket

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
import pytest

from custom_components.azirevpn.api import (
    AzireVPN,
    AzireVPNError,
    InvalidResponseError,
    ProxyError,
    TransportError,
    client as client_module,
)
from tests.fake_provider import FakeProvider, Fault

from .conftest import INTERNAL_IPV4, ME, Serve


async def failure(client: AzireVPN) -> AzireVPNError:
    """Return the error of getting the user."""
    with pytest.raises(AzireVPNError) as caught:
        await client.get_user()
    return caught.value


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (Fault.not_json(), "no success envelope"),
        (Fault.status(200, body=""), "no success envelope"),
        (Fault.status(200, body=b"\xff".decode("latin-1")), "no success envelope"),
        (Fault.status(200, body="[]"), "no success envelope"),
        (Fault.status(200, body={"status": "fine", "data": {}}), "no success envelope"),
        (Fault.wrong_shape(), "not an object"),
        (Fault.wrong_shape({"username": "ada"}), "no created_at"),
        (Fault.truncated(), "cut short"),
        (Fault.redirect("https://elsewhere.example/v3/users/me"), "redirect"),
        (Fault.status(304, body=""), "redirect"),
    ],
)
async def test_invalid_answer(
    provider: FakeProvider, client: AzireVPN, fault: Fault, message: str
) -> None:
    """What isn't the interface's answer is told as such."""
    provider.fail(ME, fault)
    raised = await failure(client)
    assert type(raised) is InvalidResponseError
    assert message in str(raised)
    assert len(provider.requests) == 1


async def test_size_limit(
    provider: FakeProvider,
    client: AzireVPN,
    serve: Serve,
    session: aiohttp.ClientSession,
) -> None:
    """An answer is read up to 1 MiB, also one that is compressed or has no end."""
    limit = client_module.MAX_BODY
    assert limit == 1024 * 1024
    user = {"username": "ada", "created_at": 1, "note": "", "padding": ""}
    frame = len('{"status":"success","data":}') + len(
        '{"username":"ada","created_at":1,"note":"","padding":""}'
    )
    fits = user | {"padding": "x" * (limit - frame)}
    provider.fail(ME, Fault.wrong_shape(fits))
    assert (await client.get_user()).username == "ada"

    provider.fail(ME, Fault.wrong_shape(fits | {"note": "y"}))
    assert "too long" in str(await failure(client))

    bomb = gzip.compress(b" " * (limit + 1))
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n"
    packed = AzireVPN(session, base_url=await serve(head % len(bomb) + bomb))
    assert "too long" in str(await failure(packed))

    endless = AzireVPN(
        session, base_url=await serve(b"HTTP/1.1 200 OK\r\n\r\n" + b" " * (limit + 1))
    )
    assert "too long" in str(await failure(endless))


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno number\r\n",
        b"SSH-2.0-OpenSSH_10.0\r\n\r\n",
    ],
)
async def test_broken_answer(
    session: aiohttp.ClientSession, serve: Serve, answer: bytes
) -> None:
    """What is no whole HTTP answer isn't taken for one."""
    client = AzireVPN(session, base_url=await serve(answer))
    assert type(await failure(client)) is InvalidResponseError


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
    ],
)
async def test_reset(
    session: aiohttp.ClientSession, serve: Serve, answer: bytes
) -> None:
    """A connection that is reset, before or within the answer, is a matter of transport."""
    client = AzireVPN(session, base_url=await serve(answer, reset=True))
    assert type(await failure(client)) is TransportError


async def test_timeout(
    provider: FakeProvider, client: AzireVPN, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A provider that says nothing is given up on."""
    assert client_module.TIMEOUT == 10
    monkeypatch.setattr(client_module, "TIMEOUT", 0.1)
    provider.fail(ME, Fault.stall(0.5))
    raised = await failure(client)
    assert type(raised) is TransportError
    assert str(raised) == "No answer in time"
    assert raised.sent


async def test_refused(provider: FakeProvider, client: AzireVPN) -> None:
    """A provider that isn't there is told as such."""
    await provider.stop()
    for call in (client.get_user(), client.remove_email()):
        with pytest.raises(
            TransportError, match="The service can't be reached"
        ) as caught:
            await call
        assert caught.type is TransportError
        assert not caught.value.sent


class NoNames(AbstractResolver):
    """Resolve no name."""

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_INET,
    ) -> list[ResolveResult]:
        """Fail, as a name server that knows nothing."""
        raise OSError(None, "Name or service not known")

    async def close(self) -> None:
        """Have nothing to close."""


async def test_unknown_name(loopback: None) -> None:
    """A name that isn't known is the service's, or the proxy's where there is one."""
    connector = aiohttp.TCPConnector(resolver=NoNames())
    async with aiohttp.ClientSession(connector=connector) as session:
        client = AzireVPN(session, base_url="https://service.invalid")
        raised = await failure(client)
        assert type(raised) is TransportError
        assert "Name or service not known" in str(raised)
        connection = client.connection(INTERNAL_IPV4, proxy="http://proxy.invalid")
        with pytest.raises(ProxyError, match="Name or service not known"):
            await connection.list_ports()
