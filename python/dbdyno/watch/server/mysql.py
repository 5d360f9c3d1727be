"""What is asked of MySQL, MariaDB, MyRocks and Galera.

Not every server has every name: those that it has are told. Versions are 80030 for 8.0.30.
"""

from __future__ import annotations

from dbdyno.watch.server.question import (
    MICROSECOND,
    MILLISECOND,
    NANOSECOND,
    PICOSECOND,
    Question,
    counter,
    level,
)

_STATUS = {
    "Com_commit": counter("mysql.commits"),
    "Com_rollback": counter("mysql.rollbacks"),
    "Queries": counter("mysql.statements"),
    "Threads_running": level("mysql.threads_running"),
    "Threads_connected": level("mysql.threads_connected"),
    "Created_tmp_disk_tables": counter("mysql.temporary_disk_tables"),
    "Binlog_commits": counter("mysql.binlog_commits"),
    "Binlog_group_commits": counter("mysql.binlog_group_commits"),
    "Innodb_checkpoint_age": level("innodb.checkpoint_age_bytes"),
    "Innodb_checkpoint_max_age": level("innodb.checkpoint_max_age_bytes"),
    "Innodb_log_waits": counter("innodb.log_waits"),
    "Innodb_os_log_written": counter("innodb.redo_bytes"),
    "Innodb_os_log_fsyncs": counter("innodb.redo_fsyncs"),
    "Innodb_data_fsyncs": counter("innodb.data_fsyncs"),
    "Innodb_data_read": counter("innodb.read_bytes"),
    "Innodb_data_written": counter("innodb.write_bytes"),
    "Innodb_buffer_pool_wait_free": counter("innodb.buffer_pool_wait_free"),
    "Innodb_buffer_pool_reads": counter("innodb.buffer_pool_disk_reads"),
    "Innodb_buffer_pool_read_requests": counter("innodb.buffer_pool_read_requests"),
    "Innodb_buffer_pool_pages_dirty": level("innodb.buffer_pool_dirty_pages"),
    "Innodb_buffer_pool_pages_free": level("innodb.buffer_pool_free_pages"),
    "Innodb_buffer_pool_pages_total": level("innodb.buffer_pool_pages"),
    "Innodb_row_lock_time": counter("innodb.row_lock_wait_s", MILLISECOND),
    "Innodb_row_lock_waits": counter("innodb.row_lock_waits"),
    "Innodb_row_lock_current_waits": level("innodb.row_lock_waiting"),
    "Innodb_deadlocks": counter("innodb.deadlocks"),
    "Innodb_history_list_length": level("innodb.history_list_length"),
    "Rocksdb_stall_micros": counter("rocksdb.stall_s", MICROSECOND),
    "Rocksdb_block_cache_hit": counter("rocksdb.block_cache_hits"),
    "Rocksdb_block_cache_miss": counter("rocksdb.block_cache_misses"),
    "Rocksdb_bytes_written": counter("rocksdb.write_bytes"),
    "Rocksdb_bytes_read": counter("rocksdb.read_bytes"),
    "Rocksdb_compact_read_bytes": counter("rocksdb.compaction_read_bytes"),
    "Rocksdb_compact_write_bytes": counter("rocksdb.compaction_write_bytes"),
    "Rocksdb_flush_write_bytes": counter("rocksdb.flush_write_bytes"),
    "Rocksdb_wal_bytes": counter("rocksdb.wal_bytes"),
    "Rocksdb_wal_synced": counter("rocksdb.wal_fsyncs"),
    "Rocksdb_row_lock_deadlocks": counter("rocksdb.deadlocks"),
    "Rocksdb_row_lock_wait_timeouts": counter("rocksdb.row_lock_timeouts"),
    "Rocksdb_snapshot_conflict_errors": counter("rocksdb.snapshot_conflicts"),
    "wsrep_flow_control_paused_ns": counter("galera.flow_control_paused_s", NANOSECOND),
    "wsrep_flow_control_sent": counter("galera.flow_control_sent"),
    "wsrep_flow_control_recv": counter("galera.flow_control_received"),
    "wsrep_local_cert_failures": counter("galera.certification_failures"),
    "wsrep_local_bf_aborts": counter("galera.brute_force_aborts"),
    "wsrep_local_recv_queue": level("galera.receive_queue"),
    "wsrep_local_send_queue": level("galera.send_queue"),
    "wsrep_cluster_size": level("galera.cluster_size"),
}

_METRICS = {
    "lock_deadlocks": counter("innodb.deadlocks"),
    "trx_rseg_history_len": level("innodb.history_list_length"),
    "buffer_flush_sync_waits": counter("innodb.flush_sync_waits"),
}


def _quoted(names: dict[str, object]) -> str:
    return ", ".join(f"'{name}'" for name in names)


STATUS = Question(
    "status",
    f"SHOW GLOBAL STATUS WHERE Variable_name IN ({_quoted({**_STATUS})})",
    _STATUS,
)

WAITS = Question(
    "waits of the performance schema",
    "SELECT EVENT_NAME, SUM_TIMER_WAIT "
    "FROM performance_schema.events_waits_summary_global_by_event_name "
    "WHERE SUM_TIMER_WAIT > 0 AND EVENT_NAME <> 'idle' ORDER BY SUM_TIMER_WAIT DESC LIMIT 20",
    {},
    labelled=counter("mysql.wait[{}].s", PICOSECOND),
    only_where="SELECT @@performance_schema",
)

METRICS = Question(
    "INNODB_METRICS",
    "SELECT NAME, COUNT FROM information_schema.INNODB_METRICS "
    f"WHERE STATUS = 'enabled' AND NAME IN ({_quoted({**_METRICS})})",
    _METRICS,
)

CHECKPOINT_AGE = Question(
    "redo log status",
    "SELECT 'age', SUM(IF(VARIABLE_NAME = 'Innodb_redo_log_current_lsn', 1, -1) * VARIABLE_VALUE) "
    "FROM performance_schema.global_status WHERE VARIABLE_NAME IN "
    "('Innodb_redo_log_current_lsn', 'Innodb_redo_log_checkpoint_lsn')",
    {"age": level("innodb.checkpoint_age_bytes")},
    since=80030,
)

MARIADB_QUESTIONS = (STATUS, WAITS)
MYSQL_QUESTIONS = (STATUS, WAITS, METRICS, CHECKPOINT_AGE)
