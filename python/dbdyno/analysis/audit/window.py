"""A success of 100 % that a short run, or one without warm-up, says little about."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dbdyno.analysis.audit.model import AuditFinding, Code, Joined, Line
from dbdyno.results_table.model import Kind

_WINDOW = re.compile(
    r"^(test |run |measure\w* )?(duration|window|interval|length|time)\b|^run ?time|^measured"
    r"|时长|(测试|运行|压测)时间|^((mess|test|lauf)?dauer|laufzeit)",
    re.I,
)
_WARMUP = re.compile(r"warm.?up|ramp.?up|预热", re.I)
_TIME = re.compile(r"(\d+(?:[.,]\d+)?)\s*(h|std|小时|m(?!s)|分|s|秒)?", re.I)
_THOUSANDS = re.compile(r"(?<=\d)[,.' ](?=\d{3}(\D|$))")
_HOURS = re.compile(r"hour|\bh\b|小时|stunden?", re.I)
_MINUTES = re.compile(r"min|分", re.I)
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
            is_warm_up = _WARMUP.search(name) is not None
            fits = pattern.search(name) and is_warm_up == (pattern is _WARMUP)
            if fits and (parts := _TIME.findall(_THOUSANDS.sub("", level))):
                found.append(sum(float(n.replace(",", ".")) * _scale(u, name) for n, u in parts))
    return min(found, default=None)


def _scale(unit: str, name: str) -> float:
    """Return the seconds of a unit: the one behind the number, or else that of the heading."""
    if unit:
        return {"h": 3600.0, "std": 3600.0, "小时": 3600.0, "m": 60.0, "分": 60.0}.get(
            unit.lower(), 1.0
        )
    return 3600.0 if _HOURS.search(name) else 60.0 if _MINUTES.search(name) else 1.0
