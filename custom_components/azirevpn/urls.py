"""Reads the addresses that users enter for the service and for proxies."""

from ipaddress import ip_address

from yarl import URL


class InvalidURLError(ValueError):
    """An address that can't be used, without the address: it may hold credentials."""


def service_url(text: str) -> str:
    """Return a base address without a trailing slash.

    Raises:
        InvalidURLError: it is no https address, nor http on loopback.

    """
    url = _parse(text)
    if url.user or url.password or url.query_string or url.fragment:
        raise InvalidURLError
    if url.scheme != "https" and not (url.scheme == "http" and _is_loopback(url)):
        raise InvalidURLError
    return str(url).rstrip("/")


def proxy_url(text: str) -> str:
    """Return the address of an http or https proxy; it may hold credentials.

    Raises:
        InvalidURLError: it is none.

    """
    url = _parse(text)
    if url.scheme not in ("http", "https") or url.path not in ("", "/"):
        raise InvalidURLError
    return str(url)


def _parse(text: str) -> URL:
    """Return an absolute address with a host and a port."""
    try:
        url = URL(text.strip())
    except ValueError:
        raise InvalidURLError from None
    if not url.host or not url.port:
        raise InvalidURLError
    return url


def _is_loopback(url: URL) -> bool:
    """Return whether an address can only lead to this machine."""
    if url.host == "localhost":
        return True
    try:
        return ip_address(url.host or "").is_loopback
    except ValueError:
        return False
