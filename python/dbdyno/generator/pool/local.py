"""Generators on this machine: one, or several that share a load."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from dbdyno.database.address import Address
from dbdyno.database.hosts import take_apart
from dbdyno.generator.pool.pool import Pool
from dbdyno.generator.process import GeneratorProcess
from dbdyno.protocol.events import TrialEvent
from dbdyno.protocol.trial_plan import TrialPlan

START_AHEAD_S = 0.6
"""From the last generator's being connected to the start: each looks for the time every 50 ms, and
gives its workers 250 ms."""


class LocalGenerators:
    """The generators of a trial; as a context manager they leave no process behind.

    Where the plan names none there is one, which makes all of the load and is heard as it is.
    """

    def __init__(
        self,
        plan: TrialPlan,
        address: Address,
        *,
        cpus: Sequence[int] = (),
        silence_limit_s: float,
    ) -> None:
        """Start them; ``cpus`` are those of the one that is alone."""
        self._plan = plan
        self._silence_limit_s = silence_limit_s
        self._processes: list[GeneratorProcess] = []
        self._pool: Pool | None = None
        with ExitStack() as stack:
            for each_plan, each_cpus in _asked(plan, address.url, cpus):
                process = GeneratorProcess(
                    each_plan,
                    password=address.password,
                    cpus=each_cpus,
                    # Those that are connected wait for the others.
                    silence_limit_s=silence_limit_s * (2 if plan.generators else 1),
                )
                self._processes.append(stack.enter_context(process))
            self._stack = stack.pop_all()

    @property
    def process_ids(self) -> tuple[int, ...]:
        """The generators' processes, for the watcher."""
        return tuple(process.process_id for process in self._processes)

    def trial_events(self, wants_stop: Callable[[], bool] = lambda: False) -> Iterator[TrialEvent]:
        """Yield what they say until all have ended; when ``wants_stop`` turns true, end in order.

        ``InputError`` where the plan is refused. ``RunError`` where no generator can say how the
        trial ended.
        """
        if not self._plan.generators:
            return self._processes[0].trial_events(wants_stop)
        self._pool = Pool(
            self._processes,
            interval_s=self._plan.interval_s,
            connect_limit_s=self._silence_limit_s,
            start_ahead_s=START_AHEAD_S,
            on_loss=self._plan.on_generator_loss,
        )
        return self._pool.trial_events(wants_stop)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is not None:
            for process in self._processes:
                process.end_by_force()
        if self._pool is not None:
            self._pool.join()
        self._stack.__exit__(kind, error, traceback)


def _asked(plan: TrialPlan, url: str, cpus: Sequence[int]) -> Iterator[tuple[bytes, Sequence[int]]]:
    """Yield what each generator is asked for, and the CPUs that it is bound to."""
    if not plan.generators:
        yield plan.to_json(url), cpus
    for part in plan.generators:
        to = take_apart(url).with_hosts(part.to) if part.to else url
        yield plan.of_generator(part).to_json(to), part.cpus
