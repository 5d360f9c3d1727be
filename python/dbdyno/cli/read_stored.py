"""Reads a result for a command that compares it with others, and warns of what is damaged."""

from __future__ import annotations

import sys
from pathlib import Path

from dbdyno.errors import InputError
from dbdyno.store.model import StoredResult
from dbdyno.store.reader import read_result
from dbdyno.target.local.files import file_errors


def read_stored(path: Path) -> StoredResult:
    """Return a result; InputError where it cannot be read. Damages are named on standard error."""
    with file_errors(f"read {path}", InputError):
        result = read_result(path)
    for damage in result.damages:
        print(f"warning: {damage}", file=sys.stderr)
    return result
