"""Port forwardings, from inside the tunnel and from outside."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from ipaddress import IPv4Address, IPv6Address
from typing import Any

import pytest

from custom_components.azirevpn.api import (
    AuthenticationError,
    AzireVPN,
    Connection,
    InvalidResponseError,
    NotConnectedError,
    NotFoundError,
    PortForwarding,
    PortList,
    QuotaError,
    RateLimitError,
    ResponseError,
    TransportError,
    ValidationError,
)
from tests.fake_provider import Address, FakeProvider, Fault

from .conftest import INTERNAL_IPV4, TOKEN

PORTS = "/v3/portforwardings"


def envelope(message: str, data: object = None) -> dict[str, object]:
    """Return an error as the provider writes it."""
    return {"status": "error", "message": message, "data": data}


async def test_list(connection: Connection, address: Address) -> None:
    """The list has the ports that aren't hidden, by number."""
    address.add_port(61002, expires_at=1990717592)
    address.add_port(61001)
    address.add_port(61003, hidden=True)
    assert await connection.list_ports() == PortList(
        internal_ipv4=IPv4Address(INTERNAL_IPV4),
        internal_ipv6=IPv6Address("2a0e:1c80:1337:1:10:0:131:176"),
        ports=(
            PortForwarding(port=61001, hidden=False, expires_at=None),
            PortForwarding(
                port=61002,
                hidden=False,
                expires_at=datetime.fromtimestamp(1990717592, UTC),
            ),
        ),
    )


async def test_list_asks_for_its_address(
    provider: FakeProvider, connection: Connection
) -> None:
    """The address is in the query, the token in the header."""
    await connection.list_ports()
    request = provider.requests[0]
    assert (request.method, request.path, request.body) == ("GET", PORTS, None)
    assert request.query == {"internal_ipv4": INTERNAL_IPV4}
    assert request.headers["Authorization"] == f"Bearer {TOKEN}"


@pytest.mark.parametrize(
    "message",
    ["No port forwardings found", "Not found", "", None, "You are not connected"],
)
async def test_none(
    provider: FakeProvider, connection: Connection, message: str | None
) -> None:
    """The provider's 404 means none, whatever its words."""
    body = {"status": "error", "message": message}
    provider.fail(PORTS, Fault.status(404, body=body))
    assert await connection.list_ports() == PortList(
        internal_ipv4=IPv4Address(INTERNAL_IPV4)
    )


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault.status(500), ResponseError),
        (Fault.status(500, body=envelope("No port forwardings found")), ResponseError),
        (Fault.status(200, body=envelope("No port forwardings found")), ResponseError),
        (Fault.status(401), AuthenticationError),
        (Fault.status(403), NotConnectedError),
        (Fault.status(404, body="<h1>Not found</h1>"), NotFoundError),
        (Fault.status(404, body=""), NotFoundError),
        (Fault.status(404, body={"message": "No such route"}), NotFoundError),
        (
            Fault.status(404, body=envelope("", {"internal_ipv4": [""]})),
            ValidationError,
        ),
        (Fault.status(429), RateLimitError),
        (Fault.status(204, body=""), InvalidResponseError),
        (Fault.status(200, body={}), InvalidResponseError),
        (Fault.status(200, body={"data": {"ports": []}}), InvalidResponseError),
        (Fault.status(200, body=[]), InvalidResponseError),
        (Fault.wrong_shape(), InvalidResponseError),
        (Fault.wrong_shape({"ports": None}), InvalidResponseError),
        (Fault.wrong_shape({"ports": [{"port": None}]}), InvalidResponseError),
        (Fault.not_json(), InvalidResponseError),
        (Fault.truncated(), InvalidResponseError),
        (Fault.redirect("/elsewhere"), InvalidResponseError),
        (Fault.reset(), TransportError),
    ],
)
async def test_nothing_else_means_none(
    provider: FakeProvider,
    connection: Connection,
    address: Address,
    fault: Fault,
    error: type[Exception],
) -> None:
    """No failure passes for an empty list."""
    address.add_port()
    provider.fail(PORTS, fault, times=2)
    with pytest.raises(error) as caught:
        await connection.list_ports()
    assert caught.type is error


async def test_create(
    provider: FakeProvider, connection: Connection, address: Address
) -> None:
    """A new port, with nothing sent that wasn't asked for."""
    created = await connection.create_port()
    assert address.ports[created.port].expires_at == (
        created.expires_at and created.expires_at.timestamp()
    )
    assert created.internal_ipv4 == IPv4Address(INTERNAL_IPV4)
    assert created.internal_ipv6 == IPv6Address("2a0e:1c80:1337:1:10:0:131:176")
    assert (await connection.list_ports()).ports == (created.forwarding,)
    assert provider.requests[0].body == {"internal_ipv4": INTERNAL_IPV4}


@pytest.mark.parametrize("days", [0, 1, 365])
@pytest.mark.parametrize("hidden", [True, False])
async def test_create_as_asked(
    provider: FakeProvider, connection: Connection, days: int, *, hidden: bool
) -> None:
    """Days and hiding are sent as what they are."""
    created = await connection.create_port(expires_in=days, hidden=hidden)
    assert created.hidden is hidden
    assert (created.expires_at is None) is (days == 0)
    assert provider.requests[0].body == {
        "internal_ipv4": INTERNAL_IPV4,
        "expires_in": days,
        "hidden": hidden,
    }


async def test_create_beyond_the_quota(
    provider: FakeProvider, connection: Connection
) -> None:
    """The daily limit is told by its own error."""
    provider.daily_quota = 0
    with pytest.raises(QuotaError, match="todays limit reached"):
        await connection.create_port()


async def test_create_beyond_the_maximum(
    provider: FakeProvider, connection: Connection
) -> None:
    """A refusal of no special kind keeps the provider's words."""
    provider.max_ports = 0
    with pytest.raises(ResponseError, match="No more than 0") as caught:
        await connection.create_port()
    assert caught.type is ResponseError


async def test_create_is_sent_once(
    provider: FakeProvider, connection: Connection, address: Address
) -> None:
    """A create whose answer is lost is not repeated: the port is there."""
    provider.fail(PORTS, Fault.lost())
    with pytest.raises(TransportError):
        await connection.create_port()
    assert len(provider.requests) == 1
    assert len(address.ports) == 1


async def test_hide(
    provider: FakeProvider, connection: Connection, address: Address
) -> None:
    """The answer doesn't name the port, the caller does."""
    address.add_port(61001, expires_at=1990717592)
    assert await connection.hide_port(61001) == PortForwarding(
        port=61001, hidden=True, expires_at=datetime.fromtimestamp(1990717592, UTC)
    )
    assert provider.requests[0].method == "PUT"
    assert provider.requests[0].body == {
        "internal_ipv4": INTERNAL_IPV4,
        "port": 61001,
        "hidden": True,
    }


async def test_delete(
    provider: FakeProvider, connection: Connection, address: Address
) -> None:
    """A port is deleted; one that isn't there can't be."""
    address.add_port(61001)
    await connection.delete_port(61001)
    assert address.ports == {}
    assert provider.requests[0].body == {"internal_ipv4": INTERNAL_IPV4, "port": 61001}
    with pytest.raises(NotFoundError, match="Port forwarding not found"):
        await connection.delete_port(61001)


async def test_delete_without_a_body(
    provider: FakeProvider, connection: Connection
) -> None:
    """The interface doesn't show the answer's body: none will do, a page won't."""
    provider.fail(PORTS, Fault.status(204, body=""))
    await connection.delete_port(61001)
    provider.fail(PORTS, Fault.not_json())
    with pytest.raises(InvalidResponseError):
        await connection.delete_port(61001)
    provider.fail(PORTS, Fault.status(503, body=""))
    with pytest.raises(ResponseError, match="Service Unavailable"):
        await connection.delete_port(61001)


@pytest.mark.parametrize("port", [0, -1, 65536, True, "61001", 61001.0, None])
async def test_no_port(
    provider: FakeProvider, connection: Connection, port: Any
) -> None:
    """What is no port never leaves."""
    for call in (connection.hide_port, connection.delete_port, connection.check_port):
        with pytest.raises(ValueError, match="1 to 65535"):
            await call(port)
    assert provider.requests == []


@pytest.mark.parametrize("days", [-1, 1.5, "30", True])
async def test_no_days(
    provider: FakeProvider, connection: Connection, days: Any
) -> None:
    """What is no number of days never leaves."""
    with pytest.raises(ValueError, match="whole number of days"):
        await connection.create_port(expires_in=days)
    assert provider.requests == []


OPERATIONS: list[Callable[[Connection], Awaitable[object]]] = [
    lambda connection: connection.list_ports(),
    lambda connection: connection.create_port(),
    lambda connection: connection.hide_port(61001),
    lambda connection: connection.delete_port(61001),
]


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("status", [403, 400, 422, 200])
async def test_not_connected(
    provider: FakeProvider,
    connection: Connection,
    status: int,
    operation: Callable[[Connection], Awaitable[object]],
) -> None:
    """Outside the tunnel, the provider says so, with this status or that."""
    provider.caller_connected = False
    provider.not_connected_status = status
    with pytest.raises(NotConnectedError) as caught:
        await operation(connection)
    assert caught.value.message == "You are not connected to a VPN server."
    assert caught.value.status == status


@pytest.mark.parametrize(
    ("status", "message", "error"),
    [
        (400, "You must be connected to a VPN server.", NotConnectedError),
        (400, "The client isn't currently connected", NotConnectedError),
        (400, "Disconnected", NotConnectedError),
        (404, "Not connected", NotConnectedError),
        (400, "This device is connected already", ResponseError),
        (404, "Not found", NotFoundError),
        (401, "Not connected", AuthenticationError),
        (429, "Not connected", RateLimitError),
        (500, "Not connected to the database", ResponseError),
    ],
)
async def test_words_for_not_connected(
    provider: FakeProvider,
    connection: Connection,
    status: int,
    message: str,
    error: type[Exception],
) -> None:
    """The words decide where the status doesn't."""
    provider.fail(PORTS, Fault.status(status, body=envelope(message)))
    with pytest.raises(error) as caught:
        await connection.delete_port(61001)
    assert caught.type is error


async def test_no_internal_address(client: AzireVPN) -> None:
    """A connection has an IPv4 address."""
    with pytest.raises(ValueError, match="camel"):
        client.connection("camel")
