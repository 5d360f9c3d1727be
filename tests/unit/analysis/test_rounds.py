"""A mean is over the cell's own rounds, and a comparison over those that both cells have."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.experiment.plan import FactorLevels
from dbdyno.report.means import notes
from tests.unit.store.result_builder import TrialScript, build_result, make_plan, trial_events

POOL = FactorLevels("pool", ("16M", "64M", "1G"), "server.innodb_buffer_pool_size")


def test_a_trial_that_failed_takes_its_round_from_its_own_pairs_only(tmp_path: Path) -> None:
    """Throughput scatters widely. Where both have the same rounds, means say what effects do."""
    levels = {"16M": (100, 900, 400, 250), "64M": (2000, 300, 700, 90), "1G": (50, 3000, 10, 600)}

    def change(script: TrialScript) -> None:
        per_s = levels[script.planned.cell.level("pool")][script.planned.round - 1]
        script.events = trial_events([per_s] * 12)
        if (script.planned.cell.level("pool"), script.planned.round) == ("1G", 2):
            script.events[-1] |= {"status": "failed", "reason": "gone"}

    findings = analyse(build_result(tmp_path / "r", make_plan([POOL], rounds=4), change))
    means = {cell.cell.level("pool"): cell.throughput_per_s.mean for cell in findings.cells}
    for level, rounds in {"16M": (1, 2, 3, 4), "64M": (1, 2, 3, 4), "1G": (1, 3, 4)}.items():
        expected = math.prod(levels[level][number - 1] for number in rounds) ** (1 / len(rounds))
        assert means[level] == pytest.approx(expected)
    whole, lacking = findings.comparisons
    assert (whole.rounds, lacking.rounds) == (4, 3)
    assert whole.effect is not None
    assert whole.effect.percent == pytest.approx(100 * (means["64M"] / means["16M"] - 1), rel=1e-9)
    ratios = [levels["1G"][at] / levels["16M"][at] for at in (0, 2, 3)]
    assert lacking.effect is not None
    assert lacking.effect.percent == pytest.approx(100 * (math.prod(ratios) ** (1 / 3) - 1))
    (note,) = notes(findings)
    assert note.startswith("pool=1G: the mean here is of its own rounds 1, 3–4.")


def test_many_cells_that_lack_rounds_are_told_in_one_sentence(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        if script.planned.round == (1 + script.planned.number % 3):
            script.events[-1] |= {"status": "failed", "reason": "gone"}

    factors = [POOL, FactorLevels("clients", ("1", "2"), "load.clients")]
    findings = analyse(build_result(tmp_path / "r", make_plan(factors, rounds=3), change))
    (note,) = notes(findings)
    assert note.startswith("6 of 6 cells have no valid trial in some round.")
