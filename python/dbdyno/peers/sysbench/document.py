"""The summary of a run as JSON: the same figures as in the text, in full."""

from __future__ import annotations

from dbdyno import __version__
from dbdyno.ledger import Evidence
from dbdyno.peers.sysbench.request import Request
from dbdyno.peers.sysbench.totals import Totals
from dbdyno.protocol.events import End
from dbdyno.times import asked_document, finite


def document(
    request: Request,
    totals: Totals,
    end: End,
    ledger: Evidence,
    warning: str | None = None,
) -> dict[str, object]:
    """Return the whole run as plain values, times in milliseconds where they say so."""
    counted = totals if request.compatible else totals.without_zero_row_writes()
    response = counted.times.done
    wanted = [float(p) for p in (request.shown.percentile, *request.shown.percentiles) if p]
    mean, deviation, mean_s, deviation_s = counted.fairness
    return {
        "dbdyno": __version__,
        "behaviour": request.behaviour,
        "script": request.script,
        "url": request.address.url,
        "threads": request.clients,
        "seed": request.seed,
        "options": request.workload,
        "elapsed_s": end.elapsed_s - request.warmup_s,
        "transactions": counted.transactions,
        "transactions_per_s": counted.per_s(counted.transactions),
        "statements": {
            "read": counted.read,
            "write": counted.write,
            "other": counted.other,
            "unchanged": totals.unchanged,
            "total": counted.statements,
        },
        "ignored_errors": counted.ignored_errors,
        "reconnects": counted.reconnects,
        "dropped": counted.dropped,
        "response_ms": {
            "min": response.min_ns / 1e6,
            "mean": counted.sum_ms / max(1, counted.transactions),
            "max": finite(counted.percentile_ms(100)),
            "sum": counted.sum_ms,
            "percentiles": {f"{p:g}": finite(counted.percentile_ms(p)) for p in wanted},
        },
        "failed": counted.failed,
        "asked_response_ms": asked_document(counted.times, wanted),
        "fairness": {
            "transactions": {"mean": mean, "stddev": deviation},
            "busy_s": {"mean": mean_s, "stddev": deviation_s},
        },
        "warning": warning,
        "facts": end.facts,
        "ledger": ledger.to_dict(),
    }
