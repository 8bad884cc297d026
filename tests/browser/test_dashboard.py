"""The dashboard of the examples, as the demo shows it."""

from collections.abc import Iterator
import re

from playwright.sync_api import expect
import pytest

from .conftest import Visit
from .demo import Demo
from .frontend import Frontend

DASHBOARD = "/azirevpn-demo"


@pytest.mark.parametrize(
    ("name", "width", "height", "dark"),
    [
        ("dashboard", 1440, 940, False),
        ("dashboard-dark", 1440, 940, True),
        ("dashboard-desktop", 1280, 900, False),
        ("dashboard-phone", 420, 900, False),
        ("dashboard-phone-dark", 420, 900, True),
    ],
)
def test_dashboard(
    visit: Visit, name: str, width: int, height: int, *, dark: bool
) -> None:
    """The account, its connections and their ports are seen at a glance."""
    frontend = visit(width=width, height=height, dark=dark)
    frontend.open(DASHBOARD)
    table = frontend.page.locator("ha-markdown table").first
    expect(table).to_contain_text(re.compile(r"Port 52192\s+Connected\s+27 days"))
    # Nothing answers on it, which is believed after a second look
    expect(table).to_contain_text(
        re.compile(r"Port 41641\s+Disconnected\s+1\d days"), timeout=60_000
    )
    frontend.sees("Access until")
    frontend.sees("Torrent box")
    assert frontend.page.locator("ha-alert").filter(visible=True).count() == 0
    assert_fits(frontend)
    frontend.look(name)


@pytest.fixture
def phone(visit: Visit, demo: Demo) -> Iterator[Frontend]:
    """Open the dashboard on a phone; see to it that all is well afterwards."""
    frontend = visit(width=420)
    frontend.open(DASHBOARD)
    frontend.sees("Access until")
    yield frontend
    demo.order("tunnel/open", exit_ip=demo.exit_ip)
    demo.order("account/pay", username="ada", days="40")
    poll(frontend)
    for warning in ("The tunnel of Home is down", "The subscription ends in"):
        expect(frontend.page.get_by_text(warning)).not_to_be_visible()


def test_warnings(phone: Frontend, demo: Demo) -> None:
    """What needs attention is told first."""
    demo.order("tunnel/close", exit_ip=demo.exit_ip)
    demo.order("account/pay", username="ada", days="5")
    poll(phone)
    phone.sees("The tunnel of Home is down")
    phone.sees(re.compile("The subscription ends in [45] days"))
    assert_fits(phone)
    phone.look("dashboard-warnings-phone")


def poll(frontend: Frontend) -> None:
    """Let Home Assistant ask now for what it would ask for in its time."""
    frontend.page.evaluate(
        """() => document.querySelector("home-assistant").hass.callService(
          "homeassistant",
          "update_entity",
          {entity_id: ["binary_sensor.home_tunnel", "sensor.ada_subscription_expiry"]},
        )"""
    )


def assert_fits(frontend: Frontend) -> None:
    """No card lacks its entity, and nothing reaches beyond the screen's sides."""
    assert frontend.page.locator("hui-warning, hui-error-card").count() == 0
    assert frontend.page.evaluate(
        "document.documentElement.scrollWidth <= window.innerWidth"
    )
