"""Findings come with what they mean for the figures, those first that touch most verdicts."""

from __future__ import annotations

from pathlib import Path

from dbdyno.analysis.compare.model import VerdictKind
from dbdyno.analysis.validity.codes import Code
from dbdyno.experiment.plan import FactorLevels
from dbdyno.report.words.checks.words import check_consequence
from tests.unit.analysis.validity_cases import findings, spoken
from tests.unit.store.result_builder import TrialScript, make_plan, trial_events

THREE = FactorLevels("pool", ("16M", "64M", "256M"), "server.innodb_buffer_pool_size")


def test_what_touches_more_verdicts_comes_first(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        if script.planned.cell.level("pool") == "256M":
            script.window[0]["transactions"]["oltp_read_write"] |= {
                "committed": 99,
                "failed": 1,
            }
        if script.planned.cell.level("pool") == "16M":
            script.window[0]["reconnects"] = 1

    found = findings(tmp_path / "r", change, make_plan([THREE]))
    assert [(warning.code, warning.comparisons) for warning in found.warnings] == [
        (Code.RECONNECTS, 2),
        (Code.FAILURES, 1),
    ]


def test_an_idle_trial_does_not_void_a_comparison_in_silence(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        if script.planned.number == 2:
            script.events = trial_events([0] * 12)

    found = findings(tmp_path / "r", change, make_plan([THREE]))
    assert [each.kind is VerdictKind.NOT_COMPARABLE for each in found.comparisons] == [True, False]
    warning = spoken(found)[Code.NOTHING_FINISHED]
    assert (warning.trials, warning.comparisons) == ((2,), 1)
    assert "have no verdict" in check_consequence(warning.code)


def test_few_rounds_touch_the_comparisons_of_their_cells(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        if script.planned.number == 3:
            script.events[-1] |= {"status": "failed", "reason": "the server has gone away"}

    found = spoken(findings(tmp_path / "r", change, make_plan([THREE])))
    assert found[Code.FEW_ROUNDS].comparisons == 1
