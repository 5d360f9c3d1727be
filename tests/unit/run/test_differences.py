"""Every field that differs between two experiments is named, with both of its values."""

from __future__ import annotations

import pytest

from dbdyno.run.differences import differences

CASES = [
    ({"rounds": 3}, {"rounds": 3}, []),
    ({"rounds": 3}, {"rounds": 5}, ["rounds: 3 in the result, 5 in the file"]),
    ({"procedure": {"rounds": 3}}, {}, ["procedure.rounds: 3 in the result, nothing in the file"]),
    ({}, {"a": {"b": {"c": "x"}}}, ["a.b.c: nothing in the result, x in the file"]),
    ({"sqlite": {}}, {}, ["sqlite: {} in the result, nothing in the file"]),
    ({"sqlite": {}}, {"sqlite": {"set": 1}}, ["sqlite.set: nothing in the result, 1 in the file"]),
    (
        {"clients": [1, 2]},
        {"clients": [1, 4]},
        ["clients: [1, 2] in the result, [1, 4] in the file"],
    ),
    (
        {"clients": [1]},
        {"clients": {"levels": 1}},
        ['clients: [1] in the result, {"levels": 1} in the file'],
    ),
    (
        {"question": "Is it?"},
        {"question": "Why"},
        ['question: "Is it?" in the result, Why in the file'],
    ),
    (
        {"a": 1, "b": 2},
        {"b": 3, "c": True},
        [
            "a: 1 in the result, nothing in the file",
            "b: 2 in the result, 3 in the file",
            "c: nothing in the result, true in the file",
        ],
    ),
]


@pytest.mark.parametrize(("there", "here", "named"), CASES, ids=str)
def test_differences(there: object, here: object, named: list[str]) -> None:
    assert [str(difference) for difference in differences(there, here)] == named
