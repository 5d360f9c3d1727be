"""``dbdyno benchmarksql``: build, run and destroy, and what they print."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from dbdyno.peers.benchmarksql import text
from dbdyno.peers.benchmarksql.formatter import format_date
from dbdyno.peers.benchmarksql.request import build_request, run_request, with_constant
from dbdyno.peers.benchmarksql.result import RunDirectory, next_number
from dbdyno.peers.benchmarksql.run_settings import RunSettings, read_run
from dbdyno.peers.benchmarksql.settings import Settings, read_settings
from dbdyno.peers.call.run import run as run_trial
from dbdyno.peers.call.sending import SendingOptions
from dbdyno.peers.call.totals import Totals
from dbdyno.peers.call.words import counted
from dbdyno.peers.tpcc.kinds import count_finished
from dbdyno.peers.tpcc.load import drop as drop_tables
from dbdyno.peers.tpcc.load import load as load_tables
from dbdyno.peers.tpcc.progress import LoadProgress, describe_loaded
from dbdyno.peers.tpcc.request import TpccRequest
from dbdyno.peers.tpcc.run import Outcome
from dbdyno.peers.tpcc.tables import with_tables
from dbdyno.protocol.events import Connected
from dbdyno.protocol.intervals import Interval

Say = Callable[[str], None]


def build(path: Path, say: Say, warn: Say, *, is_terminal: bool) -> None:
    """Make the tables, fill them, and make indexes and foreign keys."""
    settings = read_settings(path)
    _warn(settings.warnings, warn)
    say(text.loader_header(settings))
    request = build_request(settings)
    # Rows are spread over all workers: none of them loads a warehouse of its own.
    what = f"Loading ITEM and {counted(settings.warehouses, 'Warehouse')}"
    say(f"{what}, {counted(settings.load_workers, 'worker')}\n")
    progress = LoadProgress(say, is_terminal=is_terminal)
    try:
        loaded = load_tables(request, progress.tell)
    finally:
        progress.done()
    say(f"{what} done\n{describe_loaded(loaded)}\n")


def destroy(path: Path, say: Say) -> None:
    """Remove the tables."""
    settings = read_settings(path)
    drop_tables(build_request(settings))
    say("dropped\n")


def run(path: Path, say: Say, warn: Say, sending: SendingOptions) -> None:
    """Run the transactions, and write the result directory if the file names one."""
    settings = read_settings(path)
    run_settings = read_run(settings)
    pattern = settings.properties.get("resultDirectory", "")
    directory = format_date(pattern) if pattern else None
    _warn([*settings.warnings, *run_settings.warnings], warn)
    asked = replace(run_request(settings, run_settings), sending=sending)
    loaded = with_tables(asked, None).warehouses
    request, constant = with_constant(with_tables(asked, settings.warehouses))
    log = _Log(say)
    log.lines(text.run_header(settings))
    result = None
    if directory is not None:
        result = _Result(settings, run_settings, directory, loaded)
        request = replace(request, out=result.directory.dbdyno, log=result.directory.log)
        log.lines(result.lines())
    log.lines(["", f"C value for C_LAST during load: {constant}", ""])
    try:
        outcome = run_trial(request, Speaker(say, log, result, request.warmup_s))
    finally:
        # Also of a run that was stopped.
        if result is not None:
            _write_single(result.directory, request, warn)
    for line in outcome.remarks():
        warn(line)


def _write_single(directory: RunDirectory, request: TpccRequest, warn: Say) -> None:
    """Write result.csv; what keeps that from being must not hide how the run has ended."""
    # Heavy, and loaded by now where there is a log.
    from polars.exceptions import PolarsError

    try:
        directory.write_single(request)
    except (OSError, PolarsError) as error:
        warn(
            f"WARNING: data/result.csv was not written: {error}; the generator's own log is "
            f"{directory.log}\n"
        )


def _warn(warnings: Iterable[str], warn: Say) -> None:
    for warning in warnings:
        warn(f"WARNING: {warning}\n")


class _Log:
    """Writes lines as BenchmarkSQL's log has them."""

    def __init__(self, say: Say) -> None:
        self._say = say

    def lines(self, said: Iterable[str], thread: str = "main") -> None:
        for line in said:
            self._say(text.log_line(line, datetime.now().astimezone(), thread))


class _Result:
    """The result directory, and what is to be written into it when the run begins."""

    def __init__(self, settings: Settings, run: RunSettings, directory: str, loaded: int) -> None:
        self._settings = settings
        self._run = run
        self._loaded = loaded
        self.directory = RunDirectory(Path(directory), next_number())
        self.directory.write_properties(settings)

    def lines(self) -> list[str]:
        """Return what the log says of it."""
        path = self.directory.path
        return [
            f"copied {self._settings.path} to {path}/run.properties",
            f"created {path}/data/runInfo.csv for runID {self.directory.number}",
            f"writing per transaction results to {path}/data/result.csv",
        ]

    def begin(self, started: datetime) -> None:
        self.directory.write_info(self._settings, self._run, started, self._loaded)


class Speaker:
    """Prints the status line while the load goes on, and the log's last lines."""

    def __init__(self, say: Say, log: _Log, result: _Result | None, warmup_s: float = 0.0) -> None:
        self._say = say
        self._log = log
        self._result = result
        self._warmup_s = warmup_s
        self._so_far = Totals()
        self._started = datetime.now().astimezone()

    def connected(self, event: Connected) -> None:
        """Note when the session begins: what is before it counts for nothing."""
        self._started = datetime.now().astimezone() + timedelta(seconds=self._warmup_s)
        if self._warmup_s:
            self._log.lines([text.rampup(self._warmup_s / 60)])
        if self._result is not None:
            self._result.begin(self._started)

    def warming(self, interval: Interval) -> None:
        """Do nothing: the log has said that it goes on."""

    def interval(self, interval: Interval) -> None:
        """Print the status line anew."""
        before = count_finished(self._so_far)
        self._so_far.add(interval)
        finished, duration_s = count_finished(self._so_far), interval.duration_s
        current = 60 * (finished - before) / duration_s if duration_s else 0.0
        self._say(text.status(self._so_far.elapsed_s, finished, current))

    def ended(self, outcome: Outcome) -> None:
        """Print the figures, and write the summary."""
        self._say("\n")
        ended = self._started + timedelta(seconds=outcome.totals.elapsed_s)
        constant = f"C value for C_LAST this run:    {outcome.facts.get('c_last', '')}"
        closing = text.closing(outcome, self._started, ended)
        self._log.lines([constant, *closing], thread="Thread-1")
        if self._result is not None:
            directory = self._result.directory
            directory.write_summary(outcome, directory.write_single(outcome.request))
