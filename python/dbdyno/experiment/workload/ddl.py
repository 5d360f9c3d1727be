"""Statements of one's own that make tables, read from a file."""

from __future__ import annotations

import re
from pathlib import Path

from dbdyno.contained_files import read_named_text
from dbdyno.errors import InputError
from dbdyno.refusal import refusal

_COMMENT = re.compile(r"^\s*--.*$", re.MULTILINE)
_END = re.compile(r";[ \t]*$", re.MULTILINE)


def read_statements(path: str) -> list[str]:
    """Return the statements of a file; each ends with a semicolon at the end of a line.

    Lines that begin with ``--`` are comments. ``ValueError`` where it cannot be read or has none.
    """
    try:
        text = read_named_text(Path(path))
    except InputError as error:
        raise refusal(str(error)) from error
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise refusal(f"{path} cannot be read: {reason}") from error
    statements = [part.strip() for part in _END.split(_COMMENT.sub("", text))]
    found = [statement for statement in statements if statement]
    if not found:
        raise refusal(f"{path} has no statement; write CREATE TABLE ... and a ; behind each")
    return found
