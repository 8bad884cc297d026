"""The provider's interface served over real HTTP, for tests and the demo alike."""

from .accounts import Account, Address, PortForwarding
from .clock import Clock
from .faults import Fault
from .provider import FakeProvider
from .service import RecordedRequest
from .tunnel import Tunnel

__all__ = [
    "Account",
    "Address",
    "Clock",
    "FakeProvider",
    "Fault",
    "PortForwarding",
    "RecordedRequest",
    "Tunnel",
]
