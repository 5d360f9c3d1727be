"""The severities of warnings in words, the gravest first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dbdyno.analysis.findings import Severity
from dbdyno.report.language import message


@dataclass(frozen=True)
class SeverityWords:
    """Messages: the heading of all warnings of a severity, and what they mean for the figures."""

    heading: str
    meaning: str


SEVERITIES: Mapping[Severity, SeverityWords] = {
    Severity.INVALID: SeverityWords(
        message("Invalid trials"),
        message("The trials named here are not used in any figure."),
    ),
    Severity.WARNING: SeverityWords(
        message("Figures to read with care"),
        message("These qualify what the figures mean."),
    ),
    Severity.NOTE: SeverityWords(
        message("Notes"),
        message("Good to know. They put no verdict in doubt."),
    ),
}
