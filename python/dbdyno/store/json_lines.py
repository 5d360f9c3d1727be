"""Append-only files of one JSON object a line, which survive the death of their writer.

Each line is handed to the operating system as soon as it is complete, so the end of this process
loses nothing. It is not forced to disk: that would compete with the database that is measured.
A line that was cut short (full disk, power) is dropped when the file is read or continued.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

from dbdyno.contained_files import LARGEST_BYTES, open_to_append, open_to_read
from dbdyno.errors import InputError
from dbdyno.json_documents import parse_json

LARGEST_LINE_BYTES = 64 << 20

JsonObject = dict[str, Any]
"""What a line holds: names and whatever JSON has."""


class JsonLinesWriter:
    """Appends objects to a file, one a line."""

    def __init__(self, path: Path) -> None:
        self._file = open_to_append(path)
        with open_to_read(path) as file:
            self._file.truncate(sum(len(line) for _, _, line in _complete_lines(file)))

    def write(self, record: Mapping[str, Any]) -> None:
        """Append one object; OSError when the disk refuses it."""
        self._file.write(json.dumps(record, ensure_ascii=False) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file; nothing can be written afterwards."""
        self._file.close()


def read_json_lines(path: Path) -> tuple[list[JsonObject], list[str]]:
    """Return the objects of all complete lines, and what is wrong with lines that have none.

    Where there is no file, there are no lines.
    """
    records: list[JsonObject] = []
    if not path.exists():
        return records, []
    wrong = []
    with open_to_read(path, LARGEST_BYTES) as file:
        for _, where, line in _complete_lines(file):
            try:
                records.append(parse_json(f"{where}:", line))
            except InputError as error:
                wrong.append(str(error))
    return records, wrong


def each_json_line(file: BinaryIO) -> Iterator[tuple[int, JsonObject]]:
    """Yield the offset and the object of each complete line; one line at a time is in memory."""
    for offset, where, line in _complete_lines(file):
        yield offset, parse_json(f"{where}:", line)


def _complete_lines(file: BinaryIO) -> Iterator[tuple[int, str, bytes]]:
    """Yield the offset, the place in words and the content of each complete line."""
    offset = 0
    for number in count(1):
        line = file.readline(LARGEST_LINE_BYTES)
        if not line.endswith(b"\n"):
            if len(line) == LARGEST_LINE_BYTES:
                raise InputError(f"{file.name} is damaged: line {number} has no end")
            return
        yield offset, f"{file.name}, line {number}", line
        offset += len(line)
