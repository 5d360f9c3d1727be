"""PostgreSQL's tables on disk: with their indexes, TOAST, maps of free space and of visibility."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno._native import Session
from dbdyno.size.asking import UnknownSizeError
from dbdyno.size.model import DiskSize

# A partitioned table is its partitions; one that is not is the only one of its tree.
_SIZES = """
    SELECT t.relname,
           COALESCE((SELECT SUM(pg_total_relation_size(p.relid))
                     FROM pg_partition_tree(t.oid) p), pg_total_relation_size(t.oid))::bigint
    FROM pg_class t
    WHERE t.relkind IN ('r', 'p', 'm') AND NOT t.relispartition
      AND pg_table_is_visible(t.oid) AND t.relnamespace <> 'pg_catalog'::regnamespace"""


def size_on_disk(session: Session, tables: Sequence[str] | None) -> DiskSize:
    """Return the size of some of the tables that a name without a schema reaches, or of all."""
    sizes = {str(name): int(size or 0) for name, size in session.query(_SIZES)}
    missing = [name for name in tables or () if name not in sizes]
    if missing:
        raise UnknownSizeError(f"there is no table {missing[0]}")
    chosen = {name: sizes[name] for name in (tables or sizes)}
    return DiskSize(sum(chosen.values()), "pg_total_relation_size", tables_bytes=chosen)
