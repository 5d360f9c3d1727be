"""The sizes of a cell's tables: what is averaged, what belongs together, and what is not known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.findings import SizeSummary
from dbdyno.analysis.units import bytes_in_words
from dbdyno.report.words.sizes import gap_in_words
from tests.unit.store.result_builder import TrialScript, build_result, make_plan

MIB = 1 << 20


def on_disk(size_bytes: int | None, **facts: str | int | None) -> dict[str, Any]:
    """Return what is stored of a size on disk."""
    known = {"source": "tablespaces", "reason": None, "note": None, "directory_bytes": 9 * MIB}
    return {"size_bytes": size_bytes, "tables_bytes": {}} | known | facts


def logical(size_bytes: int | None, **facts: str | float | None) -> dict[str, Any]:
    """Return what is stored of a logical size."""
    return {"size_bytes": size_bytes, "rows": 7, "read_share": 1.0, "reason": None} | facts


def size_of(directory: Path, change: Callable[[TrialScript], None]) -> SizeSummary | None:
    """Return the size of the one cell of three trials."""
    (cell,) = analyse(build_result(directory, make_plan(), change)).cells
    return cell.size


def test_sizes_as_loaded_and_growth_are_averaged(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        before = (3 + script.planned.round) * MIB
        script.dataset["logical"] = logical(10 * MIB)
        script.dataset["disk"] = {"before": on_disk(before), "after": on_disk(before + MIB)}

    size = size_of(tmp_path / "r", change)
    assert size == SizeSummary(5 * MIB, 10 * MIB, False, MIB, 9 * MIB, sources=("tablespaces",))
    assert size.ratio == 2.0
    assert size.disk_share == 0.5


def test_only_trials_on_the_tables_as_loaded_have_both_sizes(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        number = script.planned.round
        before = 4 * number * MIB
        script.dataset["disk"] = {"before": on_disk(before), "after": on_disk(before + 4 * MIB)}
        if number == 1:
            script.dataset["logical"] = logical(10 * MIB, read_share=0.1)

    size = size_of(tmp_path / "r", change)
    assert size is not None
    assert (size.disk_bytes, size.growth_bytes) == (4 * MIB, 4 * MIB)
    assert size.is_estimate
    assert size.ratio == 2.5


def test_of_several_nodes_no_ratio_is_known(tmp_path: Path) -> None:
    """Each may have all rows or a part of them."""

    def change(script: TrialScript) -> None:
        script.dataset["logical"] = logical(10 * MIB)
        script.dataset["disk"] = {"before": on_disk(30 * MIB, nodes=3)}

    size = size_of(tmp_path / "r", change)
    assert size is not None
    assert (size.disk_bytes, size.nodes, size.ratio, size.disk_share) == (30 * MIB, 3, None, None)


@pytest.mark.parametrize(
    ("start", "reason"),
    [
        ("as_is", "its trials began with tables that earlier trials had changed"),
        ("snapshot", "the tables were loaded by a version of dbdyno that did not measure it"),
    ],
)
def test_without_a_logical_size_no_ratio_is_known(tmp_path: Path, start: str, reason: str) -> None:
    def change(script: TrialScript) -> None:
        script.dataset |= {"start": start, "disk": {"before": on_disk(4 * MIB)}}

    size = size_of(tmp_path / "r", change)
    assert size is not None
    assert (size.disk_bytes, size.logical_bytes, size.ratio) == (4 * MIB, None, None)
    assert size.growth_bytes is None
    assert list(map(gap_in_words, size.gaps)) == [f"logical size: {reason}"]


def test_a_reason_is_told_once(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        denied = on_disk(None, source="", reason="denied", directory_bytes=None, note="in memory")
        script.dataset["logical"] = logical(None, reason="no such table")
        script.dataset["disk"] = {"before": denied, "after": denied}

    size = size_of(tmp_path / "r", change)
    assert size is not None
    reasons = ["size on disk: denied", "logical size: no such table"]
    assert list(map(gap_in_words, size.gaps)) == reasons
    assert size == SizeSummary(None, None, False, None, None, (), size.gaps, ("in memory",))
    assert size.ratio is None
    assert size.disk_share is None


def test_a_result_without_sizes_has_none(tmp_path: Path) -> None:
    assert size_of(tmp_path / "r", lambda script: script.dataset.update(rows=1)) is None


@pytest.mark.parametrize(
    ("size_bytes", "words"),
    [
        (0, "0 bytes"),
        (1023, "1023 bytes"),
        (1024, "1.00 KiB"),
        (82_124_800, "78.3 MiB"),
        (-5 * MIB, "−5.00 MiB"),
        (66 << 30, "66.0 GiB"),
        (5 << 50, "5,120 TiB"),
    ],
)
def test_bytes_are_written_in_a_unit_that_suits(size_bytes: int, words: str) -> None:
    assert bytes_in_words(size_bytes) == words.replace(" ", "\N{NO-BREAK SPACE}")
