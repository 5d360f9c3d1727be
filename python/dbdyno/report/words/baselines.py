"""Which baselines a report has that are not the experiment's own."""

from __future__ import annotations

from dbdyno.analysis.findings import Findings
from dbdyno.report.language import listed, say, sentences


def baselines_line(findings: Findings) -> str:
    """Return which baselines were chosen for this report; "" where none was."""
    planned = findings.planned_baselines
    if not planned:
        return ""
    chosen = {factor.name: factor.baseline_level for factor in findings.factors}
    return sentences(
        [
            say(
                "{chosen}, chosen for this report; the experiment has {planned}.",
                chosen=listed(f"{name}={chosen[name]}" for name in planned),
                planned=listed(f"{name}={level}" for name, level in planned.items()),
            ),
            say("Verdicts of reports with different baselines are not corrected for each other."),
        ]
    )
