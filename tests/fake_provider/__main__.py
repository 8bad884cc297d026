"""Serve the fake provider for people: `python -m tests.fake_provider`."""

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
import asyncio
from contextlib import suppress
from pathlib import Path
import sys
from typing import TYPE_CHECKING

from . import control
from .provider import FakeProvider

if TYPE_CHECKING:
    from collections.abc import Sequence


def options(arguments: Sequence[str] | None = None) -> Namespace:
    """Read the command line."""
    parser = ArgumentParser(
        prog="python -m tests.fake_provider",
        description="Serve the provider's interface and one tunnel, on loopback only.",
        epilog=control.__doc__,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--port", type=int, default=8765, help="0 takes a free one")
    parser.add_argument("--tunnel-port", type=int, default=8888)
    parser.add_argument("--exit-ip", default="127.0.0.2", help="the tunnel's exit")
    parser.add_argument("--tls", action="store_true", help="serve https")
    parser.add_argument(
        "--ca-file", type=Path, help="where to write the authority behind --tls"
    )
    parser.add_argument("--seed", type=int, help="draw the same numbers every time")
    parser.add_argument("--username", default="ada")
    parser.add_argument("--password", default="correct horse battery")
    parser.add_argument("--email")
    parser.add_argument("--token", help="the account's access token")
    parser.add_argument("--internal-ipv4", default="10.0.131.176")
    parser.add_argument("--device-name", default="camel")
    return parser.parse_args(arguments)


async def serve(chosen: Namespace) -> None:
    """Serve until cancelled."""
    async with FakeProvider(
        tls=chosen.tls, port=chosen.port, seed=chosen.seed, control=True
    ) as provider:
        account = provider.add_account(
            chosen.username,
            password=chosen.password,
            email=chosen.email,
            token=chosen.token,
        )
        account.add_address(chosen.internal_ipv4, chosen.device_name)
        tunnel = await provider.open_tunnel(chosen.exit_ip, port=chosen.tunnel_port)
        if chosen.ca_file is not None:
            chosen.ca_file.write_bytes(provider.ca_pem)
        sys.stdout.write(
            f"Provider          {provider.url}\n"
            f"Access token      {account.token}\n"
            f"Internal address  {chosen.internal_ipv4}\n"
            f"Tunnel            {tunnel.url} (exit {tunnel.exit_ip})\n"
            "Ctrl-C ends it.\n"
        )
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(serve(options()))
