"""How long a user waits for answers that need no server: the help, and a report."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.figures import Figure, Spread, at_most
from bench.size import Size
from bench.synthetic import LEVELS, write_result

WAIT_LIMIT_S = 120.0
HELP_TARGET_S = at_most(0.4)
REPORT_TARGET_S = at_most(5.0)


def waiting(size: Size) -> list[Figure]:
    """Measure ``dbdyno --help`` and ``dbdyno report`` of a result that was never measured."""
    with tempfile.TemporaryDirectory() as directory:
        result = Path(directory, "result")
        write_result(result, rounds=size.report_rounds, intervals=size.report_intervals)
        report_s = _wall_s("report", str(result))
    trials = len(LEVELS) * size.report_rounds
    return [
        Figure(
            section="waiting",
            name="dbdyno --help",
            unit="s",
            spread=Spread.of([_wall_s("--help") for _ in range(size.start_repeats)]),
            target=HELP_TARGET_S,
        ),
        Figure(
            section="waiting",
            name=f"dbdyno report, {trials} trials x {size.report_intervals} intervals",
            unit="s",
            spread=Spread.of([report_s]),
            target=REPORT_TARGET_S,
        ),
    ]


def _wall_s(*arguments: str) -> float:
    start_s = time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "dbdyno", *arguments],
        check=True,
        stdout=subprocess.DEVNULL,
        timeout=WAIT_LIMIT_S,
    )
    return time.monotonic() - start_s
