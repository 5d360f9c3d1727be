"""Which conditions and which warehouses: the numbers that somebody wrote, as ``1-10,42``."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from dbdyno.errors import InputError
from dbdyno.tpcc.conditions import CONDITIONS

SAMPLE = "sample"
RANDOM_WAREHOUSES = 2

_NUMBERS = re.compile(r"(\d+)(?:-(\d+))?")


def select_conditions(text: str | None) -> list[int]:
    """Return the numbers of the conditions that are meant; all without a text."""
    return sorted(CONDITIONS) if text is None else _select("--conditions", text, list(CONDITIONS))


def select_warehouses(text: str | None, present: Sequence[int]) -> list[int]:
    """Return the warehouses that are meant, of those that are there.

    A sample is what an auditor looks at (clause 3.3.2): the first, the last and two by chance.
    """
    if text is None:
        return list(present)
    if text != SAMPLE:
        return _select("--warehouses", text, present)
    between = present[1:-1]
    chosen = random.sample(between, min(RANDOM_WAREHOUSES, len(between)))
    return sorted({present[0], *chosen, present[-1]})


def _select(option: str, text: str, known: Sequence[int]) -> list[int]:
    selected: set[int] = set()
    for part in text.split(","):
        match = _NUMBERS.fullmatch(part.strip())
        if match is None:
            raise InputError(f"{option} {text}: {part!r} is no number; write 1-10 or 1,3,12")
        first, last = int(match[1]), int(match[2] or match[1])
        here = {number for number in known if first <= number <= last}
        # A range may have gaps where the warehouses have, but its ends must be there.
        absent = sorted({first, last} - here)
        if absent:
            wrong = f"{first}-{last}" if first > last else " and ".join(map(str, absent))
            raise InputError(f"{option} {text}: there is no {wrong}; there are {_span(known)}")
        selected |= here
    return sorted(selected)


def _span(known: Sequence[int]) -> str:
    return f"{min(known)} to {max(known)}" if len(known) > 1 else f"only {known[0]}"
