"""sysbench's output, from 0.4 to the main branch: intervals, checkpoints, the last summary.

Latency counts from the sending of an event; with ``--rate`` it counts from the instant when the
event was due, because sysbench adds the time in its queue.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from dbdyno.database.secrets import shown_text
from dbdyno.importer.commands import command_options
from dbdyno.importer.headings import with_headings
from dbdyno.importer.intervals import SoFar, by_their_ends, damaged, so_far, truncated
from dbdyno.importer.log import Log
from dbdyno.importer.numbers import number, positive, share_of, whole
from dbdyno.importer.sysbench_summary import (
    BEGINNINGS,
    DATABASE_BEGINNINGS,
    HISTOGRAM_END_MS,
    Summary,
    read_summaries,
)
from dbdyno.source_notes import NoteCode
from dbdyno.trial_evidence import (
    IntervalEvidence,
    MeasuredFrom,
    SourceNote,
    TrialEvidence,
)

TOOL = "sysbench"
LOOKED_FOR = '"sysbench 1.0.20 (using …)", "SQL statistics:", "total number of events: …"'

_HEADER = re.compile(r"sysbench (\d[\w.+-]*)(?: \(using |:\s)")
_OPTIONS_FOLLOW = "Running the test with following options"
_N = r"([^\s,]+)"
_INTERVAL = re.compile(
    rf"\[ *{_N}s \] thds: {_N} (?:tps|eps): {_N}(?: qps: \S+ \(r/w/o: \S+\))?"
    rf"(?: lat \(ms,(\d+)%\): {_N})?(?: err/s:? {_N})?(?: reconn/s:? {_N})?"
)
_OLD_INTERVAL = re.compile(
    rf"\[ *{_N}s\] threads: {_N}, tps: {_N}, reads(?:/s)?: \S+ writes(?:/s)?: \S+ "
    rf"response time: {_N}ms \((\d+)%\)(?:, errors: {_N}, reconnects: +{_N})?"
)
"""Of 0.5, and of the builds of 0.4 that report as they go on."""
_CSV = re.compile(r"(\d+),(\d+)((?:,\d+\.\d\d){8})")
_JSON_FIELD = re.compile(r'"(time|threads|tps|latency|errors|reconnects)": *([\d.]+)')
_QUEUE = re.compile(r"\[ *\S+s \] queue length: (\d+), concurrency: (\d+)")
_FACTS = {
    "threads": re.compile(r"Number of threads: (\d+)"),
    "rate": re.compile(r"Target transaction rate: (\d+)/sec"),
    "report-interval": re.compile(r"Report intermediate results every (\d+) second"),
    "warmup-time": re.compile(r"Warmup time: (\d+)s"),
    "cpu-max-prime": re.compile(
        r"(?:Prime numbers limit|Maximum prime number checked in CPU test): (\d+)"
    ),
    "memory-block-size": re.compile(r"(?:Memory )?block size: (\S+)"),
    "memory-oper": re.compile(r"(?:Memory )?operations?(?: type)?: (\w+)"),
    "file-block-size": re.compile(r"Block size (\S+)"),
    "file-test-mode": re.compile(r"Doing ((?:random|sequential) .+) test"),
}
_TESTS = {
    "Prime numbers limit": "cpu",
    "Doing CPU performance": "cpu",
    "Running memory speed test": "memory",
    "Doing memory operations": "memory",
    "Extra file open flags": "fileio",
    "Doing thread subsystem": "threads",
    "Doing mutex performance": "mutex",
}
"""By what a test without a database prints of itself, before its run: no run of its own."""
_GLUED = re.compile(r"(?<=\S)(?=\[ *\d+s ?\] (?:thds|threads|queue length): )|(?<=\d)(?=FATAL: )")
"""Two streams in one file: an interval begins where a message has not ended its line, or one where
an interval has not."""
_FATAL = re.compile(r"(?:FATAL: (.+)|(invalid option: .+))")
FAILURE_MAX_CHARS = 500
_UNFINISHED = re.compile(r"Number of unfinished transactions on forced shutdown: (\d+)")


_EVENTS = "total number of events:"
_NAMES = {
    "num-threads": "threads",
    "max-time": "time",
    "max-requests": "events",
    "tx-rate": "rate",
    "test": "script",
}
"""What 0.4 and 0.5 call options that have other names since 1.0."""


def is_ours(log: Log) -> bool:
    """Tell whether sysbench has written lines of this log."""
    return any(
        _HEADER.match(line)
        or _is_begin(line)
        or _is_interval(line)
        or line.startswith((*DATABASE_BEGINNINGS, _EVENTS))
        for line in log.lines
    )


def _is_begin(line: str) -> bool:
    return line.startswith(_OPTIONS_FOLLOW)


def _is_interval(line: str) -> bool:
    return line.startswith("[") and bool(_INTERVAL.match(line) or _OLD_INTERVAL.match(line))


def read(log: Log) -> list[TrialEvidence]:
    """Return a trial for each run; what only prepares or cleans up is none."""
    lines = [line for each in log.lines for line in _unglued(each)]
    runs = [run for run in _runs(lines) if run.is_run]
    return with_headings([_trial(log, run) for run in runs], lines, [run.begin for run in runs])


def _unglued(line: str) -> list[str]:
    """Part a line in which two streams were mixed; most are seen to be whole without a pattern."""
    if line.rfind("[") > 0 or line.rfind("FATAL: ") > 0:
        return [part for part in _GLUED.split(line) if part]
    return [line]


@dataclass
class _Run:
    """The lines of one call, and what stood before it."""

    version: str | None = None
    command: dict[str, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    begin: int | None = None
    """The index of the first line that sysbench has written."""
    is_run: bool = False
    is_at_checkpoint: bool = False
    has_ended: bool = False
    """Its last summary is there; a log without headers goes on with another run."""


def _runs(lines: Sequence[str]) -> Iterator[_Run]:
    """Part a log into calls: each begins with its version, or with its options."""
    run = _Run()
    command: dict[str, str] = {}
    for index, line in enumerate(lines):
        # Of a long log nearly all lines are intervals, and those are nothing else.
        is_interval = _is_interval(line)
        header = None if is_interval else _HEADER.match(line)
        called = None if is_interval else command_options(line, (TOOL,), {}, is_spaced=False)
        command = called if called is not None and not header else command
        begins = is_interval or _is_begin(line) or line.startswith(BEGINNINGS)
        again = run.has_ended and begins and not _is_begin(line)
        if header or again or (_is_begin(line) and run.is_run):
            yield run
            run = _Run(header[1] if header else run.version)
        if header or (begins and not run.is_run):
            run.command, command = command or run.command, {}
        if run.begin is None and (header or begins):
            run.begin = index
        _take(line, run, begins=begins)
    yield run


def _take(line: str, run: _Run, *, begins: bool) -> None:
    run.lines.append(line)
    is_end = line.startswith(_EVENTS)
    run.is_run |= begins or is_end
    run.is_at_checkpoint |= line.endswith("Checkpoint report:")
    run.has_ended |= is_end and not run.is_at_checkpoint
    run.is_at_checkpoint &= not is_end


def _trial(log: Log, run: _Run) -> TrialEvidence:
    options = _options(run)
    summaries = read_summaries(run.lines)
    last = summaries[-1] if summaries and not summaries[-1].is_checkpoint else None
    checkpoint = next((s for s in reversed(summaries) if s.is_checkpoint), None)
    at_s = (checkpoint.total_s if checkpoint else None) if last else None
    measured_from = MeasuredFrom.SCHEDULED if number(options.get("rate")) else MeasuredFrom.START
    percentile = next((s.percentile for s in summaries if s.percentile), None)
    intervals, left_out = by_their_ends(
        _intervals(run.lines, percentile), at_s or 0.0, positive(options.get("report-interval"))
    )
    failure = _failure(run.lines)
    told = last or Summary()
    rate, rate_notes = told.rate(at_s)
    times, times_notes = told.times(measured_from)
    cut = SoFar() if last else so_far(intervals)
    notes = (
        *_notes(run.lines, told, at_s),
        *rate_notes,
        *times_notes,
        *cut.notes,
        *damaged(left_out),
        *([] if last or failure else [truncated(intervals)]),
        *log.notes(),
    )
    return TrialEvidence(
        source=log.source(TOOL, run.version),
        options=options,
        clients=whole(options.get("threads")) or _told_clients(intervals),
        warmup_s=at_s if at_s is not None else positive(options.get("warmup-time")),
        measured_s=told.measured_s(at_s) if last else cut.length_s,
        throughput_per_s=rate if last else cut.rate_per_s,
        times=times,
        failed=told.ignored_errors,
        reconnects=told.reconnects,
        statements=told.statements,
        intervals=intervals,
        failure=failure,
        notes=notes,
    )


def _options(run: _Run) -> dict[str, str]:
    """Return what the header tells, and of a command line what the header does not."""
    told: dict[str, str] = {}
    for line in run.lines:
        for name, pattern in _FACTS.items():
            found = pattern.match(line)
            if found and name not in told:
                told[name] = found[1]
        if line.startswith(("Threads started", "[ ", *DATABASE_BEGINNINGS)):
            break
    command = {_NAMES.get(name, name): v for name, v in run.command.items() if name and v}
    words = run.command.get("", "").split()
    script = next((word for word in words if word not in ("run", "prepare", "cleanup")), None)
    script = script or command.get("script") or _test(run.lines)
    if script:
        command["script"] = script.rpartition("/")[2].removesuffix(".lua")
    if any(_is_begin(line) for line in run.lines):
        # sysbench prints a rate where there is one.
        told.setdefault("rate", "0")
    return command | told


def _test(lines: Sequence[str]) -> str | None:
    beginnings = tuple(_TESTS)
    line = next((line for line in lines if line.startswith(beginnings)), "")
    return next((test for own, test in _TESTS.items() if line.startswith(own)), None)


def _intervals(lines: Sequence[str], percentile: float | None) -> Iterator[IntervalEvidence]:
    """Yield an interval for each line that tells one; ``start_s`` is where it *ends* for now."""
    fields: dict[str, str] = {}
    for line in lines:
        if found := _INTERVAL.match(line):
            share = share_of(found[4]) if found[4] else None
            yield _interval(found.group(1, 2, 3, 5, 6, 7), share)
        elif found := _OLD_INTERVAL.match(line):
            yield _interval(found.group(1, 2, 3, 4, 6, 7), share_of(found[5]))
        elif found := _CSV.fullmatch(line):
            tps, _, _, _, _, latency, errors, reconnects = found[3][1:].split(",")
            values = (found[1], found[2], tps, latency, errors, reconnects)
            yield _interval(values, percentile)
        elif found := _JSON_FIELD.search(line):
            fields[found[1]] = found[2]
            if found[1] == "reconnects":
                names = ("time", "threads", "tps", "latency", "errors", "reconnects")
                yield _interval([fields.get(name) for name in names], percentile)
                fields = {}


def _interval(values: Sequence[str | None], share: float | None) -> IntervalEvidence:
    end, threads, tps, latency, errors, reconnects = values
    # A latency of 0 is that of an interval without events, or one below what is printed.
    end_s, latency_ms = number(end), positive(latency)
    is_cut = latency_ms is not None and latency_ms >= HISTOGRAM_END_MS
    return IntervalEvidence(
        start_s=end_s if end_s is not None else -1.0,
        duration_s=0.0,
        throughput_per_s=number(tps),
        quantiles_ms={share: latency_ms} if share and latency_ms and not is_cut else {},
        failed_per_s=number(errors),
        reconnects_per_s=number(reconnects),
        clients=whole(threads),
    )


def _told_clients(intervals: Sequence[IntervalEvidence]) -> int | None:
    """Return the number that all intervals tell."""
    told = {each.clients for each in intervals}
    return told.pop() if len(told) == 1 else None


def _failure(lines: Sequence[str]) -> str | None:
    """Return all that was fatal, each once: sysbench says it for each thread."""
    found = (_FATAL.match(line) for line in lines)
    said = dict.fromkeys(each[1] or each[2] for each in found if each)
    return shown_text("; ".join(said))[:FAILURE_MAX_CHARS] or None


def _notes(lines: Sequence[str], summary: Summary, at_s: float | None) -> Iterator[SourceNote]:
    if at_s is not None:
        figures = (("at_s", at_s), ("printed_s", summary.total_s))
        yield SourceNote(code=NoteCode.SINCE_CHECKPOINT, figures=figures)
    if summary.is_percentile_off:
        yield SourceNote(code=NoteCode.NO_PERCENTILE)
    if summary.events and not summary.mean_ms:
        yield SourceNote(code=NoteCode.BELOW_RESOLUTION, figures=(("resolution_ms", 0.01),))
    if summary.events is not None and not summary.is_database:
        yield SourceNote(code=NoteCode.NOT_A_DATABASE)
    unfinished = next((found[1] for line in lines if (found := _UNFINISHED.match(line))), None)
    if unfinished is not None:
        figure = (("unfinished", whole(unfinished)),)
        yield SourceNote(code=NoteCode.FORCED_SHUTDOWN, figures=figure)
    queues = [whole(found[1]) for line in lines if (found := _QUEUE.match(line))]
    if queues and queues[-1]:
        yield SourceNote(code=NoteCode.QUEUE_LEFT, figures=(("queue", queues[-1]),))
