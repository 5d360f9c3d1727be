"""Interval events of several generators, merged by index into those of one.

Counters are added up, histograms merged, levels added up. An interval is handed out when every
generator that is heard has told it. In-flight counts of a generator that tells nothing any more are
those of its last interval, and are added to later intervals of the others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from dbdyno.generator.pool.health import merge_health, merge_histograms
from dbdyno.protocol.intervals import (
    ClientCounts,
    ErrorCount,
    GeneratorSample,
    HostSample,
    Interval,
    SentHistogram,
    StatementCounts,
    TransactionSample,
)

COUNTERS = (
    *("scheduled", "committed", "rolled_back", "failed", "dropped", "in_flight"),
    *("retries", "first_attempt_aborts"),
)

NEW_ORDER = "new_order"
"""TPC-C's kind that its throughput counts."""


class IntervalMerger:
    """Takes the intervals of some generators in, and hands out those of all together, in order."""

    def __init__(self, generators: int) -> None:
        self._heard = set(range(generators))
        """Those that will tell more."""
        self._last: dict[int, Interval] = {}
        self._pending: dict[int, dict[int, Interval]] = defaultdict(dict)

    def last_index(self, generator: int) -> int | None:
        """Return the last interval that a generator has told."""
        last = self._last.get(generator)
        return None if last is None else last.index

    def add(self, generator: int, interval: Interval) -> Iterator[Interval]:
        """Take an interval in; yield those that are complete with it."""
        self._pending[interval.index][generator] = interval
        self._last[generator] = interval
        yield from self._complete()

    def end(self, generator: int) -> Iterator[Interval]:
        """Wait no more for a generator; yield the intervals that are complete without it."""
        self._heard.discard(generator)
        yield from self._complete()

    def _complete(self) -> Iterator[Interval]:
        for index in sorted(self._pending):
            told = self._pending[index]
            if any(self._reached(generator) < index for generator in self._heard):
                return
            del self._pending[index]
            yield self._merged(index, told)

    def _reached(self, generator: int) -> float:
        last = self.last_index(generator)
        return float("-inf") if last is None else last

    def _merged(self, index: int, told: Mapping[int, Interval]) -> Interval:
        merged = merge_intervals([told[generator] for generator in sorted(told)])
        silent = [last for generator, last in self._last.items() if last.index < index]
        return replace(merged, transactions=_with_in_flight(merged.transactions, silent))


def merge_intervals(parts: Sequence[Interval]) -> Interval:
    """Return one interval of what several generators told of the same one."""
    first = parts[0]
    return Interval(
        phase=first.phase,
        index=first.index,
        start_s=first.start_s,
        duration_s=max(part.duration_s for part in parts),
        transactions=_merge_transactions([part.transactions for part in parts]),
        statements=_merge_statements([part.statements for part in parts]),
        round_trips=sum(part.round_trips or 0 for part in parts),
        unread_s=sum(part.unread_s or 0.0 for part in parts),
        live_clients=sum(part.live_clients for part in parts),
        waiting=sum(part.waiting for part in parts),
        running=sum(part.running for part in parts),
        reconnects=sum(part.reconnects for part in parts),
        renewals=sum(part.renewals or 0 for part in parts),
        renewal_s=sum(part.renewal_s or 0.0 for part in parts),
        errors=_merge_errors([error for part in parts for error in part.errors]),
        # None of them knows what the others did meanwhile: it is no longer than the shortest.
        longest_gap_s=min(part.longest_gap_s or 0.0 for part in parts),
        generator=merge_health([part.generator for part in parts]),
        # Whoever takes them adds each to its interval, however many there are of one.
        late=tuple(late for part in parts for late in part.late),
        clients=_merge_clients([part.clients for part in parts if part.clients is not None]),
        hosts=_merge_hosts([host for part in parts for host in part.hosts]),
        generators=tuple(_sample_of(part) for part in parts),
    )


def _sample_of(part: Interval) -> GeneratorSample:
    kinds = part.transactions.values()
    return GeneratorSample(
        generator_index=part.generator_index,
        scheduled=sum(kind.scheduled for kind in kinds),
        ended=sum(kind.committed + kind.rolled_back + kind.failed for kind in kinds),
        live_clients=part.live_clients,
        new_orders=_new_orders(part),
        health=part.generator,
    )


def _new_orders(part: Interval) -> int | None:
    told = part.transactions.get(NEW_ORDER)
    return None if told is None else told.committed + told.rolled_back


def _merge_transactions(
    parts: Sequence[Mapping[str, TransactionSample]],
) -> dict[str, TransactionSample]:
    names = dict.fromkeys(name for part in parts for name in part)
    return {name: _merge_samples([part[name] for part in parts if name in part]) for name in names}


def _merge_samples(samples: Sequence[TransactionSample]) -> TransactionSample:
    counts = {name: sum(getattr(sample, name) for sample in samples) for name in COUNTERS}
    sent: dict[str, list[SentHistogram]] = defaultdict(list)
    for sample in samples:
        for measure, histogram in sample.histograms():
            sent[measure].append(histogram)
    times: dict[str, str | int] = {}
    for measure, histograms in sent.items():
        merged = merge_histograms(histograms)
        times |= {measure: merged.text, f"{measure}_overflow": merged.overflow}
    return TransactionSample(**counts, **times)  # type: ignore[arg-type]


def _with_in_flight(
    transactions: Mapping[str, TransactionSample], silent: Iterable[Interval]
) -> dict[str, TransactionSample]:
    """Add what was in flight when generators spoke last that speak no more."""
    left: dict[str, int] = defaultdict(int)
    for interval in silent:
        for name, sample in interval.transactions.items():
            left[name] += sample.in_flight
    return {
        name: replace(sample, in_flight=sample.in_flight + left[name]) if left[name] else sample
        for name, sample in transactions.items()
    }


def _merge_statements(parts: Sequence[StatementCounts]) -> StatementCounts:
    return StatementCounts(
        read=sum(part.read for part in parts),
        write=sum(part.write for part in parts),
        other=sum(part.other for part in parts),
        unchanged=sum(part.unchanged for part in parts),
    )


def _merge_errors(errors: Sequence[ErrorCount]) -> tuple[ErrorCount, ...]:
    merged: dict[tuple[str, int | None, str | None], ErrorCount] = {}
    for error in errors:
        key = error.error_class, error.code, error.sqlstate
        known = merged.get(key)
        merged[key] = error if known is None else replace(known, count=known.count + error.count)
    return tuple(merged.values())


def _merge_clients(parts: Sequence[ClientCounts]) -> ClientCounts | None:
    """Add up by client: each generator counts its own, and zero of the others."""
    if not parts:
        return None
    return ClientCounts(
        transactions=tuple(map(sum, zip(*(part.transactions for part in parts), strict=True))),
        response_ns=tuple(map(sum, zip(*(part.response_ns for part in parts), strict=True))),
        turnaround_ns=tuple(map(sum, zip(*(part.turnaround_ns for part in parts), strict=True))),
    )


def _merge_hosts(samples: Sequence[HostSample]) -> tuple[HostSample, ...]:
    merged: dict[str, HostSample] = {}
    for sample in samples:
        known = merged.get(sample.host, HostSample(sample.host, 0, 0))
        merged[sample.host] = HostSample(
            sample.host,
            known.transactions + sample.transactions,
            known.live_clients + sample.live_clients,
        )
    return tuple(merged.values())
