"""From lines that say when an interval ended to intervals that say when it began."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from dbdyno.source_notes import NoteCode
from dbdyno.trial_evidence import IntervalEvidence, SourceNote

ENDS_MAX_S = 1e8
"""Three years: a time beyond it is damage."""


def by_their_ends(
    printed: Iterable[IntervalEvidence], begin_s: float = 0.0
) -> tuple[tuple[IntervalEvidence, ...], int]:
    """Return intervals whose ``start_s`` held their end, and how many were left out.

    Each begins where the one before it has ended. ``begin_s`` is when what is measured began, by
    the tool's clock, which is 0 at the first interval's beginning. One whose end is not after the
    end before it tells no length.
    """
    found = []
    left_out = 0
    before_s = 0.0
    for each in printed:
        end_s = each.start_s
        if not before_s < end_s <= ENDS_MAX_S:
            left_out += 1
            continue
        start_s, length_s = round(before_s - begin_s, 6), round(end_s - before_s, 6)
        found.append(replace(each, start_s=start_s, duration_s=length_s))
        before_s = end_s
    return tuple(found), left_out


def damaged(left_out: int) -> Iterator[SourceNote]:
    """Say how many intervals were left out, if any."""
    if left_out:
        yield SourceNote(code=NoteCode.INTERVALS_LEFT_OUT, figures=(("intervals", left_out),))


def truncated(intervals: Sequence[IntervalEvidence]) -> SourceNote:
    """Say that a log ends before the tool's summary, and until when its intervals go."""
    until_s = intervals[-1].start_s + intervals[-1].duration_s if intervals else None
    return SourceNote(code=NoteCode.TRUNCATED, figures=(("until_s", until_s),))
