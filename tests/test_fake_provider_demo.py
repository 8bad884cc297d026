"""The fake provider as people run it, and the orders that they give."""

import asyncio
import signal
import sys
from typing import TYPE_CHECKING

from aiohttp import ClientSession
import pytest

from tests.fake_provider import FakeProvider
from tests.fake_provider.__main__ import options, serve

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

IPV4 = "10.0.131.176"


@pytest.fixture
async def demo() -> AsyncIterator[FakeProvider]:
    """Serve a provider that takes orders."""
    async with FakeProvider(control=True) as provider:
        provider.add_account().add_address(IPV4)
        yield provider


async def order(provider: FakeProvider, what: str, **how: str) -> tuple[int, str]:
    """Give an order; return the HTTP status and what was said."""
    async with (
        ClientSession(provider.url) as session,
        session.post(f"/_control/{what}", params=how) as answer,
    ):
        return answer.status, (await answer.json())["message"]


async def test_order_an_account(demo: FakeProvider) -> None:
    """An account tells its token, gets access and an address."""
    account = demo.add_account(
        "grace",
        email="grace@example.org",
        expires_in_days=0,
        is_active=False,
        is_email_verified=False,
    )
    assert await order(demo, "account/token", username="grace") == (200, account.token)
    assert await order(demo, "account/pay", username="grace", days="7") == (
        200,
        "grace has access",
    )
    assert account.is_active
    assert account.is_email_verified
    assert account.expires_at == pytest.approx(demo.clock.now() + 7 * 86_400, abs=5)
    assert await order(
        demo,
        "address/add",
        username="grace",
        internal_ipv4="10.0.7.7",
        device_name="hopper",
    ) == (200, "10.0.7.7 is there")
    assert account.addresses["10.0.7.7"].device_name == "hopper"


async def test_order_a_new_tunnel(demo: FakeProvider) -> None:
    """A tunnel with an exit of its own is opened."""
    status, told = await order(demo, "tunnel/add", exit_ip="127.0.0.9")
    (tunnel,) = demo.tunnels
    assert (status, told) == (200, f"The tunnel is open at {tunnel.url}")
    assert demo.is_connected("127.0.0.9")


async def test_order_a_tunnel(demo: FakeProvider) -> None:
    """A tunnel closes and opens."""
    tunnel = await demo.open_tunnel(exit_ip="127.0.0.2")
    assert await order(demo, "tunnel/close", exit_ip="127.0.0.2") == (
        200,
        f"The tunnel at {tunnel.url} is closed",
    )
    assert not tunnel.is_open
    assert await order(demo, "tunnel/open", exit_ip="127.0.0.2") == (
        200,
        f"The tunnel is open at {tunnel.url}",
    )
    assert tunnel.is_open


async def test_order_a_listener(demo: FakeProvider) -> None:
    """A program begins and ceases to answer behind a port."""
    where = {"exit_ip": "127.0.0.2", "port": "61235"}
    assert await order(demo, "listener/start", **where) == (200, "Port 61235 answers")
    _, writer = await asyncio.open_connection("127.0.0.2", 61235)
    writer.close()
    assert await order(demo, "listener/stop", **where) == (
        200,
        "Port 61235 answers no more",
    )
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.2", 61235)


async def test_order_ports(demo: FakeProvider) -> None:
    """Ports come and go."""
    (account,) = demo.accounts
    address = account.addresses[IPV4]
    assert await order(
        demo, "port/add", internal_ipv4=IPV4, port="52192", days="0", hidden="yes"
    ) == (200, "Port 52192 is forwarded")
    assert address.ports[52192].hidden
    assert address.ports[52192].expires_at is None
    await order(demo, "port/add", internal_ipv4=IPV4, days="2")
    (drawn,) = set(address.ports) - {52192}
    assert address.ports[drawn].expires_at == pytest.approx(
        demo.clock.now() + 2 * 86_400, abs=5
    )
    await order(demo, "port/remove", internal_ipv4=IPV4, port="52192")
    assert set(address.ports) == {drawn}
    await order(demo, "port/clear", internal_ipv4=IPV4)
    assert not address.ports


async def test_order_the_time(demo: FakeProvider) -> None:
    """The clock moves."""
    before = demo.clock.now()
    await order(demo, "clock/move", days="1", hours="1", minutes="1", seconds="1")
    assert demo.clock.now() - before == pytest.approx(90_061, abs=5)


async def test_order_a_fault(demo: FakeProvider) -> None:
    """A path fails, until everything works again."""
    await order(demo, "fault/add", path="/v3/*", status="503", times="9")
    async with ClientSession(demo.url) as session:
        async with session.get("/v3/users/me") as answer:
            assert answer.status == 503
        await order(demo, "fault/clear")
        async with session.get("/v3/users/me") as answer:
            assert answer.status == 401


async def test_order_the_callers(demo: FakeProvider) -> None:
    """Callers are connected or not."""
    await order(demo, "callers/connect")
    assert demo.is_connected("127.0.0.1")
    await order(demo, "callers/disconnect")
    assert not demo.is_connected("127.0.0.1")


@pytest.mark.parametrize(
    ("what", "how", "status", "words"),
    [
        ("nothing", {}, 404, "No such order"),
        ("account/token", {"username": "bob"}, 400, "Missing or unknown: bob"),
        ("tunnel/open", {}, 400, "Missing or unknown: exit_ip"),
        ("tunnel/open", {"exit_ip": "::1"}, 400, "Missing or unknown: ::1"),
        (
            "listener/start",
            {"exit_ip": "192.0.2.1", "port": "1"},
            400,
            "192.0.2.1 is not on loopback",
        ),
    ],
)
async def test_orders_with_mistakes(
    demo: FakeProvider, what: str, how: dict[str, str], status: int, words: str
) -> None:
    """A mistake is told."""
    assert await order(demo, what, **how) == (status, words)


async def test_orders_leave_no_trace(demo: FakeProvider) -> None:
    """An order isn't a request, and a provider for tests takes none."""
    await order(demo, "callers/connect")
    assert demo.requests == []
    async with FakeProvider() as provider:
        assert await order(provider, "callers/connect") == (404, "Not found")


async def test_serve(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """People are told where everything is."""
    ca_file = tmp_path / "ca.pem"
    chosen = options(
        ["--port=0", "--tunnel-port=0", "--tls", f"--ca-file={ca_file}", "--token=t"]
    )
    serving = asyncio.create_task(serve(chosen))
    said = ""
    async with asyncio.timeout(5):
        while "Ctrl-C" not in said:
            await asyncio.sleep(0.01)
            said += capsys.readouterr().out
    assert "Provider          https://127.0.0.1:" in said
    assert "Access token      t\n" in said
    assert f"Internal address  {IPV4}\n" in said
    assert "Tunnel            http://127.0.0.1:" in said
    assert ca_file.read_text().startswith("-----BEGIN CERTIFICATE-----")
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    """The help tells of the orders."""
    with pytest.raises(SystemExit):
        options(["--help"])
    assert "/_control/clock/move" in capsys.readouterr().out


async def test_ends_with_an_interrupt() -> None:
    """Run as a program, it ends quietly with Ctrl-C."""
    program = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.fake_provider",
        "--port=0",
        "--tunnel-port=0",
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert program.stdout is not None
    async with asyncio.timeout(10):
        await program.stdout.readuntil(b"Ctrl-C")
        program.send_signal(signal.SIGINT)
        _, errors = await program.communicate()
    assert (program.returncode, errors) == (0, b"")
