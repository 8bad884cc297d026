"""What handlers find with a request: the provider, the caller, their allowance."""

from typing import TYPE_CHECKING

from aiohttp import web

from .answers import RefusalError

if TYPE_CHECKING:
    from .accounts import Account
    from .limits import Allowance
    from .provider import FakeProvider

PROVIDER: web.AppKey[FakeProvider] = web.AppKey("provider")
ALLOWANCE: web.RequestKey[Allowance] = web.RequestKey("allowance")


def signed_in(request: web.Request) -> Account:
    """Return the account whose token came along; raise RefusalError without one."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    account = request.app[PROVIDER].accounts.with_token(token)
    if scheme != "Bearer" or account is None:
        raise RefusalError(401, "Unauthenticated.")
    return account
