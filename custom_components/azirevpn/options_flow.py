"""Options flow: what an account's owner can change after it was set up."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from homeassistant.config_entries import (
    ConfigEntryState,
    ConfigFlowResult,
    OptionsFlow,
)
from homeassistant.const import CONF_EMAIL, CONF_PASSWORD, CONF_USERNAME, UnitOfTime
from homeassistant.data_entry_flow import AbortFlow
from homeassistant.helpers.selector import (
    BooleanSelector,
    NumberSelector,
    NumberSelectorConfig,
    NumberSelectorMode,
    SelectSelector,
    SelectSelectorConfig,
    TextSelector,
    TextSelectorConfig,
    TextSelectorType,
)
from homeassistant.util.dt import as_local
import voluptuous as vol

from .api import AzireVPN, AzireVPNError, ManagerPage, User
from .const import (
    CONF_ACCOUNT_WARNING_DAYS,
    CONF_CHECK_PORTS,
    CONF_PORT_WARNING_DAYS,
    DEFAULT_ACCOUNT_WARNING_DAYS,
    DEFAULT_CHECK_PORTS,
    DEFAULT_PORT_WARNING_DAYS,
)
from .coordinator import AccountCoordinator, AzireVPNConfigEntry
from .errors import form_errors

CONF_PAGE = "page"

DAYS = vol.All(
    NumberSelector(
        NumberSelectorConfig(
            min=0,
            max=365,
            mode=NumberSelectorMode.BOX,
            unit_of_measurement=UnitOfTime.DAYS,
        )
    ),
    vol.Coerce(int),
)
NEW_PASSWORD = TextSelector(
    TextSelectorConfig(type=TextSelectorType.PASSWORD, autocomplete="new-password")
)
PASSWORD = TextSelector(
    TextSelectorConfig(type=TextSelectorType.PASSWORD, autocomplete="current-password")
)

SETTINGS_SCHEMA = vol.Schema(
    {
        vol.Required(
            CONF_ACCOUNT_WARNING_DAYS, default=DEFAULT_ACCOUNT_WARNING_DAYS
        ): DAYS,
        vol.Required(CONF_PORT_WARNING_DAYS, default=DEFAULT_PORT_WARNING_DAYS): DAYS,
        vol.Required(CONF_CHECK_PORTS, default=DEFAULT_CHECK_PORTS): BooleanSelector(),
    }
)
SIGN_IN_SCHEMA = vol.Schema(
    {
        vol.Required(CONF_PAGE, default=ManagerPage.ORDER.value): SelectSelector(
            SelectSelectorConfig(
                options=[page.value for page in ManagerPage], translation_key=CONF_PAGE
            )
        )
    }
)
USERNAME_SCHEMA = vol.Schema({vol.Required(CONF_USERNAME): TextSelector()})
EMAIL_SCHEMA = vol.Schema(
    {
        vol.Required(CONF_EMAIL): TextSelector(
            TextSelectorConfig(type=TextSelectorType.EMAIL)
        )
    }
)
PASSWORD_SCHEMA = vol.Schema({vol.Required(CONF_PASSWORD): NEW_PASSWORD})
NOTHING_SCHEMA = vol.Schema({})
DELETE_SCHEMA = vol.Schema(
    {
        vol.Required(CONF_USERNAME): TextSelector(),
        vol.Required(CONF_PASSWORD): PASSWORD,
    }
)


class AzireVPNOptionsFlow(OptionsFlow):
    """Changes the settings of an account, and the account itself."""

    config_entry: AzireVPNConfigEntry

    def __init__(self) -> None:
        """Start without a link."""
        self._link: dict[str, str] = {}

    @property
    def _account(self) -> AccountCoordinator:
        """The account that is changed; without a loaded one, the flow ends."""
        if self.config_entry.state is not ConfigEntryState.LOADED:
            raise AbortFlow("not_loaded")
        return self.config_entry.runtime_data.account

    async def async_step_init(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask what to do."""
        return self.async_show_menu(
            step_id="init",
            menu_options=[
                "settings",
                "sign_in",
                "change_username",
                "change_email",
                *(["remove_email"] if self._account.data.user.email else []),
                "change_password",
                "delete_account",
            ],
        )

    async def async_step_settings(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Change when to warn, and whether ports are checked."""
        if user_input is not None:
            return self.async_create_entry(data=user_input)
        return self._show_form("settings", SETTINGS_SCHEMA, self.config_entry.options)

    async def async_step_sign_in(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Make a link that signs in to a page of the web manager."""
        if user_input is None:
            return self._show_form("sign_in", SIGN_IN_SCHEMA)
        try:
            link = await self._account.async_create_sign_in_link(
                ManagerPage(user_input[CONF_PAGE])
            )
        except AzireVPNError as err:
            return self._show_form("sign_in", SIGN_IN_SCHEMA, user_input, err)
        self._link = {
            "url": link.url,
            "expires_at": f"{as_local(link.expires_at):%H:%M}",
        }
        return await self.async_step_sign_in_link()

    async def async_step_sign_in_link(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Show the link until the owner is done with it."""
        if user_input is not None:
            return self._done()
        return self.async_show_form(
            step_id="sign_in_link",
            data_schema=NOTHING_SCHEMA,
            description_placeholders=self._link,
        )

    async def async_step_change_username(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Change the username; the entry and its device are called after it."""
        return await self._async_change(
            "change_username",
            USERNAME_SCHEMA,
            user_input,
            lambda client, entered: client.set_username(entered[CONF_USERNAME]),
        )

    async def async_step_change_email(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Change the email address."""
        return await self._async_change(
            "change_email",
            EMAIL_SCHEMA,
            user_input,
            lambda client, entered: client.set_email(entered[CONF_EMAIL]),
        )

    async def async_step_remove_email(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Remove the email address."""
        return await self._async_change(
            "remove_email",
            NOTHING_SCHEMA,
            user_input,
            lambda client, _entered: client.remove_email(),
        )

    async def async_step_change_password(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Change the password, which is kept nowhere."""
        return await self._async_change(
            "change_password",
            PASSWORD_SCHEMA,
            user_input,
            lambda client, entered: client.set_password(entered[CONF_PASSWORD]),
        )

    async def async_step_delete_account(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Delete the account, and its entry once the provider said that it is gone."""
        if user_input is None:
            return self._show_form("delete_account", DELETE_SCHEMA)
        if user_input[CONF_USERNAME] != self._account.data.user.username:
            return self._show_form(
                "delete_account",
                DELETE_SCHEMA,
                user_input,
                errors={CONF_USERNAME: "wrong_username"},
            )
        try:
            await self._account.async_ask(
                self._account.client.delete_user(user_input[CONF_PASSWORD])
            )
        except AzireVPNError as err:
            return self._show_form("delete_account", DELETE_SCHEMA, user_input, err)
        # Removing the entry ends its flows, and so comes after this one.
        self.hass.async_create_task(
            self.hass.config_entries.async_remove(self.config_entry.entry_id),
            eager_start=False,
        )
        return self.async_abort(reason="account_deleted")

    async def _async_change(
        self,
        step_id: str,
        schema: vol.Schema,
        user_input: dict[str, Any] | None,
        change: Callable[[AzireVPN, dict[str, Any]], Awaitable[User]],
    ) -> ConfigFlowResult:
        """Change the account, and take over what the provider made of it."""
        user = self._account.data.user
        if user_input is None:
            return self._show_form(
                step_id,
                schema,
                {CONF_USERNAME: user.username, CONF_EMAIL: user.email},
            )
        try:
            changed = await self._account.async_ask(
                change(self._account.client, user_input)
            )
        except AzireVPNError as err:
            return self._show_form(step_id, schema, user_input, err)
        self._account.async_take_user(changed)
        return self._done()

    def _done(self) -> ConfigFlowResult:
        """End with the options as they are."""
        return self.async_create_entry(data=dict(self.config_entry.options))

    def _show_form(
        self,
        step_id: str,
        schema: vol.Schema,
        values: Mapping[str, Any] | None = None,
        err: AzireVPNError | None = None,
        *,
        errors: dict[str, str] | None = None,
    ) -> ConfigFlowResult:
        """Show a form with what was entered before, and what is wrong with it."""
        user = self._account.data.user
        placeholders = {"username": user.username, "email": user.email or ""}
        if err:
            errors, words = form_errors(err, [str(field) for field in schema.schema])
            placeholders |= words
        return self.async_show_form(
            step_id=step_id,
            data_schema=self.add_suggested_values_to_schema(schema, values),
            errors=errors,
            description_placeholders=placeholders,
        )
