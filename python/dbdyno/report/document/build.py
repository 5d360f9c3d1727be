"""From ``Findings`` to the document that every format of a report is written from."""

from __future__ import annotations

from collections.abc import Callable

from dbdyno.analysis.findings import Findings
from dbdyno.report.document.model import Section
from dbdyno.report.sections import (
    cost,
    limits,
    over_time,
    response_time,
    scaling,
    setup,
    steadiness,
    throughput,
)

_SECTIONS: tuple[Callable[[Findings], Section | None], ...] = (
    setup.section,
    throughput.section,
    over_time.section,
    response_time.section,
    scaling.section,
    cost.section,
    steadiness.section,
    limits.section,
)
"""In the order in which a reader sees them. A section that has nothing to say is None."""


def sections_by_id(findings: Findings) -> dict[str, Section | None]:
    """Return each section of a report by the name of its module; None where there is none."""
    return {build.__module__.rpartition(".")[2]: build(findings) for build in _SECTIONS}
