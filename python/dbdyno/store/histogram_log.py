"""HdrHistogram's interval log, as its own tools read it (HistogramLogProcessor and others).

Format: class HistogramLogWriter of https://github.com/HdrHistogram/HdrHistogram, version 1.3. The
zero of the log is the start of the window and warm-up is negative, so those tools, which begin at
zero unless they are told otherwise, leave it out. Values are nanoseconds; the third column is the
largest value in milliseconds, those tools' own default. What was beyond the range of a histogram
has no place in the format and is stored with the counters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from dbdyno.contained_files import open_new, read_file
from dbdyno.errors import InputError

LEGEND = '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"'


@dataclass(frozen=True)
class LogLine:
    """One histogram as text, and what it is of; times are seconds from the start of the window."""

    tag: str
    start_s: float
    duration_s: float
    max_ns: int
    text: str

    def __str__(self) -> str:
        times = f"{self.start_s:.3f},{self.duration_s:.3f},{self.max_ns / 1e6:.3f}"
        return f"Tag={self.tag},{times},{self.text}"


class HistogramLog:
    """A log that is being written; a context manager."""

    def __init__(self, path: Path, zero_unix_s: float) -> None:
        moment = datetime.fromtimestamp(zero_unix_s, UTC)
        self._file = open_new(path)
        self._file.write(
            "#[Histogram log format version 1.3]\n"
            f"#[StartTime: {zero_unix_s:.3f} (seconds since epoch), {moment:%c} UTC]\n"
            f"{LEGEND}\n"
        )

    def write(self, line: LogLine) -> None:
        """Append one histogram."""
        self._file.write(f"{line}\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()


def read_histogram_log(path: Path) -> list[LogLine]:
    """Read all lines without decoding them; InputError when one is not as written here."""
    try:
        content = read_file(path).decode("ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    return list(_parse(path, content.splitlines()))


def _parse(path: Path, lines: list[str]) -> Iterator[LogLine]:
    for number, line in enumerate(lines, start=1):
        if line.startswith(("#", '"')):
            continue
        try:
            tag, start_s, duration_s, max_ms, text = line.removeprefix("Tag=").split(",")
            max_ns = round(float(max_ms) * 1e6)
            yield LogLine(tag, float(start_s), float(duration_s), max_ns, text)
        except ValueError as error:
            raise InputError(
                f"{path}, line {number}: expected Tag=…,start,length,max,histogram; "
                f"got {line[:60]!r}"
            ) from error
