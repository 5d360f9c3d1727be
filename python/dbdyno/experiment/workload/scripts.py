"""What each script of sysbench's is made of, and what it does to the tables.

This says what ``scripts.rs`` and ``dataset.rs`` in crates/workload do; a test holds ``dataset_of``
against the fingerprints that the generator gives.
"""

from __future__ import annotations

from typing import Literal

from dbdyno.experiment.workload.sysbench import Distribution, Script, Sysbench
from dbdyno.protocol.workload_plan import SysbenchPlan

Fate = Literal["kept", "changed", "joined", "removed"]
"""What becomes of the rows that were loaded: they stay as they are, all their ids stay, more rows
come, or some go for good."""

Content = Literal["rows", "no_rows", "bulk_tables"]
"""What the tables hold when they have been loaded: the rows; none, because the script gives ids
that might be there already; none, in the tables of bulk_insert (id and k)."""

FATES: dict[Script, Fate] = {
    "oltp_read_only": "kept",
    "oltp_point_select": "kept",
    "select_random_points": "kept",
    "select_random_ranges": "kept",
    "oltp_read_write": "changed",
    "oltp_write_only": "changed",
    "oltp_update_index": "changed",
    "oltp_update_non_index": "changed",
    "oltp_insert": "joined",
    "bulk_insert": "joined",
    "oltp_delete": "removed",
}

ROWS_OF_SAMPLE = 20_000
"""Of each table that has more: 20 ranges of 1,000 ids."""
RANGES = ("simple_ranges", "sum_ranges", "order_ranges", "distinct_ranges")
_READS = ("point_selects", *RANGES)
_WRITES = ("index_updates", "non_index_updates", "delete_inserts")

WEAR: tuple[Fate, ...] = ("kept", "changed", "joined", "removed")
"""From fates that let most be asked of the tables to those that let least."""

NUMBERS: dict[Script, tuple[str, ...]] = {
    "oltp_read_write": (*_READS, *_WRITES),
    "oltp_read_only": _READS,
    "oltp_write_only": _WRITES,
    "oltp_update_index": ("index_updates",),
    "oltp_update_non_index": ("non_index_updates",),
}
"""The options that say how often a script repeats its statements; the others have one statement."""

ONE_TABLE: tuple[Script, ...] = ("select_random_points", "select_random_ranges")
"""These scripts know one table only."""

PARAMETERS: dict[Distribution, tuple[str, ...]] = {
    "uniform": (),
    "gaussian": (),
    "special": ("special_percent", "special_residual"),
    "pareto": ("pareto_h",),
    "zipfian": ("zipfian_exponent",),
}
"""The parameters of each distribution, which shape column k; those of the others do nothing."""

_SHAPING = (
    *("tables", "table_size", "distribution", "scrambled"),
    *("auto_inc", "secondary", "create_secondary", "create_table_options"),
)
"""The options that always show in the tables, whatever the script and the distribution."""


def content(workload: Sysbench) -> Content:
    """Return what the tables hold at first."""
    if workload.script == "bulk_insert":
        return "bulk_tables"
    if workload.script == "oltp_insert" and not workload.auto_inc:
        return "no_rows"
    return "rows"


def dataset_of(workload: Sysbench) -> SysbenchPlan:
    """Return all that makes loaded tables differ, but for the seed.

    It is equal for two workloads just where the generator gives them the same fingerprint.
    """
    options = (*_SHAPING, *PARAMETERS[workload.distribution])
    return {option: getattr(workload, option) for option in options} | {
        "mysql_storage_engine": workload.mysql_storage_engine.lower(),
        "content": content(workload),
    }


def rows_loaded(workload: Sysbench) -> int:
    """Return how many rows are loaded into all tables together."""
    return workload.tables * workload.table_size if content(workload) == "rows" else 0


def rows_sampled(workload: Sysbench) -> int:
    """Return how many rows a sample has (``crates/workload/src/sysbench/verify.rs``)."""
    return min(rows_loaded(workload), workload.tables * ROWS_OF_SAMPLE)


def statements_repeated(workload: Sysbench) -> int:
    """Return how many statements a transaction has, BEGIN and COMMIT left out."""
    if workload.script not in NUMBERS:
        return 1
    options = [
        option
        for option in NUMBERS[workload.script]
        if workload.range_selects or option not in RANGES
    ]
    return sum(
        getattr(workload, option) * (2 if option == "delete_inserts" else 1) for option in options
    )
