"""What happens to ports: the difference between what was known and what is now."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from .ports import Port


class PortEventType(StrEnum):
    """What can happen to a port."""

    CREATED = "created"
    REMOVED = "removed"
    EXPIRING = "expiring"
    EXPIRED = "expired"
    OPENED = "opened"
    CLOSED = "closed"
    HIDDEN = "hidden"


class Reason(StrEnum):
    """How it came that a port was created, removed or hidden."""

    REQUESTED = "requested"
    """Someone asked for it in Home Assistant."""

    NOTICED = "noticed"
    """It happened elsewhere, and the provider's list shows it."""


@dataclass(frozen=True, kw_only=True)
class PortEvent:
    """Something that happened to a port."""

    type: PortEventType
    port: int
    expires_at: datetime | None
    reason: Reason | None = None


def port_events(
    before: Mapping[int, Port],
    after: Mapping[int, Port],
    *,
    now: datetime,
    reason: Reason,
) -> Iterator[PortEvent]:
    """Tell what happened to the ports, in the order of their numbers.

    Args:
        before: the ports that were known, by number.
        after: the ports that are known now, by number.
        now: tells a port that expired from one that was removed.
        reason: how it came about.

    """
    for number in sorted(before.keys() | after.keys()):
        old, new = before.get(number), after.get(number)
        for kind in _changes(old, new, now):
            last = new or old
            yield PortEvent(
                type=kind,
                port=number,
                expires_at=last.forwarding.expires_at if last else None,
                reason=reason if kind in WITH_REASON else None,
            )


WITH_REASON = {PortEventType.CREATED, PortEventType.REMOVED, PortEventType.HIDDEN}


def _changes(
    old: Port | None, new: Port | None, now: datetime
) -> Iterator[PortEventType]:
    """Tell what happened to one port."""
    if new is None:
        is_past = old is not None and old.is_past(now)
        yield PortEventType.EXPIRED if is_past else PortEventType.REMOVED
        return
    if old is None:
        yield PortEventType.CREATED
    elif new.forwarding.hidden and not old.forwarding.hidden:
        yield PortEventType.HIDDEN
    if new.expiring and not (old and old.expiring):
        yield PortEventType.EXPIRING
    if old and old.answered is not None and old.answered is not new.answered:
        yield PortEventType.OPENED if new.answered else PortEventType.CLOSED
