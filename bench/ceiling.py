"""The engine's ceiling: statements a second and core, beside a bare exchange of the same bytes.

The server answers from memory on a CPU of its own. As it may be the server that is the limit,
statements are divided by the client's own CPU time, which is what a saturated core does.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace

from bench.figures import Figure, Target, at_least, medians, ratio
from bench.null_server import PROTOCOLS, NullServer, build, ping_pong
from bench.pair import Pair, Turn
from bench.programs import Command, Load, dbdyno_load
from bench.size import Size
from bench.trial import Measurement, measure
from bench.turns import CLIENT_CPU, POINT_SELECT, SERVER_CPU, Tell

CEILING_RATIO_TARGET = at_least(0.85)
SCALING_RATIO_TARGET = at_least(0.9)


def ceiling(size: Size, tell: Tell) -> list[Figure]:
    """Measure the engine beside the bare client, and two workers beside one."""
    build()
    figures = list[Figure]()
    for protocol in PROTOCOLS:
        with NullServer(protocol, SERVER_CPU) as server:
            rig = _Rig(server, size, tell)
            figures += [rig.beside_ping_pong(clients) for clients in size.ceiling_clients]
            figures.append(rig.two_workers(size.ceiling_clients[-1]))
    return figures


@dataclass(frozen=True)
class _Rig:
    server: NullServer
    size: Size
    tell: Tell

    def beside_ping_pong(self, clients: int) -> Figure:
        def turn(load: Load) -> Turn:
            return (
                self._measure(dbdyno_load(self.server, load), clients, CLIENT_CPU),
                self._measure(ping_pong(self.server, load), clients, CLIENT_CPU),
            )

        return self._figure("over a bare ping-pong's", clients, turn, CEILING_RATIO_TARGET)

    def two_workers(self, clients: int) -> Figure:
        """Compare the cost where nothing is pinned: the second worker has the server's CPU."""

        def turn(load: Load) -> Turn:
            both = (replace(load, workers=workers) for workers in (2, 1))
            two, one = (
                self._measure(dbdyno_load(self.server, each), clients, None) for each in both
            )
            return two, one

        return self._figure("of two workers over one's", clients, turn, SCALING_RATIO_TARGET)

    def _measure(self, command: Command, clients: int, cpu: int | None) -> Measurement:
        measurement = measure(
            self.server,
            command,
            cpu=cpu,
            warmup_s=self.size.warmup_s,
            window_s=self.size.window_s,
        )
        self.tell(
            f"{command.name:9} {self.server.protocol:17} {clients:4} clients "
            f"{_per_core_s(measurement):7.0f} statements a second of CPU, "
            f"{_busy(measurement):.0%} of a core, others used {measurement.other_cpus:.2f} CPUs"
        )
        return measurement

    def _figure(
        self, name: str, clients: int, turn: Callable[[Load], Turn], target: Target
    ) -> Figure:
        seeds, pair = itertools.count(1), Pair(POINT_SELECT, clients)
        table_size, load_s = self.size.table_size, self.size.load_s
        pair.take_turns(
            self.size.repeats,
            self.size,
            lambda: turn(Load(POINT_SELECT, clients, table_size, load_s, next(seeds))),
        )
        ours, theirs = ([_per_core_s(one) for one in side] for side in (pair.ours, pair.theirs))
        busy = min(_busy(one) for one in pair.ours)
        others = max(one.other_cpus for one in pair.measurements)
        return Figure(
            section=f"statements a second and core {name}, null server, {self.server.protocol}",
            name=pair.label,
            unit="ratio",
            spread=ratio(ours, theirs),
            target=target,
            detail=f"{medians(ours, theirs, '/s')}, {busy:.0%} of a core and more, "
            f"others used {others:.2f} CPUs at most",
        )


def _per_core_s(measurement: Measurement) -> float:
    return 1e6 / measurement.client_cpu_us


def _busy(measurement: Measurement) -> float:
    return measurement.statements_per_s * measurement.client_cpu_us / 1e6
