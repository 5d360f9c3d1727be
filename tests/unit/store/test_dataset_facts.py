"""Facts of a dataset as they are put together, and as they are written."""

from __future__ import annotations

from dbdyno.store.facts import (
    CacheFacts,
    CheckFacts,
    DatasetFacts,
    DiskFacts,
    DiskSize,
    LogicalSize,
)


def test_what_nobody_has_said_is_not_written() -> None:
    facts = DatasetFacts(start="reload", check=CheckFacts(done=False))
    assert facts.to_document() == {"start": "reload", "check": {"done": False}}
    before = DatasetFacts(disk=DiskFacts(before=DiskSize(size_bytes=None, reason="no such table")))
    written = {"before": {"size_bytes": None, "reason": "no such table"}}
    assert before.to_document() == {"disk": written}


def test_facts_that_came_later_are_added_or_take_the_place_of_others() -> None:
    loaded = DatasetFacts(fingerprint="f", rows=7, load_refusals=[])
    size = LogicalSize(size_bytes=70, rows=7, read_share=1.0, reason=None)
    known = loaded | DatasetFacts(logical=size) | DatasetFacts(rows=8, caches=CacheFacts())
    assert loaded.to_document() == {"fingerprint": "f", "rows": 7, "load_refusals": []}
    assert known.to_document() == {
        "fingerprint": "f",
        "rows": 8,
        "load_refusals": [],
        "logical": {"size_bytes": 70, "rows": 7, "read_share": 1.0, "reason": None},
        "caches": {},
    }
    assert DatasetFacts.model_validate(known.to_document()) == known
