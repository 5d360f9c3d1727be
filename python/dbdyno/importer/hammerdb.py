"""HammerDB's log of TPROC-C: the result of a run, its virtual users, and the time profile.

A run ends with its result and the profile. What prepares the next one begins it: the ramp-up, or
a number of virtual users, which HammerDB prints before the result, and many logs have nothing else.

NOPM are New-Orders a minute. TPM are the database's commits and rollbacks, so neither it nor the
counter's lines tell a throughput here. The profile's percentiles are of all transactions of all
virtual users, also of those in the ramp-up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dbdyno.database.secrets import shown_text
from dbdyno.importer.contradictions import checked_by_sum, within_all
from dbdyno.importer.headings import with_headings
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
_SET_USERS = re.compile(r"\bvuset {1,9}vu {1,9}(\d{1,9})\b")
_CREATED = re.compile(r"\b(\d{1,9}) Virtual Users Created(?P<monitor> with Monitor VU)?")
_TIMING = "TRANSACTION RESPONSE TIMES"
_TIMING_KEY = re.compile(r'\s*"(\w{1,20})": \{$')
_TIMING_FIGURE = re.compile(r'\s*"(calls|min|avg|max|total|p[1-9]\d)(?:_ms)?": "([\d.]+)"')
"""Of the jobs that HammerDB keeps since 4.6, as ``jobs JOB timing`` prints them."""
_RESULT = re.compile(
    r"System achieved (?:(?P<nopm>\d{1,15}) NOPM from (?P<tpm>\d{1,15}) (?P<name>[^,]{0,40}?) ?TPM"
    r"|(?P<tpm_first>\d{1,15}) (?P<name_last>[^,]{0,40}?) ?TPM at (?P<nopm_last>\d{1,15}) NOPM)"
)
_PREPARES = (_RAMPUP, _RESULT, _ACTIVE, _SET_USERS, _CREATED)
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
_FIGURE = re.compile(r"(CALLS|MIN|AVG|MAX|TOTAL|P[1-9]\d): ([\d.]+)")
_FAILED = "FINISHED FAILED"
_ERROR = re.compile(r"Error in Virtual User \d{1,9}: (.+)")
_FAILURE_MAX_CHARS = 500


def is_ours(log: Log) -> bool:
    """Tell whether HammerDB has written lines of this log."""
    return any(_RESULT.search(line) or _RAMPUP.search(line) for line in log.lines)


def read(log: Log) -> list[TrialEvidence]:
    """Return a trial for each run in the log."""
    runs = [run for run in _runs(log.lines) if run.is_run]
    return with_headings([_trial(log, run) for run in runs], log.lines, [run.begin for run in runs])


@dataclass
class _Run:
    version: str | None = None
    options: dict[str, str] = field(default_factory=dict)
    nopm: str | None = None
    tpm: str | None = None
    set_users: int | None = None
    """As ``vuset`` sets them: they hold for later runs, too, unlike those that a run reports."""
    own_users: int | None = None
    profile: dict[str, dict[str, str]] = field(default_factory=dict)
    procedure: str | None = None
    is_in_summary: bool = False
    is_in_timing: bool = False
    failed_users: int = 0
    has_counter: bool = False
    error: str | None = None
    is_run: bool = False
    begin: int | None = None
    """The index of the first line that says something of this run."""


def _runs(lines: Sequence[str]) -> Iterator[_Run]:
    """Part a log into runs. Settings hold for those that come after, too."""
    run = _Run()
    for index, line in enumerate(lines):
        if _begins_another(line, run):
            yield run
            run = _Run(run.version, dict(run.options), set_users=run.set_users)
        if run.begin is None and any(each.search(line) for each in _PREPARES):
            run.begin = index
        _take(line, run)
        if run.is_in_summary:
            _take_profile(line, run)
        run.is_in_summary = bool(_SUMMARY.match(line)) or (
            run.is_in_summary and not _PROFILE_ENDS.match(line)
        )
        _take_timing(line, run)
    yield run


def _begins_another(line: str, run: _Run) -> bool:
    """Tell whether a line is of the run after this one."""
    if run.nopm is None:
        return run.is_run and _RAMPUP.search(line) is not None
    return any(each.search(line) for each in _PREPARES) or (line == _TIMING and bool(run.profile))


def _take(line: str, run: _Run) -> None:
    if found := _RESULT.search(line):
        run.nopm, run.is_run = found["nopm"] or found["nopm_last"], True
        run.tpm = found["tpm"] or found["tpm_first"]
        run.options["database"] = (found["name"] or found["name_last"] or "").strip()
    elif found := _RAMPUP.search(line):
        run.options["rampup"], run.is_run = found[1], True
    elif found := _DURATION.search(line):
        run.options["duration"] = found[1]
    elif found := _SET_USERS.search(line):
        run.set_users = whole(found[1])
    elif (users := _own_users(line)) is not None:
        run.own_users = users
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


def _own_users(line: str) -> int | None:
    """Return the virtual users that a line creates or reports; the monitor is none of them."""
    if found := _ACTIVE.search(line):
        return whole(found[1])
    if found := _CREATED.search(line):
        return int(found[1]) - (found["monitor"] is not None)
    return None


def _take_profile(line: str, run: _Run) -> None:
    if found := _PROC.match(line):
        run.procedure = kind_of(found[1])
    elif run.procedure is not None:
        figures = run.profile.setdefault(run.procedure, {})
        figures.update(_FIGURE.findall(line))


def _take_timing(line: str, run: _Run) -> None:
    """Take a line of the profile as JSON, which ends where its first column closes."""
    if found := _TIMING_KEY.match(line):
        run.procedure = kind_of(found[1]) if run.is_in_timing else None
    elif run.is_in_timing and run.procedure and (found := _TIMING_FIGURE.match(line)):
        run.profile.setdefault(run.procedure, {})[found[1].upper()] = found[2]
    run.is_in_timing = line.startswith(_TIMING) or (
        run.is_in_timing and not line.startswith(("TRANSACTION COUNT", "HAMMERDB RESULT"))
    )


def _trial(log: Log, run: _Run) -> TrialEvidence:
    # A TPM of 0 is one that HammerDB has not counted, as where a snapshot of Oracle does.
    rate, refuted = within_all(per_minute(run.nopm), per_minute(run.tpm) or None)
    kinds = {}
    for kind, figures in run.profile.items():
        times, times_notes = checked_by_sum(_times(figures), positive(figures.get("TOTAL")), kind)
        kinds[kind] = KindEvidence(rate_per_s=rate if kind == NEW_ORDER else None, times=times)
        refuted = (*refuted, *times_notes)
    options = {name: value for name, value in run.options.items() if value}
    failure = run.error if run.nopm is None else None
    notes = (
        *([truncated(())] if run.nopm is None and failure is None else []),
        *refuted,
        *_notes(run, kinds),
        *log.notes(),
    )
    return TrialEvidence(
        source=log.source(TOOL, run.version),
        options=options,
        clients=run.set_users if run.own_users is None else run.own_users,
        warmup_s=scaled(positive(options.get("rampup")), 60),
        measured_s=scaled(positive(options.get("duration")), 60) if run.nopm is not None else None,
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
