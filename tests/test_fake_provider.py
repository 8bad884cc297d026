"""The fake provider's users, letter by letter."""

from typing import TYPE_CHECKING, Any

from aiohttp import ClientSession
import pytest

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.fake_provider import Account, FakeProvider

UNAUTHENTICATED = '{"status":"error","message":"Unauthenticated."}'


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


async def user(session: ClientSession) -> dict[str, Any]:
    """Return the user object."""
    async with session.get("/v3/users/me") as answer:
        assert answer.status == 200
        data: dict[str, Any] = (await answer.json())["data"]
        return data


async def test_user_object(ada: Account, adas: ClientSession) -> None:
    """The user object has all fields of the specification, in its order."""
    async with adas.get("/v3/users/me") as answer:
        assert answer.status == 200
        assert await answer.text() == (
            '{"status":"success","data":{"username":"ada","email":"ada@example.org",'
            '"currency":"EUR","is_email_verified":true,"is_active":true,'
            '"is_oldschool":false,"is_subscribed":true,'
            '"ips":{"allocated":1,"available":5},'
            f'"created_at":{ada.created_at},"expires_at":{ada.expires_at}}}}}'
        )


@pytest.mark.parametrize(
    ("shape", "ips"),
    [
        ("object", {"allocated": 1, "available": 5}),
        ("numbers", [1, 5]),
        ("objects", [{"allocated": 1}, {"available": 5}]),
    ],
)
async def test_shapes_of_ips(
    provider: FakeProvider, adas: ClientSession, shape: Any, ips: object
) -> None:
    """The amounts of addresses come in every shape that was seen or documented."""
    provider.ips_shape = shape
    assert (await user(adas))["ips"] == ips


def test_accounts_differ(provider: FakeProvider) -> None:
    """Two accounts differ in their token and in their time of creation."""
    ada, bob = provider.add_account(), provider.add_account("bob")
    assert ada.created_at != bob.created_at
    assert ada.token != bob.token


@pytest.mark.parametrize("authorization", [None, "Bearer", "Bearer wrong", "Basic {}"])
async def test_unauthenticated(
    http: ClientSession, ada: Account, authorization: str | None
) -> None:
    """Without the right token there is nothing to see."""
    headers = (
        {"Authorization": authorization.format(ada.token)} if authorization else {}
    )
    async with http.get("/v3/users/me", headers=headers) as answer:
        assert answer.status == 401
        assert await answer.text() == UNAUTHENTICATED


async def test_create_user(provider: FakeProvider, http: ClientSession) -> None:
    """A user without an email starts without access."""
    body = {"username": "bob", "password": "long enough"}
    async with http.post("/v3/users", json=body) as answer:
        assert answer.status == 200
        data = (await answer.json())["data"]
    now = provider.clock.now()
    assert now - 5 < data["created_at"] <= now
    assert data == {
        "username": "bob",
        "email": None,
        "currency": "EUR",
        "is_email_verified": False,
        "is_active": False,
        "is_oldschool": False,
        "is_subscribed": False,
        "ips": {"allocated": 0, "available": 5},
        "created_at": data["created_at"],
        "expires_at": data["expires_at"],
    }
    assert provider.verification_emails == []


async def test_create_user_with_everything(
    provider: FakeProvider, http: ClientSession
) -> None:
    """An email has to be verified; an affiliate counts only without a referral."""
    body = {
        "username": "bob",
        "password": "long enough",
        "email": "bob@example.org",
        "currency": "SEK",
        "affiliate_code": "affiliate",
        "referral_code": "referral",
    }
    async with http.post("/v3/users", json=body) as answer:
        data = (await answer.json())["data"]
    assert (data["email"], data["currency"]) == ("bob@example.org", "SEK")
    assert not data["is_email_verified"]
    assert not data["is_active"]
    assert provider.verification_emails == ["bob@example.org"]
    bob = provider.accounts.with_username("bob")
    assert bob is not None
    assert (bob.referral_code, bob.affiliate_code) == ("referral", None)
    assert bob.password == "long enough"


REQUIRED = {
    "username": ["The username field is required."],
    "password": ["The password field is required."],
}


@pytest.mark.parametrize(
    ("body", "complaints"),
    [
        ({}, REQUIRED),
        ([], REQUIRED),
        ({"username": "", "password": None}, REQUIRED),
        ({"username": "ada"}, {"username": ["The username has already been taken."]}),
        ({"username": 7}, {"username": ["The username must be a string."]}),
        (
            {"password": "short"},
            {"password": ["The password must be at least 8 characters."]},
        ),
        (
            {"email": "nowhere"},
            {"email": ["The email must be a valid email address."]},
        ),
        ({"currency": "BTC"}, {"currency": ["The selected currency is invalid."]}),
    ],
)
async def test_create_user_validation(
    http: ClientSession, ada: Account, body: Any, complaints: dict[str, list[str]]
) -> None:
    """Every complaint comes with its field, in the seen envelope."""
    good = {"username": "bob", "password": "long enough"}
    if complaints is not REQUIRED:
        body = good | body
    async with http.post("/v3/users", json=body) as answer:
        assert answer.status == 422
        assert await answer.json() == {
            "status": "error",
            "message": "The given data was invalid.",
            "data": complaints,
        }
    assert ada.username == "ada"


async def test_body_that_is_not_json(http: ClientSession) -> None:
    """What can't be read has no fields."""
    async with http.post("/v3/users", data=b"username=bob") as answer:
        assert answer.status == 422
        assert (await answer.json())["data"] == REQUIRED


async def test_update_credentials(ada: Account, adas: ClientSession) -> None:
    """Password, username and email can be changed, and the email removed."""
    body = {"new_password": "battery horse"}
    async with adas.put("/v3/users/me/password", json=body) as answer:
        assert (await answer.json())["data"]["username"] == "ada"
    assert ada.password == "battery horse"

    body = {"new_username": "lovelace"}
    async with adas.put("/v3/users/me/username", json=body) as answer:
        assert (await answer.json())["data"]["username"] == "lovelace"

    body = {"email": "lovelace@example.org"}
    async with adas.put("/v3/users/me/email", json=body) as answer:
        data = (await answer.json())["data"]
    assert (data["email"], data["is_email_verified"]) == (body["email"], False)

    async with adas.delete("/v3/users/me/email") as answer:
        assert answer.status == 200
        data = (await answer.json())["data"]
    assert (data["email"], data["is_email_verified"]) == (None, False)
    assert (await user(adas))["username"] == "lovelace"


@pytest.mark.parametrize(
    ("path", "body", "complaints"),
    [
        ("password", {}, {"new_password": ["The new password field is required."]}),
        (
            "password",
            {"new_password": "short"},
            {"new_password": ["The new password must be at least 8 characters."]},
        ),
        (
            "username",
            {"new_username": "bob"},
            {"new_username": ["The new username has already been taken."]},
        ),
        ("email", {"email": None}, {"email": ["The email field is required."]}),
    ],
)
async def test_update_validation(
    provider: FakeProvider,
    adas: ClientSession,
    path: str,
    body: dict[str, Any],
    complaints: dict[str, list[str]],
) -> None:
    """Nothing changes when a field is wrong."""
    provider.add_account("bob")
    before = await user(adas)
    async with adas.put(f"/v3/users/me/{path}", json=body) as answer:
        assert answer.status == 422
        assert (await answer.json())["data"] == complaints
    assert await user(adas) == before


async def test_delete_user(adas: ClientSession) -> None:
    """The account goes with its password, and only then."""
    for body, complaint in (
        ({}, "The password field is required."),
        ({"password": "wrong"}, "The password is incorrect."),
    ):
        async with adas.delete("/v3/users/me", json=body) as answer:
            assert answer.status == 422
            assert (await answer.json())["data"] == {"password": [complaint]}
    async with adas.delete(
        "/v3/users/me", json={"password": "correct horse battery"}
    ) as answer:
        assert answer.status == 200
        assert await answer.text() == '{"status":"success"}'
    async with adas.get("/v3/users/me") as answer:
        assert answer.status == 401


def test_secrets_stay_out_of_sight(ada: Account) -> None:
    """An account printed by a failing test shows neither token nor password."""
    assert ada.token not in repr(ada)
    assert ada.password not in repr(ada)
