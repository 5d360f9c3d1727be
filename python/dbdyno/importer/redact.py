"""Passwords taken out of the logs that are copied.

Each tool has its own way to show one: the rules here are for those that are known, and come on top
of the general ones for URLs, properties and options.
"""

from __future__ import annotations

import re

from dbdyno.database.secrets import shown_text
from dbdyno.password import MASK

_WORD = r"(?:password|passwd|pass|pwd)"
_VALUE = r"(?!\*\*\*|(?:YES|NO)\b)(\"[^\"]*\"|'[^']*'|\S+)"

_RULES = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        r"(\[pass\]:[ \t]*)(\S.*)",  # tpcc-mysql's parameters
        r"(?-i:(option p with value '))(.*)(?=')",
        r"(\b(?:mysql|mariadb|mysqlslap|mariadb-slap|tpcc_start|tpcc_load|go-tpc)\b.*?\s(?-i:-p) *)"
        r"([^\s-]\S*)",
        rf"(\b\w+_\w*{_WORD}\b(?: *= *| +)){_VALUE}",  # HammerDB's settings
        rf"(\b\w*{_WORD}\b[\"']?\s*[:=]\s*){_VALUE}",  # properties, YAML, JSON
        rf"(<{_WORD}>)([^<]*)",  # BenchBase's configuration
        r"(\b(?:MYSQL_PWD|PGPASSWORD)=)(\S+)",
    )
)


def redacted(text: str) -> str:
    """Return a log as it may be written down."""
    lines = text.split("\n")
    return "\n".join(map(_redacted_line, lines))


_MARK = re.compile(r"pass|pwd|secret|://|@|\s-p|option p|token|credential|key", re.I)
_LINE_MAX_CHARS = 65_536


def _redacted_line(line: str) -> str:
    if _MARK.search(line) is None:
        return line
    # What is longer is no line of any tool; it is not worth the time that the rules may take.
    line = line[:_LINE_MAX_CHARS]
    for rule in _RULES:
        line = rule.sub(rf"\g<1>{MASK}", line)
    return shown_text(line)
