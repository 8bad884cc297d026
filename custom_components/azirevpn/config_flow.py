"""Config flow: an account by its access token."""

from collections.abc import Mapping
from typing import Any, Protocol, override

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
from homeassistant.const import CONF_ACCESS_TOKEN, CONF_EMAIL
from homeassistant.core import callback
import voluptuous as vol

from .api import (
    DEFAULT_BASE_URL,
    DEFAULT_MANAGER_URL,
    AzireVPN,
    AzireVPNError,
    User,
)
from .connection_flow import ConnectionFlow
from .const import (
    CONF_BASE_URL,
    CONF_MANAGER_URL,
    DOMAIN,
    SUBENTRY_TYPE_CONNECTION,
)
from .coordinator import create_client
from .errors import form_errors
from .forms import (
    SECTION_CODES,
    SECTION_SERVICE,
    SIGN_UP_FIELDS,
    reauth_form,
    reconfigure_form,
    sign_up_form,
    token_form,
)
from .options_flow import AzireVPNOptionsFlow
from .urls import service_url


class Form(Protocol):
    """A form of this flow."""

    def __call__(self, *, open_service: bool) -> vol.Schema:
        """Return the form, with the section of the addresses open or not."""


class AzireVPNConfigFlow(ConfigFlow, domain=DOMAIN):
    """Adds an account or creates one, and changes its access token and addresses."""

    VERSION = 1

    def __init__(self) -> None:
        """Start without an error to tell."""
        self._errors: dict[str, str] = {}
        self._placeholders: dict[str, str] = {}
        self._service = {
            CONF_BASE_URL: DEFAULT_BASE_URL,
            CONF_MANAGER_URL: DEFAULT_MANAGER_URL,
        }
        self._email = ""

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
        return self.async_show_menu(step_id="user", menu_options=["token", "sign_up"])

    async def async_step_sign_up(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Create an account. The password is sent, and kept nowhere."""
        if user_input is not None and await self._async_sign_up(user_input):
            self._email = user_input.get(CONF_EMAIL, "")
            return self._show_explanation()
        return self.async_show_form(
            step_id="sign_up",
            data_schema=self.add_suggested_values_to_schema(
                sign_up_form(open_service=self._has_bad_address), user_input
            ),
            errors=self._errors,
            description_placeholders=self._placeholders,
            last_step=False,
        )

    def _show_explanation(self) -> ConfigFlowResult:
        """Say what comes next: an email has to be verified before there is access."""
        return self.async_show_form(
            step_id="verify_email" if self._email else "signed_up",
            data_schema=vol.Schema({}),
            description_placeholders=self._token_page() | {"email": self._email},
            last_step=False,
        )

    async def async_step_verify_email(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Go on to the access token."""
        if user_input is None:
            return self._show_explanation()
        return await self.async_step_token()

    async_step_signed_up = async_step_verify_email

    async def async_step_token(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Add the account that an access token belongs to."""
        if user_input is not None:
            token = user_input[CONF_ACCESS_TOKEN].strip()
            if user := await self._async_read_account(
                token, user_input[SECTION_SERVICE]
            ):
                await self.async_set_unique_id(_unique_id(user))
                self._abort_if_unique_id_configured()
                return self.async_create_entry(
                    title=user.username,
                    data={CONF_ACCESS_TOKEN: token, **self._service},
                )
        return self._show_form("token", token_form, user_input)

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
            return await self._async_change(
                entry, user_input, entry.data, "reauth_confirm", reauth_form
            )
        self._service = _service_of(entry.data)
        return self._show_form("reauth_confirm", reauth_form, None, entry.title)

    async def async_step_reconfigure(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Change the access token or the service's addresses."""
        entry = self._get_reconfigure_entry()
        if user_input is not None:
            return await self._async_change(
                entry,
                user_input,
                user_input[SECTION_SERVICE],
                "reconfigure",
                reconfigure_form,
            )
        self._service = _service_of(entry.data)
        return self._show_form("reconfigure", reconfigure_form, None, entry.title)

    async def _async_change(
        self,
        entry: ConfigEntry,
        user_input: dict[str, Any],
        service: Mapping[str, str],
        step_id: str,
        form: Form,
    ) -> ConfigFlowResult:
        """Change an account that is there, if it is the same one."""
        token = user_input.get(CONF_ACCESS_TOKEN, "").strip()
        token = token or entry.data[CONF_ACCESS_TOKEN]
        if user := await self._async_read_account(token, service):
            await self.async_set_unique_id(_unique_id(user))
            self._abort_if_unique_id_mismatch(reason="wrong_account")
            return self._async_update_and_abort(
                entry, {CONF_ACCESS_TOKEN: token, **self._service}
            )
        return self._show_form(step_id, form, user_input, entry.title)

    def _show_form(
        self,
        step_id: str,
        form: Form,
        user_input: dict[str, Any] | None,
        name: str = "",
    ) -> ConfigFlowResult:
        """Show a form that asks for an access token."""
        return self.async_show_form(
            step_id=step_id,
            data_schema=self.add_suggested_values_to_schema(
                form(open_service=self._has_bad_address),
                user_input or {SECTION_SERVICE: self._service},
            ),
            errors=self._errors,
            description_placeholders=self._placeholders
            | self._token_page()
            | ({"name": name} if name else {}),
        )

    async def _async_read_account(
        self, token: str, service: Mapping[str, str]
    ) -> User | None:
        """Read the account with what was entered, or note what is wrong with it."""
        if client := self._client(token, service):
            try:
                return await client.get_user()
            except AzireVPNError as err:
                self._errors, self._placeholders = form_errors(err)
        return None

    async def _async_sign_up(self, user_input: dict[str, Any]) -> User | None:
        """Create the account that was entered, or note what is wrong with it."""
        entered = {
            key: value for key, value in user_input.items() if isinstance(value, str)
        } | user_input[SECTION_CODES]
        if client := self._client("", user_input[SECTION_SERVICE]):
            try:
                return await client.create_user(**entered)
            except AzireVPNError as err:
                self._errors, self._placeholders = form_errors(err, SIGN_UP_FIELDS)
        return None

    def _client(self, token: str, service: Mapping[str, str]) -> AzireVPN | None:
        """Return a client for what was entered, or note that an address can't be used."""
        self._errors, self._placeholders = {}, {}
        try:
            self._service = {
                field: service_url(service[field])
                for field in (CONF_BASE_URL, CONF_MANAGER_URL)
            }
        except ValueError:
            self._errors["base"] = "invalid_url"
            return None
        return create_client(self.hass, {CONF_ACCESS_TOKEN: token, **self._service})

    @property
    def _has_bad_address(self) -> bool:
        """Whether the section of the addresses has to be open to mend one."""
        return self._errors.get("base") == "invalid_url"

    def _token_page(self) -> dict[str, str]:
        """Return the address of the page where a user makes an access token."""
        return {"token_url": f"{self._service[CONF_MANAGER_URL]}/account/token"}

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


def _service_of(data: Mapping[str, Any]) -> dict[str, str]:
    """Return the service's addresses from an entry's data."""
    return {field: data[field] for field in (CONF_BASE_URL, CONF_MANAGER_URL)}
