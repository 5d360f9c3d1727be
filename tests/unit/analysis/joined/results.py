"""Results to be compared, with throughput and settings as a test wants them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dbdyno.analysis.joined.part import Part
from dbdyno.experiment.plan import FactorLevels
from dbdyno.store.model import StoredResult
from tests.unit.store.result_builder import HOST, TrialScript, build_result, make_plan, trial_events

CLIENTS = FactorLevels("clients", ("1", "8"), "load.clients")
ENGINE = FactorLevels("engine", ("one", "other"), "server.engine")
RATES = (100, 103, 98, 101, 99, 102)


def result(
    directory: Path,
    factors: Sequence[FactorLevels] = (),
    *,
    rates: Sequence[int] = RATES,
    change: Callable[[TrialScript], None] = lambda _: None,
    host: Mapping[str, Any] = HOST,
) -> StoredResult:
    """Write a result whose trials do ``rates`` a second, by round."""

    def carry_out(script: TrialScript) -> None:
        script.events = trial_events([rates[script.planned.round - 1]] * 12)
        change(script)

    return build_result(directory, make_plan(factors, len(rates)), carry_out, host)


def part(name: str, stored: StoredResult, **levels: str) -> Part:
    """Return a side of a comparison."""
    return Part(name, stored, levels)
