"""One answer of the provider, and what it says (interface.md, Response envelope)."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
import json
import re
from typing import TYPE_CHECKING

from .exceptions import (
    AuthenticationError,
    InvalidResponseError,
    NotFoundError,
    QuotaError,
    RateLimitError,
    ResponseError,
    ValidationError,
)
from .values import well_formed

if TYPE_CHECKING:
    from collections.abc import Mapping

_DEFAULT_RETRY_AFTER = 60.0
_LONGEST_RETRY_AFTER = 3600.0
_LONGEST_MESSAGE = 500
_SHORTEST_SECRET = 8
_SURE_SECRET = 16
_SECONDS = re.compile(r"\s*\d{1,9}(\.\d{1,9})?\s*", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """An answer as it came, not yet judged.

    envelope: the JSON object, or None where the body is no such thing.
    is_empty: there was no body at all.
    secrets: what was sent and must not come back in the provider's words.
    """

    status: int
    envelope: Mapping[str, object] | None
    is_empty: bool
    retry_after: float
    secrets: tuple[str, ...] = field(repr=False)

    @classmethod
    def read(
        cls,
        status: int,
        headers: Mapping[str, str],
        body: bytes,
        *,
        secrets: tuple[str, ...] = (),
    ) -> Answer:
        """Take an answer apart; nothing that a server sends makes this fail."""
        try:
            content = json.loads(body)
        except ValueError, RecursionError:
            content = None
        return cls(
            status=status,
            envelope=content if isinstance(content, dict) else None,
            is_empty=not body,
            retry_after=_retry_after(headers.get("Retry-After")),
            secrets=secrets,
        )

    @property
    def is_error(self) -> bool:
        """Whether this is a failure, by the HTTP status or by the envelope."""
        return self.status >= HTTPStatus.BAD_REQUEST or self.is_error_envelope

    @property
    def is_error_envelope(self) -> bool:
        """Whether it was the provider itself that reported an error."""
        return self.envelope is not None and self.envelope.get("status") == "error"

    @property
    def is_refusal(self) -> bool:
        """Whether the provider said no to this very request.

        A bad token, a rate limit and an outage say nothing about what was asked.
        """
        return (
            self.is_error_envelope
            and self.status < HTTPStatus.INTERNAL_SERVER_ERROR
            and self.status
            not in {HTTPStatus.UNAUTHORIZED, HTTPStatus.TOO_MANY_REQUESTS}
        )

    @property
    def message(self) -> str:
        """Return the provider's words, without what must stay secret; empty without."""
        words = self.envelope.get("message") if self.envelope else None
        if not isinstance(words, str):
            return ""
        return self._without_secrets(words)[:_LONGEST_MESSAGE]

    @property
    def payload(self) -> object:
        """Return the envelope's `data`, whatever the status."""
        return self.envelope.get("data") if self.envelope else None

    def data(self) -> object:
        """Return the `data` of a success.

        Raises ResponseError for an error, InvalidResponseError for neither.
        """
        if self.is_error:
            raise self.error()
        if self.envelope is None or self.envelope.get("status") != "success":
            raise InvalidResponseError(
                f"The answer is no success envelope (HTTP {self.status})"
            )
        return self.payload

    def confirm(self) -> None:
        """Accept a success whose body doesn't matter, even none at all.

        Raises like data(). The interface doesn't show the body of a deletion.
        """
        if self.is_error or not self.is_empty:
            self.data()

    def error(self) -> ResponseError:
        """Return the error that this answer stands for."""
        words = self.message or _status_name(self.status)
        match self.status:
            case HTTPStatus.UNAUTHORIZED:
                return AuthenticationError(self.status, words)
            case HTTPStatus.NOT_ACCEPTABLE:
                return QuotaError(self.status, words)
            case HTTPStatus.TOO_MANY_REQUESTS:
                return RateLimitError(self.status, words, self.retry_after)
        if self.status < HTTPStatus.INTERNAL_SERVER_ERROR and (
            fields := self._fields()
        ):
            return ValidationError(self.status, words, fields)
        if self.status == HTTPStatus.NOT_FOUND:
            return NotFoundError(self.status, words)
        return ResponseError(self.status, words)

    def _fields(self) -> dict[str, tuple[str, ...]]:
        """Return the messages by field; empty unless `data` holds nothing else."""
        if not isinstance(self.payload, dict):
            return {}
        fields: dict[str, tuple[str, ...]] = {}
        for name, messages in self.payload.items():
            if not isinstance(messages, list):
                return {}
            if not all(isinstance(message, str) for message in messages):
                return {}
            fields[well_formed(name)] = tuple(
                self._without_secrets(message)[:_LONGEST_MESSAGE]
                for message in messages
            )
        return fields

    def _without_secrets(self, words: str) -> str:
        """Blot out what was sent in confidence.

        A short or ordinary word is left: it stands there for what it means, and
        "The *** is wrong" would give a password away.
        """
        for secret in self.secrets:
            if len(secret) >= _SURE_SECRET or (
                len(secret) >= _SHORTEST_SECRET and not secret.isalpha()
            ):
                words = words.replace(secret, "***")
        return well_formed(words)


def _status_name(status: int) -> str:
    """Return the name of an HTTP status, also of one that has none."""
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unnamed status"


def _retry_after(value: str | None) -> float:
    """Read a Retry-After header, seconds or a date, as seconds from now; an hour at most."""
    if value is None:
        return _DEFAULT_RETRY_AFTER
    if _SECONDS.fullmatch(value):
        return min(float(value), _LONGEST_RETRY_AFTER)
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return _DEFAULT_RETRY_AFTER
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    seconds = (date - datetime.now(UTC)).total_seconds()
    return min(max(0.0, seconds), _LONGEST_RETRY_AFTER)
