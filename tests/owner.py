"""The owner of an account, who sees what Home Assistant raises as time passes."""

from datetime import UTC, datetime, timedelta

from freezegun.api import FrozenDateTimeFactory
from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir
from homeassistant.helpers.translation import async_get_translations
from pytest_homeassistant_custom_component.common import async_fire_time_changed

from custom_components.azirevpn.const import DOMAIN

MORNING = datetime(2026, 11, 21, 6, tzinfo=UTC)
DAY = 86_400


def in_days(days: float) -> int:
    """Return a moment so many days after the morning, in Unix seconds."""
    return int(MORNING.timestamp() + days * DAY)


class Owner:
    """Lets time pass, and looks at the issues that are raised."""

    def __init__(self, hass: HomeAssistant, freezer: FrozenDateTimeFactory) -> None:
        freezer.move_to(MORNING)
        self._hass = hass
        self._freezer = freezer

    async def wait(self, **time: float) -> None:
        """Let time pass, in the units of timedelta."""
        self._freezer.tick(timedelta(**time))
        async_fire_time_changed(self._hass)
        await self._hass.async_block_till_done(wait_background_tasks=True)

    def issues(self) -> list[ir.IssueEntry]:
        """Return what is raised, by its id."""
        return sorted(
            (
                issue
                for issue in ir.async_get(self._hass).issues.values()
                if issue.domain == DOMAIN and issue.active
            ),
            key=lambda issue: issue.issue_id,
        )

    async def titles(self) -> list[str]:
        """Return the titles that the owner reads."""
        return [await self.words(issue, "title") for issue in self.issues()]

    async def words(self, issue: ir.IssueEntry, *keys: str, **more: str) -> str:
        """Return a text of an issue, with all that it leaves open filled in."""
        texts = await async_get_translations(self._hass, "en", "issues", {DOMAIN})
        key = ".".join(("component", DOMAIN, "issues", str(issue.translation_key)))
        return texts[".".join((key, *keys))].format(
            **(issue.translation_placeholders or {}) | more
        )
