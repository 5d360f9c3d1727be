"""What a terminal shows while an experiment runs: where it is, how long it takes, how fast it is.

On a terminal the last lines are drawn anew as events come; in a pipe there is one line a trial.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from dbdyno._native import Histogram
from dbdyno.experiment.plan import Plan, PlannedTrial
from dbdyno.store.model import TrialStatus

BAR_WIDTH = 30


class WindowFigures:
    """Throughput and response time of the trial at hand, over its window and in the last interval.

    Only for showing: what counts is computed from what was stored.
    """

    def __init__(self) -> None:
        self._ended = 0
        self._duration_s = 0.0
        self._response = Histogram()
        self.now = "connecting"

    def add(self, event: dict[str, Any]) -> None:
        """Take one event of the generator."""
        if event["event"] != "interval":
            return
        ended, response = 0, Histogram()
        for transaction in event["transactions"].values():
            ended += transaction["committed"] + transaction["rolled_back"]
            overflow = transaction.get("response_overflow", 0)
            response.merge(Histogram.decode(transaction["response"], overflow))
        self.now = f"{event['phase']}: {_describe(ended, event['duration_s'], response)}"
        if event["phase"] == "window":
            self._ended += ended
            self._duration_s += event["duration_s"]
            self._response.merge(response)

    def whole_window(self) -> str:
        """Describe the window so far."""
        return _describe(self._ended, self._duration_s, self._response)


def _describe(ended: int, duration_s: float, response: Histogram) -> str:
    throughput = f"{ended / duration_s:,.0f}" if duration_s > 0 else "0"
    p95_ns = response.quantile_ns(0.95)
    p95 = "–" if p95_ns is None else f"{p95_ns / 1e6:.3g} ms"
    return f"{throughput} transactions/s, response time p95 {p95}"


class TerminalProgress:
    """The runner's news on a terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._trials = 0
        self._done_before = 0
        self._pending = 0
        self._finished = 0
        self._started_s = time.monotonic()
        self._estimated_s = 0.0
        self._trial: PlannedTrial | None = None
        self._doing = ""
        self._figures = WindowFigures()
        # Comes last, because it draws at once.
        self._live = Live(
            get_renderable=self._draw, console=console, transient=True, refresh_per_second=5
        )

    @contextmanager
    def showing(self) -> Iterator[None]:
        """Draw while the block runs; in a pipe nothing is drawn."""
        if self._console.is_terminal:
            with self._live:
                yield
        else:
            yield

    def run_started(self, plan: Plan, pending: int) -> None:
        """Say how much there is to do."""
        self._trials = len(plan.trials)
        self._pending = pending
        self._done_before = self._trials - pending
        self._estimated_s = plan.estimated_s * pending / self._trials
        self._started_s = time.monotonic()
        if self._done_before:
            self.message(f"{self._done_before} of {self._trials} trials are there already")

    def preparing(self, what: str) -> None:
        """Show what happens before a trial."""
        self._doing = what

    def loading(self, rows: int, rows_total: int) -> None:
        """Show how far the loading is."""
        self._doing = f"loading {rows:,} of {rows_total:,} rows"

    def trial_started(self, trial: PlannedTrial) -> None:
        """Show which trial runs."""
        self._trial, self._figures, self._doing = trial, WindowFigures(), ""

    def event(self, trial: PlannedTrial, event: dict[str, Any]) -> None:
        """Show throughput and p95 of the last interval."""
        self._figures.add(event)

    def trial_finished(self, trial: PlannedTrial, status: TrialStatus, reason: str | None) -> None:
        """Print the trial's line, which stays."""
        self._finished += 1
        line = Text(f"trial {trial.number} of {self._trials}, round {trial.round}, ")
        line.append(f"{trial.cell.label()}: ")
        if status is TrialStatus.COMPLETED:
            line.append(self._figures.whole_window())
        else:
            line.append(f"{status.value}: {reason}", style="bold red")
        self._console.print(line)
        self._trial = None

    def message(self, text: str) -> None:
        """Print something that stays."""
        self._console.print(Text(text))

    def _draw(self) -> RenderableType:
        """Return two lines: how far the run is, and what happens now."""
        bar = Table.grid(padding=(0, 2))
        done = self._done_before + self._finished
        bar.add_row(
            Text(f"{done} of {self._trials} trials"),
            ProgressBar(total=max(self._trials, 1), completed=done, width=BAR_WIDTH),
            Text(f"about {_clock(self._left_s())} left"),
        )
        return Group(bar, Text(self._now(), style="dim", no_wrap=True, overflow="ellipsis"))

    def _now(self) -> str:
        if self._doing or self._trial is None:
            return self._doing or "…"
        return f"{self._trial.cell.label()} — {self._figures.now}"

    def _left_s(self) -> float:
        """Return the time left: by the plan's estimate first, later by what was seen."""
        elapsed_s = time.monotonic() - self._started_s
        if self._finished == 0:
            return max(self._estimated_s - elapsed_s, 0.0)
        return elapsed_s / self._finished * (self._pending - self._finished)


def _clock(duration_s: float) -> str:
    minutes, seconds = divmod(round(duration_s), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
