"""What can go wrong between a caller and the provider.

No text here holds an access token, a password, a one-time password or the
credentials of a proxy, and none of these errors has a cause that does.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class AzireVPNError(Exception):
    """Whatever this package raises, but for a ValueError on a caller's own mistake."""


class TransportError(AzireVPNError):
    """There was no answer: DNS, refused, reset, timeout or TLS.

    sent: whether the provider may have received the request, and acted on it.
    """

    def __init__(self, message: str, *, sent: bool) -> None:
        super().__init__(message)
        self.sent = sent


class ProxyError(TransportError):
    """The proxy is unreachable, refuses, is silent, or wants (other) credentials."""


class InvalidResponseError(AzireVPNError):
    """The answer is not the interface's.

    It is not JSON, over 1 MiB, cut short, a redirect, or has a wrong shape.
    """


class ResponseError(AzireVPNError):
    """The provider answered with an error.

    status: the HTTP status, which is 200 for an error envelope that came with it.
    message: the provider's own words, or the status's name where it gave none.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(status, message)
        self.status = status
        self.message = message

    def __str__(self) -> str:
        """Return the provider's words with the status."""
        return f"{self.message} (HTTP {self.status})"


class AuthenticationError(ResponseError):
    """The access token is missing, unknown or no token at all (401)."""


class NotFoundError(ResponseError):
    """There is no such thing (404)."""


class NotConnectedError(ResponseError):
    """The caller is not connected to the VPN; only the port endpoints raise it."""


class QuotaError(ResponseError):
    """No more port forwardings can be created today (406)."""


class ValidationError(ResponseError):
    """The provider refused a value.

    fields: the provider's messages by the name of the field in the request.
    """

    def __init__(
        self, status: int, message: str, fields: Mapping[str, tuple[str, ...]]
    ) -> None:
        super().__init__(status, message)
        self.fields = fields


class RateLimitError(ResponseError):
    """Too many requests (429).

    retry_after: seconds to wait; a minute where the provider didn't tell.
    """

    def __init__(self, status: int, message: str, retry_after: float) -> None:
        super().__init__(status, message)
        self.retry_after = retry_after
