"""Tell what went wrong on the way, without the addresses in aiohttp's own texts."""

from typing import TYPE_CHECKING

import aiohttp

from .exceptions import (
    AzireVPNError,
    InvalidResponseError,
    ProxyError,
    TransportError,
)

if TYPE_CHECKING:
    from yarl import URL


def failure_of(error: Exception, proxy: URL | None) -> AzireVPNError:
    """Return the error to raise for one of aiohttp's, sent through `proxy` or not."""
    match error:
        case aiohttp.ClientHttpProxyError():
            return ProxyError(f"The proxy refused (HTTP {error.status})", sent=False)
        case aiohttp.ClientConnectorError():
            return _unreachable(error, proxy)
        # aiohttp tells a body that a reset cut short from one that just ends by its
        # words only.
        case aiohttp.ClientPayloadError() if "ConnectionResetError" not in str(error):
            return InvalidResponseError("The answer was cut short")
        case aiohttp.ClientResponseError():
            return InvalidResponseError("The answer is not HTTP")
        # Who is silent can't be told. A provider is so far less often than a proxy
        # whose tunnel is down.
        case TimeoutError() if proxy:
            return ProxyError("No answer in time through the proxy", sent=True)
        case TimeoutError():
            return TransportError("No answer in time", sent=True)
        case _:
            return TransportError("The connection was lost", sent=True)


def _unreachable(
    error: aiohttp.ClientConnectorError, proxy: URL | None
) -> TransportError:
    """Tell a proxy that can't be reached from a service behind it.

    aiohttp has the same classes for both, so the address has to tell.
    """
    reason = error.os_error.strerror or type(error).__name__
    if proxy and (error.host, error.port) == (proxy.raw_host, proxy.port):
        return ProxyError(f"The proxy can't be reached: {reason}", sent=False)
    return TransportError(f"The service can't be reached: {reason}", sent=False)
