"""Adds the generator's intervals up, by kind of transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dbdyno._native import Histogram

KINDS = ("new_order", "payment", "order_status", "delivery", "stock_level")
"""In the specification's order, which is that of all tools."""
DELIVERY_DEFERRED = "delivery_deferred"
STATEMENT_KINDS = ("read", "write", "other")


@dataclass
class KindTotals:
    """What became of the transactions of one kind."""

    committed: int = 0
    rolled_back: int = 0
    failed: int = 0
    retries: int = 0
    response: Histogram = field(default_factory=Histogram)

    def add(self, counted: Mapping[str, Any]) -> None:
        """Add what an interval says of this kind."""
        self.committed += counted["committed"]
        self.rolled_back += counted["rolled_back"]
        self.failed += counted["failed"]
        self.retries += counted["retries"]
        overflow = counted.get("response_overflow", 0)
        self.response.merge(Histogram.decode(counted["response"], overflow))

    @property
    def finished(self) -> int:
        """Those that did their work; to roll back on purpose is part of it."""
        return self.committed + self.rolled_back

    def percentile_ms(self, percentile: float) -> float | None:
        """Return a percentile of response times; None where there is none, or beyond the range."""
        value_ns = self.response.quantile_ns(percentile / 100)
        return None if value_ns is None else value_ns / 1e6

    @property
    def max_ms(self) -> float:
        """The longest response time."""
        return self.response.max_ns / 1e6

    @property
    def mean_ms(self) -> float:
        """The mean response time."""
        return self.response.mean_ns / 1e6 if self.response.count else 0.0

    def later_than(self, limit_ms: float) -> int:
        """Return how many took longer."""
        late = sum(
            count for value_ns, count in self.response.recorded() if value_ns > limit_ms * 1e6
        )
        return late + self.response.overflow


@dataclass
class ErrorTotals:
    """One class of errors: how many attempts it ended, and one server's words for it."""

    count: int = 0
    code: int | str | None = None
    sample: str = ""


@dataclass
class Totals:
    """What happened in a stretch of time."""

    elapsed_s: float = 0.0
    kinds: dict[str, KindTotals] = field(default_factory=dict)
    errors: dict[str, ErrorTotals] = field(default_factory=dict)
    live_clients: int = 0
    statements: int = 0
    round_trips: int = 0
    generator_cpu_s: float = 0.0

    def add(self, interval: Mapping[str, Any]) -> None:
        """Add an interval event; levels are those of the last one."""
        self.elapsed_s += interval["duration_s"]
        self.live_clients = interval["live_clients"]
        self.statements += sum(interval["statements"][kind] for kind in STATEMENT_KINDS)
        self.round_trips += interval["round_trips"]
        self.generator_cpu_s += sum(interval["generator"][part] for part in ("user_s", "system_s"))
        for kind, counted in interval["transactions"].items():
            self.kinds.setdefault(kind, KindTotals()).add(counted)
        for error in interval["errors"]:
            known = self.errors.setdefault(error["class"], ErrorTotals())
            known.count += error["count"]
            known.code = error["code"]
            known.sample = error["sample"]

    def of(self, kind: str) -> KindTotals:
        """Return the totals of a kind, of which there may have been none."""
        return self.kinds.get(kind) or KindTotals()

    def finished(self, kinds: Iterable[str] = KINDS) -> int:
        """Return how many transactions did their work; a deferred Delivery is not one more."""
        return sum(self.of(kind).finished for kind in kinds)

    def per_minute(self, count: int) -> float:
        """Return how many there were a minute."""
        return 60 * count / self.elapsed_s if self.elapsed_s else 0.0

    def per_s(self, count: int) -> float:
        """Return how many there were a second."""
        return count / self.elapsed_s if self.elapsed_s else 0.0

    @property
    def new_orders_per_minute(self) -> float:
        """New-Orders, those rolled back on purpose among them, as the specification counts."""
        return self.per_minute(self.of("new_order").finished)
