"""What a log says against itself: a figure that its other figures refute is left out, with a note.

Bounds are those of any distribution: a share q of all times is at most the percentile, the rest at
most the maximum, so the mean is at most q·percentile + (1-q)·maximum, and at least q·minimum +
(1-q)·percentile (Markov's inequality between known ends). Of a closed load, throughput by mean time
is the number of clients that wait (Little 1961): never more than there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from dbdyno.importer.intervals import idle_end
from dbdyno.importer.numbers import per_second
from dbdyno.source_notes import NoteCode
from dbdyno.trial_evidence import (
    Figure,
    IntervalEvidence,
    MeasuredFrom,
    SourceNote,
    Times,
    TrialEvidence,
)

_CLEARLY = 0.1
"""Tools round, and histograms have buckets: less is no contradiction."""
_STEP_MS, _WHOLE_STEP_MS = 0.01, 1.0
"""The smallest step of printed times, and that of times which are all whole."""
_MEAN_STEP_MS = 0.1
_RATE_WITHIN = 0.2
"""Tools begin and end their clocks, and their counts, at slightly different instants."""
_RATE_STEP_PER_S = 0.01
_INTERVALS_MIN, _OTHER_RUN = 10, 2.0
"""So many intervals with so many times the summary's throughput are of another run."""
_SHORTEST_S = 0.1
"""Of a shorter run the time is printed with too few digits."""
_IN_OTHERS = ("delivery_deferred", "read-modify-write")
"""Kinds whose time no client waits for, or that is in the times of other kinds, too."""


def _note(code: NoteCode, **figures: Figure) -> SourceNote:
    return SourceNote(code=code, figures=tuple(figures.items()))


def without_contradictions(trial: TrialEvidence) -> TrialEvidence:
    """Return a trial without the figures that others of the same trial refute."""
    notes: list[SourceNote] = []
    checked = {
        name: None if kind.times is None else _checked(kind.times, f" ({name})", notes)
        for name, kind in trial.kinds.items()
    }
    own = trial.times
    same = next((name for name, kind in trial.kinds.items() if own and kind.times == own), None)
    if own is not None:
        own = checked[same] if same is not None else _checked(own, "", notes)
    kinds = {name: replace(kind, times=checked[name]) for name, kind in trial.kinds.items()}
    intervals = tuple(map(_checked_interval, trial.intervals))
    pairs = zip(intervals, trial.intervals, strict=True)
    if changed := sum(one is not other for one, other in pairs):
        notes.append(_note(NoteCode.PERCENTILES_OF_INTERVALS, intervals=changed))
    if differing := list(_differing(trial)):
        intervals = ()
        notes += differing
    notes += _idle(trial)
    trial = replace(trial, notes=(*trial.notes, *notes), intervals=intervals)
    return within_clients(replace(trial, times=own, kinds=kinds))


def _checked_interval(interval: IntervalEvidence) -> IntervalEvidence:
    """Return an interval without percentiles that are not in order or above its maximum."""
    told = interval.quantiles_ms
    if len(told) + (interval.max_ms is not None) < 2:
        return interval
    values = [told[share] for share in sorted(told)]
    is_whole = all(value.is_integer() for value in values)
    step_ms = _WHOLE_STEP_MS if is_whole else _STEP_MS
    ends = [*values, *([] if interval.max_ms is None else [interval.max_ms])]
    if all(low <= high + step_ms * 1.01 for low, high in pairwise(ends)):
        return interval
    return replace(interval, quantiles_ms={})


def _checked(times: Times, name: str, notes: list[SourceNote]) -> Times:
    """Return the times that can be true together; ``name`` is whose they are."""
    values = times.quantiles_ms.values()
    step_ms = _WHOLE_STEP_MS if all(v.is_integer() for v in values) else _STEP_MS
    low, high = times.min_ms or 0.0, times.max_ms
    mean = times.mean_ms
    if mean is not None and not _is_within(mean, low, high, _STEP_MS):
        figures = {"mean_ms": mean, "low_ms": low, "high_ms": high}
        notes.append(_note(NoteCode.MEAN_REFUTED, name=name, **figures))
        times = replace(times, mean_ms=None)
    kept = {}
    for share, value in times.quantiles_ms.items():
        least, most = _bounds(times, share, step_ms)
        if _is_within(value, least, most, step_ms):
            kept[share] = value
        else:
            figures = {"printed_ms": value, "low_ms": least, "high_ms": most}
            notes.append(
                _note(NoteCode.PERCENTILE_REFUTED, name=f"p{share * 100:g}{name}", **figures)
            )
    in_order = [kept[share] for share in sorted(kept)]
    if in_order != sorted(in_order):
        notes.append(_note(NoteCode.PERCENTILES_NOT_IN_ORDER, name=name))
        kept = {}
    return replace(times, quantiles_ms=kept)


def _bounds(times: Times, share: float, step_ms: float) -> tuple[float, float | None]:
    """Return the least and the most that a percentile can be by minimum, mean and maximum."""
    low, high, mean = times.min_ms or 0.0, times.max_ms, times.mean_ms
    if mean is None:
        return low, high
    slack = _CLEARLY * mean + step_ms
    by_mean = (mean + slack - share * low) / (1 - share)
    most = by_mean if high is None else min(high, by_mean)
    least = low if high is None else max(low, (mean - slack - (1 - share) * high) / share)
    return least, most


def _is_within(value: float, low: float, high: float | None, step_ms: float) -> bool:
    return low - step_ms * 1.01 <= value and (high is None or value <= high + step_ms * 1.01)


def within_clients(trial: TrialEvidence) -> TrialEvidence:
    """Return a trial without times that need more clients than there were.

    Where no count of the log confirms its throughput, that may be wrong as well, and is left out.
    """
    busy = _busy(trial)
    if busy is None or not trial.clients or busy <= trial.clients * (1 + _CLEARLY):
        return trial
    figures: dict[str, Figure] = {"busy": round(busy, 1), "clients": trial.clients}
    is_counted = any(_is_confirmed(trial, count) for count in _counts(trial))
    code = NoteCode.MORE_THAN_CLIENTS if is_counted else NoteCode.MORE_THAN_CLIENTS_UNCOUNTED
    return replace(
        trial,
        throughput_per_s=trial.throughput_per_s if is_counted else None,
        times=None,
        kinds={name: replace(kind, times=None) for name, kind in trial.kinds.items()},
        notes=(*trial.notes, _note(code, **figures)),
    )


def _busy(trial: TrialEvidence) -> float | None:
    """Return how many clients wait at once: rates by mean times; None where it is not known."""
    has_rampup = any(note.code == NoteCode.PROFILE_HAS_RAMPUP for note in trial.notes)
    parts: list[tuple[float | None, Times]] = []
    for name, kind in trial.kinds.items():
        if kind.times is not None and name not in _IN_OTHERS:
            counted = None if has_rampup else per_second(kind.times.count, trial.measured_s)
            parts.append((kind.rate_per_s if kind.rate_per_s is not None else counted, kind.times))
    if trial.times is not None and not parts:
        parts = [(trial.throughput_per_s, trial.times)]
    every = [trial.times, *(times for _, times in parts)]
    if any(times and times.measured_from is not MeasuredFrom.START for times in every):
        return None
    known = [
        rate * max(times.mean_ms - _MEAN_STEP_MS / 2, 0.0) / 1e3
        for rate, times in parts
        if rate is not None and times.mean_ms is not None
    ]
    return sum(known) if known else None


def _counts(trial: TrialEvidence) -> Iterator[int | None]:
    yield trial.times.count if trial.times else None
    yield sum(kind.committed or 0 for kind in trial.kinds.values())


def _is_confirmed(trial: TrialEvidence, count: int | None) -> bool:
    rate = per_second(count, trial.measured_s)
    return (
        bool(rate and trial.throughput_per_s)
        and not checked_rate(trial.throughput_per_s, count, trial.measured_s)[1]
    )


def _differing(trial: TrialEvidence) -> Iterator[SourceNote]:
    """Say that the intervals of nearly all the run have another throughput than its summary.

    They are of another run then: the summary's throughput has a count and a time of its own.
    """
    known = [each for each in trial.intervals if each.start_s >= 0]
    done = sum(each.duration_s * (each.throughput_per_s or 0.0) for each in known)
    length_s = sum(each.duration_s for each in known)
    rate, measured_s = trial.throughput_per_s, trial.measured_s
    if not rate or not measured_s or len(known) < _INTERVALS_MIN:
        return
    if abs(length_s - measured_s) > _RATE_WITHIN * measured_s:
        return
    average = done / length_s
    if max(average, rate) > _OTHER_RUN * min(average, rate):
        yield _note(NoteCode.INTERVALS_DIFFER, intervals_per_s=average, summary_per_s=rate)


def _idle(trial: TrialEvidence) -> Iterator[SourceNote]:
    """Say that a summary's throughput has time in it in which nothing happened any more."""
    ends_early = {NoteCode.TRUNCATED, NoteCode.IDLE_END_LEFT_OUT}
    if trial.failure is None and not ends_early & {note.code for note in trial.notes}:
        yield from idle_end(trial.intervals, NoteCode.IDLE_END_COUNTED)


def checked_rate(
    printed_per_s: float | None, count: float | None, seconds: float | None
) -> tuple[float | None, tuple[SourceNote, ...]]:
    """Return the rate that is printed; none, and a note, where count and time refute it."""
    counted = per_second(count, seconds)
    if printed_per_s is None or counted is None or (seconds or 0.0) < _SHORTEST_S:
        return printed_per_s, ()
    slack = _RATE_WITHIN * max(printed_per_s, counted) + _RATE_STEP_PER_S
    if abs(printed_per_s - counted) <= slack:
        return printed_per_s, ()
    figures = {"count": count, "measured_s": seconds, "counted_per_s": counted}
    return None, (_note(NoteCode.RATE_REFUTED, printed_per_s=printed_per_s, **figures),)


def within_all(
    rate_per_s: float | None, all_per_s: float | None
) -> tuple[float | None, tuple[SourceNote, ...]]:
    """Return a rate; none, and a note, where a rate of all that it is a part of is less."""
    if rate_per_s is None or all_per_s is None:
        return rate_per_s, ()
    if rate_per_s <= all_per_s * (1 + _CLEARLY) + _RATE_STEP_PER_S:
        return rate_per_s, ()
    figures = {"part_per_s": rate_per_s, "all_per_s": all_per_s}
    return None, (_note(NoteCode.MORE_THAN_ALL, **figures),)


def checked_by_sum(
    times: Times | None, sum_ms: float | None, name: str = ""
) -> tuple[Times | None, tuple[SourceNote, ...]]:
    """Return times whose mean is their sum by their number; none, and a note, of others.

    Mean and percentiles of a tool are of one histogram: where its mean is wrong, so are they.
    """
    by_sum = per_second(sum_ms, times.count) if times else None
    if times is None or times.mean_ms is None or by_sum is None:
        return times, ()
    if abs(by_sum - times.mean_ms) <= _CLEARLY * max(by_sum, times.mean_ms) + _MEAN_STEP_MS:
        return times, ()
    figures = {"mean_ms": times.mean_ms, "by_sum_ms": round(by_sum, 3)}
    return None, (_note(NoteCode.SUM_REFUTES_TIMES, name=f" ({name})" if name else "", **figures),)


def within_histogram(
    times: Times | None, end_ms: float
) -> tuple[Times | None, tuple[SourceNote, ...]]:
    """Return times without percentiles at the end of a tool's histogram: they are at least that."""
    if times is None:
        return None, ()
    cut = sorted(share for share, value in times.quantiles_ms.items() if value >= end_ms)
    if not cut:
        return times, ()
    kept = {share: v for share, v in times.quantiles_ms.items() if share not in cut}
    names = ", ".join(f"p{share * 100:g}" for share in cut)
    note = _note(NoteCode.END_OF_HISTOGRAM, percentiles=names, end_ms=end_ms)
    return replace(times, quantiles_ms=kept), (note,)
