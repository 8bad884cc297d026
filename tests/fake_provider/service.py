"""The web application: what happens to a request before and after its handler."""

from dataclasses import dataclass, field
import json
from typing import TYPE_CHECKING, Any

from aiohttp import web

from . import control, port_forwardings, sign_in, users
from .answers import RefusalError, error
from .keys import ALLOWANCE, PROVIDER

if TYPE_CHECKING:
    from aiohttp.typedefs import Handler

    from .provider import FakeProvider


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedRequest:
    """A request as it arrived; `time` in Unix seconds by the provider's clock."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str] = field(repr=False)
    body: Any = field(repr=False)
    remote: str
    time: float


def application(provider: FakeProvider) -> web.Application:
    """Return the application that serves the provider's interface."""
    app = web.Application(middlewares=[_serve, _enclose])
    app[PROVIDER] = provider
    app.on_response_prepare.append(_add_headers)
    app.add_routes(users.routes)
    app.add_routes(sign_in.routes)
    app.add_routes(port_forwardings.routes)
    if provider.control:
        app.add_routes(control.routes)
    return app


@web.middleware
async def _serve(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Record a request, count it, and let it fail if a fault is planned."""
    if request.path.startswith(control.PREFIX):
        return await handler(request)
    provider = request.app[PROVIDER]
    provider.requests.append(await _record(request, provider.clock.now()))
    if request.path.startswith("/v3/"):
        caller = request.headers.get("Authorization", request.remote or "")
        allowance = provider.limits.take(caller, limit=provider.rate_limit)
        request[ALLOWANCE] = allowance
        if allowance.exceeded:
            wait = {"Retry-After": str(allowance.seconds_left)}
            return error(
                429,
                "Too Many Attempts.",
                headers=wait if provider.sends_retry_after else None,
            )
    if fault := provider.faults.take(request):
        return await fault.answer(request, handler)
    return await handler(request)


@web.middleware
async def _enclose(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Put refusals into the error envelope."""
    try:
        return await handler(request)
    except RefusalError as refusal:
        return refusal.answer()
    except web.HTTPMethodNotAllowed as refusal:
        allowed = {"Allow": ",".join(sorted(refusal.allowed_methods))}
        return error(405, "Method not allowed", headers=allowed)
    except web.HTTPNotFound:
        return error(404, "Not found")


async def _add_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Tell every caller what is left of the rate limit."""
    if ALLOWANCE in request:
        for name, value in request[ALLOWANCE].headers.items():
            response.headers.setdefault(name, value)


async def _record(request: web.Request, time: float) -> RecordedRequest:
    try:
        body = json.loads(await request.read())
    except ValueError:
        body = None
    return RecordedRequest(
        method=request.method,
        path=request.path,
        query=dict(request.query),
        headers=dict(request.headers),
        body=body,
        remote=request.remote or "",
        time=time,
    )
