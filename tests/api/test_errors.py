"""What the provider's errors become."""

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.azirevpn.api import (
    AuthenticationError,
    AzireVPN,
    AzireVPNError,
    InvalidResponseError,
    NotFoundError,
    QuotaError,
    RateLimitError,
    ResponseError,
    ValidationError,
)
from custom_components.azirevpn.api.answers import Answer
from tests.fake_provider import FakeProvider, Fault

from .conftest import ME


async def failure(client: AzireVPN) -> AzireVPNError:
    """Return the error of getting the user."""
    with pytest.raises(AzireVPNError) as caught:
        await client.get_user()
    return caught.value


@pytest.mark.parametrize(
    ("fault", "error", "message"),
    [
        (Fault.status(401), AuthenticationError, "Unauthorized"),
        (Fault.status(401, body=""), AuthenticationError, "Unauthorized"),
        (Fault.status(404), NotFoundError, "Not Found"),
        (Fault.status(406), QuotaError, "Not Acceptable"),
        (Fault.status(429), RateLimitError, "Too Many Requests"),
        (Fault.status(403), ResponseError, "Forbidden"),
        (Fault.status(407), ResponseError, "Proxy Authentication Required"),
        (Fault.status(400, body={"message": "No."}), ResponseError, "No."),
        (Fault.status(400, body={"message": 5}), ResponseError, "Bad Request"),
        (Fault.status(400, body={"message": ""}), ResponseError, "Bad Request"),
        (
            Fault.status(500, body="<h1>Oops</h1>"),
            ResponseError,
            "Internal Server Error",
        ),
        (Fault.status(520, body="[]"), ResponseError, "Unnamed status"),
        (Fault.status(502, body='{"message":'), ResponseError, "Bad Gateway"),
    ],
)
async def test_status(
    provider: FakeProvider,
    client: AzireVPN,
    fault: Fault,
    error: type[ResponseError],
    message: str,
) -> None:
    """The status makes the error, the provider's words its message."""
    provider.fail(ME, fault)
    raised = await failure(client)
    assert type(raised) is error
    assert isinstance(raised, ResponseError)
    assert raised.message == message


async def test_error_envelope_with_a_success_status(
    provider: FakeProvider, client: AzireVPN
) -> None:
    """An error is an error, also with HTTP 200."""
    body = {"status": "error", "message": "Something is wrong"}
    provider.fail(ME, Fault.status(200, body=body))
    raised = await failure(client)
    assert type(raised) is ResponseError
    assert (raised.status, raised.message) == (200, "Something is wrong")


@pytest.mark.parametrize("status", [200, 400, 403, 404, 409, 422])
async def test_validation(
    provider: FakeProvider, client: AzireVPN, status: int
) -> None:
    """Messages by field make a validation error, whatever the status."""
    data = {"email": ["Bad.", "Worse."], "username": []}
    body = {"status": "error", "message": "Invalid.", "data": data}
    provider.fail(ME, Fault.status(status, body=body))
    raised = await failure(client)
    assert isinstance(raised, ValidationError)
    assert raised.fields == {"email": ("Bad.", "Worse."), "username": ()}


@pytest.mark.parametrize(
    ("status", "data"),
    [
        (500, {"email": ["Bad."]}),
        (422, {}),
        (422, {"email": "Bad."}),
        (422, {"email": [1]}),
        (422, {"email": ["Bad."], "port": 1}),
        (422, ["Bad."]),
    ],
)
async def test_no_validation(
    provider: FakeProvider, client: AzireVPN, status: int, data: object
) -> None:
    """Other data, or an outage, is none."""
    body = {"status": "error", "message": "Invalid.", "data": data}
    provider.fail(ME, Fault.status(status, body=body))
    assert type(await failure(client)) is ResponseError


async def test_rate_limit(provider: FakeProvider, client: AzireVPN) -> None:
    """The provider's own limit holds for as long as it says, without another request."""
    provider.fail(ME, Fault.status(429, headers={"Retry-After": "0.3"}))
    raised = await failure(client)
    assert isinstance(raised, RateLimitError)
    assert raised.retry_after == 0.3
    again = await failure(client)
    assert isinstance(again, RateLimitError)
    assert 0 < again.retry_after < 0.3
    assert again.message == raised.message
    assert len(provider.requests) == 1
    await asyncio.sleep(again.retry_after)
    await client.get_user()
    assert len(provider.requests) == 2


async def test_rate_limit_without_a_time(
    provider: FakeProvider, client: AzireVPN
) -> None:
    """A limit of which the provider doesn't say how long it holds, holds a minute."""
    provider.rate_limit = 0
    provider.sends_retry_after = False
    raised = await failure(client)
    assert isinstance(raised, RateLimitError)
    assert raised.retry_after == 60


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("0", 0.0),
        ("17", 17.0),
        (" 1.5 ", 1.5),
        ("99999999", 3600.0),
        ("Wed, 21 Oct 2065 07:28:00 GMT", 3600.0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("-1", 60.0),
        ("inf", 60.0),
        ("1e9", 60.0),
        ("9" * 400, 60.0),
        ("soon", 60.0),
        ("", 60.0),
    ],
)
def test_retry_after(header: str, seconds: float) -> None:
    """Seconds are read, a moment that is past is now, nonsense is a minute."""
    answer = Answer.read(429, {"Retry-After": header}, b"")
    assert answer.retry_after == seconds


@pytest.mark.parametrize("zone", ["GMT", "-0000"])
def test_retry_after_a_date(zone: str) -> None:
    """A date is counted from now; one without a zone is in UTC."""
    then = datetime.now(UTC) + timedelta(minutes=2)
    header = format_datetime(then).replace("+0000", zone)
    answer = Answer.read(429, {"Retry-After": header}, b"")
    assert answer.retry_after == pytest.approx(120, abs=3)


@given(
    st.integers(200, 599),
    st.binary() | st.sampled_from([b"[" * 200_000, b"9" * 9999, b"NaN", b'"\\ud83d"']),
    st.text(),
)
@settings(deadline=None)
def test_any_answer_is_judged(status: int, body: bytes, retry_after: str) -> None:
    """Whatever comes, it is data or one of this package's errors."""
    answer = Answer.read(status, {"Retry-After": retry_after}, body)
    with pytest.raises((ResponseError, InvalidResponseError)):
        answer.data()
    assert answer.message == ""


async def test_messages_are_short_and_well_formed(
    provider: FakeProvider, client: AzireVPN
) -> None:
    """A message has an end, and can be written down."""
    provider.fail(ME, Fault.status(400, body={"message": "\ud83d" + "x" * 9999}))
    raised = await failure(client)
    assert isinstance(raised, ResponseError)
    assert raised.message == "?" + "x" * 499
