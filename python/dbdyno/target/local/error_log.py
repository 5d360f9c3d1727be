"""Reads from a server's error log why it ended."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

REASONS_MAX = 3
LAST_LINES = 5

_IGNORED = re.compile(r"was removed|does nothing|ignored|no effect", re.I)


@dataclass(frozen=True)
class LogReader:
    """How one kind of server writes its errors.

    ``error`` finds one in a line, the words as its first group that matches. Errors that begin with
    one of ``consequences`` follow from another, and matter only where they stand alone.
    ``port_taken`` is in the error of a server that found another program on its port.
    """

    error: re.Pattern[str]
    consequences: tuple[str, ...]
    port_taken: str

    def reasons(self, log: str) -> str:
        """Return the last errors of a log in words; its last lines where it names no error."""
        errors = list(dict.fromkeys(self._errors(log)))
        causes = [error for error in errors if not error.startswith(self.consequences)] or errors
        if causes:
            return "; ".join(causes[-REASONS_MAX:])
        lines = [line.strip() for line in log.splitlines() if line.strip()]
        return " / ".join(lines[-LAST_LINES:]) or "it wrote nothing to its error log"

    def names_errors(self, log: str) -> bool:
        """Tell whether a log has any error."""
        return any(True for _ in self._errors(log))

    def ignores(self, log: str, option: str) -> bool:
        """Tell whether the server says of an option that it does nothing."""
        said = (line for line in log.splitlines() if _IGNORED.search(line))
        return any(option in line.lower().replace("-", "_") for line in said)

    def port_was_taken(self, log: str) -> bool:
        """Tell whether the server ended because another program listens on its port."""
        return any(self.port_taken in error for error in self._errors(log))

    def _errors(self, log: str) -> Iterator[str]:
        for line in log.splitlines():
            if found := self.error.search(line):
                yield next(group for group in found.groups() if group is not None).strip()


MYSQL_LOG = LogReader(
    error=re.compile(
        r"\[ERROR\]\s*(?:\[MY-\d+\]\s*)?(?:\[\w+\]\s*)?(?:\S*(?:mariadbd|mysqld): )?(.*)"
    ),
    consequences=(
        "Aborting",
        "Data Dictionary initialization failed",
        "Failed to initialize",
        "InnoDB: Plugin initialization aborted",
        "Parsing options for plugin",
        "Plugin '",
        "Unknown/unsupported storage engine",
    ),
    port_taken="Bind on TCP/IP port",
)

POSTGRES_LOG = LogReader(
    # What is wrong with a setting is a mere LOG line, before the FATAL one that says no more.
    error=re.compile(
        r"(?:FATAL|PANIC|ERROR|HINT|DETAIL):\s+(.*)"
        r"|LOG:\s+((?:unrecognized config|invalid value|syntax error|could not|parameter ).*)"
        r"|LOG:\s+(.* is outside the valid range .*)"
        # Settings that do not go together are found before there is a log.
        r"|^postgres:\s+(.*)"
        r"|(?:initdb: error|\[ERROR\]):?\s+(.*)"
    ),
    consequences=(
        "configuration file",
        "could not create any TCP/IP sockets",
        "database system is shut down",
    ),
    port_taken="could not bind",
)
