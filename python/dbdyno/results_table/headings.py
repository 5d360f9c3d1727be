"""What the name of a column says: metric, load, round, subject, claim."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dbdyno.results_table.model import ClaimForm, Kind, Role, Summary
from dbdyno.results_table.numbers import plain_text
from dbdyno.results_table.vocabulary import (
    CHANGE_SIDES,
    CLAIM,
    CLAIM_WORDS,
    EFFICIENCY,
    FACTOR,
    INNER_UNIT,
    LOAD_LEVEL,
    MEAN_OF,
    METRIC_PATTERNS,
    NO_CLAIM,
    PATTERNS,
    PERCENT,
    PERCENTILE,
    POINTS,
    RATIO,
    REDUCTION,
    RESPONSE,
    ROUND,
    SIDES,
    SPEED_UP,
    STATISTICS,
    SUMMARY_PATTERNS,
    UNIT,
)

MS_PER_UNIT = {
    **dict.fromkeys(("ms", "毫秒", "ミリ秒", "milliseconds"), 1.0),
    **dict.fromkeys(("s", "sec", "secs", "seconds", "秒"), 1e3),
    **dict.fromkeys(("us", "µs", "μs", "微秒", "マイクロ秒", "microseconds"), 1e-3),
    **dict.fromkeys(("ns", "nanoseconds"), 1e-6),
    **dict.fromkeys(("min", "minutes"), 6e4),
    "h": 3.6e6,
}
_PER_THING = re.compile(r"\bper (?!s\b|sec|min)|/ ?(core|node|cpu|warehouse|dollar)")
"""``tpmC per dollar`` is no tpmC."""
_TIME_UNIT = re.compile(r"(?<![a-z])(ms|s|us)(?![a-z])")
_A_TIME = re.compile(
    r"(?<![a-z])((run|query|response|cpu)? ?time|duration|runtime|時間|时间|时长)$"
)
"""What took so long, where a unit of time says that it is a figure."""


_SCALES = {
    **dict.fromkeys(("k", "thousand", "千"), 1e3),
    **dict.fromkeys(("w", "万", "萬"), 1e4),
    **dict.fromkeys(("m", "million"), 1e6),
    **dict.fromkeys(("亿", "億"), 1e8),
}
_SCALED = re.compile(
    r"(?P<scale>k|m|w|[千万萬亿億]|thousand|million) ?"
    r"(?P<rate>ops?|[tq]ps|reqs?|txns?|rows|tpmc?|nopm)?( ?/ ?(s|sec|second|min|秒))?"
)
"""The unit of a rate in thousands or millions, as ``kops/s``."""


@dataclass(frozen=True)
class Heading:
    """A heading in lower case with its words parted by blanks; ``unit`` from its parentheses."""

    text: str
    unit: str


def heading(name: str) -> Heading:
    """Take a heading apart."""
    bare = plain_text(name)
    units = []
    while match := UNIT.search(bare):
        units.append(match[1].strip())
        bare = bare[: match.start()].strip()
    while match := INNER_UNIT.search(bare):
        units.append(match[1])
        bare = f"{bare[: match.start()]} {bare[match.end() :]}".strip()
    words = re.sub(r"[_\s]+", " ", bare.lower()).strip(" :")
    return Heading(words, " ".join(units))


def role_of(name: str) -> Role | None:
    """Return the role that a name alone tells for a column that describes."""
    text = heading(name).text
    return next((role for role, pattern in PATTERNS.items() if pattern.fullmatch(text)), None)


def metric_of(name: str) -> tuple[str, Kind, str] | None:
    """Return name and kind of a metric, and what else the heading says; None where it is none."""
    told = heading(name)
    if _PER_THING.search(told.text):
        return None
    if time := _time_of(told):
        statistic, rest = time
        return statistic, Kind.RESPONSE, _rest(_TIME_UNIT.sub("", RESPONSE.sub("", rest)))
    for metric, kind, pattern in METRIC_PATTERNS:
        if match := pattern.search(told.text):
            # ``Throughput (ops/s)`` says by its unit what is counted.
            counted = _rate_of(told.unit) if metric == "throughput" else None
            return counted or metric, kind, _rest(told.text.replace(match[0], " ", 1))
    return None


def _rate_of(unit: str) -> str | None:
    rates = (
        metric
        for metric, kind, pattern in METRIC_PATTERNS
        if kind is Kind.THROUGHPUT and pattern.fullmatch(_bare_rate(unit.lower()))
    )
    return next(rates, None)


def _bare_rate(unit: str) -> str:
    match = _SCALED.fullmatch(unit)
    return unit[match.start("rate") :] if match and match["rate"] else unit


def _time_of(told: Heading) -> tuple[str, str] | None:
    """Return which statistic of response times a heading names, and the rest of it."""
    text, is_named = told.text, RESPONSE.search(told.text) is not None
    percentile = PERCENTILE.search(text)
    if percentile and (is_named or "%" not in text):
        digits = (percentile[1] or percentile[2]).lstrip("p ")
        return f"p{digits}", text.replace(percentile[0], " ")
    has_unit = told.unit.lower() in MS_PER_UNIT or re.fullmatch(r"\S+ (ms|us)", text)
    statistic = _statistic(text) or (_statistic(told.unit.lower()) if is_named else None)
    if is_named or (has_unit and statistic):
        return statistic or "latency", _without_statistics(text)
    if has_unit and (match := _A_TIME.search(text)):
        return "elapsed", text[: match.start()]
    return None


def ms_per_unit(name: str) -> float:
    """Return the milliseconds of the unit that a heading of times names, or of milliseconds."""
    told = heading(name)
    last = told.text.rpartition(" ")[2]
    units = [told.unit.lower(), last if last in ("s", "us", "µs", "μs", "ns") else ""]
    # ``Latency (min)`` is the least one.
    units = [unit for unit in units if unit != "min" or not RESPONSE.search(told.text)]
    return next((MS_PER_UNIT[unit] for unit in units if unit in MS_PER_UNIT), 1.0)


def _statistic(text: str) -> str | None:
    return next((name for name, pattern in STATISTICS.items() if re.search(pattern, text)), None)


def _without_statistics(text: str) -> str:
    for pattern in STATISTICS.values():
        text = re.sub(pattern, " ", text)
    return text


def _rest(text: str) -> str:
    bare = re.sub(r"\b(percent|pct|per minute|/min)\b|%", "", text)
    return " ".join(bare.strip(" -:/|,").split())


def claim_form(name: str, unit: str = "") -> ClaimForm | None:
    """Return how a column of claims compares two figures; None if it is none.

    ``unit`` is that of its cells.
    """
    told = heading(name)
    whole = f"{told.text} {told.unit} {unit}".strip()
    is_claimed_percent = is_claimed(name) and PERCENT.search(whole) is not None
    if EFFICIENCY.search(told.text):
        return ClaimForm.EFFICIENCY
    is_none = NO_CLAIM.search(told.text) or _PER_THING.search(told.text)
    if is_none or not (CLAIM.search(whole) or is_claimed_percent):
        return None
    if POINTS.search(whole):
        return ClaimForm.DIFFERENCE
    is_percent = PERCENT.search(whole) is not None
    if RATIO.search(told.text) or unit == "x":
        return ClaimForm.RATIO_PERCENT if is_percent else ClaimForm.RATIO
    return ClaimForm.CHANGE_PERCENT


def is_claimed(name: str) -> bool:
    """Tell whether a heading says that its figures are claims."""
    return re.search(r"\bclaimed\b", heading(name).text) is not None


def is_factor(name: str) -> bool:
    """Tell whether a heading is one of a column of numbers that describe the set-up."""
    told = heading(name)
    is_share = PERCENT.search(f"{told.text} {told.unit}") is not None
    is_rate = any(pattern.search(told.text) for _, _, pattern in METRIC_PATTERNS)
    return FACTOR.search(told.text) is not None and not is_share and not is_rate


def is_reduction(name: str) -> bool:
    """Tell whether a positive figure of this column says that something became smaller."""
    return REDUCTION.search(heading(name).text) is not None


def is_speed_up(name: str) -> bool:
    """Tell whether a column is one of speed-ups: in percent, some write 40 %, others 140 %."""
    return SPEED_UP.search(heading(name).text) is not None


def sides(name: str, *, is_ratio: bool) -> tuple[str, str]:
    """Return the two subjects that a heading names; "" for one that it does not name."""
    text = re.sub(rf"{CLAIM_WORDS}|提升|提高", " ", heading(name).text)
    match = (SIDES if is_ratio else CHANGE_SIDES).match(" ".join(text.split()))
    return (match["above"].strip(), match["below"].strip()) if match else ("", "")


def summary_of(text: str) -> Summary | None:
    """Return what a cell or heading says that its figures are of others."""
    bare = heading(text).text if not text.lower().startswith("total (") else "total"
    return next((s for s, pattern in SUMMARY_PATTERNS.items() if pattern.fullmatch(bare)), None)


def mean_of(name: str) -> str | None:
    """Return whose mean a heading names, as ``MySQL`` in ``MySQL mean``; None if it names none."""
    match = MEAN_OF.fullmatch(name.replace("_", " ").strip())
    return None if match is None else (match["before"] or match["behind"]).strip()


def round_of(name: str) -> str | None:
    """Return the number of the round whose figures a column has."""
    match = ROUND.fullmatch(heading(name).text)
    return None if match is None else match[1] or match[2]


def load_level_of(name: str) -> str | None:
    """Return the number of clients that a column's heading is."""
    match = LOAD_LEVEL.fullmatch(heading(name).text)
    return None if match is None else match[1] or match[2]


def unit_scale(name: str) -> float:
    """Return what figures below a heading as ``TPS (K)`` are multiplied with."""
    match = _SCALED.fullmatch(heading(name).unit.lower())
    return 1.0 if match is None else _SCALES[match["scale"]]
