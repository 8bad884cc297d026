"""All that Home Assistant writes, shows and tells, to look for secrets in it."""

from contextlib import closing
from pathlib import Path
import sqlite3
from typing import Any

from homeassistant.const import MATCH_ALL
from homeassistant.core import Event, HomeAssistant, callback
import pytest
from pytest_homeassistant_custom_component.components.recorder.common import (
    async_wait_recording_done,
)


class Everything:
    """All that Home Assistant writes, shows and tells."""

    def __init__(
        self,
        hass: HomeAssistant,
        storage: dict[str, Any],
        database: str,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        self._hass = hass
        self._storage = storage
        self._database = database.removeprefix("sqlite:///")
        self._caplog = caplog
        self._events: list[str] = []
        self._shown: list[str] = []
        hass.bus.async_listen(MATCH_ALL, self._hear)

    @callback
    def _hear(self, event: Event[Any]) -> None:
        self._events.append(str(event.as_dict()))
        self._events.extend(
            str(state.as_dict()) for state in self._hass.states.async_all()
        )

    def note(self, shown: str) -> None:
        """Take down what someone downloads or is told of an error."""
        self._shown.append(shown)

    async def written(self) -> dict[str, str]:
        """Return all of it by where it is; an entry's own data is where secrets are."""
        await async_wait_recording_done(self._hass)
        entries = self._hass.config_entries
        await entries._store.async_save(entries._data_to_save())
        stored = {
            key: str(value)
            for key, value in self._storage.items()
            if key != "core.config_entries"
        }
        return {
            "log": self._caplog.text,
            "events and states": "\n".join(self._events),
            "shown": "\n".join(self._shown),
            "database": await self._hass.async_add_executor_job(self._dump),
            "files": await self._hass.async_add_executor_job(self._read_files),
        } | {f"storage {key}": value for key, value in stored.items()}

    def _dump(self) -> str:
        with closing(sqlite3.connect(self._database)) as database:
            return "\n".join(database.iterdump())

    def _read_files(self) -> str:
        return "\n".join(
            path.read_bytes().decode("latin-1")
            for path in Path(self._hass.config.config_dir).rglob("*")
            if path.is_file()
        )
