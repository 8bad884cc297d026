"""A real Home Assistant in a process of its own, set up over its HTTP interface."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
import json
from pathlib import Path
import signal
import sys
from typing import Any

import aiohttp
from homeassistant.components.http import config as http

REPOSITORY = Path(__file__).parents[2]
START_TIMEOUT = 180
STOP_TIMEOUT = 20

CONFIGURATION = """\
homeassistant:
  name: Demo
  country: SE
  currency: SEK
  time_zone: Europe/Stockholm
  unit_system: metric
frontend:
config:
history:
logbook:
recorder:
  commit_interval: 1
system_health:
logger:
  default: warning
  logs:
    custom_components.azirevpn: info
lovelace:
  dashboards:
    azirevpn-demo:
      mode: yaml
      title: AzireVPN
      icon: mdi:shield-lock
      filename: dashboard.yaml
"""


class DemoError(Exception):
    """The demo can't go on; the text says why."""


@dataclass(frozen=True, kw_only=True)
class Owner:
    """The person whom Home Assistant belongs to."""

    name: str
    username: str
    password: str


def write_configuration(folder: Path, *, port: int, dashboard: str) -> None:
    """Write a configuration with the integration of this repository, and no more."""
    (folder / "configuration.yaml").write_text(CONFIGURATION)
    (folder / "dashboard.yaml").write_text(dashboard)
    (folder / ".storage").mkdir()
    (folder / ".storage" / "http").write_text(json.dumps(_http_settings(port)))
    (folder / "custom_components").mkdir()
    (folder / "custom_components" / "azirevpn").symlink_to(
        REPOSITORY / "custom_components" / "azirevpn"
    )


def _http_settings(port: int) -> dict[str, Any]:
    """Return the stored settings of the HTTP server: loopback only.

    In YAML they are deprecated, and wait for someone to confirm them.
    """
    return {
        "key": "http",
        "version": http.STORAGE_VERSION,
        "minor_version": http.STORAGE_MINOR_VERSION,
        "data": {
            http.KEY_STABLE: http.HTTP_STORAGE_SCHEMA(
                {"server_host": ["127.0.0.1"], "server_port": port}
            ),
            http.KEY_PENDING: None,
            http.KEY_YAML_MIGRATION_DONE: True,
        },
    }


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run Home Assistant on a configuration, and end it afterwards."""
    with (folder / "output.txt").open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "homeassistant", "--config", str(folder)),
            stdout=output,
            stderr=asyncio.subprocess.STDOUT,
            # Ctrl-C is for the demo, which ends Home Assistant in good order.
            start_new_session=True,
        )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
            try:
                await asyncio.wait_for(process.wait(), STOP_TIMEOUT)
            except TimeoutError:
                process.kill()
                await process.wait()


class HomeAssistantAPI:
    """What a browser does to set Home Assistant up, over HTTP."""

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        """Talk to the Home Assistant at an address."""
        self._session = session
        self._url = url
        self._headers: dict[str, str] = {}

    async def wait_until_up(self, process: asyncio.subprocess.Process) -> None:
        """Wait until Home Assistant answers.

        Raises:
            DemoError: it ended, or took more than three minutes.

        """
        async with asyncio.timeout(START_TIMEOUT):
            while process.returncode is None:
                try:
                    await self._call("GET", "/api/onboarding")
                except aiohttp.ClientConnectionError, DemoError:
                    await asyncio.sleep(0.2)
                else:
                    return
        raise DemoError("Home Assistant ended while it started")

    async def create_owner(self, owner: Owner) -> None:
        """Go through the onboarding and sign in."""
        created = await self._call(
            "POST",
            "/api/onboarding/users",
            {
                "client_id": f"{self._url}/",
                "language": "en",
                "name": owner.name,
                "username": owner.username,
                "password": owner.password,
            },
        )
        async with self._session.post(
            f"{self._url}/auth/token",
            data={
                "client_id": f"{self._url}/",
                "code": created["auth_code"],
                "grant_type": "authorization_code",
            },
        ) as response:
            token = (await response.json())["access_token"]
        self._headers = {"Authorization": f"Bearer {token}"}
        for step, data in (
            ("core_config", {}),
            ("analytics", {}),
            (
                "integration",
                {"client_id": f"{self._url}/", "redirect_uri": f"{self._url}/"},
            ),
        ):
            await self._call("POST", f"/api/onboarding/{step}", data)

    async def add_account(
        self, *, token: str, base_url: str, manager_url: str
    ) -> tuple[str, str]:
        """Add an account by its access token.

        Returns:
            The entry's id, and the id of the flow for a first connection.

        """
        flows = "/api/config/config_entries/flow"
        menu = await self._call("POST", flows, {"handler": "azirevpn"})
        flow = f"{flows}/{menu['flow_id']}"
        await self._call("POST", flow, {"next_step_id": "token"})
        added = await self._call(
            "POST",
            flow,
            {
                "access_token": token,
                "service": {"base_url": base_url, "manager_url": manager_url},
            },
        )
        if added["type"] != "create_entry":
            raise DemoError(f"The account could not be added: {added['errors']}")
        return added["result"]["entry_id"], added["next_flow"][1]

    async def start_connection(self, entry_id: str) -> str:
        """Begin to add a connection to an account; return the flow's id."""
        form = await self._call(
            "POST",
            "/api/config/config_entries/subentries/flow",
            {"handler": [entry_id, "connection"]},
        )
        return str(form["flow_id"])

    async def add_connection(self, flow_id: str, values: Mapping[str, str]) -> None:
        """Fill in the form of a connection."""
        added = await self._call(
            "POST", f"/api/config/config_entries/subentries/flow/{flow_id}", values
        )
        if added["type"] != "create_entry":
            raise DemoError(f"The connection could not be added: {added['errors']}")

    async def wait_for_state(self, entity_id: str, state: str) -> None:
        """Wait until an entity has a state.

        Raises:
            TimeoutError: it hasn't after a minute.

        """
        async with asyncio.timeout(60):
            while True:
                try:
                    found = await self._call("GET", f"/api/states/{entity_id}")
                except DemoError:
                    found = {}
                if found.get("state") == state:
                    return
                await asyncio.sleep(0.2)

    async def _call(
        self, method: str, path: str, data: Mapping[str, Any] | None = None
    ) -> Any:
        """Send a request and return what it answers."""
        async with self._session.request(
            method, f"{self._url}{path}", json=data, headers=self._headers
        ) as response:
            if not response.ok:
                raise DemoError(
                    f"{method} {path} was answered with {response.status}:"
                    f" {await response.text()}"
                )
            return await response.json()
