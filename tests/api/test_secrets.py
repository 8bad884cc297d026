"""What no error tells."""

import traceback

import pytest

from custom_components.azirevpn.api import (
    AzireVPN,
    AzireVPNError,
    ResponseError,
    TransportError,
    ValidationError,
    client as client_module,
)
from tests.fake_provider import Address, FakeProvider, Fault

from .conftest import INTERNAL_IPV4, ME, PASSWORD, PROXY_PASSWORD, TOKEN

SECRETS = (TOKEN, PASSWORD, "n3w-password", PROXY_PASSWORD, "pr0xy-p%40ss")


def everything_told(error: BaseException) -> str:
    """Return all that a log could show of an error, its causes and contexts too."""
    told = "".join(traceback.format_exception(error))
    chain: list[BaseException | None] = [error]
    while chain:
        if (link := chain.pop()) is not None:
            told += f"{link!r} {link} {link.args!r} {vars(link)!r}"
            chain += [link.__cause__, link.__context__]
    return told


FAULTS = [
    *(Fault.status(status) for status in (401, 403, 404, 406, 407, 422, 429, 500)),
    Fault.not_json(),
    Fault.status(200, body=f"{TOKEN} {PASSWORD} {PROXY_PASSWORD}"),
    Fault.status(200, body={"status": TOKEN, "data": {}}),
    Fault.status(400, body={"message": f"Not with {TOKEN}"}),
    Fault.redirect(f"/?token={TOKEN}"),
    Fault.truncated(),
    Fault.reset(),
    Fault.lost(),
    Fault.stall(0.5),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
async def test_errors_keep_secrets(
    provider: FakeProvider,
    client: AzireVPN,
    address: Address,
    fault: Fault,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No error tells a token, a password or the proxy's credentials."""
    monkeypatch.setattr(client_module, "TIMEOUT", 0.2)
    tunnel = await provider.open_tunnel(username="user", password=PROXY_PASSWORD)
    connection = client.connection(INTERNAL_IPV4, proxy=tunnel.url_with_credentials)
    provider.fail("*", fault, times=99)
    for call in (
        client.set_password("n3w-password"),
        client.delete_user(PASSWORD),
        client.create_one_time_password(),
        connection.create_port(),
    ):
        with pytest.raises(AzireVPNError) as caught:
            await call
        told = everything_told(caught.value)
        assert not [secret for secret in SECRETS if secret in told]


async def test_passwords_that_come_back(
    provider: FakeProvider, client: AzireVPN
) -> None:
    """What was sent in confidence is blotted out of the provider's words."""
    body = {
        "status": "error",
        "message": "Not n3w-password!",
        "data": {"new_password": [f"n3w-password with {TOKEN}"]},
    }
    provider.fail("*", Fault.status(422, body=body))
    with pytest.raises(ValidationError) as caught:
        await client.set_password("n3w-password")
    assert caught.value.message == "Not ***!"
    assert caught.value.fields == {"new_password": ("*** with ***",)}
    provider.fail("*", Fault.status(422, body={"message": f"Not {PASSWORD}!"}))
    with pytest.raises(ResponseError) as refused:
        await client.delete_user(PASSWORD)
    assert refused.value.message == "Not ***!"


@pytest.mark.parametrize("trouble", ["closed", "credentials", "stalling", "https"])
async def test_proxy_errors_keep_secrets(
    provider: FakeProvider,
    client: AzireVPN,
    address: Address,
    trouble: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No trouble on the way tells the credentials for it."""
    monkeypatch.setattr(client_module, "TIMEOUT", 0.2)
    tunnel = await provider.open_tunnel(username="user", password="another")
    proxy = tunnel.url.replace("//", "//user:pr0xy-p%40ss@")
    if trouble == "closed":
        await tunnel.close()
    elif trouble == "stalling":
        tunnel.stalling = True
    elif trouble == "https":
        proxy = proxy.replace("http://", "https://")
    with pytest.raises(TransportError) as caught:
        await client.connection(INTERNAL_IPV4, proxy=proxy).list_ports()
    told = everything_told(caught.value)
    assert not [secret for secret in SECRETS if secret in told]
    assert caught.value.__context__ is None


async def test_ordinary_words_are_no_secrets(
    provider: FakeProvider, client: AzireVPN
) -> None:
    """The provider's words stay whole where a password is one of them."""
    message = "The password is incorrect."
    provider.fail(ME, Fault.status(400, body={"message": message}))
    with pytest.raises(ResponseError) as caught:
        await client.delete_user("password")
    assert caught.value.message == message
