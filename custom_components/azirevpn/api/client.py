"""The client: an account of the provider, and the one function that sends requests."""

import asyncio
from functools import partial
from http import HTTPStatus
from ipaddress import IPv4Address
from typing import TYPE_CHECKING

import aiohttp

from .answers import Answer
from .connection import Connection
from .exceptions import (
    AuthenticationError,
    AzireVPNError,
    InvalidResponseError,
    ProxyError,
    RateLimitError,
)
from .failures import failure_of
from .models import Address, Currency, ManagerPage, OneTimePassword, RateLimit, User
from .web_addresses import proxy_address, service_address

if TYPE_CHECKING:
    from collections.abc import Mapping

    from yarl import URL

DEFAULT_BASE_URL = "https://api.azirevpn.com"
DEFAULT_MANAGER_URL = "https://manager.azirevpn.com"

TIMEOUT = 10.0  # seconds, for a request and the whole of its answer
MAX_BODY = 1024 * 1024  # bytes, after decompression

_USERS = "v3/users"
_ME = f"{_USERS}/me"


class AzireVPN:
    """An account of AzireVPN, or of a service that speaks the same interface.

    session: used as it is and never closed here; its TLS settings apply.
    access_token: from the manager's page `account/token`; not needed to sign up
    and to check ports.
    base_url, manager_url: absolute http or https addresses without credentials,
    with or without a path; ValueError for anything else.

    Every method that talks to the provider raises TransportError, InvalidResponseError
    or ResponseError: AuthenticationError, RateLimitError, ValidationError where the
    provider refuses a value, NotFoundError. No request is sent twice by itself, but
    for a read on a connection that was lost.

    After a RateLimitError nothing is sent until its time is over: whatever is
    called before raises another, with the seconds that are left.

    rate_limit: what the last answer said of it, None before that.
    """

    rate_limit: RateLimit | None = None

    def __init__(
        self,
        session: aiohttp.ClientSession,
        access_token: str | None = None,
        *,
        base_url: str = DEFAULT_BASE_URL,
        manager_url: str = DEFAULT_MANAGER_URL,
    ) -> None:
        self._session = session
        self._access_token = access_token
        self._base_url = service_address(base_url)
        self._manager_url = service_address(manager_url)
        self._otp_method = "POST"
        self._refused: RateLimitError | None = None
        self._refused_until = 0.0  # by the event loop's clock

    def __repr__(self) -> str:
        """Name the service, not the token."""
        return f"{type(self).__name__}({str(self._base_url)!r})"

    async def create_user(
        self,
        *,
        username: str,
        password: str,
        email: str | None = None,
        currency: Currency | str | None = None,
        referral_code: str | None = None,
        affiliate_code: str | None = None,
    ) -> User:
        """Sign up, which needs no access token (interface.md, Users).

        What is None or empty isn't sent, nor an affiliate code beside a referral
        code. With an email address, the user has to confirm it before access.
        """
        optional = {
            "email": email,
            "currency": currency and str(currency),
            "referral_code": referral_code,
            "affiliate_code": None if referral_code else affiliate_code,
        }
        answer = await self._request(
            "POST",
            _USERS,
            values={"username": username, "password": password}
            | {name: value for name, value in optional.items() if value},
            with_token=False,
        )
        return User.from_dict(answer.data())

    async def get_user(self) -> User:
        """Return the account (interface.md, Users)."""
        return User.from_dict((await self._request("GET", _ME)).data())

    async def delete_user(self, password: str) -> None:
        """Delete the account for good (interface.md, Users)."""
        (await self._request("DELETE", _ME, values={"password": password})).confirm()

    async def create_one_time_password(self) -> OneTimePassword:
        """Create a one-time password, good for 10 minutes (interface.md, Users).

        The interface leaves the method open: a service that refuses POST is asked
        with GET, and what worked is used from then on.
        """
        method = self._otp_method
        answer = await self._request(method, f"{_ME}/otps")
        if answer.status == HTTPStatus.METHOD_NOT_ALLOWED:
            method = "GET" if method == "POST" else "POST"
            answer = await self._request(method, f"{_ME}/otps")
        otp = OneTimePassword.from_dict(answer.data())
        self._otp_method = method
        return otp

    def sign_in_url(self, otp: OneTimePassword, page: ManagerPage) -> str:
        """Return the address that signs in to a page of the web manager, once."""
        address = self._manager_url / "auth/otp"
        return str(address.with_query(token=otp.otp, redirect=page.value))

    async def set_password(self, new_password: str) -> User:
        """Change the password (interface.md, Users)."""
        return await self._set("password", new_password=new_password)

    async def set_username(self, new_username: str) -> User:
        """Change the username (interface.md, Users)."""
        return await self._set("username", new_username=new_username)

    async def set_email(self, email: str) -> User:
        """Change the email address (interface.md, Users)."""
        return await self._set("email", email=email)

    async def remove_email(self) -> User:
        """Remove the email address; the path is from the provider's documentation."""
        return User.from_dict((await self._request("DELETE", f"{_ME}/email")).data())

    async def list_addresses(self) -> tuple[Address, ...]:
        """Return the account's internal addresses.

        A convenience outside interface.md, from the provider's documentation.
        """
        return Address.list_from((await self._request("GET", "v3/ips")).data())

    def connection(
        self, internal_ipv4: IPv4Address | str, *, proxy: str | None = None
    ) -> Connection:
        """Return the connection with this internal address; nothing is sent.

        proxy: the way into its tunnel, http://user:password@host:port or https;
        without one, the session's own network has to be inside the tunnel.
        Raises ValueError for what is no IPv4 address or no address of a proxy.
        """
        way_in = None if proxy is None else proxy_address(proxy)
        return Connection(
            partial(self._request, proxy=way_in), IPv4Address(internal_ipv4)
        )

    async def _set(self, what: str, **values: str) -> User:
        """Change one credential of the account."""
        answer = await self._request("PUT", f"{_ME}/{what}", values=values)
        return User.from_dict(answer.data())

    async def _request(
        self,
        method: str,
        path: str,
        *,
        values: Mapping[str, str | int] | None = None,
        with_token: bool = True,
        proxy: URL | None = None,
    ) -> Answer:
        """Send one request and return its answer, whether a success or an error.

        values: the query of a GET, the JSON body of anything else.
        """
        self._wait_for_rate_limit()
        token = self._access_token or ""
        headers = {"Accept": "application/json"}
        if with_token and token:
            if not (token.isascii() and token.isprintable()):
                raise AuthenticationError(
                    HTTPStatus.UNAUTHORIZED, "This can't be an access token"
                )
            headers["Authorization"] = f"Bearer {token}"
        passwords = [
            str(value) for name, value in (values or {}).items() if "password" in name
        ]
        reads = method == "GET"
        try:
            async with self._session.request(
                method,
                self._base_url / path,
                params=values if reads else None,
                json=None if reads else values,
                headers=headers,
                proxy=proxy,
                allow_redirects=False,
                timeout=aiohttp.ClientTimeout(total=TIMEOUT),
                middlewares=() if reads else (_send_once,),
            ) as response:
                self.rate_limit = (
                    RateLimit.from_headers(response.headers) or self.rate_limit
                )
                _refuse_detours(response.status, proxy)
                answer = Answer.read(
                    response.status,
                    response.headers,
                    await _body_of(response),
                    secrets=(token, *passwords),
                )
                self._note_rate_limit(answer)
                return answer
        except (aiohttp.ClientError, OSError) as error:
            failure: AzireVPNError = failure_of(error, proxy)
        # Raised outside the handler: as its context, aiohttp's error would bring the
        # proxy's credentials into every traceback.
        raise failure

    def _note_rate_limit(self, answer: Answer) -> None:
        """Remember for how long nothing may be asked."""
        if answer.is_error and isinstance(error := answer.error(), RateLimitError):
            self._refused = error
            self._refused_until = _now() + error.retry_after

    def _wait_for_rate_limit(self) -> None:
        """Refuse in the provider's place while its refusal holds."""
        left = self._refused_until - _now()
        if self._refused and left > 0:
            raise RateLimitError(self._refused.status, self._refused.message, left)


def _now() -> float:
    """Return the seconds on the event loop's clock, which nobody sets back."""
    return asyncio.get_running_loop().time()


def _refuse_detours(status: int, proxy: URL | None) -> None:
    """Raise for an answer that isn't the provider's own."""
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        raise InvalidResponseError(
            f"The answer is a redirect, which isn't followed (HTTP {status})"
        )
    # A proxy answers for itself where a plain http request passes through it.
    if proxy and status == HTTPStatus.PROXY_AUTHENTICATION_REQUIRED:
        raise ProxyError(f"The proxy refused (HTTP {status})", sent=False)


async def _body_of(response: aiohttp.ClientResponse) -> bytes:
    """Read the body, up to a limit."""
    body = bytearray()
    async for part in response.content.iter_any():
        body += part
        if len(body) > MAX_BODY:
            raise InvalidResponseError("The answer is too long")
    return bytes(body)


async def _send_once(
    request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
) -> aiohttp.ClientResponse:
    """Keep aiohttp from repeating a write.

    It would send a PUT or DELETE again when the connection is lost, though the
    first may have been carried out. It repeats none of the errors raised here.
    """
    try:
        return await handler(request)
    except aiohttp.ClientConnectorError:
        raise
    except aiohttp.ClientOSError, aiohttp.ServerDisconnectedError:
        raise aiohttp.ClientConnectionError from None
