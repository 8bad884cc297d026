"""Reads the addresses that users enter for the service and for proxies."""

from ipaddress import ip_address

from .api import proxy_address, service_address


def service_url(text: str) -> str:
    """Return a base address without a trailing slash.

    Raises:
        ValueError: it is no https address, nor http on loopback.

    """
    url = service_address(text.strip())
    if url.query_string or url.fragment:
        raise ValueError("The service's address goes no further than its path")
    if url.scheme != "https" and not _is_loopback(url.host or ""):
        raise ValueError("The service's address has to be https")
    return str(url).rstrip("/")


def proxy_url(text: str) -> str:
    """Return the address of an http or https proxy; it may hold credentials.

    Raises:
        ValueError: it is none.

    """
    url = proxy_address(text.strip())
    if url.path not in ("", "/") or url.query_string or url.fragment:
        raise ValueError("The proxy's address goes no further than its port")
    return str(url)


def _is_loopback(host: str) -> bool:
    """Return whether a host can only be this machine."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
