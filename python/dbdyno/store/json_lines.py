"""Append-only files of one JSON object a line, which survive the death of their writer.

Each line is handed to the operating system as soon as it is complete, so the end of this process
loses nothing. It is not forced to disk: that would compete with the database that is measured.
A line that was cut short (full disk, power) is dropped when the file is read or continued.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


class JsonLinesWriter:
    """Appends objects to a file, one a line."""

    def __init__(self, path: Path) -> None:
        if path.exists():
            _drop_torn_line(path)
        self._file = path.open("a", encoding="utf-8")

    def write(self, record: Mapping[str, Any]) -> None:
        """Append one object; OSError when the disk refuses it."""
        self._file.write(json.dumps(record, ensure_ascii=False) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file; nothing can be written afterwards."""
        self._file.close()


def read_json_lines(path: Path) -> list[dict[str, Any]]:
    """Return the objects of all complete lines; none where there is no file."""
    if not path.exists():
        return []
    complete = _complete_part(path.read_bytes())
    return [json.loads(line) for line in complete.splitlines()]


def _complete_part(content: bytes) -> bytes:
    return content[: content.rfind(b"\n") + 1]


def _drop_torn_line(path: Path) -> None:
    content = path.read_bytes()
    complete = _complete_part(content)
    if len(complete) < len(content):
        path.write_bytes(complete)
