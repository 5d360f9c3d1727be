"""The comparisons with other programs, each on a server of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import load_figures
from bench.figures import Figure
from bench.instructions import instructions, keep
from bench.load_figures import PGBENCH, SYSBENCH
from bench.loading import load_tables
from bench.mysql_server import MysqlBenchServer
from bench.pair import Pair
from bench.postgres_server import PostgresBenchServer
from bench.server import BenchServer
from bench.size import FULL, Size
from bench.tpcc import tpcc_figures, tpcc_turns
from bench.tpcc_loading import load_warehouses
from bench.turns import SERVER_CPU, Tell, Turns


@dataclass(frozen=True)
class Comparison:
    """What was found, what it was found from, and the server in words."""

    figures: list[Figure]
    pairs: list[Pair]
    server: str


def with_sysbench(directory: Path, size: Size, tell: Tell, *, over_socket: bool) -> Comparison:
    """Compare on MariaDB or MySQL, and measure what else is measured there."""
    with MysqlBenchServer(directory, (SERVER_CPU,)) as server:
        load_tables(server, size.table_size)
        counts = instructions(server, size, tell)
        turns = Turns(server, size, tell)
        pairs = turns.against_sysbench()
        timestamps = turns.kernel_timestamps()
        product = server.describe().product
        figures = [*_under_load(pairs, timestamps, product), *counts]
        if over_socket:
            socket_pairs = turns.against_sysbench(server.socket())
            figures += load_figures.cpu_ratios(socket_pairs, SYSBENCH, "Unix socket")
            figures += load_figures.throughput(socket_pairs, SYSBENCH, "Unix socket")
        words = _in_words(server)
    if size is FULL:
        keep(counts)
    return Comparison(figures, [*pairs, timestamps], words)


def with_pgbench(directory: Path, size: Size, tell: Tell) -> Comparison:
    """Compare on PostgreSQL."""
    with PostgresBenchServer(directory, (SERVER_CPU,)) as server:
        load_tables(server, size.table_size)
        server.vacuum()
        pairs = Turns(server, size.of_processes(), tell).against_pgbench()
        figures = [
            *load_figures.cpu_ratios(pairs, PGBENCH),
            *load_figures.throughput(pairs, PGBENCH),
            *load_figures.server_cpu(pairs, PGBENCH),
            *load_figures.response_times(pairs, PGBENCH),
            *load_figures.clients_at_work(pairs, PGBENCH, load_figures.TCP),
            *load_figures.exactness(pairs, server.describe().product),
        ]
        words = _in_words(server)
    return Comparison(figures, pairs, words)


def with_sysbench_unpinned(directory: Path, size: Size, tell: Tell) -> Comparison:
    """Compare where the server and its client share all CPUs, as on most people's machines."""
    with MysqlBenchServer(directory) as server:
        load_tables(server, size.table_size)
        pairs = Turns(server, size, tell, pinned=False).against_sysbench()
        return Comparison(_unpinned(pairs, SYSBENCH), pairs, _in_words(server))


def with_pgbench_unpinned(directory: Path, size: Size, tell: Tell) -> Comparison:
    """Compare where the server and its client share all CPUs, on PostgreSQL."""
    with PostgresBenchServer(directory) as server:
        load_tables(server, size.table_size)
        server.vacuum()
        pairs = Turns(server, size.of_processes(), tell, pinned=False).against_pgbench()
        return Comparison(_unpinned(pairs, PGBENCH), pairs, _in_words(server))


def with_tpcc(directory: Path, size: Size, tell: Tell) -> Comparison:
    """Compare TPC-C's statements with those of oltp_read_write, on MariaDB."""
    with MysqlBenchServer(directory, (SERVER_CPU,)) as server:
        load_warehouses(server, size.tpcc_warehouses)
        load_tables(server, size.table_size)
        pairs = tpcc_turns(server, size, tell)
        words = _in_words(server)
    return Comparison(tpcc_figures(pairs), pairs, words)


def _unpinned(pairs: Sequence[Pair], peer: str) -> list[Figure]:
    how = load_figures.UNPINNED
    return [
        *load_figures.cpu_ratios(pairs, peer, how),
        *load_figures.throughput(pairs, peer, how),
        *load_figures.server_cpu(pairs, peer, how),
        *load_figures.clients_at_work(pairs, peer, how),
        *load_figures.response_times(pairs, peer, how),
    ]


def _under_load(pairs: Sequence[Pair], timestamps: Pair, product: str) -> list[Figure]:
    return [
        *load_figures.cpu_ratios(pairs, SYSBENCH),
        *load_figures.user_cpu(pairs),
        *load_figures.memory(pairs),
        *load_figures.throughput(pairs, SYSBENCH),
        *load_figures.server_cpu(pairs, SYSBENCH),
        *load_figures.clients_at_work(pairs, SYSBENCH, load_figures.TCP),
        *load_figures.response_times(pairs, SYSBENCH),
        *load_figures.exactness([*pairs, timestamps], product),
        *load_figures.timestamps(timestamps),
    ]


def _in_words(server: BenchServer) -> str:
    description = server.describe()
    settings = ", ".join(f"{name}={value}" for name, value in server.settings.items())
    return f"{description.product} {description.version}: {settings}"
