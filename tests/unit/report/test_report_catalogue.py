"""The catalogues of the report's languages: complete, and with the same placeholders."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

from dbdyno.report.language import LANGUAGES, language, say
from dbdyno.report.language import in_language as written_in

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "python" / "dbdyno"
REPORT = PACKAGE / "report"
SPEAKING = (REPORT, PACKAGE / "serve")
"""What says something in the language of its reader."""
KEYWORDS = {"say": None, "message": None, "say_count": (1, 2), "messages": (1, 2)}
PLACEHOLDER = re.compile(r"\{\w+\}")
CATALOGUES = sorted((REPORT / "catalogue").glob("*.po"))


def said() -> set[str | tuple[str, ...]]:
    """Return each message in the code; one of a number is a pair."""
    found = [each for part in SPEAKING for each in extract_from_dir(part, keywords=KEYWORDS)]
    return {text if isinstance(text, str) else tuple(text) for _, _, text, *_ in found}


def read(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, path.stem)


def forms(text: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


def faults(catalogue: Catalog, messages: set[str | tuple[str, ...]]) -> list[str]:
    """Return what is wrong with a catalogue, a line each."""
    found = []
    known = {m.id if isinstance(m.id, str) else tuple(m.id): m for m in catalogue if m.id}
    found += [f"not in the catalogue: {text}" for text in messages - known.keys()]
    found += [f"nobody says it: {text}" for text in known.keys() - messages]
    for text, each in known.items():
        asked = set(PLACEHOLDER.findall(forms(text)[-1]))
        for translation in forms(each.string or ""):
            if not translation.strip():
                found.append(f"no translation: {text}")
            elif set(PLACEHOLDER.findall(translation)) != asked:
                found.append(f"other placeholders: {text} -> {translation}")
    return found


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_every_message_has_a_translation_with_the_same_placeholders(path: Path) -> None:
    assert faults(read(path), said()) == []


def test_a_catalogue_with_faults_is_found_out() -> None:
    catalogue = Catalog("zh_Hans")
    catalogue.add("{count} of {total}", "{total} 个中的 {count1} 个")
    catalogue.add("old", "旧")
    messages: set[str | tuple[str, ...]] = {"{count} of {total}", "new"}
    assert len(faults(catalogue, messages)) == 3


def test_there_is_a_catalogue_for_each_language_but_english() -> None:
    assert len(CATALOGUES) == len(LANGUAGES) - 1
    with written_in(language("zh")):
        assert say("throughput") == "吞吐量"
