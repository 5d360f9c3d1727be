"""What a file of properties asks of a run, whichever version's it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from dbdyno.errors import InputError
from dbdyno.peers.benchmarksql.settings import TERMINALS_PER_WAREHOUSE, WEIGHTS, Settings
from dbdyno.peers.benchmarksql.values import integer, number, switch


@dataclass(frozen=True)
class RunSettings:
    """What ``run`` needs besides."""

    terminals: int
    """Each has a connection of its own."""
    minutes: int
    is_warehouse_fixed: bool
    mix: Mapping[str, float]
    warnings: tuple[str, ...]
    transactions_per_terminal: int = 0
    rate_per_s: float | None = None
    """Transactions that are offered; None where there is no limit."""
    rampup_minutes: int = 0
    home_range: tuple[int, int] | None = None
    """The first and the last warehouse of terminals; None for all."""
    keying: float = 0.0
    think: float = 0.0
    """Multiples of the specification's times."""
    delivery: Literal["immediate", "deferred"] = "immediate"
    rollback_percent: float = 1.0
    transactions_per_connection: int = 0
    """After so many a connection is made anew; 0 for never."""


def read_run(settings: Settings) -> RunSettings:
    """Return what is needed to run; InputError names the property that is wrong."""
    from dbdyno.peers.benchmarksql.version_6 import read_version_6

    read = read_version_6 if settings.version == 6 else _read_version_5
    try:
        return read(settings)
    except InputError as error:
        raise InputError(f"{settings.path}: {error}") from error


def _read_version_5(settings: Settings) -> RunSettings:
    properties = settings.properties
    transactions = integer(properties, "runTxnsPerTerminal", 0)
    minutes = integer(properties, "runMins", 0)
    if bool(transactions) == bool(minutes):
        raise InputError(
            "exactly one of runTxnsPerTerminal and runMins must be above 0; they are "
            f"{transactions} and {minutes}"
        )
    most = TERMINALS_PER_WAREHOUSE * settings.warehouses
    terminals = integer(properties, "terminals", at_least=1)
    if terminals > most:
        raise InputError(
            f"terminals={terminals}: more than {TERMINALS_PER_WAREHOUSE} a warehouse; {most} is "
            f"the most with warehouses={settings.warehouses}"
        )
    mix, warnings = read_mix(properties, number(properties, "newOrderWeight", at_most=100))
    rate_per_s, about_rate = _rate(properties, terminals)
    return RunSettings(
        terminals=terminals,
        transactions_per_terminal=transactions,
        minutes=minutes,
        is_warehouse_fixed=switch(properties, "terminalWarehouseFixed"),
        mix=mix,
        rate_per_s=rate_per_s,
        warnings=(*warnings, *about_rate),
    )


def _rate(properties: Mapping[str, str], terminals: int) -> tuple[float | None, list[str]]:
    """Return the transactions a second that are offered, and what is to be said of them.

    BenchmarkSQL shares the limit out among its terminals, of which each sleeps after a transaction
    until its share of the time is over.
    """
    limit = integer(properties, "limitTxnsPerMin", 0)
    if limit == 0:
        return None, []
    if limit < terminals:
        return None, [
            f"limitTxnsPerMin={limit} has no effect, as in BenchmarkSQL: shared out among "
            f"{terminals} terminals it is 0, which is none"
        ]
    shared_out = limit // terminals * terminals
    return shared_out / 60, [
        f"limitTxnsPerMin={limit}: {shared_out} transactions a minute are offered at even "
        "distances, whatever the server does, and response times begin when they are due. "
        "BenchmarkSQL's terminals sleep after a transaction, so that a slow server is asked less "
        "and waiting is not seen"
    ]


def read_mix(
    properties: Mapping[str, str], asked: float | None
) -> tuple[dict[str, float], list[str]]:
    """Return the weights: New-Order has what the others leave, whatever its own property says."""
    others = {name: kind for name, kind in WEIGHTS.items() if name != "newOrderWeight"}
    weights = {kind: number(properties, name, at_most=100) for name, kind in others.items()}
    # Without what the sum of fractions leaves: 44.2, not 44.199999999999996.
    left = round(100 - sum(weights.values()), 9)
    if left < 0:
        raise InputError(f"the weights of all but New-Order sum to {100 - left:g}, above 100")
    warnings = []
    if asked is not None and asked != left:
        warnings.append(
            f"newOrderWeight={asked:g} has no effect: New-Order has the {left:g} % that the other "
            "weights leave"
        )
    return {"new_order": left, **weights}, warnings
