"""Makes the load and prints while it goes on."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from dbdyno.database.session import open_session
from dbdyno.errors import InputError, RunError
from dbdyno.peers.call.run import Outcome
from dbdyno.peers.call.run import run as run_trial
from dbdyno.peers.call.totals import Totals
from dbdyno.peers.pgbench import tables, text
from dbdyno.peers.pgbench.log import log_path, write_log
from dbdyno.peers.pgbench.request import Request, check_workload
from dbdyno.protocol.events import Connected
from dbdyno.protocol.intervals import Interval, Phase

Say = Callable[[str], None]

TOLD_AFTER_S = 0.1
"""The generator keeps an interval open for so long, for answers that are on their way."""


def run(request: Request, say: Say, warn: Say) -> None:
    """Carry a run out; ``RunError`` with the server's words where it fails."""
    check_workload(request.workload)
    try:
        # pgbench begins with a connection, too: where there is none, it is the call that is wrong.
        with open_session(request.address.url, request.address.password):
            pass
        request = _with_scale(request, warn)
        if request.vacuums:
            tables.vacuum(request, warn)
    except RunError as error:
        # Nothing was run: pgbench ends as it does after a wrong call.
        raise InputError(str(error)) from error
    if request.log is None:
        _tell_errors(run_trial(request, Speaker(request, say, warn)), warn)
    else:
        _run_with_log(request, log_path(request.log), say, warn)


def _run_with_log(request: Request, path: Path, say: Say, warn: Say) -> None:
    """Carry it out, and write the log, also of a run that failed."""
    # Beside the log, where there is room for it.
    with tempfile.TemporaryDirectory(prefix="dbdyno-", dir=path.parent) as folder:
        logged = replace(request, transaction_log=Path(folder, "transactions.csv"))
        speaker = Speaker(logged, say, warn)
        try:
            _tell_errors(run_trial(logged, speaker), warn)
        finally:
            if speaker.window_began_s is not None:
                write_log(logged, path, speaker.window_began_s, text.kinds(logged))


def _with_scale(request: Request, warn: Say) -> Request:
    """Return the request with the scale of the tables that are there, where they are pgbench's."""
    if not any(script.script.builtin for script in request.scripts):
        return request
    branches = tables.count_branches(request)
    if branches == request.scale:
        return request
    if request.scale != 1:
        warn(f"scale option ignored, using count from pgbench_branches table ({branches})\n")
    workload = request.workload | {"scale": branches}
    return replace(request, scale=branches, workload=workload)


def _tell_errors(outcome: Outcome[Request], warn: Say) -> None:
    for line in outcome.remarks():
        warn(line)


class Speaker:
    """Prints pgbench's lines as the load goes on."""

    def __init__(self, request: Request, say: Say, warn: Say) -> None:
        self._request = request
        self._say = say
        self._warn = warn
        self._line = Totals()
        self._connect_s = 0.0
        self.window_began_s: float | None = None

    def connected(self, event: Connected) -> None:
        """Say which server it is."""
        self._connect_s = event.elapsed_s
        self._say(text.version(event.server_version))

    def warming(self, interval: Interval) -> None:
        """There is no warm-up."""

    def interval(self, interval: Interval) -> None:
        """Print a line where one is due."""
        began_s = time.time() - interval.end_s - TOLD_AFTER_S
        if self.window_began_s is None or began_s < self.window_began_s:
            # The event that was told soonest says it best.
            self.window_began_s = began_s
        every_s = self._request.shown.progress_s
        if not every_s or interval.phase != Phase.WINDOW:
            return
        self._line.add(interval)
        if self._line.elapsed_s > every_s - 0.5:
            self._warn(text.progress(interval.end_s, self._line, self._request))
            self._line = Totals()

    def ended(self, outcome: Outcome[Request]) -> None:
        """Print the results."""
        self._say(text.summary(outcome, self._request, self._connect_s))
