"""Reads a file of properties as java.util.Properties reads it.

What java.util.Properties takes for a property and people write as a comment, ``//To run for …``, is
one here too: no property of BenchmarkSQL begins so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from dbdyno.errors import InputError

BLANKS = " \t\f"
COMMENT_SIGNS = ("#", "!")
SLASHES = "//"

_KEY = re.compile(r"((?:\\.|[^\\=:\s])*)[ \t\f]*(?:[=:][ \t\f]*)?(.*)", re.DOTALL)
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|.|$)", re.DOTALL)
_NAMED = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_BY_NAME = {sign: name for name, sign in _NAMED.items()}


def read_properties(path: Path) -> dict[str, str]:
    """Return the properties of a file; of one that is given twice, the last."""
    try:
        text = path.read_text(encoding="latin-1")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    return parse_properties(text, str(path))


def parse_properties(text: str, name: str = "properties") -> dict[str, str]:
    """Return the properties of a text; ``name`` is where it comes from, for messages."""
    found = {}
    for number, line in _logical_lines(text):
        match = _KEY.fullmatch(line)
        assert match is not None
        key, value = (_unescape(part, f"{name}:{number}") for part in match.groups())
        if not key.startswith(SLASHES):
            found[key] = value
    return found


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield lines with those that a backslash continues put together, each with its number."""
    begun = 0
    parts: list[str] = []
    for number, natural in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        line = natural.lstrip(BLANKS)
        if not parts and (not line or line.startswith(COMMENT_SIGNS)):
            continue
        begun = begun if parts else number
        if is_continued(line):
            parts.append(line[:-1])
            continue
        yield begun, "".join([*parts, line])
        parts = []
    if parts:
        yield begun, "".join(parts)


def format_properties(properties: Mapping[str, str]) -> str:
    """Return a text that is read as these properties."""
    return "".join(
        f"{_escape(name, BLANKS + '=:#!')}={_escape(value[:1], BLANKS)}{_escape(value[1:])}\n"
        for name, value in properties.items()
    )


def _escape(text: str, more: str = "") -> str:
    return "".join(_escaped(sign, more) for sign in text)


def _escaped(sign: str, more: str) -> str:
    if sign == "\\" or sign in more:
        return f"\\{sign}"
    if sign in _BY_NAME:
        return f"\\{_BY_NAME[sign]}"
    return sign if " " <= sign <= "~" else f"\\u{ord(sign):04x}"


def is_continued(line: str) -> bool:
    """Tell whether the next line belongs to this one."""
    backslashes = len(line) - len(line.rstrip("\\"))
    return backslashes % 2 == 1


def _unescape(text: str, where: str) -> str:
    def replaced(match: re.Match[str]) -> str:
        escaped = match[1]
        if len(escaped) == 5:
            return chr(int(escaped[1:], 16))
        if escaped == "u":
            raise InputError(rf"{where}: \u must be followed by four hexadecimal digits")
        return _NAMED.get(escaped, escaped)

    return _ESCAPE.sub(replaced, text)
