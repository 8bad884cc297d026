"""The provider's clock, which tests move."""

import time


class Clock:
    """Tell the time in Unix seconds, ahead of or behind the system's."""

    def __init__(self) -> None:
        """Start with the system's time."""
        self._offset = 0.0

    def now(self) -> float:
        """Return the provider's time in Unix seconds."""
        return time.time() + self._offset

    def move(
        self,
        seconds: float = 0,
        *,
        minutes: float = 0,
        hours: float = 0,
        days: float = 0,
    ) -> None:
        """Move the time forward, or back by negative amounts."""
        self._offset += seconds + 60 * minutes + 3600 * hours + 86_400 * days
