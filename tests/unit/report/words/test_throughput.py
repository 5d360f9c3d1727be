"""What throughput is called, and that each measure has a name."""

from __future__ import annotations

import pytest

from dbdyno.analysis.throughput import NOPM, TPMC, TRANSACTIONS, MeasureCode, ThroughputMeasure
from dbdyno.report.words.throughput import (
    capitalized,
    counted_many,
    counted_one,
    measure_heading,
    measure_title,
    measure_words,
)


@pytest.mark.parametrize("code", list(MeasureCode))
def test_every_measure_has_a_heading_and_words(code: MeasureCode) -> None:
    name = "CPU, %" if code is MeasureCode.OTHER else ""
    measure = ThroughputMeasure(code, None, 1.0, name)
    assert measure_heading(measure)
    assert measure_title(measure) == capitalized(measure_words(measure))


def test_the_measures_are_called_as_the_field_calls_them() -> None:
    assert measure_heading(TRANSACTIONS) == "transactions/s"
    assert measure_title(TRANSACTIONS) == "Transactions per second"
    assert measure_words(NOPM) == "New-Orders per minute (NOPM)"
    assert [measure_heading(each) for each in (NOPM, TPMC)] == ["NOPM", "tpmC"]
    assert (counted_one(TRANSACTIONS), counted_many(TRANSACTIONS)) == (
        "transaction",
        "transactions",
    )
    assert (counted_one(TPMC), counted_many(TPMC)) == ("New-Order", "New-Orders")
