"""What a terminal shows while an experiment runs: where it is, how long it takes, how fast it is.

On a terminal the last lines are drawn anew as events come; in a pipe there is one line a trial.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from dbdyno.cli.window_figures import Figures, WindowFigures
from dbdyno.experiment.plan import Plan, PlannedTrial
from dbdyno.peers.call.words import clock
from dbdyno.protocol.events import TrialEvent
from dbdyno.protocol.intervals import Interval, Phase
from dbdyno.store.model import TrialStatus

BAR_WIDTH = 30
HEADINGS = ("trial", "cell", "transactions/s", "response time p95")
GAP = 2
PHASES = {Phase.WARMUP: "warm-up, ", Phase.WINDOW: "", Phase.DRAIN: "drain, "}


def now_in_words(phase: Phase, now: Figures) -> str:
    """Return what is shown of the last interval."""
    throughput, p95 = in_words(now)
    return f"{PHASES[phase]}{throughput} transactions/s, p95 {p95}"


def in_words(figures: Figures) -> tuple[str, str]:
    """Return throughput and p95 of response time as they are shown."""
    per_s = figures.transactions_per_s
    return "–" if per_s is None else f"{per_s:,.0f}", _p95(figures.response_p95_ms)


def _p95(p95_ms: float | None) -> str:
    if p95_ms is None:
        return "–"
    return "> 2 h" if math.isinf(p95_ms) else f"{p95_ms:,.{_decimals(p95_ms)}f} ms"


def _decimals(value_ms: float) -> int:
    """Return so many decimals that at least three digits are shown, and never more than two."""
    return 2 if value_ms < 10 else 1 if value_ms < 100 else 0


class TerminalProgress:
    """The runner's news on a terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._trials = 0
        self._label_width = 0
        self._done_before = 0
        self._pending = 0
        self._finished = 0
        self._started_s = self._last_finished_s = time.monotonic()
        self._estimated_s = 0.0
        self._trial: PlannedTrial | None = None
        self._doing = "looking at this machine"
        self._is_stopping = False
        self._figures = WindowFigures()
        self._shown = ""
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
        self._started_s = self._last_finished_s = time.monotonic()
        self._label_width = max(len(trial.label()) for trial in plan.trials)
        if not pending:
            self._print(f"all {self._trials} trials are there already; none is left to run")
            return
        if self._done_before:
            self._print(f"{self._done_before} of {self._trials} trials are there already")
        self._print_row(*HEADINGS, style="dim")

    def plan_grew(self, plan: Plan) -> None:
        """Count the trials that have been added."""
        self._pending += len(plan.trials) - self._trials
        self._trials = len(plan.trials)
        self._label_width = max(len(trial.label()) for trial in plan.trials)

    def expected(self, problem: str) -> None:
        """Print what will keep trials from beginning."""
        self._print(f"WARNING: {problem}; the trials with them will not begin")

    def warn(self, warning: str) -> None:
        """Print a warning."""
        self._print(f"WARNING: {warning}")

    def preparing(self, what: str) -> None:
        """Show what happens before or after a load."""
        self._doing = what

    def loading(self, rows: int, rows_total: int) -> None:
        """Show how far the loading is."""
        self._doing = f"loading {rows:,} of {rows_total:,} rows"

    def trial_started(self, trial: PlannedTrial) -> None:
        """Show which trial runs."""
        self._trial, self._figures, self._doing = trial, WindowFigures(), ""
        self._shown = "connecting"

    def event(self, trial: PlannedTrial, event: TrialEvent) -> None:
        """Show throughput and p95 of the last interval."""
        if isinstance(event, Interval):
            self._shown = now_in_words(event.phase, self._figures.add(event))

    def trial_finished(self, trial: PlannedTrial, status: TrialStatus, reason: str | None) -> None:
        """Print the trial's row, which stays, and below it why there are no figures, if so."""
        self._finished += 1
        self._last_finished_s = time.monotonic()
        self._trial, self._doing = None, ""
        number, label = f"{trial.number}/{self._trials}", trial.label()
        if status is TrialStatus.COMPLETED:
            self._print_row(number, label, *in_words(self._figures.window()))
        else:
            self._print_row(number, label, status.value, "", style="bold red")
            self._print(reason or "no reason was given", indent=self._number_width() + GAP)

    def stopping(self) -> None:
        """Remember that the run is about to end; it is drawn with the rest."""
        self._is_stopping = True

    def _print_row(
        self, number: str, label: str, throughput: str, p95: str, style: str = ""
    ) -> None:
        """Print a row of a table; in two lines where the longest label leaves no room for one."""
        number = number.rjust(self._number_width())
        widths = [len(heading) for heading in HEADINGS[2:]]
        figures = f"{throughput:>{widths[0]}}{'':{GAP}}{p95:>{widths[1]}}".rstrip()
        before = len(number) + GAP
        total = before + self._label_width + GAP + sum(widths) + GAP
        if self._console.is_terminal and total > self._console.width:
            self._print(f"{number}{'':{GAP}}{label}", style=style)
            self._print(figures, indent=before, style=style)
        else:
            gap = " " * GAP
            self._print(gap.join([number, label.ljust(self._label_width), figures]), style=style)

    def _number_width(self) -> int:
        return max(len(HEADINGS[0]), len(f"{self._trials}/{self._trials}"))

    def _print(self, text: str, indent: int = 0, style: str = "") -> None:
        """Print text, wrapped on a terminal and as one line in a pipe."""
        if self._console.is_terminal:
            self._console.print(Padding(Text(text, style), (0, 0, 0, indent)))
        else:
            self._console.print(Text(" " * indent + text), soft_wrap=True)

    def _draw(self) -> RenderableType:
        """Return two lines: how far the run is, and what happens now."""
        now = Text(self._now(), style="dim", no_wrap=True, overflow="ellipsis")
        if not self._trials:
            return now
        bar = Table.grid(padding=(0, 2))
        done = self._done_before + self._finished
        bar.add_row(
            Text(f"{done} of {self._trials} trials"),
            ProgressBar(total=self._trials, completed=done, width=BAR_WIDTH),
            Text(f"about {clock(self._left_s())} left"),
        )
        return Group(bar, now)

    def _now(self) -> str:
        if self._is_stopping:
            return "ending in order; Ctrl-C once more ends at once"
        if self._doing or self._trial is None:
            return self._doing
        return f"{self._trial.label()}: {self._shown}"

    def _left_s(self) -> float:
        """Return the time left: by the plan's estimate first, later by what was seen."""
        now_s = time.monotonic()
        if self._finished == 0:
            return max(self._estimated_s - (now_s - self._started_s), 0.0)
        trial_s = (self._last_finished_s - self._started_s) / self._finished
        begun_s = min(now_s - self._last_finished_s, trial_s)
        return max(trial_s * (self._pending - self._finished) - begun_s, 0.0)
