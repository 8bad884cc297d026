"""How many requests a caller may make (in-the-field.md, Answers)."""

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .clock import Clock

WINDOW = 60


@dataclass(frozen=True, kw_only=True, slots=True)
class Allowance:
    """What a caller may still do in the present window."""

    limit: int
    used: int
    seconds_left: int

    @property
    def exceeded(self) -> bool:
        """Tell whether this request is one too many."""
        return self.used > self.limit

    @property
    def headers(self) -> dict[str, str]:
        """Return the seen headers."""
        return {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(max(0, self.limit - self.used)),
        }


class RateLimit:
    """Count the requests of each caller in windows of a minute."""

    def __init__(self, clock: Clock) -> None:
        """Start with no requests counted."""
        self._clock = clock
        self._windows: dict[str, tuple[float, int]] = {}

    def take(self, caller: str, *, limit: int) -> Allowance:
        """Count one request of a caller, a token or an address."""
        now = self._clock.now()
        start, used = self._windows.get(caller, (now, 0))
        # Below zero: the clock was moved back
        if not 0 <= now - start < WINDOW:
            start, used = now, 0
        self._windows[caller] = (start, used + 1)
        return Allowance(
            limit=limit, used=used + 1, seconds_left=ceil(start + WINDOW - now)
        )
