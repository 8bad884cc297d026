"""Shows the integration: a fake provider and a real Home Assistant, both on loopback.

Two connections are configured through the integration's own flows, each behind
a tunnel with an HTTP proxy. Everything is made afresh at each start, and gone
after Ctrl-C.
"""

import argparse
import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
import os
from pathlib import Path
import signal
import socket
import sys
import tempfile

import aiohttp

from tests.fake_provider import FakeProvider
from tests.fake_provider.accounts import DAY, Account

from .home_assistant import (
    REPOSITORY,
    DemoError,
    HomeAssistantAPI,
    Owner,
    running,
    write_configuration,
)

OWNER = Owner(name="Demo", username="demo", password="demo")
DASHBOARD = REPOSITORY / "examples" / "dashboard.yaml"


@dataclass(frozen=True, kw_only=True)
class DemoConnection:
    """A connection of the demo's account, and what is forwarded to it."""

    name: str
    internal_ipv4: str
    exit_ip: str
    proxy_username: str | None = None
    proxy_password: str | None = None
    open_port: int
    open_port_days: float
    closed_port: int | None = None


CONNECTIONS = (
    DemoConnection(
        name="Home",
        internal_ipv4="10.0.131.176",
        exit_ip="127.0.0.2",
        open_port=52192,
        open_port_days=27.5,
        closed_port=41641,
    ),
    DemoConnection(
        name="Torrent box",
        internal_ipv4="10.0.42.17",
        exit_ip="127.0.0.3",
        proxy_username="box",
        proxy_password="swordfish",
        open_port=48620,
        open_port_days=2.5,
    ),
)


async def main(arguments: argparse.Namespace) -> None:
    """Start everything, say where to look, and wait for Ctrl-C."""
    stop = asyncio.Event()
    for kind in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(kind, stop.set)

    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    cache = cache / "azirevpn-homeassistant"
    cache.mkdir(parents=True, exist_ok=True)
    async with AsyncExitStack() as stack:
        folder = Path(
            stack.enter_context(
                tempfile.TemporaryDirectory(
                    prefix="demo-", dir=cache, ignore_cleanup_errors=True
                )
            )
        )
        session = await stack.enter_async_context(aiohttp.ClientSession())
        provider = await stack.enter_async_context(
            FakeProvider(control=True, port=free_port(arguments.provider_port))
        )
        account = provider.add_account(
            "ada", email="ada@example.org", password="correct horse", expires_in_days=40
        )
        places = free_places()
        proxies = [await connect(provider, account, place) for place in places]

        port = free_port(arguments.port)
        write_configuration(folder, port=port, dashboard=DASHBOARD.read_text())
        say("starting Home Assistant")
        url = f"http://127.0.0.1:{port}"
        process = await stack.enter_async_context(running(folder))
        home_assistant = HomeAssistantAPI(session, url)
        set_up = asyncio.create_task(
            configure(home_assistant, process, provider, account, proxies)
        )
        ended = asyncio.create_task(stop.wait())
        await asyncio.wait({set_up, ended}, return_when=asyncio.FIRST_COMPLETED)
        if ended.done():
            set_up.cancel()
            return
        try:
            await set_up
        except (DemoError, TimeoutError, aiohttp.ClientError) as err:
            output = (folder / "output.txt").read_text()[-2000:]
            sys.exit(f"demo: {err}\n{output}")
        sys.stdout.write(directions(url, provider, places[0]))
        sys.stdout.flush()
        died = asyncio.create_task(process.wait())
        await asyncio.wait({ended, died}, return_when=asyncio.FIRST_COMPLETED)
        say("ending")


async def connect(
    provider: FakeProvider, account: Account, place: DemoConnection
) -> str:
    """Open a connection's tunnel and forward its ports; return its proxy's address."""
    tunnel = await provider.open_tunnel(
        place.exit_ip, place.proxy_username, place.proxy_password
    )
    address = account.add_address(
        place.internal_ipv4, device_name=place.name.lower().replace(" ", "-")
    )
    address.add_port(
        place.open_port,
        expires_at=int(provider.clock.now() + place.open_port_days * DAY),
    )
    await provider.listen(place.exit_ip, place.open_port)
    if place.closed_port:
        address.add_port(
            place.closed_port, expires_at=int(provider.clock.now() + 12 * DAY)
        )
    return tunnel.url_with_credentials


async def configure(
    home_assistant: HomeAssistantAPI,
    process: asyncio.subprocess.Process,
    provider: FakeProvider,
    account: Account,
    proxies: list[str],
) -> None:
    """Set the integration up as a user would, and wait until it shows its ports."""
    await home_assistant.wait_until_up(process)
    await home_assistant.create_owner(OWNER)
    say("adding the account and its connections")
    entry_id, flow_id = await home_assistant.add_account(
        token=account.token,
        base_url=provider.url,
        manager_url=provider.manager_url,
    )
    for place, proxy in zip(CONNECTIONS, proxies, strict=True):
        await home_assistant.add_connection(
            flow_id or await home_assistant.start_connection(entry_id),
            {
                "name": place.name,
                "internal_ipv4": place.internal_ipv4,
                "proxy_url": proxy,
            },
        )
        flow_id = ""
    for place in CONNECTIONS:
        slug = place.name.lower().replace(" ", "_")
        await home_assistant.wait_for_state(
            f"binary_sensor.{slug}_port_{place.open_port}_reachable", "on"
        )


def directions(url: str, provider: FakeProvider, home: DemoConnection) -> str:
    """Say where to look and what to try."""
    control = f"curl -X POST '{provider.url}/_control"
    port = f"exit_ip={home.exit_ip}&port={home.open_port}"
    return f"""
Home Assistant  {url}/azirevpn-demo
  user          {OWNER.username}
  password      {OWNER.password}

To try, each in another terminal:
  end the program behind port {home.open_port} (off after a check and a second look)
    {control}/listener/stop?{port}'
  and start it again
    {control}/listener/start?{port}'
  close the tunnel of {home.name} (off at the next poll, at most 5 minutes later)
    {control}/tunnel/close?exit_ip={home.exit_ip}'
  and open it again
    {control}/tunnel/open?exit_ip={home.exit_ip}'
  forward a port from elsewhere (appears at the next poll)
    {control}/port/add?internal_ipv4={home.internal_ipv4}'
  all that the fake provider can do
    .venv/bin/python -m tests.fake_provider --help

Ctrl-C ends all of it.
"""


def free_places() -> list[DemoConnection]:
    """Return the connections at exits on loopback that nobody else uses.

    Raises:
        DemoError: there are none left.

    """
    for network in range(256):
        places = [
            replace(place, exit_ip=place.exit_ip.replace(".0.", f".{network}.", 1))
            for place in CONNECTIONS
        ]
        if all(is_free(place.exit_ip, place.open_port) for place in places):
            return places
    raise DemoError("All exits on loopback are taken")


def is_free(host: str, port: int) -> bool:
    """Tell whether somebody could listen on a port."""
    with socket.socket() as probe:
        try:
            probe.bind((host, port))
        except OSError:
            return False
        return True


def free_port(wanted: int) -> int:
    """Return a port on loopback that is free: the wanted one if it is."""
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", wanted))
        except OSError:
            probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def say(text: str) -> None:
    """Print what the demo is doing."""
    sys.stdout.write(f"demo: {text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="scripts/demo", description=__doc__)
    parser.add_argument(
        "--port", type=int, default=8123, help="where Home Assistant listens if free"
    )
    parser.add_argument(
        "--provider-port",
        type=int,
        default=8124,
        help="where the fake provider listens if free",
    )
    asyncio.run(main(parser.parse_args()))
