"""pgbench's log of transactions, made of the generator's own once the run is over."""

from __future__ import annotations

import csv
import os
import random
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path

from dbdyno.errors import InputError, RunError
from dbdyno.peers.call.merging import merge_lines
from dbdyno.peers.pgbench.request import Log, Request

SORTED_AT_ONCE = 200_000
"""So many lines are held in memory."""

TIME_WIDTH = 20
"""Digits of a time in microseconds, so that lines sort as their times do."""


@dataclass(frozen=True)
class Finished:
    """A line of the generator's log. Times are microseconds since 1970."""

    client: int
    kind: str
    scheduled_us: int
    start_us: int
    end_us: int
    ending: str
    retries: int
    note: str

    @property
    def is_done(self) -> bool:
        """Whether it did its work."""
        return self.ending in {"committed", "rolled_back"}

    @property
    def latency_us(self) -> int:
        """From when it was due to when its client could go on."""
        return self.end_us - self.scheduled_us

    @property
    def lag_us(self) -> int:
        """From when it was due to when it was begun."""
        return self.start_us - self.scheduled_us


def log_path(log: Log) -> Path:
    """Return the log's path, a file that can be written; ``InputError`` where it cannot."""
    path = Path(f"{log.prefix}.{os.getpid()}").absolute()
    try:
        path.touch()
    except OSError as error:
        raise InputError(f"the log {path} cannot be written: {error.strerror}") from error
    return path


def write_log(request: Request, path: Path, window_began_s: float, kinds: Sequence[str]) -> None:
    """Write the log that was asked for; ``RunError`` where the disk takes no more."""
    log, source = request.log, request.transaction_log
    assert log is not None
    assert source is not None
    finished = _read(source, window_began_s, request.counted_phases)
    try:
        with path.open("w") as out:
            if log.aggregate_s:
                out.writelines(_aggregated(finished, log.aggregate_s, window_began_s))
            else:
                lines = _numbered(finished, request, kinds)
                out.writelines(_in_order(lines, source.parent))
    except OSError as error:
        raise RunError(f"the log {path} is not whole: {error.strerror}") from error


def _read(source: Path, window_began_s: float, phases: Collection[str]) -> Iterator[Finished]:
    with source.open(newline="") as file:
        for row in csv.DictReader(file):
            if row["ending"] == "dropped" or row["phase"] not in phases:
                continue
            times = (row["scheduled_s"], row["start_s"], row["handled_s"])
            scheduled_us, start_us, end_us = (
                round(1e6 * (window_began_s + float(time_s))) for time_s in times
            )
            yield Finished(
                client=int(row["client"]),
                kind=row["transaction"],
                scheduled_us=scheduled_us,
                start_us=start_us,
                end_us=end_us,
                ending=row["ending"],
                retries=int(row["retries"]),
                note=row["note"],
            )


def _numbered(
    finished: Iterable[Finished], request: Request, kinds: Sequence[str]
) -> Iterator[str]:
    """Yield the sampled lines, each with its time before it, by which they are sorted."""
    assert request.log is not None
    counts = [0] * request.clients
    sampler = random.Random(request.seed)
    for each in finished:
        counts[each.client] += 1
        if request.log.sampling_rate < 1 and sampler.random() >= request.log.sampling_rate:
            continue
        seconds, microseconds = divmod(each.end_us, 1_000_000)
        line = (
            f"{each.client} {counts[each.client]} {_latency(each, request)} "
            f"{kinds.index(each.kind)} {seconds} {microseconds:06}"
        )
        if request.rate_per_s:
            line += f" {each.lag_us}"
        if request.max_tries != 1:
            line += f" {each.retries}"
        yield f"{each.end_us:0{TIME_WIDTH}} {line}\n"


def _latency(each: Finished, request: Request) -> str:
    if each.is_done:
        return str(each.latency_us)
    detailed = {"serialization_failure": "serialization", "deadlock": "deadlock"}
    return detailed.get(each.note, "failed") if request.shown.failures_detailed else "failed"


def _in_order(lines: Iterable[str], folder: Path) -> Iterator[str]:
    """Yield lines by their times: workers write theirs in turns."""
    parts, left = [], iter(lines)
    for number in count():
        some = sorted(islice(left, SORTED_AT_ONCE))
        if not some:
            break
        part = folder / f"part-{number}"
        part.write_text("".join(some))
        parts.append(part)
    for line in merge_lines(parts, folder):
        yield line[TIME_WIDTH + 1 :].decode()


@dataclass
class Sums:
    """What ended in a stretch of time."""

    latencies: Moments
    lags: Moments
    retried: int = 0
    retries: int = 0
    serialization_failures: int = 0
    deadlock_failures: int = 0

    def add(self, each: Finished) -> None:
        """Add a transaction."""
        self.retried += each.retries > 0
        self.retries += each.retries
        self.serialization_failures += each.note == "serialization_failure"
        self.deadlock_failures += each.note == "deadlock"
        if each.is_done:
            self.latencies.add(each.latency_us)
            self.lags.add(each.lag_us)


@dataclass
class Moments:
    """Count, sums and extremes of some times."""

    count: int = 0
    total: int = 0
    squares: int = 0
    least: int = 0
    most: int = 0

    def add(self, value: int) -> None:
        """Add a time."""
        self.least = min(self.least, value) if self.count else value
        self.most = max(self.most, value)
        self.count += 1
        self.total += value
        self.squares += value * value

    def __str__(self) -> str:
        return f"{self.total} {self.squares} {self.least} {self.most}"


def _aggregated(finished: Iterable[Finished], every_s: int, began_s: float) -> Iterator[str]:
    sums: dict[int, Sums] = {}
    for each in finished:
        index = int((each.end_us / 1e6 - began_s) // every_s)
        sums.setdefault(index, Sums(Moments(), Moments())).add(each)
    for index in range(min(sums, default=0), max(sums, default=-1) + 1):
        # A stretch without any transaction has its line, too: a stall shows.
        each_sum = sums.get(index, Sums(Moments(), Moments()))
        failures = f"{each_sum.serialization_failures} {each_sum.deadlock_failures}"
        yield (
            f"{int(began_s) + index * every_s} {each_sum.latencies.count} {each_sum.latencies} "
            f"{each_sum.lags} 0 {each_sum.retried} {each_sum.retries} {failures}\n"
        )
