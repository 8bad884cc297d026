"""Creates, hides and deletes ports, and finds out what became of a lost answer.

Nothing is sent twice: where it can't be told whether the provider did what it was
asked for, a fresh list decides.
"""

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from http import HTTPStatus
from typing import Any, Concatenate

from homeassistant.exceptions import HomeAssistantError, ServiceValidationError

from .api import (
    AzireVPNError,
    CreatedPort,
    InvalidResponseError,
    NotFoundError,
    PortForwarding,
    PortList,
    QuotaError,
    ResponseError,
    TransportError,
)
from .connection import ConnectionCoordinator
from .const import DOMAIN
from .issues import async_quota_reached

# What a connection may have (in-the-field.md); what the provider says to a sixth is
# not known.
MOST_PORTS = 5


type Change[**P, R] = Callable[
    Concatenate[ConnectionCoordinator, P], Coroutine[Any, Any, R]
]


def _one_at_a_time[**P, R](change: Change[P, R]) -> Change[P, R]:
    """Let a change come to its end, before any other and before the next list.

    Whoever asked for it may be cancelled meanwhile, but what was sent can't be taken
    back: a port that was hidden and then forgotten could not be found again.
    """

    @wraps(change)
    async def to_the_end(
        connection: ConnectionCoordinator, /, *args: P.args, **kwargs: P.kwargs
    ) -> R:
        async def locked() -> R:
            async with connection.lock:
                return await change(connection, *args, **kwargs)

        return await asyncio.shield(connection.hass.async_create_task(locked()))

    return to_the_end


@_one_at_a_time
async def async_create_port(
    connection: ConnectionCoordinator,
    *,
    expires_in: int | None = None,
    hidden: bool | None = None,
) -> CreatedPort:
    """Create a port forwarding; it is known at once, without a poll.

    Args:
        connection: what the port is forwarded to.
        expires_in: lifetime in days; None leaves it to the provider.
        hidden: whether the provider leaves it out of its lists.

    Raises:
        AzireVPNError: as `Connection.create_port`; nothing was created.
        ServiceValidationError: the connection has as many ports as it may have.
        HomeAssistantError: it is not known whether a port was created.

    """
    try:
        created = await connection.connection.create_port(
            expires_in=expires_in, hidden=hidden
        )
    except AzireVPNError as err:
        connection.doubt_token(err)
        if isinstance(err, QuotaError):
            async_quota_reached(connection.hass, connection.config_entry, err.message)
        _raise_if_full(connection, err)
        if not _is_lost(err):
            raise
        created = await _async_find_created(connection, err, hidden=hidden)
    await connection.async_change_port(created.port, created.forwarding)
    return created


def _raise_if_full(connection: ConnectionCoordinator, err: AzireVPNError) -> None:
    """Name the likely reason for a refusal, which the interface leaves open."""
    if type(err) is ResponseError and (
        err.status < HTTPStatus.INTERNAL_SERVER_ERROR
        and len(connection.ports) >= MOST_PORTS
    ):
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key="too_many_ports",
            translation_placeholders={
                "count": str(len(connection.ports)),
                "message": err.message,
            },
        ) from err


async def _async_find_created(
    connection: ConnectionCoordinator, err: AzireVPNError, *, hidden: bool | None
) -> CreatedPort:
    """Return the one port that a fresh list has and nobody knew.

    No list has a hidden port, and without an earlier list every port looks new.

    Raises:
        HomeAssistantError: there is none, or more than one, or no list to be had.

    """
    can_tell = connection.was_listed and not hidden
    if can_tell and (found := await _async_list(connection)):
        new = [port for port in found.ports if port.port not in connection.ports]
        if len(new) == 1:
            return CreatedPort(
                port=new[0].port,
                hidden=new[0].hidden,
                expires_at=new[0].expires_at,
                internal_ipv4=found.internal_ipv4,
                internal_ipv6=found.internal_ipv6,
            )
    raise HomeAssistantError(
        translation_domain=DOMAIN, translation_key="create_unknown"
    ) from err


@_one_at_a_time
async def async_hide_port(
    connection: ConnectionCoordinator, number: int
) -> PortForwarding:
    """Hide a port; it is remembered before this is reported as done.

    Where neither the answer nor a list is to be had, a known port counts as hidden until
    a list shows it: a port that was forgotten could not be found again.

    Raises:
        AzireVPNError: as `Connection.hide_port`.

    """
    known = connection.ports.get(number)
    hidden = PortForwarding(
        port=number,
        hidden=True,
        expires_at=known.forwarding.expires_at if known else None,
    )
    doubt: AzireVPNError | None = None
    try:
        answer = await connection.connection.hide_port(number)
    except AzireVPNError as err:
        connection.doubt_token(err)
        # A port that nobody knew is missing from a list, whether it exists or not.
        is_lost = known is not None and _is_lost(err)
        found = await _async_list(connection) if is_lost else None
        if not is_lost or _is_listed(number, found):
            raise
        doubt = None if found else err
    else:
        if answer.expires_at:
            hidden = answer
    await connection.async_change_port(number, hidden)
    if doubt:
        raise doubt
    return hidden


@_one_at_a_time
async def async_delete_port(connection: ConnectionCoordinator, number: int) -> None:
    """Delete a port; its device goes at once.

    Raises:
        AzireVPNError: as `Connection.delete_port`.

    """
    known = connection.ports.get(number)
    is_hidden = known is not None and known.forwarding.hidden
    try:
        await connection.connection.delete_port(number)
    except NotFoundError:
        # What is remembered of a hidden port can't be corrected by any list.
        if not is_hidden:
            connection.async_look_again()
            raise
    except AzireVPNError as err:
        connection.doubt_token(err)
        found = await _async_list(connection) if _is_lost(err) else None
        if found is None or is_hidden or _is_listed(number, found):
            raise
    await connection.async_change_port(number, None)


def _is_lost(err: AzireVPNError) -> bool:
    """Tell whether the provider may have done what it was asked for."""
    if isinstance(err, TransportError):
        return err.sent
    if isinstance(err, ResponseError):
        return err.status >= HTTPStatus.INTERNAL_SERVER_ERROR
    return isinstance(err, InvalidResponseError)


def _is_listed(number: int, found: PortList | None) -> bool:
    """Tell whether a list has a port."""
    return found is not None and any(port.port == number for port in found.ports)


async def _async_list(connection: ConnectionCoordinator) -> PortList | None:
    """Return a fresh list, or None where there is none to be had."""
    try:
        return await connection.connection.list_ports()
    except AzireVPNError:
        return None
