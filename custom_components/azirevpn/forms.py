"""The forms of the config flow: what is asked for an account."""

from homeassistant.const import (
    CONF_ACCESS_TOKEN,
    CONF_EMAIL,
    CONF_PASSWORD,
    CONF_USERNAME,
)
from homeassistant.data_entry_flow import section
from homeassistant.helpers.selector import (
    SelectSelector,
    SelectSelectorConfig,
    TextSelector,
    TextSelectorConfig,
    TextSelectorType,
)
import voluptuous as vol

from .api import DEFAULT_BASE_URL, DEFAULT_MANAGER_URL, Currency
from .const import CONF_BASE_URL, CONF_MANAGER_URL

CONF_AFFILIATE_CODE = "affiliate_code"
CONF_CURRENCY = "currency"
CONF_REFERRAL_CODE = "referral_code"

SECTION_CODES = "codes"
SECTION_SERVICE = "service"

# The fields at which the provider's words can stand: a section hides its own.
SIGN_UP_FIELDS = {CONF_USERNAME, CONF_PASSWORD, CONF_EMAIL, CONF_CURRENCY}

ACCESS_TOKEN = TextSelector(TextSelectorConfig(type=TextSelectorType.PASSWORD))
URL = TextSelector(TextSelectorConfig(type=TextSelectorType.URL))


def token_form(*, open_service: bool) -> vol.Schema:
    """Ask for an access token."""
    return vol.Schema(
        {
            vol.Required(CONF_ACCESS_TOKEN): ACCESS_TOKEN,
            **_service(open_service=open_service),
        }
    )


def reconfigure_form(*, open_service: bool) -> vol.Schema:
    """Ask for another access token, or other addresses."""
    return vol.Schema(
        {
            vol.Optional(CONF_ACCESS_TOKEN): ACCESS_TOKEN,
            **_service(open_service=open_service),
        }
    )


def reauth_form(*, open_service: bool) -> vol.Schema:
    """Ask for another access token, and nothing else."""
    return vol.Schema({vol.Required(CONF_ACCESS_TOKEN): ACCESS_TOKEN})


def sign_up_form(*, open_service: bool) -> vol.Schema:
    """Ask for what an account is created with."""
    return vol.Schema(
        {
            vol.Required(CONF_USERNAME): TextSelector(
                TextSelectorConfig(autocomplete="username")
            ),
            vol.Required(CONF_PASSWORD): TextSelector(
                TextSelectorConfig(
                    type=TextSelectorType.PASSWORD, autocomplete="new-password"
                )
            ),
            vol.Optional(CONF_EMAIL): TextSelector(
                TextSelectorConfig(type=TextSelectorType.EMAIL, autocomplete="email")
            ),
            vol.Required(CONF_CURRENCY, default=Currency.EUR.value): SelectSelector(
                SelectSelectorConfig(options=[currency.value for currency in Currency])
            ),
            vol.Required(SECTION_CODES): section(
                vol.Schema(
                    {
                        vol.Optional(CONF_REFERRAL_CODE): TextSelector(),
                        vol.Optional(CONF_AFFILIATE_CODE): TextSelector(),
                    }
                ),
                {"collapsed": True},
            ),
            **_service(open_service=open_service),
        }
    )


def _service(*, open_service: bool) -> dict[vol.Marker, section]:
    """Ask for the service's addresses, out of sight unless one of them is wrong."""
    return {
        vol.Required(SECTION_SERVICE): section(
            vol.Schema(
                {
                    vol.Required(CONF_BASE_URL, default=DEFAULT_BASE_URL): URL,
                    vol.Required(CONF_MANAGER_URL, default=DEFAULT_MANAGER_URL): URL,
                }
            ),
            {"collapsed": not open_service},
        )
    }
