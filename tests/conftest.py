"""Fixtures that every test stands on: the fake provider, and a real Home Assistant core."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from datetime import timedelta
from ipaddress import IPv4Address
import os
from types import MappingProxyType
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler
from freezegun.api import FrozenDateTimeFactory
from homeassistant.config_entries import ConfigSubentry, ConfigSubentryDataWithId
from homeassistant.const import EVENT_STATE_CHANGED
from homeassistant.core import (
    Event,
    EventStateChangedData,
    HomeAssistant,
    callback,
)
from homeassistant.data_entry_flow import section
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.translation import async_get_translations
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    MockUser,
    async_fire_time_changed,
)
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator
import pytest_socket

from custom_components.azirevpn.const import (
    CONF_BASE_URL,
    CONF_INTERNAL_IPV4,
    CONF_MANAGER_URL,
    CONF_PROXY_URL,
    DOMAIN,
    SUBENTRY_TYPE_CONNECTION,
)
from tests.fake_provider import FakeProvider, Fault, RecordedRequest
from tests.fake_provider.accounts import Account, Address
from tests.fake_provider.tunnel import Tunnel
from tests.flow_views import Browser
from tests.owner import Owner, in_days

# Tests listen on fixed ports of the tunnels' exits, and may run more than once at a time
EXIT_IP = str(IPv4Address("127.64.0.0") + os.getpid() % 2**22)
OTHER_EXIT_IP = str(IPv4Address("127.128.0.0") + os.getpid() % 2**22)

CONNECTION_ID = "01JHOME00000000000000000000"

ME = "/v3/users/me"
PORTS = "/v3/portforwardings"
CHECK = f"{PORTS}/check/"


@pytest.fixture(autouse=True)
def loopback(socket_enabled: None) -> None:
    """Allow the whole of loopback, where the fake provider's tunnels have their exits.

    The Home Assistant test plugin forbids every socket but those to 127.0.0.1.
    """
    pytest_socket.socket_allow_hosts(["127.0.0.0/8"], allow_unix_socket=True)


@pytest.fixture
async def provider(loopback: None) -> AsyncIterator[FakeProvider]:
    """Serve the provider's interface on loopback."""
    async with FakeProvider() as running:
        yield running


@pytest.fixture
def account(provider: FakeProvider) -> Account:
    """Return an account with 90 days left."""
    return provider.add_account("ada", email="ada@example.org")


@pytest.fixture
def address(account: Account) -> Address:
    """Return the account's address inside its VPN tunnel."""
    return account.add_address("10.0.131.176", device_name="camel")


@pytest.fixture
async def tunnel(provider: FakeProvider) -> Tunnel:
    """Open a tunnel whose proxy Home Assistant can use."""
    return await provider.open_tunnel(EXIT_IP)


def account_data(provider: FakeProvider, account: Account) -> dict[str, str]:
    """Return the data of a config entry for an account."""
    return {
        "access_token": account.token,
        CONF_BASE_URL: provider.url,
        CONF_MANAGER_URL: provider.manager_url,
    }


def connection_subentry(
    address: str,
    proxy_url: str | None,
    *,
    title: str = "Home",
    subentry_id: str = CONNECTION_ID,
) -> ConfigSubentryDataWithId:
    """Return a subentry for a connection."""
    data = {CONF_INTERNAL_IPV4: address}
    if proxy_url:
        data[CONF_PROXY_URL] = proxy_url
    return ConfigSubentryDataWithId(
        data=MappingProxyType(data),
        subentry_id=subentry_id,
        subentry_type=SUBENTRY_TYPE_CONNECTION,
        title=title,
        unique_id=address,
    )


def add_connection(
    hass: HomeAssistant, entry: MockConfigEntry, address: str, proxy_url: str
) -> None:
    """Add a connection called Away."""
    hass.config_entries.async_add_subentry(
        entry,
        ConfigSubentry(
            data=MappingProxyType(
                {CONF_INTERNAL_IPV4: address, CONF_PROXY_URL: proxy_url}
            ),
            subentry_type=SUBENTRY_TYPE_CONNECTION,
            title="Away",
            unique_id=address,
        ),
    )


@pytest.fixture
def entry(
    hass: HomeAssistant,
    enable_custom_integrations: None,
    provider: FakeProvider,
    account: Account,
    address: Address,
    tunnel: Tunnel,
) -> MockConfigEntry:
    """Return the account with its connection, added but not set up."""
    entry = MockConfigEntry(
        domain=DOMAIN,
        title=account.username,
        unique_id=str(int(account.created_at)),
        data=account_data(provider, account),
        subentries_data=[connection_subentry(address.internal_ipv4, tunnel.url)],
    )
    entry.add_to_hass(hass)
    return entry


@pytest.fixture
async def loaded(hass: HomeAssistant, entry: MockConfigEntry) -> MockConfigEntry:
    """Return the account with its connection, set up."""
    assert await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done(wait_background_tasks=True)
    return entry


@pytest.fixture
async def with_port(
    hass: HomeAssistant,
    provider: FakeProvider,
    address: Address,
    tunnel: Tunnel,
    entry: MockConfigEntry,
) -> MockConfigEntry:
    """Return the account, set up with one port that is open."""
    address.add_port(61001, expires_at=1_900_000_000)
    await provider.listen(tunnel.exit_ip, 61001)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await settled(hass)
    return entry


@pytest.fixture
async def owner(hass: HomeAssistant, freezer: FrozenDateTimeFactory) -> Owner:
    """Return the account's owner, in the morning."""
    await hass.config.async_set_time_zone("UTC")
    return Owner(hass, freezer)


@pytest.fixture
def quiet(owner: Owner, account: Account, entry: MockConfigEntry) -> MockConfigEntry:
    """Return the entry, not set up, of an account that has a year left."""
    account.expires_at = in_days(365)
    return entry


@pytest.fixture
async def watched(hass: HomeAssistant, quiet: MockConfigEntry) -> MockConfigEntry:
    """Return the entry of an account that has a year left, set up."""
    assert await hass.config_entries.async_setup(quiet.entry_id)
    await settled(hass)
    return quiet


@pytest.fixture
async def browser(
    hass: HomeAssistant,
    watched: MockConfigEntry,
    hass_client: ClientSessionGenerator,
    hass_admin_user: MockUser,
    owner: Owner,
) -> Browser:
    """Open Home Assistant's page in a browser."""
    assert await async_setup_component(hass, "repairs", {})
    client = await hass_client()
    [token] = hass_admin_user.refresh_tokens.values()
    return Browser(owner, client, lambda: hass.auth.async_create_access_token(token))


async def settled(hass: HomeAssistant) -> None:
    """Wait for everything that is under way, requests too."""
    await hass.async_block_till_done(wait_background_tasks=True)


async def later(hass: HomeAssistant, **passed: float) -> None:
    """Let time pass, in the units of timedelta, and what is due then happen."""
    async_fire_time_changed(hass, dt_util.utcnow() + timedelta(**passed))
    await settled(hass)


async def press(hass: HomeAssistant, entity_id: str) -> None:
    """Press a button, and wait for what follows."""
    await hass.services.async_call(
        "button", "press", {"entity_id": entity_id}, blocking=True
    )
    await settled(hass)


async def enable_all(hass: HomeAssistant, entry: MockConfigEntry) -> None:
    """Enable the entities that are disabled at first."""
    registry = er.async_get(hass)
    for entity in er.async_entries_for_config_entry(registry, entry.entry_id):
        registry.async_update_entity(entity.entity_id, disabled_by=None)
    assert await hass.config_entries.async_reload(entry.entry_id)
    await settled(hass)


class Activity:
    """Notes what happens to ports, as automations get it."""

    def __init__(self, hass: HomeAssistant) -> None:
        self._hass = hass
        self._events: list[dict[str, Any]] = []
        hass.bus.async_listen(EVENT_STATE_CHANGED, self._note)

    @callback
    def _note(self, event: Event[EventStateChangedData]) -> None:
        """Note an event; to automations, an entity that comes back is none."""
        old, new = event.data["old_state"], event.data["new_state"]
        if (
            new
            and old
            and new.domain == "event"
            and new.state != old.state
            and "unavailable" not in (new.state, old.state)
        ):
            told = {
                name: str(value)
                for name, value in new.attributes.items()
                if name not in {"event_types", "friendly_name"}
            }
            self._events.append(
                told | {"connection": new.name.removesuffix(" Port activity")}
            )

    async def told(self) -> list[dict[str, Any]]:
        """Return what happened since the last call, in full."""
        # Nothing is told in the first seconds after a start
        await later(self._hass, seconds=6)
        events, self._events = self._events, []
        return events

    async def in_short(self) -> list[tuple[str, int]]:
        """Return what happened since the last call: types and ports."""
        return [
            (event["event_type"], int(event["port"])) for event in await self.told()
        ]


@pytest.fixture
def activity(hass: HomeAssistant) -> Activity:
    """Listen to what happens to ports."""
    return Activity(hass)


def state_of(hass: HomeAssistant, entity_id: str) -> str | None:
    """Return the state of an entity; None where there is no such entity."""
    state = hass.states.get(entity_id)
    return state.state if state else None


def asked(
    provider: FakeProvider, path: str, method: str = "GET"
) -> list[RecordedRequest]:
    """Return the requests so far for a path, or below one that ends with a slash."""
    return [
        request
        for request in provider.requests
        if request.method == method
        and (
            request.path.startswith(path)
            if path.endswith("/")
            else request.path == path
        )
    ]


class HeldAnswer:
    """An answer that is ready, and waits for the test to let it go."""

    def __init__(self) -> None:
        self.ready = asyncio.Event()
        self.release = asyncio.Event()
        self.fault = Fault("held", self._answer)

    async def _answer(
        self, request: web.Request, handler: Handler
    ) -> web.StreamResponse:
        """Carry the request out, and answer it later."""
        answer = await handler(request)
        self.ready.set()
        await self.release.wait()
        return answer


async def error_texts(
    hass: HomeAssistant, result: Mapping[str, Any], *, subentry: bool = False
) -> dict[str, str]:
    """Return what a flow's form tells about each field, as its user reads it."""
    category = "config_subentries" if subentry else "config"
    part = f"{category}.connection" if subentry else category
    texts = await async_get_translations(hass, "en", category, {DOMAIN})
    return {
        field: texts[f"component.{DOMAIN}.{part}.error.{key}"].format(
            **result["description_placeholders"]
        )
        for field, key in result["errors"].items()
    }


def suggested(form: Mapping[str, Any]) -> dict[str, Any]:
    """Return what stands in a flow's form already, its sections included."""
    return _suggested(form["data_schema"].schema)


def _suggested(schema: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the suggested values of a schema, a section's as those of one field."""
    values = {
        str(marker): _suggested(value.schema.schema)
        if isinstance(value, section)
        else (marker.description or {}).get("suggested_value")
        for marker, value in schema.items()
    }
    return {field: value for field, value in values.items() if value is not None}


async def form_text(
    hass: HomeAssistant, result: Mapping[str, Any], category: str = "config"
) -> str:
    """Return the description of a flow's step, as its user reads it."""
    texts = await async_get_translations(hass, "en", category, {DOMAIN})
    key = f"component.{DOMAIN}.{category}.step.{result['step_id']}.description"
    return texts[key].format(**result["description_placeholders"])
