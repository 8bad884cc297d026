"""The system's page shows whether the service can be reached, and how much there is."""

from typing import Any

from aiohttp import ClientError
from homeassistant.core import HomeAssistant
from homeassistant.helpers.translation import async_get_translations
from homeassistant.setup import async_setup_component
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    get_system_health_info,
)
from pytest_homeassistant_custom_component.test_util.aiohttp import AiohttpClientMocker

from custom_components.azirevpn.api import DEFAULT_BASE_URL
from custom_components.azirevpn.const import DOMAIN
from tests.conftest import account_data, add_connection, later, settled
from tests.fake_provider import Account, Address, FakeProvider, Tunnel


async def info(hass: HomeAssistant) -> dict[str, Any]:
    """Return what the page shows, once all that takes time is there."""
    assert await async_setup_component(hass, "system_health", {})
    await settled(hass)
    shown: dict[str, Any] = await get_system_health_info(hass, DOMAIN)
    return shown | {"can_reach_server": await shown["can_reach_server"]}


async def test_all_is_well(
    hass: HomeAssistant,
    account: Account,
    address: Address,
    tunnel: Tunnel,
    loaded: MockConfigEntry,
) -> None:
    """Accounts, connections, tunnels and ports are counted, each with a name."""
    away = account.add_address("10.0.131.177")
    add_connection(hass, loaded, away.internal_ipv4, tunnel.url)
    address.add_port(61001)
    away.add_port(61002)
    away.add_port(61003)
    await settled(hass)
    await later(hass, minutes=6)
    shown = await info(hass)
    assert shown == {
        "can_reach_server": "ok",
        "accounts": 1,
        "connections": 2,
        "tunnels": 2,
        "ports": 3,
    }
    texts = await async_get_translations(hass, "en", "system_health", {DOMAIN})
    assert set(texts) == {
        f"component.{DOMAIN}.system_health.info.{figure}" for figure in shown
    }


async def test_outage(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    loaded: MockConfigEntry,
) -> None:
    """What can't be reached is told, and no tunnel counts as up."""
    address.add_port(61001)
    await later(hass, minutes=6)
    await provider.stop()
    await later(hass, minutes=6)
    assert await info(hass) == {
        "can_reach_server": {"type": "failed", "error": "unreachable"},
        "accounts": 1,
        "connections": 1,
        "tunnels": 0,
        "ports": 1,
    }


async def test_two_accounts(
    hass: HomeAssistant, provider: FakeProvider, loaded: MockConfigEntry
) -> None:
    """Accounts that work are counted, others are not."""
    for works in (True, False):
        account = provider.add_account(f"grace {works}")
        data = account_data(provider, account)
        other = MockConfigEntry(
            domain=DOMAIN,
            unique_id=str(account.created_at),
            data=data if works else data | {"access_token": "wrong"},
        )
        other.add_to_hass(hass)
        assert await hass.config_entries.async_setup(other.entry_id) is works
    await settled(hass)
    shown = await info(hass)
    assert shown["accounts"] == 2
    assert shown["connections"] == 1


async def test_no_account(
    hass: HomeAssistant,
    enable_custom_integrations: None,
    aioclient_mock: AiohttpClientMocker,
) -> None:
    """Without an account that works, it is the usual service that is tried."""
    assert await async_setup_component(hass, DOMAIN, {})
    # The internet is nothing for a test
    aioclient_mock.get(DEFAULT_BASE_URL, exc=ClientError)
    assert await info(hass) == {
        "can_reach_server": {"type": "failed", "error": "unreachable"},
        "accounts": 0,
        "connections": 0,
        "tunnels": 0,
        "ports": 0,
    }
    assert aioclient_mock.call_count == 1
