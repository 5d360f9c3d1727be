"""A cell's trials, or one of them alone, held against the specification.

Input is judged by the generator's facts, which count from the first interval of the warm-up to the
end of the drain; all else by what is stored of the window.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl

from dbdyno.analysis.estimates import mean_estimate
from dbdyno.analysis.findings import Estimate
from dbdyno.analysis.measured import FINISHED, Measured
from dbdyno.analysis.tpcc import requirements as required
from dbdyno.analysis.tpcc.model import Conformance, Requirement
from dbdyno.analysis.tpcc.options import Options, active_warehouses, is_paced, tpcc_options
from dbdyno.store.histograms import merge_all
from dbdyno.store.layout import Phase

SPECIFIED_ROLLBACK_PERCENT = 1.0


def conformance_of(
    trials: Sequence[Measured], *, is_partly_served: bool = False
) -> Conformance | None:
    """Return what trials of one cell conform to; None where they are not of TPC-C.

    ``is_partly_served`` says that some transactions were never served, so that a percentile is a
    lower bound.
    """
    options = tpcc_options(trials[0].trial.generator_plan) if trials else None
    if options is None:
        return None
    throughput = _per_minute(trials, FINISHED)
    warehouses = active_warehouses(options)
    found = [
        *_input(trials, options),
        *_mix(trials),
        *_response(trials, is_partly_served=is_partly_served),
        _skipped(trials),
    ]
    if is_paced(options):
        found.append(_per_warehouse(trials, throughput.mean / warehouses))
    return Conformance(
        is_paced=is_paced(options),
        warehouses=warehouses,
        new_orders_per_minute=throughput,
        committed_per_minute=_per_minute(trials, ("committed",)),
        requirements=tuple(found),
        trials=tuple(measured.number for measured in trials),
    )


def _counted(
    measured: Measured,
    kinds: Iterable[str],
    counters: Iterable[str] = FINISHED,
    *,
    window_only: bool = True,
) -> int:
    """Sum up counters of some kinds, in the window or over the whole trial."""
    rows = measured.trial.intervals.filter(pl.col("transaction").is_in(list(kinds)))
    if window_only:
        rows = rows.filter(phase=Phase.WINDOW)
    return sum(int(rows[counter].sum()) for counter in counters)


def _per_minute(trials: Sequence[Measured], counters: Sequence[str]) -> Estimate:
    rates = [
        60 * _counted(measured, [required.NEW_ORDER], counters) / measured.window_s
        if measured.window_s
        else 0.0
        for measured in trials
    ]
    return mean_estimate(np.array(rates))


def _input(trials: Sequence[Measured], options: Options) -> list[Requirement]:
    found = []
    for wanted in required.INPUT_RANGES:
        wholes = [_whole(measured, wanted.fact) for measured in trials]
        observed = _pooled(trials, wanted.fact, wholes)
        reason = _not_applicable(wanted, options)
        found.append(required.input_requirement(wanted, observed, sum(wholes), reason))
    distances = [
        abs(int(c_last) - int(options.get("c_last_load", c_last)))
        for measured in trials
        if (c_last := _fact(measured, "c_last")) is not None
    ]
    return [*found, required.c_last_requirement(distances)] if distances else found


def _not_applicable(wanted: required.InputRange, options: Options) -> str:
    if wanted.needs_others and options["warehouses"] == 1:
        return "there is one warehouse"
    percent = float(options.get("rollback_percent", SPECIFIED_ROLLBACK_PERCENT))
    if wanted.fact == "rollback_share" and percent != SPECIFIED_ROLLBACK_PERCENT:
        return f"{percent:g} % were asked for"
    return ""


def _fact(measured: Measured, name: str) -> float | str | None:
    fact: float | str | None = measured.trial.end.get("facts", {}).get(name)
    return fact


def _whole(measured: Measured, fact: str) -> int:
    """Return of how many a fact is the share; lines are as many as orders have on average."""
    if fact in {"rollback_share", "lines_per_order", "remote_line_share"}:
        orders = int(_fact(measured, "new_orders") or 0)
        lines = float(_fact(measured, "lines_per_order") or 0.0)
        return round(orders * lines) if fact == "remote_line_share" else orders
    kind = required.ORDER_STATUS if fact.startswith("order_status") else required.PAYMENT
    return _counted(measured, [kind], window_only=False)


def _pooled(trials: Sequence[Measured], fact: str, wholes: Sequence[int]) -> float | None:
    """Return the share over all trials together, each with the weight that it has."""
    known = [
        (float(share), whole)
        for measured, whole in zip(trials, wholes, strict=True)
        if (share := _fact(measured, fact)) is not None
    ]
    total = sum(whole for _, whole in known)
    return sum(share * whole for share, whole in known) / total if total else None


def _mix(trials: Sequence[Measured]) -> list[Requirement]:
    kinds = [kind for kind in required.TITLES if kind != required.DELIVERY_DEFERRED]
    counts = {kind: sum(_counted(measured, [kind]) for measured in trials) for kind in kinds}
    total = sum(counts.values())
    return [required.mix_requirement(kind, count, total) for kind, count in counts.items()]


def _response(trials: Sequence[Measured], *, is_partly_served: bool) -> list[Requirement]:
    found = []
    for kind in required.LIMITS_MS:
        histograms = (measured.trial.histograms.get((kind, "response")) for measured in trials)
        merged = merge_all(histogram for histogram in histograms if histogram is not None)
        if not merged.count:
            continue
        p90_ns = merged.quantile_ns(0.9)
        p90_ms = math.inf if p90_ns is None else p90_ns / 1e6
        found.append(
            required.response_requirement(
                kind, p90_ms, merged.count, is_partly_served=is_partly_served
            )
        )
    return found


def _skipped(trials: Sequence[Measured]) -> Requirement:
    kinds = {kind for measured in trials for kind in measured.transactions}
    is_deferred = required.DELIVERY_DEFERRED in kinds
    kind = required.DELIVERY_DEFERRED if is_deferred else required.DELIVERY
    wholes = [_counted(measured, [kind], window_only=False) for measured in trials]
    share = _pooled(trials, "delivery_skipped_share", wholes)
    return required.skipped_requirement(share, sum(wholes))


def _per_warehouse(trials: Sequence[Measured], per_minute: float) -> Requirement:
    new_orders = sum(_counted(measured, [required.NEW_ORDER]) for measured in trials)
    return required.per_warehouse_requirement(per_minute, new_orders)
