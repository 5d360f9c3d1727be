"""What a terminal shows while an experiment runs: where it is, how long it takes, how fast it is.

On a terminal the last lines are drawn anew as events come; in a pipe there is one line a trial.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from dbdyno.cli.cpu_figures import line_of
from dbdyno.cli.time_left import in_words as time_in_words
from dbdyno.cli.trial_figures import Place, TrialFigures, in_words
from dbdyno.experiment.plan import Plan, PlannedTrial
from dbdyno.protocol.events import TrialEvent
from dbdyno.store.model import TrialStatus
from dbdyno.time_left import TimeLeft
from dbdyno.watch.cpu_use import CpuReading

REFRESH_S = 0.2
BAR_WIDTH = 30
BAR_WIDTH_MIN = 5
HEADINGS = ("trial", "cell", "transactions/s", "response time p95")
GAP = 2
CPUS_BUSY = "CPUs busy: "


class TerminalProgress:
    """The runner's news on a terminal."""

    def __init__(self, console: Console, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._trials = 0
        self._label_width = 0
        self._done_before = 0
        self._pending = 0
        self._rounds = 0
        self._searches = False
        self._finished: set[int] = set()
        self._clock_s = clock_s
        self._time_left = TimeLeft(clock_s)
        self._trial: TrialFigures | None = None
        self._doing = "looking at this machine"
        self._is_stopping = False
        # Comes last, because it draws at once.
        self._live = Live(
            get_renderable=self._draw, console=console, transient=True, auto_refresh=False
        )
        # Rich's own thread may draw in the midst of what another prints, and clear the lines of a
        # drawing that is gone already: one of them then stays on the screen.
        self._drawing = threading.RLock()

    @contextmanager
    def showing(self) -> Iterator[None]:
        """Draw while the block runs; in a pipe nothing is drawn."""
        if self._console.is_terminal:
            with self._live, self._refreshing():
                yield
        else:
            yield

    @contextmanager
    def _refreshing(self) -> Iterator[None]:
        """Draw again and again while the block runs."""
        is_over = threading.Event()

        def refresh() -> None:
            while not is_over.wait(REFRESH_S):
                with self._drawing:
                    self._live.refresh()

        thread = threading.Thread(target=refresh, name="terminal", daemon=True)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()

    def run_started(self, plan: Plan, pending: int) -> None:
        """Say how much there is to do."""
        self._trials = len(plan.trials)
        self._pending = pending
        self._done_before = self._trials - pending
        self._rounds = plan.rounds
        self._searches = plan.search is not None
        self._time_left.run_started(plan, pending)
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
        self._trials, self._rounds = len(plan.trials), plan.rounds
        self._time_left.plan_grew(plan)
        self._label_width = max(len(trial.label()) for trial in plan.trials)

    def expected(self, problem: str) -> None:
        """Print what will keep trials from beginning."""
        self._print(f"WARNING: {problem}; the trials with them will not begin")

    def warn(self, warning: str) -> None:
        """Print a warning."""
        self._print(f"WARNING: {warning}")

    def preparing(self, what: str) -> None:
        """Show what happens before or after a load."""
        self._time_left.step_began()
        self._doing = what

    def loading(self, rows: int, rows_total: int) -> None:
        """Show how far the loading is."""
        self._time_left.loading()
        self._doing = f"loading {rows:,} of {rows_total:,} rows"

    def waiting(self, words: str) -> None:
        """Show what has been waited for so long; in a pipe on standard error."""
        if self._console.is_terminal:
            self._doing = words
        else:
            print(words, file=sys.stderr, flush=True)

    def trial_begun(self, trial: PlannedTrial, attempt: int) -> None:
        """Show which trial is made ready, perhaps once more."""
        self._finished.discard(trial.number)
        self._trial = TrialFigures(trial, Place(self._rounds, attempt), self._clock_s)
        self._doing = "making it ready"

    def trial_started(self, trial: PlannedTrial) -> None:
        """Show the trial's figures from now on."""
        self._time_left.load_began(trial)
        self._doing = ""

    def event(self, trial: PlannedTrial, event: TrialEvent) -> None:
        """Show phase, throughput and p95 of the last interval."""
        if self._trial is not None:
            self._trial.add(event)

    def cpu_used(self, reading: CpuReading) -> None:
        """Show who keeps CPUs busy."""
        trial = self._trial
        if trial is not None:
            trial.cpu.add(reading)

    def trial_finished(self, trial: PlannedTrial, status: TrialStatus, reason: str | None) -> None:
        """Print the trial's row, which stays, and below it why there are no figures, if so."""
        self._time_left.trial_finished(status, self._left())
        self._finished.add(trial.number)
        figures = self._trial
        self._trial, self._doing = None, ""
        number, label = f"{trial.number}/{self._trials}", trial.label()
        if status is TrialStatus.COMPLETED and figures is not None:
            self._print_row(number, label, *in_words(figures.window()), figures=figures)
        else:
            self._print_row(number, label, status.value, "", style="bold red")
            self._print(reason or "no reason was given", indent=self._number_width() + GAP)

    def stopping(self) -> None:
        """Remember that the run is about to end; it is drawn with the rest."""
        self._is_stopping = True

    def _print_row(
        self,
        number: str,
        label: str,
        throughput: str,
        p95: str,
        *,
        figures: TrialFigures | None = None,
        style: str = "",
    ) -> None:
        """Print a row of a table; in two lines where the longest label leaves no room for one."""
        number = number.rjust(self._number_width())
        widths = [len(heading) for heading in HEADINGS[2:]]
        shown = f"{throughput:>{widths[0]}}{'':{GAP}}{p95:>{widths[1]}}"
        before = len(number) + GAP
        total = before + self._label_width + GAP + sum(widths) + GAP
        width = self._console.width if self._console.is_terminal else None
        if width is not None and total > width:
            self._print(f"{number}{'':{GAP}}{label}", style=style)
            total, start = before + len(shown), ""
        else:
            before, start = 0, f"{number}{'':{GAP}}{label.ljust(self._label_width)}{'':{GAP}}"
        uses = [] if figures is None else figures.cpu.window()
        room = None if width is None else width - total
        beside = line_of(" " * GAP + CPUS_BUSY, uses, room)
        self._print((start + shown + beside).rstrip(), indent=before, style=style)
        if uses and not beside:
            indent = len(number) + GAP
            self._print(line_of(CPUS_BUSY, uses, self._console.width - indent), indent=indent)

    def _number_width(self) -> int:
        return max(len(HEADINGS[0]), len(f"{self._trials}/{self._trials}"))

    def _print(self, text: str, indent: int = 0, style: str = "") -> None:
        """Print text, wrapped on a terminal and as one line in a pipe."""
        if self._console.is_terminal:
            with self._drawing:
                self._console.print(Padding(Text(text, style), (0, 0, 0, indent)))
        else:
            self._console.print(Text(" " * indent + text), soft_wrap=True)

    def _draw(self) -> RenderableType:
        """Return how far the run is, and below it what happens now."""
        width = self._console.width
        now = [Text(line, style="dim", overflow="fold") for line in self._now(width)]
        return Group(self._bar(width), *now) if self._trials else Group(*now)

    def _bar(self, width: int) -> RenderableType:
        """Return how many trials are there, and the time left; a bar where there is room for it."""
        done = self._done_before + len(self._finished)
        trials = f"{done} of {self._trials} trials"
        # Nobody knows how many steps a search will take.
        of = " in this step" if self._searches else ""
        left = f"{time_in_words(self._time_left.left(self._left()))} left{of}"
        bar_width = min(BAR_WIDTH, width - len(trials) - len(left) - 3 * GAP)
        if bar_width < BAR_WIDTH_MIN:
            return Text(f"{trials}, {left}", overflow="fold")
        bar = Table.grid(padding=(0, GAP))
        progress = ProgressBar(total=self._trials, completed=done, width=bar_width)
        bar.add_row(Text(trials), progress, Text(left))
        return bar

    def _left(self) -> int:
        return self._pending - len(self._finished)

    def _now(self, width: int) -> list[str]:
        if self._is_stopping:
            return ["ending in order; Ctrl-C once more ends at once"]
        trial, doing = self._trial, self._doing
        if trial is None:
            return [doing] if doing else []
        return trial.lines(doing, width)
