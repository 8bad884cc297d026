"""Repairs: leads an account's owner through what an issue asks for."""

from typing import Any, cast

from homeassistant.components.repairs import RepairsFlow, RepairsFlowResult
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import issue_registry as ir
import voluptuous as vol

from .api import ManagerPage
from .connection import ConnectionCoordinator
from .const import DOMAIN
from .coordinator import AccountCoordinator, AzireVPNConfigEntry
from .errors import as_action_errors
from .issues import EMAIL_NOT_VERIFIED
from .port_changes import async_create_port, async_delete_port


class AzireVPNRepairFlow(RepairsFlow):
    """A flow that says what is wrong first."""

    async def async_step_init(
        self, user_input: dict[str, Any] | None = None
    ) -> RepairsFlowResult:
        """Begin."""
        return self._show_form("confirm")

    def _show_form(self, step_id: str, **placeholders: str) -> RepairsFlowResult:
        """Show a step with nothing to fill in."""
        return self.async_show_form(
            step_id=step_id,
            data_schema=vol.Schema({}),
            description_placeholders=self._placeholders() | placeholders,
        )

    def _placeholders(self) -> dict[str, str]:
        """Return what the issue is about."""
        issue = ir.async_get(self.hass).async_get_issue(DOMAIN, self.issue_id)
        return dict(issue.translation_placeholders or {}) if issue else {}

    def _failed(self, err: HomeAssistantError) -> RepairsFlowResult:
        """Give up, in the words of the service; the issue stays."""
        return self.async_abort(
            reason="failed", description_placeholders={"error": str(err)}
        )


class SignInRepairFlow(AzireVPNRepairFlow):
    """Signs in to the page of the web manager where an issue can be seen to."""

    def __init__(self, account: AccountCoordinator, page: ManagerPage) -> None:
        """Prepare the way to a page."""
        self._account = account
        self._page = page

    async def async_step_confirm(
        self, user_input: dict[str, Any] | None = None
    ) -> RepairsFlowResult:
        """Make the link now, as it is good for a short time only."""
        try:
            with as_action_errors():
                link = await self._account.async_create_sign_in_link(self._page)
        except HomeAssistantError as err:
            return self._failed(err)
        return self._show_form("link", url=link.url)

    async def async_step_link(
        self, user_input: dict[str, Any] | None = None
    ) -> RepairsFlowResult:
        """Look whether it was seen to: only then the issue goes."""
        await self._account.async_refresh()
        if ir.async_get(self.hass).async_get_issue(DOMAIN, self.issue_id):
            return self.async_abort(reason="still_open")
        return self.async_create_entry(data={})


class PortExpiringRepairFlow(AzireVPNRepairFlow):
    """Makes a new port before the old one expires."""

    def __init__(self, connection: ConnectionCoordinator, port: int) -> None:
        """Prepare to replace a port."""
        self._connection = connection
        self._port = port
        self._new_port: int | None = None

    async def async_step_confirm(
        self, user_input: dict[str, Any] | None = None
    ) -> RepairsFlowResult:
        """Make a new port."""
        try:
            with as_action_errors():
                created = await async_create_port(self._connection)
        except HomeAssistantError as err:
            return self._failed(err)
        self._new_port = created.port
        return await self.async_step_created()

    async def async_step_created(
        self, user_input: dict[str, Any] | None = None
    ) -> RepairsFlowResult:
        """Tell the new number, and ask what becomes of the old one."""
        return self.async_show_menu(
            step_id="created",
            menu_options=["delete_old", "keep_old"],
            description_placeholders=self._placeholders()
            | {"new_port": str(self._new_port)},
        )

    async def async_step_delete_old(
        self, user_input: dict[str, Any] | None = None
    ) -> RepairsFlowResult:
        """Delete the old port, and the issue with it."""
        try:
            with as_action_errors():
                await async_delete_port(self._connection, self._port)
        except HomeAssistantError as err:
            return self._failed(err)
        return self.async_create_entry(data={})

    async def async_step_keep_old(
        self, user_input: dict[str, Any] | None = None
    ) -> RepairsFlowResult:
        """Let the old port expire, without another word about it."""
        ir.async_ignore_issue(self.hass, DOMAIN, self.issue_id, ignore=True)
        return self.async_abort(reason="old_kept")


class NotLoadedRepairFlow(RepairsFlow):
    """Says that the account has to work first."""

    async def async_step_init(
        self, user_input: dict[str, Any] | None = None
    ) -> RepairsFlowResult:
        """Say so."""
        return self.async_abort(reason="not_loaded")


async def async_create_fix_flow(
    hass: HomeAssistant,
    issue_id: str,
    data: dict[str, str | int | float | None] | None,
) -> RepairsFlow:
    """Return the flow that sees to an issue."""
    about = data or {}
    entry = cast(
        "AzireVPNConfigEntry | None",
        hass.config_entries.async_get_entry(str(about.get("entry_id"))),
    )
    if entry not in hass.config_entries.async_loaded_entries(DOMAIN):
        return NotLoadedRepairFlow()
    if subentry_id := about.get("subentry_id"):
        connection = entry.runtime_data.connections[str(subentry_id)]
        return PortExpiringRepairFlow(connection, int(about["port"] or 0))
    return SignInRepairFlow(
        entry.runtime_data.account,
        ManagerPage.SETTINGS
        if issue_id.startswith(EMAIL_NOT_VERIFIED)
        else ManagerPage.ORDER,
    )
