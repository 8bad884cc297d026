"""The envelopes that answers come in."""

from functools import partial
import json
from typing import TYPE_CHECKING, Any

from aiohttp import web

if TYPE_CHECKING:
    from collections.abc import Mapping

# The seen answers have no spaces
to_json = partial(json.dumps, separators=(",", ":"))


def success(data: Any = None, *, message: str | None = None) -> web.Response:
    """Answer with the success envelope; what is None is left out."""
    return _envelope("success", 200, message, data, None)


def error(
    status: int,
    message: str,
    *,
    data: Any = None,
    headers: Mapping[str, str] | None = None,
) -> web.Response:
    """Answer with the error envelope; without data it has none."""
    return _envelope("error", status, message, data, headers)


class RefusalError(Exception):
    """A request is refused, with an HTTP status and an error envelope."""

    def __init__(self, status: int, message: str, *, data: Any = None) -> None:
        """Take the HTTP status, and the envelope's message and data."""
        super().__init__(message)
        self.status = status
        self.message = message
        self.data = data

    def answer(self) -> web.Response:
        """Return the answer that tells of it."""
        return error(self.status, self.message, data=self.data)


def _envelope(
    status: str,
    http_status: int,
    message: str | None,
    data: Any,
    headers: Mapping[str, str] | None,
) -> web.Response:
    fields = {"status": status, "message": message, "data": data}
    return web.json_response(
        {name: value for name, value in fields.items() if value is not None},
        status=http_status,
        headers=headers,
        dumps=to_json,
    )
