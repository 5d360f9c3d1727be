"""YCSB's output: the summary in its text form, and the status lines of ``-s``.

Times are microseconds from sending; lines of ``Intended-…`` count from when an operation was due.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dbdyno.importer.intervals import by_their_ends, damaged, truncated
from dbdyno.importer.log import Log
from dbdyno.importer.numbers import added, number, per_second, positive, scaled, share_of, whole
from dbdyno.password import is_name_of_password
from dbdyno.source_notes import NoteCode
from dbdyno.trial_evidence import (
    IntervalEvidence,
    KindEvidence,
    MeasuredFrom,
    SourceNote,
    Times,
    TrialEvidence,
)

TOOL = "ycsb"
LOOKED_FOR = '"[OVERALL], Throughput(ops/sec), …", "… current ops/sec"'

_FIGURE = re.compile(r"\[([A-Z][\w-]*)\], ([\w().=/%-]+), (\S+)$")
_STATUS = re.compile(
    r"(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d:\d{3} )?(\d+) sec: (\d+) operations;(?: ([\d.,]+) current)?"
)
_VERSION = re.compile(r"YCSB Client (\d[\w.-]*)")
_COMMAND = re.compile(r"Command line: (.*)")
_SHELL = re.compile(r".{0,200}?\bycsb(?:\.sh|\.bat)? +((?:load|run)\s.*)")
"""The same as somebody has typed it: ``./bin/ycsb run mongodb -s -threads 8``."""
_PROPERTY = re.compile(r"-p ([\w.-]+)=(\S+)")
_QUANTILE = re.compile(r"([\d.]+)(?:st|nd|rd|th)?PercentileLatency\((us|ms)\)")
_INTENDED = "Intended-"
_FAILED = "-FAILED"
_NO_KINDS = ("OVERALL", "CLEANUP")
_PER_MS = {"us": 1e-3, "ms": 1.0}


def is_ours(log: Log) -> bool:
    """Tell whether YCSB has written lines of this log."""
    return any(
        line.startswith("[OVERALL], ") or (" current ops/sec" in line and _STATUS.match(line))
        for line in log.lines
    )


def read(log: Log) -> list[TrialEvidence]:
    """Return a trial for each run in the log."""
    return [_trial(log, run) for run in _runs(log.lines) if run.figures or run.intervals]


@dataclass
class _Run:
    version: str | None = None
    options: dict[str, str] = field(default_factory=dict)
    figures: dict[str, dict[str, str]] = field(default_factory=dict)
    intervals: list[IntervalEvidence] = field(default_factory=list)


def _runs(lines: Sequence[str]) -> Iterator[_Run]:
    run = _Run()
    for line in lines:
        status = _STATUS.match(line)
        is_command = line.startswith("Command line:") or _SHELL.match(line)
        is_new = line.startswith("[OVERALL], RunTime") or is_command or status
        if is_new and run.figures:
            yield run
            run = _Run(version=run.version, options=dict(run.options))
        _take(line, run, status)
    yield run


def _take(line: str, run: _Run, status: re.Match[str] | None) -> None:
    if status and status[1] == "0":
        return
    if status:
        run.intervals.append(
            IntervalEvidence(
                start_s=number(status[1]) or -1.0,
                duration_s=0.0,
                # Java writes the point as the machine's language has it, and no thousands.
                throughput_per_s=number(status[3].replace(",", ".")) if status[3] else None,
            )
        )
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
    measured_s = scaled(positive(overall.get("RunTime(ms)")), 1e-3)
    intervals, left_out = by_their_ends(run.intervals)
    if not overall and intervals:
        measured_s = intervals[-1].start_s + intervals[-1].duration_s
    rate = number(overall.get("Throughput(ops/sec)"))
    done = [kind for kind in kinds.values() if kind.committed]
    times = done[0].times if len(done) == 1 else None
    options = run.options
    notes = (
        *([] if overall else [truncated(intervals)]),
        *_notes(kinds),
        *damaged(left_out),
        *log.notes(),
    )
    return TrialEvidence(
        source=log.source(TOOL, run.version),
        options=options,
        clients=whole(options.get("threads")) or whole(options.get("threadcount")),
        measured_s=measured_s,
        throughput_per_s=rate if overall else _so_far(intervals),
        times=times,
        kinds=kinds,
        failed=added([kind.failed for kind in kinds.values()]),
        intervals=intervals,
        notes=notes,
    )


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
    failed = figures.get(name + _FAILED, {}).get("Operations")
    source = MeasuredFrom.SCHEDULED if intended else MeasuredFrom.START
    returned = [whole(v) for k, v in own.items() if k.startswith("Return=") and k != "Return=OK"]
    not_ok = whole(failed) if failed is not None else added(returned)
    if not_ok is None and "Return=OK" in own:
        not_ok = 0
    return KindEvidence(
        committed=whole(own.get("Return=OK", own.get("Operations"))),
        failed=not_ok,
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


def _so_far(intervals: Sequence[IntervalEvidence]) -> float | None:
    known = [each for each in intervals if each.throughput_per_s is not None]
    done = sum(each.duration_s * (each.throughput_per_s or 0.0) for each in known)
    return per_second(done, sum(each.duration_s for each in known))


def _notes(kinds: Mapping[str, KindEvidence]) -> Iterator[SourceNote]:
    yield SourceNote(code=NoteCode.COUNTS_OPERATIONS)
    if any(kind.times for kind in kinds.values()):
        yield SourceNote(code=NoteCode.MICROSECONDS_TO_MS)
    if sum(kind.times is not None for kind in kinds.values()) > 1:
        yield SourceNote(code=NoteCode.TIMES_BY_KIND)
