"""What is asked of PostgreSQL 13 to 18. Versions are 160000 for 16.

Each statement gives one row for each figure, so that one reader serves all servers.
"""

from __future__ import annotations

from dbdyno.watch.server.question import MILLISECOND, Figure, Question, counter, level

_14, _17, _18 = 140000, 170000, 180000


def _one_row(
    name: str, source: str, figures: dict[str, Figure], since: int = 0, before: int | None = None
) -> Question:
    """Return a question whose figures are expressions over ``source``, which gives one row."""
    pairs = ", ".join(
        f"('{number}', ({expression})::float8)" for number, expression in enumerate(figures)
    )
    values = f"LATERAL (VALUES {pairs}) figure(name, value)"
    sql = f"SELECT figure.name, figure.value FROM {source}, {values}"
    numbered = {str(number): figure for number, figure in enumerate(figures.values())}
    return Question(name, sql, numbered, since=since, before=before)


OLD_CHECKPOINTS = {
    "checkpoints_timed": counter("postgresql.checkpoints_timed"),
    "checkpoints_req": counter("postgresql.checkpoints_requested"),
    "checkpoint_write_time": counter("postgresql.checkpoint_write_s", MILLISECOND),
    "checkpoint_sync_time": counter("postgresql.checkpoint_sync_s", MILLISECOND),
    "buffers_checkpoint": counter("postgresql.checkpoint_buffers"),
    "buffers_backend": counter("postgresql.backend_buffers"),
    "buffers_backend_fsync": counter("postgresql.backend_fsyncs"),
}
CHECKPOINTS = {
    "num_timed": counter("postgresql.checkpoints_timed"),
    "num_requested": counter("postgresql.checkpoints_requested"),
    "write_time": counter("postgresql.checkpoint_write_s", MILLISECOND),
    "sync_time": counter("postgresql.checkpoint_sync_s", MILLISECOND),
    "buffers_written": counter("postgresql.checkpoint_buffers"),
}
BACKGROUND_WRITER = {
    "buffers_clean": counter("postgresql.cleaned_buffers"),
    "maxwritten_clean": counter("postgresql.cleaning_stopped"),
    "buffers_alloc": counter("postgresql.allocated_buffers"),
}
_WAL = {
    "wal_records": counter("postgresql.wal_records"),
    "wal_fpi": counter("postgresql.wal_full_page_images"),
    "wal_bytes": counter("postgresql.wal_bytes"),
    "wal_buffers_full": counter("postgresql.wal_buffers_full"),
}
_WAL_WRITES = {
    "wal_write": counter("postgresql.wal_writes"),
    "wal_sync": counter("postgresql.wal_fsyncs"),
    "wal_write_time": counter("postgresql.wal_write_s", MILLISECOND),
    "wal_sync_time": counter("postgresql.wal_fsync_s", MILLISECOND),
}
_WAL_IO = {
    "sum(writes)": counter("postgresql.wal_writes"),
    "sum(fsyncs)": counter("postgresql.wal_fsyncs"),
    "sum(write_time)": counter("postgresql.wal_write_s", MILLISECOND),
    "sum(fsync_time)": counter("postgresql.wal_fsync_s", MILLISECOND),
}
_BACKEND_IO = {
    "sum(writes)": counter("postgresql.backend_buffers"),
    "sum(fsyncs)": counter("postgresql.backend_fsyncs"),
    "sum(evictions)": counter("postgresql.backend_evictions"),
}
DATABASE = {
    "xact_commit": counter("postgresql.commits"),
    "xact_rollback": counter("postgresql.rollbacks"),
    "blks_read": counter("postgresql.blocks_read"),
    "blks_hit": counter("postgresql.blocks_hit"),
    "blk_read_time": counter("postgresql.block_read_s", MILLISECOND),
    "blk_write_time": counter("postgresql.block_write_s", MILLISECOND),
    "deadlocks": counter("postgresql.deadlocks"),
    "temp_bytes": counter("postgresql.temporary_bytes"),
    "numbackends": level("postgresql.backends"),
}
TABLES = {
    "sum(n_dead_tup)": level("postgresql.dead_rows"),
    "sum(n_live_tup)": level("postgresql.live_rows"),
    "sum(n_tup_upd)": counter("postgresql.updated_rows"),
    "sum(n_tup_hot_upd)": counter("postgresql.updated_rows_in_place"),
    "sum(autovacuum_count)": counter("postgresql.autovacuum_runs"),
    "sum(autoanalyze_count)": counter("postgresql.autoanalyze_runs"),
}


def _summed(source: str, figures: dict[str, Figure]) -> str:
    """Return a source of one row with these sums, under names of their own."""
    sums = ", ".join(f"{name} AS s{number}" for number, name in enumerate(figures))
    return f"(SELECT {sums} FROM {source}) sums"


def _sums(name: str, source: str, figures: dict[str, Figure], since: int = 0) -> Question:
    renamed = {f"s{number}": figure for number, figure in enumerate(figures.values())}
    return _one_row(name, _summed(source, figures), renamed, since=since)


_DATABASE_SOURCE = "(SELECT * FROM pg_stat_database WHERE datname = current_database()) d"

QUESTIONS = (
    _one_row("pg_stat_database", _DATABASE_SOURCE, DATABASE),
    _one_row("pg_stat_bgwriter", "pg_stat_bgwriter", BACKGROUND_WRITER),
    _one_row("checkpoints", "pg_stat_bgwriter", OLD_CHECKPOINTS, before=_17),
    _one_row("pg_stat_checkpointer", "pg_stat_checkpointer", CHECKPOINTS, since=_17),
    _one_row("pg_stat_wal", "pg_stat_wal", _WAL, since=_14),
    _one_row("writing of WAL", "pg_stat_wal", _WAL_WRITES, since=_14, before=_18),
    _sums("pg_stat_io of WAL", "pg_stat_io WHERE object = 'wal'", _WAL_IO, since=_18),
    _sums(
        "pg_stat_io of backends",
        "pg_stat_io WHERE backend_type = 'client backend' AND object = 'relation'",
        _BACKEND_IO,
        since=_17,
    ),
    _sums("pg_stat_user_tables", "pg_stat_user_tables", TABLES),
    Question(
        "pg_stat_activity",
        "SELECT coalesce(wait_event_type || ':' || wait_event, 'CPU'), count(*) "
        "FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() "
        "AND backend_type = 'client backend' AND wait_event IS DISTINCT FROM 'ClientRead' "
        "GROUP BY 1",
        {},
        labelled=level("postgresql.wait[{}].sessions"),
    ),
)
"""pg_stat_io came with 16, which still counts backends' writes in pg_stat_bgwriter as well."""
