"""Trials of TPC-C held against what can be required of them, wherever their figures come from.

A stored result and a run that has just ended are judged by the same rules. Input is judged by the
generator's facts, which count from the first interval of the warm-up to the end of the drain; all
else by the window.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from dbdyno._native import Histogram
from dbdyno.analysis.tpcc import requirements as required
from dbdyno.analysis.tpcc.model import Inapplicable, Requirement
from dbdyno.analysis.tpcc.options import active_warehouses, is_paced
from dbdyno.protocol.events import Facts
from dbdyno.protocol.workload_plan import TpccPlan
from dbdyno.times import merge_all, quantile_ms

SPECIFIED_ROLLBACK_PERCENT = 1.0


@dataclass(frozen=True)
class TrialFigures:
    """What one trial counted, by kind of transaction; rollbacks on purpose are among it.

    ``window`` counts in the window, ``whole`` from the first interval of the warm-up to the end of
    the drain. ``response`` has the response times of the window.
    """

    window_s: float
    window: Mapping[str, int]
    whole: Mapping[str, int]
    facts: Facts
    response: Mapping[str, Histogram]

    @property
    def new_orders_per_minute(self) -> float:
        """The throughput, whatever it may be called."""
        count = self.window.get(required.NEW_ORDER, 0)
        return 60 * count / self.window_s if self.window_s else 0.0


def requirements_of(
    trials: Sequence[TrialFigures], options: TpccPlan, *, is_partly_served: bool = False
) -> list[Requirement]:
    """Return all that can be required of trials of one cell, judged over them together.

    ``is_partly_served`` says that some transactions were never served, so that a percentile is a
    lower bound.
    """
    found = [
        *_input(trials, options),
        *_mix(trials),
        *_response(trials, is_partly_served=is_partly_served),
        _skipped(trials),
    ]
    if is_paced(options):
        found.append(_per_warehouse(trials, active_warehouses(options)))
    return found


def _counted(trials: Iterable[TrialFigures], kind: str) -> int:
    return sum(trial.window.get(kind, 0) for trial in trials)


def _input(trials: Sequence[TrialFigures], options: TpccPlan) -> list[Requirement]:
    found = []
    for wanted in required.INPUT_RANGES:
        wholes = [_whole(trial, wanted.fact) for trial in trials]
        observed = _pooled(trials, wanted.fact, wholes)
        reason = _not_applicable(wanted, options)
        found.append(required.input_requirement(wanted, observed, sum(wholes), reason))
    distances = [
        abs(int(c_last) - int(options.get("c_last_load", c_last)))
        for trial in trials
        if (c_last := trial.facts.get("c_last")) is not None
    ]
    return [*found, required.c_last_requirement(distances)] if distances else found


def _not_applicable(wanted: required.InputRange, options: TpccPlan) -> Inapplicable | None:
    if wanted.needs_others and options["warehouses"] == 1:
        return Inapplicable.ONE_WAREHOUSE
    percent = float(options.get("rollback_percent", SPECIFIED_ROLLBACK_PERCENT))
    if wanted.fact == "rollback_share" and percent != SPECIFIED_ROLLBACK_PERCENT:
        return Inapplicable.OTHER_SHARE
    return None


def _whole(trial: TrialFigures, fact: str) -> int:
    """Return of how many a fact is the share; lines are as many as orders have on average."""
    if fact in {"rollback_share", "lines_per_order", "remote_line_share"}:
        orders = int(trial.facts.get("new_orders") or 0)
        lines = float(trial.facts.get("lines_per_order") or 0.0)
        return round(orders * lines) if fact == "remote_line_share" else orders
    kind = required.ORDER_STATUS if fact.startswith("order_status") else required.PAYMENT
    return trial.whole.get(kind, 0)


def _pooled(trials: Sequence[TrialFigures], fact: str, wholes: Sequence[int]) -> float | None:
    """Return the share over all trials together, each with the weight that it has."""
    known = [
        (float(share), whole)
        for trial, whole in zip(trials, wholes, strict=True)
        if (share := trial.facts.get(fact)) is not None
    ]
    total = sum(whole for _, whole in known)
    return sum(share * whole for share, whole in known) / total if total else None


def _mix(trials: Sequence[TrialFigures]) -> list[Requirement]:
    kinds = [kind for kind in required.TITLES if kind != required.DELIVERY_DEFERRED]
    counts = {kind: _counted(trials, kind) for kind in kinds}
    total = sum(counts.values())
    return [required.mix_requirement(kind, count, total) for kind, count in counts.items()]


def _response(trials: Sequence[TrialFigures], *, is_partly_served: bool) -> list[Requirement]:
    found = []
    for kind in required.LIMITS_MS:
        histograms = (trial.response.get(kind) for trial in trials)
        merged = merge_all(histogram for histogram in histograms if histogram is not None)
        if not merged.count:
            continue
        p90_ms = quantile_ms(merged, 0.9) or 0.0
        found.append(
            required.response_requirement(
                kind, p90_ms, merged.count, is_partly_served=is_partly_served
            )
        )
    return found


def _skipped(trials: Sequence[TrialFigures]) -> Requirement:
    is_deferred = any(required.DELIVERY_DEFERRED in trial.whole for trial in trials)
    kind = required.DELIVERY_DEFERRED if is_deferred else required.DELIVERY
    wholes = [trial.whole.get(kind, 0) for trial in trials]
    share = _pooled(trials, "delivery_skipped_share", wholes)
    return required.skipped_requirement(share, sum(wholes))


def _per_warehouse(trials: Sequence[TrialFigures], warehouses: int) -> Requirement:
    per_minute = fmean(trial.new_orders_per_minute for trial in trials) / warehouses
    new_orders = _counted(trials, required.NEW_ORDER)
    return required.per_warehouse_requirement(per_minute, new_orders)
