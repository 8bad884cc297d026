"""Home Assistant's frontend, as its user sees and touches it."""

from pathlib import Path
import re

from playwright.sync_api import Locator, Page, expect

from .texts import raw_texts


class Frontend:
    """A tab with Home Assistant's frontend, signed in."""

    def __init__(self, page: Page, url: str, pictures: Path) -> None:
        """Take a tab, the address of Home Assistant, and a folder for pictures."""
        self.page = page
        self._url = url
        self._pictures = pictures

    def open(self, path: str) -> None:
        """Go to a page."""
        self.page.goto(self._url + path)

    def open_integration(self) -> None:
        """Go to the page of the integration, with its accounts and devices."""
        self.open("/config/integrations/integration/azirevpn")
        self.sees("Services")

    def press(self, name: str) -> None:
        """Press a button, of a dialog where one is open."""
        buttons = self.page.get_by_role("button", name=name, exact=True)
        buttons.filter(visible=True).last.click()

    def choose(self, text: str) -> None:
        """Choose from a menu or a list, of a dialog where one is open."""
        self.page.get_by_text(text, exact=True).filter(visible=True).last.click()

    def fill(self, **fields: str) -> None:
        """Fill in fields of a form by their names."""
        for name, text in fields.items():
            self.page.locator(f"input[name={name}]").fill(text)

    def sees(self, text: str | re.Pattern[str]) -> Locator:
        """Wait until a text can be seen; return where it stands."""
        found = self.page.get_by_text(text).filter(visible=True).first
        expect(found).to_be_visible()
        return found

    def row(self, name: str) -> Locator:
        """Return an entity's row on the page of its device."""
        label = self.page.get_by_text(name, exact=True)
        return self.page.locator("hui-generic-entity-row").filter(has=label)

    def shows(self, name: str, state: str) -> None:
        """Wait until an entity has a state on the page of its device."""
        expect(self.row(name)).to_have_text(state, use_inner_text=True)

    def press_row(self, name: str) -> None:
        """Press the button of an entity on the page of its device."""
        self.row(name).get_by_role("button", name="Press").click()

    def account(self, username: str) -> Locator:
        """Return an account on the page of the integration."""
        return self.page.locator("ha-config-entry-row").filter(
            has=self.page.get_by_text(username, exact=True)
        )

    def open_options(self, username: str) -> None:
        """Open the menu behind an account's cogwheel."""
        self.open_integration()
        self.account(username).get_by_label("Configure").first.click()
        self.sees("Manage the account")

    def look(self, name: str) -> None:
        """Take a picture when all moved to its place, and read every text."""
        self.page.wait_for_timeout(700)
        picture = self._pictures / f"{name}.png"
        self.page.screenshot(path=picture, animations="disabled")
        raw = raw_texts(self.page)
        assert not raw, f"not translated, see {picture}: {raw}"
