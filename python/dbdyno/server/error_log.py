"""Reads from a server's error log why it ended."""

from __future__ import annotations

import re
from collections.abc import Iterator

REASONS_MAX = 3
LAST_LINES = 5

_ERROR = re.compile(
    r"\[ERROR\]\s*(?:\[MY-\d+\]\s*)?(?:\[\w+\]\s*)?(?:\S*(?:mariadbd|mysqld): )?(.*)"
)
_CONSEQUENCES = (
    "Aborting",
    "Data Dictionary initialization failed",
    "Failed to initialize",
    "InnoDB: Plugin initialization aborted",
    "Parsing options for plugin",
    "Plugin '",
    "Unknown/unsupported storage engine",
)
"""Lines that begin so follow from another error, and matter only where they stand alone."""

_PORT_TAKEN = "Bind on TCP/IP port"


def reasons(log: str) -> str:
    """Return the last errors of a log in words; its last lines where it names no error."""
    errors = list(dict.fromkeys(_errors(log)))
    causes = [error for error in errors if not error.startswith(_CONSEQUENCES)] or errors
    if causes:
        return "; ".join(causes[-REASONS_MAX:])
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    return " / ".join(lines[-LAST_LINES:]) or "it wrote nothing to its error log"


def names_errors(log: str) -> bool:
    """Tell whether a log has any error."""
    return any(True for _ in _errors(log))


def port_was_taken(log: str) -> bool:
    """Tell whether the server ended because another program listens on its port."""
    return any(_PORT_TAKEN in error for error in _errors(log))


def _errors(log: str) -> Iterator[str]:
    for line in log.splitlines():
        found = _ERROR.search(line)
        if found:
            yield found[1].strip()
