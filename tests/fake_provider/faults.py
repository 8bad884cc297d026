"""What can go wrong with an answer, and on which path it next does."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
import socket
import struct
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler

from .answers import error, to_json
from .keys import PROVIDER

type FaultyAnswer = Callable[[web.Request, Handler], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, slots=True)
class Fault:
    """A way to answer wrongly, or not at all."""

    name: str
    answer: FaultyAnswer = field(repr=False)

    @classmethod
    def status(
        cls,
        status: int,
        *,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Fault:
        """Answer with an HTTP status, and do nothing.

        A string is sent as it is, anything else as JSON; without a body it is
        the error envelope with the status' usual phrase.
        """

        async def answer(_request: web.Request, _handler: Handler) -> web.Response:
            if body is None:
                phrase = HTTPStatus(status).phrase if status in HTTPStatus else "Error"
                return error(status, phrase, headers=headers)
            if isinstance(body, str):
                return web.Response(status=status, text=body, headers=headers)
            return web.json_response(
                body, status=status, headers=headers, dumps=to_json
            )

        return cls(f"status {status}", answer)

    @classmethod
    def reset(cls) -> Fault:
        """Reset the connection, and do nothing.

        Clients may try again by themselves: aiohttp does so once, unless it posts.
        """

        async def answer(request: web.Request, _handler: Handler) -> web.Response:
            return _reset(request)

        return cls("reset", answer)

    @classmethod
    def lost(cls) -> Fault:
        """Carry the request out, then reset the connection without an answer."""

        async def answer(request: web.Request, handler: Handler) -> web.Response:
            await handler(request)
            return _reset(request)

        return cls("lost", answer)

    @classmethod
    def stall(cls, seconds: float) -> Fault:
        """Wait for some seconds, then carry the request out and answer it.

        A caller who gave up meanwhile doesn't change that; only a provider that
        stops does nothing more.
        """

        async def answer(request: web.Request, handler: Handler) -> web.StreamResponse:
            try:
                async with asyncio.timeout(seconds):
                    await request.app[PROVIDER].stopping.wait()
            except TimeoutError:
                return await handler(request)
            return _reset(request)

        return cls(f"stall {seconds} s", answer)

    @classmethod
    def truncated(cls) -> Fault:
        """Carry the request out, and break off in the middle of the answer."""

        async def answer(request: web.Request, handler: Handler) -> web.StreamResponse:
            whole = await handler(request)
            body = whole.body if isinstance(whole, web.Response) else None
            if not isinstance(body, bytes):
                raise TypeError("Only a plain answer can be broken off")
            part = web.StreamResponse(status=whole.status)
            part.content_type = whole.content_type
            part.content_length = len(body)
            await part.prepare(request)
            await part.write(body[: len(body) // 2])
            if request.transport is not None:
                request.transport.close()
            return part

        return cls("truncated", answer)

    @classmethod
    def not_json(cls) -> Fault:
        """Answer 200 with a page, as captive portals do, and do nothing."""

        async def answer(_request: web.Request, _handler: Handler) -> web.Response:
            page = "<!doctype html><title>Welcome</title><p>Please sign in."
            return web.Response(text=page, content_type="text/html")

        return cls("not JSON", answer)

    @classmethod
    def redirect(cls, url: str) -> Fault:
        """Send the caller elsewhere, and do nothing."""

        async def answer(_request: web.Request, _handler: Handler) -> web.Response:
            return web.Response(status=302, headers={"Location": url})

        return cls(f"redirect to {url}", answer)

    @classmethod
    def wrong_shape(cls, data: Any = "unexpected") -> Fault:
        """Answer with a success envelope around other data, and do nothing."""

        async def answer(_request: web.Request, _handler: Handler) -> web.Response:
            return web.json_response({"status": "success", "data": data}, dumps=to_json)

        return cls("wrong shape", answer)


@dataclass(kw_only=True, slots=True)
class PlannedFault:
    """A fault that waits for the next requests on a path."""

    path: str
    method: str | None
    fault: Fault
    times: int

    def concerns(self, request: web.Request) -> bool:
        """Tell whether the request is one that it waits for."""
        if self.method is not None and self.method != request.method:
            return False
        if self.path.endswith(("/", "*")):
            return request.path.startswith(self.path.removesuffix("*"))
        return request.path == self.path


class Faults:
    """The faults to come, the earliest planned first."""

    def __init__(self) -> None:
        """Start without any."""
        self._planned: list[PlannedFault] = []

    def plan(self, path: str, fault: Fault, *, method: str | None, times: int) -> None:
        """Let the next answers on a path fail."""
        self._planned.append(
            PlannedFault(path=path, method=method, fault=fault, times=times)
        )

    def clear(self) -> None:
        """Let nothing fail any more."""
        self._planned.clear()

    def take(self, request: web.Request) -> Fault | None:
        """Return the fault that meets this request, and count it."""
        for planned in self._planned:
            if planned.concerns(request):
                planned.times -= 1
                if planned.times <= 0:
                    self._planned.remove(planned)
                return planned.fault
        return None


def _reset(request: web.Request) -> web.Response:
    """Close the connection with a TCP reset; what is returned goes nowhere."""
    if request.transport is not None:
        connection = request.transport.get_extra_info("socket")
        # Lingering for zero seconds turns the close into a reset
        connection.setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
        )
        request.transport.abort()
    return web.Response()
