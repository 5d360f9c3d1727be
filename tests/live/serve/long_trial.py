"""A trial of hours, written by the project's own writers in fast motion."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path
from typing import cast

from dbdyno.experiment.plan import Cell, FactorLevels, Plan, PlannedTrial
from dbdyno.facts.host import HostFacts
from dbdyno.host_usage import DiskUsage, HostUsage
from dbdyno.protocol.events import Connected, Started, WindowStart, read_event
from dbdyno.protocol.intervals import Interval, Phase
from dbdyno.run.opening import lock_result
from dbdyno.store.journal import PhaseBegan, RunStarted, TrialStarted
from dbdyno.store.trial_writer import TrialWriter
from dbdyno.store.writer import ResultWriter
from dbdyno.watch.facts.host import host_identity
from tests.unit.store.result_builder import TRIAL_PLAN, histogram, interval, transaction

HOURS = 8
INTERVALS = HOURS * 3600
WARMUP = 60


def planned() -> Plan:
    plan = replace(TRIAL_PLAN, warmup_s=float(WARMUP), duration_s=float(INTERVALS - WARMUP))
    trial = PlannedTrial(
        number=1, round=1, cell=Cell((("clients", "8"),)), target="db", generator_plan=plan
    )
    factors = (FactorLevels("clients", ("8",), "load.clients"),)
    return Plan("long", "Does it last?", factors, 1, "interleaved", (trial,), float(INTERVALS))


@dataclass
class LongTrial:
    """A trial that is under way; ``go_on`` writes its next intervals."""

    writer: TrialWriter
    written: int = 0

    def __post_init__(self) -> None:
        self._texts = cycle(
            [histogram([5.0 + spread * n for n in range(20)]) for spread in (0.1, 0.4, 1.0)]
        )
        self._event = cast(Interval, read_event(interval("window", 0, {"sbtest": transaction()})))

    def go_on(self, count: int) -> None:
        """Write so many intervals of a second each, the first of the warm-up first."""
        for _ in range(count):
            index = self.written - WARMUP
            phase = Phase.WARMUP if index < 0 else Phase.WINDOW
            (kind,) = self._event.transactions
            told = replace(
                self._event.transactions[kind],
                response=next(self._texts),
                # A dip of one second, which no summary of hours may hide.
                committed=7 if index == 5000 else 100 + index % 10,
            )
            transactions = {kind: told}
            self.writer.event(
                replace(
                    self._event,
                    phase=phase,
                    index=index,
                    start_s=float(index),
                    transactions=transactions,
                )
            )
            self.written += 1
            if self.written % 10 == 0:
                self.writer.usage([_usage()])


def _usage() -> HostUsage:
    disk = DiskUsage(read_bytes_per_s=1e6, write_bytes_per_s=2e7, busy_share=0.4)
    return HostUsage(host="local", duration_s=1.0, busy_cpus=1.5, cpus=2, disks={"vda": disk})


@contextmanager
def long_trial(directory: Path) -> Iterator[LongTrial]:
    """Begin the trial in a directory that is locked, as by a run."""
    plan = planned()
    with lock_result(directory):
        result = ResultWriter.create(
            directory, experiment_text="experiment: long\n", plan=plan, host=HostFacts()
        )
        result.journal.write(RunStarted(pending=1, host=host_identity()))
        result.journal.write(TrialStarted(trial=1))
        result.journal.write(PhaseBegan(phase="load"))
        with result.begin(plan.trials[0], b"{}", server={}, dataset={}) as writer:
            writer.event(Connected(clients=8, elapsed_s=0.1, server_version="10.11"))
            start = WindowStart(unix_ns=time.time_ns(), monotonic_ns=time.monotonic_ns())
            writer.event(Started(window_start=start))
            yield LongTrial(writer)
        result.close()
