"""Which generators make the load of a trial, where there are several: each one's part of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from pydantic.dataclasses import dataclass

from dbdyno.protocol.form import left_out
from dbdyno.protocol.trial_plan import SharePlan, TrialPlan

OnLoss = Literal["fail", "finish_marked"]
"""What becomes of a trial that has lost a generator: it fails, or goes on and says so."""


@dataclass(frozen=True, kw_only=True)
class GeneratorPart:
    """One of several generators: what it makes of the load, and how."""

    share: SharePlan
    workers: int
    coalesce_us: int | None = None
    busy_poll: bool = False
    cpus: tuple[int, ...] = left_out(())
    """Empty: any."""
    to: tuple[str, ...] = left_out(())
    """The hosts of the URL that its clients connect to; empty: all of them."""

    def plan(self, trial: TrialPlan) -> TrialPlan:
        """Return what this generator is asked to do in a trial."""
        log = trial.transaction_log
        return replace(
            trial,
            share=self.share,
            start="when_told",
            workers=self.workers,
            coalesce_us=self.coalesce_us,
            busy_poll=self.busy_poll,
            transaction_log=None if log is None else f"{log}.{self.share.index}",
        )
