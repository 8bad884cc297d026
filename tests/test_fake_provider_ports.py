"""The fake provider's port forwardings, letter by letter."""

from typing import TYPE_CHECKING, Any

from aiohttp import ClientSession
import pytest

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.fake_provider import Account, Address, FakeProvider

PATH = "/v3/portforwardings"
IPV4 = "10.0.131.176"
IPV6 = "2a0e:1c80:1337:1:10:0:131:176"
NONE_FOUND = '{"status":"error","message":"No port forwardings found"}'
DAY = 86_400


@pytest.fixture
def ada(provider: FakeProvider) -> Account:
    """Have an account."""
    return provider.add_account()


@pytest.fixture
def address(ada: Account) -> Address:
    """Have an address of the account."""
    return ada.add_address(IPV4, device_name="camel")


@pytest.fixture
async def http(provider: FakeProvider, ada: Account) -> AsyncIterator[ClientSession]:
    """Call the provider with the account's token, connected to a VPN server."""
    provider.caller_connected = True
    token = {"Authorization": f"Bearer {ada.token}"}
    async with ClientSession(provider.url, headers=token) as session:
        yield session


async def ask(
    http: ClientSession, method: str, **body: Any
) -> tuple[int, dict[str, Any]]:
    """Return the HTTP status and the envelope that answer a body."""
    body = {"internal_ipv4": IPV4} | body
    query, sent = (body, None) if method == "GET" else (None, body)
    async with http.request(method, PATH, params=query, json=sent) as answer:
        return answer.status, await answer.json()


async def listed(http: ClientSession) -> list[dict[str, Any]]:
    """Return the ports of the list."""
    status, envelope = await ask(http, "GET")
    assert status == 200
    ports: list[dict[str, Any]] = envelope["data"]["ports"]
    return ports


async def test_list(address: Address, http: ClientSession) -> None:
    """A list has the address once, and its ports."""
    address.add_port(52192, expires_at=4_000_000_000)
    address.add_port(52193)
    async with http.get(PATH, params={"internal_ipv4": IPV4}) as answer:
        assert answer.status == 200
        assert await answer.text() == (
            f'{{"status":"success","data":{{"internal_ipv4":"{IPV4}",'
            f'"internal_ipv6":"{IPV6}","ports":['
            '{"port":52192,"hidden":false,"expires_at":4000000000},'
            '{"port":52193,"hidden":false,"expires_at":null}]}}'
        )


@pytest.mark.usefixtures("address")
async def test_list_of_nothing(http: ClientSession) -> None:
    """An empty list is an error, as seen."""
    async with http.get(PATH, params={"internal_ipv4": IPV4}) as answer:
        assert answer.status == 404
        assert await answer.text() == NONE_FOUND


async def test_create(
    provider: FakeProvider, address: Address, http: ClientSession
) -> None:
    """A new port is answered as seen, and lives for 30 days."""
    async with http.post(PATH, json={"internal_ipv4": IPV4}) as answer:
        text = await answer.text()
        assert answer.status == 200
    (forwarding,) = address.ports.values()
    assert text == (
        f'{{"status":"success","data":{{"internal_ipv4":"{IPV4}",'
        f'"internal_ipv6":"{IPV6}","port":{forwarding.port},'
        f'"hidden":false,"expires_at":{forwarding.expires_at}}}}}'
    )
    assert forwarding.expires_at is not None
    assert forwarding.expires_at - provider.clock.now() == pytest.approx(
        30 * DAY, abs=5
    )


async def test_create_for_some_days(
    provider: FakeProvider, address: Address, http: ClientSession
) -> None:
    """A lifetime is in days, and zero days never end."""
    _, envelope = await ask(http, "POST", expires_in=7)
    week = envelope["data"]["port"]
    assert envelope["data"]["expires_at"] == pytest.approx(
        provider.clock.now() + 7 * DAY, abs=5
    )
    _, envelope = await ask(http, "POST", expires_in=0)
    assert envelope["data"]["expires_at"] is None
    assert set(address.ports) == {week, envelope["data"]["port"]}
    provider.clock.move(days=7, hours=1)
    assert await listed(http) == [
        {"port": envelope["data"]["port"], "hidden": False, "expires_at": None}
    ]


async def test_hidden_port(address: Address, http: ClientSession) -> None:
    """A port created hidden isn't listed, but there to be deleted."""
    _, envelope = await ask(http, "POST", hidden=True)
    assert envelope["data"]["hidden"] is True
    assert (await ask(http, "GET"))[0] == 404
    status, envelope = await ask(http, "DELETE", port=envelope["data"]["port"])
    assert (status, envelope) == (200, {"status": "success"})
    assert not address.ports


async def test_hide(address: Address, http: ClientSession) -> None:
    """Hiding a port answers without its number."""
    address.add_port(52192, expires_at=4_000_000_000)
    body = {"internal_ipv4": IPV4, "port": 52192, "hidden": True}
    async with http.put(PATH, json=body) as answer:
        assert answer.status == 200
        assert await answer.text() == (
            f'{{"status":"success","data":{{"internal_ipv4":"{IPV4}",'
            f'"internal_ipv6":"{IPV6}","port":null,'
            '"hidden":true,"expires_at":4000000000}}'
        )
    assert address.ports[52192].hidden
    assert (await ask(http, "GET"))[0] == 404


@pytest.mark.usefixtures("address")
@pytest.mark.parametrize(
    ("method", "body"),
    [("PUT", {"port": 52192, "hidden": True}), ("DELETE", {"port": 52192})],
)
async def test_port_of_somebody_else(
    provider: FakeProvider, http: ClientSession, method: str, body: dict[str, Any]
) -> None:
    """A port that isn't the address' own is not found."""
    theirs = provider.add_account("bob").add_address("10.0.0.2")
    theirs.add_port(52192)
    assert await ask(http, method, **body) == (
        404,
        {"status": "error", "message": "Port forwarding not found"},
    )
    assert not theirs.ports[52192].hidden


@pytest.mark.usefixtures("address")
@pytest.mark.parametrize(
    ("method", "body", "field", "words"),
    [
        (
            "POST",
            {"expires_in": -1},
            "expires_in",
            "The expires in must be at least 0.",
        ),
        (
            "POST",
            {"expires_in": 1.5},
            "expires_in",
            "The expires in must be an integer.",
        ),
        (
            "POST",
            {"expires_in": "7"},
            "expires_in",
            "The expires in must be an integer.",
        ),
        ("POST", {"hidden": 1}, "hidden", "The hidden field must be true or false."),
        ("PUT", {"port": 1}, "hidden", "The hidden field is required."),
        ("PUT", {"port": 1, "hidden": False}, "hidden", "The hidden must be accepted."),
        ("PUT", {"hidden": True}, "port", "The port field is required."),
        ("DELETE", {}, "port", "The port field is required."),
        ("DELETE", {"port": "52192"}, "port", "The port must be a number."),
        ("DELETE", {"port": True}, "port", "The port must be a number."),
    ],
)
async def test_validation(
    http: ClientSession, method: str, body: dict[str, Any], field: str, words: str
) -> None:
    """Wrong fields are refused, each with its reason."""
    assert await ask(http, method, **body) == (
        422,
        {
            "status": "error",
            "message": "The given data was invalid.",
            "data": {field: [words]},
        },
    )


@pytest.mark.usefixtures("address")
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE"])
@pytest.mark.parametrize(
    ("internal_ipv4", "words"),
    [
        ("", "The internal ipv4 field is required."),
        ("10.0.131.176/32", "The internal ipv4 must be a valid IPv4 address."),
        ("10.9.9.9", "The selected internal ipv4 is invalid."),
    ],
)
async def test_address_validation(
    http: ClientSession, method: str, internal_ipv4: str, words: str
) -> None:
    """Every operation needs an address of the account."""
    fields = {} if method == "GET" else {"port": 52192, "hidden": True}
    assert await ask(http, method, internal_ipv4=internal_ipv4, **fields) == (
        422,
        {
            "status": "error",
            "message": "The given data was invalid.",
            "data": {"internal_ipv4": [words]},
        },
    )


async def test_most_ports_per_address(
    provider: FakeProvider, ada: Account, address: Address, http: ClientSession
) -> None:
    """A sixth port of an address is refused; expired ones don't count."""
    for _ in range(4):
        address.add_port(expires_at=int(provider.clock.now()) + DAY)
    address.add_port(hidden=True)
    assert await ask(http, "POST") == (
        400,
        {"status": "error", "message": "No more than 5 port forwardings"},
    )
    ada.add_address("10.0.0.3")
    assert (await ask(http, "POST", internal_ipv4="10.0.0.3"))[0] == 200
    provider.clock.move(days=1)
    assert (await ask(http, "POST"))[0] == 200


async def test_daily_quota(
    provider: FakeProvider, address: Address, http: ClientSession
) -> None:
    """What was created today counts, even after it is gone."""
    provider.daily_quota = 2
    for _ in range(2):
        assert (await ask(http, "POST"))[0] == 200
    address.ports.clear()
    assert await ask(http, "POST") == (
        406,
        {"status": "error", "message": "todays limit reached"},
    )
    provider.clock.move(days=1)
    assert (await ask(http, "POST"))[0] == 200


async def test_not_connected(
    provider: FakeProvider, address: Address, http: ClientSession
) -> None:
    """Outside the tunnel the port endpoints say so, apart from the check."""
    provider.caller_connected = False
    address.add_port(52192)
    answers = [await ask(http, method) for method in ("GET", "POST", "PUT", "DELETE")]
    refusal = {
        "status": "error",
        "message": "You are not connected to a VPN server.",
    }
    assert answers == [(403, refusal)] * 4
    provider.not_connected_status = 400
    assert await ask(http, "GET") == (400, refusal)
    async with http.get(f"{PATH}/check/52192") as answer:
        assert answer.status == 200


async def test_token_comes_first(provider: FakeProvider) -> None:
    """Without a token it doesn't matter where one is."""
    async with ClientSession(provider.url) as session:
        assert await ask(session, "GET") == (
            401,
            {"status": "error", "message": "Unauthenticated."},
        )
