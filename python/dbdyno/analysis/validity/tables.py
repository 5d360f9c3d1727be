"""Checks of how tables are defined, and of what the server knows of them.

A check takes a measured trial and returns its evidence, or None where all is well or not known.
"""

from __future__ import annotations

from dbdyno.analysis.evidence import Clauses, Evidence
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.analysis.interval_counts import FINISHED
from dbdyno.analysis.window_totals import WindowTotals

STALE_FACTOR = 2.0
"""An estimate from a few pages may be off by some tenths, but not by that."""
ROWS_MIN = 1000
"""Of fewer rows any plan is a good one."""
SCANNED_PER_TRANSACTION_MIN = 1000
"""Tables of a few pages are scanned on purpose, and have fewer rows; a larger one is not."""
TABLES_NAMED = 3
COMPRESSION_RATIO_MIN = 5.0
"""Texts and records become two to four times smaller, and random letters hardly at all."""


def constraints_not_checked(measured: WindowTotals) -> Clauses:
    """Find constraints that the tables have and that sessions like the load's do not check."""
    schema = measured.trial.dataset.table_schema
    foreign_keys = unique_indexes = 0
    for each in schema.definitions:
        foreign_keys += len(each.tables) * len(each.foreign_keys)
        unique_indexes += len(each.tables) * sum(key.startswith("unique ") for key in each.keys)
    found = []
    if foreign_keys and schema.checks_foreign_keys is False:
        found.append(Evidence(EvidenceKind.FOREIGN_KEYS_NOT_CHECKED, count=foreign_keys))
    if unique_indexes and schema.checks_unique_keys is False:
        found.append(Evidence(EvidenceKind.UNIQUE_NOT_CHECKED, count=unique_indexes))
    return tuple(found)


def statistics_missing(measured: WindowTotals) -> Clauses | None:
    """Find tables of which the optimizer knew nothing, or far too few or too many rows."""
    dataset = measured.trial.dataset
    missing = dataset.statistics.missing
    if missing:
        tables = missing[:TABLES_NAMED]
        more = len(missing) - len(tables)
        found = Evidence(EvidenceKind.STATISTICS_MISSING, tables=tables)
        return (found, Evidence(EvidenceKind.MORE, count=more)) if more else (found,)
    known, rows = dataset.statistics.rows, None if dataset.logical is None else dataset.logical.rows
    if known is None or rows is None or max(known, rows) < ROWS_MIN:
        return None
    if known * STALE_FACTOR >= rows and known <= rows * STALE_FACTOR:
        return None
    return (Evidence(EvidenceKind.STATISTICS_STALE, estimated=known, rows=rows),)


def full_scans(measured: WindowTotals) -> Clauses | None:
    """Find transactions that read many rows without an index, by the server's own count."""
    by_table = measured.trial.dataset.scans.by_table
    ended = sum(counted[name] for counted in measured.counts.whole.values() for name in FINISHED)
    scanned = sum(by_table.values())
    if not ended or scanned < SCANNED_PER_TRANSACTION_MIN * ended:
        return None
    worst = max(by_table, key=lambda name: by_table[name])
    found = Evidence(EvidenceKind.SCANNED_ROWS, scanned=scanned, rows=round(scanned / ended))
    if not worst:
        return (found,)
    share = by_table[worst] / scanned
    return found, Evidence(EvidenceKind.SCANNED_TABLE, table=worst, rows_share=share)


def compressible(measured: WindowTotals) -> Evidence | None:
    """Find values that compress far better than real ones: one letter repeated, blanks."""
    found = measured.trial.dataset.compression
    if found.ratio is None or found.ratio < COMPRESSION_RATIO_MIN:
        return None
    return Evidence(
        EvidenceKind.COMPRESSIBLE, sample_bytes=found.sample_bytes, ratio=round(found.ratio, 1)
    )
