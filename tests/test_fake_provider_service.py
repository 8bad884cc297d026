"""The fake provider's sign-in, addresses, rate limit and record of requests."""

from typing import TYPE_CHECKING

from aiohttp import ClientSession
import pytest

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.fake_provider import Account, FakeProvider


@pytest.fixture
async def http(provider: FakeProvider) -> AsyncIterator[ClientSession]:
    """Call the provider without a token."""
    async with ClientSession(provider.url) as session:
        yield session


@pytest.fixture
def ada(provider: FakeProvider) -> Account:
    """Have an account."""
    return provider.add_account(email="ada@example.org")


@pytest.fixture
async def adas(provider: FakeProvider, ada: Account) -> AsyncIterator[ClientSession]:
    """Call the provider with Ada's token."""
    token = {"Authorization": f"Bearer {ada.token}"}
    async with ClientSession(provider.url, headers=token) as session:
        yield session


async def test_sign_in(provider: FakeProvider, adas: ClientSession) -> None:
    """A one-time password opens the manager once, within ten minutes."""
    async with adas.post("/v3/users/me/otps") as answer:
        assert answer.status == 200
        data = (await answer.json())["data"]
    assert set(data) == {"otp", "expires_at"}
    assert 598 < data["expires_at"] - provider.clock.now() <= 600

    link = f"{provider.manager_url}/auth/otp"
    query = {"token": data["otp"], "redirect": "wireguard"}
    async with adas.get(link, params=query) as page:
        assert page.status == 200
        assert "Signed in as ada, on to wireguard." in await page.text()
    async with adas.get(link, params=query) as page:
        assert page.status == 403


@pytest.mark.parametrize(("minutes", "page"), [(10, "order"), (0, "elsewhere")])
async def test_sign_in_that_fails(
    provider: FakeProvider, adas: ClientSession, minutes: int, page: str
) -> None:
    """An expired one-time password is no good, nor is an unknown page."""
    async with adas.post("/v3/users/me/otps") as answer:
        otp = (await answer.json())["data"]["otp"]
    provider.clock.move(minutes=minutes)
    query = {"token": otp, "redirect": page}
    async with adas.get("/auth/otp", params=query) as answer:
        assert answer.status == 403
        assert "not valid" in await answer.text()


async def test_otp_method(provider: FakeProvider, adas: ClientSession) -> None:
    """The method, which is open, can be either; the other one answers 405."""
    provider.otp_method = "GET"
    async with adas.post("/v3/users/me/otps") as answer:
        assert answer.status == 405
        assert answer.headers["Allow"] == "GET"
        assert await answer.json() == {
            "status": "error",
            "message": "Method not allowed",
        }
    async with adas.get("/v3/users/me/otps") as answer:
        assert answer.status == 200


async def test_ips(provider: FakeProvider, ada: Account, adas: ClientSession) -> None:
    """The account's addresses are listed as in the documentation, if at all."""
    camel = ada.add_address("10.0.1.136", device_name="camel")
    ada.add_address("10.0.1.137")
    async with adas.get("/v3/ips") as answer:
        assert answer.status == 200
        first, second = (await answer.json())["data"]
    assert first == {
        "id": camel.id,
        "ipv4_address": "10.0.1.136",
        "ipv4_netmask": 32,
        "ipv6_address": "2a0e:1c80:1337:1:10:0:1:136",
        "ipv6_netmask": 128,
        "dns": ["10.0.0.1"],
        "device_name": "camel",
        "keys": [],
    }
    assert second["device_name"] is None
    provider.serves_ips = False
    async with adas.get("/v3/ips") as answer:
        assert answer.status == 404


async def test_rate_limit(
    provider: FakeProvider, http: ClientSession, adas: ClientSession
) -> None:
    """Callers are told what is left, and to wait when nothing is."""
    provider.rate_limit = 2
    for left in ("1", "0"):
        async with adas.get("/v3/users/me") as answer:
            assert answer.headers["X-RateLimit-Limit"] == "2"
            assert answer.headers["X-RateLimit-Remaining"] == left
    provider.clock.move(20)
    async with adas.get("/v3/users/me") as answer:
        assert answer.status == 429
        assert answer.headers["X-RateLimit-Remaining"] == "0"
        assert 35 <= int(answer.headers["Retry-After"]) <= 40
        assert await answer.text() == (
            '{"status":"error","message":"Too Many Attempts."}'
        )
    provider.sends_retry_after = False
    async with adas.get("/v3/users/me") as answer:
        assert answer.status == 429
        assert "Retry-After" not in answer.headers
    async with http.get("/v3/users/me") as answer:
        assert answer.status == 401
        assert answer.headers["X-RateLimit-Remaining"] == "1"
    provider.clock.move(60)
    async with adas.get("/v3/users/me") as answer:
        assert answer.status == 200


async def test_unknown_path(http: ClientSession) -> None:
    """What isn't there is told in the envelope too."""
    async with http.get("/v3/nowhere") as answer:
        assert answer.status == 404
        assert await answer.text() == '{"status":"error","message":"Not found"}'
    async with http.patch("/v3/users") as answer:
        assert answer.status == 405


async def test_requests_are_recorded(
    provider: FakeProvider, ada: Account, adas: ClientSession
) -> None:
    """Every request is kept in order, with what came along."""
    provider.clock.move(days=1)
    body = {"new_username": "lovelace"}
    async with adas.put("/v3/users/me/username?why=not", json=body):
        pass
    async with adas.get("/v3/nowhere"):
        pass
    first, second = provider.requests
    assert (first.method, first.path) == ("PUT", "/v3/users/me/username")
    assert (first.query, first.body) == ({"why": "not"}, body)
    assert first.headers["Authorization"] == f"Bearer {ada.token}"
    assert first.remote == "127.0.0.1"
    assert provider.clock.now() - 5 < first.time <= provider.clock.now()
    assert (second.method, second.path, second.body) == ("GET", "/v3/nowhere", None)
