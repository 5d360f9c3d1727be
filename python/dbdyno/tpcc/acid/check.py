"""Carries out all tests on the tables that are there, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dbdyno.database.session import open_session
from dbdyno.errors import RunError
from dbdyno.tpcc.acid import atomicity, conflicts, dirty_read, repeated_reads
from dbdyno.tpcc.acid.connection import Connection
from dbdyno.tpcc.acid.dialect import DIALECTS
from dbdyno.tpcc.acid.result import AcidResult, AcidTest, Finding, Verdict
from dbdyno.tpcc.acid.scenario import Scenario
from dbdyno.tpcc.acid.steps import ConflictError, StatementError, UndecidedError
from dbdyno.tpcc.acid.writing import Writing
from dbdyno.tpcc.schema import TpccSchema

ATOMICITY = (
    atomicity.payment_committed,
    atomicity.payment_rolled_back,
    atomicity.order_given_up,
    atomicity.order_cut_off,
)
ISOLATION = (
    dirty_read.beside_commit,
    dirty_read.beside_rollback,
    conflicts.orders_beside_commit,
    conflicts.orders_beside_rollback,
    conflicts.payment_beside_commit,
    conflicts.payment_beside_rollback,
    repeated_reads.prices,
    repeated_reads.first_new_order,
    repeated_reads.last_order,
)
"""In the order of clause 3.4.2, numbered from 1."""

WAIT_S = 1.0
"""Without an answer for so long, a statement is taken to wait for another transaction."""

Tell = Callable[[AcidResult], None]


@dataclass(frozen=True)
class Target:
    """Where the tables are; ``isolation`` is None for the server's default."""

    url: str
    password: str | None
    schema: TpccSchema
    isolation: str | None = None
    wait_s: float = WAIT_S

    def setup(self) -> list[str]:
        """Return the first statements of each connection."""
        return DIALECTS[self.schema.dialect.name].setting_isolation(self.isolation)

    def connect(self) -> Connection:
        """Open a connection with the level that is wanted."""
        return Connection(self.url, self.password, self.setup())


def effective_isolation(target: Target) -> str:
    """Ask the server for the level that a connection has, as options name it.

    ``RunError`` where it is not the one that was asked for: a layer may obey and do something else.
    """
    with open_session(target.url, target.password) as session:
        for statement in target.setup():
            session.query(statement)
        rows = session.query(DIALECTS[target.schema.dialect.name].ask_isolation)
    if not rows:
        raise RunError(f"{target.url} does not tell its isolation level")
    level = str(rows[0][-1]).lower().replace("-", "_").replace(" ", "_")
    if target.isolation not in (None, level):
        raise RunError(
            f"isolation {target.isolation} was asked for, and the server runs {level}; ask for a "
            "level that it has"
        )
    return level


def check_acid(target: Target, tell: Tell) -> list[AcidResult]:
    """Carry out all tests, and tell each result as soon as it is there.

    Nothing else may change the tables meanwhile. What remains of it are whole transactions.
    """
    writing = Writing(target.schema.names, DIALECTS[target.schema.dialect.name])
    results = []
    with Scenario(writing, target.connect, target.wait_s) as scenario:
        for test in (*ATOMICITY, *ISOLATION):
            results.append(_carry_out(test, scenario))
            tell(results[-1])
    return results


def _carry_out(test: AcidTest, scenario: Scenario) -> AcidResult:
    scenario.steps.clear()
    try:
        finding = test.carry_out(scenario)
    except UndecidedError as error:
        return _undecided(test, scenario, str(error))
    except ConflictError as error:
        return _undecided(test, scenario, f"aborted, and by none of the two: {error}")
    except StatementError as error:
        return _undecided(test, scenario, f"a statement failed: {error}")
    finally:
        scenario.settle()
    return _result(test, scenario, finding)


def _result(test: AcidTest, scenario: Scenario, finding: Finding) -> AcidResult:
    verdict = Verdict.PASSED if finding.holds else Verdict.FAILED
    return AcidResult(test, verdict, finding.reason, tuple(scenario.steps))


def _undecided(test: AcidTest, scenario: Scenario, reason: str) -> AcidResult:
    return AcidResult(test, Verdict.UNDECIDED, reason, tuple(scenario.steps))
