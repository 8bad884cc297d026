"""Open, closed, or unknown: the check of a port."""

from typing import Any

import pytest

from custom_components.azirevpn.api import (
    Connection,
    InvalidResponseError,
    NotFoundError,
    PortCheck,
    RateLimitError,
    ResponseError,
    TransportError,
    ValidationError,
)
from tests.fake_provider import FakeProvider, Fault

PORTS = "/v3/portforwardings"


def envelope(message: str, data: object = None) -> dict[str, object]:
    """Return an error as the provider writes it."""
    return {"status": "error", "message": message, "data": data}


async def test_check(provider: FakeProvider, connection: Connection) -> None:
    """A port is open while something listens; no token is sent to find out."""
    await provider.listen("127.0.0.1", 61001)
    check = await connection.check_port(61001)
    assert check == PortCheck(
        port=61001, open=True, source_ip="127.0.0.1", message=check.message
    )
    await provider.stop_listening("127.0.0.1", 61001)
    check = await connection.check_port(61001)
    assert check == PortCheck(
        port=61001, open=False, source_ip="127.0.0.1", message=check.message
    )
    assert "closed" in check.message
    assert {request.path for request in provider.requests} == {f"{PORTS}/check/61001"}
    assert not any("Authorization" in request.headers for request in provider.requests)


@pytest.mark.parametrize(
    ("status", "message", "data"),
    [
        (200, "Port 61001 is closed", {"source_ip": "192.0.2.1", "port": 61001}),
        (404, "Port 61001 is closed", {"source_ip": "192.0.2.1", "port": "61001"}),
        (422, "Nothing answered", {"source_ip": "192.0.2.1", "port": 61001}),
        (200, "Closed", {"source_ip": None, "port": 61001}),
    ],
)
async def test_closed(
    provider: FakeProvider, connection: Connection, status: int, message: str, data: Any
) -> None:
    """An error that has the check's data is a result."""
    fault = Fault.status(status, body=envelope(message, data))
    provider.fail(f"{PORTS}/check/61001", fault)
    assert await connection.check_port(61001) == PortCheck(
        port=61001, open=False, source_ip=data["source_ip"], message=message
    )


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault.status(403), ResponseError),
        (Fault.status(404), NotFoundError),
        (Fault.status(429), RateLimitError),
        (Fault.status(200, body=envelope("The port is closed")), ResponseError),
        (Fault.status(200, body=envelope("Closed", [])), ResponseError),
        (Fault.status(200, body=envelope("Closed", {"port": 1})), ResponseError),
        (Fault.status(200, body=envelope("Odd", {"port": 61001})), ResponseError),
        (
            Fault.status(422, body=envelope("Closed", {"port": ["Not a port."]})),
            ValidationError,
        ),
        (
            Fault.status(
                503, body=envelope("Closed", {"port": 61001, "source_ip": "192.0.2.1"})
            ),
            ResponseError,
        ),
        (
            Fault.status(
                429, body=envelope("Closed", {"port": 61001, "source_ip": "192.0.2.1"})
            ),
            RateLimitError,
        ),
        (Fault.status(500), ResponseError),
        (Fault.not_json(), InvalidResponseError),
        (Fault.wrong_shape(), InvalidResponseError),
        (
            Fault.wrong_shape({"port": 1, "source_ip": "192.0.2.1"}),
            InvalidResponseError,
        ),
        (Fault.wrong_shape({"port": "any"}), InvalidResponseError),
        (Fault.wrong_shape({"port": 61001, "source_ip": 1}), InvalidResponseError),
        (Fault.redirect("/"), InvalidResponseError),
        (Fault.truncated(), InvalidResponseError),
        (Fault.reset(), TransportError),
    ],
)
async def test_unknown_is_not_closed(
    provider: FakeProvider, connection: Connection, fault: Fault, error: type[Exception]
) -> None:
    """A check that wasn't carried out says nothing about the port."""
    provider.fail(f"{PORTS}/check/61001", fault, times=2)
    with pytest.raises(error) as caught:
        await connection.check_port(61001)
    assert caught.type is error


@pytest.mark.parametrize("data", [{"port": None, "source_ip": None}, {}])
async def test_open_without_details(
    provider: FakeProvider, connection: Connection, data: object
) -> None:
    """A success is open, also where it tells little."""
    provider.fail(f"{PORTS}/check/61001", Fault.wrong_shape(data))
    assert await connection.check_port(61001) == PortCheck(
        port=61001, open=True, source_ip=None, message=""
    )
