"""Whose a trial is where two results are shown as one: numbers of the other one begin at 1001."""

from __future__ import annotations

from dbdyno.analysis.findings import Findings
from dbdyno.report.language import say


def numbers_line(findings: Findings) -> str:
    """Return which trials are those of the other result; "" where there are no two.

    ``analysis.joined`` has put a 1 before their numbers, and zeros between.
    """
    if not findings.is_of_two_results or findings.imported is not None:
        return ""
    factor = next(each for each in findings.factors if not each.is_paired)
    other = factor.levels[-1]
    numbers = [each.number for each in findings.trials if each.cell.level(factor.name) == other]
    if not numbers:
        return ""
    first = min(numbers)
    shift = 10 ** (len(str(first)) - 1)
    return say(
        "Trials from {shift} on are those of {other}: {first} is its trial {own}.",
        shift=str(shift),
        other=other,
        first=str(first),
        own=str(first - shift),
    )
