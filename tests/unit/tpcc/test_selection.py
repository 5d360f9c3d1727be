"""Which warehouses are meant, and into which runs they fall."""

from __future__ import annotations

import pytest

from dbdyno.errors import InputError
from dbdyno.tpcc.conditions import CONDITIONS
from dbdyno.tpcc.selection import select_conditions, select_warehouses
from dbdyno.tpcc.tables import runs


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, [1, 2, 3, 5, 8]),
        ("1-3", [1, 2, 3]),
        ("2-8", [2, 3, 5, 8]),
        ("5, 1,5", [1, 5]),
        ("8,1-2", [1, 2, 8]),
    ],
)
def test_warehouses_are_selected(text: str | None, expected: list[int]) -> None:
    assert select_warehouses(text, [1, 2, 3, 5, 8]) == expected


def test_a_sample_is_the_first_the_last_and_two_between() -> None:
    for _ in range(50):
        sample = select_warehouses("sample", range(1, 1001))
        assert len(set(sample)) == 4
        assert (sample[0], sample[-1]) == (1, 1000)
        assert sample == sorted(sample)
    assert select_warehouses("sample", [1, 2, 3]) == [1, 2, 3]
    assert select_warehouses("sample", [4]) == [4]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is no number"),
        ("1,,2", "'' is no number"),
        ("1-", "'1-' is no number"),
        ("two", "'two' is no number"),
        ("4", "there is no 4; there are 1 to 8"),
        ("2-4", "there is no 4; there are 1 to 8"),
        ("3-1", "there is no 3-1; there are 1 to 8"),
        ("0-9", "there is no 0 and 9; there are 1 to 8"),
    ],
)
def test_what_cannot_be_selected_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=f"^--warehouses {text}: (?:{message})"):
        select_warehouses(text, [1, 2, 3, 5, 8])


def test_conditions_are_selected() -> None:
    assert select_conditions(None) == list(range(1, 13)) == list(CONDITIONS)
    assert select_conditions("12,1-3") == [1, 2, 3, 12]
    with pytest.raises(InputError, match="--conditions 13: there is no 13; there are 1 to 12"):
        select_conditions("13")


@pytest.mark.parametrize(
    ("warehouses", "longest", "expected"),
    [
        ([], None, []),
        ([1, 2, 3], None, [(1, 3)]),
        ([1, 2, 3], 1, [(1, 1), (2, 2), (3, 3)]),
        ([3, 1, 2, 2, 7, 9, 10], None, [(1, 3), (7, 7), (9, 10)]),
        (range(1, 6), 2, [(1, 2), (3, 4), (5, 5)]),
        ([1, 2, 4, 5, 6], 2, [(1, 2), (4, 5), (6, 6)]),
    ],
)
def test_warehouses_fall_into_runs(
    warehouses: list[int], longest: int | None, expected: list[tuple[int, int]]
) -> None:
    assert [(run.first, run.last) for run in runs(warehouses, longest)] == expected
