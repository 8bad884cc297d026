"""Subentry flow: a connection of an account, added or changed."""

import asyncio
from ipaddress import AddressValueError, IPv4Address, IPv4Interface, NetmaskValueError
from typing import Any

from homeassistant.config_entries import (
    SOURCE_RECONFIGURE,
    ConfigSubentryFlow,
    SubentryFlowResult,
)
from homeassistant.const import CONF_NAME
from homeassistant.helpers.selector import (
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
    TextSelector,
    TextSelectorConfig,
    TextSelectorType,
)
import voluptuous as vol

from .api import AzireVPNError, ValidationError
from .connection import open_connection
from .const import CONF_INTERNAL_IPV4, CONF_PROXY_URL
from .coordinator import create_client
from .errors import problem
from .urls import proxy_url

WHOLE_ADDRESS = 32

# For what only makes the form more convenient, nobody waits longer.
SUGGESTIONS_TIMEOUT = 3  # seconds


class ConnectionFlow(ConfigSubentryFlow):
    """Adds a connection, or changes its name, address or proxy."""

    def __init__(self) -> None:
        """Start without an error to tell."""
        self._errors: dict[str, str] = {}
        self._placeholders: dict[str, str] = {}
        self._suggestions: list[SelectOptionDict] | None = None

    async def async_step_user(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Add a connection."""
        if user_input is not None and (data := self._read(user_input)):
            if self._is_taken(data[CONF_INTERNAL_IPV4]):
                return self.async_abort(reason="already_configured")
            if await self._async_works(data):
                return self.async_create_entry(
                    title=user_input[CONF_NAME],
                    data=data,
                    unique_id=data[CONF_INTERNAL_IPV4],
                )
        return await self._async_show_form("user", user_input)

    async def async_step_reconfigure(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Change a connection; its devices and entities stay what they are."""
        subentry = self._get_reconfigure_subentry()
        if user_input is None:
            return await self._async_show_form(
                "reconfigure", {CONF_NAME: subentry.title, **subentry.data}
            )
        if data := self._read(user_input):
            if self._is_taken(data[CONF_INTERNAL_IPV4]):
                return self.async_abort(reason="already_configured")
            if await self._async_works(data):
                return self.async_update_and_abort(
                    self._get_entry(),
                    subentry,
                    title=user_input[CONF_NAME],
                    data=data,
                    unique_id=data[CONF_INTERNAL_IPV4],
                )
        return await self._async_show_form("reconfigure", user_input)

    async def _async_show_form(
        self, step_id: str, values: dict[str, Any] | None
    ) -> SubentryFlowResult:
        """Show the form, with what was entered before and what is wrong with it."""
        if self._suggestions is None:
            self._suggestions = await self._async_suggest()
        schema = vol.Schema(
            {
                vol.Required(CONF_NAME): TextSelector(),
                vol.Required(CONF_INTERNAL_IPV4): SelectSelector(
                    SelectSelectorConfig(
                        options=self._suggestions,
                        custom_value=True,
                        mode=SelectSelectorMode.DROPDOWN,
                    )
                )
                if self._suggestions
                else TextSelector(),
                vol.Optional(CONF_PROXY_URL): TextSelector(
                    TextSelectorConfig(type=TextSelectorType.URL)
                ),
            }
        )
        return self.async_show_form(
            step_id=step_id,
            data_schema=self.add_suggested_values_to_schema(schema, values),
            errors=self._errors,
            description_placeholders=self._placeholders,
        )

    async def _async_suggest(self) -> list[SelectOptionDict]:
        """Return the account's addresses that no other connection has, by their devices."""
        client = create_client(self.hass, self._get_entry().data)
        try:
            async with asyncio.timeout(SUGGESTIONS_TIMEOUT):
                addresses = await client.list_addresses()
        except AzireVPNError, TimeoutError:
            return []
        return [
            SelectOptionDict(
                value=str(address.ipv4),
                label=f"{address.device_name} ({address.ipv4})"
                if address.device_name
                else str(address.ipv4),
            )
            for address in addresses
            if not self._is_taken(str(address.ipv4))
        ]

    def _read(self, user_input: dict[str, Any]) -> dict[str, str] | None:
        """Return the subentry's data, or note which fields can't be read."""
        self._errors, self._placeholders = {}, {}
        data: dict[str, str] = {}
        try:
            data[CONF_INTERNAL_IPV4] = str(
                internal_ipv4(user_input[CONF_INTERNAL_IPV4])
            )
        except ValueError:
            self._errors[CONF_INTERNAL_IPV4] = "invalid_internal_ipv4"
        if entered := user_input.get(CONF_PROXY_URL, "").strip():
            try:
                data[CONF_PROXY_URL] = proxy_url(entered)
            except ValueError:
                self._errors[CONF_PROXY_URL] = "invalid_proxy_url"
        return None if self._errors else data

    def _is_taken(self, address: str) -> bool:
        """Return whether another connection of the account has the address."""
        own = (
            self._reconfigure_subentry_id if self.source == SOURCE_RECONFIGURE else None
        )
        return any(
            subentry.unique_id == address and subentry.subentry_id != own
            for subentry in self._get_entry().subentries.values()
        )

    async def _async_works(self, data: dict[str, str]) -> bool:
        """List the ports of the connection, or note why that failed."""
        client = create_client(self.hass, self._get_entry().data)
        try:
            await open_connection(client, data).list_ports()
        except ValidationError as err:
            field = CONF_INTERNAL_IPV4 if CONF_INTERNAL_IPV4 in err.fields else "base"
            self._errors[field] = "invalid_input"
            self._placeholders = problem(err).placeholders
        except AzireVPNError as err:
            self._errors["base"] = problem(err).key
            self._placeholders = problem(err).placeholders
        return not self._errors


def internal_ipv4(text: str) -> IPv4Address:
    """Read an address, also as it stands in a WireGuard configuration.

    `Address = 10.0.131.176/32, 2a0e:1c80:1337:1:10:0:131:176/128` holds one, too.

    Raises:
        ValueError: there is no IPv4 address, or one of a whole network.

    """
    for part in text.rpartition("=")[2].split(","):
        try:
            interface = IPv4Interface(part.strip())
        except AddressValueError, NetmaskValueError:
            continue
        if interface.network.prefixlen == WHOLE_ADDRESS:
            return interface.ip
    raise ValueError("There is no IPv4 address")
