"""Every field that differs between two experiments is named, with both of its values."""

from __future__ import annotations

import pytest

from dbdyno.run.differences import differences

CASES = [
    ({"rounds": 3}, {"rounds": 3}, []),
    ({"rounds": 3}, {"rounds": 5}, ["rounds: 3 there, 5 here"]),
    ({"procedure": {"rounds": 3}}, {}, ["procedure.rounds: 3 there, not given here"]),
    ({}, {"a": {"b": {"c": "x"}}}, ["a.b.c: not given there, x here"]),
    ({"sqlite": {}}, {}, ["sqlite: {} there, not given here"]),
    ({"sqlite": {}}, {"sqlite": {"set": 1}}, ["sqlite.set: not given there, 1 here"]),
    ({"clients": [1, 2]}, {"clients": [1, 4]}, ["clients: [1, 2] there, [1, 4] here"]),
    ({"clients": [1]}, {"clients": {"levels": 1}}, ['clients: [1] there, {"levels": 1} here']),
    ({"question": "Is it?"}, {"question": "Why"}, ['question: "Is it?" there, Why here']),
    ({"a": 1, "b": 2}, {"b": 3, "c": True}, ["a: 1 there, not given here", "b: 2 there, 3 here",
                                             "c: not given there, true here"]),
]  # fmt: skip


@pytest.mark.parametrize(("there", "here", "named"), CASES, ids=str)
def test_differences(there: object, here: object, named: list[str]) -> None:
    assert [str(difference) for difference in differences(there, here)] == named
