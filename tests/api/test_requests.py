"""How requests are sent: where to, with which token, how often."""

import aiohttp
import pytest

from custom_components.azirevpn.api import (
    DEFAULT_BASE_URL,
    DEFAULT_MANAGER_URL,
    AuthenticationError,
    AzireVPN,
    ManagerPage,
    RateLimit,
    ResponseError,
    TransportError,
)
from tests.fake_provider import Account, FakeProvider, Fault

from .conftest import TOKEN


async def test_defaults(session: aiohttp.ClientSession) -> None:
    """Without addresses, it is AzireVPN's client."""
    assert DEFAULT_BASE_URL == "https://api.azirevpn.com"
    assert DEFAULT_MANAGER_URL == "https://manager.azirevpn.com"
    client = AzireVPN(session, TOKEN)
    assert repr(client) == "AzireVPN('https://api.azirevpn.com')"


async def test_rate_limit_is_remembered(
    provider: FakeProvider, client: AzireVPN, session: aiohttp.ClientSession
) -> None:
    """The last answer that spoke of the rate limit counts."""
    assert AzireVPN(session).rate_limit is None
    await client.get_user()
    assert client.rate_limit == RateLimit(limit=60, remaining=59)
    provider.fail("/v3/users/me", Fault.status(500))
    with pytest.raises(ResponseError):
        await client.get_user()
    assert client.rate_limit == RateLimit(limit=60, remaining=58)


@pytest.mark.parametrize("prefix", ["", "/", "/behind/a/proxy", "/behind/a/proxy/"])
async def test_base_path(
    provider: FakeProvider, session: aiohttp.ClientSession, prefix: str
) -> None:
    """A path in an address is kept, a slash at its end doesn't matter."""
    client = AzireVPN(
        session,
        TOKEN,
        base_url=provider.url + prefix,
        manager_url=f"https://manager.example{prefix}",
    )
    provider.fail("*", Fault.wrong_shape({"otp": "a&b", "expires_at": 1790717592}))
    otp = await client.create_one_time_password()
    kept = prefix.rstrip("/")
    assert provider.requests[0].path == f"{kept}/v3/users/me/otps"
    assert client.sign_in_url(otp, ManagerPage.ORDER) == (
        f"https://manager.example{kept}/auth/otp?token=a%26b&redirect=order"
    )


@pytest.mark.parametrize(
    "address",
    [
        "",
        "api.example",
        "/v3",
        "ftp://api.example",
        "https://",
        "https://api.example:port",
        "https://api.example:99999",
        "https://user:s3cret@api.example",
        "https://:s3cret@api.example",
        "https://[s3cret",
    ],
)
async def test_no_address(session: aiohttp.ClientSession, address: str) -> None:
    """What is no web address is refused at once, and not repeated."""
    for name in ("base_url", "manager_url"):
        addresses = {"base_url": DEFAULT_BASE_URL, name: address}
        with pytest.raises(ValueError, match="service's address") as caught:
            AzireVPN(session, **addresses)
        assert "s3cret" not in str(caught.value)
        assert caught.value.__context__ is None


async def test_without_token(
    provider: FakeProvider, session: aiohttp.ClientSession
) -> None:
    """Without a token none is sent, and the provider refuses."""
    for token in (None, ""):
        client = AzireVPN(session, token, base_url=provider.url)
        with pytest.raises(AuthenticationError, match="Unauthenticated"):
            await client.get_user()
        assert "Authorization" not in provider.requests[-1].headers


@pytest.mark.parametrize("token", ["two\nlines", "naïve", "tab\t", "nul\0"])
async def test_impossible_token(
    provider: FakeProvider, session: aiohttp.ClientSession, token: str
) -> None:
    """What can't be a token isn't sent, and is refused like a wrong one."""
    client = AzireVPN(session, token, base_url=provider.url)
    with pytest.raises(AuthenticationError) as caught:
        await client.get_user()
    assert token not in str(caught.value)
    assert provider.requests == []


async def test_https(
    secure_provider: FakeProvider, trusting_session: aiohttp.ClientSession
) -> None:
    """Over https it works where the certificate is trusted."""
    client = AzireVPN(trusting_session, TOKEN, base_url=secure_provider.url)
    assert (await client.get_user()).username == "ada"


async def test_https_is_verified(
    secure_provider: FakeProvider, session: aiohttp.ClientSession
) -> None:
    """A certificate that nobody vouches for ends it before a token is sent."""
    client = AzireVPN(session, TOKEN, base_url=secure_provider.url)
    with pytest.raises(TransportError, match="certificate verify failed"):
        await client.get_user()
    assert secure_provider.requests == []


async def test_reads_survive_a_lost_connection_and_writes_go_once(
    provider: FakeProvider, client: AzireVPN, account: Account
) -> None:
    """A read may be sent again, a write never: it may have been carried out."""
    provider.fail("/v3/users/me", Fault.reset())
    assert (await client.get_user()).username == account.username
    provider.requests.clear()

    provider.fail("/v3/users/me/*", Fault.lost(), times=9)
    with pytest.raises(TransportError):
        await client.set_username("countess")
    with pytest.raises(TransportError):
        await client.remove_email()
    with pytest.raises(TransportError):
        await client.create_one_time_password()
    assert [request.method for request in provider.requests] == [
        "PUT",
        "DELETE",
        "POST",
    ]
    assert (account.username, account.email) == ("countess", None)
