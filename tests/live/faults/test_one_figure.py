"""One run, one figure: wherever a figure of a run is shown, it is that of the stored histogram.

The server stands still over the end of the window, where two ways of counting would differ most.
"""

from __future__ import annotations

import io
import subprocess
from pathlib import Path

import pytest
from rich.console import Console

from dbdyno.cli.outcome import show_and_write
from dbdyno.report import figures
from dbdyno.store.reader import read_result
from dbdyno.times import quantile_ms
from tests.live.engine.fixed_server import FixedServer
from tests.live.faults.servers import hold, on_each
from tests.live.sysbench.programs import DBDYNO, LIMIT_S, Database
from tests.sysbench_output import Output, read_output

pytestmark = pytest.mark.live

DRIVERS = {"mysql": "mysql", "postgresql": "pgsql"}

RUN = (
    "oltp_read_write",
    *("--tables=1", "--table-size=1000", "--delete-inserts=0"),
    *("--threads=4", "--rate=100", "--time=4", "--report-interval=1"),
    "run",
)

HELD_S = 1.5


def run_and_hold(server: FixedServer, result: Path) -> Output:
    """Run sysbench's command, and stop the server from the third of four seconds on."""
    database = Database(DRIVERS[server.scheme], server.url(), None)
    words = [*DBDYNO, *database.options, f"--out={result}", *RUN]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        printed = ""
        while "[ 3s ]" not in printed:
            line = running.stdout.readline()
            assert line, printed
            printed += line
        hold(server, HELD_S)
        printed += running.stdout.read()
        assert running.wait(LIMIT_S) == 0, printed
    return read_output(printed)


def shown(result: Path) -> tuple[str, str]:
    """Return the report of a result: what the terminal shows, and the page."""
    printed = io.StringIO()
    show_and_write(result, Console(file=printed, width=200))
    return printed.getvalue(), (result / "report.html").read_text("utf-8")


def test_every_place_shows_the_same_times(servers: list[FixedServer], tmp_path: Path) -> None:
    def check(server: FixedServer) -> None:
        result = tmp_path / server.scheme
        printed = run_and_hold(server, result).reports[-1]
        (trial,) = read_result(result).trials
        response, turnaround = (
            trial.histograms["oltp_read_write", name] for name in ("response", "turnaround")
        )
        # The command stands in for sysbench, whose times end when its client could go on.
        assert float(printed["percentile"][0]) == round(quantile_ms(turnaround, 0.95) or 0, 2)
        assert float(printed["max"][0]) == round(quantile_ms(turnaround, 1.0) or 0, 2)
        p95_ms, max_ms = (quantile_ms(response, q) for q in (0.95, 1.0))
        assert p95_ms is not None
        assert max_ms is not None
        # A fifth of what was due met the stall.
        assert p95_ms > 1e3 * HELD_S / 3
        terminal, page = shown(result)
        # The p99 of so few transactions is shown nowhere.
        for figure in (p95_ms, max_ms):
            assert figures.milliseconds(figure) in terminal
            assert figures.milliseconds(figure) in page

    on_each(servers, check)
