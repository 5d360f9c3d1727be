"""Cells as analysis sums them up, with nothing in them but what comparisons look at."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dbdyno.analysis.compare.metric import MetricName
from dbdyno.analysis.estimates import geometric_mean
from dbdyno.analysis.findings import CellSummary, Findings, Percentiles
from dbdyno.experiment.plan import Cell, FactorLevels

JOURNAL = FactorLevels("journal_mode", ("delete", "wal"), "server.journal_mode")
CLIENTS = FactorLevels("clients", ("1", "4", "16"), "load.clients")
WAL = Cell((("journal_mode", "wal"), ("clients", "1")))
DELETE = Cell((("journal_mode", "delete"), ("clients", "1")))


def summary(
    cell: Cell,
    by_round: Mapping[int, float],
    *,
    offered_per_s: float | None = None,
    kept_up: bool = True,
    p99_ms: float = 3.0,
    values: Mapping[MetricName, Mapping[int, float]] | None = None,
    resolution: Mapping[MetricName, float] | None = None,
) -> CellSummary:
    return CellSummary(
        cell=cell,
        throughput_per_s=geometric_mean(np.array(list(by_round.values()))),
        throughput_by_round=tuple(by_round.items()),
        rounds=tuple(by_round),
        coefficient_of_variation=None,
        response={"sbtest": Percentiles(1.0, 1.0, 1.0, p99_ms, 9.0, 9.0, 400)},
        service={},
        lag={},
        committed=0,
        rolled_back=0,
        failed=0,
        dropped=0,
        retries=0,
        first_attempt_abort_share=0.0,
        statements_per_transaction=0.0,
        window_s=0.0,
        series=(),
        offered_per_s=offered_per_s,
        kept_up=kept_up,
        always_asks=offered_per_s is None,
        values_by_round={metric: tuple(known.items()) for metric, known in (values or {}).items()},
        resolution=resolution or {},
    )


def findings_of(*cells: CellSummary) -> Findings:
    return Findings(
        experiment="e",
        question="?",
        factors=(JOURNAL,),
        rounds=3,
        cells=cells,
        compared=(),
        warnings=(),
    )
