"""What is concluded of whole curves: that they fall, that two are alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.errors import InputError
from tests.unit.audit.tables import Sheet, findings

LOADS = ("8", "16", "32", "64")
OLD = (1000.0, 1900.0, 3000.0, 2700.0)
NEW = (1003.0, 1930.0, 2950.0, 2200.0)


def curves(**by_system: tuple[float, ...]) -> Sheet:
    return Sheet(
        headings=("system", "threads", "tps"),
        rows=tuple(
            (system, load, f"{rate:.1f}")
            for system, rates in by_system.items()
            for load, rate in zip(LOADS, rates, strict=True)
        ),
    )


def rounds(*, of_new: tuple[float, ...]) -> Sheet:
    old = (1000.0, 1004.0, 996.0, 1002.0)
    return Sheet(
        headings=("system", "threads", "round", "tps"),
        rows=tuple(
            (system, "8", str(number), f"{rate:.1f}")
            for system, rates in (("Old", old), ("New", of_new))
            for number, rate in enumerate(rates, 1)
        ),
    )


def concluded(sheet: Sheet, claim: str, folder: Path) -> list[tuple[str, list[str]]]:
    """Return of each finding on the claim its figures' kind, line by line."""
    described = sheet.described(f"claims: [{{{claim}}}]\n")
    return [
        (each.variant, [line.kind for line in each.lines])
        for each in findings(described, folder, "csv")
        if each.code == "holds-in-part"
    ]


@pytest.mark.parametrize(
    ("rates", "found"),
    [
        (OLD, []),
        # Its best is at the highest load.
        ((1000.0, 1900.0, 2800.0, 3000.0), [("falls", ["fall_open"])]),
        # By less than single runs differ.
        ((1000.0, 1900.0, 3000.0, 2900.0), [("falls", ["fall_open"])]),
        # It comes back after a fall, which is a fall none the less.
        ((1000.0, 3000.0, 2700.0, 2990.0), []),
    ],
)
def test_a_curve_falls_from_its_best_to_the_lowest_beyond_it(
    rates: tuple[float, ...], found: list[tuple[str, list[str]]], tmp_path: Path
) -> None:
    sheet = curves(Old=rates, New=NEW)
    assert concluded(sheet, "says: falls, subject: Old", tmp_path) == found


def test_a_fall_that_others_exceed_is_not_theirs_alone(tmp_path: Path) -> None:
    sheet = curves(Old=OLD, New=NEW)
    claim = "says: falls, subject: {}, than: {}"
    assert concluded(sheet, claim.format("Old", "New"), tmp_path) == [
        ("falls_more", ["fall_more_reversed"])
    ]
    assert concluded(sheet, claim.format("New", "Old"), tmp_path) == []


def test_single_runs_are_alike_within_five_percent(tmp_path: Path) -> None:
    sheet = curves(Old=OLD, New=NEW)
    assert concluded(sheet, "says: alike, subject: New, than: Old", tmp_path) == [
        ("alike", ["speed_differs", *["speed_holds"] * 3])
    ]
    near = curves(Old=OLD, New=tuple(1.04 * each for each in OLD))
    assert concluded(near, "says: alike, subject: New, than: Old", tmp_path) == []


@pytest.mark.parametrize(
    ("of_new", "found"),
    [
        ((1010.0, 1014.0, 1006.0, 1012.0), []),
        ((1200.0, 1204.0, 1196.0, 1202.0), [("alike", ["speed_differs"])]),
        # The means are as near as above, and the rounds do not show it.
        ((900.0, 1130.0, 880.0, 1140.0), [("alike", ["speed_open"])]),
    ],
)
def test_rounds_are_alike_where_their_interval_is_within_five_percent(
    of_new: tuple[float, ...], found: list[tuple[str, list[str]]], tmp_path: Path
) -> None:
    sheet = rounds(of_new=of_new)
    assert concluded(sheet, "says: alike, subject: New, than: Old", tmp_path) == found


def test_of_a_run_with_parts_the_total_counts(tmp_path: Path) -> None:
    """Both generators of B differ from A's by a third, and their sums are alike."""
    sheet = Sheet(
        headings=("case", "loader", "threads", "nopm"),
        rows=tuple(
            (case, loader, "8", f"{rate:.1f}")
            for case, both in (("A", (1000.0, 2000.0)), ("B", (1330.0, 1670.0)))
            for loader, rate in (("one", both[0]), ("two", both[1]), ("total", sum(both)))
        ),
    )
    claim = "says: alike, where: {case: B}, than_where: {case: A}"
    assert concluded(sheet, claim, tmp_path) == []


def test_the_best_of_several_variants_is_named_as_that(tmp_path: Path) -> None:
    sheet = curves(Old=OLD, **{"New-a": NEW, "New-b": tuple(1.2 * each for each in OLD)})
    described = sheet.described("claims: [{says: ahead, subject: Old, than: New}]\n")
    (found,) = [
        each for each in findings(described, tmp_path, "csv") if each.code == "holds-in-part"
    ]
    assert dict(found.figures)["best_of"] == ("New-a", "New-b")


NODES = ("system", "nodes", "tps")


def by_nodes(*rows: tuple[str, str, float]) -> Sheet:
    return Sheet(headings=NODES, rows=tuple((a, b, f"{rate:.1f}") for a, b, rate in rows))


def test_without_a_subject_each_is_compared_with_itself(tmp_path: Path) -> None:
    """Of the best of all at 9 nodes and the best of all at 3, both are 100."""
    sheet = by_nodes(("A", "9", 100.0), ("A", "3", 50.0), ("B", "9", 40.0), ("B", "3", 100.0))
    claim = "says: alike, where: {nodes: 9}, than_where: {nodes: 3}"
    assert concluded(sheet, claim, tmp_path) == [("alike", ["speed_differs", "speed_differs"])]


def test_alike_is_said_of_each_of_several_others(tmp_path: Path) -> None:
    sheet = by_nodes(("X", "3", 100.0), ("A", "3", 101.0), ("B", "3", 200.0))
    assert concluded(sheet, "says: alike, subject: X", tmp_path) == [
        ("alike", ["speed_differs", "speed_holds"])
    ]


def test_loads_in_headings_are_curves_too(tmp_path: Path) -> None:
    sheet = Sheet(
        headings=("system", *(f"{load} threads TPS" for load in LOADS)),
        rows=(("Old", "1000", "1900", "3000", "2990"),),
    )
    assert concluded(sheet, "says: falls, subject: Old", tmp_path) == [("falls", ["fall_open"])]


def test_each_other_column_has_curves_of_its_own(tmp_path: Path) -> None:
    """Both rise; one after the other, they would fall."""
    sheet = Sheet(
        headings=("system", "terminals", "connections", "tps"),
        rows=tuple(
            ("Old", terminals, connections, rate)
            for terminals, connections, rate in (
                ("8", "100", "3000"), ("16", "100", "3500"), ("8", "200", "1000"),
                ("16", "200", "1500"),
            )
        ),
    )  # fmt: skip
    assert concluded(sheet, "says: falls, subject: Old", tmp_path) == [
        ("falls", ["fall_open", "fall_open"])
    ]


def test_falls_that_are_about_as_deep_tell_nothing(tmp_path: Path) -> None:
    sheet = curves(Old=(1000.0, 1900.0, 3000.0, 2700.0), New=(1000.0, 1900.0, 3000.0, 2697.0))
    for one, other in (("Old", "New"), ("New", "Old")):
        claim = f"says: falls, subject: {one}, than: {other}"
        assert concluded(sheet, claim, tmp_path) == [("falls_more", ["fall_more_open"])]


@pytest.mark.parametrize(
    "claim",
    [
        "says: falls, subject: Old, where: {threads: 64}",
        "says: alike, subject: Old, than: New, where: {threads: 7}",
    ],
)
def test_a_claim_about_no_figures_is_refused(claim: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no figures are compared by the description's claim"):
        concluded(curves(Old=OLD, New=NEW), claim, tmp_path)


def test_response_times_do_not_fall(tmp_path: Path) -> None:
    sheet = Sheet(
        headings=("system", "threads", "tps", "p95 (ms)"),
        rows=tuple(("Old", load, "1000", time) for load, time in zip(LOADS, "1232", strict=True)),
    )
    with pytest.raises(InputError, match="says: falls is about a rate"):
        concluded(sheet, "says: falls, subject: Old, metric: p95", tmp_path)


def test_a_total_is_compared_with_a_run_of_one_generator(tmp_path: Path) -> None:
    sheet = Sheet(
        headings=("case", "loader", "threads", "nopm"),
        rows=(
            ("A", "one", "8", "1000.0"),
            ("A", "two", "8", "2000.0"),
            ("A", "total", "8", "3000.0"),
            ("B", "one", "8", "1500.0"),
        ),
    )
    claim = "says: alike, where: {case: B}, than_where: {case: A}"
    assert concluded(sheet, claim, tmp_path) == [("alike", ["speed_differs"])]


def test_a_claim_needs_two_sides(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="names a subject, or the levels of than_where"):
        concluded(curves(Old=OLD, New=NEW), "says: alike", tmp_path)
