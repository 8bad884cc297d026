"""The port forwardings of one VPN connection (interface.md, Portforwardings)."""

from http import HTTPStatus
import re
from typing import TYPE_CHECKING, Protocol

from .exceptions import InvalidResponseError, NotConnectedError, NotFoundError
from .models import CreatedPort, PortCheck, PortForwarding, PortList
from .values import HIGHEST_PORT, record, text, whole_number

if TYPE_CHECKING:
    from collections.abc import Mapping
    from ipaddress import IPv4Address

    from .answers import Answer

_PATH = "v3/portforwardings"
_NOT_CONNECTED = re.compile(
    r"\b(?:not|isn't|aren't|be) (?:\w+ )?connected\b|\bdisconnected\b", re.IGNORECASE
)


class Request(Protocol):
    """The client's request function, with the way into the tunnel settled."""

    async def __call__(
        self,
        method: str,
        path: str,
        *,
        values: Mapping[str, str | int] | None = None,
        with_token: bool = True,
    ) -> Answer:
        """Send a request and return its answer."""


class Connection:
    """One connection of the account: an internal address and the way into its tunnel.

    The endpoints answer only a caller inside the tunnel. Every method raises, as
    those of AzireVPN do, TransportError (ProxyError), InvalidResponseError or
    ResponseError; all but the check also NotConnectedError. A port is a whole
    number from 1 to 65535; a ValueError is raised for anything else.
    """

    def __init__(self, request: Request, internal_ipv4: IPv4Address) -> None:
        self.internal_ipv4 = internal_ipv4
        self._request = request

    def __repr__(self) -> str:
        """Name the address, not the way there, which may hold credentials."""
        return f"{type(self).__name__}({str(self.internal_ipv4)!r})"

    async def list_ports(self) -> PortList:
        """Return the port forwardings that aren't hidden.

        The provider answers 404 where there are none. Nothing else is taken for
        none, nor a 404 that doesn't come from the provider itself.
        """
        answer = await self._send("GET")
        try:
            data = answer.data()
        except NotFoundError:
            if not answer.is_error_envelope:
                raise
            return PortList(internal_ipv4=self.internal_ipv4)
        return PortList.from_dict(data, self.internal_ipv4)

    async def create_port(
        self, *, expires_in: int | None = None, hidden: bool | None = None
    ) -> CreatedPort:
        """Forward a port that the provider picks.

        expires_in: lifetime in whole days; the provider's own default without.
        hidden: True keeps it out of list_ports, for good.
        Raises QuotaError when no more can be created today. After a TransportError
        or an InvalidResponseError the port may exist all the same.
        """
        if expires_in is not None and (type(expires_in) is not int or expires_in < 0):
            raise ValueError("expires_in is a whole number of days")
        answer = await self._send("POST", expires_in=expires_in, hidden=hidden)
        return CreatedPort.from_creating(answer.data(), self.internal_ipv4)

    async def hide_port(self, port: int) -> PortForwarding:
        """Keep a port out of list_ports, for good.

        `expires_at` is what this answer tells, which may be None for a port that ends.
        """
        answer = await self._send("PUT", port=_checked(port), hidden=True)
        return PortForwarding.from_hiding(answer.data(), port)

    async def delete_port(self, port: int) -> None:
        """Stop forwarding a port. Raises NotFoundError where there was none."""
        (await self._send("DELETE", port=_checked(port))).confirm()

    async def check_port(self, port: int) -> PortCheck:
        """Let the provider try a port on the address that this request comes from.

        Sends no token. Closed means that nothing answered; a check that the
        provider didn't carry out raises instead.
        """
        answer = await self._request(
            "GET", f"{_PATH}/check/{_checked(port)}", with_token=False
        )
        closed = _says_closed(answer, port)
        result = record(answer.payload if closed else answer.data(), "the check")
        if result.get("port") is not None and whole_number(result["port"]) != port:
            raise InvalidResponseError("The check is of another port")
        return PortCheck(
            port=port,
            open=not closed,
            source_ip=text(result.get("source_ip"), "source_ip"),
            message=answer.message,
        )

    async def _send(self, method: str, **values: int | None) -> Answer:
        """Call the port endpoint of this address with the values that are given."""
        given: dict[str, str | int] = {"internal_ipv4": str(self.internal_ipv4)}
        given |= {name: value for name, value in values.items() if value is not None}
        answer = await self._request(method, _PATH, values=given)
        if _says_not_connected(answer, method):
            raise NotConnectedError(answer.status, answer.error().message)
        return answer


def _says_not_connected(answer: Answer, method: str) -> bool:
    """Tell whether the provider doesn't find the caller in the tunnel.

    The interface gives neither status nor words. A listing's 404 stands for no
    ports whatever it says, and an outage is no statement about the tunnel.
    """
    if answer.status == HTTPStatus.FORBIDDEN and answer.is_error_envelope:
        return True
    if method == "GET" and answer.status == HTTPStatus.NOT_FOUND:
        return False
    return answer.is_refusal and _NOT_CONNECTED.search(answer.message) is not None


def _says_closed(answer: Answer, port: int) -> bool:
    """Tell whether this error is the check's own answer for a closed port.

    It is if it names the port, as a number, and where the check came from or that
    it is closed.
    """
    if not answer.is_refusal or not isinstance(answer.payload, dict):
        return False
    return whole_number(answer.payload.get("port")) == port and (
        isinstance(answer.payload.get("source_ip"), str)
        or "closed" in answer.message.lower()
    )


def _checked(port: int) -> int:
    """Return a port that may be sent."""
    if type(port) is not int or not 1 <= port <= HIGHEST_PORT:
        raise ValueError("A port is a whole number from 1 to 65535")
    return port
