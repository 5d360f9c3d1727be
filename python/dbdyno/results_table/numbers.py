"""Numbers as people write them: thousands parted, decimal commas, signs, suffixes and units."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

MISSING = frozenset(
    {
        "",
        "-",
        "--",
        "n/a",
        "na",
        "n.a.",
        "nan",
        "none",
        "null",
        "/",
        "\\",
        "k.a.",
        "无",
        "缺失",
        "無",
        "なし",
        "baseline",
        "base",
        "基准",
        "基線",
        "?",
    }
)
"""What stands in a cell that has no figure, in lower case."""

LARGEST = 1e30
"""No result of a benchmark is larger, nor as small as its reciprocal."""
LONGEST_CELL = 1000
"""Characters: a name or a number has fewer, and what comes later in a text is prose."""
SUFFIXES = {
    "k": 1e3,
    "m": 1e6,
    "g": 1e9,
    "w": 1e4,
    "万": 1e4,
    "萬": 1e4,
    "億": 1e8,
    "亿": 1e8,
    "千": 1e3,
}
_MINUS = str.maketrans(dict.fromkeys("−–‒—", "-"))
_NUMBER = re.compile(
    r"^(?P<sign>[+-]?)\s*(?P<digits>\d[\d.,' ]*)(?P<exponent>e[+-]?\d{1,3}(?!\d))?\s*(?P<rest>.*)$",
    re.I | re.S,
)
_UNITS = re.compile(
    r"^(%|pp|%p|percent|percentage points?|百分[点點]|ポイント|x|×|倍|倍速|ms|s|us|µs|μs|ns|min|h"
    r"|b|bytes|gib|gb|mib|mb|kib|kb|tb|tps|qps|tpmc|tpm|nopm|ops|op|req|rows|txns?|tx|queries"
    r"|iops|t|threads?|线程|毫秒|微秒|秒|ミリ秒|マイクロ秒|次/秒)?(\s*/\s*(s|sec|second|min|op|秒))?$",
    re.I,
)
_IN_WORDS = {"thousand": 1e3, "million": 1e6, "billion": 1e9}
_MONEY = re.compile(r"^[$€£¥]\s*(?=\d)")
_BEHIND = re.compile(r"\s*(\[\w+\]|[*†‡§]+|\([^()]*\))$")
"""Marks of footnotes, and what a bracket adds to a figure."""
_CLEARLY_COMMA = re.compile(r"^[+-]?(\d{1,3}(\.\d{3})+,\d+|0,\d+|\d+,\d{1,2}|\d+,\d{4,})\D*$")
_CLEARLY_POINT = re.compile(r"^[+-]?(\d{1,3}(,\d{3})+\.\d+|0\.\d+|\d+\.\d{1,2}|\d+\.\d{4,})\D*$")
_ONE_NAME = {
    **dict.fromkeys(("×", "倍", "倍速"), "x"),
    **dict.fromkeys(("percent",), "%"),
    **dict.fromkeys(
        ("%p", "percentage point", "percentage points", "百分点", "百分點", "ポイント"), "pp"
    ),
}
_ARROWS = {"↑": "+", "▲": "+", "↓": "-", "▼": "-"}


@dataclass(frozen=True)
class Number:
    """A figure and how finely it is written.

    ``step`` is the place value of its last digit, so that the true value lies within half of it.
    """

    value: float
    step: float
    text: str
    unit: str = ""
    """What follows the digits, as ``%`` or ``x``; in lower case."""

    def scaled(self, factor: float) -> Number:
        """Return the number in another unit."""
        return Number(self.value * factor, self.step * factor, self.text, self.unit)


def plain_text(text: str) -> str:
    """Return a cell without markup, in the common forms of its characters."""
    bare = (
        unicodedata.normalize("NFKC", text[:LONGEST_CELL]).replace("\u00a0", " ").translate(_MINUS)
    )
    return re.sub(r"(\*\*|__|`|~~)", "", bare).strip()


def is_missing(text: str) -> bool:
    """Tell whether a cell says that it has no figure."""
    return plain_text(text).lower() in MISSING


def has_decimal_commas(texts: Iterable[str]) -> bool:
    """Tell whether a table writes 1,5 for one and a half."""
    bare = [plain_text(text) for text in texts]
    commas = sum(_CLEARLY_COMMA.match(text) is not None for text in bare)
    return commas > sum(_CLEARLY_POINT.match(text) is not None for text in bare)


def read_number(text: str, *, decimal_commas: bool = False) -> Number | None:
    """Return the number that a cell holds, or None where it holds something else."""
    bare = plain_text(text)
    for arrow, plus in _ARROWS.items():
        if arrow in bare:
            bare = bare.replace(arrow, "").strip()
            bare = bare if bare[:1] in "+-" else plus + bare
    bare = _BEHIND.sub("", _without_pictures(bare))
    bare = _MONEY.sub("", re.split(r"±|\+/-", bare)[0].strip().lstrip("~≈").strip())
    match = _NUMBER.match(bare)
    if match is None:
        return None
    digits = _in_points(match["digits"].strip(), decimal_commas=decimal_commas)
    scale, unit = _suffix(match["rest"].strip())
    if digits is None or scale is None:
        return None
    exponent = float(f"1{match['exponent'] or ''}")
    decimals = len(digits.partition(".")[2])
    sign = -1.0 if match["sign"] == "-" else 1.0
    factor = scale * exponent
    value, step = sign * float(digits) * factor, 10.0**-decimals * factor
    is_figure = step > 0 and (value == 0 or 1 / LARGEST < abs(value) < LARGEST)
    return Number(value, step, text.strip(), unit) if is_figure else None


def _without_pictures(text: str) -> str:
    """Return a text without the pictures that some put before or behind a figure."""
    kept = (sign for sign in text if unicodedata.category(sign) not in ("So", "Sk", "Mn", "Cf"))
    return "".join(kept).strip()


def _suffix(rest: str) -> tuple[float | None, str]:
    """Return the factor and the unit behind the digits; no factor where it is no unit."""
    if rest.startswith("/"):
        # ``1/s`` is a unit.
        return None, ""
    if _UNITS.match(rest):
        return 1.0, _ONE_NAME.get(rest.lower(), rest.lower())
    word, _, behind = rest.lower().partition(" ")
    if word in _IN_WORDS and _UNITS.match(behind):
        return _IN_WORDS[word], behind
    factor = SUFFIXES.get(rest[:1].lower())
    if factor is not None and _UNITS.match(rest[1:].strip()):
        return factor, rest[1:].strip().lower()
    return None, ""


def _in_points(digits: str, *, decimal_commas: bool) -> str | None:
    """Return digits with a decimal point and nothing else; None where they are no number."""
    bare = re.sub(r"(?<=\d)[ '](?=\d{3}(\D|$))", "", digits).rstrip(".,")
    if " " in bare or "'" in bare:
        return None
    points, commas = bare.count("."), bare.count(",")
    if points and commas:
        decimal = max(".,", key=bare.rfind)
        thousands = "," if decimal == "." else "."
        return (
            bare.replace(thousands, "").replace(decimal, ".") if bare.count(decimal) == 1 else None
        )
    mark = "." if points else ","
    if points + commas == 0:
        return bare
    in_threes = re.fullmatch(rf"[1-9]\d{{0,2}}(\{mark}\d{{3}})+", bare) is not None
    is_thousands = in_threes and (points + commas > 1 or (mark == ".") == decimal_commas)
    if is_thousands:
        return bare.replace(mark, "")
    return bare.replace(mark, ".") if points + commas == 1 else None
