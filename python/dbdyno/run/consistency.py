"""What the tables hold after a trial, TPC-C's consistency conditions too, as facts to store."""

from __future__ import annotations

import random
from contextlib import suppress

from dbdyno._native import Session
from dbdyno.database.url import database_of_url
from dbdyno.dataset.load import Dataset, Loader
from dbdyno.errors import DbdynoError
from dbdyno.experiment.plan import PlannedTrial
from dbdyno.experiment.workload.registry import checked_rows_of, rows_of
from dbdyno.experiment.workload.tpcc import MOST_WAREHOUSES_CHECKED
from dbdyno.generator.process import GeneratorLostError
from dbdyno.run.sizes import connect_to_checks
from dbdyno.store.facts import CheckFacts
from dbdyno.target.base import SystemUnderTest
from dbdyno.tpcc.check import CheckRefusedError, ConditionResult, check_consistency
from dbdyno.tpcc.schema import find_schema, find_warehouses

LOOKS = 2
"""So often tables are looked at where the generator that looks is ended from outside."""


def check_tables(
    server: SystemUnderTest,
    trial: PlannedTrial,
    loader: Loader,
    dataset: Dataset,
    *,
    is_sample: bool,
) -> CheckFacts:
    """Return whether a trial's tables still hold what its workload keeps in them.

    Of TPC-C's tables, all warehouses up to a number are checked, whether it ``is_sample`` or not.
    ``RunError`` with what they hold instead, ``GeneratorLostError`` where nobody could look.
    """
    fingerprint = _find(loader, dataset, is_sample=is_sample)
    if fingerprint is not None and has_conditions(trial):
        try:
            return check_conditions(server, trial)
        except CheckRefusedError as error:
            return CheckFacts(done=False, message=str(error))
    workload = trial.generator_plan.workload
    is_part = checked_rows_of(workload, is_sample=is_sample) < rows_of(workload)
    facts = CheckFacts(done=True, passed=fingerprint is not None)
    return facts.model_copy(update={"is_sample": True}) if is_part else facts


def _find(loader: Loader, dataset: Dataset, *, is_sample: bool) -> str | None:
    for _ in range(LOOKS - 1):
        with suppress(GeneratorLostError):
            return loader.check(dataset, is_sample=is_sample)
    return loader.check(dataset, is_sample=is_sample)


def has_conditions(trial: PlannedTrial) -> bool:
    """Tell whether a trial's tables are TPC-C's."""
    return trial.generator_plan.tpcc is not None


def check_conditions(server: SystemUnderTest, trial: PlannedTrial) -> CheckFacts:
    """Check all conditions; return whether they hold, and the violations in words.

    ``CheckRefusedError`` where they cannot be checked.
    """
    try:
        with connect_to_checks(server)() as session:
            return _check(server, trial, session)
    except DbdynoError as error:
        if server.check_url == server.url:
            raise
        # What is wrong at another place says nothing of the tables that clients have used.
        raise CheckRefusedError(f"at {server.check_url}: {error}") from error


def _check(server: SystemUnderTest, trial: PlannedTrial, session: Session) -> CheckFacts:
    wanted = trial.generator_plan.workload["tpcc"]["schema"]
    schema = find_schema(session, database_of_url(server.check_url), wanted)
    warehouses = _some_of(find_warehouses(session, schema), trial)
    # The load has ended, and its last answers have come.
    results = check_consistency(connect_to_checks(server), schema, warehouses, is_at_rest=True)
    violated = [result for result in results if not result.holds]
    facts = CheckFacts(
        done=True,
        passed=not violated,
        warehouses_checked=len(warehouses),
        conditions={str(result.number): result.violations for result in results},
    )
    if not violated:
        return facts
    return facts.model_copy(update={"message": "; ".join(map(_in_words, violated))})


def _some_of(present: list[int], trial: PlannedTrial) -> list[int]:
    """Return all warehouses, or the first, the last and others that the trial's seed chooses."""
    if len(present) <= MOST_WAREHOUSES_CHECKED:
        return present
    chosen = random.Random(trial.generator_plan.seed).sample(
        present[1:-1], MOST_WAREHOUSES_CHECKED - 2
    )
    return sorted({present[0], *chosen, present[-1]})


def _in_words(result: ConditionResult) -> str:
    first = ", ".join(
        f"{column} {value}" for column, value in zip(result.columns, result.rows[0], strict=True)
    )
    rows = "1 row" if result.violations == 1 else f"{result.violations:,} rows"
    return f"condition {result.number} ({result.title}) is violated by {rows}, first {first}"
