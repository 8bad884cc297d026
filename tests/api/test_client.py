"""The account's operations, over real HTTP."""

from ipaddress import IPv4Address
from typing import Literal

import aiohttp
import pytest
from yarl import URL

from custom_components.azirevpn.api import (
    Address as OwnAddress,
    AzireVPN,
    Currency,
    ManagerPage,
    ResponseError,
    ValidationError,
)
from tests.fake_provider import Account, Address, FakeProvider, Fault

from .conftest import INTERNAL_IPV4, PASSWORD, TOKEN

type IpsShape = Literal["object", "numbers", "objects"]


def sent(provider: FakeProvider) -> list[tuple[str, str, object]]:
    """Return what arrived: method, path and body of every request."""
    return [
        (request.method, request.path, request.body) for request in provider.requests
    ]


async def test_sign_up(provider: FakeProvider, session: aiohttp.ClientSession) -> None:
    """Signing up needs no token and sends what is given, no more."""
    client = AzireVPN(session, TOKEN, base_url=provider.url)
    user = await client.create_user(username="grace", password=PASSWORD)
    assert (user.username, user.email, user.currency) == ("grace", None, "EUR")
    assert (user.is_active, user.is_email_verified) == (False, False)
    assert sent(provider) == [
        ("POST", "/v3/users", {"username": "grace", "password": PASSWORD})
    ]
    assert "Authorization" not in provider.requests[0].headers


async def test_sign_up_with_everything(
    provider: FakeProvider, session: aiohttp.ClientSession
) -> None:
    """An affiliate code counts only without a referral code, and is sent only then."""
    client = AzireVPN(session, base_url=provider.url)
    user = await client.create_user(
        username="grace",
        password=PASSWORD,
        email="grace@example.com",
        currency=Currency.USD,
        referral_code="friend",
        affiliate_code="partner",
    )
    assert (user.email, user.currency) == ("grace@example.com", "USD")
    assert provider.requests[-1].body == {
        "username": "grace",
        "password": PASSWORD,
        "email": "grace@example.com",
        "currency": "USD",
        "referral_code": "friend",
    }
    await client.create_user(
        username="joan",
        password=PASSWORD,
        email="",
        currency="SEK",
        referral_code="",
        affiliate_code="partner",
    )
    assert provider.requests[-1].body == {
        "username": "joan",
        "password": PASSWORD,
        "currency": "SEK",
        "affiliate_code": "partner",
    }


async def test_sign_up_refused(
    provider: FakeProvider, session: aiohttp.ClientSession
) -> None:
    """The provider's words come with the fields that they are about."""
    client = AzireVPN(session, base_url=provider.url)
    with pytest.raises(ValidationError) as caught:
        await client.create_user(username="grace", password="short", email="nowhere")
    assert caught.value.status == 422
    assert caught.value.message == "The given data was invalid."
    assert str(caught.value) == "The given data was invalid. (HTTP 422)"
    assert caught.value.fields == {
        "password": ("The password must be at least 8 characters.",),
        "email": ("The email must be a valid email address.",),
    }


@pytest.mark.parametrize("shape", ["object", "numbers", "objects"])
async def test_user(
    provider: FakeProvider, client: AzireVPN, account: Account, shape: IpsShape
) -> None:
    """The account is what the provider has, in whatever shape its IPs come."""
    provider.ips_shape = shape
    user = await client.get_user()
    assert user.username == account.username
    assert user.email == account.email
    assert user.created_at.timestamp() == account.created_at
    assert user.expires_at is not None
    assert user.expires_at.timestamp() == account.expires_at
    assert (user.ips_allocated, user.ips_available) == (1, 5)
    request = provider.requests[0]
    assert (request.method, request.path, request.body) == ("GET", "/v3/users/me", None)
    assert request.headers["Authorization"] == f"Bearer {TOKEN}"
    assert request.headers["Accept"] == "application/json"


async def test_delete_user(
    provider: FakeProvider, client: AzireVPN, account: Account
) -> None:
    """An account is deleted with its password, and not with another."""
    with pytest.raises(ValidationError) as caught:
        await client.delete_user("wrong password")
    assert "password" in caught.value.fields
    assert account in provider.accounts
    await client.delete_user(PASSWORD)
    assert account not in provider.accounts
    assert sent(provider)[-1] == ("DELETE", "/v3/users/me", {"password": PASSWORD})


@pytest.mark.parametrize(
    ("method", "sequence"),
    [("POST", ["POST", "POST"]), ("GET", ["POST", "GET", "GET"])],
)
async def test_one_time_password(
    provider: FakeProvider,
    client: AzireVPN,
    method: Literal["POST", "GET"],
    sequence: list[str],
) -> None:
    """POST is tried first, GET if it is refused, and what worked is remembered."""
    provider.otp_method = method
    otp = await client.create_one_time_password()
    assert (await client.create_one_time_password()).otp != otp.otp
    assert [request.method for request in provider.requests] == sequence
    assert {request.path for request in provider.requests} == {"/v3/users/me/otps"}
    assert otp.expires_at.timestamp() == pytest.approx(
        provider.clock.now() + 600, abs=2
    )


async def test_one_time_password_by_neither_method(
    provider: FakeProvider, client: AzireVPN
) -> None:
    """Each method is tried once; a failure teaches nothing."""
    provider.fail("/v3/users/me/otps", Fault.status(405), times=2)
    with pytest.raises(ResponseError) as caught:
        await client.create_one_time_password()
    assert caught.value.status == 405
    await client.create_one_time_password()
    assert [request.method for request in provider.requests] == ["POST", "GET", "POST"]


@pytest.mark.parametrize("page", ManagerPage)
async def test_sign_in_link(
    client: AzireVPN, session: aiohttp.ClientSession, page: ManagerPage
) -> None:
    """The link signs in to the page."""
    otp = await client.create_one_time_password()
    url = URL(client.sign_in_url(otp, page))
    assert url.path == "/auth/otp"
    assert dict(url.query) == {"token": otp.otp, "redirect": page.value}
    async with session.get(url) as response:
        assert response.status == 200


async def test_password(
    provider: FakeProvider, client: AzireVPN, account: Account
) -> None:
    """The password is changed."""
    user = await client.set_password("another password")
    assert user.username == account.username
    assert account.password == "another password"
    assert sent(provider) == [
        ("PUT", "/v3/users/me/password", {"new_password": "another password"})
    ]


async def test_username(
    provider: FakeProvider, client: AzireVPN, account: Account
) -> None:
    """The username is changed."""
    assert (await client.set_username("countess")).username == "countess"
    assert account.username == "countess"
    assert sent(provider) == [
        ("PUT", "/v3/users/me/username", {"new_username": "countess"})
    ]


async def test_email(
    provider: FakeProvider, client: AzireVPN, account: Account
) -> None:
    """The email address is changed, and removed without touching the account."""
    assert (await client.set_email("a@example.org")).email == "a@example.org"
    assert (await client.remove_email()).email is None
    assert account in provider.accounts
    assert sent(provider) == [
        ("PUT", "/v3/users/me/email", {"email": "a@example.org"}),
        ("DELETE", "/v3/users/me/email", None),
    ]


async def test_addresses(client: AzireVPN, account: Account, address: Address) -> None:
    """The account's addresses with their devices, where the provider tells them."""
    account.add_address("10.0.0.7")
    assert await client.list_addresses() == (
        OwnAddress(ipv4=IPv4Address(INTERNAL_IPV4), device_name="camel"),
        OwnAddress(ipv4=IPv4Address("10.0.0.7"), device_name=None),
    )
