"""Addresses of services and proxies, as people write them.

What was written stays out of every error: it may hold credentials.
"""

from yarl import URL


def service_address(written: str) -> URL:
    """Read an absolute http or https address without credentials, or ValueError."""
    address = _web_address(written)
    if address is None or address.raw_user or address.raw_password:
        raise ValueError("The service's address has to be http(s)://host, with a path")
    return address


def proxy_address(written: str) -> URL:
    """Read a proxy's address, with credentials that can be sent, or ValueError."""
    address = _web_address(written)
    if address is None:
        raise ValueError("The proxy's address has to be http(s)://host:port")
    if not _fit_basic_authentication(address.user or "", address.password or ""):
        raise ValueError("The proxy's credentials can't be sent")
    return address


def _web_address(written: str) -> URL | None:
    """Read an absolute http or https address; None where it is none."""
    try:
        address = URL(written)
    except ValueError:
        return None
    return address if address.scheme in {"http", "https"} and address.host else None


def _fit_basic_authentication(user: str, password: str) -> bool:
    """Tell whether credentials can be written into a header, as aiohttp does it."""
    try:
        f"{user}{password}".encode("latin-1")
    except UnicodeEncodeError:
        return False
    return ":" not in user
