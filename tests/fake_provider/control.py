"""Orders that people give a running provider, as POST requests with a query.

/_control/account/token    username: tells the account's access token
/_control/account/pay      username, [days]: the account has access, and its email
                           is verified
/_control/address/add      username, internal_ipv4, [device_name]
/_control/tunnel/add       exit_ip: a new one, without credentials
/_control/tunnel/close     exit_ip
/_control/tunnel/open      exit_ip
/_control/listener/start   exit_ip, port: programs answer behind the port
/_control/listener/stop    exit_ip, port
/_control/port/add         internal_ipv4, [port], [days], [hidden=yes]
/_control/port/remove      internal_ipv4, port
/_control/port/clear       internal_ipv4: as after a change of the server
/_control/clock/move       [days], [hours], [minutes], [seconds]
/_control/fault/add        path, status, [method], [times]; a path ending with *
                           stands for all that begin so
/_control/fault/clear      everything works again
/_control/callers/connect  callers count as connected without a tunnel
/_control/callers/disconnect

For example: curl -X POST 'http://127.0.0.1:8765/_control/clock/move?days=3'
"""

from typing import TYPE_CHECKING

from aiohttp import web

from .accounts import DAY
from .answers import RefusalError, success
from .faults import Fault
from .keys import PROVIDER

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from .accounts import Account, Address
    from .provider import FakeProvider
    from .tunnel import Tunnel

    type Query = Mapping[str, str]
    type Order = Callable[[FakeProvider, Query], Awaitable[str]]

PREFIX = "/_control/"

routes = web.RouteTableDef()


@routes.post(PREFIX + "{order:.+}")
async def obey(request: web.Request) -> web.Response:
    """Carry an order out, and say what was done."""
    order = ORDERS.get(request.match_info["order"])
    if order is None:
        raise RefusalError(404, "No such order")
    try:
        done = await order(request.app[PROVIDER], request.query)
    except KeyError as missing:
        raise RefusalError(400, f"Missing or unknown: {missing.args[0]}") from None
    except (ValueError, OverflowError, OSError) as mistake:
        raise RefusalError(400, str(mistake)) from None
    return success(message=done)


async def _tell_token(provider: FakeProvider, query: Query) -> str:
    return _account(provider, query).token


async def _pay(provider: FakeProvider, query: Query) -> str:
    account = _account(provider, query)
    days = float(query.get("days", "30"))
    account.expires_at = int(provider.clock.now() + days * DAY)
    account.is_active = account.is_subscribed = True
    account.is_email_verified = account.email is not None
    return f"{account.username} has access"


async def _add_address(provider: FakeProvider, query: Query) -> str:
    address = _account(provider, query).add_address(
        query["internal_ipv4"], query.get("device_name")
    )
    return f"{address.internal_ipv4} is there"


async def _add_tunnel(provider: FakeProvider, query: Query) -> str:
    tunnel = await provider.open_tunnel(query["exit_ip"])
    return f"The tunnel is open at {tunnel.url}"


async def _open_tunnel(provider: FakeProvider, query: Query) -> str:
    tunnel = _tunnel(provider, query)
    await tunnel.open()
    return f"The tunnel is open at {tunnel.url}"


async def _close_tunnel(provider: FakeProvider, query: Query) -> str:
    tunnel = _tunnel(provider, query)
    await tunnel.close()
    return f"The tunnel at {tunnel.url} is closed"


async def _start_listener(provider: FakeProvider, query: Query) -> str:
    await provider.listen(query["exit_ip"], int(query["port"]))
    return f"Port {query['port']} answers"


async def _stop_listener(provider: FakeProvider, query: Query) -> str:
    await provider.stop_listening(query["exit_ip"], int(query["port"]))
    return f"Port {query['port']} answers no more"


async def _add_port(provider: FakeProvider, query: Query) -> str:
    days = float(query.get("days", "30"))
    forwarding = _address(provider, query).add_port(
        int(query["port"]) if "port" in query else None,
        expires_at=int(provider.clock.now() + days * DAY) if days else None,
        hidden=query.get("hidden") == "yes",
    )
    return f"Port {forwarding.port} is forwarded"


async def _remove_port(provider: FakeProvider, query: Query) -> str:
    del _address(provider, query).ports[int(query["port"])]
    return f"Port {query['port']} is gone"


async def _clear_ports(provider: FakeProvider, query: Query) -> str:
    _address(provider, query).ports.clear()
    return "All ports are gone"


async def _move_clock(provider: FakeProvider, query: Query) -> str:
    provider.clock.move(
        float(query.get("seconds", "0")),
        minutes=float(query.get("minutes", "0")),
        hours=float(query.get("hours", "0")),
        days=float(query.get("days", "0")),
    )
    return f"It is {int(provider.clock.now())}"


async def _add_fault(provider: FakeProvider, query: Query) -> str:
    path, times = query["path"], int(query.get("times", "1"))
    fault = Fault.status(int(query["status"]))
    provider.fail(path, fault, method=query.get("method"), times=times)
    return f"The next answers on {path}: {fault.name}, {times} times"


async def _clear_faults(provider: FakeProvider, _query: Query) -> str:
    provider.faults.clear()
    return "Nothing fails"


async def _connect_callers(provider: FakeProvider, _query: Query) -> str:
    provider.caller_connected = True
    return "Callers are connected"


async def _disconnect_callers(provider: FakeProvider, _query: Query) -> str:
    provider.caller_connected = False
    return "Callers need a tunnel"


ORDERS: dict[str, Order] = {
    "account/token": _tell_token,
    "account/pay": _pay,
    "address/add": _add_address,
    "tunnel/add": _add_tunnel,
    "tunnel/open": _open_tunnel,
    "tunnel/close": _close_tunnel,
    "listener/start": _start_listener,
    "listener/stop": _stop_listener,
    "port/add": _add_port,
    "port/remove": _remove_port,
    "port/clear": _clear_ports,
    "clock/move": _move_clock,
    "fault/add": _add_fault,
    "fault/clear": _clear_faults,
    "callers/connect": _connect_callers,
    "callers/disconnect": _disconnect_callers,
}


def _account(provider: FakeProvider, query: Query) -> Account:
    username = query["username"]
    return {account.username: account for account in provider.accounts}[username]


def _tunnel(provider: FakeProvider, query: Query) -> Tunnel:
    exit_ip = query["exit_ip"]
    return {tunnel.exit_ip: tunnel for tunnel in provider.tunnels}[exit_ip]


def _address(provider: FakeProvider, query: Query) -> Address:
    addresses = {
        internal_ipv4: address
        for account in provider.accounts
        for internal_ipv4, address in account.addresses.items()
    }
    return addresses[query["internal_ipv4"]]
