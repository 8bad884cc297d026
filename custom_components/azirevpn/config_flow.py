"""Config flow: an account by its access token."""

from collections.abc import Mapping
from typing import Any, override

from homeassistant.config_entries import (
    SOURCE_USER,
    ConfigEntry,
    ConfigFlow,
    ConfigFlowResult,
    ConfigSubentryFlow,
    FlowType,
    OptionsFlow,
    SubentryFlowContext,
)
from homeassistant.const import CONF_ACCESS_TOKEN
from homeassistant.core import callback
from homeassistant.data_entry_flow import section
from homeassistant.helpers.selector import (
    TextSelector,
    TextSelectorConfig,
    TextSelectorType,
)
import voluptuous as vol

from .api import DEFAULT_BASE_URL, DEFAULT_MANAGER_URL, AzireVPNError, User
from .connection_flow import ConnectionFlow
from .const import (
    CONF_BASE_URL,
    CONF_MANAGER_URL,
    DOMAIN,
    SUBENTRY_TYPE_CONNECTION,
)
from .coordinator import create_client
from .errors import problem
from .options_flow import AzireVPNOptionsFlow
from .urls import service_url

SECTION_SERVICE = "service"

ACCESS_TOKEN = TextSelector(TextSelectorConfig(type=TextSelectorType.PASSWORD))
URL = TextSelector(TextSelectorConfig(type=TextSelectorType.URL))

TOKEN_SCHEMA = vol.Schema(
    {
        vol.Required(CONF_ACCESS_TOKEN): ACCESS_TOKEN,
        vol.Required(SECTION_SERVICE): section(
            vol.Schema(
                {
                    vol.Required(CONF_BASE_URL, default=DEFAULT_BASE_URL): URL,
                    vol.Required(CONF_MANAGER_URL, default=DEFAULT_MANAGER_URL): URL,
                }
            ),
            {"collapsed": True},
        ),
    }
)
REAUTH_SCHEMA = vol.Schema({vol.Required(CONF_ACCESS_TOKEN): ACCESS_TOKEN})


class AzireVPNConfigFlow(ConfigFlow, domain=DOMAIN):
    """Adds an account, and renews its access token."""

    VERSION = 1

    def __init__(self) -> None:
        """Start without an error to tell."""
        self._errors: dict[str, str] = {}
        self._placeholders: dict[str, str] = {}

    @classmethod
    @callback
    @override
    def async_get_supported_subentry_types(
        cls, config_entry: ConfigEntry
    ) -> dict[str, type[ConfigSubentryFlow]]:
        """Return what an account can have: connections."""
        return {SUBENTRY_TYPE_CONNECTION: ConnectionFlow}

    @staticmethod
    @callback
    @override
    def async_get_options_flow(config_entry: ConfigEntry) -> OptionsFlow:
        """Return the flow behind an account's settings."""
        return AzireVPNOptionsFlow()

    @override
    async def async_step_user(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask how to begin."""
        return self.async_show_menu(step_id="user", menu_options=["token"])

    async def async_step_token(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Add the account that an access token belongs to."""
        if user_input is not None:
            data = {
                CONF_ACCESS_TOKEN: user_input[CONF_ACCESS_TOKEN].strip(),
                **user_input[SECTION_SERVICE],
            }
            if user := await self._async_read_account(data):
                await self.async_set_unique_id(_unique_id(user))
                self._abort_if_unique_id_configured()
                return self.async_create_entry(title=user.username, data=data)

        manager_url = (
            user_input[SECTION_SERVICE][CONF_MANAGER_URL]
            if user_input
            else DEFAULT_MANAGER_URL
        )
        return self.async_show_form(
            step_id="token",
            data_schema=self.add_suggested_values_to_schema(TOKEN_SCHEMA, user_input),
            errors=self._errors,
            description_placeholders=self._placeholders | _token_page(manager_url),
        )

    @override
    async def async_on_create_entry(self, result: ConfigFlowResult) -> ConfigFlowResult:
        """Go on with a first connection: an account alone forwards no ports."""
        flow = await self.hass.config_entries.subentries.async_init(
            (result["result"].entry_id, SUBENTRY_TYPE_CONNECTION),
            context=SubentryFlowContext(source=SOURCE_USER),
        )
        result["next_flow"] = (FlowType.CONFIG_SUBENTRIES_FLOW, flow["flow_id"])
        return result

    async def async_step_reauth(
        self, entry_data: Mapping[str, Any]
    ) -> ConfigFlowResult:
        """Begin to replace an access token that the provider refused."""
        return await self.async_step_reauth_confirm()

    async def async_step_reauth_confirm(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask for another access token of the same account."""
        entry = self._get_reauth_entry()
        if user_input is not None:
            token = user_input[CONF_ACCESS_TOKEN].strip()
            data = {**entry.data, CONF_ACCESS_TOKEN: token}
            if user := await self._async_read_account(data):
                await self.async_set_unique_id(_unique_id(user))
                self._abort_if_unique_id_mismatch(reason="wrong_account")
                return self._async_update_and_abort(entry, data)

        return self.async_show_form(
            step_id="reauth_confirm",
            data_schema=REAUTH_SCHEMA,
            errors=self._errors,
            description_placeholders=self._placeholders
            | _token_page(entry.data[CONF_MANAGER_URL])
            | {"name": entry.title},
        )

    async def _async_read_account(self, data: dict[str, Any]) -> User | None:
        """Read the account with what was entered, or note what is wrong with it."""
        self._errors, self._placeholders = {}, {}
        for field in (CONF_BASE_URL, CONF_MANAGER_URL):
            try:
                data[field] = service_url(data[field])
            except ValueError:
                self._errors[field] = "invalid_url"
        if self._errors:
            return None
        try:
            return await create_client(self.hass, data).get_user()
        except AzireVPNError as err:
            found = problem(err)
            self._errors["base"] = found.key
            self._placeholders = found.placeholders
            return None

    def _async_update_and_abort(
        self, entry: ConfigEntry, data: dict[str, Any]
    ) -> ConfigFlowResult:
        """Take over new data and set up once.

        A loaded entry listens for changes and reloads itself, a failed one has to
        be told. So has a loaded one when the same token is entered again: the
        account stopped polling when the provider refused it.
        """
        if not entry.update_listeners:
            return self.async_update_reload_and_abort(entry, data=data)
        if data == entry.data:
            self.hass.config_entries.async_schedule_reload(entry.entry_id)
        return self.async_update_and_abort(entry, data=data)


def _unique_id(user: User) -> str:
    """Return what stays the same when an account's username changes."""
    return str(int(user.created_at.timestamp()))


def _token_page(manager_url: str) -> dict[str, str]:
    """Return the address of the page where a user makes an access token."""
    return {"token_url": f"{manager_url.rstrip('/')}/account/token"}
