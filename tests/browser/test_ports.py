"""The pages of a connection and of a port, and the repair of a port that expires."""

import re

import pytest

from .conftest import Visit
from .demo import Demo


@pytest.mark.parametrize(("place", "width"), [("desktop", 1280), ("phone", 420)])
def test_connection_and_port(visit: Visit, demo: Demo, place: str, width: int) -> None:
    """A connection leads to its ports, and a port tells what it is."""
    frontend = visit(width=width)
    frontend.open_integration()
    frontend.choose("Home")
    frontend.shows("Tunnel", "Connected")
    frontend.shows("Public IP", demo.exit_ip)
    frontend.look("connection" if place == "desktop" else f"connection-{place}")
    frontend.sees("Port 52192").click()
    frontend.shows("Port", "52192")
    frontend.shows("Reachable", "Connected")
    frontend.look("port" if place == "desktop" else f"port-{place}")


def test_repair(visit: Visit) -> None:
    """A port that expires is replaced, and its notice goes."""
    frontend = visit()
    frontend.open("/config/repairs")
    frontend.sees(re.compile("Port 48620 of Torrent box expires on")).click()
    frontend.sees("Do you want to create a new port now?")
    frontend.look("repair")
    frontend.press("Submit")
    frontend.sees("What is to become of port 48620?")
    frontend.look("repair-created")
    frontend.choose("Delete it now")
    frontend.sees("The issue is repaired!")
    frontend.press("Finish")
    frontend.sees("There are currently no repairs pending")
    frontend.look("repair-done")
    frontend.open_integration()
    frontend.sees("Torrent box")
    assert frontend.page.get_by_text("Port 48620").count() == 0
