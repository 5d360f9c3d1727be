"""MyRocks' tables on disk: their part of the sorted files (SST), after compression.

Many tables share a file. Each has the part of it that its keys and values were before they were
compressed. What is still in memory (memtables) is in no such file, but in the write-ahead log.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from dbdyno._native import Session
from dbdyno.size.asking import UnknownSizeError
from dbdyno.size.model import DiskSize

_INDEXES = """
    SELECT column_family, index_number, table_name, cf FROM information_schema.rocksdb_ddl
    WHERE table_schema = DATABASE()"""

_PARTS = """
    SELECT sst_name, column_family, index_number, data_size
    FROM information_schema.rocksdb_index_file_map"""

_FILES = """
    SELECT sst_name, data_block_size + index_block_size + filter_block_size
    FROM information_schema.rocksdb_sst_props"""

_IN_MEMORY = """
    SELECT cf_name, value FROM information_schema.rocksdb_cfstats
    WHERE stat_type = 'CUR_SIZE_ALL_MEM_TABLES'"""

SOURCE = "ROCKSDB_SST_PROPS: the tables' part of the sorted files"

NOTED_SHARE = 0.01
"""So much in memory, of what is on disk, is worth a word."""


def size_on_disk(session: Session, tables: Sequence[str]) -> DiskSize:
    """Return the tables' part of the files' blocks of data, indexes and filters."""
    indexes = {
        (family, number): (str(table), str(name))
        for family, number, table, name in session.query(_INDEXES)
        if table in tables
    }
    known = {table for table, _ in indexes.values()}
    missing = [table for table in tables if table not in known]
    if missing:
        raise UnknownSizeError(f"MyRocks' list of indexes does not have table {missing[0]}")
    sizes = _sizes(session, {key: table for key, (table, _) in indexes.items()})
    size_bytes = sum(sizes.values())
    note = _note(session, {family for _, family in indexes.values()}, size_bytes)
    return DiskSize(size_bytes, SOURCE, note=note, tables_bytes=sizes)


def _sizes(session: Session, tables: Mapping[tuple[str | None, str | None], str]) -> dict[str, int]:
    """Return each table's part of the files; one that is all in memory has none."""
    raw_of_file: Counter[str] = Counter()
    raw_of_part: Counter[tuple[str, str]] = Counter()
    for file, family, number, raw_bytes in session.query(_PARTS):
        raw_of_file[str(file)] += int(raw_bytes or 0)
        if (family, number) in tables:
            raw_of_part[str(file), tables[family, number]] += int(raw_bytes or 0)
    file_bytes = {str(file): int(size or 0) for file, size in session.query(_FILES)}
    sizes = dict.fromkeys(tables.values(), 0)
    for (name, table), part_bytes in raw_of_part.items():
        # A file that compaction has replaced between the two questions is in one answer only.
        if part_bytes and name in file_bytes:
            sizes[table] += round(file_bytes[name] * part_bytes / raw_of_file[name])
    return sizes


def _note(session: Session, families: set[str], size_bytes: int) -> str | None:
    in_memory = sum(
        int(value or 0) for family, value in session.query(_IN_MEMORY) if family in families
    )
    if in_memory <= NOTED_SHARE * size_bytes:
        return None
    return (
        f"up to {in_memory / 2**20:.1f} MiB of rows were in memory and in MyRocks' log only, and "
        "are not in this figure"
    )
