"""What hosts, servers and generators used in each cell's windows: a mean and a p95 a resource.

Trials are looked at one after the other, and of each only its figures are kept: a result may have
thousands of trials, each with many series of many intervals.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

import polars as pl

from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.experiment.plan import Cell
from dbdyno.resources import CPU_TIMES, GENERATOR, HOST, PROCESS_CPU_TIMES, SERVER
from dbdyno.store.model import ResourcesZero


class Resource(StrEnum):
    """What is used of a host, or by a server or a generator; the unit comes last."""

    CPU_CORES = "cpu_cores"
    CPU_COUNT = "cpu_count"
    """How many CPUs the host has; all of its CPU time a second."""
    BUSIEST_CPU_SHARE = "busiest_cpu_share"
    STOLEN_SHARE = "stolen_share"
    """Of all CPU time, what the hypervisor gave to other machines."""
    IO_PRESSURE_SHARE = "io_pressure_share"
    """Of the time, that in which some task waited for a disk."""
    MEMORY_AVAILABLE_BYTES = "memory_available_bytes"
    DISK_READ_BYTES_PER_S = "disk_read_bytes_per_s"
    DISK_WRITE_BYTES_PER_S = "disk_write_bytes_per_s"
    DISK_AWAIT_S = "disk_await_s"
    """Mean time of a request; the p95 is of the intervals' means."""
    NETWORK_RECEIVE_BYTES_PER_S = "network_receive_bytes_per_s"
    NETWORK_SEND_BYTES_PER_S = "network_send_bytes_per_s"
    PROCESS_CPU_CORES = "process_cpu_cores"


LEFT_OVER = frozenset({Resource.MEMORY_AVAILABLE_BYTES})
"""What is left, so that little of it is a lot of use."""


@dataclass(frozen=True)
class UsageKey:
    """Whose figure it is: a host's, one of its devices', or that of a member that runs there."""

    host: str
    member: str
    """Empty where it is the whole host's."""
    device: str
    """A disk or a network interface; empty where there is none."""
    resource: Resource


@dataclass(frozen=True)
class Usage:
    """The mean over the windows of trials, and the p95 of intervals where a trial's was highest.

    Percentiles of several trials are not averaged. Of what is left of something, memory, ``p95``
    is what 95 % of the intervals had at least, in the trial in which that was lowest.
    """

    mean: float
    p95: float


CellUsage = Mapping[UsageKey, Usage]


@dataclass(frozen=True)
class _Formula:
    """A figure of an interval: the sum of ``counted`` by that of ``per``, or by its seconds."""

    counted: tuple[str, ...]
    per: tuple[str, ...] = ()
    is_level: bool = False
    """A level counts for as long as its interval lasts."""


_FORMULAS: Mapping[Resource, _Formula] = {
    Resource.CPU_CORES: _Formula(("cpu.user_s", "cpu.system_s", "cpu.interrupt_s")),
    Resource.CPU_COUNT: _Formula(CPU_TIMES),
    Resource.BUSIEST_CPU_SHARE: _Formula(("cpu.busiest_share",), is_level=True),
    Resource.STOLEN_SHARE: _Formula(("cpu.steal_s",), per=CPU_TIMES),
    Resource.IO_PRESSURE_SHARE: _Formula(("pressure.io_some_s",)),
    Resource.MEMORY_AVAILABLE_BYTES: _Formula(("memory.available_bytes",), is_level=True),
    Resource.DISK_READ_BYTES_PER_S: _Formula(("disk.read_bytes",)),
    Resource.DISK_WRITE_BYTES_PER_S: _Formula(("disk.write_bytes",)),
    Resource.DISK_AWAIT_S: _Formula(
        ("disk.read_wait_s", "disk.write_wait_s"), per=("disk.reads", "disk.writes")
    ),
    Resource.NETWORK_RECEIVE_BYTES_PER_S: _Formula(("network.receive_bytes",)),
    Resource.NETWORK_SEND_BYTES_PER_S: _Formula(("network.send_bytes",)),
    Resource.PROCESS_CPU_CORES: _Formula(PROCESS_CPU_TIMES),
}


def usage_by_cell(trials: Iterable[WindowTotals]) -> dict[Cell, CellUsage]:
    """Return what was used in each cell; a figure that no trial of it has is left out."""
    found: dict[Cell, dict[UsageKey, list[Usage]]] = defaultdict(lambda: defaultdict(list))
    for measured in trials:
        for key, usage in usage_of(measured).items():
            found[measured.trial.planned.cell][key].append(usage)
    return {
        cell: {key: _together(key, usages) for key, usages in by_key.items()}
        for cell, by_key in found.items()
    }


def usage_of(measured: WindowTotals) -> dict[UsageKey, Usage]:
    """Return what was used in one trial's window; nothing where it cannot be told from the rest."""
    resources = measured.trial.resources
    if resources is None or measured.trial.resources_zero is ResourcesZero.WATCH_START:
        return {}
    middle = pl.col("start_s") + pl.col("duration_s") / 2
    window = resources.filter(middle >= 0, middle < measured.window_s)
    keys, terms = _terms_of(window.select(_SERIES).unique(maintain_order=True))
    figures = (
        _intervals(window.join(terms, on=_SERIES))
        .group_by("key", maintain_order=True)
        .agg(
            mean=pl.col("counted").sum() / pl.col("per").sum(),
            high=pl.col("value").quantile(0.95, "nearest"),
            low=pl.col("value").quantile(0.05, "nearest"),
        )
    )
    return {
        keys[place]: Usage(mean, low if keys[place].resource in LEFT_OVER else high)
        for place, mean, high, low in figures.iter_rows()
    }


_SERIES = ("host", "member", "role", "metric")
"""What tells one series of figures from another."""
_DEVICE = re.compile(r"(disk|network)\[(.*)\]\.(.*)")


def _terms_of(series: pl.DataFrame) -> tuple[list[UsageKey], pl.DataFrame]:
    """Return the figures that some series are for, and a row for each use of a series in one.

    Names are looked at here, once a series and not once a row.
    """
    places: dict[UsageKey, int] = {}
    rows = []
    for index, (host, member, role, metric) in enumerate(series.iter_rows()):
        device = _DEVICE.fullmatch(metric)
        name = f"{device[1]}.{device[3]}" if device else metric
        for resource, is_divisor in _USES[name] if role in _ROLES else ():
            key = UsageKey(host, member, device[2] if device else "", resource)
            formula = _FORMULAS[resource]
            place = places.setdefault(key, len(places))
            rows.append((index, place, formula.is_level, is_divisor, bool(formula.per)))
    terms = pl.DataFrame(rows, schema=_TERM_SCHEMA, orient="row")
    numbered = series.with_row_index("series").cast({"series": pl.Int64()})
    return list(places), numbered.join(terms, on="series").drop("series")


_ROLES = frozenset({HOST, SERVER, GENERATOR})
_TERM_SCHEMA = pl.Schema(
    {
        "series": pl.Int64(),
        "key": pl.Int64(),
        "is_level": pl.Boolean(),
        "is_divisor": pl.Boolean(),
        "has_divisor": pl.Boolean(),
    }
)


def _uses() -> defaultdict[str, list[tuple[Resource, bool]]]:
    """Return by metric in which figures it is counted, or divided by."""
    uses: defaultdict[str, list[tuple[Resource, bool]]] = defaultdict(list)
    for resource, formula in _FORMULAS.items():
        for names, is_divisor in ((formula.counted, False), (formula.per, True)):
            for name in names:
                uses[name].append((resource, is_divisor))
    return uses


_USES = _uses()


def _intervals(rows: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each figure and interval: what it counts, by what, and their ratio."""
    amount = pl.when("is_level").then(pl.col("value") * pl.col("duration_s")).otherwise("value")
    sums = (
        rows.with_columns(
            counted=pl.when("is_divisor").then(0.0).otherwise(amount),
            divisor=pl.when("is_divisor").then("value").otherwise(0.0),
        )
        .group_by("key", "start_s", maintain_order=True)
        .agg(pl.col("counted", "divisor").sum(), pl.col("has_divisor", "duration_s").first())
    )
    per = pl.when("has_divisor").then("divisor").otherwise("duration_s")
    # Without a request there is no time that one took.
    known = sums.with_columns(per=per).filter(pl.col("per") > 0)
    return known.with_columns(value=pl.col("counted") / pl.col("per"))


def _together(key: UsageKey, usages: list[Usage]) -> Usage:
    worst = min if key.resource in LEFT_OVER else max
    return Usage(
        mean=sum(each.mean for each in usages) / len(usages),
        p95=worst(each.p95 for each in usages),
    )
