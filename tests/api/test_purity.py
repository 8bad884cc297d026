"""The client stands on its own."""

import ast
import asyncio
from pathlib import Path
import sys

from custom_components.azirevpn import api

FOLDER = Path(api.__file__).parent
ALLOWED = {"aiohttp", "yarl"} | sys.stdlib_module_names

ALONE = """
import sys
sys.modules["homeassistant"] = None
sys.modules["custom_components"] = None
sys.path.append(sys.argv[1])
import api
print(*sorted(name for name in api.__all__ if hasattr(api, name)))
"""


async def test_imports_without_home_assistant() -> None:
    """The package works where there is no Home Assistant, under a name of its own."""
    alone = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        ALONE,
        str(FOLDER.parent),
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await alone.communicate()
    assert output.decode().split() == sorted(api.__all__)


def test_depends_on_little() -> None:
    """It imports itself, the standard library, aiohttp and yarl."""
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                imported = {alias.name.partition(".")[0] for alias in node.names}
                assert imported <= ALLOWED, path
            elif isinstance(node, ast.ImportFrom):
                module = (node.module or "").partition(".")[0]
                assert node.level == 1 or module in ALLOWED, path
