"""TPC-C: what a New-Order costs the client, beside a statement of sysbench's oltp_read_write.

The peers that run TPC-C themselves are not packages of the system, and nothing is downloaded; their
figures on this kind of machine are known, and stand in the targets.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from bench.figures import Figure, Spread, at_most, medians, ratio
from bench.pair import Pair, Turn
from bench.programs import Load, dbdyno_tpcc, sysbench_load
from bench.server import BenchServer
from bench.size import Size
from bench.trial import Measurement
from bench.turns import CLIENT_CPU, READ_WRITE, Observer, Tell

NEW_ORDER_TARGET_US = at_most(430.0)
"""0.55 of go-tpc's 770 to 800 µs; BenchmarkSQL takes 1,050 to 1,120."""

STATEMENT_RATIO_TARGET = at_most(0.6)

TPCC = "tpcc"


def tpcc_turns(server: BenchServer, size: Size, tell: Tell) -> list[Pair]:
    """Measure TPC-C and oltp_read_write in turns at each number of terminals."""
    pairs = [Pair(TPCC, terminals) for terminals in size.tpcc_terminals]
    for pair in pairs:
        _take_turns(server, pair, size, tell)
    return pairs


def tpcc_figures(pairs: Sequence[Pair]) -> list[Figure]:
    """Return what a New-Order costs, and a statement."""
    return [figure for pair in pairs for figure in _figures(pair)]


def _take_turns(server: BenchServer, pair: Pair, size: Size, tell: Tell) -> None:
    seeds = itertools.count(1)
    observe = Observer(server, size, tell, CLIENT_CPU).observe

    def turn() -> Turn:
        load = Load(READ_WRITE, pair.clients, size.table_size, size.load_s, next(seeds))
        tpcc = dbdyno_tpcc(server, load, size.tpcc_warehouses)
        sysbench = sysbench_load(server, load)
        return observe(tpcc, TPCC, pair.clients), observe(sysbench, READ_WRITE, pair.clients)

    pair.take_turns(size.repeats, size, turn)


def _figures(pair: Pair) -> list[Figure]:
    terminals = f"{pair.clients} terminals"
    per_order = [statements_per_new_order(measurement) for measurement in pair.ours]
    costs_us = [
        measurement.client_cpu_us * statements
        for measurement, statements in zip(pair.ours, per_order, strict=True)
    ]
    ours_us = [measurement.client_cpu_us for measurement in pair.ours]
    theirs_us = [measurement.client_cpu_us for measurement in pair.theirs]
    return [
        Figure(
            section="TPC-C on MariaDB, TCP",
            name=f"client CPU per New-Order, {terminals}",
            unit="µs",
            spread=Spread.of(costs_us),
            target=NEW_ORDER_TARGET_US,
            detail=f"{Spread.of(per_order).median:.1f} statements per New-Order",
        ),
        Figure(
            section="TPC-C on MariaDB, TCP",
            name=f"client CPU per statement over sysbench's, {terminals}",
            unit="ratio",
            spread=ratio(ours_us, theirs_us),
            target=STATEMENT_RATIO_TARGET,
            detail=medians(ours_us, theirs_us, "µs"),
        ),
    ]


def statements_per_new_order(measurement: Measurement) -> float:
    """Return all statements of the mix over its New-Orders, those rolled back included."""
    intervals = [event for event in measurement.events if event["event"] == "interval"]
    orders = sum(_orders(interval["transactions"]["new_order"]) for interval in intervals)
    statements: int = sum(
        interval["statements"][kind]
        for interval in intervals
        for kind in ("read", "write", "other")
    )
    return statements / max(orders, 1)


def _orders(counters: dict[str, int]) -> int:
    return counters["committed"] + counters["rolled_back"]
