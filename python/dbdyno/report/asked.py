"""Response times of all that were asked for, where some failed and are in no other percentile."""

from __future__ import annotations

from collections.abc import Iterator

from dbdyno.analysis.findings import CellSummary, Findings
from dbdyno.report import figures
from dbdyno.report.grammar import transaction_in_words
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
    beside = f" against {figures.milliseconds(done.p99_ms)} ms without them" if done else ""
    return (
        f"{cell.cell.label()}: {figures.count(failed.count)} failed ({transaction_in_words(kind)}) "
        f"and are in no percentile above. Of all that were asked for, p95 is "
        f"{figures.milliseconds(asked.p95_ms)} ms and p99 {figures.milliseconds(asked.p99_ms)} ms"
        f"{beside}; the longest took {figures.milliseconds(asked.max_ms)} ms."
    )
