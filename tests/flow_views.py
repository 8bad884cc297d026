"""A browser with Home Assistant's page, as far as repairs go."""

from collections.abc import Callable
from typing import Any

from aiohttp.test_utils import TestClient
from homeassistant.helpers import issue_registry as ir

from custom_components.azirevpn.const import DOMAIN
from tests.owner import Owner

FIX = "/api/repairs/issues/fix"


class Browser:
    """Sends what the frontend sends, and shows what its user reads."""

    def __init__(
        self, owner: Owner, client: TestClient[Any, Any], sign_in: Callable[[], str]
    ) -> None:
        self._owner = owner
        self._client = client
        self._sign_in = sign_in
        self._issue: ir.IssueEntry | None = None
        self._flow_id = ""

    async def fix(self, kind: str) -> dict[str, Any]:
        """Begin to see to the one issue of a kind."""
        [self._issue] = [
            issue for issue in self._owner.issues() if issue.translation_key == kind
        ]
        return await self._post(
            FIX, {"handler": DOMAIN, "issue_id": self._issue.issue_id}
        )

    async def go_on(self, **data: str) -> dict[str, Any]:
        """Send the step that is shown."""
        return await self._post(f"{FIX}/{self._flow_id}", data)

    async def look_again(self) -> dict[str, Any]:
        """Reload the page in the middle of a flow."""
        answer = await self._client.get(
            f"{FIX}/{self._flow_id}", headers=self._headers()
        )
        assert answer.status == 200
        shown: dict[str, Any] = await answer.json()
        return shown

    def _headers(self) -> dict[str, str]:
        """Sign in anew, because days may have passed since the last time."""
        return {"Authorization": f"Bearer {self._sign_in()}"}

    async def _post(self, path: str, data: dict[str, str]) -> dict[str, Any]:
        answer = await self._client.post(path, json=data, headers=self._headers())
        assert answer.status == 200, await answer.text()
        shown: dict[str, Any] = await answer.json()
        self._flow_id = shown["flow_id"]
        return shown

    async def reads(self, shown: dict[str, Any], what: str = "description") -> str:
        """Return what the user reads of a step, or of why it ended."""
        assert self._issue is not None
        part = (
            ("abort", shown["reason"])
            if shown["type"] == "abort"
            else ("step", shown["step_id"], what)
        )
        return await self._owner.words(
            self._issue,
            "fix_flow",
            *part,
            **(shown["description_placeholders"] or {}),
        )
