"""A percentile and the effect on it are one figure in all that a report shows of them.

Rounds scatter here so that the percentiles of all rounds merged have other ratios than the trials'
own: what is compared is the latter.
"""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.compare.model import Reason
from dbdyno.analysis.findings import Findings
from dbdyno.experiment.plan import FactorLevels
from dbdyno.report.document.model import Block, Details, Table, TableKind
from dbdyno.report.language import say
from dbdyno.report.sections.verdicts import TRIALS_OWN
from dbdyno.report.terminal import print_verdicts
from dbdyno.report.words.comparisons import comparison_sentence
from dbdyno.store.reader import read_result
from tests.live.run.launch import call
from tests.unit.report.written import sections_by_id
from tests.unit.store.result_builder import TrialScript, build_result, make_plan, repeated

FACTORS = [
    FactorLevels("engine", ("old", "new"), "server.default_storage_engine"),
    FactorLevels("clients", ("1", "8"), "load.clients"),
]
TAILS_MS = {"old": (20.0, 20.0, 20.0, 200.0), "new": (10.0, 10.0, 10.0, 180.0)}
"""The slowest tenth of the transactions, by round."""
EFFECT = (0.5**3 * 0.9) ** (1 / 4) - 1
MERGED = 180 / 200 - 1
NEAR = 0.005
"""Figures are written with three digits."""


def scatter(script: TrialScript) -> None:
    tails_ms = TAILS_MS[script.planned.cell.level("engine")]
    tail_ms = tails_ms[script.planned.round - 1]
    for interval in script.window:
        for counts in interval["transactions"].values():
            counts["response"] = repeated((5.0,) * 8 + (tail_ms,) * 2, counts["committed"])


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("scattered") / "r"
    build_result(directory, make_plan(FACTORS, rounds=4), scatter)
    return directory


@pytest.fixture(scope="module")
def findings(directory: Path) -> Findings:
    return analyse(read_result(directory))


def tables(blocks: list[Block]) -> Iterator[Table]:
    for block in blocks:
        if isinstance(block, Table):
            yield block
        elif isinstance(block, Details):
            yield from tables(list(block.blocks))


def section_tables(findings: Findings, name: str) -> list[Table]:
    section = sections_by_id(findings)[name]
    assert section is not None
    return list(tables(list(section.blocks)))


def number(text: str) -> float:
    (found,) = re.findall(r"[-+−]?[\d.]+", text)
    return float(found.replace("−", "-"))


def test_effects_stand_beside_the_means_that_they_are_the_ratios_of(findings: Findings) -> None:
    (table,) = [
        each for each in section_tables(findings, "verdicts") if each.id == "other-verdicts"
    ]
    names = [column.heading for column in table.columns]
    rows = [row for body in table.bodies for row in body.rows if row[-1].text.endswith("ms")]
    effects = []
    for row in rows:
        baseline, level = map(number, row[-1].text.removesuffix(" ms").split(" → "))
        effect = row[names.index("effect")].value
        assert isinstance(effect, float)
        assert level / baseline - 1 == pytest.approx(effect / 100, abs=NEAR)
        effects.append(effect / 100)
    # p95 and p99 of the two numbers of clients; p50 is the same everywhere.
    assert [each for each in effects if each < -0.1] == [pytest.approx(EFFECT, abs=NEAR)] * 4
    assert say(TRIALS_OWN) in str(table.caption)


def test_where_times_answer_the_question_the_verdicts_have_their_means(tmp_path: Path) -> None:
    def at_a_rate(script: TrialScript) -> None:
        scatter(script)
        script.generator_plan["arrivals"] = {"constant": {"rate_per_s": 100.0}}

    findings = analyse(build_result(tmp_path / "r", make_plan(FACTORS[:1], rounds=4), at_a_rate))
    table, *_ = section_tables(findings, "verdicts")
    assert table.id == "verdicts"
    ((*_, effect, _, _, means),) = table.bodies[0].rows
    old, new = map(number, means.text.removesuffix(" ms").split(" → "))
    assert isinstance(effect.value, float)
    assert new / old - 1 == pytest.approx(EFFECT, abs=NEAR)
    assert effect.value / 100 == pytest.approx(EFFECT, abs=NEAR)
    (given,) = [
        comparison_sentence(each, findings)
        for by_metric in findings.compared
        for each in by_metric.comparisons
        if each.reason is Reason.GIVEN_RATE
    ]
    own, theirs = re.findall(r"([\d.]+) ms", given)
    assert float(own) / float(theirs) - 1 == pytest.approx(EFFECT, abs=NEAR)


def test_a_matrix_has_the_means_whose_ratios_its_effects_are(findings: Findings) -> None:
    matrix, *_ = section_tables(findings, "response_time")
    assert matrix.kind is TableKind.MATRIX
    assert "geometric mean over rounds" in str(matrix.caption)
    old, new = matrix.bodies[0].rows
    for baseline, level in zip(old[1:], new[1:], strict=True):
        assert level.value is not None
        assert baseline.value is not None
        ratio = float(level.value) / float(baseline.value) - 1
        assert ratio == pytest.approx(EFFECT, abs=NEAR)
        assert number(level.below) / 100 == pytest.approx(ratio, abs=NEAR)


def test_merged_percentiles_have_other_ratios_say_so_and_have_no_effects(
    findings: Findings,
) -> None:
    *_, table = section_tables(findings, "response_time")
    assert "merged" in str(table.caption)
    p99 = [column.heading for column in table.columns].index("p99")
    rows = [row for body in table.bodies for row in body.rows if len(row) == len(table.columns)]
    values = [float(row[p99].value or math.nan) for row in rows]
    assert values[2] / values[0] - 1 == pytest.approx(MERGED, abs=NEAR)
    assert not any(cell.below for row in rows for cell in row)


def test_the_terminal_has_no_effect_on_a_percentile(findings: Findings) -> None:
    file = io.StringIO()
    print_verdicts(findings, Console(file=file, width=200))
    # That of throughput, which is the same everywhere, is the only one.
    assert f"{100 * EFFECT:.0f}".replace("-", "−") not in file.getvalue()
    assert "Percentiles are of response time, of all trials merged." in file.getvalue()


def test_json_and_rules_have_the_effect_of_the_page(directory: Path) -> None:
    sides = [f"{directory.name}@engine={name}" for name in ("old", "new")]
    rule = ("--fail-if", "p99 worse by 1 %")
    done = call(["compare", *sides, *rule, "--json"], directory=directory.parent)
    found = json.loads(done.output)["comparisons"]
    effects = [
        each["effect"]["percent"] / 100
        for each in found
        if each["metric"] in ("response_p95", "response_p99") and each["cell"] is not None
    ]
    assert effects == [pytest.approx(EFFECT, abs=NEAR)] * 4
    done = call(["compare", *sides, *rule], directory=directory.parent)
    assert f"{-100 * EFFECT:.1f} % better" in done.output
    assert "Rules about percentiles compare the trials' own." in done.output
