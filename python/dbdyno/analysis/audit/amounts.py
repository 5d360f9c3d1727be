"""Amounts of change in a sentence, each with the words that it is of."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from dbdyno.results_table.numbers import Number, read_number

_NUMBER = r"\d+(?:[.,]\d+)*"
_UNIT = r"(?:%|percent\b|x\b|×|times\b|倍)"
_AMOUNT = re.compile(
    rf"(?<![\w.,])(?:between\s+(?P<first>{_NUMBER})\s*{_UNIT}?\s*and\s+"
    rf"|(?P<low>{_NUMBER})\s*{_UNIT}?\s*(?:to\b|[-–~～至到から]+)\s*)?"
    rf"(?P<number>{_NUMBER})\s*(?P<unit>{_UNIT})",
    re.I,
)
_RATIOS = frozenset({"x", "×", "times", "倍"})
_CUT = re.compile(
    r"[,、;](?!\d)\s*(?:\b(?:and|while|but|whereas)\b|而|且)?|\b(?:and|while|but|whereas)\b|而|且"
)
_IN_TURN = re.compile(r"respectively|分别|分別|それぞれ", re.I)


@dataclass(frozen=True)
class Amount:
    """A change, or a range of changes, as a sentence has it."""

    text: str
    ends: tuple[Number, ...]
    """One number, or the two ends of a range; none where they can't be read."""
    is_ratio: bool
    """Whether it is a multiple, and not a percentage."""
    words: str | None
    """The part of the sentence that it stands in, without it; None where that is not clear."""


def has_amount(sentence: str) -> bool:
    """Tell whether a sentence has any."""
    return _AMOUNT.search(sentence) is not None


def amounts_of(sentence: str) -> list[Amount]:
    """Return all amounts of a sentence: ``20 % faster at 8 clients, and 30 % at 64`` has two."""
    found = list(_AMOUNT.finditer(sentence))
    cuts = [_cut(sentence, one.end(), other.start()) for one, other in pairwise(found)]
    is_clear = None not in cuts and (len(found) == 1 or not _IN_TURN.search(sentence))
    bounds = [0, *(cut for cut in cuts if cut is not None), len(sentence)] if is_clear else []
    return [_amount(sentence, each, *bounds[place : place + 2]) for place, each in enumerate(found)]


def _cut(sentence: str, start: int, end: int) -> int | None:
    """Return where the words of one amount end and those of the next begin; None if unclear."""
    cuts = list(_CUT.finditer(sentence, start, end))
    return cuts[0].start() if len(cuts) == 1 else None


def _amount(sentence: str, found: re.Match[str], start: int = 0, end: int = 0) -> Amount:
    low = found["first"] or found["low"]
    numbers = [read_number(each) for each in (low, found["number"]) if each]
    ends = tuple(each for each in numbers if each is not None)
    return Amount(
        found[0],
        ends if len(ends) == len(numbers) else (),
        found["unit"].lower() in _RATIOS,
        f"{sentence[start : found.start()]} {sentence[found.end() : end]}" if end else None,
    )
