"""HammerDB's log of TPROC-C: the result of a run, its virtual users, and the time profile.

NOPM are New-Orders a minute. TPM are the database's commits and rollbacks, so neither it nor the
counter's lines tell a throughput here. The profile's percentiles are of all transactions of all
virtual users, also of those in the ramp-up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dbdyno.database.secrets import shown_text
from dbdyno.importer.intervals import truncated
from dbdyno.importer.kinds import NEW_ORDER, kind_of
from dbdyno.importer.log import Log
from dbdyno.importer.numbers import per_minute, positive, scaled, whole
from dbdyno.password import is_name_of_password
from dbdyno.source_notes import NoteCode
from dbdyno.trial_evidence import KindEvidence, SourceNote, Times, TrialEvidence

TOOL = "hammerdb"
LOOKED_FOR = '"TEST RESULT : System achieved … NOPM from … TPM", "Vuser 1:Beginning rampup time"'

_VERSION = re.compile(r"HammerDB (?:CLI )?v?(\d{1,3}\.\d{1,3})")
_RAMPUP = re.compile(r"Beginning rampup time of (\d{1,9}) minute")
_DURATION = re.compile(r"Timing test period of (\d{1,9}) in minutes")
_ACTIVE = re.compile(r"\b(\d{1,9}) Active Virtual Users configured")
_RESULT = re.compile(
    r"System achieved (?:(\d{1,15}) NOPM from \d{1,15} ([^,]{0,40}?) ?TPM"
    r"|\d{1,15} ([^,]{0,40}?) ?TPM at (\d{1,15}) NOPM)"
)
_SETTING = re.compile(
    r"\b((?:mysql|maria|pg|ora|mssqls|db2|redis)_\w{1,40})(?: {0,9}= {0,9}| {1,9})"
    r"(?:from \S{1,200} to )?(\S{1,200})"
)
"""As settings are set, listed, or said to be changed."""
_WANTED = (
    "count_ware",
    "total_iterations",
    "allwarehouse",
    "keyandthink",
    "storedprocs",
    "prepared",
)
_COUNTER = re.compile(r"\d+ \S.* tpm$")
_SUMMARY = re.compile(r">>>>> (?:SUMMARY OF \d+ ACTIVE VIRTUAL USERS|COMBINED METRICS)")
_PROFILE_ENDS = re.compile(r"\+-\+-|>>>>> VIRTUAL USER")
_PROC = re.compile(r">>>>> PROC: (\w+)")
_FIGURE = re.compile(r"(CALLS|MIN|AVG|MAX|P[1-9]\d): ([\d.]+)")
_FAILED = "FINISHED FAILED"
_ERROR = re.compile(r"Error in Virtual User \d{1,9}: (.+)")
_FAILURE_MAX_CHARS = 500


def is_ours(log: Log) -> bool:
    """Tell whether HammerDB has written lines of this log."""
    return any(_RESULT.search(line) or _RAMPUP.search(line) for line in log.lines)


def read(log: Log) -> list[TrialEvidence]:
    """Return a trial for each run in the log."""
    return [_trial(log, run) for run in _runs(log.lines) if run.is_run]


@dataclass
class _Run:
    version: str | None = None
    options: dict[str, str] = field(default_factory=dict)
    nopm: str | None = None
    clients: int | None = None
    profile: dict[str, dict[str, str]] = field(default_factory=dict)
    procedure: str | None = None
    is_in_summary: bool = False
    failed_users: int = 0
    has_counter: bool = False
    error: str | None = None
    is_run: bool = False


def _runs(lines: Sequence[str]) -> Iterator[_Run]:
    """Part a log into runs. Settings hold for those that come after, too."""
    run = _Run()
    for line in lines:
        if (run.is_run and _RAMPUP.search(line)) or (run.nopm and _RESULT.search(line)):
            yield run
            run = _Run(version=run.version, options=dict(run.options), clients=run.clients)
        _take(line, run)
        if run.is_in_summary:
            _take_profile(line, run)
        run.is_in_summary = bool(_SUMMARY.match(line)) or (
            run.is_in_summary and not _PROFILE_ENDS.match(line)
        )
    yield run


def _take(line: str, run: _Run) -> None:
    if found := _RESULT.search(line):
        run.nopm, run.is_run = found[1] or found[4], True
        run.options["database"] = (found[2] or found[3]).strip()
    elif found := _RAMPUP.search(line):
        run.options["rampup"], run.is_run = found[1], True
    elif found := _DURATION.search(line):
        run.options["duration"] = found[1]
    elif found := _ACTIVE.search(line):
        run.clients = whole(found[1])
    elif found := _VERSION.search(line):
        run.version = found[1]
    elif (found := _ERROR.search(line)) and run.error is None:
        run.error = shown_text(found[1])[:_FAILURE_MAX_CHARS]
    elif found := _SETTING.search(line):
        name = found[1].partition("_")[2]
        if name in _WANTED and not is_name_of_password(name):
            run.options["warehouses" if name == "count_ware" else name] = found[2]
    run.failed_users += _FAILED in line
    run.has_counter |= _COUNTER.match(line) is not None


def _take_profile(line: str, run: _Run) -> None:
    if found := _PROC.match(line):
        run.procedure = kind_of(found[1])
    elif run.procedure is not None:
        figures = run.profile.setdefault(run.procedure, {})
        figures.update(_FIGURE.findall(line))


def _trial(log: Log, run: _Run) -> TrialEvidence:
    rate = per_minute(run.nopm)
    kinds = {
        kind: KindEvidence(rate_per_s=rate if kind == NEW_ORDER else None, times=_times(figures))
        for kind, figures in run.profile.items()
    }
    options = {name: value for name, value in run.options.items() if value}
    failure = run.error if rate is None else None
    notes = (
        *([truncated(())] if rate is None and failure is None else []),
        *_notes(run, kinds),
        *log.notes(),
    )
    return TrialEvidence(
        source=log.source(TOOL, run.version),
        options=options,
        clients=run.clients,
        warmup_s=scaled(positive(options.get("rampup")), 60),
        measured_s=scaled(positive(options.get("duration")), 60) if rate is not None else None,
        throughput_per_s=rate,
        times=kinds[NEW_ORDER].times if NEW_ORDER in kinds else None,
        kinds=kinds,
        failure=failure,
        notes=notes,
    )


def _times(figures: Mapping[str, str]) -> Times | None:
    quantiles = {
        round(int(name[1:]) / 100, 6): value
        for name, text in sorted(figures.items())
        if name.startswith("P") and (value := positive(text)) is not None
    }
    mean = positive(figures.get("AVG"))
    if mean is None and not quantiles:
        return None
    return Times(
        quantiles_ms=quantiles,
        mean_ms=mean,
        min_ms=positive(figures.get("MIN")),
        max_ms=positive(figures.get("MAX")),
        count=whole(figures.get("CALLS")),
    )


def _notes(run: _Run, kinds: Mapping[str, KindEvidence]) -> Iterator[SourceNote]:
    if kinds:
        yield SourceNote(code=NoteCode.PROFILE_HAS_RAMPUP)
    elif run.nopm is not None:
        yield SourceNote(code=NoteCode.NO_PERCENTILE)
    if run.nopm is not None and (minutes := whole(run.options.get("duration"))):
        yield SourceNote(code=NoteCode.WHOLE_MINUTES, figures=(("minutes", minutes),))
    if run.has_counter:
        yield SourceNote(code=NoteCode.COUNTER_NOT_READ)
    if run.options.get("keyandthink") == "true":
        yield SourceNote(code=NoteCode.TERMINALS_THINK)
    if run.failed_users:
        figures = (("failed", run.failed_users),)
        yield SourceNote(code=NoteCode.FAILED_VIRTUAL_USERS, figures=figures)
