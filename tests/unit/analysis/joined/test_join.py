"""Two results as one: all of analysis finds between them what it finds within one."""

from __future__ import annotations

from pathlib import Path

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.compare.model import VerdictKind
from dbdyno.analysis.confounders.model import Aspect
from dbdyno.analysis.joined.join import join
from dbdyno.analysis.joined.part import Part
from dbdyno.analysis.joined.unlike import only_in_one
from dbdyno.analysis.validity.codes import Code
from dbdyno.experiment.plan import Cell, FactorLevels
from dbdyno.store.model import TrialStatus
from tests.unit.analysis.joined.results import CLIENTS, ENGINE, RATES, part, result
from tests.unit.store.result_builder import TrialScript

SLOWER = tuple(round(0.8 * rate) for rate in RATES)


def test_a_slower_result_is_called_slower(tmp_path: Path) -> None:
    old = part("old", result(tmp_path / "old"))
    new = part("new", result(tmp_path / "new", rates=SLOWER))
    findings = analyse(join(old, new, "How?"))
    (comparison,) = findings.comparisons
    assert findings.question == "How?"
    assert comparison.cell == Cell((("result", "new"),))
    assert comparison.kind is VerdictKind.WORSE
    assert comparison.effect is not None
    assert -21 < comparison.effect.percent < -19
    assert comparison.effect.freedom > len(RATES) - 1
    assert Code.MEASURED_APART in {each.code for each in findings.warnings}
    assert [line.number for line in findings.trials] == [*range(1, 7), *range(1001, 1007)]


def test_results_with_unlike_numbers_of_rounds_keep_them_all(tmp_path: Path) -> None:
    old = part("old", result(tmp_path / "old", [CLIENTS]))
    new = part("new", result(tmp_path / "new", [CLIENTS], rates=RATES[:3]))
    findings = analyse(join(old, new, ""))
    assert [len(cell.rounds) for cell in findings.cells] == [6, 6, 3, 3]
    assert {each.rounds for each in findings.comparisons if each.factor == "result"} == {3}


def test_what_differs_between_the_results_is_named(tmp_path: Path) -> None:
    def upgraded(script: TrialScript) -> None:
        script.server["version"] = "11.4.1"
        script.server["settings"]["innodb_buffer_pool_size"] = "8388608"

    old = part("old", result(tmp_path / "old"))
    new = part("new", result(tmp_path / "new", change=upgraded))
    findings = analyse(join(old, new, ""))
    assert [each.aspect for each in findings.confounders] == [Aspect.VERSION]
    assert findings.differences == (
        ("innodb_buffer_pool_size", "result=new", "8388608", "16777216"),
    )


def test_levels_of_one_result_keep_their_factor_and_their_rounds(tmp_path: Path) -> None:
    def slower(script: TrialScript) -> None:
        if script.planned.cell.level("engine") == "one":
            for event in script.window:
                for counts in event["transactions"].values():
                    counts["committed"] //= 2
                    counts["scheduled"] //= 2

    stored = result(tmp_path / "r", [ENGINE, CLIENTS], change=slower)
    findings = analyse(join(part("a", stored, engine="other"), part("b", stored, engine="one"), ""))
    assert findings.factors[0] == FactorLevels("engine", ("other", "one"), "server.engine")
    whole = findings.compared[0].effects[0]
    assert (whole.kind, whole.baseline) == (VerdictKind.WORSE, "other")
    assert findings.compared[0].tests[0].is_paired


def test_a_factor_called_result_gets_no_namesake(tmp_path: Path) -> None:
    factor = FactorLevels("result", ("x", "y"), "server.engine")
    old, new = (part(name, result(tmp_path / name, [factor])) for name in ("old", "new"))
    assert [each.name for each in analyse(join(old, new, "")).factors] == ["result_", "result"]


def test_factors_in_another_order_are_the_same_factors(tmp_path: Path) -> None:
    old = part("old", result(tmp_path / "old", [CLIENTS, ENGINE]))
    turned = result(tmp_path / "new", [ENGINE, CLIENTS])
    new = Part("new", turned, {}, ("clients", "engine"))
    assert only_in_one(old, new) == ([], [])
    assert len(analyse(join(old, new, "")).cells) == 8


def test_cells_of_one_alone_are_left_out_and_named(tmp_path: Path) -> None:
    more = FactorLevels("clients", ("1", "8", "64"), "load.clients")
    old = part("old", result(tmp_path / "old", [more]))
    new = part("new", result(tmp_path / "new", [CLIENTS]))
    assert [cell.label() for cell in only_in_one(old, new)[0]] == ["clients=64"]
    assert len(analyse(join(old, new, "")).cells) == 4


def test_a_trial_that_failed_stays_out(tmp_path: Path) -> None:
    def fail(script: TrialScript) -> None:
        if script.planned.number == 2:
            script.events[-1] |= {"status": "failed", "reason": "the server is gone"}

    old = part("old", result(tmp_path / "old"))
    stored = result(tmp_path / "new", change=fail)
    assert stored.trials[1].status is TrialStatus.FAILED
    findings = analyse(join(old, part("new", stored), ""))
    assert (findings.trials_used, findings.trials_planned) == (11, 12)
    assert len(findings.cells[1].rounds) == 5
