"""Repairs: leads an account's owner through what an issue asks for."""

from abc import abstractmethod
from typing import Any, cast, override

from homeassistant.components.repairs import RepairsFlow, RepairsFlowResult
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import AbortFlow
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import issue_registry as ir
import voluptuous as vol

from .api import ManagerPage
from .connection import ConnectionCoordinator
from .const import DOMAIN
from .coordinator import AzireVPNConfigEntry, AzireVPNData
from .errors import as_action_errors
from .issues import EMAIL_NOT_VERIFIED
from .port_changes import async_create_port, async_delete_port


class AzireVPNRepairFlow(RepairsFlow):
    """A flow that says what is wrong first.

    What the account runs on is looked up at every step, because it may be loaded
    anew while its owner reads.
    """

    def __init__(self, entry_id: str) -> None:
        """Prepare for an account."""
        self._entry_id = entry_id

    def _data(self) -> AzireVPNData:
        """Return what the account runs on; without a loaded one, the flow ends."""
        entry = cast(
            "AzireVPNConfigEntry | None",
            self.hass.config_entries.async_get_entry(self._entry_id),
        )
        if entry is None or entry.state is not ConfigEntryState.LOADED:
            raise AbortFlow("not_loaded")
        return entry.runtime_data

    @property
    def _issue(self) -> ir.IssueEntry | None:
        """The issue, unless it was cleared meanwhile."""
        return ir.async_get(self.hass).async_get_issue(DOMAIN, self.issue_id)

    async def async_step_init(
        self, user_input: dict[str, Any] | None = None
    ) -> RepairsFlowResult:
        """Begin, if the account works."""
        self._data()
        return await self.async_step_confirm()

    async def async_step_confirm(
        self, user_input: dict[str, Any] | None = None
    ) -> RepairsFlowResult:
        """Say what is wrong; nothing is done before the owner goes on."""
        if user_input is None:
            return self._show_form("confirm")
        return await self._async_begin()

    @abstractmethod
    async def _async_begin(self) -> RepairsFlowResult:
        """Do what was confirmed."""

    def _show_form(self, step_id: str, **placeholders: str) -> RepairsFlowResult:
        """Show a step with nothing to fill in."""
        return self.async_show_form(
            step_id=step_id,
            data_schema=vol.Schema({}),
            description_placeholders=self._placeholders() | placeholders,
        )

    def _placeholders(self) -> dict[str, str]:
        """Return what the issue is about."""
        return dict(self._issue.translation_placeholders or {}) if self._issue else {}

    def _failed(self, err: BaseException | None) -> RepairsFlowResult:
        """Give up, in the words of the service; the issue stays."""
        return self.async_abort(
            reason="failed", description_placeholders={"error": str(err)}
        )


class SignInRepairFlow(AzireVPNRepairFlow):
    """Signs in to the page of the web manager where an issue can be seen to."""

    def __init__(self, entry_id: str, page: ManagerPage) -> None:
        """Prepare the way to a page."""
        super().__init__(entry_id)
        self._page = page
        self._url = ""

    @override
    async def _async_begin(self) -> RepairsFlowResult:
        """Make the link now, as it is good for a short time only."""
        account = self._data().account
        try:
            with as_action_errors():
                link = await account.async_create_sign_in_link(self._page)
        except HomeAssistantError as err:
            return self._failed(err)
        self._url = link.url
        return await self.async_step_link()

    async def async_step_link(
        self, user_input: dict[str, Any] | None = None
    ) -> RepairsFlowResult:
        """Look whether it was seen to: only then the issue goes."""
        if user_input is None:
            return self._show_form("link", url=self._url)
        account = self._data().account
        await account.async_refresh()
        if not account.last_update_success:
            return self._failed(account.last_exception)
        if self._issue:
            return self.async_abort(reason="still_open")
        return self.async_create_entry(data={})


class PortExpiringRepairFlow(AzireVPNRepairFlow):
    """Makes a new port before the old one expires."""

    def __init__(self, entry_id: str, subentry_id: str, port: int) -> None:
        """Prepare to replace a port."""
        super().__init__(entry_id)
        self._subentry_id = subentry_id
        self._port = port
        self._new_port: int | None = None

    @property
    def _connection(self) -> ConnectionCoordinator:
        """The connection of the port; without it, the flow ends."""
        try:
            return self._data().connections[self._subentry_id]
        except KeyError:
            raise AbortFlow("not_loaded") from None

    @override
    async def _async_begin(self) -> RepairsFlowResult:
        """Make a new port."""
        connection = self._connection
        try:
            with as_action_errors():
                created = await async_create_port(connection)
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
        connection = self._connection
        try:
            with as_action_errors():
                await async_delete_port(connection, self._port)
        except HomeAssistantError as err:
            return self._failed(err)
        return self.async_create_entry(data={})

    async def async_step_keep_old(
        self, user_input: dict[str, Any] | None = None
    ) -> RepairsFlowResult:
        """Let the old port expire, without another word about it."""
        if self._issue:
            ir.async_ignore_issue(self.hass, DOMAIN, self.issue_id, ignore=True)
        return self.async_abort(reason="old_kept")


async def async_create_fix_flow(
    hass: HomeAssistant,
    issue_id: str,
    data: dict[str, str | int | float | None] | None,
) -> RepairsFlow:
    """Return the flow that sees to an issue."""
    about = data or {}
    entry_id = str(about.get("entry_id"))
    if subentry_id := about.get("subentry_id"):
        return PortExpiringRepairFlow(
            entry_id, str(subentry_id), int(about["port"] or 0)
        )
    return SignInRepairFlow(
        entry_id,
        ManagerPage.SETTINGS
        if issue_id.startswith(EMAIL_NOT_VERIFIED)
        else ManagerPage.ORDER,
    )
