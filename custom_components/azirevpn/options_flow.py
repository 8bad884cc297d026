"""Options flow: what an account's owner can change after it was set up."""

from typing import Any

from homeassistant.config_entries import ConfigFlowResult, OptionsFlow
from homeassistant.const import UnitOfTime
from homeassistant.helpers.selector import (
    BooleanSelector,
    NumberSelector,
    NumberSelectorConfig,
    NumberSelectorMode,
)
import voluptuous as vol

from .const import (
    CONF_CHECK_PORTS,
    CONF_PORT_WARNING_DAYS,
    DEFAULT_CHECK_PORTS,
    DEFAULT_PORT_WARNING_DAYS,
)

SETTINGS_SCHEMA = vol.Schema(
    {
        vol.Required(
            CONF_PORT_WARNING_DAYS, default=DEFAULT_PORT_WARNING_DAYS
        ): vol.All(
            NumberSelector(
                NumberSelectorConfig(
                    min=0,
                    max=365,
                    mode=NumberSelectorMode.BOX,
                    unit_of_measurement=UnitOfTime.DAYS,
                )
            ),
            vol.Coerce(int),
        ),
        vol.Required(CONF_CHECK_PORTS, default=DEFAULT_CHECK_PORTS): BooleanSelector(),
    }
)


class AzireVPNOptionsFlow(OptionsFlow):
    """Changes the settings of an account."""

    async def async_step_init(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask what to change."""
        return self.async_show_menu(step_id="init", menu_options=["settings"])

    async def async_step_settings(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Change when to warn, and whether ports are checked."""
        if user_input is not None:
            return self.async_create_entry(data=user_input)
        return self.async_show_form(
            step_id="settings",
            data_schema=self.add_suggested_values_to_schema(
                SETTINGS_SCHEMA, self.config_entry.options
            ),
        )
