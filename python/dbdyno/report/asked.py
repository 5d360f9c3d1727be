"""Response times of all that were asked for, where some failed and are in no other percentile."""

from __future__ import annotations

from collections.abc import Iterator

from dbdyno.analysis.findings import CellSummary, Findings
from dbdyno.report import figures
from dbdyno.report.grammar import cell_label, transaction_in_words
from dbdyno.report.language import say
from dbdyno.store.layout import overall_key


def lines(findings: Findings) -> Iterator[str]:
    """Yield a line for each cell in which something failed; none otherwise."""
    for cell in findings.cells:
        if cell.failed_response:
            yield _line(cell, _kind(cell, findings))


def _kind(cell: CellSummary, findings: Findings) -> str:
    """Return the kind that throughput is of, or all together where none of that kind failed."""
    kind = findings.measure.kind
    if kind in cell.asked_response:
        return kind
    return overall_key(list(cell.response)) if cell.response else next(iter(cell.asked_response))


def _line(cell: CellSummary, kind: str) -> str:
    failed, asked = cell.failed_response[kind], cell.asked_response[kind]
    done = cell.response.get(kind)
    values = {
        "cell": cell_label(cell.cell),
        "failed": figures.count(failed.count),
        "transaction": transaction_in_words(kind),
        "p95": figures.milliseconds(asked.p95_ms),
        "p99": figures.milliseconds(asked.p99_ms),
        "longest": figures.milliseconds(asked.max_ms),
    }
    if done is None:
        return say(
            "{cell}: {failed} failed ({transaction}), which no other percentile includes. Of all "
            "that were asked for, p95 is {p95} ms and p99 {p99} ms; the longest took {longest} ms.",
            **values,
        )
    return say(
        "{cell}: {failed} failed ({transaction}), which no other percentile includes. Of all that "
        "were asked for, p95 is {p95} ms and p99 {p99} ms, against a p99 of {done} ms without "
        "them; the longest took {longest} ms.",
        done=figures.milliseconds(done.p99_ms),
        **values,
    )
