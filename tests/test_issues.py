"""What an account's owner should see to is raised as an issue, and cleared by itself."""

from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.azirevpn.const import DOMAIN
from tests.conftest import CONNECTION_ID, settled
from tests.fake_provider import Account, Address, FakeProvider, Tunnel
from tests.owner import Owner, in_days


async def test_all_is_well(owner: Owner, watched: MockConfigEntry) -> None:
    """Nobody is bothered without a reason."""
    assert not owner.issues()


async def test_subscription(
    owner: Owner, account: Account, watched: MockConfigEntry
) -> None:
    """A subscription that ends is told before and after, and not once it is renewed."""
    account.expires_at = in_days(14.5)
    await owner.wait(hours=1.1)
    assert not owner.issues()
    await owner.wait(hours=11)
    [issue] = owner.issues()
    assert await owner.titles() == ["The subscription of ada ends on 2026-12-05"]
    assert issue.is_fixable
    assert issue.severity is ir.IssueSeverity.WARNING
    assert not issue.is_persistent

    await owner.wait(days=15)
    assert await owner.titles() == ["The subscription of ada ended on 2026-12-05"]

    account.expires_at = in_days(365)
    await owner.wait(hours=1.1)
    assert not owner.issues()


@pytest.mark.parametrize(("days", "raised"), [(31, True), (29, False), (0, False)])
async def test_account_warning_days(
    hass: HomeAssistant,
    owner: Owner,
    account: Account,
    quiet: MockConfigEntry,
    days: int,
    *,
    raised: bool,
) -> None:
    """The owner chooses how long before the end it is told."""
    account.expires_at = in_days(30)
    hass.config_entries.async_update_entry(
        quiet, options={"account_warning_days": days}
    )
    assert await hass.config_entries.async_setup(quiet.entry_id)
    await settled(hass)
    assert bool(owner.issues()) is raised
    await owner.wait(days=30, hours=1.1)
    assert await owner.titles() == ["The subscription of ada ended on 2026-12-21"]


async def test_no_end(owner: Owner, account: Account, watched: MockConfigEntry) -> None:
    """An access without an end never comes close to it."""
    account.expires_at = None
    await owner.wait(hours=1.1)
    assert not owner.issues()


async def test_local_day(
    hass: HomeAssistant, owner: Owner, account: Account, quiet: MockConfigEntry
) -> None:
    """The day is the one that it is where the house is."""
    await hass.config.async_set_time_zone("Pacific/Auckland")
    account.expires_at = in_days(0.6)
    assert await hass.config_entries.async_setup(quiet.entry_id)
    await settled(hass)
    assert await owner.titles() == ["The subscription of ada ends on 2026-11-22"]


async def test_email(owner: Owner, account: Account, watched: MockConfigEntry) -> None:
    """An email is waited for only where it keeps the account from its access."""
    account.is_email_verified = False
    await owner.wait(hours=1.1)
    assert not owner.issues()
    account.is_active = False
    await owner.wait(hours=1.1)
    [issue] = owner.issues()
    assert await owner.titles() == ["The email of ada is not verified"]
    assert "before ada@example.org is verified" in await owner.words(
        issue, "fix_flow", "step", "confirm", "description"
    )
    account.is_email_verified = account.is_active = True
    await owner.wait(hours=1.1)
    assert not owner.issues()


async def test_no_email(
    owner: Owner, account: Account, watched: MockConfigEntry
) -> None:
    """Where there is no email, none can be verified."""
    account.email = None
    account.is_email_verified = account.is_active = False
    await owner.wait(hours=1.1)
    assert not owner.issues()


@pytest.mark.parametrize("gone", ["deleted", "expired"])
async def test_port(
    owner: Owner, address: Address, watched: MockConfigEntry, gone: str
) -> None:
    """A port that expires is told until it is gone."""
    address.add_port(61001, expires_at=in_days(3.5))
    address.add_port(61002, expires_at=in_days(30))
    await owner.wait(minutes=6)
    assert not owner.issues()
    await owner.wait(hours=12)
    assert await owner.titles() == ["Port 61001 of Home expires on 2026-11-24"]
    if gone == "deleted":
        del address.ports[61001]
        await owner.wait(minutes=6)
    else:
        await owner.wait(days=3)
    assert not owner.issues()


async def test_hidden_port(
    hass: HomeAssistant,
    owner: Owner,
    address: Address,
    watched: MockConfigEntry,
) -> None:
    """A hidden port is told as well, though no list has it."""
    port = address.add_port(61001, expires_at=in_days(3.5))
    await owner.wait(minutes=6)
    port.hidden = True
    await hass.services.async_call(
        DOMAIN,
        "hide_port",
        {
            "device_id": watched.runtime_data.connections[CONNECTION_ID].device_id,
            "port": 61001,
        },
        blocking=True,
    )
    await owner.wait(hours=12)
    assert await owner.titles() == ["Port 61001 of Home expires on 2026-11-24"]


@pytest.mark.parametrize(("days", "raised"), [(10, True), (8, False), (0, False)])
async def test_port_warning_days(
    hass: HomeAssistant,
    owner: Owner,
    address: Address,
    quiet: MockConfigEntry,
    days: int,
    *,
    raised: bool,
) -> None:
    """The owner chooses how long before its expiry a port is told."""
    address.add_port(61001, expires_at=in_days(9))
    hass.config_entries.async_update_entry(quiet, options={"port_warning_days": days})
    assert await hass.config_entries.async_setup(quiet.entry_id)
    await settled(hass)
    assert bool(owner.issues()) is raised


async def test_tunnel_down(
    owner: Owner, address: Address, tunnel: Tunnel, watched: MockConfigEntry
) -> None:
    """While a port can't be asked about, it is still about to expire."""
    address.add_port(61001, expires_at=in_days(2))
    await owner.wait(minutes=6)
    await tunnel.close()
    await owner.wait(minutes=6)
    assert await owner.titles() == ["Port 61001 of Home expires on 2026-11-23"]


async def test_provider_down(
    owner: Owner,
    provider: FakeProvider,
    account: Account,
    watched: MockConfigEntry,
) -> None:
    """An outage raises and clears nothing."""
    account.expires_at = in_days(10)
    await owner.wait(hours=1.1)
    before = await owner.titles()
    assert before
    account.expires_at = in_days(365)
    await provider.stop()
    await owner.wait(hours=1.1)
    assert await owner.titles() == before
