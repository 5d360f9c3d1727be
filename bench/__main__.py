"""Runs the benchmark: ``python -m bench [--smoke] [--socket] [--only PART ...] [--out FILE]``."""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from rich.console import Console

from bench.ceiling import ceiling
from bench.comparisons import (
    Comparison,
    with_pgbench,
    with_pgbench_unpinned,
    with_sysbench,
    with_sysbench_unpinned,
    with_tpcc,
)
from bench.figures import Figure
from bench.large_report import large_reports
from bench.loading import loading
from bench.many_clients import many_clients
from bench.output import print_table, write_json
from bench.pair import QUIET_CPUS
from bench.process import look_on_time
from bench.programs import pgbench_program
from bench.size import FULL, SMOKE, Size
from bench.tpcc_loading import tpcc_loading
from bench.turns import CLIENT_CPU, SERVER_CPU, Tell
from bench.waiting import waiting
from dbdyno.errors import DbdynoError, InputError
from dbdyno.watch.facts.host import host_facts

PROGRAMS = {"sysbench": "sysbench", "valgrind": "valgrind", "taskset": "util-linux"}
"""What is run besides dbdyno and what comes with a server, and the packages that it is in."""

PARTS = (
    *("waiting", "large-report", "loading", "tpcc-loading", "ceiling", "many-clients"),
    *("sysbench", "sysbench-unpinned", "pgbench", "pgbench-unpinned", "tpcc"),
)
"""What can be measured by itself."""

COMPARISONS: dict[str, Callable[[Path, Size, Tell], Comparison]] = {
    "sysbench-unpinned": with_sysbench_unpinned,
    "pgbench": with_pgbench,
    "pgbench-unpinned": with_pgbench_unpinned,
    "tpcc": with_tpcc,
}
"""Those that take nothing but a size."""

RESULTS = Path("results", "bench.json")


def main() -> int:
    """Measure, print and write; 0 whether or not targets are met, 2 where a part has failed."""
    arguments = _arguments()
    size = SMOKE if arguments.smoke else FULL
    try:
        _check_machine()
        look_on_time()
        with tempfile.TemporaryDirectory(prefix="dbdyno-bench-") as directory:
            facts = host_facts(Path(directory)).to_document()
            found = _measure(size, Path(directory), arguments.only, over_socket=arguments.socket)
    except DbdynoError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    console = Console(width=None if sys.stdout.isatty() else 160)
    print_table(console, found.figures, facts, found.conditions)
    write_json(arguments.out, found.figures, facts, found.conditions)
    for failure in found.failures:
        print(f"bench: {failure}", file=sys.stderr)
    return 2 if found.failures else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="see that it works, in a minute")
    parser.add_argument("--socket", action="store_true", help="compare over the Unix socket too")
    parser.add_argument(
        "--only",
        nargs="+",
        choices=PARTS,
        default=PARTS,
        metavar="PART",
        help=f"{', '.join(PARTS)}",
    )
    parser.add_argument("--out", type=Path, default=RESULTS, help=f"JSON file ({RESULTS})")
    return parser.parse_args()


def _check_machine() -> None:
    missing = {package for program, package in PROGRAMS.items() if not shutil.which(program)}
    if missing:
        raise InputError(f"packages are missing: {', '.join(sorted(missing))}")
    pgbench_program()
    if not {SERVER_CPU, CLIENT_CPU} <= os.sched_getaffinity(0):
        raise InputError(f"the CPUs {SERVER_CPU} and {CLIENT_CPU} are needed, one for each side")


@dataclass
class Found:
    """What all parts have found, under which conditions, and which part could not be measured."""

    figures: list[Figure] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


def _measure(size: Size, directory: Path, parts: Sequence[str], *, over_socket: bool) -> Found:
    """Measure some parts; one that fails keeps none of the others from being measured."""
    found, others, comparisons = Found(), list[Figure](), list[Comparison]()
    alone: dict[str, Callable[[], list[Figure]]] = {
        "waiting": lambda: waiting(size),
        "large-report": lambda: large_reports(directory / "large-report", size, _tell),
        "loading": lambda: loading(directory / "loading", size, _tell),
        "tpcc-loading": lambda: tpcc_loading(directory / "tpcc-loading", size, _tell),
        "ceiling": lambda: ceiling(size, _tell),
        "many-clients": lambda: many_clients(size, _tell),
    }
    compared = COMPARISONS | {"sysbench": partial(with_sysbench, over_socket=over_socket)}
    for part in (part for part in PARTS if part in parts):
        try:
            if part in alone:
                others += alone[part]()
            else:
                comparisons.append(compared[part](directory / part, size, _tell))
        except DbdynoError as error:
            found.failures.append(f"{part}: {error}")
            _tell(f"{part} has failed: {error}")
    found.figures = [figure for each in comparisons for figure in each.figures] + others
    found.conditions = _conditions(comparisons) if comparisons else []
    if size is SMOKE:
        found.conditions.append(
            "SMOKE SIZE: these figures show that the benchmark works, and no more"
        )
    return found


def _conditions(comparisons: Sequence[Comparison]) -> list[str]:
    pairs = [pair for comparison in comparisons for pair in comparison.pairs]
    others = [one.other_cpus for pair in pairs for one in pair.measurements]
    again = sum(len(pair.disturbed) for pair in pairs)
    return [
        f"under load: server on CPU {SERVER_CPU}, client on CPU {CLIENT_CPU}, both on all where "
        "nothing is pinned; over TCP on loopback unless it says otherwise, ids uniform, statements "
        "prepared, dbdyno and its peer in turns",
        "pgbench runs the statement of oltp_point_select on the same table as dbdyno, in the form "
        "of its own select-only script; both have one thread, and one for each CPU where nothing "
        "is pinned",
        *(comparison.server for comparison in comparisons),
        f"other programs and machines used {statistics.median(others):.2f} CPUs meanwhile, "
        f"{max(others):.2f} at most; {again} turns were disturbed by more than {QUIET_CPUS:g}, and "
        "were taken again",
    ]


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
