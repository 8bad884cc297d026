"""The way into the tunnel: a proxy, with credentials and https."""

from ipaddress import IPv4Address

import aiohttp
import pytest

from custom_components.azirevpn.api import (
    AzireVPN,
)
from tests.fake_provider import Address, FakeProvider

from .conftest import INTERNAL_IPV4, TOKEN


async def test_through_the_tunnel(
    provider: FakeProvider, client: AzireVPN, address: Address
) -> None:
    """Everything takes the way into the tunnel, the check too."""
    tunnel = await provider.open_tunnel(exit_ip="127.0.0.2")
    connection = client.connection(IPv4Address(INTERNAL_IPV4), proxy=tunnel.url)
    port = (await connection.create_port()).port
    assert [listed.port for listed in (await connection.list_ports()).ports] == [port]
    await provider.listen("127.0.0.2", port)
    assert (await connection.check_port(port)).source_ip == "127.0.0.2"
    await connection.hide_port(port)
    await connection.delete_port(port)
    assert {request.remote for request in provider.requests} == {"127.0.0.2"}
    assert len(tunnel.connects) == 5
    await client.get_user()
    assert provider.requests[-1].remote == "127.0.0.1"


async def test_through_the_tunnel_with_credentials(
    provider: FakeProvider, client: AzireVPN, address: Address
) -> None:
    """Credentials in the proxy's address are sent to the proxy."""
    tunnel = await provider.open_tunnel(username="user", password="p@ss:w/rd")
    connection = client.connection(INTERNAL_IPV4, proxy=tunnel.url_with_credentials)
    assert (await connection.list_ports()).ports == ()


@pytest.mark.parametrize("tls", [False, True])
async def test_https_through_the_tunnel(
    secure_provider: FakeProvider, trusting_session: aiohttp.ClientSession, *, tls: bool
) -> None:
    """Https passes through a proxy unread, which may itself speak https."""
    tunnel = await secure_provider.open_tunnel(
        username="user", password="p@ss:w/rd", tls=tls
    )
    client = AzireVPN(trusting_session, TOKEN, base_url=secure_provider.url)
    connection = client.connection(INTERNAL_IPV4, proxy=tunnel.url_with_credentials)
    assert (await connection.list_ports()).ports == ()
    assert secure_provider.requests[-1].remote == tunnel.exit_ip
    assert tunnel.connects == [f"CONNECT 127.0.0.1:{secure_provider.port} HTTP/1.1"]
    assert TOKEN.encode() not in tunnel.seen


@pytest.mark.parametrize(
    "proxy",
    [
        "",
        "127.0.0.1:8888",
        "socks5://user:s3cret@127.0.0.1:1080",
        "http://user:s3cret@",
        "http://user:s3cret@127.0.0.1:99999",
        "http://us%3Aer:s3cret@127.0.0.1:8888",
        "http://user:s3cret☕@127.0.0.1:8888",
    ],
)
async def test_no_proxy(client: AzireVPN, proxy: str) -> None:
    """What is no proxy is refused at once, and not repeated."""
    with pytest.raises(ValueError, match="The proxy's") as caught:
        client.connection(INTERNAL_IPV4, proxy=proxy)
    assert "s3cret" not in str(caught.value)
    assert caught.value.__context__ is None or "s3cret" not in str(
        caught.value.__context__
    )


async def test_repr(client: AzireVPN) -> None:
    """Neither the way into the tunnel nor the token is shown."""
    connection = client.connection(INTERNAL_IPV4, proxy="http://user:s3cret@127.0.0.1")
    assert repr(connection) == "Connection('10.0.131.176')"
