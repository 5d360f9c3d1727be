"""Reads what ``sysbench ... run`` prints, byte for byte: a line that has another form is an error.

One reader for sysbench's own output and for dbdyno's, field by field.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

COUNT = r"(\d+)"
RATE = r"(\d+\.\d\d)"
TWELVE = r"([ \d]{8}\d\.\d\d)"
"""A number of twelve characters, filled up with blanks on its left."""

HEADER = [
    r"(?:sysbench 1\.0\.20 \(using system LuaJIT .*\)|dbdyno .*, in the form of sysbench 1\.0\.20)",
    r"Behaviour: .*",
    r"",
    r"Running the test with following options:",
    rf"Number of threads: {COUNT}",
    rf"Warmup time: {COUNT}s",
    rf"Warming up for {COUNT} seconds\.\.\.",
    rf"Target transaction rate: {COUNT}/sec",
    rf"Report intermediate results every {COUNT} second\(s\)",
    r"Report checkpoint\(s\) at (\d+(?:, \d+)*) seconds",
    r"Validation checks: on\.",
    rf"Initializing random number generator from (?:current time|seed \({COUNT}\)\.)",
    rf"Forcing shutdown in {COUNT} seconds",
    r"Initializing worker threads\.\.\.",
    r"Threads started!",
]

INTERVAL = (
    rf"\[ {COUNT}s \] thds: {COUNT} tps: {RATE} qps: {RATE} \(r/w/o: {RATE}/{RATE}/{RATE}\) "
    rf"lat \(ms,{COUNT}%\): {RATE} err/s: {RATE} reconn/s: {RATE}"
)
QUEUE = rf"\[ {COUNT}s \] queue length: {COUNT}, concurrency: {COUNT}"
CHECKPOINT = rf"\[ {COUNT}s \] Checkpoint report:"
BUCKET = rf"([ \d]{{7}}\d\.\d\d\d) \|(\** *) {COUNT}"
HISTOGRAM = [
    r"Latency histogram \(values are in milliseconds\)",
    r"       value  ------------- distribution ------------- count",
]


def _with_rate(name: str) -> tuple[str, str]:
    # The count is filled up to six characters, and one more stands before the bracket.
    return name, rf"    {name}:{' ' * (36 - len(name))}(?=.{{6}})(\d+) +\({RATE} per sec\.\)"


def _measure(name: str) -> tuple[str, str]:
    return name, f"         {name}:{' ' * (31 - len(name))}{TWELVE}"


REPORT = [
    ("", "SQL statistics:"),
    ("", "    queries performed:"),
    *(
        (name, f"        {name}:{' ' * (32 - len(name))}{COUNT}")
        for name in ("read", "write", "other", "total")
    ),
    *(_with_rate(name) for name in ("transactions", "queries", "ignored errors", "reconnects")),
    ("", ""),
    ("", "General statistics:"),
    ("total time", rf"    total time:{' ' * 26}(\d+\.\d{{4}})s"),
    ("total number of events", rf"    total number of events:{' ' * 14}{COUNT}"),
    ("", ""),
    ("", r"Latency \(ms\):"),
    *(_measure(name) for name in ("min", "avg", "max")),
    (
        "percentile",
        rf"        [ \d]{{3}}th percentile:{' ' * 16}{TWELVE}"
        rf"|         percentile stats:{' ' * 15}disabled",
    ),
    _measure("sum"),
    ("", ""),
    ("", "Threads fairness:"),
    ("events", rf"    events \(avg/stddev\):{' ' * 11}(\d+\.\d{{4}})/{RATE}"),
    ("execution time", rf"    execution time \(avg/stddev\):{' ' * 3}(\d+\.\d{{4}})/{RATE}"),
    ("", ""),
]

Fields = dict[str, tuple[str, ...]]


@dataclass
class Output:
    """All that was printed: numbers as they stand there, without blanks."""

    header: list[str] = field(default_factory=list)
    intervals: list[tuple[str, ...]] = field(default_factory=list)
    queues: list[tuple[str, ...]] = field(default_factory=list)
    checkpoints: list[str] = field(default_factory=list)
    buckets: list[tuple[str, ...]] = field(default_factory=list)
    reports: list[Fields] = field(default_factory=list)

    def statistics(self, report: int = -1) -> dict[str, int]:
        """Return the counts of the last report."""
        names = ("read", "write", "other", "total", "transactions", "ignored errors", "reconnects")
        return {name: int(self.reports[report][name][0]) for name in names}


def read_output(text: str) -> Output:
    """Read all lines; ValueError names the first that is none of sysbench's."""
    output = Output()
    lines = iter(text.split("\n"))
    started = False
    for line in lines:
        if not started:
            _any_of(HEADER, line)
            output.header.append(line)
            # One empty line follows.
            started = line == "Threads started!" and next(lines) == ""
        elif line == "SQL statistics:":
            output.reports.append(_report(line, lines))
        elif line or next(lines, None) is not None:
            _read_line(output, line, lines)
    return output


def _read_line(output: Output, line: str, lines: Iterator[str]) -> None:
    for form, places in (
        (INTERVAL, output.intervals),
        (QUEUE, output.queues),
        (BUCKET, output.buckets),
    ):
        if found := re.fullmatch(form, line):
            places.append(tuple(part.strip() for part in found.groups()))
            return
    if found := re.fullmatch(CHECKPOINT, line):
        output.checkpoints.append(found[1])
    elif line != " ":
        # The one line of a single blank ends a histogram.
        _any_of(HISTOGRAM, line)


def _report(first: str, lines: Iterator[str]) -> Fields:
    fields: Fields = {}
    line = first
    for index, (name, form) in enumerate(REPORT):
        line = first if index == 0 else next(lines)
        found = re.fullmatch(form, line)
        if found is None:
            raise ValueError(f"{line!r} has not the form {form!r}")
        fields[name] = tuple((part or "").strip() for part in found.groups())
    return fields


def _any_of(forms: list[str], line: str) -> None:
    if not any(re.fullmatch(form, line) for form in forms):
        raise ValueError(f"{line!r} is no line of sysbench's")
