"""An account's owner replaces a port before it expires."""

from homeassistant.core import HomeAssistant
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from tests.conftest import CONNECTION_ID, PORTS, settled, state_of
from tests.fake_provider import Address, FakeProvider, Fault
from tests.flow_views import Browser
from tests.owner import Owner, in_days


@pytest.fixture
async def expiring(owner: Owner, address: Address, browser: Browser) -> Browser:
    """Open the browser while a port is about to expire."""
    address.add_port(61001, expires_at=in_days(2))
    await owner.wait(minutes=6)
    assert await owner.titles() == ["Port 61001 of Home expires on 2026-11-23"]
    return browser


async def replace(browser: Browser, address: Address) -> int:
    """Begin to see to the port, have a new one made, and return its number."""
    shown = await browser.fix("port_expiring")
    assert shown["step_id"] == "confirm"
    assert "wherever port 61001 is used" in await browser.reads(shown)
    # Whoever reloads the page has not agreed to anything
    assert (await browser.look_again())["step_id"] == "confirm"
    assert list(address.ports) == [61001]
    shown = await browser.go_on()
    [new] = address.ports.keys() - {61001}
    assert shown["type"] == "menu"
    assert shown["step_id"] == "created"
    assert shown["menu_options"] == ["delete_old", "keep_old"]
    assert await browser.reads(shown, "title") == f"The new port is {new}"
    assert await browser.reads(shown) == (
        f"Enter {new} wherever port 61001 is used. What is to become of port 61001?"
    )
    return new


async def test_delete_old_port(
    hass: HomeAssistant,
    expiring: Browser,
    owner: Owner,
    provider: FakeProvider,
    address: Address,
) -> None:
    """A new port is made before the old one is deleted."""
    new = await replace(expiring, address)
    shown = await expiring.go_on(next_step_id="delete_old")
    await settled(hass)
    assert shown["type"] == "create_entry"
    assert list(address.ports) == [new]
    assert [
        request.method
        for request in provider.requests
        if request.path == PORTS and request.method != "GET"
    ] == ["POST", "DELETE"]
    assert not owner.issues()
    assert state_of(hass, f"sensor.home_port_{new}_port") == str(new)
    assert state_of(hass, "sensor.home_port_61001_port") is None


async def test_keep_old_port(
    hass: HomeAssistant, expiring: Browser, owner: Owner, address: Address
) -> None:
    """A port that is left to expire is not mentioned again."""
    new = await replace(expiring, address)
    shown = await expiring.go_on(next_step_id="keep_old")
    assert await expiring.reads(shown) == "The old port is left to expire."
    assert set(address.ports) == {61001, new}
    await owner.wait(minutes=6)
    [issue] = owner.issues()
    assert issue.dismissed_version is not None
    await owner.wait(days=2)
    assert not owner.issues()
    assert list(address.ports) == [new]


async def test_look_again_after_new_port(expiring: Browser, address: Address) -> None:
    """Whoever reloads the page still reads the new number, and makes no other port."""
    new = await replace(expiring, address)
    shown = await expiring.look_again()
    assert await expiring.reads(shown, "title") == f"The new port is {new}"
    shown = await expiring.go_on(next_step_id="keep_old")
    assert shown["reason"] == "old_kept"
    assert set(address.ports) == {61001, new}


CREATE_UNKNOWN = (
    "The answer of the service was lost, and it is not known whether a port was created."
    " Look at the ports before you try again"
)
PORT_FAILURES = [
    (
        Fault.status(406, body={"status": "error", "message": "todays limit reached"}),
        "No more ports can be created today: todays limit reached",
    ),
    (
        Fault.status(403, body={"status": "error", "message": "Not connected"}),
        "The service says that this address is not connected to the VPN: Not connected",
    ),
    (
        Fault.status(429, headers={"Retry-After": "17"}),
        "The service received too many requests. Try again in 17 seconds",
    ),
    (
        Fault.reset(),
        CREATE_UNKNOWN,
    ),
]


@pytest.mark.parametrize(
    ("fault", "text"), PORT_FAILURES, ids=lambda value: getattr(value, "name", "")
)
async def test_no_new_port(
    hass: HomeAssistant,
    expiring: Browser,
    owner: Owner,
    provider: FakeProvider,
    address: Address,
    fault: Fault,
    text: str,
) -> None:
    """Without a new port the old one is left alone."""
    await expiring.fix("port_expiring")
    provider.fail(PORTS, fault, method="POST")
    shown = await expiring.go_on()
    await settled(hass)
    assert shown["reason"] == "failed"
    assert await expiring.reads(shown) == text
    assert list(address.ports) == [61001]
    assert "port_expiring" in [issue.translation_key for issue in owner.issues()]


async def test_old_port_stays(
    expiring: Browser, owner: Owner, provider: FakeProvider, address: Address
) -> None:
    """An old port that could not be deleted is still told of."""
    new = await replace(expiring, address)
    provider.fail(PORTS, Fault.status(503), method="DELETE")
    shown = await expiring.go_on(next_step_id="delete_old")
    assert await expiring.reads(shown) == (
        "The service refused the request with status 503: Service Unavailable"
    )
    assert set(address.ports) == {61001, new}
    assert len(owner.issues()) == 1


async def test_old_port_gone_meanwhile(
    expiring: Browser, owner: Owner, address: Address
) -> None:
    """A port that expired while the owner read is left to that."""
    await replace(expiring, address)
    await owner.wait(days=2)
    assert not owner.issues()
    shown = await expiring.go_on(next_step_id="keep_old")
    assert shown["reason"] == "old_kept"


@pytest.mark.parametrize("gone", ["account", "connection"])
@pytest.mark.parametrize("answer", ["before", "after"])
async def test_connection_gone_meanwhile(
    hass: HomeAssistant,
    expiring: Browser,
    provider: FakeProvider,
    address: Address,
    watched: MockConfigEntry,
    gone: str,
    answer: str,
) -> None:
    """Nothing is done to a port whose connection or account is not there any more."""
    if answer == "before":
        await expiring.fix("port_expiring")
    else:
        await replace(expiring, address)
    ports = set(address.ports)
    if gone == "account":
        assert await hass.config_entries.async_unload(watched.entry_id)
    else:
        hass.config_entries.async_remove_subentry(watched, CONNECTION_ID)
        await settled(hass)
    shown = await (
        expiring.go_on()
        if answer == "before"
        else expiring.go_on(next_step_id="delete_old")
    )
    assert shown["reason"] == "not_loaded"
    assert set(address.ports) == ports
