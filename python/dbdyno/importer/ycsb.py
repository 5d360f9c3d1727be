"""YCSB's output: the summary in its text form, and the status lines of ``-s``.

Times are microseconds, in the oldest milliseconds, from sending; lines of ``Intended-…`` count from
when an operation was due. The throughput that YCSB prints has failed operations in it, and so have
the times of versions that print no ``-FAILED`` lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dbdyno.importer.contradictions import checked_rate
from dbdyno.importer.headings import with_headings
from dbdyno.importer.intervals import SoFar, damaged, truncated
from dbdyno.importer.log import Log
from dbdyno.importer.numbers import added, number, per_second, positive, scaled, share_of, whole
from dbdyno.importer.ycsb_status import (
    Status,
    done_so_far,
    intervals_of,
    is_of_another_run,
    status_of,
)
from dbdyno.password import is_name_of_password
from dbdyno.source_notes import NoteCode
from dbdyno.trial_evidence import KindEvidence, MeasuredFrom, SourceNote, Times, TrialEvidence

TOOL = "ycsb"
LOOKED_FOR = '"[OVERALL], Throughput(ops/sec), …", "… current ops/sec"'

_FIGURE = re.compile(r"\[([A-Z][\w-]*)\], ?([\w().=/%-]+), (\S+)$")
_VERSION = re.compile(r"YCSB Client (\d[\w.-]*)")
_COMMAND = re.compile(r"Command line: (.*)")
_SHELL = re.compile(r".{0,200}?\bycsb(?:\.sh|\.bat)? +((?:load|run)\s.*)")
"""The same as somebody has typed it: ``./bin/ycsb run mongodb -s -threads 8``."""
_PROPERTY = re.compile(r"-p ([\w.-]+)=(\S+)")
_QUANTILE = re.compile(r"([\d.]+)(?:st|nd|rd|th)?PercentileLatency\((us|ms)\)")
_INTENDED = "Intended-"
_FAILED = "-FAILED"
_NO_KINDS = ("OVERALL", "CLEANUP")
_BOTH = "read-modify-write"
"""An operation whose read and update are listed as such, too."""
_RETURN = "Return="
_WELL = ("OK", "BATCHED_OK", "0")
"""Returns of operations that succeeded, of versions with names and of those with numbers."""
_PER_MS = {"us": 1e-3, "ms": 1.0}


def is_ours(log: Log) -> bool:
    """Tell whether YCSB has written lines of this log."""
    return any(
        line.startswith("[OVERALL],") or (" current ops/sec" in line and status_of(line))
        for line in log.lines
    )


def read(log: Log) -> list[TrialEvidence]:
    """Return a trial for each run in the log."""
    runs = [run for run in _runs(log.lines) if run.figures or run.statuses]
    return with_headings([_trial(log, run) for run in runs], log.lines, [run.begin for run in runs])


@dataclass
class _Run:
    version: str | None = None
    options: dict[str, str] = field(default_factory=dict)
    figures: dict[str, dict[str, str]] = field(default_factory=dict)
    statuses: list[Status] = field(default_factory=list)
    begin: int | None = None
    """The index of the first line that YCSB has written of it."""


def _runs(lines: Sequence[str]) -> Iterator[_Run]:
    run = _Run()
    for index, line in enumerate(lines):
        status = status_of(line)
        is_command = line.startswith("Command line:") or _SHELL.match(line)
        is_overall = line.startswith("[OVERALL],") and "RunTime" in line
        again = status is not None and is_of_another_run(status, run.statuses)
        if ((is_overall or is_command or status) and run.figures) or again:
            yield run
            run = _Run(version=run.version, options=dict(run.options))
        if run.begin is None and (status or is_overall or _FIGURE.match(line)):
            run.begin = index
        _take(line, run, status)
    yield run


def _take(line: str, run: _Run, status: Status | None) -> None:
    if status is not None:
        run.statuses += [status] if status.end_s else []
    elif found := _FIGURE.match(line):
        run.figures.setdefault(found[1], {})[found[2]] = found[3]
    elif found := _VERSION.match(line):
        run.version = found[1]
    elif found := _COMMAND.match(line) or _SHELL.match(line):
        run.options = _options(found[1])


def _options(command: str) -> dict[str, str]:
    """Return what the command line tells: YCSB writes it as one of its first lines."""
    words = command.split()
    options = dict(_PROPERTY.findall(command))
    for name, option in (("-threads", "threads"), ("-target", "target"), ("-db", "db")):
        if name in words[:-1]:
            options[option] = words[words.index(name) + 1]
    phases = {"-load": "load", "load": "load", "-t": "run", "run": "run"}
    if phase := next((phases[word] for word in words if word in phases), None):
        options["phase"] = phase
    if words[:1] in (["load"], ["run"]) and len(words) > 1:
        options.setdefault("db", words[1])
    if "-P" in words[:-1]:
        options["workload"] = words[words.index("-P") + 1].rpartition("/")[2]
    return {name: value for name, value in options.items() if _is_shown(name)}


def _is_shown(name: str) -> bool:
    return not is_name_of_password(name) and not name.endswith((".url", ".user", ".host", ".hosts"))


def _trial(log: Log, run: _Run) -> TrialEvidence:
    overall = run.figures.get("OVERALL", {})
    names = dict.fromkeys(
        name.removesuffix(_FAILED) for name in run.figures if _is_kind(name, run.figures[name])
    )
    kinds = {name.lower(): _kind(name, run.figures) for name in names}
    intervals, left_out = intervals_of(run.statuses)
    cut = SoFar() if overall else done_so_far(run.statuses, intervals)
    measured_s = scaled(positive(overall.get("RunTime(ms)")), 1e-3)
    rate, rate_notes = _throughput(number(overall.get("Throughput(ops/sec)")), measured_s, kinds)
    done = [kind for kind in kinds.values() if kind.committed]
    times = done[0].times if len(done) == 1 else None
    options = run.options
    notes = (
        *([] if overall else [truncated(intervals)]),
        *cut.notes,
        *rate_notes,
        *_notes(run.figures, kinds),
        *damaged(left_out),
        *log.notes(),
    )
    return TrialEvidence(
        source=log.source(TOOL, run.version),
        options=options,
        clients=whole(options.get("threads")) or whole(options.get("threadcount")),
        measured_s=measured_s if overall else cut.length_s,
        throughput_per_s=rate if overall else cut.rate_per_s,
        times=times,
        kinds=kinds,
        statements=_shares(kinds),
        failed=added([kind.failed for kind in kinds.values()]),
        intervals=intervals,
        failure=None if done else _failure(run.figures),
        notes=notes,
    )


def _throughput(
    printed_per_s: float | None, measured_s: float | None, kinds: Mapping[str, KindEvidence]
) -> tuple[float | None, tuple[SourceNote, ...]]:
    """Return operations a second that succeeded; none where more are listed than were done."""
    own = [kind for name, kind in kinds.items() if name != _BOTH]
    done, failed = (
        added([getattr(kind, what) for kind in own]) for what in ("committed", "failed")
    )
    both = kinds.get(_BOTH, KindEvidence()).committed or 0
    listed = (done or 0) + (failed or 0) - both
    if printed_per_s is not None and (per_second(listed, measured_s) or 0.0) > printed_per_s:
        printed_per_s, refuted = checked_rate(printed_per_s, listed, measured_s)
        if refuted:
            return None, refuted
    if printed_per_s is None or not failed:
        return printed_per_s, ()
    figures = (("failed", failed), ("printed_per_s", printed_per_s))
    note = SourceNote(code=NoteCode.FAILED_NOT_COUNTED, figures=figures)
    return printed_per_s * (done or 0) / ((done or 0) + failed), (note,)


def _shares(kinds: Mapping[str, KindEvidence]) -> dict[str, float]:
    """Return the share of each kind in all operations."""
    counts = {
        name: (kind.committed or 0) + (kind.failed or 0)
        for name, kind in kinds.items()
        if name != _BOTH
    }
    total = sum(counts.values())
    return {name: count / total for name, count in counts.items()} if total else {}


def _failure(figures: Mapping[str, Mapping[str, str]]) -> str | None:
    """Return the lines of operations that failed, of a run of which none has succeeded."""
    said = [
        f"[{name}], {figure}, {value}"
        for name, told in figures.items()
        for figure, value in told.items()
        if (figure.startswith(_RETURN) and figure.removeprefix(_RETURN) not in _WELL)
        or (figure == "Operations" and name.endswith(_FAILED))
    ]
    return "; ".join(said) or None


def _is_kind(name: str, figures: Mapping[str, str]) -> bool:
    is_operation = "Operations" in figures and name not in _NO_KINDS
    return is_operation and not name.startswith((_INTENDED, "TOTAL_"))


def _kind(name: str, figures: Mapping[str, Mapping[str, str]]) -> KindEvidence:
    """Return what became of an operation; from when it was due, where YCSB tells that.

    YCSB tells returns of all operations, and failures of those that failed: without either, nobody
    knows whether some did.
    """
    intended = figures.get(_INTENDED + name)
    own = figures.get(name, {})
    source = MeasuredFrom.SCHEDULED if intended else MeasuredFrom.START
    returned = {
        key.removeprefix(_RETURN): whole(value)
        for key, value in own.items()
        if key.startswith(_RETURN)
    }
    well = added([count for code, count in returned.items() if code in _WELL])
    badly = added([count for code, count in returned.items() if code not in _WELL])
    apart = whole(figures.get(name + _FAILED, {}).get("Operations"))
    if badly is None and returned:
        badly = 0
    operations = whole(own.get("Operations"))
    if operations is not None and apart is None:
        operations = max(operations - (badly or 0), 0)
    return KindEvidence(
        committed=operations if well is None else well,
        failed=badly if apart is None else apart,
        times=_times(intended or own, source),
    )


def _times(figures: Mapping[str, str], measured_from: MeasuredFrom) -> Times | None:
    quantiles = {}
    for name, text in figures.items():
        found = _QUANTILE.fullmatch(name)
        share = share_of(found[1]) if found else None
        value = positive(text)
        if found and share and value:
            quantiles[share] = round(value * _PER_MS[found[2]], 6)
    mean, low, high = (_latency_ms(figures, name) for name in ("Average", "Min", "Max"))
    if mean is None and not quantiles:
        return None
    return Times(
        measured_from=measured_from,
        quantiles_ms=dict(sorted(quantiles.items())),
        mean_ms=mean,
        min_ms=low,
        max_ms=high,
        count=whole(figures.get("Operations")),
    )


def _latency_ms(figures: Mapping[str, str], name: str) -> float | None:
    for unit, factor in _PER_MS.items():
        value = positive(figures.get(f"{name}Latency({unit})"))
        if value is not None:
            return round(value * factor, 6)
    return None


def _notes(
    figures: Mapping[str, Mapping[str, str]], kinds: Mapping[str, KindEvidence]
) -> Iterator[SourceNote]:
    yield SourceNote(code=NoteCode.COUNTS_OPERATIONS)
    timed = {name: kind for name, kind in kinds.items() if kind.times}
    printed = [
        (name, text)
        for kind in timed
        for name, text in figures.get(kind.upper(), {}).items()
        if "Latency(" in name
    ]
    if any(name.endswith("(us)") for name, _ in printed):
        yield SourceNote(code=NoteCode.MICROSECONDS_TO_MS)
    if any(name.endswith("(ms)") and number(text) == 0 for name, text in printed):
        yield SourceNote(code=NoteCode.BELOW_RESOLUTION, figures=(("resolution_ms", 1.0),))
    if len(timed) > 1:
        yield SourceNote(code=NoteCode.TIMES_BY_KIND)
    among = [
        n for n, kind in timed.items() if kind.failed and f"{n.upper()}{_FAILED}" not in figures
    ]
    if among:
        failed = added([kinds[name].failed for name in among])
        yield SourceNote(code=NoteCode.FAILED_HAVE_TIMES, figures=(("failed", failed),))
