"""Names and numbers that nobody chose, and that repeat for the same seed."""

import hashlib
import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class Draw:
    """Draw tokens and elements by hashing a seed and a counter."""

    def __init__(self, seed: int | None = None) -> None:
        """Take the seed; None means another sequence every time."""
        self._seed = secrets.randbits(64) if seed is None else seed
        self._drawn = 0

    def token(self, length: int = 40) -> str:
        """Return up to 64 hexadecimal digits."""
        return self._digest().hex()[:length]

    def one_of(self, numbers: Sequence[int]) -> int:
        """Return an element of a sequence that isn't empty."""
        return numbers[int.from_bytes(self._digest()) % len(numbers)]

    def _digest(self) -> bytes:
        self._drawn += 1
        return hashlib.sha256(f"{self._seed}/{self._drawn}".encode()).digest()
