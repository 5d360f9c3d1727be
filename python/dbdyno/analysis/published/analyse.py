"""Published tables → what a report shows of them beside an experiment's own findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dbdyno.analysis.audit.audit import audit
from dbdyno.analysis.audit.join import join_tables
from dbdyno.analysis.compare.metric import (
    RESPONSE_P50,
    RESPONSE_P95,
    RESPONSE_P99,
    THROUGHPUT,
    Metric,
)
from dbdyno.analysis.findings import Findings
from dbdyno.analysis.imported.analyse import analyse_evidence
from dbdyno.analysis.published.model import NoRatios, PublishedSource, PublishedTable
from dbdyno.analysis.published.ratios import ratio_pairs
from dbdyno.analysis.published.stated import stated_of
from dbdyno.analysis.published.translated import TranslatedCell, translated_cells
from dbdyno.published.model import PublishedTables
from dbdyno.results_table.evidence import to_evidence
from dbdyno.results_table.model import ResultsTable


def analyse_published(
    sources: Sequence[PublishedTables], own: Findings
) -> tuple[PublishedSource, ...]:
    """Return all sources with their tables; ``own`` is what this experiment has found."""
    return tuple(
        PublishedSource(
            each.source,
            tuple(
                replace(_table(joined.data, each, own), stated=stated_of(joined))
                for joined in join_tables(each.tables)
            ),
            audit(each.tables),
        )
        for each in sources
    )


def _table(table: ResultsTable, source: PublishedTables, own: Findings) -> PublishedTable:
    told = analyse_evidence(to_evidence(table))
    found = PublishedTable(table.path.stem, told)
    known = {factor.name for factor in own.factors}
    matched = {name: each for name, each in source.match.items() if each.factor in known}
    if not matched:
        return _without(found, NoRatios.STAND_INS if own.is_stand_in else NoRatios.NO_MATCH)
    if own.is_smoke:
        return _without(found, NoRatios.SMOKE)
    metrics = _metrics(told, own)
    if not metrics:
        return _without(found, NoRatios.UNLIKE_MEASURES)
    cells = translated_cells(told, matched, source.at, own.factors)
    ratios = tuple(pair for metric in metrics for pair in ratio_pairs(metric, cells, own))
    if not ratios:
        return _without(found, NoRatios.NO_LEVELS)
    used = {factor for cell in cells for factor in cell.levels}
    return PublishedTable(
        found.name,
        told,
        ratios,
        unmatched_columns=_unmatched_columns(
            [cell for cell in cells if any(cell.by_round(metric) for metric in metrics)]
        ),
        unmatched_factors=tuple(
            factor.name
            for factor in own.factors
            if factor.name not in used and len(factor.levels) > 1
        ),
    )


def _unmatched_columns(cells: Sequence[TranslatedCell]) -> tuple[str, ...]:
    """Return the columns that stand for no factor, and vary among cells that have a figure."""
    levels: dict[str, set[str]] = {}
    for name, level in (each for cell in cells for each in cell.rest):
        levels.setdefault(name, set()).add(level)
    return tuple(name for name, known in levels.items() if len(known) > 1)


def _without(table: PublishedTable, why: NoRatios) -> PublishedTable:
    return PublishedTable(table.name, table.findings, why_not=why)


def _metrics(told: Findings, own: Findings) -> list[Metric]:
    """Return what both have measured in the same way.

    Published times count from when a transaction was sent. Those here count from when it was due,
    which is the same only where clients wait for nothing else. Of TPC-C's kinds nobody knows which
    a published percentile is of.
    """
    if told.measure.code is not own.measure.code:
        return []
    always_asks = all(cell.always_asks for cell in own.cells)
    is_of_all = own.measure.kind is None and always_asks
    return [THROUGHPUT, *((RESPONSE_P50, RESPONSE_P95, RESPONSE_P99) if is_of_all else ())]
