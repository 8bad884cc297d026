"""Reading the provider's data, in every shape and in none."""

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from ipaddress import IPv4Address, IPv6Address
from typing import Any

from hypothesis import example, given, settings, strategies as st
import pytest

from custom_components.azirevpn.api import (
    Address,
    CreatedPort,
    Currency,
    InvalidResponseError,
    OneTimePassword,
    PortForwarding,
    PortList,
    User,
)

HERE = IPv4Address("10.0.131.176")
LAST_SECOND = int(datetime(9999, 12, 31, tzinfo=UTC).timestamp()) - 1

USER: dict[str, Any] = {
    "username": "ada",
    "email": "ada@example.com",
    "currency": "SEK",
    "is_email_verified": True,
    "is_active": True,
    "is_oldschool": False,
    "is_subscribed": True,
    "ips": {"allocated": 1, "available": 5},
    "created_at": 1600000000,
    "expires_at": 1790717592,
}

READERS: list[Callable[[object], object]] = [
    User.from_dict,
    OneTimePassword.from_dict,
    Address.list_from,
    PortForwarding.from_dict,
    lambda data: PortForwarding.from_hiding(data, 52192),
    lambda data: CreatedPort.from_creating(data, HERE),
    lambda data: PortList.from_dict(data, HERE),
]
NAMES = [
    *USER,
    *("otp", "ipv4_address", "device_name", "port", "ports", "hidden"),
    *("internal_ipv4", "internal_ipv6", "allocated", "available"),
]

numbers = st.integers() | st.floats() | st.integers().map(str)
scalars = st.none() | st.booleans() | numbers | st.text()
json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(NAMES), inner),
)
seconds = st.integers(1, LAST_SECOND)
ports = st.integers(1, 65535)
written_flags = st.sampled_from(
    [(True, [True, 1, "1", "true", "True"]), (False, [False, 0, "0", "false", None])]
)


def written(number: int) -> st.SearchStrategy[object]:
    """Write a number in the ways that are accepted."""
    return st.sampled_from([number, float(number), str(number), f" {number} "])


@given(json_values | st.dictionaries(st.sampled_from(NAMES), json_values))
@example({"ports": [{"port": 10**400}]})
@example({"username": "ada", "created_at": 1, "ips": [[], {"allocated": {}}]})
@settings(deadline=None)
def test_any_json_is_read_or_refused(data: object) -> None:
    """Whatever comes, nothing but InvalidResponseError is raised."""
    for read in READERS:
        with suppress(InvalidResponseError):
            assert repr(read(data))


@given(st.data(), ports, seconds, written_flags)
@settings(deadline=None)
def test_port_forwarding_in_every_writing(
    data: st.DataObject, port: int, expires_at: int, hidden: tuple[bool, list[object]]
) -> None:
    """A port forwarding is the same, however its values are written."""
    entry = {
        "port": data.draw(written(port)),
        "expires_at": data.draw(written(expires_at)),
        "hidden": data.draw(st.sampled_from(hidden[1])),
        "protocol": "both",
    }
    expected = PortForwarding(
        port=port,
        hidden=hidden[0],
        expires_at=datetime.fromtimestamp(expires_at, UTC),
    )
    assert PortForwarding.from_dict(entry) == expected
    created = CreatedPort.from_creating(entry, HERE)
    assert created.forwarding == expected
    assert (created.internal_ipv4, created.internal_ipv6) == (HERE, None)
    hidden_now = PortForwarding.from_hiding(entry | {"port": None}, port)
    assert hidden_now.port == port
    assert hidden_now.expires_at == expected.expires_at


@given(st.lists(ports, unique=True))
@settings(deadline=None)
def test_list_is_sorted_and_complete(numbers: list[int]) -> None:
    """Every port is in the list, in the order of the numbers."""
    found = PortList.from_dict(
        {"ports": [{"port": number} for number in numbers]}, HERE
    )
    assert [port.port for port in found.ports] == sorted(numbers)


def test_port_listed_twice_is_one_port() -> None:
    """A number is forwarded once."""
    found = PortList.from_dict({"ports": [{"port": 7}, {"port": "7"}]}, HERE)
    assert [port.port for port in found.ports] == [7]


@given(st.lists(ports, min_size=1), st.data())
@settings(deadline=None)
def test_one_malformed_entry_spoils_the_list(
    numbers: list[int], data: st.DataObject
) -> None:
    """A list never loses a port because it is badly written."""
    entries: list[object] = [{"port": number} for number in numbers]
    bad: object = data.draw(
        st.sampled_from(
            [
                None,
                52192,
                [],
                {},
                {"port": None},
                {"port": True},
                {"port": 0},
                {"port": 65536},
                {"port": "5.2"},
                {"port": 5.5},
                {"port": "\uff15\uff12"},
                {"port": 1, "hidden": "perhaps"},
                {"port": 1, "hidden": 2},
                {"port": 1, "hidden": []},
                {"port": 1, "expires_at": "tomorrow"},
                {"port": 1, "expires_at": float("nan")},
                {"port": 1, "expires_at": False},
            ]
        )
    )
    entries.insert(data.draw(st.integers(0, len(entries))), bad)
    with pytest.raises(InvalidResponseError):
        PortList.from_dict({"ports": entries}, HERE)


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        {"ports": None},
        {"ports": {}},
        {"ports": [], "internal_ipv4": "here"},
        {"ports": [], "internal_ipv4": 167772161},
        {"ports": [], "internal_ipv6": "10.0.0.1"},
    ],
)
def test_list_of_a_wrong_shape(data: object) -> None:
    """What is no list is refused, not taken for an empty one."""
    with pytest.raises(InvalidResponseError):
        PortList.from_dict(data, HERE)


def test_list_names_its_addresses() -> None:
    """The answer's addresses count, the one asked for stands in."""
    found = PortList.from_dict(
        {"internal_ipv4": "10.0.0.9", "internal_ipv6": "2a0e::9", "ports": []}, HERE
    )
    assert found == PortList(
        internal_ipv4=IPv4Address("10.0.0.9"), internal_ipv6=IPv6Address("2a0e::9")
    )
    empty: dict[str, object] = {"internal_ipv4": None, "internal_ipv6": "", "ports": []}
    assert PortList.from_dict(empty, HERE) == PortList(internal_ipv4=HERE)


def test_hiding_hides_unless_the_answer_says_otherwise() -> None:
    """What the provider says of `hidden` counts; success alone means hidden."""
    assert PortForwarding.from_hiding({"port": None}, 7).hidden
    assert PortForwarding.from_hiding({"hidden": None}, 7).hidden
    assert not PortForwarding.from_hiding({"hidden": False}, 7).hidden


def test_user() -> None:
    """A user as documented."""
    assert User.from_dict(USER) == User(
        username="ada",
        email="ada@example.com",
        currency=Currency.SEK,
        is_email_verified=True,
        is_active=True,
        is_oldschool=False,
        is_subscribed=True,
        ips_allocated=1,
        ips_available=5,
        created_at=datetime(2020, 9, 13, 12, 26, 40, tzinfo=UTC),
        expires_at=datetime(2026, 9, 29, 21, 33, 12, tzinfo=UTC),
    )


def test_user_with_what_is_essential() -> None:
    """A name and a birthday are enough; what is missing is unknown."""
    user = User.from_dict({"username": "ada", "created_at": "1600000000"})
    assert user.currency == "EUR"
    assert user.email is None
    assert user.is_email_verified is None
    assert user.is_active is None
    assert user.is_oldschool is None
    assert user.is_subscribed is None
    assert (user.ips_allocated, user.ips_available) == (None, None)
    assert user.expires_at is None


def test_user_with_an_unknown_currency() -> None:
    """A currency that came later is kept as it is."""
    assert User.from_dict(USER | {"currency": "NOK"}).currency == "NOK"


@pytest.mark.parametrize("name", ["username", "created_at"])
@pytest.mark.parametrize("value", [None, "", 0, [], {}, -1])
def test_user_without_what_is_essential(name: str, value: object) -> None:
    """Nobody is nobody."""
    with pytest.raises(InvalidResponseError):
        User.from_dict(USER | {name: value})


@pytest.mark.parametrize(
    "ips",
    [
        {"allocated": 1, "available": 5},
        {"allocated": "1", "available": "5", "reserved": 3},
        [1, 5],
        ["1", 5.0],
        [{"allocated": 1}, {"available": 5}],
        [{"available": 5}, {"allocated": 1}],
        [{"allocated": 1, "available": 5}],
    ],
)
def test_ips_in_every_shape(ips: object) -> None:
    """The two numbers are found wherever they stand."""
    user = User.from_dict(USER | {"ips": ips})
    assert (user.ips_allocated, user.ips_available) == (1, 5)


@pytest.mark.parametrize(
    "ips", [None, 6, "6", [], [1], [1, 5, 6], [1, None], {}, {"allocated": -1}, [[], 5]]
)
def test_ips_in_no_shape(ips: object) -> None:
    """An unknown shape is no reason to refuse a user."""
    user = User.from_dict(USER | {"ips": ips})
    assert (user.ips_allocated, user.ips_available) == (None, None)


def test_one_time_password_is_not_shown() -> None:
    """Its repr has the expiry alone."""
    otp = OneTimePassword.from_dict({"otp": "s3cret", "expires_at": 1790717592})
    assert otp.otp == "s3cret"
    assert "s3cret" not in repr(otp)
    assert otp.expires_at == datetime(2026, 9, 29, 21, 33, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "data", [{}, {"otp": "s3cret"}, {"otp": "", "expires_at": 1}, {"expires_at": 1}]
)
def test_one_time_password_lacks_a_part(data: object) -> None:
    """Half a one-time password is none."""
    with pytest.raises(InvalidResponseError):
        OneTimePassword.from_dict(data)


def test_addresses() -> None:
    """The account's addresses, one without a device, one without IPv4."""
    data = [
        {"id": "IJiaUdc2", "ipv4_address": "10.0.1.136", "device_name": "camel"},
        {"id": "IJiaUdc3", "ipv4_address": "10.0.1.137", "device_name": None},
        {"id": "IJiaUdc4", "ipv4_address": None, "device_name": "six"},
    ]
    assert Address.list_from(data) == (
        Address(ipv4=IPv4Address("10.0.1.136"), device_name="camel"),
        Address(ipv4=IPv4Address("10.0.1.137"), device_name=None),
    )
