"""What an account's entities show, also of an account that is out of the ordinary."""

from collections.abc import Callable
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr, entity_registry as er
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.azirevpn.const import DOMAIN
from tests.conftest import ME, settled, state_of
from tests.fake_provider import Account, FakeProvider, Fault
from tests.owner import Owner, in_days

EXPIRING = "binary_sensor.ada_subscription_expiring"
EXPIRY = "sensor.ada_subscription_expiry"


@pytest.fixture
async def with_all(hass: HomeAssistant, quiet: MockConfigEntry) -> MockConfigEntry:
    """Return the account set up, with the entities that are off by default."""
    registry = er.async_get(hass)
    for platform, key in (
        ("sensor", "currency"),
        ("sensor", "created"),
        ("sensor", "email"),
        ("binary_sensor", "old_pricing"),
    ):
        registry.async_get_or_create(
            platform,
            DOMAIN,
            f"{quiet.unique_id}_{key}",
            config_entry=quiet,
            disabled_by=None,
            object_id_base=f"ada_{key}",
        )
    assert await hass.config_entries.async_setup(quiet.entry_id)
    await settled(hass)
    return quiet


async def test_ordinary(
    hass: HomeAssistant, account: Account, with_all: MockConfigEntry
) -> None:
    """An account in order looks like this."""
    assert {
        state.entity_id: state.state
        for state in hass.states.async_all()
        if "ada" in state.entity_id
    } == {
        "binary_sensor.ada_active": "on",
        "binary_sensor.ada_email_verified": "on",
        "binary_sensor.ada_old_pricing": "off",
        "binary_sensor.ada_subscribed": "on",
        EXPIRING: "off",
        "calendar.ada_expiries": "off",
        "sensor.ada_created": state_of(hass, "sensor.ada_created"),
        "sensor.ada_currency": "EUR",
        "sensor.ada_email": "ada@example.org",
        "sensor.ada_ips_allocated": "1",
        "sensor.ada_ips_available": "5",
        EXPIRY: "2027-11-21T06:00:00+00:00",
    }


@pytest.mark.parametrize(
    ("days", "state"),
    [(14.1, "off"), (14, "on"), (13.9, "on"), (0.5, "on"), (0, "on"), (-3000, "on")],
)
async def test_expiring(
    hass: HomeAssistant,
    account: Account,
    quiet: MockConfigEntry,
    days: float,
    state: str,
) -> None:
    """A subscription is expiring within two weeks of its end, and after it."""
    account.expires_at = in_days(days)
    assert await hass.config_entries.async_setup(quiet.entry_id)
    await settled(hass)
    assert state_of(hass, EXPIRING) == state
    assert state_of(hass, EXPIRY) not in ("unknown", "unavailable")


async def test_begins_to_expire(
    hass: HomeAssistant, owner: Owner, account: Account, watched: MockConfigEntry
) -> None:
    """Nothing but time has to change for a subscription to be expiring."""
    account.expires_at = in_days(15)
    await owner.wait(hours=1.1)
    assert state_of(hass, EXPIRING) == "off"
    await owner.wait(hours=23)
    assert state_of(hass, EXPIRING) == "on"


@pytest.mark.parametrize("expires_at", [0, None])
async def test_no_end(
    hass: HomeAssistant,
    account: Account,
    quiet: MockConfigEntry,
    expires_at: int | None,
) -> None:
    """An access without an end is unknown to expire, and never does."""
    account.expires_at = expires_at
    assert await hass.config_entries.async_setup(quiet.entry_id)
    await settled(hass)
    assert state_of(hass, EXPIRY) == "unknown"
    assert state_of(hass, EXPIRING) == "off"


@pytest.mark.parametrize(
    ("change", "entity_id", "state"),
    [
        ({"currency": "DKK"}, "sensor.ada_currency", "DKK"),
        ({"currency": "USD"}, "sensor.ada_currency", "USD"),
        ({"email": None}, "sensor.ada_email", "unknown"),
        ({"is_active": False}, "binary_sensor.ada_active", "off"),
        ({"is_subscribed": False}, "binary_sensor.ada_subscribed", "off"),
        ({"is_oldschool": True}, "binary_sensor.ada_old_pricing", "on"),
        ({"is_email_verified": False}, "binary_sensor.ada_email_verified", "off"),
        ({"ips_allocated": 0}, "sensor.ada_ips_allocated", "0"),
        ({"ips_available": 0}, "sensor.ada_ips_available", "0"),
    ],
)
async def test_change(
    hass: HomeAssistant,
    owner: Owner,
    account: Account,
    with_all: MockConfigEntry,
    change: dict[str, Any],
    entity_id: str,
    state: str,
) -> None:
    """What changes elsewhere is shown within the hour."""
    for name, value in change.items():
        setattr(account, name, value)
    await owner.wait(hours=1.1)
    assert state_of(hass, entity_id) == state


@pytest.mark.parametrize(
    ("strange", "entity_id"),
    [
        (lambda user: user | {"is_active": None}, "binary_sensor.ada_active"),
        (lambda user: user | {"ips": []}, "sensor.ada_ips_allocated"),
        (lambda user: user | {"ips": None}, "sensor.ada_ips_available"),
        (
            lambda user: {key: value for key, value in user.items() if key != "email"},
            "sensor.ada_email",
        ),
    ],
)
async def test_not_told(
    hass: HomeAssistant,
    owner: Owner,
    provider: FakeProvider,
    account: Account,
    with_all: MockConfigEntry,
    strange: Callable[[dict[str, Any]], dict[str, Any]],
    entity_id: str,
) -> None:
    """What the service does not tell is unknown, and everything else is as it was."""
    user = {
        "username": "ada",
        "email": "ada@example.org",
        "currency": "EUR",
        "is_email_verified": True,
        "is_active": True,
        "is_oldschool": False,
        "is_subscribed": True,
        "ips": {"allocated": 1, "available": 5},
        "created_at": account.created_at,
        "expires_at": account.expires_at,
    }
    provider.fail(ME, Fault.wrong_shape(strange(user)))
    await owner.wait(hours=1.1)
    assert state_of(hass, entity_id) == "unknown"
    assert state_of(hass, "binary_sensor.ada_subscribed") == "on"


async def test_username_changed_elsewhere(
    hass: HomeAssistant, owner: Owner, account: Account, watched: MockConfigEntry
) -> None:
    """Title and device are called after the account, entities stay what they are."""
    account.username = "lovelace"
    await owner.wait(hours=1.1)
    assert watched.title == "lovelace"
    device = dr.async_get(hass).async_get_device_by_identifier(
        (DOMAIN, str(watched.unique_id)), watched.entry_id
    )
    assert device is not None
    assert device.name == "lovelace"
    state = hass.states.get("binary_sensor.ada_active")
    assert state is not None
    assert state.state == "on"
    assert state.name == "lovelace Active"
    assert hass.config_entries.async_entries(DOMAIN) == [watched]


async def test_name_given_by_owner(
    hass: HomeAssistant, owner: Owner, account: Account, watched: MockConfigEntry
) -> None:
    """A name that the owner gave to the device outlives another username."""
    registry = dr.async_get(hass)
    device = registry.async_get_device_by_identifier(
        (DOMAIN, str(watched.unique_id)), watched.entry_id
    )
    assert device is not None
    registry.async_update_device(device.id, name_by_user="My VPN")
    account.username = "lovelace"
    await owner.wait(hours=1.1)
    state = hass.states.get("binary_sensor.ada_active")
    assert state is not None
    assert state.name == "My VPN Active"
