"""Words of what servers did, and of what is in their tables."""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno.analysis.evidence import Evidence, Figure
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.analysis.tpcc.model import Group, Requirement, Unit
from dbdyno.report.language import message, messages
from dbdyno.report.words.evidence.writers import Words
from dbdyno.report.words.tpcc import in_words


def _requirement(evidence: Evidence) -> str:
    requirement = Requirement(
        group=Group(str(evidence["group"])),
        name=str(evidence["name"]),
        unit=Unit(str(evidence["unit"])),
        clause="",
        count=0,
        low=_number(evidence["low"]),
        high=_number(evidence["high"]),
        observed=_number(evidence["observed"]),
    )
    return in_words(requirement)


def _number(value: Figure) -> float | None:
    return value if isinstance(value, int | float) else None


WORDS: Mapping[EvidenceKind, Words] = {
    EvidenceKind.KILLED: messages("{count} process killed", "{count} processes killed"),
    EvidenceKind.KILLED_IN_SHARED_GROUP: messages(
        "{count} process killed in the control group that the server was in, which others may "
        "share",
        "{count} processes killed in the control group that the server was in, which others may "
        "share",
    ),
    EvidenceKind.NO_MEMORY_LIMIT: message(
        "the group has no limit, so that the machine was short of memory"
    ),
    EvidenceKind.MEMORY_LIMIT: message("the memory limit was {limit_bytes}"),
    EvidenceKind.SERVER_THROTTLED: message(
        "it had to wait in {throttled} of {periods} periods, {waited_s} s in all"
    ),
    EvidenceKind.BOTH_THROTTLED: message(
        "both had to wait in {throttled} of {periods} periods, {waited_s} s in all"
    ),
    EvidenceKind.CPU_LIMIT: message("at a limit of {limit_cores} CPUs"),
    EvidenceKind.HOT_ROWS: message(
        "distribution {distribution}: 1 % of the rows got {accesses_share} of the accesses"
    ),
    EvidenceKind.IN_MEMORY: message(
        "{tables_bytes} of tables, {buffer_pool_bytes} of cache for them in the server"
    ),
    EvidenceKind.CACHES_NOT_SET: message("caches: {condition}; {reason}"),
    EvidenceKind.NOT_COMPLETE: message("the tables are not complete"),
    EvidenceKind.ADJUSTED: message("{setting}={asked} was asked for, the server has {value}"),
    EvidenceKind.NO_SUCH_SETTING: message(
        "{setting}={asked} was asked for, the server has no such setting"
    ),
    EvidenceKind.TERMINALS: messages(
        "{clients} terminals on {count} warehouse", "{clients} terminals on {count} warehouses"
    ),
    EvidenceKind.BRANCHES: message(
        "{clients} clients at scale {scale}: each updates one of {scale} branches"
    ),
    EvidenceKind.TABLES_GREW: message("from {before_bytes} to {after_bytes}"),
    EvidenceKind.POSTGRESQL_CHECKPOINTS: messages(
        "{count} checkpoint of PostgreSQL in {window_s} s",
        "{count} checkpoints of PostgreSQL in {window_s} s",
    ),
    EvidenceKind.REDO_WRITTEN: message(
        "{written_bytes} of redo written, and the log has room for {room_bytes}"
    ),
    EvidenceKind.HISTORY_LIST: message(
        "the history list had {first} entries at first and {last} at last"
    ),
    EvidenceKind.FOREIGN_KEYS_NOT_CHECKED: messages(
        "{count} foreign key is not checked", "{count} foreign keys are not checked"
    ),
    EvidenceKind.UNIQUE_NOT_CHECKED: messages(
        "{count} unique index is not checked for rows outside of the buffer pool",
        "{count} unique indexes are not checked for rows outside of the buffer pool",
    ),
    EvidenceKind.STATISTICS_MISSING: message("no statistics of {tables}"),
    EvidenceKind.STATISTICS_STALE: message(
        "the optimizer takes the tables to have {estimated} rows, and they have {rows}"
    ),
    EvidenceKind.SCANNED_ROWS: message(
        "{scanned} rows were read by full scans, {rows} for each transaction"
    ),
    EvidenceKind.SCANNED_TABLE: message("{rows_share} of them of {table}"),
    EvidenceKind.COMPRESSIBLE: message(
        "a sample of {sample_bytes} becomes {ratio} times smaller (zlib)"
    ),
    EvidenceKind.LOCK_WAITS: message(
        "{clients} clients slept {waits} times, for {waited_share} of their time (journal_mode "
        "{journal_mode}, synchronous {synchronous})"
    ),
    EvidenceKind.DELETES_WITHOUT_ROWS: message(
        "{without_rows} of {deletes} deletes ({deletes_share})"
    ),
    EvidenceKind.STATEMENTS_WITHOUT_ROWS: message(
        "{without_rows} of {statements} SELECT and UPDATE statements ({statements_share})"
    ),
    EvidenceKind.REQUIREMENT: _requirement,
    EvidenceKind.MORE_CELLS: messages("and {count} more cell", "and {count} more cells"),
}
