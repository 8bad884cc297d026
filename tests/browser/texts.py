"""What can be read on a page, and what of it should have been translated."""

from collections.abc import Iterator
from functools import cache
import json
import re
from typing import Any

from playwright.sync_api import Page

from tests.demo.home_assistant import REPOSITORY

TRANSLATIONS = REPOSITORY / "custom_components/azirevpn/translations/en.json"

# Through all shadow roots, with the texts that are read aloud or in empty fields
READ = """
() => {
  const texts = [];
  const read = (node) => {
    if (["SCRIPT", "STYLE"].includes(node.nodeName)) return;
    if (node.nodeType === Node.TEXT_NODE) texts.push(node.textContent);
    for (const name of ["aria-label", "title", "placeholder"])
      texts.push(node.getAttribute?.(name) ?? "");
    if (node.shadowRoot) read(node.shadowRoot);
    node.childNodes.forEach(read);
  };
  read(document.body);
  return texts;
}
"""


def raw_texts(page: Page) -> list[str]:
    """Return the texts that show a key or a placeholder, not what it stands for."""
    texts: list[str] = page.evaluate(READ)
    assert any(text.strip() for text in texts)
    return [text for text in texts if is_raw(text)]


def is_raw(text: str) -> bool:
    """Tell whether a text has a key of the translations, or a placeholder.

    A key of one word can't be told from that word.
    """
    return bool(
        "component.azirevpn" in text
        or re.search(r"\{\w+\}", text)
        or keys() & set(re.findall(r"\w+", text))
    )


@cache
def keys() -> frozenset[str]:
    """Return the keys of the translations that are more than a word.

    The names of platforms are not among them: they are a part of every entity id.
    """
    texts = json.loads(TRANSLATIONS.read_text())
    return frozenset(
        key for key in _keys(texts) if "_" in key and key not in texts["entity"]
    )


def _keys(texts: dict[str, Any]) -> Iterator[str]:
    """Return the keys on all levels."""
    for key, below in texts.items():
        yield key
        if isinstance(below, dict):
            yield from _keys(below)
