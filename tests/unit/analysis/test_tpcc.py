"""TPC-C: what is required is held against what was measured, and throughput is New-Orders."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.compare.model import VerdictKind
from dbdyno.analysis.findings import Findings
from dbdyno.analysis.tpcc.conformance import conformance_of
from dbdyno.analysis.tpcc.model import Conformance, Inapplicable, Requirement, Standing
from dbdyno.analysis.tpcc.requirements import (
    INPUT_RANGES,
    in_order,
    input_requirement,
    judge,
    mix_requirement,
    response_requirement,
    skipped_requirement,
)
from dbdyno.analysis.validity.codes import Code
from dbdyno.analysis.window_totals import measure
from dbdyno.experiment.plan import FactorLevels
from dbdyno.report.words.method import method_paragraphs
from dbdyno.report.words.tpcc import allowed, observed, title
from tests.unit.analysis.told import evidence_of
from tests.unit.analysis.tpcc_cases import (
    DEFERRED,
    HARMLESS,
    PACED,
    PER_SECOND,
    ROLLED_BACK,
    VIOLATIONS,
    Change,
    both,
    facts,
    options,
    slow,
    tpcc,
)
from tests.unit.store.result_builder import (
    TrialScript,
    build_result,
    histogram,
    make_plan,
    transaction,
    trial_events,
)

CLIENTS = FactorLevels("clients", ("1", "2"), "load.clients")
TPCC_CODES = {code for code in Code if code.value.startswith("tpcc-")}


def analysed(directory: Path, *changes: Change, rounds: int = 3) -> Findings:
    return analyse(build_result(directory / "r", make_plan(rounds=rounds), both(tpcc(), *changes)))


def conformance(findings: Findings) -> Conformance:
    (cell,) = findings.cells
    assert cell.conformance is not None
    return cell.conformance


def named(found: Conformance, name: str) -> Requirement:
    (requirement,) = (each for each in found.requirements if title(each) == name)
    return requirement


def test_a_trial_that_conforms_meets_every_requirement(tmp_path: Path) -> None:
    findings = analysed(tmp_path)
    found = conformance(findings)
    assert not TPCC_CODES & {warning.code for warning in findings.warnings}
    assert {each.standing for each in found.requirements} == {
        Standing.INSIDE,
        Standing.NOT_APPLICABLE,
    }
    assert [title(each) for each in found.of_standing(Standing.NOT_APPLICABLE)] == [
        "New-Order in the mix"
    ]
    assert named(found, "New-Order in the mix").reason is Inapplicable.NO_MINIMUM
    assert len(found.requirements) == 7 + 5 + 5 + 1
    assert named(found, "Remote lines").count == 3 * round(24_000 * 10.02)
    assert named(found, "Payment in the mix").observed == pytest.approx(1920 / 4460)


@pytest.mark.parametrize(("change", "code", "evidence"), VIOLATIONS)
def test_each_requirement_can_be_violated(
    tmp_path: Path, change: Change, code: Code, evidence: str
) -> None:
    spoken = {each.code: each for each in analysed(tmp_path, change).warnings}
    assert TPCC_CODES & spoken.keys() == {code}
    assert evidence_of(spoken[code]) == evidence
    assert spoken[code].trials == (1, 2, 3)


@pytest.mark.parametrize("change", HARMLESS)
def test_no_warning_speaks_of_what_is_inside_or_chance(tmp_path: Path, change: Change) -> None:
    codes = {warning.code for warning in analysed(tmp_path, change).warnings}
    assert not TPCC_CODES & codes


@pytest.mark.parametrize(
    ("value", "standard_error", "standing"),
    [
        (0.0100, 0.0002, Standing.INSIDE),
        (0.0110, 0.0002, Standing.INSIDE),
        (0.0115, 0.0002, Standing.BY_CHANCE),
        (0.0117, 0.0002, Standing.OUTSIDE),
        (0.0083, 0.0002, Standing.OUTSIDE),
        (0.0100, 0.0011, Standing.TOO_FEW),
        (0.0300, 0.0011, Standing.TOO_FEW),
    ],
)
def test_a_figure_is_judged_by_what_chance_does(
    value: float, standard_error: float, standing: Standing
) -> None:
    assert judge(value, 0.009, 0.011, standard_error) is standing


@pytest.mark.parametrize(
    ("fact", "enough"),
    [
        # p (1 − p) over the square of half the range: binomial standard errors.
        ("rollback_share", 9_900),
        ("remote_line_share", 39_600),
        ("remote_payment_share", 1_275),
        ("payment_by_name_share", 267),
        ("order_status_by_name_share", 267),
        # Whole numbers from 5 to 15, each as likely, have a variance of 10.
        ("lines_per_order", 40),
    ],
)
def test_too_few_are_told_by_the_standard_error(fact: str, enough: int) -> None:
    (wanted,) = (each for each in INPUT_RANGES if each.fact == fact)
    middle = (wanted.low + wanted.high) / 2
    few = input_requirement(wanted, middle, enough - 1)
    assert few.standing is Standing.TOO_FEW
    assert input_requirement(wanted, middle, enough + 1).standing is Standing.INSIDE
    assert few.standard_error == pytest.approx((wanted.high - wanted.low) / 2, rel=0.02)


def test_shares_are_pooled_with_their_weights(tmp_path: Path) -> None:
    def unlike(script: TrialScript) -> None:
        if script.planned.round == 1:
            both(tpcc(payment=20), facts(payment_by_name_share=1.0))(script)

    found = conformance(analysed(tmp_path, unlike, rounds=2))
    expected = (20 * 1.0 + 1920 * 0.6) / 1940
    assert named(found, "Payments by last name").observed == pytest.approx(expected)


def test_input_is_of_the_whole_trial_and_the_mix_of_the_window(tmp_path: Path) -> None:
    def longer(script: TrialScript) -> None:
        drain = dict.fromkeys(PER_SECOND, transaction(50, in_flight=0))
        script.events.insert(-1, script.window[0] | {"phase": "drain", "transactions": drain})

    found = conformance(analysed(tmp_path, longer, rounds=1))
    assert named(found, "Payments by last name").count == 12 * 1920 + 50
    assert named(found, "Payment in the mix").count == 12 * 4460


def test_one_warehouse_has_no_remote_ones(tmp_path: Path) -> None:
    change = both(options(warehouses=1), facts(remote_line_share=0.0, remote_payment_share=0.0))
    found = conformance(analysed(tmp_path, change))
    for name in ("Remote lines", "Remote Payments"):
        assert named(found, name).standing is Standing.NOT_APPLICABLE
        assert named(found, name).reason is Inapplicable.ONE_WAREHOUSE


def test_rollbacks_that_were_asked_for_otherwise_are_not_judged(tmp_path: Path) -> None:
    change = both(options(rollback_percent=5.0), facts(rollback_share=0.05))
    rollbacks = named(conformance(analysed(tmp_path, change)), "New-Orders rolled back")
    assert rollbacks.standing is Standing.NOT_APPLICABLE
    assert rollbacks.reason is Inapplicable.OTHER_SHARE
    assert rollbacks.observed == 0.05


def test_what_did_not_happen_is_not_judged(tmp_path: Path) -> None:
    change = both(tpcc(order_status=0), facts(order_status_by_name_share=None))
    found = conformance(analysed(tmp_path, change))
    assert named(found, "Order-Statuses by last name").reason is Inapplicable.NONE_SEEN
    assert "p90 of Order-Status" not in [title(each) for each in found.requirements]
    assert named(found, "Order-Status in the mix").standing is Standing.OUTSIDE


def test_the_90th_percentile_is_of_merged_histograms(tmp_path: Path) -> None:
    def one_slow_round(script: TrialScript) -> None:
        if script.planned.round == 1:
            slow("new_order", 0.5, 6)(script)

    # 50 % of a third are 17 %; the mean of the rounds' percentiles would be 2 s.
    found = conformance(analysed(tmp_path, one_slow_round))
    assert named(found, "p90 of New-Order").standing is Standing.OUTSIDE


def test_few_times_and_times_of_some_only_have_no_90th_percentile() -> None:
    def standing(p90_ms: float, count: int, *, partly: bool = False) -> Standing:
        requirement = response_requirement("payment", p90_ms, count, is_partly_served=partly)
        return requirement.standing

    assert standing(10.0, 9) is Standing.TOO_FEW
    assert standing(10.0, 10) is Standing.INSIDE
    assert standing(10.0, 10, partly=True) is Standing.NOT_APPLICABLE
    assert standing(math.inf, 10, partly=True) is Standing.OUTSIDE


@pytest.mark.parametrize(
    ("skipped", "deliveries", "standing"),
    [
        (1, 3, Standing.INSIDE),
        (2, 3, Standing.OUTSIDE),
        (3, 300, Standing.INSIDE),
        (4, 300, Standing.OUTSIDE),
    ],
)
def test_one_delivery_or_one_percent_may_skip_a_district(
    skipped: int, deliveries: int, standing: Standing
) -> None:
    assert skipped_requirement(skipped / deliveries, deliveries).standing is standing


def test_deferred_deliveries_are_those_that_skip_and_are_not_in_the_mix(tmp_path: Path) -> None:
    found = conformance(analysed(tmp_path, DEFERRED))
    assert named(found, "Deliveries that skipped a district").count == 3 * 12 * 180
    assert named(found, "Payment in the mix").observed == pytest.approx(1920 / 4460)


def test_figures_have_the_decimals_that_show_their_side_of_the_limit() -> None:
    payment = mix_requirement("payment", 42_998, 100_000)
    assert (observed(payment), allowed(payment)) == ("42.998 %", "at least 43 %")
    assert payment.standing is Standing.BY_CHANCE


def test_new_orders_are_the_throughput_with_and_without_rollbacks(tmp_path: Path) -> None:
    findings = analysed(tmp_path)
    (cell,) = findings.cells
    found = conformance(findings)
    assert findings.measure.code == "NOPM"
    assert findings.measure.of(cell.throughput_per_s.mean) == 60 * 2000
    assert found.new_orders_per_minute.mean == 60 * 2000
    assert found.committed_per_minute.mean == 60 * (2000 - ROLLED_BACK)
    assert found.new_orders_per_minute.count == 3
    assert cell.transactions_per_s is not None
    assert cell.transactions_per_s.mean == sum(PER_SECOND.values())
    assert cell.series[0].throughput_per_s == (2000.0,) * 12
    assert [each.round for each in cell.series_of_all] == [1, 2, 3]
    assert cell.series_of_all[0].throughput_per_s == (float(sum(PER_SECOND.values())),) * 12
    words = " ".join(method_paragraphs(findings))
    assert "New-Orders that were committed or rolled back on purpose" in words


def test_the_interval_is_that_of_rounds(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        tpcc(new_order=1990 + 5 * script.planned.round)(script)

    (cell,) = analysed(tmp_path, change).cells
    assert cell.conformance is not None
    found = cell.conformance.new_orders_per_minute
    # Student's t with two degrees of freedom: 4.303 standard errors of 60 × 5 / √3.
    margin = 4.303 * 300 / math.sqrt(3)
    assert (found.low, found.high) == pytest.approx((120_000 - margin, 120_000 + margin), rel=1e-4)


def test_verdicts_are_on_new_orders_and_not_on_all_transactions(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        new_orders = 2000 + script.planned.round
        if script.planned.cell.level("clients") == "1":
            tpcc(new_order=new_orders)(script)
        else:
            tpcc(new_order=2 * new_orders, payment=100)(script)

    findings = analyse(build_result(tmp_path / "r", make_plan([CLIENTS]), change))
    (comparison,) = findings.comparisons
    assert comparison.kind is VerdictKind.BETTER
    assert comparison.effect is not None
    assert comparison.effect.percent == pytest.approx(100.0)


def test_the_word_tpmc_needs_keying_and_think_times(tmp_path: Path) -> None:
    paced = analysed(tmp_path / "paced", PACED)
    assert (paced.measure.code, conformance(paced).name) == ("tpmC", "tpmC")
    assert conformance(paced).per_warehouse == pytest.approx(12.0)
    for name, pacing in (("keying", {"keying": 1.0, "think": 0.0}), ("none", {})):
        half = analysed(tmp_path / name, options(pacing=pacing))
        assert (half.measure.code, conformance(half).name) == ("NOPM", "NOPM")
        assert "tpmC per warehouse" not in [title(each) for each in conformance(half).requirements]


def test_only_warehouses_with_terminals_count(tmp_path: Path) -> None:
    found = conformance(analysed(tmp_path, PACED, options(home_range=[1, 5000])))
    assert found.per_warehouse == pytest.approx(24.0)


def test_a_mix_without_new_orders_is_measured_by_all_transactions(tmp_path: Path) -> None:
    change = both(tpcc(new_order=0), options(mix={"new_order": 0.0, "payment": 1.0}))
    findings = analysed(tmp_path, change, facts(rollback_share=None, lines_per_order=None))
    assert findings.measure.kind is None
    assert findings.cells[0].throughput_per_s.mean == 2460.0


def test_other_workloads_have_no_conformance(tmp_path: Path) -> None:
    result = build_result(tmp_path / "r", make_plan(rounds=1))
    assert analyse(result).cells[0].conformance is None
    assert conformance_of([]) is None


def test_a_single_trial_can_be_held_against_the_specification(tmp_path: Path) -> None:
    result = build_result(tmp_path / "r", make_plan(rounds=2), tpcc())
    found = conformance_of([measure(result.trials[1])])
    assert found is not None
    assert found.trials == (2,)
    assert found.new_orders_per_minute.low is None


def _hardly_ever_served(script: TrialScript) -> None:
    """Have transactions take no time, and let nothing happen for a second."""
    for second, event in enumerate(script.window):
        for name, counters in event["transactions"].items():
            count = counters["committed"] + counters["rolled_back"]
            event["transactions"][name] = (
                transaction(0, in_flight=0)
                if second == 6
                else counters | {"service": histogram([0.001] * count)}
            )


@pytest.mark.parametrize(
    "pacing",
    [{"keying": 1.0, "think": 1.0}, {"keying": 0.0, "think": 0.1}, {"keying": 0.5, "think": 0.0}],
)
def test_terminals_that_wait_are_not_taken_for_clients_that_hang(
    tmp_path: Path, pacing: dict[str, float]
) -> None:
    codes = {Code.STALLS, Code.WAITING_NOT_RECORDED}

    def spoken(name: str, *changes: Change) -> set[Code]:
        findings = analysed(tmp_path / name, _hardly_ever_served, *changes)
        return codes & {warning.code for warning in findings.warnings}

    assert spoken("closed") == codes
    # A second without any of the hundreds of transactions that it usually has is no chance.
    assert spoken("paced", options(pacing=pacing)) == {Code.STALLS}


def test_kinds_come_in_the_order_of_the_specification() -> None:
    kinds = ["stock_level", "delivery", "own", "all_of", "payment", "order_status", "new_order"]
    in_words = ["new_order", "payment", "order_status", "delivery", "stock_level"]
    assert in_order(kinds) == [*in_words, "all_of", "own"]


def test_percentiles_of_a_cell_are_in_that_order(tmp_path: Path) -> None:
    kinds = ("delivery", "new_order", "payment")

    def three_kinds(script: TrialScript) -> None:
        script.events = trial_events([100] * 12, kinds)

    (cell,) = analyse(build_result(tmp_path / "r", make_plan(rounds=1), three_kinds)).cells
    assert list(cell.response) == ["new_order", "payment", "delivery", "all"]
