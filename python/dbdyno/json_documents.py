"""JSON documents in directories of ours: written, and read as what they should be.

What is missing, damaged or of another version is refused with a message that names the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from dbdyno import __version__
from dbdyno.contained_files import read_file, write_file
from dbdyno.errors import InputError

FORMAT_FILE = "format.json"
"""Says what a directory is, and of which version."""

Document = TypeVar("Document")


@dataclass(frozen=True)
class Format:
    """What ``format.json`` says of a directory of one kind."""

    name: str
    version: int
    readable_versions: tuple[int, ...]
    directory_noun: str
    """What the directory is called: ``result directory``."""
    noun: str
    """With its article: ``a result``."""

    def to_document(self) -> dict[str, Any]:
        """Return what is written."""
        return {"format": self.name, "version": self.version, "dbdyno": __version__}

    def check(self, directory: Path) -> None:
        """InputError when the directory is none, or one of a version that is not known here."""
        path = directory / FORMAT_FILE
        if not path.is_file():
            raise InputError(
                f"{directory} is no {self.directory_noun}: there is no {FORMAT_FILE} in it"
            )
        document = read_json(path)
        if document.get("format") != self.name:
            raise InputError(
                f'{path} says format "{document.get("format")}"; {self.noun} says "{self.name}"'
            )
        if document.get("version") not in self.readable_versions:
            known = " and ".join(map(str, self.readable_versions))
            versions = "version" if len(self.readable_versions) == 1 else "versions"
            raise InputError(
                f"{path} says version {document.get('version')}, written by dbdyno "
                f"{document.get('dbdyno', '(unknown)')}; this is dbdyno {__version__}, which reads "
                f"{versions} {known}"
            )


def write_document(path: Path, adapter: TypeAdapter[Document], document: Document) -> None:
    """Write one typed document, as a whole, as JSON for people and programs."""
    write_file(path, adapter.dump_json(document, indent=2) + b"\n")


def read_document(path: Path, adapter: TypeAdapter[Document]) -> Document:
    """Read one typed document; InputError when it is missing or does not fit its type."""
    return parse_document(path, read_bytes(path), adapter)


def parse_document(path: Path, content: bytes, adapter: TypeAdapter[Document]) -> Document:
    """Return the typed document that was read from a file; InputError as above."""
    try:
        return adapter.validate_json(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part)[:60] for part in first["loc"]) or "the whole document"
        raise InputError(f"{path} is damaged: {place}: {first['msg']}") from error


def write_json(path: Path, document: Mapping[str, Any]) -> None:
    """Write a document that has no type of its own."""
    write_file(path, json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object; InputError when it is missing or none."""
    return parse_json(path, read_bytes(path))


def parse_json(where: Path | str, content: bytes) -> dict[str, Any]:
    """Return the JSON object that was read from a file, or a line; InputError when it is none."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where} is damaged: {error}") from error
    if not isinstance(document, dict):
        raise InputError(f"{where} is damaged: it should be a JSON object")
    return document


def read_bytes(path: Path) -> bytes:
    """Read a file; InputError where it cannot be read."""
    try:
        return read_file(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
