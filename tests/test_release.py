"""What HACS installs is made of what is committed, under the version of the tag."""

import asyncio
import json
from pathlib import Path
from zipfile import ZipFile

import pytest

REPOSITORY = Path(__file__).parents[1]
WORKFLOWS = REPOSITORY / ".github" / "workflows"
HACS = json.loads((REPOSITORY / "hacs.json").read_text())


async def release(version: str, path: Path) -> int:
    """Pack a version; return the exit code."""
    process = await asyncio.create_subprocess_exec(
        REPOSITORY / "scripts" / "release", version, path
    )
    return await process.wait()


async def test_zip(tmp_path: Path) -> None:
    """The zip holds the integration's files at its root, and the version."""
    path = tmp_path / "azirevpn.zip"
    assert await release("1.2.3", path) == 0
    with ZipFile(path) as packed:
        names = set(packed.namelist())
        manifest = json.loads(packed.read("manifest.json"))
    assert manifest["domain"] == "azirevpn"
    assert manifest["version"] == "1.2.3"
    assert {"__init__.py", "api/client.py", "translations/en.json"} <= names
    assert "brand/icon.png" in names
    assert not [name for name in names if "__pycache__" in name]


@pytest.mark.parametrize("version", ["v1.2.3", "1.2", '1.2.3", "x": "'])
async def test_wrong_version(tmp_path: Path, version: str) -> None:
    """What is no version is refused."""
    path = tmp_path / "azirevpn.zip"
    assert await release(version, path) == 1
    assert not path.exists()


def test_hacs() -> None:
    """HACS asks for the very file that the release has."""
    assert HACS["zip_release"] is True
    upload = f'gh release create "$GITHUB_REF_NAME" {HACS["filename"]} '
    assert upload in (WORKFLOWS / "release.yml").read_text()
