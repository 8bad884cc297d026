"""The demo in a process of its own, and the orders that its provider takes."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
import signal
import subprocess
import sys
import time

from playwright.sync_api import APIRequestContext

from tests.demo.__main__ import free_port
from tests.demo.home_assistant import REPOSITORY

START_TIMEOUT = 240
STOP_TIMEOUT = 30
READY = "Ctrl-C ends all of it."


@dataclass(frozen=True, kw_only=True)
class Demo:
    """Where the demo is reached, on loopback, and its first tunnel's exit."""

    url: str
    provider_url: str
    exit_ip: str
    requests: APIRequestContext

    def order(self, what: str, **how: str) -> str:
        """Give the fake provider an order; return what it says."""
        answer = self.requests.post(
            f"{self.provider_url}/_control/{what}", params=dict(how)
        )
        said: str = answer.json()["message"]
        assert answer.ok, said
        return said


@contextmanager
def running_demo(requests: APIRequestContext, output: Path) -> Iterator[Demo]:
    """Run the demo on free ports, and end it afterwards.

    Raises:
        RuntimeError: it ended while it started, or took more than four minutes.

    """
    port, provider_port = free_port(0), free_port(0)
    with output.open("wb") as said:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "tests.demo"),
                *("--port", str(port), "--provider-port", str(provider_port)),
            ],
            cwd=REPOSITORY,
            stdout=said,
            stderr=subprocess.STDOUT,
        )
    try:
        ends = time.monotonic() + START_TIMEOUT
        while READY not in (told := output.read_text()):
            if process.poll() is not None or time.monotonic() > ends:
                raise RuntimeError(f"The demo did not start:\n{told}")
            time.sleep(0.2)
        yield Demo(
            url=f"http://127.0.0.1:{port}",
            provider_url=f"http://127.0.0.1:{provider_port}",
            exit_ip=told.partition("exit_ip=")[2].partition("&")[0],
            requests=requests,
        )
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(STOP_TIMEOUT)
