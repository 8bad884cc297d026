"""The fake provider's check of a port, and the numbers that it gives."""

from aiohttp import ClientSession
import pytest

from tests.fake_provider import FakeProvider

PATH = "/v3/portforwardings"
IPV4 = "10.0.131.176"


async def test_check(provider: FakeProvider) -> None:
    """A check needs no token, and tells whether somebody answers."""
    async with ClientSession(provider.url) as session:
        async with session.get(f"{PATH}/check/{provider.port}") as answer:
            assert answer.status == 200
            assert await answer.text() == (
                f'{{"status":"success","message":"Port {provider.port} is open",'
                f'"data":{{"source_ip":"127.0.0.1","port":{provider.port}}}}}'
            )
        async with session.get(f"{PATH}/check/61999") as answer:
            assert answer.status == 200
            assert await answer.text() == (
                '{"status":"error","message":"Port 61999 is closed",'
                '"data":{"source_ip":"127.0.0.1","port":61999}}'
            )


@pytest.mark.parametrize("port", ["0", "65536", "http", "-1", "²"])
async def test_check_of_no_port(provider: FakeProvider, port: str) -> None:
    """Only numbers of ports can be checked."""
    async with (
        ClientSession(provider.url) as session,
        session.get(f"{PATH}/check/{port}") as answer,
    ):
        assert answer.status == 422
        assert (await answer.json())["data"] == {
            "port": ["The port must be between 1 and 65535."]
        }


def test_numbers_are_unique(provider: FakeProvider) -> None:
    """Nobody gets a number that is taken."""
    address = provider.add_account().add_address(IPV4)
    forwardings = [address.add_port() for _ in range(50)]
    assert len({forwarding.port for forwarding in forwardings}) == 50
    assert all(61_000 <= forwarding.port < 65_536 for forwarding in forwardings)
    with pytest.raises(ValueError, match="forwarded already"):
        address.add_port(forwardings[0].port)


def test_seed() -> None:
    """The same seed draws the same tokens and numbers, another one others."""

    def drawn(seed: int | None) -> tuple[str, int]:
        account = FakeProvider(seed=seed).add_account()
        return account.token, account.add_address(IPV4).add_port().port

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)
    assert drawn(None) != drawn(None)
