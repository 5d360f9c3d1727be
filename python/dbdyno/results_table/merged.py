"""Cells that are merged over the rows of several rounds or subjects: they stand once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import replace

from dbdyno.results_table.model import Claim, Figure


def claims_once(claims: Sequence[Claim], subjects: Sequence[str]) -> list[Claim]:
    """Return claims of which one that is alike in all rounds, or for all subjects, is there once.

    It is of all of them then, and not of the row in which it stands first.
    """
    groups: dict[Hashable, list[Claim]] = defaultdict(list)
    for each in claims:
        groups[each.column, each.place.column, each.levels, each.metric, each.over].append(each)
    kept = []
    for group in groups.values():
        texts = {each.number.text for each in group}
        own = list(dict.fromkeys(each.above for each in group))
        if len(group) > 1 and len(texts) == 1 and len(own) > 1 and set(subjects) <= set(own):
            kept.append(replace(group[0], above="", round=None))
            continue
        for subject in own:
            kept += _of_rounds([each for each in group if each.above == subject])
    return sorted(kept, key=lambda claim: claim.place.line)


def _of_rounds(claims: list[Claim]) -> list[Claim]:
    is_merged = len(claims) > 1 and len({each.number.text for each in claims}) == 1
    return [replace(claims[0], round=None)] if is_merged else claims


def means_once(figures: Sequence[Figure]) -> list[Figure]:
    """Return figures of which a mean that is alike in all rows of its rounds is there once."""
    groups: dict[Hashable, list[Figure]] = defaultdict(list)
    for each in figures:
        if each.summary is not None and each.round is not None:
            groups[each.place.column, each.subject, each.levels].append(each)
    dropped: set[int] = set()
    first: dict[int, Figure] = {}
    for group in groups.values():
        if len(group) > 1 and len({each.number.text for each in group}) == 1:
            first[id(group[0])] = replace(group[0], round=None)
            dropped |= {id(each) for each in group[1:]}
    return [first.get(id(each), each) for each in figures if id(each) not in dropped]
