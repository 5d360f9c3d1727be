"""mysqlslap's output, for people and as CSV.

It tells seconds for all queries of all clients, averaged over its iterations, and no time of a
single query. Throughput is queries by these seconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dbdyno.importer.commands import command_options
from dbdyno.importer.headings import with_headings
from dbdyno.importer.log import Log
from dbdyno.importer.numbers import per_second, positive, scaled, whole
from dbdyno.source_notes import NoteCode
from dbdyno.trial_evidence import SourceNote, TrialEvidence

TOOL = "mysqlslap"
LOOKED_FOR = '"Average number of seconds to run all queries", or its CSV'

_PROGRAMS = ("mysqlslap", "mariadb-slap")
_SHORT = {
    **{"c": "concurrency", "i": "iterations", "q": "query", "e": "engine", "a": "auto"},
    **{"h": "host", "u": "user", "p": "password", "P": "port"},
}
_ENGINE = re.compile(r"\s*Running for engine (\S+)")
_LINES = (
    ("average", re.compile(r"\s*Average number of seconds to run all queries: (\S+) seconds")),
    ("clients", re.compile(r"\s*Number of clients running queries: (\d+)")),
    ("queries", re.compile(r"\s*Average number of queries per client: (\d+)")),
)
_STEP_S = 1e-3
"""Seconds are printed with three digits."""
_CSV = re.compile(
    r"(\w*),(mixed|update|write|key|read|\w*),(\d+\.\d{3}),(\d+\.\d{3}),(\d+\.\d{3}),(\d+),(\d+)"
)


def is_ours(log: Log) -> bool:
    """Tell whether mysqlslap has written lines of this log."""
    return any(_LINES[0][1].match(line) or _CSV.fullmatch(line) for line in log.lines)


@dataclass(frozen=True)
class _Block:
    engine: str
    load: str
    average_s: float | None
    clients: int | None
    queries: int | None
    begin: int
    """The index of its first line."""


def read(log: Log) -> list[TrialEvidence]:
    """Return a trial for each block: one call makes several, one a number of clients."""
    trials, begins = [], []
    command: dict[str, str] = {}
    for line_command, block in _blocks(log.lines):
        command = line_command if line_command is not None else command
        if block is not None:
            trials.append(_trial(log, command, block))
            begins.append(block.begin)
    return with_headings(trials, log.lines, begins)


def _blocks(lines: Sequence[str]) -> Iterator[tuple[dict[str, str] | None, _Block | None]]:
    told: dict[str, str] = {}
    begin = 0
    for index, line in enumerate(lines):
        called = command_options(line, _PROGRAMS, _SHORT)
        if called is not None:
            yield called, None
        if found := _CSV.fullmatch(line):
            average, clients, queries = found.group(3, 6, 7)
            yield (
                None,
                _block(
                    {"average": average, "clients": clients, "queries": queries},
                    index,
                    *found.group(1, 2),
                ),
            )
        elif line.strip() == "Benchmark":
            if told:
                yield None, _block(told, begin)
            told, begin = {}, index
        elif found := _ENGINE.match(line):
            told["engine"] = found[1]
        else:
            told |= {name: hit[1] for name, pattern in _LINES if (hit := pattern.match(line))}
    if told:
        yield None, _block(told, begin)


def _block(told: dict[str, str], begin: int, engine: str = "", load: str = "") -> _Block | None:
    if "average" not in told:
        return None
    return _Block(
        engine=told.get("engine", engine),
        load=load,
        average_s=positive(told["average"]),
        clients=whole(told.get("clients")),
        queries=whole(told.get("queries")),
        begin=begin,
    )


def _trial(log: Log, command: dict[str, str], block: _Block) -> TrialEvidence:
    options = {n: v for n, v in command.items() if n and v and n not in ("concurrency", "host")}
    told = {"engine": block.engine, "load-type": block.load}
    options |= {name: value for name, value in told.items() if value}
    queries = None
    if block.clients is not None and block.queries is not None:
        queries = block.clients * block.queries
    notes = [
        SourceNote(code=code)
        for code in (NoteCode.FROM_AVERAGE_SECONDS, NoteCode.COUNTS_QUERIES, NoteCode.NO_PERCENTILE)
    ]
    rate = per_second(queries, block.average_s)
    return TrialEvidence(
        source=log.source(TOOL),
        options=options,
        clients=block.clients,
        measured_s=block.average_s,
        throughput_per_s=rate,
        throughput_step_per_s=per_second(scaled(rate, _STEP_S), block.average_s),
        notes=(*notes, *log.notes()),
    )
