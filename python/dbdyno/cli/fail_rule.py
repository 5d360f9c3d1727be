"""Rules as they are written on the command line: ``p95 worse by 5 %``, ``… by at least 5 %``."""

from __future__ import annotations

import re

from dbdyno.analysis.compare.metric import (
    RESPONSE_P50,
    RESPONSE_P95,
    RESPONSE_P99,
    THROUGHPUT,
    VARIATION,
)
from dbdyno.analysis.regression.rule import FailRule
from dbdyno.errors import InputError

METRICS = {
    "throughput": THROUGHPUT,
    **dict.fromkeys(("tps", "nopm", "tpmc"), THROUGHPUT),
    "p50": RESPONSE_P50,
    "p95": RESPONSE_P95,
    "p99": RESPONSE_P99,
    "variation": VARIATION,
}
"""What a rule may be about, by the words for it."""
SHOWN_METRICS = ("throughput", "p50", "p95", "p99", "variation")

_WORSE_WORDS = {"worse", "regresses"}
_LESS_WORDS = {"lower", "less", "smaller", "slower"}
_MORE_WORDS = {"higher", "more", "larger", "longer"}

_RULE = re.compile(
    r"\s*(?P<metric>[\w.]+)\s+(?:is\s+)?(?P<word>\w+)"
    r"(?:\s+(?:by|than|by\s+more\s+than|(?P<whole>by\s+at\s+least))?\s*(?P<amount>[\d.]+)\s*%?)?\s*",
    re.ASCII,
)


def parse_rule(text: str) -> FailRule:
    """Return the rule that a text says; InputError with what would be right."""
    match = _RULE.fullmatch(text)
    if match is None:
        raise InputError(f"--fail-if {text!r}: must be like 'p95 worse by 5 %'")
    metric = METRICS.get(match["metric"].lower())
    if metric is None:
        known = ", ".join(SHOWN_METRICS)
        raise InputError(f"--fail-if {text!r}: {match['metric']} is no figure; known: {known}")
    bad_words = _WORSE_WORDS | (_LESS_WORDS if metric.more_is_better else _MORE_WORDS)
    if match["word"].lower() not in bad_words:
        right = f"{match['metric']} worse by {match['amount'] or 5} %"
        raise InputError(f"--fail-if {text!r}: a rule names what is worse, as in {right!r}")
    percent = _percent(text, match["amount"])
    return FailRule(" ".join(text.split()), metric, percent, match["whole"] is not None)


def _percent(text: str, amount: str | None) -> float:
    try:
        percent = float(amount or 0)
    except ValueError:
        raise InputError(f"--fail-if {text!r}: {amount} is no number") from None
    if percent >= 1000:
        raise InputError(f"--fail-if {text!r}: the amount must be less than 1000 %")
    return percent
