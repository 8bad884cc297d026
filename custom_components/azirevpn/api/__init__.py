"""A client for AzireVPN: accounts and the port forwardings of their connections."""

from .client import DEFAULT_BASE_URL, DEFAULT_MANAGER_URL, AzireVPN
from .connection import Connection
from .exceptions import (
    AuthenticationError,
    AzireVPNError,
    InvalidResponseError,
    NotConnectedError,
    NotFoundError,
    ProxyError,
    QuotaError,
    RateLimitError,
    ResponseError,
    TransportError,
    ValidationError,
)
from .models import (
    Address,
    CreatedPort,
    Currency,
    ManagerPage,
    OneTimePassword,
    PortCheck,
    PortForwarding,
    PortList,
    RateLimit,
    User,
)
from .web_addresses import proxy_address, service_address

__all__ = [
    "DEFAULT_BASE_URL",
    "DEFAULT_MANAGER_URL",
    "Address",
    "AuthenticationError",
    "AzireVPN",
    "AzireVPNError",
    "Connection",
    "CreatedPort",
    "Currency",
    "InvalidResponseError",
    "ManagerPage",
    "NotConnectedError",
    "NotFoundError",
    "OneTimePassword",
    "PortCheck",
    "PortForwarding",
    "PortList",
    "ProxyError",
    "QuotaError",
    "RateLimit",
    "RateLimitError",
    "ResponseError",
    "TransportError",
    "User",
    "ValidationError",
    "proxy_address",
    "service_address",
]
