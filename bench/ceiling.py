"""The engine's ceiling: statements a second and core, beside a bare exchange of the same bytes.

The server answers from memory, and both sides have a CPU each. As it may be the server that is the
limit, statements are divided by the client's own CPU time, which is what a saturated core does.
"""

from __future__ import annotations

import itertools

from bench.figures import Figure, at_least, medians, ratio
from bench.null_server import PROTOCOLS, NullServer, Protocol, build, ping_pong
from bench.pair import Pair, Turn
from bench.programs import Command, Load, dbdyno_load
from bench.size import Size
from bench.trial import Measurement, measure
from bench.turns import CLIENT_CPU, POINT_SELECT, SERVER_CPU, Tell

CEILING_RATIO_TARGET = at_least(0.85)


def ceiling(size: Size, tell: Tell) -> list[Figure]:
    """Measure the engine and the bare client in turns, by protocol and number of connections."""
    build()
    figures = list[Figure]()
    for protocol in PROTOCOLS:
        with NullServer(protocol, SERVER_CPU) as server:
            for clients in size.ceiling_clients:
                pair = Pair(POINT_SELECT, clients)
                _take_turns(server, pair, size, tell)
                figures.append(_figure(pair, protocol))
    return figures


def _take_turns(server: NullServer, pair: Pair, size: Size, tell: Tell) -> None:
    seeds = itertools.count(1)

    def one(command: Command) -> Measurement:
        measurement = measure(
            server, command, cpu=CLIENT_CPU, warmup_s=size.warmup_s, window_s=size.window_s
        )
        tell(
            f"{command.name:9} {server.protocol:17} {pair.clients:4} clients "
            f"{_per_core_s(measurement):7.0f} statements a second of CPU, "
            f"{_busy(measurement):.0%} of a core, others used {measurement.other_cpus:.2f} CPUs"
        )
        return measurement

    def turn() -> Turn:
        load = Load(POINT_SELECT, pair.clients, size.table_size, size.load_s, next(seeds))
        return one(dbdyno_load(server, load)), one(ping_pong(server, load))

    pair.take_turns(size.repeats, size, turn)


def _figure(pair: Pair, protocol: Protocol) -> Figure:
    ours, theirs = ([_per_core_s(one) for one in side] for side in (pair.ours, pair.theirs))
    busy = min(_busy(one) for one in pair.ours)
    others = max(one.other_cpus for one in pair.measurements)
    return Figure(
        section=f"statements a second and core over a bare ping-pong's, null server, {protocol}",
        name=pair.label,
        unit="ratio",
        spread=ratio(ours, theirs),
        target=CEILING_RATIO_TARGET,
        detail=f"{medians(ours, theirs, '/s')}, {busy:.0%} of a core and more, "
        f"others used {others:.2f} CPUs at most",
    )


def _per_core_s(measurement: Measurement) -> float:
    return 1e6 / measurement.client_cpu_us


def _busy(measurement: Measurement) -> float:
    return measurement.statements_per_s * measurement.client_cpu_us / 1e6
