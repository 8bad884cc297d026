"""The operations on port forwardings (interface.md, Portforwardings)."""

import asyncio
from typing import TYPE_CHECKING, Any

from aiohttp import web

from .accounts import DAY
from .answers import RefusalError, error, success
from .form import Form
from .keys import PROVIDER, signed_in

if TYPE_CHECKING:
    from .accounts import Account, Address, PortForwarding

DEFAULT_DAYS = 30
CHECK_TIMEOUT = 1.0
HIGHEST_PORT = 65_535

routes = web.RouteTableDef()


@routes.get("/v3/portforwardings")
async def list_ports(request: web.Request) -> web.Response:
    """List the ports of an address that aren't hidden; none is an error, as seen."""
    account = _connected(request)
    form = Form(request.query)
    address = _address(form, account)
    listed = [
        {
            "port": forwarding.port,
            "hidden": forwarding.hidden,
            "expires_at": forwarding.expires_at,
        }
        for forwarding in address.ports.values()
        if not forwarding.hidden
    ]
    if not listed:
        raise RefusalError(404, "No port forwardings found")
    return success({**_internal(address), "ports": listed})


@routes.post("/v3/portforwardings")
async def create_port(request: web.Request) -> web.Response:
    """Forward a new port, within the daily quota and the limit per address."""
    provider = request.app[PROVIDER]
    account = _connected(request)
    form = await Form.of_body(request)
    days = form.days("expires_in", DEFAULT_DAYS)
    hidden = form.flag("hidden")
    address = _address(form, account)
    now = int(provider.clock.now())
    today = now // DAY
    quota = provider.daily_quota
    if quota is not None and account.ports_created[today] >= quota:
        raise RefusalError(406, "todays limit reached")
    if len(address.ports) >= provider.max_ports:
        raise RefusalError(400, f"No more than {provider.max_ports} port forwardings")
    forwarding = address.add_port(
        expires_at=now + days * DAY if days else None, hidden=hidden
    )
    account.ports_created[today] += 1
    return _forwarding(address, forwarding, port=forwarding.port)


@routes.put("/v3/portforwardings")
async def hide_port(request: web.Request) -> web.Response:
    """Hide a port for good; as in the sample, the answer doesn't name it."""
    account = _connected(request)
    form = await Form.of_body(request)
    port = form.number("port")
    form.accepted("hidden")
    address = _address(form, account)
    forwarding = _own(address, port)
    forwarding.hidden = True
    return _forwarding(address, forwarding, port=None)


@routes.delete("/v3/portforwardings")
async def delete_port(request: web.Request) -> web.Response:
    """Delete a port."""
    account = _connected(request)
    form = await Form.of_body(request)
    port = form.number("port")
    address = _address(form, account)
    del address.ports[_own(address, port).port]
    return success()


@routes.get("/v3/portforwardings/check/{port}")
async def check_port(request: web.Request) -> web.Response:
    """Try a TCP connection to a port of the address that the request came from."""
    number = request.match_info["port"]
    port = int(number) if number.isascii() and number.isdigit() else 0
    form = Form({})
    if not 0 < port <= HIGHEST_PORT:
        form.complain("port", f"The {{}} must be between 1 and {HIGHEST_PORT}.")
    form.check()
    source_ip = request.remote or ""
    data = {"source_ip": source_ip, "port": port}
    if await _answers(source_ip, port):
        return success(data, message=f"Port {port} is open")
    return error(200, f"Port {port} is closed", data=data)


def _connected(request: web.Request) -> Account:
    """Return the account of a caller who comes through a tunnel."""
    provider = request.app[PROVIDER]
    account = signed_in(request)
    if not provider.is_connected(request.remote):
        raise RefusalError(
            provider.not_connected_status, "You are not connected to a VPN server."
        )
    return account


def _address(form: Form, account: Account) -> Address:
    """Return the address that a request is about, after all complaints about it."""
    address = account.addresses.get(form.ipv4("internal_ipv4"))
    if address is None and form.fine("internal_ipv4"):
        form.complain("internal_ipv4", "The selected {} is invalid.")
    form.check()
    assert address is not None
    return address


def _own(address: Address, port: int) -> PortForwarding:
    """Return a port forwarding of the address."""
    try:
        return address.ports[port]
    except KeyError:
        raise RefusalError(404, "Port forwarding not found") from None


def _internal(address: Address) -> dict[str, str]:
    return {
        "internal_ipv4": address.internal_ipv4,
        "internal_ipv6": address.internal_ipv6,
    }


def _forwarding(
    address: Address, forwarding: PortForwarding, *, port: int | None
) -> web.Response:
    data: dict[str, Any] = {
        **_internal(address),
        "port": port,
        "hidden": forwarding.hidden,
        "expires_at": forwarding.expires_at,
    }
    return success(data)


async def _answers(host: str, port: int) -> bool:
    """Tell whether somebody accepts a connection."""
    try:
        async with asyncio.timeout(CHECK_TIMEOUT):
            _, writer = await asyncio.open_connection(host, port)
    except OSError:
        return False
    # With nobody listening, a connection on loopback can meet itself
    itself = writer.get_extra_info("sockname") == writer.get_extra_info("peername")
    writer.close()
    return not itself
