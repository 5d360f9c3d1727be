"""BenchmarkSQL's data/result.csv: a row for each transaction, made from the generator's log."""

from __future__ import annotations

from pathlib import Path

import polars as pl

NAMES = {
    "new_order": "NEW_ORDER",
    "payment": "PAYMENT",
    "order_status": "ORDER_STATUS",
    "stock_level": "STOCK_LEVEL",
    "delivery": "DELIVERY",
}


def write_single(log: Path, result: Path, run: int) -> None:
    """Write the rows of a log in the order in which transactions ended.

    ``elapsed`` is that end in milliseconds from the start. ``latency`` begins when a transaction is
    due and ``dblatency`` when a terminal begins it; they differ under a limit alone. What was due
    and never begun has no row.
    """
    orders = pl.col("note").str.extract(r"o_ids=([\d/]+)").str.split("/")
    rows = (
        pl.scan_csv(log, schema_overrides={"note": pl.String})
        .filter(pl.col("ending") != "dropped")
        .sort("end_s")
        .select(
            run=pl.lit(run),
            elapsed=_ms(pl.col("end_s")),
            latency=_ms(pl.col("end_s") - pl.col("scheduled_s")),
            dblatency=_ms(pl.col("end_s") - pl.col("start_s")),
            ttype=pl.col("transaction").replace(NAMES),
            rbk=(pl.col("ending") == "rolled_back").cast(pl.Int8),
            dskipped=orders.list.count_matches("0").fill_null(0),
            error=(pl.col("ending") == "failed").cast(pl.Int8),
        )
    )
    rows.collect().write_csv(result)


def _ms(seconds: pl.Expr) -> pl.Expr:
    return (1000 * seconds).round().cast(pl.Int64)
