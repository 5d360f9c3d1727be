"""What the databases write differently: catalogues, snapshots, exact amounts, comparing with NULL.

A dialect is data; how a query is put together with it stands in ``tables``.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Dialect:
    """One kind of database.

    ``begin`` starts a transaction in which everything is read as of one instant. ``differs`` counts
    NULL as a value of its own, so that a NULL cannot hide a violation. ``exact`` makes an amount
    out of a column with which sums can be compared, ``units`` of which are 1.00. ``tables`` lists
    tables and views, ``indexes`` each index with its table and its first column. ``select_groups``
    begins a query with many groups.
    """

    name: str
    begin: tuple[str, ...]
    differs: str
    exact: str
    units: int
    tables: str
    indexes: str
    select_groups: str = "SELECT"


MYSQL = Dialect(
    name="mysql",
    begin=(
        "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
        "START TRANSACTION WITH CONSISTENT SNAPSHOT",
    ),
    differs="NOT ({0} <=> {1})",
    exact="{0}",
    units=1,
    tables="SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()",
    indexes="""
        SELECT table_name, index_name, column_name FROM information_schema.statistics
        WHERE table_schema = DATABASE() AND seq_in_index = 1""",
    # Sorts, where a temporary table with a key takes four times as long once it is on disk.
    select_groups="SELECT SQL_BIG_RESULT",
)

POSTGRESQL = Dialect(
    name="postgresql",
    begin=(
        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        # Tables that nobody has analysed yet look small, so that nested loops are chosen where
        # hashing is faster. Compiling pays for none of these queries.
        "SET LOCAL enable_nestloop = off",
        "SET LOCAL jit = off",
    ),
    differs="({0}) IS DISTINCT FROM ({1})",
    exact="{0}",
    units=1,
    tables="""
        SELECT relname FROM pg_class
        WHERE relkind IN ('r', 'p', 'f', 'v') AND pg_table_is_visible(oid)""",
    indexes="""
        SELECT t.relname, i.relname, a.attname
        FROM pg_index x
        JOIN pg_class t ON t.oid = x.indrelid
        JOIN pg_class i ON i.oid = x.indexrelid
        JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = x.indkey[0]
        WHERE pg_table_is_visible(t.oid)""",
)

SQLITE = Dialect(
    name="sqlite",
    begin=("BEGIN",),
    differs="({0}) IS NOT ({1})",
    # SQLite's decimals are floats, whose sums depend on the order of the rows.
    exact="CAST(ROUND({0} * 100) AS INTEGER)",
    units=100,
    tables="SELECT name FROM sqlite_master WHERE type IN ('table', 'view')",
    indexes="""
        SELECT t.name, i.name, c.name
        FROM sqlite_master t, pragma_index_list(t.name) i, pragma_index_info(i.name) c
        WHERE t.type = 'table' AND c.seqno = 0""",
)

DIALECTS = {dialect.name: dialect for dialect in (MYSQL, POSTGRESQL, SQLITE)}
