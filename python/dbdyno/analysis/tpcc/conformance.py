"""A cell's trials as they are stored, or one of them alone, held against the specification."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dbdyno.analysis.estimates import geometric_mean
from dbdyno.analysis.findings import Estimate
from dbdyno.analysis.interval_counts import FINISHED, ByKind
from dbdyno.analysis.tpcc.figures import TrialFigures, requirements_of
from dbdyno.analysis.tpcc.model import Conformance
from dbdyno.analysis.tpcc.options import active_warehouses, is_paced
from dbdyno.analysis.tpcc.requirements import NEW_ORDER
from dbdyno.analysis.window_totals import WindowTotals


def conformance_of(
    trials: Sequence[WindowTotals],
    of_mean: Sequence[WindowTotals] | None = None,
    *,
    is_partly_served: bool = False,
) -> Conformance | None:
    """Return what trials of one cell conform to; None where they are not of TPC-C.

    ``of_mean`` are those that means of throughput are taken over, all where it is None.
    ``is_partly_served`` says that some transactions were never served, so that a percentile is a
    lower bound.
    """
    options = trials[0].trial.generator_plan.tpcc if trials else None
    if options is None:
        return None
    figures = [_figures(measured) for measured in trials]
    found = requirements_of(figures, options, is_partly_served=is_partly_served)
    return Conformance(
        is_paced=is_paced(options),
        warehouses=active_warehouses(options),
        new_orders_per_minute=_per_minute(trials if of_mean is None else of_mean, FINISHED),
        committed_per_minute=_per_minute(trials if of_mean is None else of_mean, ("committed",)),
        requirements=tuple(found),
        trials=tuple(measured.number for measured in trials),
    )


def _figures(measured: WindowTotals) -> TrialFigures:
    return TrialFigures(
        window_s=measured.window_s,
        window=_counts(measured.counts.window, FINISHED),
        whole=_counts(measured.counts.whole, FINISHED),
        facts=measured.trial.facts,
        response=measured.times("response"),
    )


def _counts(by_kind: ByKind, counters: Sequence[str]) -> Mapping[str, int]:
    """Sum up counters by kind of transaction."""
    return {kind: sum(counted[name] for name in counters) for kind, counted in by_kind.items()}


def _per_minute(trials: Sequence[WindowTotals], counters: Sequence[str]) -> Estimate:
    rates = []
    for measured in trials:
        count = _counts(measured.counts.window, counters).get(NEW_ORDER, 0)
        rates.append(60 * count / measured.window_s if measured.window_s else 0.0)
    return geometric_mean(np.array(rates))
