"""Every language says all that English does, about the same things."""

from collections.abc import Iterator
import json
from pathlib import Path
import re
from string import Formatter
from typing import Any

import pytest

from custom_components import azirevpn

FOLDER = Path(azirevpn.__file__).parent / "translations"
LANGUAGES = sorted(path.stem for path in FOLDER.glob("*.json"))


def texts_of(language: str) -> dict[str, str]:
    """Return the texts of a language by their paths."""
    return dict(flat(json.loads((FOLDER / f"{language}.json").read_text())))


def flat(texts: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Return what stands at the ends of a tree, by its path."""
    if isinstance(texts, str):
        yield path, texts
        return
    for key, part in texts.items():
        yield from flat(part, f"{path}.{key}")


def meaning(text: str) -> tuple[list[str], list[str], int]:
    """Return what a translation has to keep: placeholders, links and paragraphs."""
    placeholders = sorted(name for _, name, _, _ in Formatter().parse(text) if name)
    return placeholders, re.findall(r"\]\((.*?)\)", text), text.count("\n")


def test_languages() -> None:
    """All the languages that are promised are there."""
    assert LANGUAGES == [
        "da", "de", "en", "es", "fr", "it", "nb", "nl", "pl", "sv",
    ]  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_complete(language: str) -> None:
    """A language has the same texts as English, with the same placeholders in them.

    Home Assistant drops a text with others.
    """
    english, texts = texts_of("en"), texts_of(language)
    assert texts.keys() == english.keys()
    for path, text in texts.items():
        assert meaning(text) == meaning(english[path]), path
        assert text == text.strip(), path
        for unwanted in ("http:", "https:", "<", "'{"):
            assert unwanted not in text, path


@pytest.mark.parametrize("language", [each for each in LANGUAGES if each != "en"])
def test_translated(language: str) -> None:
    """Most texts are in the language that they claim to be in."""
    english, texts = texts_of("en"), texts_of(language)
    same = [path for path, text in texts.items() if text == english[path]]
    assert len(same) < len(texts) * 0.1
