"""Checks of how tables are defined, and of what the server knows of them.

A check takes a measured trial and returns its evidence, or None where all is well or not known.
"""

from __future__ import annotations

from dbdyno.analysis.evidence import Clauses, Evidence
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.analysis.window_totals import WindowTotals


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
