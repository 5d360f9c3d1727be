"""pgbench's output: progress, the report at the end, statements, and several scripts.

Latency counts from the sending of a transaction; with ``--rate`` from when it was due. Its logs of
transactions and of aggregates are read by ``pgbench_log``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from dbdyno.database.secrets import shown_text
from dbdyno.importer.commands import command_options
from dbdyno.importer.contradictions import checked_rate, within_clients
from dbdyno.importer.headings import with_headings
from dbdyno.importer.intervals import SoFar, by_their_ends, damaged, since_begin, so_far, truncated
from dbdyno.importer.log import Log
from dbdyno.importer.numbers import number, per_second, positive, whole
from dbdyno.source_notes import NoteCode
from dbdyno.trial_evidence import (
    IntervalEvidence,
    KindEvidence,
    MeasuredFrom,
    SourceNote,
    Times,
    TrialEvidence,
)

TOOL = "pgbench"
LOOKED_FOR = '"number of transactions actually processed", "progress: 2.0 s, …", or its log (-l)'

_HEADER = re.compile(r"pgbench \((?:PostgreSQL\) )?(\d[\w.]*)")
_BEGIN = re.compile(r"transaction type: (.+)")
_PROGRESS = re.compile(
    r"progress: ([\d.]+) s, ([\d.]+) tps, lat (\S+) ms stddev (\S+?)(?:, (\d+) failed)?"
    r"(?:, lag \S+ ms)?(?:, \d+ skipped)?(?:, \d+ retried, \d+ retries)?$"
)
_GLUED = re.compile(r"(?<=\S)(?=progress: [\d.]+ s, )")
"""Two streams in one file: progress begins where a message has not ended its line."""
_FACTS = {
    "scale": re.compile(r"scaling factor: (\d+)"),
    "protocol": re.compile(r"query mode: (\w+)"),
    "clients": re.compile(r"number of clients: (\d+)"),
    "jobs": re.compile(r"number of threads: (\d+)"),
    "max-tries": re.compile(r"maximum number of tries: (\d+)"),
    "transactions": re.compile(r"number of transactions per client: (\d+)"),
    "time": re.compile(r"duration: (\d+) s"),
}
_SHORT = {
    **{"c": "clients", "j": "jobs", "M": "protocol", "T": "time", "t": "transactions"},
    **{"R": "rate", "s": "scale", "f": "file", "b": "builtin", "P": "progress", "L": "limit"},
    **{"h": "host", "p": "port", "U": "user", "d": "dbname"},
}
_SWITCHES = (
    *("n", "N", "S", "C", "l", "r", "v", "no-vacuum", "skip-some-updates", "select-only"),
    *("connect", "log", "report-latencies", "report-per-command", "vacuum-all", "debug"),
    *("failures-detailed", "exit-on-abort", "verbose-errors", "progress-timestamp"),
)
_PROCESSED = re.compile(r"number of transactions actually processed: (\d+)")
_FAILED = re.compile(r"number of failed transactions: (\d+)")
_RETRIES = re.compile(r"total number of retries: (\d+)")
_SKIPPED = re.compile(r"number of transactions skipped: (\d+)")
_MEAN = re.compile(r"latency average(?: \(including failures\))?(?: =|:) ([\d.]+) ms")
_LAG = re.compile(r"rate limit schedule lag: avg ([\d.]+)")
_TPS = re.compile(
    r"tps = ([\d.]+) \((without initial connection time|excluding connections establishing|"
    r"including reconnection times|including connections establishing)\)"
)
_WITH_CONNECTING = ("including connections establishing", "including reconnection times")
_SCRIPT = re.compile(r"SQL script (\d+): (.+)")
_SCRIPT_COUNT = re.compile(r"- (\d+) transactions \([\d.]+% of total(?:, tps = ([\d.]+))?\)")
_SCRIPT_PROCESSED = re.compile(
    r"- number of transactions actually processed: (\d+) \(tps = ([\d.]+)"
)
"""Since version 18, whose count above it has those that failed, too."""
_SCRIPT_MEAN = re.compile(r"- latency average = ([\d.]+) ms")
_SCRIPT_COUNTS = (_SCRIPT_PROCESSED, _SCRIPT_COUNT)
_SCRIPT_FAILED = re.compile(r"- number of failed transactions: (\d+)")
_FATAL = re.compile(
    r"pgbench: (?:fatal: |error: )?"
    r"((?:FATAL|could not|client \d+ (?:script \d+ )?aborted|connection to).+)"
    r"|(Run was aborted; .+)"
)
_ABORTED = "Run was aborted"
_FAILURE_MAX_CHARS = 500


def is_ours(log: Log) -> bool:
    """Tell whether pgbench has written a report or progress into this log."""
    figures = (_PROGRESS, _PROCESSED, _TPS)
    return any(pattern.match(line) for line in log.lines for pattern in figures) or any(
        _HEADER.match(line) for line in log.lines[:50]
    )


def read(log: Log) -> list[TrialEvidence]:
    """Return a trial for each run in the log."""
    lines = [line for each in log.lines for line in _GLUED.split(each) if line]
    runs = [run for run in _with_their_progress(_runs(lines)) if run.is_run]
    return with_headings([_trial(log, run) for run in runs], lines, [run.begin for run in runs])


@dataclass
class _Run:
    version: str | None = None
    command: dict[str, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    begin: int | None = None
    """The index of the first line that pgbench has written."""
    has_report: bool = False
    has_progress: bool = False
    is_run: bool = False
    rates: set[str] = field(default_factory=set)
    """Which of its rates the report has told: with, or without the time to connect."""


def _runs(lines: Sequence[str]) -> Iterator[_Run]:
    """Part a log into runs: after a report, what begins one is of another."""
    run = _Run()
    for index, line in enumerate(lines):
        header = _HEADER.match(line)
        called = None if header else command_options(line, (TOOL,), _SHORT, switches=_SWITCHES)
        begins = header or called is not None or line.startswith("starting vacuum")
        again = _PROGRESS.match(line) or _BEGIN.match(line)
        rate = _TPS.match(line)
        is_told = rate is not None and rate[2] in run.rates
        if (begins and run.is_run) or (again and run.has_report) or is_told:
            yield run
            run = _Run(version=run.version)
        if header:
            run.version = header[1]
        if called is not None:
            run.command = called
        run.lines.append(line)
        run.has_progress |= _PROGRESS.match(line) is not None
        run.rates |= {rate[2]} if rate else set()
        run.has_report |= _PROCESSED.match(line) is not None or rate is not None
        run.is_run |= bool(again) or run.has_report or _ABORTED in line
        if run.begin is None and (header or run.is_run):
            run.begin = index
    yield run


def _with_their_progress(runs: Iterable[_Run]) -> list[_Run]:
    """Put progress behind the report that it is of: the two go to different streams."""
    joined: list[_Run] = []
    for run in runs:
        before = joined[-1] if joined else None
        is_rest = before is not None and before.has_report and not before.has_progress
        if before is not None and is_rest and run.has_progress and not run.has_report:
            before.lines = run.lines + before.lines
            before.has_progress = True
        else:
            joined.append(run)
    return joined


def _first(pattern: re.Pattern[str], lines: Sequence[str]) -> str | None:
    """Return what the first line tells that has such a figure."""
    return next((found[1] for line in lines if (found := pattern.match(line))), None)


def _trial(log: Log, run: _Run) -> TrialEvidence:
    lines, scripts = _without_scripts(run.lines)
    options = _options(run.command, lines)
    processed = whole(_first(_PROCESSED, lines))
    mean_ms = positive(_first(_MEAN, lines))
    is_paced = _first(_LAG, lines) is not None or "rate" in options or _has_lag(lines)
    rate, measured_s = _rate(lines, processed, options)
    step_s = positive(options.get("progress"))
    progress = [_interval(found) for line in lines if (found := _PROGRESS.match(line))]
    printed, left_out = by_their_ends(since_begin(progress, step_s), step_s=step_s)
    intervals = tuple(map(_with_failures_per_s, printed))
    measured_from = MeasuredFrom.SCHEDULED if is_paced else MeasuredFrom.START
    times = Times(measured_from=measured_from, mean_ms=mean_ms, count=processed)
    is_cut = not run.has_report
    rate, rate_notes = _checked(rate, processed, lines)
    cut = so_far(intervals) if is_cut else SoFar()
    failure = _failure(run.lines)
    notes = [
        *([truncated(intervals)] if is_cut and failure is None else []),
        *cut.notes,
        *rate_notes,
        *_notes(lines, is_cut),
        *damaged(left_out),
        *log.notes(),
    ]
    trial = TrialEvidence(
        source=log.source(TOOL, run.version),
        options=options,
        clients=whole(options.get("clients")),
        measured_s=cut.length_s if is_cut else measured_s,
        throughput_per_s=cut.rate_per_s if is_cut else rate,
        times=times if mean_ms is not None else None,
        kinds=scripts,
        failed=whole(_first(_FAILED, lines)),
        retries=whole(_first(_RETRIES, lines)),
        intervals=intervals,
        failure=failure,
        notes=tuple(notes),
    )
    # An average that pgbench computed of clients and throughput can still refute them.
    return replace(within_clients(trial), times=None) if _is_computed(lines) else trial


def _without_scripts(lines: Sequence[str]) -> tuple[list[str], dict[str, KindEvidence]]:
    """Part the report from what it tells of each of several scripts."""
    begin = next((i for i, line in enumerate(lines) if _SCRIPT.match(line)), len(lines))
    scripts: dict[str, KindEvidence] = {}
    blocks: list[tuple[str, list[str]]] = []
    for line in lines[begin:]:
        if found := _SCRIPT.match(line):
            blocks.append((found[2].strip(), []))
        elif blocks:
            blocks[-1][1].append(line)
    for index, (name, block) in enumerate(blocks):
        unique = name if name not in scripts else f"{name} ({index + 1})"
        scripts[unique] = _script(block)
    return list(lines[:begin]), scripts


def _script(block: Sequence[str]) -> KindEvidence:
    matches = (pattern.match(line) for pattern in _SCRIPT_COUNTS for line in block)
    told = next((found for found in matches if found), None)
    count = whole(told[1]) if told else None
    mean_ms = positive(_first(_SCRIPT_MEAN, block))
    return KindEvidence(
        committed=count,
        failed=whole(_first(_SCRIPT_FAILED, block)),
        rate_per_s=number(told[2]) if told else None,
        times=Times(mean_ms=mean_ms, count=count) if mean_ms is not None else None,
    )


def _options(command: dict[str, str], lines: Sequence[str]) -> dict[str, str]:
    told = {name: value for name, value in command.items() if name and value}
    for name, pattern in _FACTS.items():
        if (value := _first(pattern, lines)) is not None:
            told[name] = value
    script = _first(_BEGIN, lines)
    if script is not None:
        told["script"] = script.strip()
    return told


def _has_lag(lines: Sequence[str]) -> bool:
    return any(line.startswith("progress: ") and ", lag " in line for line in lines)


def _rate(
    lines: Sequence[str], processed: int | None, options: dict[str, str]
) -> tuple[float | None, float | None]:
    """Return throughput without the time to connect where that is told, and the seconds."""
    told = {found[2]: number(found[1]) for line in lines if (found := _TPS.match(line))}
    wanted = sorted(told, key=lambda what: what == "including connections establishing")
    rate = told[wanted[0]] if wanted else None
    measured_s = per_second(processed, rate) if processed else None
    return rate, round(measured_s, 6) if measured_s else positive(options.get("time"))


def _checked(
    rate: float | None, processed: int | None, lines: Sequence[str]
) -> tuple[float | None, tuple[SourceNote, ...]]:
    """Return throughput; none, and a note, where the number processed in the time refutes it.

    The last transactions may end long after the time is over, so that the rate is lower than
    number by time. It is higher where pgbench takes off the time to connect.
    """
    seconds = positive(_first(_FACTS["time"], lines))
    told = {found[2]: number(found[1]) for line in lines if (found := _TPS.match(line))}
    whole_rate = next((told[name] for name in _WITH_CONNECTING if name in told), rate)
    counted = per_second(processed, seconds)
    if whole_rate is None or counted is None or counted / 2 <= whole_rate <= counted * 1.25:
        return rate, ()
    checked, notes = checked_rate(whole_rate, processed, seconds)
    return rate if checked is not None else None, notes


def _interval(found: re.Match[str]) -> IntervalEvidence:
    return IntervalEvidence(
        start_s=number(found[1]) or -1.0,
        duration_s=0.0,
        throughput_per_s=number(found[2]),
        mean_ms=positive(found[3]),
        # How many failed since the line before; it becomes a rate with the interval's length.
        failed_per_s=number(found[5]),
    )


def _with_failures_per_s(interval: IntervalEvidence) -> IntervalEvidence:
    rate = per_second(interval.failed_per_s, interval.duration_s)
    return replace(interval, failed_per_s=rate)


def _failure(lines: Sequence[str]) -> str | None:
    found = (_FATAL.match(line) for line in lines)
    said = dict.fromkeys(each[1] or each[2] for each in found if each)
    return shown_text("; ".join(said))[:_FAILURE_MAX_CHARS] or None


def _is_computed(lines: Sequence[str]) -> bool:
    """Tell whether the average latency is clients by throughput: none was measured then."""
    return not any(line.startswith("latency stddev") for line in lines)


def _notes(lines: Sequence[str], is_cut: bool) -> Iterator[SourceNote]:
    if not is_cut:
        yield SourceNote(code=NoteCode.NO_PERCENTILE)
    if _is_computed(lines) and _first(_MEAN, lines) is not None:
        yield SourceNote(code=NoteCode.AVERAGE_FROM_THROUGHPUT)
    skipped = whole(_first(_SKIPPED, lines))
    if skipped:
        yield SourceNote(code=NoteCode.SKIPPED, figures=(("skipped", skipped),))
