"""Each planned trial stands in exactly one way, and the report says why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.findings import Findings, Standing
from tests.unit.analysis import validity_cases as cases
from tests.unit.analysis.told import reason_of
from tests.unit.analysis.validity_cases import CLIENTS, Change
from tests.unit.store.result_builder import TrialScript, build_result, make_plan


def failed(script: TrialScript) -> None:
    script.events[-1] |= {"status": "failed", "reason": "the server went away"}


def over_budget(script: TrialScript) -> None:
    cases.failing(script, 10)


def first_trial_is(change: Change, directory: Path) -> Findings:
    def build(script: TrialScript) -> None:
        if script.planned.number == 1:
            change(script)

    return analyse(build_result(directory / "r", make_plan([CLIENTS]), build))


@pytest.mark.parametrize(
    ("change", "standing", "reason"),
    [
        (lambda _: None, Standing.VALID, None),
        (lambda script: cases.busy(script, 12), Standing.WITH_WARNINGS, "generator"),
        (over_budget, Standing.INVALID, "fail"),
        (failed, Standing.FAILED, "the server went away"),
        (cases.interrupted, Standing.FAILED, "without saying how"),
    ],
)
def test_a_trial_stands(
    change: Change, standing: Standing, reason: str | None, tmp_path: Path
) -> None:
    findings = first_trial_is(change, tmp_path)
    first, *others = findings.trials
    assert first.standing is standing
    assert len(findings.trials) == findings.trials_planned
    assert {line.standing for line in others} == {Standing.VALID}
    assert (reason is None and not first.reasons) or any(
        str(reason) in reason_of(each) for each in first.reasons
    )


def test_what_a_trial_measured_is_told_of_those_that_are_not_used_too(tmp_path: Path) -> None:
    line = first_trial_is(over_budget, tmp_path).trials[0]
    assert line.throughput_per_s == pytest.approx(90.0)
    assert line.p95_ms is not None


def test_trials_that_were_not_run_are_told(tmp_path: Path) -> None:
    plan = make_plan([CLIENTS])
    result = build_result(tmp_path / "r", plan, lambda _: None)
    missing = plan.trials[2]
    kept = tuple(trial for trial in result.trials if trial.planned.number != missing.number)
    findings = analyse(replace(result, trials=kept, missing=(missing,)))
    assert findings.trials[2].standing is Standing.MISSING
    assert [line.number for line in findings.trials] == [trial.number for trial in plan.trials]
