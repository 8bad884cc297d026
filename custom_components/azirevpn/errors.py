"""The one mapping from the client's errors to Home Assistant's.

A `Problem` names an error by its translation key. The same keys stand in the
translations under `exceptions`, and in the flows' `error` sections.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import ceil

from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers.update_coordinator import UpdateFailed

from .api import (
    AuthenticationError,
    AzireVPNError,
    InvalidResponseError,
    NotConnectedError,
    NotFoundError,
    ProxyError,
    QuotaError,
    RateLimitError,
    ResponseError,
    TransportError,
    ValidationError,
)
from .const import DOMAIN

SHORTEST_WAIT = 5.0  # seconds

# From the most to the least specific: the first class that fits names the error.
KEYS: dict[type[AzireVPNError], str] = {
    AuthenticationError: "invalid_auth",
    ValidationError: "invalid_input",
    RateLimitError: "rate_limited",
    QuotaError: "quota_reached",
    NotConnectedError: "not_connected",
    NotFoundError: "not_found",
    ResponseError: "refused",
    InvalidResponseError: "invalid_response",
    ProxyError: "proxy_failed",
    TransportError: "cannot_connect",
}

# What the user can mend by asking for something else.
USER_ERRORS = (ValidationError, NotFoundError)


@dataclass(frozen=True, kw_only=True)
class Problem:
    """An error in the user's terms: a translation key and its placeholders."""

    key: str
    placeholders: dict[str, str] = field(default_factory=dict)


def problem(err: AzireVPNError) -> Problem:
    """Name an error of the client, with the provider's own words where it gave some."""
    key = next(key for kind, key in KEYS.items() if isinstance(err, kind))
    placeholders = {}
    if isinstance(err, RateLimitError):
        placeholders["seconds"] = str(ceil(err.retry_after))
    elif isinstance(err, ValidationError):
        words = " ".join(
            message for messages in err.fields.values() for message in messages
        )
        placeholders["message"] = words or err.message
    elif isinstance(err, ResponseError):
        placeholders["message"] = err.message
        placeholders["status"] = str(err.status)
    return Problem(key=key, placeholders=placeholders)


def form_errors(
    err: AzireVPNError, fields: Collection[str] = ()
) -> tuple[dict[str, str], dict[str, str]]:
    """Return what a form shows for an error of the client: errors and placeholders.

    Args:
        err: the error.
        fields: the form's fields. What the provider says of one of them stands there,
            as `invalid_FIELD` with the placeholder `FIELD_message`.

    """
    found = problem(err)
    if not isinstance(err, ValidationError):
        return {"base": found.key}, found.placeholders
    # The interface prefixes some fields where a form has no need to.
    said = {
        name.removeprefix("new_"): " ".join(messages)
        for name, messages in err.fields.items()
    }
    errors = {name: f"invalid_{name}" for name in said if name in fields}
    placeholders = {f"{name}_message": words for name, words in said.items()}
    if len(errors) < len(said):
        errors["base"] = found.key
    return errors, placeholders | found.placeholders


def update_failed(err: AzireVPNError) -> UpdateFailed:
    """Return what a coordinator raises for an error of the client."""
    found = problem(err)
    return UpdateFailed(
        translation_domain=DOMAIN,
        translation_key=found.key,
        translation_placeholders=found.placeholders,
        # A second more, because a coordinator counts whole seconds; and never at once.
        retry_after=max(err.retry_after, SHORTEST_WAIT) + 1
        if isinstance(err, RateLimitError)
        else None,
    )


@contextmanager
def as_action_errors() -> Iterator[None]:
    """Turn errors of the client into those that an action shows to its user.

    Raises:
        ServiceValidationError: the provider refused what was asked for.
        HomeAssistantError: the provider could not be asked, or failed.

    """
    try:
        yield
    except AzireVPNError as err:
        found = problem(err)
        kind = (
            ServiceValidationError
            if isinstance(err, USER_ERRORS)
            else HomeAssistantError
        )
        raise kind(
            translation_domain=DOMAIN,
            translation_key=found.key,
            translation_placeholders=found.placeholders,
        ) from err
