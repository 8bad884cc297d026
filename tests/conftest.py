"""Fixtures that every test stands on: the fake provider, and a real Home Assistant core."""

from collections.abc import AsyncIterator

import pytest
import pytest_socket

from tests.fake_provider import FakeProvider


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
