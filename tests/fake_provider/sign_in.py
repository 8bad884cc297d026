"""One-time passwords, and the web manager that takes them."""

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

from aiohttp import web

from .answers import success
from .keys import PROVIDER, signed_in

if TYPE_CHECKING:
    from .accounts import Account

LIFETIME = 10 * 60
PAGES = ("order", "wireguard", "settings")

routes = web.RouteTableDef()


@dataclass(frozen=True, kw_only=True, slots=True)
class OneTimePassword:
    """A sign-in that works once, before it expires (Unix seconds)."""

    otp: str = field(repr=False)
    account: Account
    expires_at: int


@routes.get("/v3/users/me/otps", allow_head=False)
@routes.post("/v3/users/me/otps")
async def create_otp(request: web.Request) -> web.Response:
    """Create a one-time password, by the one method that the provider takes."""
    provider = request.app[PROVIDER]
    if request.method != provider.otp_method:
        raise web.HTTPMethodNotAllowed(request.method, [provider.otp_method])
    one_time = OneTimePassword(
        otp=provider.draw.token(),
        account=signed_in(request),
        expires_at=int(provider.clock.now()) + LIFETIME,
    )
    provider.one_time_passwords[one_time.otp] = one_time
    return success({"otp": one_time.otp, "expires_at": one_time.expires_at})


@routes.get("/auth/otp", allow_head=False)
async def sign_in(request: web.Request) -> web.Response:
    """Show who is signed in and where to, once per one-time password."""
    provider = request.app[PROVIDER]
    page = request.query.get("redirect")
    one_time = provider.one_time_passwords.pop(request.query.get("token", ""), None)
    if (
        one_time is None
        or provider.clock.now() >= one_time.expires_at
        or page not in PAGES
    ):
        return _page(403, "This link is not valid.")
    return _page(200, f"Signed in as {one_time.account.username}, on to {page}.")


def _page(status: int, words: str) -> web.Response:
    return web.Response(
        status=status,
        text=f"<!doctype html><title>Manager</title><p>{escape(words)}</p>\n",
        content_type="text/html",
    )
