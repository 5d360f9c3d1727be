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

_PROGRAM = r"(?:mysql|mariadb|mysqlslap|mariadb-slap|tpcc_start|tpcc_load|go-tpc|tiup)"
_RULES = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        # tpcc-mysql's parameters
        r"(\[pass\]:[ \t]*)(\S.*)",
        r"(?-i:(option p with value '))(.*)(?=')",
        # commands
        rf"(\b{_PROGRAM}\b.{{0,500}}?\s(?-i:-p) {{0,9}})([^\s-]\S*)",
        r"(\b(?:MYSQL_PWD|PGPASSWORD)=)(\S+)",
        # HammerDB's settings
        rf"(\b\w{{1,40}}_\w{{0,40}}{_WORD}\b(?: {{0,9}}= {{0,9}}| {{1,9}})){_VALUE}",
        # properties, YAML and JSON
        rf"(\b\w{{0,40}}{_WORD}\b[\"']?\s{{0,9}}[:=]\s{{0,9}}){_VALUE}",
        # BenchBase's configuration
        rf"(<{_WORD}>)([^<]*)",
    )
)
_LINE_MAX_CHARS = 4096


def redacted(text: str) -> str:
    """Return a log as it may be written down."""
    if not _may_tell_a_password(text.casefold()):
        return text
    return "".join(map(_redacted_line, _LINE_ENDS.split(text)))


_LINE_ENDS = re.compile(r"([\r\n\x08]+)")
"""Kept, as the parts between lines. BenchmarkSQL's status is an hour without a line's end."""
_MARKS = ("pass", "pwd", "secret", "://", "@", "option p", "token", "credential", "key")
_SHORT_OPTION = re.compile(r"\s-p")


def _may_tell_a_password(text: str) -> bool:
    """Tell it from text in small letters: most are done with here, where looking is quick."""
    return any(mark in text for mark in _MARKS) or (
        "-p" in text and _SHORT_OPTION.search(text) is not None
    )


def _redacted_line(line: str) -> str:
    if not _may_tell_a_password(line.casefold()):
        return line
    # A longer line that may hold a password is no line of any tool; the rules would take long.
    line = line[:_LINE_MAX_CHARS]
    for rule in _RULES:
        line = rule.sub(rf"\g<1>{MASK}", line)
    return shown_text(line)
