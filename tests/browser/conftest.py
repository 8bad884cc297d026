"""Fixtures: the demo, a browser, and tabs that look at Home Assistant."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
import shutil
import tempfile
from typing import Protocol

from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Playwright,
    StorageState,
    WebError,
    expect,
    sync_playwright,
)
import pytest

from tests.demo.__main__ import OWNER
from tests.demo.home_assistant import REPOSITORY

from .demo import Demo, running_demo
from .frontend import Frontend

CHROMIUM = "/usr/bin/chromium"
# Nothing that a browser does of its own accord
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# Milliseconds; a refresh that follows another waits ten seconds
TIMEOUT = 20_000

PUBLISHED = REPOSITORY / "docs" / "pictures"
# What the documentation shows
TO_PUBLISH = (
    "connection",
    "dashboard",
    "dashboard-dark",
    "options",
    "port",
    "repair",
    "setup",
)


class Visit(Protocol):
    """Opens a tab; what is wrong in its console is told at the end of the test."""

    def __call__(
        self, *, width: int = 1280, height: int = 900, dark: bool = False
    ) -> Frontend:
        """Open a tab of a size in pixels."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the pictures be kept and published."""
    parser.addoption(
        "--pictures",
        type=Path,
        default=Path(tempfile.gettempdir(), "azirevpn-pictures"),
        help="folder for the pictures of every step (default: %(default)s)",
    )
    parser.addoption(
        "--publish",
        action="store_true",
        help="put the pictures that the documentation shows into docs/pictures",
    )


@pytest.fixture(scope="session")
def pictures(request: pytest.FixtureRequest) -> Iterator[Path]:
    """Return the folder for pictures; publish some of them at the end, if asked."""
    folder: Path = request.config.getoption("--pictures")
    folder.mkdir(parents=True, exist_ok=True)
    yield folder
    if request.config.getoption("--publish") and not request.session.testsfailed:
        for name in TO_PUBLISH:
            shutil.copy(folder / f"{name}.png", PUBLISHED)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """Start what drives the browser."""
    expect.set_options(timeout=TIMEOUT)
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def demo(playwright: Playwright, pictures: Path) -> Iterator[Demo]:
    """Run the demo."""
    requests = playwright.request.new_context()
    with running_demo(requests, pictures / "demo.txt") as demo:
        yield demo


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """Start the browser."""
    with playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS) as browser:
        yield browser


@pytest.fixture(scope="session")
def signed_in(browser: Browser, demo: Demo) -> StorageState:
    """Sign the owner in; return what the browser remembers of it."""
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(demo.url)
        page.locator("input[name=username]").fill(OWNER.username)
        page.locator("input[name=password]").fill(OWNER.password)
        page.keyboard.press("Enter")
        page.locator("ha-sidebar").wait_for()
        # Until then, Home Assistant says on every page what it is starting
        page.wait_for_function(
            "document.querySelector('home-assistant').hass?.config?.state === 'RUNNING'"
        )
        return context.storage_state()


@pytest.fixture
def visit(
    browser: Browser, demo: Demo, signed_in: StorageState, pictures: Path
) -> Iterator[Visit]:
    """Return what opens tabs."""

    @contextmanager
    def opened(width: int, height: int, *, dark: bool) -> Iterator[Frontend]:
        """Open a tab, and read its console when it is closed."""
        errors: list[str] = []

        def told(message: ConsoleMessage) -> None:
            """Note an error, with the file or request that it is about."""
            if message.type == "error":
                errors.append(f"{message.text} ({message.location.get('url')})")

        def raised(error: WebError) -> None:
            """Note an error that nobody caught."""
            errors.append(f"{error.error.message} {error.error.stack}")

        with browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            storage_state=signed_in,
        ) as context:
            context.set_default_timeout(TIMEOUT)
            context.on("console", told)
            context.on("weberror", raised)
            page = context.new_page()
            try:
                yield Frontend(page, demo.url, pictures)
            finally:
                page.screenshot(path=pictures / "last.png")
        # The others are Home Assistant's own, such as other brands' pictures, which
        # are not to be had without a network.
        assert not [error for error in errors if "azirevpn" in error]

    with ExitStack() as stack:

        def visit(
            *, width: int = 1280, height: int = 900, dark: bool = False
        ) -> Frontend:
            return stack.enter_context(opened(width, height, dark=dark))

        yield visit
