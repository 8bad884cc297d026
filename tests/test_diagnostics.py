"""Diagnostics help to find a fault, and tell nothing that is private."""

import json
from typing import Any

from homeassistant.core import HomeAssistant
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from pytest_homeassistant_custom_component.components.diagnostics import (
    get_diagnostics_for_config_entry,
)
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from tests.conftest import CONNECTION_ID, EXIT_IP, PORTS, later, settled
from tests.fake_provider import Account, Address, FakeProvider, Fault, Tunnel

HIDDEN = "**REDACTED**"


@pytest.fixture
async def guarded(
    hass: HomeAssistant, provider: FakeProvider, entry: MockConfigEntry
) -> Tunnel:
    """Let the connection go by a proxy that wants credentials."""
    tunnel = await provider.open_tunnel(EXIT_IP, "proxy-user", "pr0xy-word")
    subentry = entry.subentries[CONNECTION_ID]
    hass.config_entries.async_update_subentry(
        entry,
        subentry,
        data={**subentry.data, "proxy_url": tunnel.url_with_credentials},
    )
    return tunnel


def assert_private(
    diagnostics: Any, provider: FakeProvider, account: Account, tunnel: Tunnel
) -> None:
    """Make sure that nothing in the diagnostics tells who and where the user is."""
    text = json.dumps(diagnostics)
    [address] = account.addresses.values()
    for private in (
        account.token,
        account.username,
        account.email,
        account.password,
        str(account.created_at),
        address.internal_ipv4,
        address.internal_ipv6,
        tunnel.url,
        tunnel.url_with_credentials,
        "proxy-user",
        "pr0xy-word",
        tunnel.exit_ip,
    ):
        assert private is not None
        assert private not in text


async def test_complete(
    hass: HomeAssistant,
    hass_client: ClientSessionGenerator,
    provider: FakeProvider,
    account: Account,
    address: Address,
    guarded: Tunnel,
    entry: MockConfigEntry,
) -> None:
    """What is known is told, but for what is private."""
    account.username = "ada-lovelace"
    address.add_port(61001, expires_at=1_900_000_000)
    await provider.listen(guarded.exit_ip, 61001)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await settled(hass)
    diagnostics: Any = await get_diagnostics_for_config_entry(hass, hass_client, entry)
    assert_private(diagnostics, provider, account, guarded)
    assert diagnostics["entry"] == {
        "access_token": HIDDEN,
        "base_url": provider.url,
        "manager_url": provider.manager_url,
    }
    user = diagnostics["account"]["data"]["user"]
    expires_at = user.pop("expires_at")
    assert expires_at.startswith("20")
    assert diagnostics["account"]["last_update_success"] is True
    assert diagnostics["account"]["data"] == {
        "expiring": False,
        "ended": False,
        "user": {
            "username": HIDDEN,
            "email": HIDDEN,
            "currency": "EUR",
            "is_email_verified": True,
            "is_active": True,
            "is_oldschool": False,
            "is_subscribed": True,
            "ips_allocated": 1,
            "ips_available": 5,
            "created_at": HIDDEN,
        },
    }
    [connection] = diagnostics["connections"]
    assert connection["last_update_success"] is True
    assert connection["last_error"] is None
    assert connection["subentry"] == {"internal_ipv4": HIDDEN, "proxy_url": HIDDEN}
    assert connection["data"] == {
        "tunnel": True,
        "internal_ipv6": HIDDEN,
        "public_ip": HIDDEN,
        "ports": {
            "61001": {
                "forwarding": {
                    "port": 61001,
                    "hidden": False,
                    "expires_at": "2030-03-17T17:46:40+00:00",
                },
                "reachable": True,
                "answered": True,
                "expiring": False,
            }
        },
    }
    rate_limit = diagnostics["account"]["rate_limit"]
    assert rate_limit["limit"] == 60
    assert rate_limit["remaining"] < 60


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        pytest.param(None, "ProxyError", id="proxy closed"),
        pytest.param(Fault.reset(), "TransportError", id="reset"),
        pytest.param(Fault.status(500), "ResponseError", id="status 500"),
        pytest.param(Fault.truncated(), "InvalidResponseError", id="truncated"),
    ],
)
@pytest.mark.parametrize("failing", ["from the start", "later"])
async def test_during_outage(
    hass: HomeAssistant,
    hass_client: ClientSessionGenerator,
    provider: FakeProvider,
    account: Account,
    guarded: Tunnel,
    entry: MockConfigEntry,
    failing: str,
    fault: Fault | None,
    error: str,
) -> None:
    """A connection that fails is told of, with its last error and in privacy."""
    account.username = "ada-lovelace"
    if failing == "later":
        assert await hass.config_entries.async_setup(entry.entry_id)
        await settled(hass)
    if fault is None:
        await guarded.close()
    else:
        provider.fail(PORTS, fault, times=99)
    if failing == "later":
        await later(hass, minutes=6)
    else:
        assert await hass.config_entries.async_setup(entry.entry_id)
        await settled(hass)
    diagnostics: Any = await get_diagnostics_for_config_entry(hass, hass_client, entry)
    assert_private(diagnostics, provider, account, guarded)
    [connection] = diagnostics["connections"]
    if fault is None:
        assert connection["data"]["tunnel"] is False
    else:
        assert connection["last_update_success"] is False
    assert connection["last_error"] == error


async def test_without_rate_limit(
    hass: HomeAssistant,
    hass_client: ClientSessionGenerator,
    provider: FakeProvider,
    loaded: MockConfigEntry,
) -> None:
    """A provider that tells of no limit is no problem."""
    loaded.runtime_data.account.client.rate_limit = None
    diagnostics: Any = await get_diagnostics_for_config_entry(hass, hass_client, loaded)
    assert diagnostics["account"]["rate_limit"] is None
