"""Generators on this machine: one, or several that share a load."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from dbdyno.generator.pool.pool import Pool
from dbdyno.generator.process import GeneratorProcess
from dbdyno.protocol.events import TrialEvent
from dbdyno.protocol.generators import GeneratorPart, OnLoss
from dbdyno.protocol.trial_plan import TrialPlan

START_AHEAD_S = 0.6
"""From the last generator's being connected to the start: each looks for the time every 50 ms, and
gives its workers 250 ms."""

UrlOf = Callable[[Sequence[str]], str]
"""Returns the server's URL with these hosts of it alone, or with all where none is named."""


class LocalGenerators:
    """The generators of a trial; as a context manager they leave no process behind.

    Without parts there is one, which makes all of the load and is heard as it is.
    """

    def __init__(
        self,
        plan: TrialPlan,
        url_of: UrlOf,
        parts: Sequence[GeneratorPart] = (),
        *,
        password: str | None,
        cpus: Sequence[int] = (),
        silence_limit_s: float,
        on_loss: OnLoss = "fail",
    ) -> None:
        """Start them; ``cpus`` are those of the one that is alone."""
        self._plan = plan
        self._silence_limit_s = silence_limit_s
        self._on_loss = on_loss
        self._processes: list[GeneratorProcess] = []
        with ExitStack() as stack:
            for each_plan, each_cpus in _asked(plan, url_of, parts, cpus):
                process = GeneratorProcess(
                    each_plan,
                    password=password,
                    cpus=each_cpus,
                    # Those that are connected wait for the others.
                    silence_limit_s=silence_limit_s * (2 if parts else 1),
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
        if len(self._processes) == 1:
            return self._processes[0].trial_events(wants_stop)
        pool = Pool(
            self._processes,
            interval_s=self._plan.interval_s,
            connect_limit_s=self._silence_limit_s,
            start_ahead_s=START_AHEAD_S,
            on_loss=self._on_loss,
        )
        return pool.trial_events(wants_stop)

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
        self._stack.__exit__(kind, error, traceback)


def _asked(
    plan: TrialPlan, url_of: UrlOf, parts: Sequence[GeneratorPart], cpus: Sequence[int]
) -> Iterator[tuple[bytes, Sequence[int]]]:
    """Yield what each generator is asked for, and the CPUs that it is bound to."""
    if not parts:
        yield plan.to_json(url_of(())), cpus
    for part in parts:
        yield part.plan(plan).to_json(url_of(part.to)), part.cpus
