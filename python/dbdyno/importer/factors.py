"""Which options of runs are factors: those that vary, that every run tells, and that matter."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from dbdyno.source_notes import NoteCode
from dbdyno.trial_evidence import NOT_TOLD, SourceNote, TrialEvidence

CLIENTS = {
    "sysbench": "threads",
    "pgbench": "clients",
    "tpcc-mysql": "connections",
    "benchmarksql": "terminals",
    "go-tpc": "threads",
    "hammerdb": "virtual_users",
    "mysqlslap": "clients",
    "ycsb": "threads",
    "benchbase": "terminals",
    "cockroach": "workers",
    "yugabyte-tpcc": "terminals",
}
"""What each tool calls its clients."""

LENGTHS = {"time", "measure", "runMins", "duration", "rampup", "rampupMins", "warmup-time"}
"""Options that say how long, which is told by a note."""
NO_FACTORS = LENGTHS | {
    *("report-interval", "interval", "progress", "reportIntervalSecs", "resultIntervalSecs"),
    *("histogram", "percentile", "verbosity", "rand-seed", "random-seed", "report-checkpoints"),
    *("host", "port", "user", "db", "dbname", "conn", "mysql-host", "mysql-port", "mysql-socket"),
    *("mysql-user", "mysql-db", "pgsql-host", "pgsql-port", "pgsql-user", "pgsql-db", "database"),
    *("log", "log-prefix", "output", "create-schema", "no-drop", "iterations", "jobs"),
    *("threads", "clients", "connections", "terminals", "c", "threadcount", "workers"),
}
"""Options that say where a server is, how a tool reports, or what ``clients`` tells already."""


def told_levels(
    trials: Sequence[TrialEvidence], ignored: Collection[str] = ()
) -> tuple[dict[str, list[str]], list[SourceNote]]:
    """Return the factors with a level for each trial, and notes on options that not all tell.

    An option in which those trials differ that tell it is a factor: the others are not rounds of
    theirs. ``ignored`` options are none, and trials are those of two results then.
    """
    factors: dict[str, list[str]] = {}
    not_told: list[str] = []
    not_everywhere: list[str] = []
    is_one_tool = len({trial.source.tool for trial in trials}) == 1
    for name, values in _candidates(trials):
        known = [value for value in values if value is not None]
        if not known or name in ignored:
            continue
        is_everywhere = len(known) == len(trials)
        is_clients = name in (*CLIENTS.values(), "clients")
        differs = len(set(known)) > 1 or (is_clients and _is_untold_in_a_file(trials, values))
        if differs and (is_everywhere or not ignored):
            factors[name] = [NOT_TOLD if value is None else value for value in values]
            not_told += [] if is_everywhere else [name]
        elif not is_everywhere and (differs or is_one_tool):
            # Each tool has options of its own; within one tool, they may hide a difference.
            not_everywhere.append(name)
    return factors, [
        SourceNote(code=code, figures=(("options", ", ".join(names)),))
        for code, names in (
            (NoteCode.LEVEL_NOT_TOLD, not_told),
            (NoteCode.OPTION_NOT_EVERYWHERE, not_everywhere),
        )
        if names
    ]


def _is_untold_in_a_file(trials: Sequence[TrialEvidence], values: Sequence[str | None]) -> bool:
    """Tell whether a file tells an option of some of its runs: the others had another, perhaps."""
    told: dict[str, set[bool]] = {}
    for trial, value in zip(trials, values, strict=True):
        told.setdefault(trial.source.path, set()).add(value is None)
    return any(len(each) > 1 for each in told.values())


def _candidates(trials: Sequence[TrialEvidence]) -> Iterator[tuple[str, list[str | None]]]:
    tools = [trial.source.tool for trial in trials]
    yield "tool", list(tools)
    names = {CLIENTS.get(tool, "clients") for tool in tools}
    clients = [None if each.clients is None else str(each.clients) for each in trials]
    yield names.pop() if len(names) == 1 else "clients", clients
    options = dict.fromkeys(name for trial in trials for name in trial.options)
    for name in options:
        if name not in NO_FACTORS:
            yield name, [trial.options.get(name) for trial in trials]
