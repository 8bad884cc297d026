"""A new account, from signing up to its removal, by clicking alone."""

import re

from playwright.sync_api import expect

from .conftest import Visit
from .demo import Demo
from .frontend import Frontend

EXIT_IP = "127.0.0.4"
IPV4 = "10.0.7.7"


def test_new_account(visit: Visit, demo: Demo) -> None:
    """An account is created, set up, used and removed."""
    frontend = visit()
    sign_up(frontend, demo)
    enter_token(frontend, demo)
    add_connection(frontend, demo)
    create_and_check_port(frontend, demo)
    follow_sign_in_link(frontend)
    remove(frontend)


def sign_up(frontend: Frontend, demo: Demo) -> None:
    """Find the integration, and create an account after some mistakes."""
    frontend.open("/config/integrations/dashboard")
    frontend.press("Add integration")
    frontend.page.get_by_placeholder("Search for a brand name").fill("AzireVPN")
    frontend.page.locator("ha-integration-list-item").filter(
        has_text="AzireVPN"
    ).click()
    frontend.sees("How do you want to begin?")
    frontend.look("setup")
    frontend.choose("Create an account")
    frontend.sees("Home Assistant does not keep the password")
    frontend.look("sign-up")
    frontend.choose("Service addresses")
    frontend.fill(
        username="ada",
        password="short",
        email="nonsense",
        base_url=demo.provider_url,
        manager_url=demo.provider_url,
    )
    frontend.press("Next")
    frontend.sees("The service says: The username has already been taken.")
    frontend.sees("The service says: The password must be at least 8 characters.")
    frontend.look("sign-up-mistakes")
    frontend.fill(username="grace", password="long enough", email="grace@example.org")
    frontend.press("Next")
    frontend.sees("Three steps are left")
    frontend.look("verify-email")
    frontend.press("Next")


def enter_token(frontend: Frontend, demo: Demo) -> None:
    """Enter a wrong token, then the right one."""
    frontend.sees("Make an access token on the")
    frontend.look("token")
    frontend.fill(access_token="nonsense")
    frontend.press("Submit")
    frontend.sees("The access token was refused")
    frontend.look("token-mistake")
    demo.order("account/pay", username="grace")
    demo.order(
        "address/add", username="grace", internal_ipv4=IPV4, device_name="hopper"
    )
    frontend.fill(access_token=demo.order("account/token", username="grace"))
    frontend.press("Submit")


def add_connection(frontend: Frontend, demo: Demo) -> None:
    """Add a connection without its proxy in vain, then with it."""
    frontend.sees("A connection is one VPN tunnel of the account")
    frontend.fill(name="Laptop")
    frontend.page.locator("ha-picker-field").click()
    frontend.sees(f"hopper ({IPV4})")
    frontend.look("connection-addresses")
    frontend.choose(f"hopper ({IPV4})")
    frontend.press("Submit")
    frontend.sees("The service says that this address is not connected to the VPN")
    frontend.look("connection-mistake")
    opened = demo.order("tunnel/add", exit_ip=EXIT_IP)
    frontend.fill(proxy_url=opened.rpartition(" ")[2])
    frontend.press("Submit")
    frontend.sees("Created configuration for Laptop.")
    frontend.look("connection-added")
    frontend.press("Finish")


def create_and_check_port(frontend: Frontend, demo: Demo) -> None:
    """Create a port with the button, go to its device, and check it."""
    frontend.open_integration()
    frontend.choose("Laptop")
    frontend.shows("Tunnel", "Connected")
    frontend.shows("Forwarded ports", "0")
    frontend.press_row("Create port")
    frontend.shows("Forwarded ports", "1")
    port = frontend.sees(re.compile(r"Port \d{5}"))
    frontend.look("port-created")
    port.click()
    frontend.shows("Reachable", "Unknown")
    number = frontend.row("Port").inner_text().strip()
    demo.order("listener/start", exit_ip=EXIT_IP, port=number)
    frontend.press_row("Check")
    frontend.shows("Reachable", "Connected")
    frontend.look("port-checked")


def follow_sign_in_link(frontend: Frontend) -> None:
    """Have a sign-in link made, and follow it to the manager."""
    frontend.open_options("grace")
    frontend.choose("Sign in to the web manager")
    frontend.sees("A link is made that signs in once")
    frontend.look("sign-in")
    frontend.press("Submit")
    frontend.sees("The link works once, until")
    frontend.look("sign-in-link")
    with frontend.page.expect_popup() as popup:
        frontend.page.get_by_role("link", name="Open the web manager").click()
    expect(popup.value.get_by_text("Signed in as grace, on to order.")).to_be_visible()
    popup.value.close()
    frontend.press("Submit")
    frontend.press("Finish")


def remove(frontend: Frontend) -> None:
    """Remove the account from Home Assistant."""
    frontend.open_integration()
    frontend.account("grace").get_by_label("Menu").first.click()
    frontend.choose("Delete")
    frontend.sees("Delete grace?")
    frontend.look("remove")
    frontend.press("Delete")
    expect(frontend.account("grace")).to_have_count(0)
    expect(frontend.account("ada")).to_have_count(1)
    frontend.look("removed")
