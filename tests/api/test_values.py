"""Single values, read generously."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.azirevpn.api import (
    InvalidResponseError,
    RateLimit,
)
from custom_components.azirevpn.api.values import flag, moment, text, whole_number

LAST_SECOND = int(datetime(9999, 12, 31, tzinfo=UTC).timestamp()) - 1
seconds = st.integers(1, LAST_SECOND)


@given(seconds)
@settings(deadline=None)
def test_every_moment_can_be_shown_everywhere(at: int) -> None:
    """An expiry is aware, in UTC, and within the calendar of every time zone."""
    read = moment(at, "expires_at")
    assert read is not None
    assert read.timestamp() == at
    assert read.tzinfo is UTC
    assert read.astimezone(ZoneInfo("Pacific/Kiritimati"))


@pytest.mark.parametrize(
    "never", [None, 0, "0", -1, LAST_SECOND + 1, 10**12, 1e300, "9" * 100]
)
def test_never(never: object) -> None:
    """No expiry, or one beyond the calendar, is none."""
    assert moment(never, "expires_at") is None


@pytest.mark.parametrize("value", ["", "abc", "1.5", 1.5, True, "1" * 101, [], {}])
def test_no_whole_number(value: object) -> None:
    """What is no number isn't forced to be one."""
    assert whole_number(value) is None


def test_text() -> None:
    """A text is kept as it is, but for what UTF-8 can't hold."""
    assert text(" Ada ☕ ", "name") == " Ada ☕ "
    assert text("half \ud83d a pair", "name") == "half ? a pair"
    with pytest.raises(InvalidResponseError, match="name is not a text"):
        text(5, "name")


def test_flag_unknown() -> None:
    """Unknown is not no."""
    assert flag(None, "is_active") is None


@pytest.mark.parametrize(
    ("limit", "remaining", "expected"),
    [
        ("60", "58", RateLimit(limit=60, remaining=58)),
        ("60", None, None),
        (None, "58", None),
        ("many", "58", None),
    ],
)
def test_rate_limit(
    limit: str | None, remaining: str | None, expected: RateLimit | None
) -> None:
    """Both headers make a rate limit."""
    headers = {"X-RateLimit-Limit": limit, "X-RateLimit-Remaining": remaining}
    present = {name: value for name, value in headers.items() if value is not None}
    assert RateLimit.from_headers(present) == expected
