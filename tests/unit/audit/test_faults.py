"""One planted fault a table: it is found and nothing else is; without it nothing is found."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.unit.audit.honest import (
    AGGREGATE,
    CHINESE,
    GERMAN,
    MEAN_ROWS,
    NOTES,
    ROUND_COLUMNS,
    ROUNDS,
    ROUNDS_CLAIMS,
    SINGLE_RUNS,
    TOTALS,
    WIDE,
)
from tests.unit.audit.tables import FORMATS, Sheet, codes, findings

RATIOS = replace(
    WIDE,
    headings=("pool_gib", "threads", "system", "tps"),
    rows=tuple(
        (pool, threads, system, f"{base * (scale if system == 'New' else 1):.1f}")
        for pool, base in (("8", 1000.0), ("16", 1400.0))
        for threads, scale in (("16", 1.2), ("32", 1.3), ("64", 1.7))
        for system in ("Old", "New")
    ),
)
"""New is ahead in all cells, by more with more threads."""

GEOMETRIC_RATIO = Sheet(
    name="results-claims",
    headings=("pool_gib", "claimed_new_to_old_ratio"),
    rows=(("8", "1.384"), ("16", "1.384")),
)

TWO_SETTINGS = Sheet(
    headings=("setting", "pool_gib", "flush", "threads", "nopm"),
    rows=tuple(
        (f"{pool} GiB {flush}", pool, flush, threads, f"{rate}")
        for pool, flush, rate in (
            ("8", "sync", 1001.5), ("8", "lazy", 1604.2), ("16", "sync", 1402.9),
            ("16", "lazy", 2203.3),
        )
        for threads in ("16", "32")
    ),
)  # fmt: skip

SUCCESS = Sheet(
    headings=("release", "success rate (%)", "failed"),
    rows=(("1.0", "98.7", "130"), ("1.1", "99.2", "80"), ("1.2", "100", "0")),
)

TPMC = Sheet(
    headings=("system", "warehouses", "tpmC", "tpm_total"),
    rows=(("A", "100", "1240.1", "2756.2"), ("B", "100", "1251.9", "2790.8")),
)


SAME_ROUNDS = replace(
    ROUNDS,
    rows=tuple(
        (system, "32", str(number), f"{value:.1f}")
        for system, values in (
            ("A", (1000.0, 1044.0, 962.0, 1018.0)),
            ("B", (1190.0, 1241.0, 1144.0, 1212.0)),
        )
        for number, value in enumerate(values, 1)
    ),
    others=(
        Sheet(
            name="results-claims",
            headings=("terminals", "claimed_nopm_improvement_percent"),
            rows=(("32", "18.97"),),
        ),
    ),
)

STEADIER = "claims:\n  - {says: steadier, subject: MariaDB 11, than: MySQL 8.0}\n"


def with_claims(sheet: Sheet, claims: Sheet) -> Sheet:
    return replace(sheet, others=(claims,))


def steadied(sheet: Sheet, *, is_noisy: bool) -> Sheet:
    """Return rounds in which MariaDB varies less in both cells, or in the first one only."""
    rows = []
    for system, terminals, number, value in sheet.rows:
        centre = 50000.0 if system == "MariaDB 11" else 40000.0
        wide = system == "MySQL 8.0" or (is_noisy and terminals == "64")
        step = 2500.0 if wide else 60.0
        rows.append((system, terminals, number, f"{centre + step * (int(number) % 3 - 1):.1f}"))
        assert value
    return replace(sheet, rows=tuple(rows), others=()).described(STEADIER)


@dataclass(frozen=True)
class Fault:
    """An honest table, the same with a fault, and what must be found."""

    honest: Sheet
    faulty: Sheet
    code: str
    kind: str = ""
    """Of the first line of evidence."""


def small_difference() -> tuple[Sheet, Sheet]:
    honest = WIDE
    return honest, honest.changed(0, "Percona TPS", "1,221.40").changed(
        0, "Improvement (%)", "1.40"
    )


BASE_DESCRIBED = "facts:\n  durability:\n    MySQL: {flush: 1}\n    MariaDB: {flush: %s}\n"
OTHER = replace(GERMAN, name="other", description="facts:\n  durability:\n    all: {flush: on}\n")
TOGETHER = replace(
    GERMAN, description="facts:\n  durability:\n    all: {flush: on}\n", others=(OTHER,)
)
WINDOW = "facts: {window_s: %s, warmup_s: %s, success_percent: 100}\n"

FAULTS: dict[str, Fault] = {
    "claims leave the lowest round out": Fault(
        ROUNDS,
        with_claims(
            ROUNDS,
            ROUNDS_CLAIMS.changed(2, "value", "49118.62").changed(4, "value", "19.87"),
        ),
        "rounds-left-out",
        "left_out",
    ),
    "a column of means leaves a round out": Fault(
        ROUND_COLUMNS, ROUND_COLUMNS.changed(0, "Mean", "10172.95"), "rounds-left-out", "left_out"
    ),
    "a row of means is another figure": Fault(
        MEAN_ROWS, MEAN_ROWS.changed(4, "TPS (K)", "12.95"), "mean-unfounded", "unfounded"
    ),
    "a Chinese row of means is another figure": Fault(
        CHINESE, CHINESE.changed(3, "吞吐量", "1.26万"), "mean-unfounded", "unfounded"
    ),
    "the wrong base": Fault(
        WIDE, WIDE.changed(0, "Improvement (%)", "13.42"), "change-wrong", "change_wrong_base"
    ),
    "the wrong sign": Fault(
        WIDE, WIDE.changed(1, "Improvement (%)", "-16.94"), "change-wrong", "change_sign"
    ),
    "a ratio as a change": Fault(
        WIDE,
        WIDE.changed(2, "Improvement (%)", "121.62"),
        "change-wrong",
        "change_ratio_as_change",
    ),
    "a change from nowhere": Fault(
        WIDE, WIDE.changed(3, "Improvement (%)", "31.2"), "change-wrong", "change_other"
    ),
    "percentages are averaged": Fault(
        AGGREGATE,
        AGGREGATE.changed(3, "Threads", "average").changed(3, "Improvement (%)", "30.00"),
        "mean-of-ratios",
        "plain_mean",
    ),
    "an average from nowhere": Fault(
        AGGREGATE,
        AGGREGATE.changed(3, "Improvement (%)", "41.00"),
        "aggregate-wrong",
        "aggregate_wrong",
    ),
    "ratios of chosen cells": Fault(
        with_claims(RATIOS, GEOMETRIC_RATIO),
        with_claims(
            RATIOS,
            GEOMETRIC_RATIO.changed(0, "claimed_new_to_old_ratio", "1.700").changed(
                1, "claimed_new_to_old_ratio", "1.700"
            ),
        ),
        "chosen-cells",
        "chosen",
    ),
    "ahead in part of the cells": Fault(
        WIDE.described("claims: [{says: faster, subject: Percona, than: MySQL}]\n"),
        WIDE.described("claims: [{says: faster, subject: Percona, than: MySQL}]\n")
        .changed(2, "Percona TPS", "3,015.98")
        .changed(2, "Improvement (%)", "-25.00"),
        "holds-in-part",
        "speed_reversed",
    ),
    "steadier in part of the cells": Fault(
        steadied(ROUNDS, is_noisy=False),
        steadied(ROUNDS, is_noisy=True),
        "holds-in-part",
        "steady_open",
    ),
    "two settings change together": Fault(
        TWO_SETTINGS,
        replace(TWO_SETTINGS, rows=tuple(
            row for row in TWO_SETTINGS.rows if row[0] in ("8 GiB sync", "16 GiB lazy")
        ), headings=("run name", *TWO_SETTINGS.headings[1:])),
        "confounded",
        "together",
    ),
    "single runs and a small difference": Fault(*small_difference(), "no-repetition", "single"),
    "a difference within the noise": Fault(
        SAME_ROUNDS,
        replace(
            SAME_ROUNDS,
            rows=(
                *SAME_ROUNDS.rows[:4],
                *(("B", "32", str(n), f"{value:.1f}") for n, value in enumerate(
                    (1011.0, 1060.0, 975.0, 1030.0), 1)),
            ),
            others=(
                SAME_ROUNDS.others[0].changed(0, "claimed_nopm_improvement_percent", "1.29"),
            ),
        ),
        "within-noise",
        "unclear",
    ),
    "more throughput, longer response times": Fault(
        replace(
            WIDE,
            headings=(*WIDE.headings, "MySQL p95 (ms)", "Percona p95 (ms)"),
            rows=tuple((*row, "20.1", "17.4") for row in WIDE.rows),
        ),
        replace(
            WIDE,
            headings=(*WIDE.headings, "MySQL p95 (ms)", "Percona p95 (ms)"),
            rows=tuple(
                (*row, "20.1", "24.9" if row[0] == "64" else "17.4") for row in WIDE.rows
            ),
        ),
        "slower-response",
        "slower",
    ),
    "a difference within rounding": Fault(
        replace(
            WIDE,
            headings=("Threads", "A TPS (K)", "B TPS (K)", "Change (%)"),
            rows=(("8", "1.2", "1.6", "33.3"), ("16", "2.4", "3.1", "29.2")),
        ),
        replace(
            WIDE,
            headings=("Threads", "A TPS (K)", "B TPS (K)", "Change (%)"),
            rows=(("8", "1.2", "1.6", "33.3"), ("16", "1.3", "1.4", "7.7")),
        ),
        "within-rounding",
        "rounding",
    ),
    "unpaced tpmC": Fault(
        TPMC,
        TPMC.changed(1, "tpmC", "125190.5").changed(1, "tpm_total", "279080.2"),
        "unpaced",
        "rate",
    ),
    "unlike durability in a table": Fault(
        GERMAN.described(BASE_DESCRIBED % 1),
        GERMAN.described(BASE_DESCRIBED % 2),
        "unlike-durability",
        "durability",
    ),
    "unlike durability between tables": Fault(
        TOGETHER,
        replace(TOGETHER, description=TOGETHER.description.replace("on", "off")),
        "unlike-durability",
        "durability",
    ),
    "a short window": Fault(
        SINGLE_RUNS.described(WINDOW % (600, 120)),
        SINGLE_RUNS.described(WINDOW % (60, 120)),
        "short-window",
        "window",
    ),
    "no warm-up": Fault(
        SINGLE_RUNS.described(WINDOW % (600, 120)),
        SINGLE_RUNS.described(WINDOW % (600, 0)),
        "short-window",
        "window",
    ),
    "a total that does not add up": Fault(
        TOTALS, TOTALS.changed(2, "tpm_total", "21190.7"), "sum-wrong", "sum"
    ),
    "a row that is there twice": Fault(
        SINGLE_RUNS,
        replace(SINGLE_RUNS, rows=(*SINGLE_RUNS.rows, SINGLE_RUNS.rows[4])),
        "duplicate",
        "duplicate",
    ),
    "a cell that is not there": Fault(
        SINGLE_RUNS,
        replace(SINGLE_RUNS, rows=(*SINGLE_RUNS.rows[:7], *SINGLE_RUNS.rows[8:])),
        "missing-cells",
        "missing",
    ),
    "a round that is not there": Fault(
        replace(ROUNDS, others=()),
        replace(ROUNDS, others=(), rows=(*ROUNDS.rows[:9], *ROUNDS.rows[10:])),
        "missing-cells",
        "missing",
    ),
    "an empty cell": Fault(
        SINGLE_RUNS, SINGLE_RUNS.changed(5, "p99_ms", ""), "missing-cells", "blank"
    ),
    "more New-Orders than transactions": Fault(
        TPMC, TPMC.changed(0, "tpm_total", "1240.0").changed(0, "tpmC", "1245.1"),
        "impossible", "above",
    ),
    "a p95 below the mean": Fault(
        SINGLE_RUNS, SINGLE_RUNS.changed(3, "p95_ms", "9.40"), "impossible", "above"
    ),
    "a p99 below the p95": Fault(
        SINGLE_RUNS, SINGLE_RUNS.changed(4, "p99_ms", "20.40"), "impossible", "above"
    ),
    "a negative time": Fault(
        GERMAN, GERMAN.changed(2, "Antwortzeit p95 (ms)", "-17,55"), "impossible", "negative"
    ),
    "all succeeded but some failed": Fault(
        SUCCESS, SUCCESS.changed(2, "failed", "3"), "impossible", "all_with_errors"
    ),
    "more than all succeeded": Fault(
        NOTES, NOTES.changed(1, "Success rate (%)", "109.8%"), "impossible", "above_all"
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", FAULTS)
def test_exactly_the_planted_fault_is_found(name: str, form: str, tmp_path: Path) -> None:
    fault = FAULTS[name]
    found = findings(fault.faulty, tmp_path, form)
    assert [each.code.value for each in found] == [fault.code]
    assert found[0].lines[0].kind == fault.kind


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", FAULTS)
def test_the_table_without_its_fault_gives_nothing(name: str, form: str, tmp_path: Path) -> None:
    assert codes(FAULTS[name].honest, tmp_path, form) == []
