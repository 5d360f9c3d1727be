"""A success of 100 % that a short run, or one without warm-up, says little about."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dbdyno.analysis.audit.model import AuditFinding, Code, Joined, Line
from dbdyno.results_table.model import Kind
from dbdyno.results_table.numbers import read_number

_WINDOW = re.compile(r"^(duration|window|run ?time|measured|测试时长|时长|dauer)", re.I)
_WARMUP = re.compile(r"warm.?up|ramp.?up|预热", re.I)
SHORTEST_S = 300.0
"""Shorter windows may end before the first checkpoint does."""


def check_window(joined: Joined) -> Iterator[AuditFinding]:
    """Yield a success without failures of short windows, or of windows without warm-up."""
    facts = joined.data.description.facts
    shares = [f.value for f in joined.data.figures if f.metric.kind is Kind.SUCCESS]
    is_full = facts.success_percent == 100 or (bool(shares) and all(s == 100 for s in shares))
    window_s = facts.window_s if facts.window_s is not None else _told_s(joined, _WINDOW)
    warmup_s = facts.warmup_s if facts.warmup_s is not None else _told_s(joined, _WARMUP)
    is_short = window_s is not None and window_s < SHORTEST_S
    if is_full and (is_short or warmup_s == 0):
        line = Line("window", window_s=window_s, warmup_s=warmup_s)
        yield AuditFinding(Code.SHORT_WINDOW, joined.data.name, (line,))


def _told_s(joined: Joined, pattern: re.Pattern[str]) -> float | None:
    """Return the shortest time of a column, in seconds; None where no column tells it."""
    found = []
    for each in joined.data.figures:
        for name, level in each.levels:
            number = read_number(level) if pattern.search(name) else None
            if number is not None:
                in_minutes = number.unit in ("m", "min") or re.search(r"min|分", name)
                found.append(number.value * (60 if in_minutes else 1))
    return min(found, default=None)
