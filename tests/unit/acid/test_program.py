"""Programs without a server: conflicts, where they stop, how texts are written."""

from __future__ import annotations

import pytest

from dbdyno.errors import InputError
from dbdyno.tpcc.acid.dialect import DIALECTS
from dbdyno.tpcc.acid.steps import Steps, first_statements, is_conflict, opened, whole

CONFLICTS = [
    "could not serialize access due to concurrent update (SQLSTATE 40001)",
    "deadlock detected (SQLSTATE 40P01)",
    "Deadlock found when trying to get lock (error 1213, SQLSTATE 40001)",
    "Lock wait timeout exceeded; try restarting transaction (error 1205, SQLSTATE HY000)",
    "Record has changed since last read in table 'district' (error 1020, SQLSTATE HY000)",
    "database is locked (SQLITE_BUSY) (error 5, SQLSTATE HY000)",
]
OTHERS = [
    "duplicate key value violates unique constraint (SQLSTATE 23505)",
    "Duplicate entry '1-1-3001' (error 1062, SQLSTATE 23000)",
    "disk I/O error (SQLITE_IOERR) (error 10, SQLSTATE HY000)",
    "the session is closed",
    "somebody wrote SQLSTATE 40001 into the middle of his words",
]


@pytest.mark.parametrize("error", CONFLICTS)
def test_a_conflict_is_told_by_its_codes(error: str) -> None:
    assert is_conflict(error)


@pytest.mark.parametrize("error", OTHERS)
def test_another_error_is_no_conflict(error: str) -> None:
    assert not is_conflict(error)


def doubled() -> Steps[int]:
    ((value,),) = yield "SELECT 1"
    yield f"SELECT {value} * 2"
    return int(value or 0) * 2


def sent(steps: Steps[object]) -> list[str]:
    """Return the statements of a steps to which each answer is one row with a 1."""
    statements = [next(steps)]
    try:
        while True:
            statements.append(steps.send([("1",)]))
    except StopIteration:
        return statements


def test_a_program_is_stopped_or_enclosed_at_a_statement() -> None:
    assert sent(doubled()) == ["SELECT 1", "SELECT 1 * 2"]
    assert sent(first_statements(doubled(), 1)) == ["SELECT 1"]
    assert sent(first_statements(doubled(), 2)) == ["SELECT 1", "SELECT 1 * 2"]
    assert sent(opened("BEGIN", doubled())) == ["BEGIN", "SELECT 1", "SELECT 1 * 2"]
    assert sent(whole("BEGIN", doubled()))[-1] == "COMMIT"


def test_a_text_is_written_as_the_server_reads_it() -> None:
    assert DIALECTS["postgresql"].text(r"it's \n") == r"'it''s \n'"
    assert DIALECTS["mysql"].text(r"it's \n") == r"'it''s \\n'"


def test_sqlite_has_one_level_and_the_others_are_set() -> None:
    assert DIALECTS["sqlite"].setting_isolation("serializable") == []
    with pytest.raises(InputError, match="serializable, never read_committed"):
        DIALECTS["sqlite"].setting_isolation("read_committed")
    assert DIALECTS["mysql"].setting_isolation("read_committed") == [
        "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED"
    ]
