"""Copies of the texts that an experiment file names: option files, templates, scripts.

``files/files.json`` says what they are; ``files/1`` is the text of the first. Nothing is kept of a
text in which a secret is suspected but its name and its hash.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from dbdyno.contained_files import (
    make_folder,
    named_directory,
    read_file,
    replaced_folder,
    write_file,
)
from dbdyno.errors import InputError
from dbdyno.json_documents import read_document, write_document
from dbdyno.store.layout import FILES_DIRECTORY

INDEX_FILE = "files.json"
LARGEST_BYTES = 64 << 10
"""Of a text that is kept."""
MOST_FILES = 100


@dataclass(frozen=True)
class NamedFile:
    """A file by the name that the experiment file has for it; ``text`` is None where not kept."""

    name: str
    sha256: str
    text: str | None


@dataclass(frozen=True)
class _Kept:
    """What the index has of a file; ``file`` lies beside the index."""

    name: str
    sha256: str
    file: str | None


_INDEX = TypeAdapter(tuple[_Kept, ...])


def keep_named_files(directory: Path, files: Sequence[NamedFile]) -> None:
    """Put copies into a result, in place of those that were there."""
    with replaced_folder(named_directory(directory), FILES_DIRECTORY) as folder:
        if not files:
            return
        make_folder(folder)
        kept = []
        for number, each in enumerate(files, start=1):
            file = None if each.text is None else str(number)
            if file is not None and each.text is not None:
                write_file(folder / file, each.text)
            kept.append(_Kept(each.name, each.sha256, file))
        write_document(folder / INDEX_FILE, _INDEX, tuple(kept))


def read_named_files(directory: Path) -> tuple[NamedFile, ...] | None:
    """Return the copies in a result; None where it was begun without any.

    InputError where one is missing or damaged.
    """
    folder = named_directory(directory) / FILES_DIRECTORY
    if not os.path.lexists(folder):
        return None
    return tuple(
        NamedFile(each.name, each.sha256, _text_of(folder, each))
        for each in read_document(folder / INDEX_FILE, _INDEX)[:MOST_FILES]
    )


def _text_of(folder: Path, kept: _Kept) -> str | None:
    if kept.file is None:
        return None
    if not kept.file.isdecimal():
        raise InputError(f"{folder / INDEX_FILE} is damaged: {kept.file!r} is no file beside it")
    return read_file(folder / kept.file, LARGEST_BYTES).decode("utf-8", "replace")
