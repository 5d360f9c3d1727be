"""A file that is imported, as lines of plain text or as bytes of a table.

Logs come from pagers, terminals and other machines: UTF-16 with a mark, Latin-1, carriage returns,
colours, status lines that are wiped out by backspaces, what ``ts``, Jenkins and containers write in
front of each line, and the quotes and indents of Markdown. All of that is taken away here. A file
larger than ``FILE_MAX_BYTES`` is refused, and of a line no more than ``LINE_MAX_CHARS`` are read.
"""

from __future__ import annotations

import codecs
import gzip
import hashlib
import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from dbdyno.errors import InputError
from dbdyno.source_notes import NoteCode
from dbdyno.trial_evidence import Source, SourceNote

FILE_MAX_BYTES = 256 << 20
"""Of one file, unpacked."""
TEXT_MAX_BYTES = 64 << 20
"""Of a file that is read line by line."""
LINES_MAX = 1_000_000
"""Of one log, blank ones aside."""
LINE_MAX_CHARS = 16_384
HEAD_BYTES = 65_536

_TERMINAL_CODES = re.compile(
    r"\x1b(?:\[[0-9;?]{0,32}[ -/]?[@-~]|\][^\x07\x1b]{0,256}(?:\x07|\x1b\\))"
)
_LINE_ENDS = re.compile(r"[\r\n\f\v\u2028\u2029\x08]+")
_PREFIXES = (
    re.compile(r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]?:? "),
    re.compile(r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d "),
    re.compile(r"\d\d:\d\d:\d\d(?:\.\d{1,9})? (?!\[[\w-]{1,64}\] {1,9}(?:INFO|WARN|ERROR|FATAL))"),
    re.compile(r"(?P<container>[\w.-]{1,80}) {1,40}\|(?: |$)"),
    re.compile(r"\[(?P<container>pod/[\w./-]{1,200})\](?: |$)"),
    re.compile(r"[\w.-]{1,80} [\w./@-]{1,80}\[\d{1,9}\]:(?: |$)"),
    re.compile(r"(?:stdout|stderr) [FP](?: |$)"),
    re.compile(r"\[[\w.-]{1,80}\] out:(?: |$)"),
    re.compile(r"[^\t]{1,80}\t[^\t]{1,80}\t(?=\d{4}-)"),
)
"""Instants, as ``ts`` and Jenkins write them; names of containers, as ``docker compose logs`` and
``kubectl logs --prefix`` do; services and streams of system logs; jobs and steps of builds.
BenchmarkSQL's own time has a thread behind it."""
_PREFIXED_SHARE = 0.5
"""Of the lines: Jenkins writes lines of its own without an instant."""
_SAMPLE_LINES = 5_000
"""By which a log's prefixes are told: a million lines would take long."""
_INDENT = re.compile(r"\s*(?:>(?!>)\s*)?")
"""Of Markdown. HammerDB's own lines begin with ``>>>>>``."""


@dataclass(frozen=True)
class Log:
    """A file's bytes, unpacked, and where they are from; its lines are made when wanted."""

    path: Path
    data: bytes

    @cached_property
    def sha256(self) -> str:
        """Of the bytes as they were read, unpacked."""
        return hashlib.sha256(self.data).hexdigest()

    @cached_property
    def head(self) -> str:
        """The beginning, by which tables are recognised before all is read."""
        return _decoded(self.data[:HEAD_BYTES], is_cut=len(self.data) > HEAD_BYTES)

    @cached_property
    def text(self) -> str:
        """The whole text; InputError where it is too long to be read by lines."""
        if len(self.data) > TEXT_MAX_BYTES:
            raise InputError(
                f"{self.path} has {len(self.data):,} bytes; a log may have {TEXT_MAX_BYTES:,}. "
                "Cut it into one file a run, or leave out what the tool has not printed"
            )
        return _decoded(self.data)

    @cached_property
    def _all_lines(self) -> list[str]:
        text = _TERMINAL_CODES.sub("", self.text).replace("\0", "")
        written = [line for line in _parted(text) if line and not line.isspace()]
        if len(written) > LINES_MAX:
            raise InputError(
                f"{self.path} has {len(written):,} lines; a log may have {LINES_MAX:,}. "
                "Cut it into one file a run"
            )
        return _joined(map(_unindented, _without_prefixes(written)))

    @cached_property
    def lines(self) -> list[str]:
        """The lines without what others add, none blank or longer than ``LINE_MAX_CHARS``."""
        cut = (line[:LINE_MAX_CHARS].rstrip() for line in self._all_lines)
        return [line for line in cut if line]

    def notes(self) -> tuple[SourceNote, ...]:
        """Return what must be known of the file itself."""
        cut = sum(len(line) > LINE_MAX_CHARS for line in self._all_lines)
        if not cut:
            return ()
        figures = (("lines", cut), ("limit_bytes", LINE_MAX_CHARS))
        return (SourceNote(code=NoteCode.CUT_LINES, figures=figures),)

    def source(self, tool: str, version: str | None = None) -> Source:
        """Return where figures of this file come from."""
        return Source(tool=tool, path=str(self.path), tool_version=version, sha256=self.sha256)


def read_log(path: Path) -> Log:
    """Read a file, unpacked where it is packed by gzip; InputError where it cannot be read.

    A pipe is refused: an import reads its files twice, once to copy them.
    """
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is no regular file")
    try:
        with path.open("rb") as file:
            data = file.read(FILE_MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    if data.startswith(b"\x1f\x8b"):
        data = _unpacked(path)
    if len(data) > FILE_MAX_BYTES:
        raise InputError(f"{path} is larger than {FILE_MAX_BYTES:,} bytes, which is the limit")
    return Log(path, data)


def _unpacked(path: Path) -> bytes:
    try:
        with gzip.open(path) as file:
            return file.read(FILE_MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} is packed by gzip and damaged: {error}") from error


def _decoded(data: bytes, *, is_cut: bool = False) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        # A character may be cut in two at the end of a head.
        return data.decode("utf-8-sig", errors="replace") if is_cut else data.decode("latin-1")


def _parted(text: str) -> list[str]:
    """Return the lines of a text; most texts part them in one way, which is quickly done."""
    is_plain = text.isascii() and not any(end in text for end in "\r\f\v\x08")
    return text.split("\n") if is_plain else _LINE_ENDS.split(text)


def _without_prefixes(lines: list[str]) -> list[str]:
    """Take away what is in front of nearly all lines: a container's name and an instant, say."""
    for prefix in _PREFIXES * 2:
        sample = lines[:_SAMPLE_LINES]
        prefixed = sum(prefix.match(line) is not None for line in sample)
        if prefixed > 1 and prefixed >= _PREFIXED_SHARE * len(sample):
            lines = _by_container(prefix, lines)
            lines = [prefix.sub("", line, count=1) for line in lines]
    return lines


def _unindented(line: str) -> str:
    is_indented = line.startswith(">") or line[:1].isspace()
    return _INDENT.sub("", line, count=1) if is_indented else line


def _by_container(prefix: re.Pattern[str], lines: list[str]) -> list[str]:
    """Put the lines of each container together: two that run at once write in turn."""
    if not prefix.groupindex:
        return lines
    parts: dict[str, list[str]] = {}
    for line in lines:
        found = prefix.match(line)
        parts.setdefault(found["container"] if found else "", []).append(line)
    return [line for part in parts.values() for line in part]


def _joined(lines: Iterable[str]) -> list[str]:
    """Put a command together that a shell has read from several lines."""
    lines = list(lines)
    if not any(line.endswith("\\") for line in lines):
        return lines
    joined: list[str] = []
    is_open = False
    for line in lines:
        if is_open:
            joined[-1] += line
        else:
            joined.append(line)
        is_open = joined[-1].endswith("\\") and len(joined[-1]) < LINE_MAX_CHARS
        joined[-1] = joined[-1].removesuffix("\\") if is_open else joined[-1]
    return joined
