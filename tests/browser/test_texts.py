"""What is taken for a text that was not translated."""

import pytest

from .texts import is_raw


@pytest.mark.parametrize(
    "text",
    [
        "component.azirevpn.config.step.user.title",
        "port_expiry",
        "Error: not_connected",
        "Port {port} of Home",
    ],
)
def test_raw(text: str) -> None:
    """A key, or a placeholder that nothing was put into, is found."""
    assert is_raw(text)


@pytest.mark.parametrize(
    "text", ["Port expiry", "Port 52192", "binary_sensor.home_tunnel", "Settings"]
)
def test_not_raw(text: str) -> None:
    """Words are left alone, and so is the id of an entity."""
    assert not is_raw(text)
