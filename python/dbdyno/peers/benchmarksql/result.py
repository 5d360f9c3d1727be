"""BenchmarkSQL's result directory, as far as it can be written truthfully.

``data/result.csv`` has a row for each transaction, and ``data/tx_summary.csv`` percentiles from the
histograms of the whole run.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from dbdyno import __version__
from dbdyno.errors import InputError, RunError
from dbdyno.peers.benchmarksql.properties import format_properties
from dbdyno.peers.benchmarksql.run_settings import RunSettings
from dbdyno.peers.benchmarksql.settings import Settings
from dbdyno.peers.benchmarksql.single import write_single
from dbdyno.peers.call.totals import Totals
from dbdyno.peers.tpcc.kinds import DELIVERY_DEFERRED, count_finished, new_orders_per_minute
from dbdyno.peers.tpcc.request import TpccRequest
from dbdyno.peers.tpcc.run import Outcome

SEQUENCE_FILE = Path(".jTPCC_run_seq.dat")
"""Where BenchmarkSQL keeps the number of the last run."""

TYPES = {
    "new_order": ("NEW_ORDER", "5.0"),
    "payment": ("PAYMENT", "5.0"),
    "order_status": ("ORDER_STATUS", "5.0"),
    "stock_level": ("STOCK_LEVEL", "20.0"),
    "delivery": ("DELIVERY", "5.0"),
    DELIVERY_DEFERRED: ("DELIVERY_BG", "80.0"),
}
"""Names and limits in seconds, in BenchmarkSQL's order. Only with a file of version 6 is a Delivery
carried out in the background; the row is always there."""

RUN_INFO = (
    *("run", "driver", "driverVersion", "db", "sessionStart", "runMins", "loadWarehouses"),
    *("runWarehouses", "numSUTThreads", "limitTxnsPerMin", "thinkTimeMultiplier"),
    "keyingTimeMultiplier",
)
SUMMARY = (
    *("tx_name", "tx_count", "tx_percent", "tx_90th", "tx_max", "tx_limit"),
    *("tx_rbk", "tx_error", "tx_dskipped"),
)
NOTHING = "N/A"
MOST_PER_WAREHOUSE = 12.86


class RunDirectory:
    """One run's directory; what is written while it runs is kept whatever comes."""

    def __init__(self, path: Path, number: int) -> None:
        self.path = path
        self.number = number
        try:
            (path / "data").mkdir(parents=True)
        except FileExistsError:
            raise InputError(f"resultDirectory {path} is there already") from None
        except OSError as error:
            raise RunError(f"resultDirectory {path}: {error.strerror}") from error

    @property
    def log(self) -> Path:
        """Where the generator writes each transaction down while it runs."""
        return self.path / "data" / "transactions.csv"

    @property
    def dbdyno(self) -> Path:
        """Where dbdyno's own result goes."""
        return self.path / "dbdyno"

    def write_properties(self, settings: Settings) -> None:
        """Write the properties without passwords.

        It is no copy of the file: people keep passwords in its comments, too.
        """
        text = format_properties(settings.properties)
        (self.path / "run.properties").write_text(text, encoding="latin-1")

    def write_info(
        self, settings: Settings, run: RunSettings, started: datetime, loaded: int
    ) -> None:
        """Write data/runInfo.csv."""
        start = f"{started:%Y-%m-%d %H:%M:%S}.{started.microsecond // 1000:03}"
        row = (
            *(self.number, "dbdyno", __version__, settings.properties["db"], start, run.minutes),
            *(loaded, settings.warehouses, run.terminals),
            *(round(60 * (run.rate_per_s or 0)), run.think, run.keying),
        )
        self._write("runInfo.csv", [RUN_INFO, row])

    def write_single(self, request: TpccRequest) -> int:
        """Write data/result.csv, and remove the log that it is made from.

        It has the transactions that the summary counts. Return the districts that a Delivery
        skipped.
        """
        if not self.log.exists():
            return 0
        result = self.path / "data" / "result.csv"
        skipped = write_single(self.log, result, self.number, request.counted_phases)
        self.log.unlink()
        return skipped

    def write_summary(self, outcome: Outcome, skipped: int) -> None:
        """Write data/tx_summary.csv."""
        totals = outcome.totals
        rows = [_summary_row(kind, totals, skipped) for kind in TYPES]
        per_minute = new_orders_per_minute(totals)
        share = 100 * per_minute / outcome.request.warehouses / MOST_PER_WAREHOUSE
        rest = [NOTHING] * (len(SUMMARY) - 3)
        rows.append(("tpmC", f"{per_minute:.2f}", f"{share:.3f}%", *rest))
        whole = totals.per_minute(count_finished(totals))
        rows.append(("tpmTotal", f"{whole:.2f}", NOTHING, *rest))
        self._write("tx_summary.csv", [SUMMARY, *rows])

    def _write(self, name: str, rows: Iterable[Iterable[Any]]) -> None:
        with (self.path / "data" / name).open("a", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)


def _summary_row(kind: str, totals: Totals, skipped: int) -> tuple[Any, ...]:
    name, limit = TYPES[kind]
    delivers = DELIVERY_DEFERRED if totals.of(DELIVERY_DEFERRED).finished else "delivery"
    each = totals.of(kind)
    p90_ms = each.percentile_ms(90)
    rolled_back = _percent(each.rolled_back, each.finished)
    return (
        name,
        each.finished,
        NOTHING if kind == DELIVERY_DEFERRED else _percent(each.finished, count_finished(totals)),
        NOTHING if p90_ms is None else f"{p90_ms / 1000:.3f}s",
        f"{each.max_ms / 1000:.3f}s" if each.times.done.count else NOTHING,
        limit,
        rolled_back if kind == "new_order" else NOTHING,
        each.failed,
        skipped if kind == delivers else NOTHING,
    )


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.3f}%" if whole else NOTHING


def next_number() -> int:
    """Return the number of this run, and note it for the next one, as runBenchmark.sh does."""
    try:
        number = int(SEQUENCE_FILE.read_text()) + 1
    except (OSError, ValueError):
        number = 1
    try:
        SEQUENCE_FILE.write_text(f"{number}\n")
    except OSError as error:
        raise RunError(f"{SEQUENCE_FILE} cannot be written: {error.strerror}") from error
    return number
