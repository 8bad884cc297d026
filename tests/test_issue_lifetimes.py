"""How long issues last: over reloads, to the end of the day, or as long as an account."""

from homeassistant.config_entries import ConfigEntryDisabler
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import issue_registry as ir
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.azirevpn.const import DOMAIN
from tests.conftest import CONNECTION_ID, account_data, add_connection, settled
from tests.fake_provider import Account, Address, FakeProvider
from tests.owner import Owner, in_days


async def test_ignored(
    hass: HomeAssistant,
    owner: Owner,
    account: Account,
    address: Address,
    watched: MockConfigEntry,
) -> None:
    """What was ignored stays so over polls and reloads, until it is a new matter."""
    account.expires_at = in_days(10)
    address.add_port(61001, expires_at=in_days(2))
    await owner.wait(hours=1.1)
    for issue in owner.issues():
        ir.async_ignore_issue(hass, DOMAIN, issue.issue_id, ignore=True)
    await owner.wait(hours=1.1)
    assert await hass.config_entries.async_reload(watched.entry_id)
    await settled(hass)
    assert [issue.dismissed_version is None for issue in owner.issues()] == [
        False,
        False,
    ]
    account.expires_at = in_days(365)
    await owner.wait(hours=1.1)
    account.expires_at = in_days(10)
    await owner.wait(hours=1.1)
    assert [issue.dismissed_version is None for issue in owner.issues()] == [
        False,
        True,
    ]


async def create_port(hass: HomeAssistant) -> None:
    """Press the button that creates a port."""
    await hass.services.async_call(
        "button",
        "press",
        {"entity_id": "button.home_create_port"},
        blocking=True,
    )


@pytest.mark.parametrize("reloaded", [False, True])
async def test_quota(
    hass: HomeAssistant,
    owner: Owner,
    provider: FakeProvider,
    watched: MockConfigEntry,
    *,
    reloaded: bool,
) -> None:
    """That no more ports can be created is told until the day is over in UTC."""
    provider.daily_quota = 0
    with pytest.raises(HomeAssistantError, match="todays limit reached"):
        await create_port(hass)
    [issue] = owner.issues()
    assert await owner.titles() == ["ada can create no more ports today"]
    assert "and said: todays limit reached\n" in await owner.words(issue, "description")
    assert not issue.is_fixable
    if reloaded:
        assert await hass.config_entries.async_reload(watched.entry_id)
        await settled(hass)
    await owner.wait(hours=17, minutes=59)
    assert owner.issues() == [issue]
    await owner.wait(minutes=1)
    assert not owner.issues()


@pytest.fixture
async def second(
    hass: HomeAssistant, provider: FakeProvider, owner: Owner
) -> MockConfigEntry:
    """Return another account that is about to end, set up."""
    account = provider.add_account("grace")
    account.expires_at = in_days(5)
    second = MockConfigEntry(
        domain=DOMAIN,
        title="grace",
        unique_id=str(account.created_at),
        data=account_data(provider, account),
    )
    second.add_to_hass(hass)
    assert await hass.config_entries.async_setup(second.entry_id)
    await settled(hass)
    return second


async def raise_all(
    hass: HomeAssistant,
    owner: Owner,
    provider: FakeProvider,
    account: Account,
    address: Address,
) -> None:
    """Let everything be raised for ada that can be at a time."""
    account.expires_at = in_days(10)
    account.is_email_verified = account.is_active = False
    address.add_port(61001, expires_at=in_days(2))
    await owner.wait(hours=1.1)
    provider.daily_quota = 0
    with pytest.raises(HomeAssistantError, match="todays limit reached"):
        await create_port(hass)


GRACE = "The subscription of grace ends on 2026-11-26"


@pytest.mark.parametrize("how", ["removed", "disabled"])
async def test_account_goes(
    hass: HomeAssistant,
    owner: Owner,
    provider: FakeProvider,
    account: Account,
    address: Address,
    watched: MockConfigEntry,
    second: MockConfigEntry,
    how: str,
) -> None:
    """With an account go its issues, and only its own."""
    await raise_all(hass, owner, provider, account, address)
    assert len(owner.issues()) == 5
    if how == "removed":
        await hass.config_entries.async_remove(watched.entry_id)
    else:
        await hass.config_entries.async_set_disabled_by(
            watched.entry_id, ConfigEntryDisabler.USER
        )
    await settled(hass)
    assert await owner.titles() == [GRACE]
    # The end of the quota finds nothing left to clear
    await owner.wait(hours=23)
    assert await owner.titles() == [GRACE]


async def test_account_is_away(
    hass: HomeAssistant,
    owner: Owner,
    provider: FakeProvider,
    account: Account,
    address: Address,
    watched: MockConfigEntry,
) -> None:
    """What is raised waits while the account is only loaded anew."""
    await raise_all(hass, owner, provider, account, address)
    before = await owner.titles()
    assert len(before) == 4
    assert await hass.config_entries.async_unload(watched.entry_id)
    assert await owner.titles() == before


async def test_connection_goes(
    hass: HomeAssistant,
    owner: Owner,
    provider: FakeProvider,
    account: Account,
    address: Address,
    watched: MockConfigEntry,
) -> None:
    """With a connection go the issues of its ports, and only those."""
    away = account.add_address("10.0.131.177")
    tunnel = provider.tunnels[0]
    add_connection(hass, watched, away.internal_ipv4, tunnel.url)
    address.add_port(61001, expires_at=in_days(2))
    away.add_port(61002, expires_at=in_days(2))
    await settled(hass)
    await owner.wait(minutes=6)
    assert set(await owner.titles()) == {
        "Port 61001 of Home expires on 2026-11-23",
        "Port 61002 of Away expires on 2026-11-23",
    }
    hass.config_entries.async_remove_subentry(watched, CONNECTION_ID)
    await settled(hass)
    assert await owner.titles() == ["Port 61002 of Away expires on 2026-11-23"]


async def test_nothing_private_is_stored(
    hass: HomeAssistant,
    owner: Owner,
    account: Account,
    watched: MockConfigEntry,
) -> None:
    """Issues are raised anew at every start, so their words are not stored."""
    account.is_email_verified = account.is_active = False
    await owner.wait(hours=1.1)
    stored = str(ir.async_get(hass)._data_to_save())
    assert "email_not_verified" in stored
    assert "ada" not in stored
