"""Runs the benchmark: ``python -m bench [--smoke] [--socket] [--out FILE]``."""

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

from bench import load_figures
from bench.figures import Figure
from bench.instructions import instructions, keep
from bench.loading import load_tables, loading
from bench.output import print_table, write_json
from bench.server import SETTINGS, BenchServer
from bench.size import FULL, SMOKE, Size
from bench.turns import CLIENT_CPU, SERVER_CPU, Pair, Turns
from bench.waiting import waiting
from dbdyno.errors import DbdynoError, InputError
from dbdyno.watch.host import host_facts

PROGRAMS = {"sysbench": "sysbench", "valgrind": "valgrind", "taskset": "util-linux"}
"""What is run besides dbdyno and the server, and the packages that it is in."""

RESULTS = Path("results", "bench.json")


def main() -> int:
    """Measure, print and write; 0 whether or not targets are met, 2 where nothing was measured."""
    arguments = _arguments()
    size = SMOKE if arguments.smoke else FULL
    try:
        _check_machine()
        with tempfile.TemporaryDirectory(prefix="dbdyno-bench-") as directory:
            facts = host_facts(Path(directory))
            figures, conditions = _measure(size, Path(directory), over_socket=arguments.socket)
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
    parser.add_argument("--out", type=Path, default=RESULTS, help=f"JSON file ({RESULTS})")
    return parser.parse_args()


def _check_machine() -> None:
    missing = {package for program, package in PROGRAMS.items() if not shutil.which(program)}
    if missing:
        raise InputError(f"packages are missing: {', '.join(sorted(missing))}")
    if not {SERVER_CPU, CLIENT_CPU} <= os.sched_getaffinity(0):
        raise InputError(f"the CPUs {SERVER_CPU} and {CLIENT_CPU} are needed, one for each side")


def _measure(size: Size, directory: Path, *, over_socket: bool) -> tuple[list[Figure], list[str]]:
    """Return all figures, and the conditions under which they were measured."""
    figures = waiting(size)
    figures += loading(directory / "loading", size, _tell)
    with BenchServer(directory / "trials", (SERVER_CPU,)) as server:
        load_tables(server, size.table_size)
        counts = instructions(server, size, _tell)
        turns = Turns(server, size, _tell)
        pairs = turns.against_sysbench()
        timestamps = turns.kernel_timestamps()
        figures = [*_under_load(pairs, timestamps), *counts, *figures]
        if over_socket:
            server.allow_socket()
            socket_pairs = turns.against_sysbench(over_socket=True)
            figures += load_figures.cpu_ratios(socket_pairs, "Unix socket")
            figures += load_figures.throughput(socket_pairs, "Unix socket")
    if size is FULL:
        keep(counts)
    conditions = _conditions([*pairs, timestamps])
    if size is SMOKE:
        conditions.append("SMOKE SIZE: these figures show that the benchmark works, and no more")
    return figures, conditions


def _under_load(pairs: Sequence[Pair], timestamps: Pair) -> list[Figure]:
    return [
        *load_figures.cpu_ratios(pairs),
        *load_figures.user_cpu(pairs),
        *load_figures.memory(pairs),
        *load_figures.throughput(pairs),
        *load_figures.exactness([*pairs, timestamps]),
        *load_figures.timestamps(timestamps),
    ]


def _conditions(pairs: Sequence[Pair]) -> list[str]:
    others = [one.other_cpus for pair in pairs for one in (*pair.ours, *pair.theirs)]
    settings = ", ".join(f"{name}={value}" for name, value in SETTINGS.items())
    return [
        f"under load: server on CPU {SERVER_CPU}, client on CPU {CLIENT_CPU}, over TCP on loopback "
        "unless it says otherwise, ids uniform, statements prepared, dbdyno and sysbench in turns",
        f"server: {settings}",
        f"other programs used {statistics.median(others):.2f} CPUs meanwhile, "
        f"{max(others):.2f} at most: with more than a few percent, measure again",
    ]


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
