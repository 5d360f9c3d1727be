"""BenchmarkSQL's log: 5.0 with its variants, and 6.

Times are from sending. ``Current tpmTOTAL`` of 5.0 means nothing and is not read. tpmTOTAL counts
one transaction too many, which the number of transactions corrects.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from dbdyno.database.secrets import shown_text
from dbdyno.importer.benchmarksql_6 import Table, progress, read_table
from dbdyno.importer.contradictions import checked_rate, within_all
from dbdyno.importer.headings import with_headings
from dbdyno.importer.intervals import SoFar, by_their_ends, damaged, so_far, truncated
from dbdyno.importer.kinds import NEW_ORDER, kind_of
from dbdyno.importer.log import Log
from dbdyno.importer.numbers import added, number, per_minute, per_second, positive, scaled, whole
from dbdyno.password import is_name_of_password
from dbdyno.source_notes import NoteCode
from dbdyno.trial_evidence import (
    IntervalEvidence,
    KindEvidence,
    Source,
    SourceNote,
    Times,
    TrialEvidence,
)

TOOL = "benchmarksql"
LOOKED_FOR = '"BenchmarkSQL v5.0", "Measured tpmC (NewOrders)", "Overall NOPM", or run.properties'

_BEGIN = re.compile(r"BenchmarkSQL v(\d\S{0,20})")
_WRITER = "jTPCC"
"""The class that logs options, results and failures: each such line has its name first."""
_OPTION = re.compile(r"(?:Term-00|[Mm]ain), {1,9}(\w{1,64})=(.*)")
_MEASURED = re.compile(
    r"(?:Measured (tpmC) \(NewOrders\) = |Measured (tpmTOTAL) = |(Transaction Count) = )(\S+)"
)
_SESSION = re.compile(r"Session (Start|End)\s+= (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)")
_SESSION_WITHIN_S = 2.0
"""The session's instants have whole seconds; a longer difference is no rounding."""
_RESULT = "Measured tpmC"
_EXECUTE_MS = re.compile(r"executeTime\[([\w-]+)\]=(\d+)")
_PROGRESS = re.compile(r"progress: ([\d.]+), tpmTOTAL: ([\d.]+), tpmC: ([\d.]+)")
_CURRENT = re.compile(
    r"\[\d{4}/\d\d/\d\d (\d\d):(\d\d):(\d\d(?:\.\d+)?)\]\s+Average tpmC: [\d.]+\s+"
    r"Current tpmC: ([\d.]+)"
)
_ERROR = re.compile(r"[^a-z]*\bERROR\s+\w+")
_FATAL = re.compile(r"\b(?:ERROR|FATAL) {1,9}[\w.]{1,64} : (.*)")
_MENTIONED_MAX = 500
_STEP_S = 5.0
DAY_S = 86_400.0
_NOWHERE = Source(tool=TOOL, path="")
"""Until the file is known."""


def is_ours(log: Log) -> bool:
    """Tell whether BenchmarkSQL has written lines of this log."""
    return any(
        _begin(line)
        or "Measured tpmC (NewOrders)" in line
        or "Overall NOPM:" in line
        or line.startswith("Term-00, Running Average tpmTOTAL")
        or _PROGRESS.match(line)
        for line in log.lines
    )


def read(log: Log) -> list[TrialEvidence]:
    """Return a trial for each run in the log."""
    runs = [run for run in _runs(log.lines) if run.is_run]
    return with_headings([_trial(log, run) for run in runs], log.lines, [run.begin for run in runs])


@dataclass
class _Run:
    version: str | None = None
    lines: list[str] = field(default_factory=list)
    is_run: bool = False
    has_result: bool = False
    begin: int | None = None
    """The index of the first line that the tool has written."""


def _runs(lines: Sequence[str]) -> Iterator[_Run]:
    run = _Run()
    for index, line in enumerate(lines):
        found = _begin(line)
        if found or (run.has_result and (_RESULT in line or _is_option(line))):
            yield run
            run = _Run(version=found[1], is_run=True) if found else _Run()
        run.has_result |= _RESULT in line
        run.lines.append(line)
        run.is_run |= any(
            told in line for told in ("Measured tpmC", "Overall NOPM:", "Running Average tpmTOTAL")
        )
        run.is_run |= _PROGRESS.match(line) is not None
        if run.begin is None and (run.is_run or _WRITER in line):
            run.begin = index
    yield run


def _is_option(line: str) -> bool:
    return _WRITER in line and _OPTION.search(line) is not None


def _begin(line: str) -> re.Match[str] | None:
    return _BEGIN.search(line) if _WRITER in line else None


def _is_error(line: str) -> bool:
    return _ERROR.match(line) is not None or "Unexpected SQLException in " in line


def _trial(log: Log, run: _Run) -> TrialEvidence:
    options = shown_options(dict(_told(run.lines, _OPTION)))
    table = read_table(run.lines, options)
    trial = _of_table(table, options, run.lines) if table else _of_measured(options, run.lines)
    errors = sum(_is_error(line) for line in run.lines)
    noted = [SourceNote(code=NoteCode.ERRORS_IN_LOG, figures=(("errors", errors),))]
    is_told = trial.throughput_per_s is not None
    failure = None if is_told else _failure(run.lines)
    is_cut = table is None and not any("Measured tpmC" in line for line in run.lines)
    notes = (
        *trial.notes,
        *(noted if errors else []),
        *([truncated(trial.intervals)] if is_cut and failure is None else []),
        *log.notes(),
    )
    source = log.source(TOOL, run.version)
    return replace(trial, source=source, options=options, failure=failure, notes=notes)


def _told(lines: Sequence[str], pattern: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        if _WRITER in line and (found := pattern.search(line)):
            yield found[1], found[2].strip()


_NO_OPTIONS = ("driver", "user", "resultDirectory", "reportScript", "fileLocation")


def shown_options(options: Mapping[str, str]) -> dict[str, str]:
    """Return what says how it was measured, without what is secret or names files."""
    return {
        name: shown_text(value)
        for name, value in options.items()
        if value
        and not is_name_of_password(name)
        and name not in _NO_OPTIONS
        and not name.startswith("osCollector")
    }


def _of_measured(options: Mapping[str, str], lines: Sequence[str]) -> TrialEvidence:
    """Return what the last lines of 5.0 tell, or its progress where there are none."""
    measured: dict[str, str] = {}
    for line in lines:
        if found := _MEASURED.search(line):
            measured[found[1] or found[2] or found[3]] = found[4]
    total, count = positive(measured.get("tpmTOTAL")), whole(measured.get("Transaction Count"))
    # tpmTOTAL was computed of one transaction more than were counted.
    elapsed_s = (count + 1) * 60 / total if total and count else None
    session_s = _session_s(lines)
    if session_s and (not elapsed_s or abs(session_s - elapsed_s) > _SESSION_WITHIN_S):
        elapsed_s = session_s
    rate = per_minute(measured.get("tpmC"))
    intervals, left_out = by_their_ends(_intervals(lines))
    measured_s = round(elapsed_s, 3) if elapsed_s else None
    rate, rate_notes = within_all(rate, per_minute(measured.get("tpmTOTAL")))
    cut = so_far(intervals) if not measured else SoFar()
    if not measured:
        rate, measured_s = cut.rate_per_s, cut.last_s
    new_orders = round(rate * elapsed_s) if rate is not None and elapsed_s else None
    times = _mean_time(lines, new_orders)
    kind = KindEvidence(committed=new_orders, rate_per_s=rate, times=times)
    notes = [*rate_notes, *cut.notes, *damaged(left_out)]
    if elapsed_s and elapsed_s == session_s and not rate_notes:
        # Rates and session fit each other: the count is cut, or of something else.
        _, refuted = checked_rate(per_minute(measured.get("tpmTOTAL")), count, session_s)
        notes += [replace(note, code=NoteCode.COUNT_DIFFERS) for note in refuted]
    if elapsed_s and elapsed_s != session_s and count and total:
        corrected = round(count * 60 / elapsed_s, 2)
        if f"{corrected:.6g}" != f"{total:.6g}":
            figures = (("printed", total), ("corrected", corrected))
            notes.append(SourceNote(code=NoteCode.TOTAL_ONE_TOO_MANY, figures=figures))
    if measured:
        notes.append(SourceNote(code=NoteCode.NO_PERCENTILE))
    return TrialEvidence(
        source=_NOWHERE,
        clients=whole(options.get("terminals")),
        measured_s=measured_s,
        throughput_per_s=rate,
        times=times,
        kinds={NEW_ORDER: kind} if new_orders is not None else {},
        intervals=intervals,
        notes=tuple(notes),
    )


def _session_s(lines: Sequence[str]) -> float | None:
    """Return the whole seconds from the session's start to its end."""
    told = {found[1]: found[2] for line in lines if (found := _SESSION.search(line))}
    try:
        instants = [datetime.fromisoformat(told[name]) for name in ("Start", "End")]
    except (KeyError, ValueError):
        return None
    return max((instants[1] - instants[0]).total_seconds(), 0.0) or None


def _mean_time(lines: Sequence[str], new_orders: int | None) -> Times | None:
    """Return the mean of New-Orders, of which one variant prints the sum."""
    for line in lines:
        found = _EXECUTE_MS.search(line)
        if found and kind_of(found[1]) == NEW_ORDER:
            mean_ms = per_second(number(found[2]), new_orders)
            return Times(mean_ms=round(mean_ms, 3), count=new_orders) if mean_ms else None
    return None


def _intervals(lines: Sequence[str]) -> Iterator[IntervalEvidence]:
    """Yield what variants tell of New-Orders as it goes on; ``start_s`` is the end for now."""
    before, begin_s, last_s = (0.0, 0.0), None, 0.0
    for line in lines:
        if found := _PROGRESS.match(line):
            end_s, tpmc = number(found[1]) or 0.0, number(found[3]) or 0.0
            # The tool prints averages since the beginning: their differences are intervals.
            done = (end_s, tpmc * end_s / 60)
            rate = per_second(max(done[1] - before[1], 0.0), max(end_s - before[0], 0.0))
            before = done
            yield IntervalEvidence(start_s=end_s, duration_s=0.0, throughput_per_s=rate)
        elif found := _CURRENT.match(line):
            clock_s = _clock_s(found.group(1, 2, 3))
            begin_s = clock_s - _STEP_S if begin_s is None else begin_s
            last_s = (clock_s - begin_s) % DAY_S + last_s // DAY_S * DAY_S
            rate = per_minute(found[4])
            yield IntervalEvidence(start_s=last_s, duration_s=0.0, throughput_per_s=rate)


def _clock_s(parts: Sequence[str]) -> float:
    hours, minutes, seconds = (number(part) or 0.0 for part in parts)
    return hours * 3600 + minutes * 60 + seconds


def _of_table(table: Table, options: Mapping[str, str], lines: Sequence[str]) -> TrialEvidence:
    """Return what the table of version 6 tells; its times are seconds."""
    measured_s = scaled(positive(options.get("runMins")), 60)
    kinds = {name: _with_rate(kind, measured_s) for name, kind in table.kinds.items()}
    new_order = kinds.get(NEW_ORDER, KindEvidence())
    rate = table.nopm_per_s if table.nopm_per_s is not None else new_order.rate_per_s
    intervals, left_out = by_their_ends(progress(lines, options))
    notes = [SourceNote(code=NoteCode.SECONDS_TO_MS), *damaged(left_out), *thinking(options)]
    return TrialEvidence(
        source=_NOWHERE,
        warmup_s=scaled(number(options.get("rampupMins")), 60),
        measured_s=measured_s,
        throughput_per_s=rate,
        times=new_order.times,
        kinds=kinds,
        failed=added([kind.failed for kind in kinds.values()]),
        intervals=intervals,
        notes=tuple(notes),
    )


def _with_rate(kind: KindEvidence, measured_s: float | None) -> KindEvidence:
    done = (kind.committed or 0) + (kind.rolled_back or 0)
    return replace(kind, rate_per_s=per_second(done, measured_s))


def thinking(options: Mapping[str, str]) -> Iterator[SourceNote]:
    """Say that terminals of version 6 keyed in and thought, unless they were told not to."""
    keying = number(options.get("keyingTimeMultiplier"))
    thought = number(options.get("thinkTimeMultiplier"))
    if keying or thought:
        figures = (("keying", keying), ("thinking", thought))
        yield SourceNote(code=NoteCode.TERMINALS_THINK, figures=figures)


def _failure(lines: Sequence[str]) -> str | None:
    own = (line for line in lines if _WRITER in line)
    found = next((each for line in own if (each := _FATAL.search(line))), None)
    return (shown_text(found[1].strip())[:_MENTIONED_MAX] or None) if found else None
