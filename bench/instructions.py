"""User-mode instructions per statement, which unlike times hardly change from run to run.

Callgrind counts those of the generator's worker thread in a short run and in a longer one. What
both have in common (connecting, preparing, their one interval) falls out of the difference. One
client, so that each statement bears a whole turn of the event loop: with more, the share of a turn
depends on how many answers each wait finds.

The figures are kept in ``instructions.json`` beside this file, from change to change. They belong
to one kind of machine: the C library chooses other code for another processor (METHODOLOGY.md).
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bench.figures import Figure, Spread
from bench.programs import Load, dbdyno_load
from bench.server import BenchServer, difference
from bench.size import Size
from bench.trial import run_to_end
from bench.turns import CLIENT_CPU, POINT_SELECT, READ_WRITE, Tell
from dbdyno.errors import RunError

KEPT = Path(__file__).with_name("instructions.json")

CALLGRIND = ("valgrind", "--tool=callgrind", "--separate-threads=yes")

WORKER_THREAD = 3
"""The first is Python's, the second merges what workers measure; this one is the only worker."""

COUNT_LIMIT_S = 120.0

_TOTAL = re.compile(r"^totals: (\d+)$", re.MULTILINE)


def instructions(server: BenchServer, size: Size, tell: Tell) -> list[Figure]:
    """Count for each script, and compare with what is kept from the last time."""
    kept = json.loads(KEPT.read_text())
    figures = []
    for script in (READ_WRITE, POINT_SELECT):
        count = _per_statement(server, script, size)
        tell(f"dbdyno   {script:17}    1 client, {count} instructions a statement")
        figures.append(
            Figure(
                section="user-mode instructions per statement",
                name=script,
                unit="",
                spread=Spread.of([count]),
                detail=f"{kept[script]} → {count}",
            )
        )
    return figures


def keep(figures: Sequence[Figure]) -> None:
    """Write the figures down, to be committed with the change that they belong to."""
    counts = {figure.name: int(figure.spread.median) for figure in figures}
    KEPT.write_text(json.dumps(counts, indent=2) + "\n")


def _per_statement(server: BenchServer, script: str, size: Size) -> int:
    (few, few_statements), (many, many_statements) = (
        _count(server, script, size.table_size, duration_s) for duration_s in size.counting_s
    )
    return round((many - few) / (many_statements - few_statements))


def _count(server: BenchServer, script: str, table_size: int, duration_s: float) -> tuple[int, int]:
    """Return the worker's instructions and the statements that it sent."""
    load = Load(
        script=script,
        clients=1,
        table_size=table_size,
        duration_s=duration_s,
        interval_s=duration_s,
        seed=round(1000 * duration_s),
    )
    command = dbdyno_load(server, load)
    before = server.statement_counts()
    with tempfile.TemporaryDirectory() as directory:
        profile = Path(directory, "profile")
        arguments = (*CALLGRIND, f"--callgrind-out-file={profile}", *command.arguments)
        run_to_end(replace(command, arguments=arguments), cpu=CLIENT_CPU, limit_s=COUNT_LIMIT_S)
        worker = profile.with_name(f"{profile.name}-{WORKER_THREAD:02}").read_text()
    server.wait_until_alone()
    total = _TOTAL.search(worker)
    statements = sum(difference(server.statement_counts(), before).values())
    if total is None or statements == 0:
        raise RunError("callgrind did not see the generator's worker")
    return int(total[1]), statements
