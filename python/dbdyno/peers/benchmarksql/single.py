"""BenchmarkSQL's data/result.csv: a row for each transaction, made from the generator's log.

A log may be larger than the memory: it is sorted in chunks, which are merged.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path

import polars as pl

from dbdyno.peers.call.merging import merge_lines

NAMES = {
    "new_order": "NEW_ORDER",
    "payment": "PAYMENT",
    "order_status": "ORDER_STATUS",
    "stock_level": "STOCK_LEVEL",
    "delivery": "DELIVERY",
    "delivery_deferred": "DELIVERY_BG",
}
HEADER = b"run,elapsed,latency,dblatency,ttype,rbk,dskipped,error\n"

CHUNK_BYTES = 8 << 20
"""How much of a log is sorted at once: about 100,000 transactions."""

LOG = {
    "client": pl.Int64(),
    "transaction": pl.String(),
    **dict.fromkeys(("scheduled_s", "start_s", "end_s", "handled_s"), pl.Float64()),
    **dict.fromkeys(("ending", "phase"), pl.String()),
    "retries": pl.Int64(),
    "note": pl.String(),
}

_EARLIEST = 5 * 10**15
"""Makes all ends, in microseconds, numbers of as many digits: their texts sort as they do."""
_KEY_LENGTH = len(f"{_EARLIEST},")


def write_single(
    log: Path, result: Path, run: int, phases: Collection[str], chunk_bytes: int = CHUNK_BYTES
) -> int:
    """Write the rows of a log's phases in the order in which terminals could go on.

    ``elapsed`` is that instant in milliseconds from the start. ``latency`` begins when a
    transaction is due and ``dblatency`` when a terminal begins it; they differ under a limit, and
    where users wait. What was due and never begun has no row. Return in how many districts a
    Delivery found no order.
    """
    skipped = 0
    files: list[Path] = []
    with tempfile.TemporaryDirectory(prefix="sorting-", dir=result.parent) as folder:
        for chunk in _chunks(log, chunk_bytes):
            rows = _rows(chunk, run, phases)
            skipped += int(rows["dskipped"].sum())
            files.append(Path(folder, f"chunk-{len(files)}"))
            rows.write_csv(files[-1], include_header=False)
        with result.open("wb") as out:
            out.write(HEADER)
            out.writelines(line[_KEY_LENGTH:] for line in merge_lines(files, Path(folder)))
    return skipped


def _chunks(log: Path, chunk_bytes: int) -> Iterator[pl.DataFrame]:
    """Yield a log in pieces of about so many bytes."""
    with log.open("rb") as file:
        header = file.readline()
        while piece := file.read(chunk_bytes):
            yield pl.read_csv(header + piece + file.readline(), schema=LOG)


def _rows(log: pl.DataFrame, run: int, phases: Collection[str]) -> pl.DataFrame:
    """Return the rows, each with what it is sorted by before it."""
    orders = pl.col("note").str.extract(r"o_ids=([\d/]+)").str.split("/")
    return (
        log.filter(pl.col("ending") != "dropped", pl.col("phase").is_in(list(phases)))
        .sort("handled_s", maintain_order=True)
        .select(
            key=_EARLIEST + (1e6 * pl.col("handled_s")).round().cast(pl.Int64),
            run=pl.lit(run),
            elapsed=_ms(pl.col("handled_s")),
            latency=_ms(pl.col("handled_s") - pl.col("scheduled_s")),
            dblatency=_ms(pl.col("handled_s") - pl.col("start_s")),
            ttype=pl.col("transaction").replace(NAMES),
            rbk=(pl.col("ending") == "rolled_back").cast(pl.Int8),
            dskipped=orders.list.count_matches("0").fill_null(0),
            error=(pl.col("ending") == "failed").cast(pl.Int8),
        )
    )


def _ms(seconds: pl.Expr) -> pl.Expr:
    return (1000 * seconds).round().cast(pl.Int64)
