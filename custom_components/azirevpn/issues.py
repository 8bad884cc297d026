"""Issues: raises what an account's owner should see to, and clears what was seen to."""

from datetime import datetime, timedelta
from functools import partial

from homeassistant.core import HassJob, HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir
from homeassistant.helpers.event import async_call_later
from homeassistant.util.dt import as_local, utcnow

from .connection import ConnectionCoordinator
from .const import DOMAIN
from .coordinator import AccountData, AzireVPNConfigEntry
from .ports import Port

EMAIL_NOT_VERIFIED = "email_not_verified"
PORT_EXPIRING = "port_expiring"
QUOTA_REACHED = "quota_reached"
SUBSCRIPTION_ENDED = "subscription_ended"
SUBSCRIPTION_EXPIRING = "subscription_expiring"


@callback
def async_watch(hass: HomeAssistant, entry: AzireVPNConfigEntry) -> None:
    """Raise and clear the issues of an account and its ports, now and as they change."""
    data = entry.runtime_data
    _async_forget_gone(hass, entry)
    watch = partial(_async_watch_account, hass, entry)
    entry.async_on_unload(data.account.async_add_listener(watch))
    watch()
    for connection in data.connections.values():
        watch = partial(_async_watch_ports, hass, entry, connection)
        entry.async_on_unload(connection.async_add_listener(watch))
        watch()


@callback
def _async_watch_account(hass: HomeAssistant, entry: AzireVPNConfigEntry) -> None:
    """Compare the issues of the account with what is known of it."""
    known = entry.runtime_data.account.data
    for kind, is_raised in (
        (SUBSCRIPTION_EXPIRING, known.expiring and not known.ended),
        (SUBSCRIPTION_ENDED, known.ended),
        (EMAIL_NOT_VERIFIED, _waits_for_verification(known)),
    ):
        if is_raised:
            ir.async_create_issue(
                hass,
                DOMAIN,
                f"{kind}_{entry.entry_id}",
                data={"entry_id": entry.entry_id},
                is_fixable=True,
                severity=ir.IssueSeverity.WARNING,
                translation_key=kind,
                translation_placeholders={
                    "username": known.user.username,
                    "expires_at": _day(known.user.expires_at),
                    "email": known.user.email or "",
                },
            )
        else:
            ir.async_delete_issue(hass, DOMAIN, f"{kind}_{entry.entry_id}")


@callback
def _async_forget_gone(hass: HomeAssistant, entry: AzireVPNConfigEntry) -> None:
    """Clear the issues of connections that were removed."""
    there = tuple(
        _of_connection(connection)
        for connection in entry.runtime_data.connections.values()
    )
    for issue_id in _raised(hass, f"{PORT_EXPIRING}_{entry.entry_id}_"):
        if not issue_id.startswith(there):
            ir.async_delete_issue(hass, DOMAIN, issue_id)


def _waits_for_verification(known: AccountData) -> bool:
    """Tell whether the account has no access because its email was not verified."""
    return (
        known.user.email is not None
        and known.user.is_email_verified is False
        and not known.user.is_active
    )


@callback
def _async_watch_ports(
    hass: HomeAssistant, entry: AzireVPNConfigEntry, connection: ConnectionCoordinator
) -> None:
    """Compare the issues of a connection's ports with what is known of them."""
    of_connection = _of_connection(connection)
    expiring = {
        f"{of_connection}{number}": port
        for number, port in connection.ports.items()
        if port.expiring
    }
    for issue_id in _raised(hass, of_connection) - expiring.keys():
        ir.async_delete_issue(hass, DOMAIN, issue_id)
    for issue_id, port in expiring.items():
        _async_raise_port(hass, entry, connection, issue_id, port)


@callback
def _async_raise_port(
    hass: HomeAssistant,
    entry: AzireVPNConfigEntry,
    connection: ConnectionCoordinator,
    issue_id: str,
    port: Port,
) -> None:
    """Raise that a port is about to expire."""
    ir.async_create_issue(
        hass,
        DOMAIN,
        issue_id,
        data={
            "entry_id": entry.entry_id,
            "subentry_id": connection.subentry.subentry_id,
            "port": port.forwarding.port,
        },
        is_fixable=True,
        severity=ir.IssueSeverity.WARNING,
        translation_key=PORT_EXPIRING,
        translation_placeholders={
            "port": str(port.forwarding.port),
            "connection": connection.subentry.title,
            "expires_at": _day(port.forwarding.expires_at),
        },
    )


@callback
def async_quota_reached(
    hass: HomeAssistant, entry: AzireVPNConfigEntry, message: str
) -> None:
    """Raise that no more ports can be created today, until the next day begins."""
    issue_id = f"{QUOTA_REACHED}_{entry.entry_id}"
    ir.async_create_issue(
        hass,
        DOMAIN,
        issue_id,
        is_fixable=False,
        severity=ir.IssueSeverity.WARNING,
        translation_key=QUOTA_REACHED,
        translation_placeholders={"username": entry.title, "message": message},
    )

    @callback
    def clear(_now: datetime) -> None:
        """Clear it; which day the provider goes by is not known, so it is UTC's."""
        ir.async_delete_issue(hass, DOMAIN, issue_id)

    tomorrow = utcnow().replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(
        days=1
    )
    async_call_later(hass, tomorrow - utcnow(), HassJob(clear, cancel_on_shutdown=True))


@callback
def async_clear_all(hass: HomeAssistant, entry: AzireVPNConfigEntry) -> None:
    """Clear the issues of an account that is not watched any more."""
    for issue_id in _raised(hass):
        if entry.entry_id in issue_id:
            ir.async_delete_issue(hass, DOMAIN, issue_id)


def _raised(hass: HomeAssistant, start: str = "") -> set[str]:
    """Return the ids of the issues that begin so."""
    return {
        issue_id
        for domain, issue_id in ir.async_get(hass).issues
        if domain == DOMAIN and issue_id.startswith(start)
    }


def _of_connection(connection: ConnectionCoordinator) -> str:
    """Return how the ids of the issues of a connection's ports begin."""
    entry_id = connection.config_entry.entry_id
    return f"{PORT_EXPIRING}_{entry_id}_{connection.subentry.subentry_id}_"


def _day(moment: datetime | None) -> str:
    """Return the day of a moment where the house is; empty for none."""
    return as_local(moment).date().isoformat() if moment else ""
