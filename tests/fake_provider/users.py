"""The operations on users (interface.md, Users), and the account's addresses."""

from typing import TYPE_CHECKING, Any, Literal

from aiohttp import web

from .answers import RefusalError, success
from .form import Form
from .keys import PROVIDER, signed_in

if TYPE_CHECKING:
    from .accounts import Account
    from .provider import FakeProvider

type IpsShape = Literal["object", "numbers", "objects"]

CURRENCIES = ("EUR", "USD", "SEK")
SHORTEST_PASSWORD = 8

routes = web.RouteTableDef()


@routes.post("/v3/users")
async def create_user(request: web.Request) -> web.Response:
    """Create an account without access (interface.md, States and transitions)."""
    provider = request.app[PROVIDER]
    form = await Form.of_body(request)
    username = form.text("username")
    password = form.text("password", shortest=SHORTEST_PASSWORD)
    email = form.optional_email("email")
    currency = form.choice("currency", CURRENCIES, "EUR")
    referral_code = form.optional_text("referral_code")
    affiliate_code = form.optional_text("affiliate_code")
    if provider.accounts.with_username(username):
        form.complain("username", "The {} has already been taken.")
    form.check()
    account = provider.accounts.add(
        username,
        password=password,
        email=email,
        currency=currency,
        expires_in_days=0,
        is_email_verified=False,
        is_active=False,
        is_subscribed=False,
        ips_allocated=0,
        created_at=int(provider.clock.now()),
        referral_code=referral_code,
        affiliate_code=None if referral_code else affiliate_code,
    )
    if email is not None:
        provider.verification_emails.append(email)
    return _user(provider, account)


@routes.get("/v3/users/me")
async def get_user(request: web.Request) -> web.Response:
    """Answer the user object."""
    return _user(request.app[PROVIDER], signed_in(request))


@routes.delete("/v3/users/me")
async def delete_user(request: web.Request) -> web.Response:
    """Delete the account, if the password is right."""
    account = signed_in(request)
    form = await Form.of_body(request)
    password = form.text("password")
    if password and password != account.password:
        form.complain("password", "The {} is incorrect.")
    form.check()
    request.app[PROVIDER].accounts.remove(account)
    return success()


@routes.put("/v3/users/me/password")
async def update_password(request: web.Request) -> web.Response:
    """Change the password."""
    account = signed_in(request)
    form = await Form.of_body(request)
    password = form.text("new_password", shortest=SHORTEST_PASSWORD)
    form.check()
    account.password = password
    return _user(request.app[PROVIDER], account)


@routes.put("/v3/users/me/username")
async def update_username(request: web.Request) -> web.Response:
    """Change the username to one that nobody else has."""
    provider = request.app[PROVIDER]
    account = signed_in(request)
    form = await Form.of_body(request)
    username = form.text("new_username")
    if provider.accounts.with_username(username) not in (None, account):
        form.complain("new_username", "The {} has already been taken.")
    form.check()
    account.username = username
    return _user(provider, account)


@routes.put("/v3/users/me/email")
async def update_email(request: web.Request) -> web.Response:
    """Change the email; another address than before is not verified."""
    account = signed_in(request)
    form = await Form.of_body(request)
    email = form.email("email")
    form.check()
    account.is_email_verified &= email == account.email
    account.email = email
    return _user(request.app[PROVIDER], account)


@routes.delete("/v3/users/me/email")
async def delete_email(request: web.Request) -> web.Response:
    """Remove the email."""
    account = signed_in(request)
    account.email = None
    account.is_email_verified = False
    return _user(request.app[PROVIDER], account)


@routes.get("/v3/ips")
async def get_ips(request: web.Request) -> web.Response:
    """List the account's addresses (in-the-field.md, Operations)."""
    if not request.app[PROVIDER].serves_ips:
        raise RefusalError(404, "Not found")
    return success(
        [
            {
                "id": address.id,
                "ipv4_address": address.internal_ipv4,
                "ipv4_netmask": 32,
                "ipv6_address": address.internal_ipv6,
                "ipv6_netmask": 128,
                "dns": ["10.0.0.1"],
                "device_name": address.device_name,
                "keys": [],
            }
            for address in signed_in(request).addresses.values()
        ]
    )


def _user(provider: FakeProvider, account: Account) -> web.Response:
    return success(
        {
            "username": account.username,
            "email": account.email,
            "currency": account.currency,
            "is_email_verified": account.is_email_verified,
            "is_active": account.is_active,
            "is_oldschool": account.is_oldschool,
            "is_subscribed": account.is_subscribed,
            "ips": _ips(account, provider.ips_shape),
            "created_at": account.created_at,
            "expires_at": account.expires_at,
        }
    )


def _ips(account: Account, shape: IpsShape) -> Any:
    amounts = {"allocated": account.ips_allocated, "available": account.ips_available}
    match shape:
        case "object":
            return amounts
        case "numbers":
            return list(amounts.values())
        case "objects":
            return [{name: amount} for name, amount in amounts.items()]
