"""Diagnostics of a device tell of it what helps, and nothing that is private."""

import json
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from pytest_homeassistant_custom_component.components.diagnostics import (
    get_diagnostics_for_config_entry,
)
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.azirevpn.const import DOMAIN
from tests.conftest import CONNECTION_ID, EXIT_IP, PORTS, later, settled
from tests.fake_provider import Account, Address, FakeProvider, Fault, Tunnel

HIDDEN = "**REDACTED**"
OPTIONS = {"account_warning_days": 30, "port_warning_days": 5, "check_ports": True}


@pytest.fixture
async def guarded(provider: FakeProvider) -> Tunnel:
    """Open a tunnel whose proxy wants credentials."""
    return await provider.open_tunnel(EXIT_IP, "proxy-user", "pr0xy-word")


@pytest.fixture
async def private(
    hass: HomeAssistant,
    provider: FakeProvider,
    account: Account,
    address: Address,
    guarded: Tunnel,
    entry: MockConfigEntry,
) -> MockConfigEntry:
    """Return an account about to end, with much to keep to itself, set up."""
    account.username = "ada-lovelace"
    account.expires_at = int(provider.clock.now()) + 10 * 86_400
    address.add_port(61001, expires_at=1_900_000_000)
    await provider.listen(guarded.exit_ip, 61001)
    subentry = entry.subentries[CONNECTION_ID]
    hass.config_entries.async_update_subentry(
        entry,
        subentry,
        data={**subentry.data, "proxy_url": guarded.url_with_credentials},
    )
    hass.config_entries.async_update_entry(entry, options=OPTIONS)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await settled(hass)
    return entry


def device_of(
    hass: HomeAssistant, entry: MockConfigEntry, kind: str
) -> dr.AnyDeviceEntry:
    """Return the device of the account, the connection or the port."""
    registry = dr.async_get(hass)
    device: dr.AnyDeviceEntry | None
    if kind == "port":
        device = registry.async_get_child_device_by_identifier(
            (DOMAIN, f"{CONNECTION_ID}_61001"), entry.entry_id
        )
    else:
        device = registry.async_get_device_by_identifier(
            (DOMAIN, CONNECTION_ID if kind == "connection" else str(entry.unique_id)),
            entry.entry_id,
        )
    assert device is not None
    return device


async def download(
    hass: HomeAssistant,
    hass_client: ClientSessionGenerator,
    entry: MockConfigEntry,
    kind: str,
) -> tuple[dict[str, Any], str]:
    """Return the diagnostics of a device, and all of the file that holds them."""
    assert await async_setup_component(hass, "diagnostics", {})
    client = await hass_client()
    answer = await client.get(
        f"/api/diagnostics/config_entry/{entry.entry_id}"
        f"/device/{device_of(hass, entry, kind).id}"
    )
    assert answer.status == 200
    text = await answer.text()
    data: dict[str, Any] = json.loads(text)["data"]
    return data, text


def assert_private(text: str, account: Account, tunnel: Tunnel) -> None:
    """Make sure that a text tells neither who nor where the user is."""
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
        "proxy-user",
        "pr0xy-word",
        tunnel.exit_ip,
    ):
        assert private is not None
        assert private not in text


async def test_account(
    hass: HomeAssistant,
    hass_client: ClientSessionGenerator,
    account: Account,
    guarded: Tunnel,
    private: MockConfigEntry,
) -> None:
    """The account's device tells of the account."""
    data, text = await download(hass, hass_client, private, "account")
    assert_private(text, account, guarded)
    assert data["last_update_success"] is True
    assert data["data"]["expiring"] is True
    assert data["data"]["ended"] is False
    assert data["data"]["user"]["username"] == HIDDEN
    assert data["data"]["user"]["email"] == HIDDEN
    assert data["data"]["user"]["currency"] == "EUR"
    assert data["rate_limit"]["limit"] == 60
    # The issue stands in the file, too, without its words
    assert "subscription_expiring" in text


@pytest.mark.parametrize("kind", ["connection", "port"])
async def test_connection(
    hass: HomeAssistant,
    hass_client: ClientSessionGenerator,
    account: Account,
    guarded: Tunnel,
    private: MockConfigEntry,
    kind: str,
) -> None:
    """A connection's device and those of its ports tell of the connection."""
    data, text = await download(hass, hass_client, private, kind)
    assert_private(text, account, guarded)
    assert data["last_update_success"] is True
    assert data["last_error"] is None
    assert data["subentry"] == {"internal_ipv4": HIDDEN, "proxy_url": HIDDEN}
    assert data["data"]["tunnel"] is True
    assert data["data"]["public_ip"] == HIDDEN
    assert data["data"]["ports"]["61001"]["reachable"] is True


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault.status(500), "ResponseError"),
        (Fault.reset(), "TransportError"),
        (Fault.not_json(), "InvalidResponseError"),
        (Fault.status(403), "NotConnectedError"),
        (None, "ProxyError"),
    ],
)
async def test_failing_connection(
    hass: HomeAssistant,
    hass_client: ClientSessionGenerator,
    provider: FakeProvider,
    account: Account,
    guarded: Tunnel,
    private: MockConfigEntry,
    fault: Fault | None,
    error: str,
) -> None:
    """What is wrong with a connection is told, without a word about where it leads."""
    if fault:
        provider.fail(PORTS, fault, times=9)
    else:
        await guarded.close()
    await later(hass, minutes=6)
    for kind in ("connection", "port"):
        data, text = await download(hass, hass_client, private, kind)
        assert_private(text, account, guarded)
        assert data["last_error"] == error


async def test_never_connected(
    hass: HomeAssistant,
    hass_client: ClientSessionGenerator,
    provider: FakeProvider,
    entry: MockConfigEntry,
) -> None:
    """A connection of which nothing is known yet has diagnostics all the same."""
    provider.fail(PORTS, Fault.status(500))
    assert await hass.config_entries.async_setup(entry.entry_id)
    await settled(hass)
    data, _ = await download(hass, hass_client, entry, "connection")
    assert data["data"] is None
    assert data["last_error"] == "ResponseError"


async def test_entry(
    hass: HomeAssistant,
    hass_client: ClientSessionGenerator,
    account: Account,
    guarded: Tunnel,
    private: MockConfigEntry,
) -> None:
    """The diagnostics of the whole entry hold its options."""
    data: Any = await get_diagnostics_for_config_entry(hass, hass_client, private)
    assert_private(json.dumps(data), account, guarded)
    assert data["options"] == OPTIONS
    assert len(data["connections"]) == 1


async def test_without_rate_limit(
    hass: HomeAssistant,
    hass_client: ClientSessionGenerator,
    private: MockConfigEntry,
) -> None:
    """A service that tells of no limit is no problem."""
    private.runtime_data.account.client.rate_limit = None
    data, _ = await download(hass, hass_client, private, "account")
    assert data["rate_limit"] is None
