"""Suspicions: curves of another level, and directions that another server contradicts."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.analysis.audit.audit import audit
from dbdyno.analysis.audit.model import Code, Line
from dbdyno.results_table.read import read_tables

LOADS = (1, 8, 16, 64, 128, 256)


def suspicions(tmp_path: Path, text: str) -> list[Line]:
    file = tmp_path / "report.md"
    file.write_text(text, encoding="utf-8")
    found = audit(read_tables([file], None))
    return [line for each in found if each.code is Code.MAY_BE_MIXED_UP for line in each.lines]


def balancing(of_three: float, *, spread: float = 1.01) -> str:
    """Return rates by lvs, with 9 and 3 nodes, and by list, with 9 and 18: list is 1.4 times."""
    ratios = (1.0, of_three, 1.4, 1.4 * spread)
    rows = [
        " | ".join([f"| {load}", *(f"{3000 * ratio * load**0.8:.2f}" for ratio in ratios), ""])
        for load in LOADS
    ]
    return "\n".join(
        [
            "| balancing | lvs | < | list | < |",
            "|---|---|---|---|---|",
            "| **data nodes** | **9** | **3** | **9** | **18** |",
            "| **clients** | **tpmC** | **tpmC** | **tpmC** | **tpmC** |",
            *rows,
        ]
    )


def test_a_curve_of_another_level_is_suspected(tmp_path: Path) -> None:
    (line,) = suspicions(tmp_path, balancing(1.39))
    assert dict(line.figures)["cell"] == "balancing=lvs data nodes=3"
    assert dict(line.figures)["other_cell"] == "balancing=list"
    assert dict(line.figures)["change_percent"] == pytest.approx(39, abs=0.1)


@pytest.mark.parametrize(
    ("of_three", "spread"),
    [
        (1.05, 1.01),  # As its own level.
        (1.2, 1.01),  # As neither.
        (1.39, 1.3),  # The other level has no curve of its own.
    ],
)
def test_a_curve_that_may_be_of_its_level_is_not(
    of_three: float, spread: float, tmp_path: Path
) -> None:
    assert suspicions(tmp_path, balancing(of_three, spread=spread)) == []


def test_more_that_helps_at_one_level_alone_is_no_suspicion(tmp_path: Path) -> None:
    """Where nine nodes were faster than three, list may just not need them."""
    text = balancing(1.39).replace("| **9** | **3** |", "| **3** | **9** |")
    assert suspicions(tmp_path, text) == []


def traffic(*, received: str, sent: str, relayed: float = 1.0) -> str:
    """Return what servers receive and send: answers, twice as long, go past the balancer."""
    rows = []
    for load in LOADS:
        asked = 1000.0 * load
        for role, rx, tx in (
            ("client", 2 * asked, asked),
            ("balancer", relayed * asked, relayed * asked * 1.01),
            ("server", 1.1 * asked, 2.2 * asked),
        ):
            rows.append(f"| {load} | {role} | {rx:.0f}KB/S | {tx:.0f}KB/S |")
    heading = f"| clients | role | {received} | {sent} |\n|---|---|---|---|\n"
    return heading + "\n".join(rows)


def test_directions_that_were_swapped_are_suspected(tmp_path: Path) -> None:
    """With both headings swapped the client sends twice what the balancer receives."""
    (line,) = suspicions(tmp_path, traffic(received="sent", sent="received"))
    assert dict(line.figures)["cell"] == "role=client"
    assert dict(line.figures)["other_cell"] == "role=balancer"


@pytest.mark.parametrize(
    "text",
    [
        traffic(received="received", sent="sent"),
        traffic(received="sent", sent="received", relayed=1.3),  # It serves others, too.
        traffic(received="in", sent="out"),  # No direction is named.
    ],
)
def test_directions_that_agree_or_are_not_known_are_not(text: str, tmp_path: Path) -> None:
    assert suspicions(tmp_path, text) == []
