"""The generators of a trial: one, or several that share a load."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from dbdyno.database.address import Address
from dbdyno.generator.pool.member import Member
from dbdyno.generator.pool.one_host import telling_hosts
from dbdyno.generator.pool.pool import Pool
from dbdyno.generator.process import GeneratorProcess
from dbdyno.protocol.events import TrialEvent
from dbdyno.protocol.generators import GeneratorPart
from dbdyno.protocol.trial_plan import TrialPlan

Elsewhere = Callable[[GeneratorPart, bytes, str | None, float], Member]
"""Starts a generator on another host: its part, its plan, the password, and its longest silence."""


class TrialGenerators:
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
        elsewhere: Elsewhere | None = None,
    ) -> None:
        """Start them; ``cpus`` are those of the one that is alone.

        ``elsewhere`` starts those that run on other hosts.
        """
        self._plan = plan
        self._silence_limit_s = silence_limit_s
        self._processes: list[GeneratorProcess] = []
        self._members: list[Member] = []
        self._pool: Pool | None = None
        self._stack = ExitStack()
        with ExitStack() as stack:
            if not plan.generators:
                only = GeneratorProcess(
                    plan.to_json(address.url),
                    password=address.password,
                    cpus=cpus,
                    silence_limit_s=silence_limit_s,
                )
                self._processes.append(stack.enter_context(only))
            try:
                for part in plan.generators:
                    self._members.append(self._member(stack, part, address, elsewhere))
            except BaseException:
                # Those on other hosts would wait for ever for the one that cannot be started.
                self._end_by_force()
                raise
            self._stack = stack.pop_all()

    def _member(
        self,
        stack: ExitStack,
        part: GeneratorPart,
        address: Address,
        elsewhere: Elsewhere | None,
    ) -> Member:
        """Start one of several generators."""
        url = address.of_hosts(part.to) if part.to else address.url
        plan = self._plan.of_generator(part).to_json(url)
        # Those that are connected wait for the others.
        silence_limit_s = self._silence_limit_s * 2
        if part.host:
            assert elsewhere is not None, "whoever plans for other hosts can reach them"
            there = elsewhere(part, plan, address.password, silence_limit_s)
            return telling_hosts(there, url, address.url)
        process = GeneratorProcess(
            plan,
            password=address.password,
            cpus=part.cpus,
            silence_limit_s=silence_limit_s,
        )
        self._processes.append(stack.enter_context(process))
        return telling_hosts(process, url, address.url)

    @property
    def process_ids(self) -> tuple[int, ...]:
        """The generators' processes on this machine, for the watcher."""
        return tuple(process.process_id for process in self._processes)

    def trial_events(self, wants_stop: Callable[[], bool] = lambda: False) -> Iterator[TrialEvent]:
        """Yield what they say until all have ended; when ``wants_stop`` turns true, end in order.

        ``InputError`` where the plan is refused. ``RunError`` where no generator can say how the
        trial ended.
        """
        if not self._plan.generators:
            (only,) = self._processes
            events = only.trial_events(wants_stop)
            return self._until_steady(events, only)
        self._pool = Pool(
            self._members,
            interval_s=self._plan.interval_s,
            connect_limit_s=self._silence_limit_s,
            on_loss=self._plan.on_generator_loss,
            hosts=[part.host or "" for part in self._plan.generators],
        )
        events = self._pool.trial_events(wants_stop)
        return self._until_steady(events, self._pool)

    def _until_steady(
        self,
        events: Iterator[TrialEvent],
        told: GeneratorProcess | Pool,
    ) -> Iterator[TrialEvent]:
        """Yield what is said, and end a warm-up early that is to end when throughput is steady."""
        if self._plan.warmup_least_s is None:
            return events
        # What it needs is heavy, and most trials do without it.
        from dbdyno.generator.warmup import SteadyWarmup

        return SteadyWarmup(self._plan, told.begin_window_at, lambda: told.start_ahead_s).follow(
            events
        )

    def _end_by_force(self) -> None:
        for member in self._members or self._processes:
            member.end_by_force()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is not None:
            self._end_by_force()
        if self._pool is not None:
            self._pool.join()
        self._stack.__exit__(kind, error, traceback)
