"""Trouble with the proxy, told from trouble with the provider behind it."""

import aiohttp
import pytest

from custom_components.azirevpn.api import (
    AzireVPN,
    ProxyError,
    TransportError,
    client as client_module,
)
from tests.fake_provider import Address, FakeProvider

from .conftest import INTERNAL_IPV4, PROXY_PASSWORD, TOKEN


@pytest.mark.parametrize("secure", [False, True])
@pytest.mark.parametrize("password", [None, "wrong-password"])
async def test_proxy_wants_other_credentials(
    provider: FakeProvider,
    secure_provider: FakeProvider,
    trusting_session: aiohttp.ClientSession,
    *,
    secure: bool,
    password: str | None,
) -> None:
    """A proxy that wants credentials is told from the provider."""
    service = secure_provider if secure else provider
    tunnel = await service.open_tunnel(username="user", password=PROXY_PASSWORD)
    proxy = tunnel.url.replace("//", f"//user:{password}@") if password else tunnel.url
    client = AzireVPN(trusting_session, TOKEN, base_url=service.url)
    with pytest.raises(ProxyError, match="HTTP 407"):
        await client.connection(INTERNAL_IPV4, proxy=proxy).list_ports()
    assert service.requests == []


async def test_proxy_refuses_the_way(
    secure_provider: FakeProvider, trusting_session: aiohttp.ClientSession
) -> None:
    """A proxy that doesn't let one through is a proxy's error."""
    tunnel = await secure_provider.open_tunnel()
    client = AzireVPN(trusting_session, TOKEN, base_url="https://127.0.0.1:1")
    with pytest.raises(ProxyError, match="HTTP 403"):
        await client.connection(INTERNAL_IPV4, proxy=tunnel.url).list_ports()


@pytest.mark.parametrize("secure", [False, True])
async def test_proxy_is_down_and_up_again(
    provider: FakeProvider,
    secure_provider: FakeProvider,
    trusting_session: aiohttp.ClientSession,
    *,
    secure: bool,
) -> None:
    """A tunnel that went down is the proxy's error until it is back."""
    service = secure_provider if secure else provider
    if not secure:
        service.add_account(token=TOKEN).add_address(INTERNAL_IPV4)
    tunnel = await service.open_tunnel()
    client = AzireVPN(trusting_session, TOKEN, base_url=service.url)
    connection = client.connection(INTERNAL_IPV4, proxy=tunnel.url)
    await tunnel.close()
    with pytest.raises(ProxyError, match="can't be reached") as caught:
        await connection.list_ports()
    assert not caught.value.sent
    await tunnel.open()
    assert (await connection.list_ports()).ports == ()


async def test_proxy_stalls(
    provider: FakeProvider,
    client: AzireVPN,
    address: Address,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A silence is the proxy's, though the request may have come through."""
    monkeypatch.setattr(client_module, "TIMEOUT", 0.1)
    tunnel = await provider.open_tunnel()
    tunnel.stalling = True
    connection = client.connection(INTERNAL_IPV4, proxy=tunnel.url)
    with pytest.raises(ProxyError, match="No answer in time") as caught:
        await connection.list_ports()
    assert caught.value.sent


async def test_certificates_of_proxy_and_service(
    secure_provider: FakeProvider, session: aiohttp.ClientSession
) -> None:
    """A certificate that isn't trusted is its owner's error."""
    client = AzireVPN(session, TOKEN, base_url=secure_provider.url)
    secure_proxy = await secure_provider.open_tunnel(tls=True)
    with pytest.raises(ProxyError, match="certificate verify failed"):
        await client.connection(INTERNAL_IPV4, proxy=secure_proxy.url).list_ports()
    proxy = await secure_provider.open_tunnel()
    with pytest.raises(TransportError, match="certificate verify failed") as caught:
        await client.connection(INTERNAL_IPV4, proxy=proxy.url).list_ports()
    assert caught.type is TransportError
