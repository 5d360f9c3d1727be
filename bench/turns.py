"""dbdyno and its peers in turns on one server."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from dataclasses import dataclass, replace

from bench.pair import Pair, Turn
from bench.programs import Command, Load, dbdyno_load, pgbench_load, sysbench_load
from bench.server import BenchServer
from bench.size import Size
from bench.trial import Measurement, measure
from dbdyno.experiment.design.workers import sending
from dbdyno.protocol.waiting import SLEEP

SERVER_CPU = 0
CLIENT_CPU = 1

READ_WRITE = "oltp_read_write"
POINT_SELECT = "oltp_point_select"

Tell = Callable[[str], None]
Maker = Callable[[BenchServer, Load], Command]


@dataclass(frozen=True)
class Observer:
    """Measures programs on one server, on one CPU if one is given, and tells of each."""

    server: BenchServer
    size: Size
    tell: Tell
    cpu: int | None

    def observe(self, command: Command, script: str, clients: int) -> Measurement:
        """Measure a program with a load of this name."""
        measurement = measure(
            self.server,
            command,
            cpu=self.cpu,
            warmup_s=self.size.warmup_s,
            window_s=self.size.window_s,
        )
        self.tell(
            f"{command.name:8} {script:17} {clients:4} clients "
            f"{measurement.client_cpu_us:6.2f} µs of CPU a statement, "
            f"{measurement.statements_per_s:7.0f} statements/s, "
            f"others used {measurement.other_cpus:.2f} CPUs"
        )
        return measurement


class Turns:
    """Measures pairs on one loaded server.

    Where they are ``pinned``, the server is bound to ``SERVER_CPU``, and the client to
    ``CLIENT_CPU`` with one worker. Otherwise both are on all CPUs, and dbdyno has as many workers
    as its own commands give it.
    """

    def __init__(self, server: BenchServer, size: Size, tell: Tell, *, pinned: bool = True) -> None:
        self._server = server
        self._cpu = CLIENT_CPU if pinned else None
        self._jobs = 1 if pinned else len(os.sched_getaffinity(0))
        self._size = size
        self._observer = Observer(server, size, tell, self._cpu)
        self._seeds = itertools.count(1)

    def against_sysbench(self, socket: str | None = None) -> list[Pair]:
        """Measure all scripts at all numbers of clients, over TCP unless there is a socket."""
        size = self._size
        loads = [(READ_WRITE, clients) for clients in size.read_write_clients]
        loads += [(POINT_SELECT, clients) for clients in size.point_select_clients]
        pairs = [Pair(script, clients) for script, clients in loads]
        for pair in pairs:
            self._take_turns(pair, sysbench_load, socket)
        return pairs

    def against_pgbench(self) -> list[Pair]:
        """Measure the one script that pgbench has in common with us at all numbers of clients."""
        pairs = [Pair(POINT_SELECT, clients) for clients in self._size.pgbench_clients]
        for pair in pairs:
            self._take_turns(pair, pgbench_load)
        return pairs

    def kernel_timestamps(self) -> Pair:
        """Measure dbdyno with the kernel's receive timestamps, and without them.

        It takes naps only with them, so that both must do without to be compared.
        """
        pair = Pair(POINT_SELECT, self._size.timestamp_clients)

        def turn() -> Turn:
            load = replace(self._load(pair), wait=SLEEP)
            without = replace(load, kernel_timestamps=False)
            return self._measure(load, dbdyno_load), self._measure(without, dbdyno_load)

        pair.take_turns(self._size.timestamp_repeats, self._size, turn)
        return pair

    def _take_turns(self, pair: Pair, theirs: Maker, socket: str | None = None) -> None:
        def turn() -> Turn:
            load = replace(self._load(pair), socket=socket)
            return self._measure(load, dbdyno_load), self._measure(load, theirs)

        pair.take_turns(self._size.repeats, self._size, turn)

    def _load(self, pair: Pair) -> Load:
        is_pinned = self._cpu is not None
        sent = sending(
            pair.clients,
            self._server.url,
            workers=1 if is_pinned else None,
            cpus=(CLIENT_CPU,) if is_pinned else None,
        )
        return Load(
            script=pair.script,
            clients=pair.clients,
            table_size=self._size.table_size,
            duration_s=self._size.load_s,
            seed=next(self._seeds),
            workers=sent["workers"],
            wait=sent["wait"],
            jobs=min(pair.clients, self._jobs),
        )

    def _measure(self, load: Load, make: Maker) -> Measurement:
        return self._observer.observe(make(self._server, load), load.script, load.clients)
