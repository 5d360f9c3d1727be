"""The scalability law in the page: its curve and peak to scale, its parameters, its refusals."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from dbdyno.analysis.scaling.model import PeakStanding, Refusal, Scaling, Span
from dbdyno.analysis.throughput import TRANSACTIONS
from dbdyno.experiment.plan import Cell
from dbdyno.report import charts, figures
from dbdyno.report.words.scaling import clients_interval, rate_span, scaling_sentences
from tests.unit.report.written import render_html

from .report_examples import scaling_laws, two_factors
from .report_page import positions, read_page

NOON = datetime(2025, 11, 20, 12, 0, tzinfo=UTC)


def test_each_engine_has_its_sentence() -> None:
    innodb, rocksdb, memory = scaling_sentences(scaling_laws())
    assert innodb.startswith("engine=innodb: throughput is highest at 4")
    assert "no peak within the range: up to 64 clients" in rocksdb
    assert "another shape" in memory


def test_the_table_has_the_parameters_with_their_intervals() -> None:
    findings = scaling_laws()
    page = read_page(render_html(findings, NOON))
    (law,) = [each.law for each in findings.scaling if each.law]
    (row,) = page.tables["laws"][1:]
    assert row[0] == "engine=innodb, 7 × 4 rounds"
    assert row[1] == rate_span(law.lambda_per_s, TRANSACTIONS).replace(" [", "[")
    assert law.peak.clients is not None
    assert row[4] == f"{law.peak.clients.value:.0f}{clients_interval(law.peak.clients, 128)}"
    assert page.values["laws"][1:3] == [
        pytest.approx(100 * law.contention.value),
        pytest.approx(1e6 * law.coherency.value),
    ]
    assert "128 clients, twice the most measured" in page.text


def test_the_peak_stands_at_its_place_from_zero_on() -> None:
    """On the logarithmic axis the levels are equally far apart."""
    findings = scaling_laws()
    (drawing,) = charts.throughput(findings)
    ((x, y),) = positions(drawing.svg, "rule")[0]
    columns = [place for place, _ in positions(drawing.svg, "symbol")[-1][:7]]
    (law,) = [each.law for each in findings.scaling if each.law]
    assert law.peak.clients is not None
    doublings = math.log2(law.peak.clients.value / 32)
    assert x == pytest.approx(columns[5] + doublings * (columns[6] - columns[5]), abs=0.5)
    assert y == 280.0


def test_what_has_no_law_keeps_its_line_and_gets_no_band() -> None:
    with_laws, without = scaling_laws(), replace(scaling_laws(), scaling=())
    ((drawing,), (plain,)) = map(charts.throughput, (with_laws, without))
    assert len(positions(drawing.svg, "area")) >= 1
    assert not positions(plain.svg, "area")


def scaling(refusal: Refusal) -> Scaling:
    return Scaling("clients", Cell(()), (1, 2, 4), 2, refusal, misfit=0.125)


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        (Refusal.FEW_LEVELS, "3 numbers of clients share their rounds, and it takes 6."),
        (Refusal.FEW_ROUNDS, "there are 2 rounds, and it takes 3."),
        (Refusal.OPEN_LOOP, "in an open loop the rate gives throughput"),
        (Refusal.WAITS, "clients that think or sleep"),
        (Refusal.IDLE, "nothing was done at all"),
        (Refusal.BAD_FIT, "off the curve by 12"),
        (Refusal.NO_BEND, "No peak within the range: up to 4 clients"),
    ],
)
def test_each_refusal_is_told(refusal: Refusal, words: str) -> None:
    findings = replace(two_factors(), scaling=(scaling(refusal),))
    assert words in read_page(render_html(findings, NOON)).text


def test_combinations_that_are_refused_alike_share_a_sentence() -> None:
    some = [replace(scaling(Refusal.FEW_ROUNDS), others=Cell((("engine", name),))) for name in "ab"]
    (told,) = scaling_sentences(replace(two_factors(), scaling=tuple(some)))
    assert told.startswith("engine=a; engine=b: no law is fitted")


def test_ends_of_intervals_beyond_twice_the_clients_are_no_figures() -> None:
    assert clients_interval(Span(50.0, 40.4, 61.0), 128) == "[40, 61]"
    assert clients_interval(Span(50.0, 40.4, float("inf")), 128) == "[40, more than 128]"


def test_a_peak_beyond_what_was_measured_says_so() -> None:
    findings = scaling_laws()
    told = findings.scaling[0]
    assert told.law is not None
    peak = replace(told.law.peak, standing=PeakStanding.EXTRAPOLATED)
    changed = replace(told, law=replace(told.law, peak=peak))
    (sentence,) = scaling_sentences(replace(findings, scaling=(changed,)))
    assert "still grows at 64 clients, the most measured; extrapolated, it is highest" in sentence
    assert figures.ABSENT not in sentence
