"""Checks conditions on a database: all in one snapshot, run of warehouses by run of warehouses."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from decimal import Decimal

from dbdyno._native import Session
from dbdyno.errors import RunError
from dbdyno.tpcc.cardinality import CARDINALITIES
from dbdyno.tpcc.condition import Condition
from dbdyno.tpcc.conditions import CONDITIONS
from dbdyno.tpcc.customer_conditions import WAREHOUSES_WITHOUT_INDEX, balance
from dbdyno.tpcc.deviations import Deviation, deviations_of
from dbdyno.tpcc.schema import TpccSchema
from dbdyno.tpcc.tables import Run, Tables, runs

SHOWN_ROWS = 5

OpenSession = Callable[[], AbstractContextManager[Session]]
Row = tuple[str | None, ...]


@dataclass(frozen=True)
class ConditionResult:
    """What became of a condition.

    ``violations`` is the number of rows that violate it and ``rows`` are the first of them, keys
    first, under ``columns``. ``number`` is None for a table's size. ``explanation`` is there where
    violations are what a certain tool is known to do; of how many, it says where it is not all.
    """

    number: int | None
    title: str
    violations: int
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    elapsed_s: float
    explanation: str | None = None

    @property
    def holds(self) -> bool:
        """Tell whether no row violates it."""
        return self.violations == 0


Progress = Callable[[Condition, Run], None]
"""Told before each query."""


class CheckRefusedError(RunError):
    """A server, or a layer in front of it, does not answer what a condition asks."""


def check_consistency(
    open_session: OpenSession,
    schema: TpccSchema,
    warehouses: Sequence[int],
    numbers: Iterable[int] = tuple(CONDITIONS),
    progress: Progress | None = None,
    *,
    is_at_rest: bool = False,
) -> list[ConditionResult]:
    """Check conditions of clause 3.3.2, by default all, on these warehouses.

    The load has to be stopped: it costs the server memory to keep a snapshot beside it. Of tables
    that are known to be at rest none is needed, where a layer gives none.
    """
    conditions = [CONDITIONS[number] for number in numbers]
    with open_session() as session, _snapshot(session, schema, is_required=not is_at_rest):
        return _check_all(session, schema, warehouses, conditions, progress)


def check_cardinality(
    open_session: OpenSession,
    schema: TpccSchema,
    warehouses: Sequence[int],
    progress: Progress | None = None,
) -> list[ConditionResult]:
    """Check the number of rows in each table; only after loading they are known."""
    with open_session() as session, _snapshot(session, schema):
        return _check_all(session, schema, warehouses, CARDINALITIES, progress)


def _check_all(
    session: Session,
    schema: TpccSchema,
    warehouses: Sequence[int],
    conditions: Sequence[Condition],
    progress: Progress | None,
) -> list[ConditionResult]:
    return [_check(session, schema, warehouses, condition, progress) for condition in conditions]


@contextmanager
def _snapshot(session: Session, schema: TpccSchema, *, is_required: bool = True) -> Iterator[None]:
    """Read everything as of one instant; a session that failed ends its transaction by closing."""
    is_open = True
    try:
        for statement in schema.dialect.begin:
            session.query(statement)
    except RuntimeError as error:
        if is_required:
            raise RunError(
                "the conditions are checked on one snapshot of all tables, and this server, or a "
                f"layer in front of it, does not give one: {error}"
            ) from error
        is_open = False
    yield
    if is_open:
        session.query("ROLLBACK")


def _check(
    session: Session,
    schema: TpccSchema,
    warehouses: Sequence[int],
    condition: Condition,
    progress: Progress | None,
) -> ConditionResult:
    started = time.monotonic()
    found = _Found(deviations_of(condition.number))
    for run in runs(warehouses, _longest_run(condition, schema, len(warehouses))):
        if progress:
            progress(condition, run)
        try:
            found.add(session, condition, Tables(schema, run))
        except RuntimeError as error:
            raise CheckRefusedError(f'"{condition.title}" cannot be checked: {error}') from error
    return ConditionResult(
        number=condition.number,
        title=condition.title,
        violations=found.violations,
        columns=condition.columns,
        rows=tuple(_readable(row, condition, schema) for row in found.rows),
        elapsed_s=time.monotonic() - started,
        explanation=found.explanation(),
    )


def _longest_run(condition: Condition, schema: TpccSchema, warehouses: int) -> int | None:
    is_cheap_alone = schema.is_history_indexed or warehouses <= WAREHOUSES_WITHOUT_INDEX
    return 1 if condition is balance and is_cheap_alone else condition.longest_run


class _Found:
    """Violations of one condition so far, and how many of them each known habit explains."""

    def __init__(self, deviations: tuple[Deviation, ...]) -> None:
        self.violations = 0
        self.rows: list[Row] = []
        self._deviations = deviations
        self._explained = [0] * len(deviations)

    def add(self, session: Session, condition: Condition, tables: Tables) -> None:
        """Look for violations in a run of warehouses.

        They are counted in a query of their own, and only where there are any: every server knows
        how, and what holds is read once.
        """
        if condition.suspects and not session.query(
            f"SELECT 1 FROM ({condition.suspects(tables)}) v LIMIT 1"
        ):
            return
        violations = condition.violations(tables)
        keys = ", ".join(str(place + 1) for place in range(condition.keys))
        rows = session.query(f"SELECT * FROM ({violations}) v ORDER BY {keys} LIMIT {SHOWN_ROWS}")
        if not rows:
            return
        self.rows += rows[: SHOWN_ROWS - len(self.rows)]
        self._count(session, violations, tables)

    def _count(self, session: Session, violations: str, tables: Tables) -> None:
        counts = ["COUNT(*)"] + [
            f"SUM(CASE WHEN {deviation.shows(tables)} THEN 1 ELSE 0 END)"
            for deviation in self._deviations
        ]
        (counted,) = session.query(f"SELECT {', '.join(counts)} FROM ({violations}) v")
        number, *explained = (int(count or 0) for count in counted)
        self.violations += number
        self._explained = [a + b for a, b in zip(self._explained, explained, strict=True)]

    def explanation(self) -> str | None:
        """Return the habit that explains most violations, and how many where it is not all."""
        counted = zip(self._explained, self._deviations, strict=True)
        explained, deviation = max(counted, key=lambda pair: pair[0], default=(0, None))
        if deviation is None or 2 * explained <= self.violations:
            return None
        if explained == self.violations:
            return deviation.explanation
        return f"{explained:,} of {self.violations:,} rows: {deviation.explanation}"


def _readable(row: Row, condition: Condition, schema: TpccSchema) -> Row:
    """Return a row whose amounts are in the currency, whatever unit they were compared in."""
    units = schema.dialect.units
    if units == 1:
        return row
    return tuple(
        f"{Decimal(value) / units:.2f}" if value and column in condition.amounts else value
        for column, value in zip(condition.columns, row, strict=True)
    )
