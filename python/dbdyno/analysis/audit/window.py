"""A success of 100 % that a short run, or one without warm-up, says little about."""

from __future__ import annotations

from collections.abc import Iterator

from dbdyno.analysis.audit.model import AuditFinding, Code, Joined, Line
from dbdyno.results_table.model import Kind

SHORTEST_S = 300.0
"""Shorter windows may end before the first checkpoint does."""


def check_window(joined: Joined) -> Iterator[AuditFinding]:
    """Yield a success without failures of short windows, or of windows without warm-up."""
    facts = joined.data.description.facts
    shares = [f.value for f in joined.data.figures if f.metric.kind is Kind.SUCCESS]
    stated = facts.success_percent if facts.success_percent is not None else None
    is_full = stated == 100 or (bool(shares) and all(share == 100 for share in shares))
    is_short = facts.window_s is not None and facts.window_s < SHORTEST_S
    is_cold = facts.warmup_s == 0
    if is_full and (is_short or is_cold):
        line = Line("window", window_s=facts.window_s, warmup_s=facts.warmup_s)
        yield AuditFinding(Code.SHORT_WINDOW, joined.data.name, (line,))
