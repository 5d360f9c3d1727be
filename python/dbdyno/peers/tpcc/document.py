"""A run as JSON: the same figures as in the text, in full."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from dbdyno import __version__
from dbdyno.peers.call.totals import KindTotals
from dbdyno.peers.tpcc.conformance import requirements
from dbdyno.peers.tpcc.kinds import count_finished, new_orders_per_minute
from dbdyno.peers.tpcc.run import Outcome
from dbdyno.times import asked_document, finite

PERCENTILES = (50.0, 90.0, 95.0, 99.0, 99.9)


def document(outcome: Outcome) -> dict[str, Any]:
    """Return the whole run as plain values, times in milliseconds where they say so."""
    request, totals = outcome.request, outcome.totals
    return {
        "dbdyno": __version__,
        "url": request.address.url,
        "options": dict(request.workload),
        "terminals": request.clients,
        "seed": request.seed,
        "status": None if outcome.end is None else outcome.end.status,
        "elapsed_s": totals.elapsed_s,
        "new_orders_per_minute": new_orders_per_minute(totals),
        "committed_new_orders_per_minute": totals.per_minute(totals.of("new_order").committed),
        "transactions": count_finished(totals),
        "statements": totals.statements,
        "round_trips": totals.round_trips,
        "generator_cpu_s": totals.generator_cpu_s,
        "transactions_per_s": totals.per_s(count_finished(totals)),
        "kinds": {kind: _kind(each) for kind, each in totals.kinds.items()},
        "errors": {name: asdict(error) for name, error in totals.errors.items()},
        "facts": outcome.facts,
        "ledger": outcome.ledger.to_dict(),
        **outcome.client_times().document(PERCENTILES),
        "requirements": [
            {
                "group": each.group.value,
                "name": each.name,
                "clause": each.clause,
                "unit": each.unit.value,
                "low": each.low,
                "high": each.high,
                "observed": each.observed,
                "standing": each.standing.value,
                "reason": each.reason or "",
            }
            for each in requirements(outcome)
        ],
    }


def _kind(each: KindTotals) -> dict[str, Any]:
    return {
        "committed": each.committed,
        "rolled_back": each.rolled_back,
        "failed": each.failed,
        "retries": each.retries,
        "response_ms": {
            "mean": each.mean_ms,
            "max": finite(each.max_ms),
            "percentiles": {f"{p:g}": finite(each.percentile_ms(p)) for p in PERCENTILES},
        },
        "asked_response_ms": asked_document(each.times, PERCENTILES),
    }
