"""Finds the texts that an experiment file names: option files, templates, scripts of commands.

A result keeps them, since its experiment file alone does not say what was run.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

from dbdyno.database.secrets import may_hold_a_secret
from dbdyno.store.named_files import LARGEST_BYTES, MOST_FILES, NamedFile

ELSEWHERE = ("report", "question", "experiment")
"""Fields whose files are kept otherwise, or that name none."""

_IMPORTED = re.compile(r"{%-?\s*(?:import|include|extends|from)\s+[\"']([^\"']+)[\"']")
"""Of Jinja2, which looks for them in the folder of the template."""


def named_files(values: Mapping[str, object], folder: Path) -> list[NamedFile]:
    """Return each text below or beside the folder of the experiment file that a value names.

    Programs and other files that are no text are left out.
    """
    words = dict.fromkeys(
        word
        for name, value in values.items()
        if name not in ELSEWHERE
        for text in _texts(value)
        for word in _words(text)
    )
    found: dict[str, NamedFile] = {}
    todo = list(words)
    for name in todo:
        file = None if name in found else _read(name, folder / name)
        if file is not None and len(found) < MOST_FILES:
            found[name] = file
            todo += _imported(file)
    return list(found.values())


def _imported(file: NamedFile) -> list[str]:
    """Return the templates that a template names, by names as the experiment file would have."""
    names = _IMPORTED.findall(file.text or "")
    return [str(Path(file.name).parent / name) for name in names]


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)


def _words(text: str) -> list[str]:
    """Return what may be the name of a file: the words of a command, or the whole text."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = [text]
    return [word for word in words if "/" in word or "." in word]


def _read(name: str, path: Path) -> NamedFile | None:
    try:
        if not path.is_file() or path.stat().st_size > LARGEST_BYTES:
            return None
        content = path.read_bytes()
        text = content.decode()
    except (OSError, ValueError):
        return None
    if "\0" in text:
        return None
    kept = None if may_hold_a_secret(text) else text
    return NamedFile(name, hashlib.sha256(content).hexdigest(), kept)
