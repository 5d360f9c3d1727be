"""Runs the benchmark: ``python -m bench [--smoke] [--socket] [--only PART ...] [--out FILE]``."""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Sequence
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
from bench.loading import loading
from bench.output import print_table, write_json
from bench.pair import QUIET_CPUS
from bench.programs import pgbench_program
from bench.size import FULL, SMOKE, Size
from bench.tpcc_loading import tpcc_loading
from bench.turns import CLIENT_CPU, SERVER_CPU
from bench.waiting import waiting
from dbdyno.errors import DbdynoError, InputError
from dbdyno.watch.host import host_facts

PROGRAMS = {"sysbench": "sysbench", "valgrind": "valgrind", "taskset": "util-linux"}
"""What is run besides dbdyno and what comes with a server, and the packages that it is in."""

PARTS = (
    *("waiting", "loading", "tpcc-loading", "ceiling"),
    *("sysbench", "sysbench-unpinned", "pgbench", "pgbench-unpinned", "tpcc"),
)
"""What can be measured by itself."""

COMPARISONS = {
    "sysbench-unpinned": with_sysbench_unpinned,
    "pgbench": with_pgbench,
    "pgbench-unpinned": with_pgbench_unpinned,
    "tpcc": with_tpcc,
}
"""Those that take nothing but a size."""

RESULTS = Path("results", "bench.json")


def main() -> int:
    """Measure, print and write; 0 whether or not targets are met, 2 where nothing was measured."""
    arguments = _arguments()
    size = SMOKE if arguments.smoke else FULL
    try:
        _check_machine()
        with tempfile.TemporaryDirectory(prefix="dbdyno-bench-") as directory:
            facts = host_facts(Path(directory))
            figures, conditions = _measure(
                size, Path(directory), arguments.only, over_socket=arguments.socket
            )
    except DbdynoError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    console = Console(width=None if sys.stdout.isatty() else 160)
    print_table(console, figures, facts, conditions)
    write_json(arguments.out, figures, facts, conditions)
    return 0


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


def _measure(
    size: Size, directory: Path, parts: Sequence[str], *, over_socket: bool
) -> tuple[list[Figure], list[str]]:
    """Return all figures of some parts, and the conditions under which they were measured."""
    others = waiting(size) if "waiting" in parts else []
    if "loading" in parts:
        others += loading(directory / "loading", size, _tell)
    if "tpcc-loading" in parts:
        others += tpcc_loading(directory / "tpcc-loading", size, _tell)
    if "ceiling" in parts:
        others += ceiling(size, _tell)
    comparisons = []
    if "sysbench" in parts:
        comparisons.append(
            with_sysbench(directory / "sysbench", size, _tell, over_socket=over_socket)
        )
    for part, compare in COMPARISONS.items():
        if part in parts:
            comparisons.append(compare(directory / part, size, _tell))
    figures = [figure for comparison in comparisons for figure in comparison.figures]
    conditions = _conditions(comparisons) if comparisons else []
    if size is SMOKE:
        conditions.append("SMOKE SIZE: these figures show that the benchmark works, and no more")
    return [*figures, *others], conditions


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
