"""The colours of a matrix: the size of an effect, never without words, readable everywhere."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import pytest

from dbdyno.analysis.compare.metric import RESPONSE_P95, THROUGHPUT
from dbdyno.analysis.compare.model import Comparison, Effect, VerdictKind
from dbdyno.analysis.findings import Findings
from dbdyno.report.document.model import Shade
from dbdyno.report.matrix import matrices
from dbdyno.report.shading import key_of, shade_of

from .report_examples import two_factors
from .report_page import read_page
from .test_report_html import NOON, contrast
from .written import render_html

BASELINE = "delete"


def judged(kind: VerdictKind, percent: float) -> Findings:
    """Return findings in which each effect is one of a kind, and so large."""
    findings = two_factors()

    def changed(each: Comparison) -> Comparison:
        effect = Effect(percent, percent - 1, percent + 1, 0.01, 0.02, 4.0, 3)
        return replace(each, kind=kind, effect=effect)

    compared = tuple(
        replace(metric, comparisons=tuple(map(changed, metric.comparisons)))
        for metric in findings.compared
    )
    return replace(findings, compared=compared)


def shades(findings: Findings) -> dict[str, set[Shade]]:
    """Return the shades of each row of the matrix of throughput."""
    (matrix,) = matrices(findings, THROUGHPUT)
    return {
        level: {shade_of(cell) for cell in members if cell is not None}
        for level, members in matrix.rows
    }


@pytest.mark.parametrize(
    ("kind", "percent", "shade"),
    [
        (VerdictKind.BETTER, 9.0, Shade.BETTER_1),
        (VerdictKind.BETTER, 11.0, Shade.BETTER_2),
        (VerdictKind.BETTER, 50.0, Shade.BETTER_3),
        (VerdictKind.BETTER, 418.0, Shade.BETTER_4),
        (VerdictKind.WORSE, -9.0, Shade.WORSE_1),
        (VerdictKind.WORSE, -10.0, Shade.WORSE_2),
        (VerdictKind.WORSE, -49.0, Shade.WORSE_3),
        (VerdictKind.WORSE, -51.0, Shade.WORSE_4),
        (VerdictKind.WORSE, -100.0, Shade.WORSE_4),
        (VerdictKind.WORSE, 418.0, Shade.WORSE_4),
        (VerdictKind.BETTER, -9.0, Shade.BETTER_1),
        (VerdictKind.NO_DIFFERENCE_SHOWN, 418.0, Shade.NOT_SHOWN),
        (VerdictKind.EQUIVALENT, 0.1, Shade.NOT_SHOWN),
        (VerdictKind.TOO_FEW_ROUNDS, -51.0, Shade.NOT_SHOWN),
        (VerdictKind.NOT_COMPARABLE, 418.0, Shade.NONE),
    ],
)
def test_a_shade_is_the_size_of_the_ratio(kind: VerdictKind, percent: float, shade: Shade) -> None:
    assert shades(judged(kind, percent)) == {BASELINE: {Shade.NONE}, "wal": {shade}}


def test_the_verdict_and_not_the_sign_picks_the_hue() -> None:
    findings = two_factors()
    (throughput,) = matrices(findings, THROUGHPUT)
    (response,) = matrices(findings, RESPONSE_P95)
    for matrix, sign in ((throughput, "+"), (response, "−")):
        (row,) = (members for level, members in matrix.rows if level != BASELINE)
        for cell in row:
            assert cell is not None
            assert cell.effect[0].startswith(sign)
            assert shade_of(cell) is Shade.BETTER_4


def test_the_page_has_the_shade_the_effect_and_what_the_shade_means() -> None:
    html = render_html(judged(VerdictKind.WORSE, -20.0), NOON)
    shaded = re.findall(r'<td class="worse-2">(.*?)</td>', html)
    assert len(shaded) == 8, "four cells of throughput, and four of response time"
    assert all('<small class="worse">−20.0' in cell for cell in shaded)
    keys = re.findall(r'<p class="key">(.*?)</p>', html)
    assert len(keys) == 2
    assert '<span class="worse-2">≤ 1.3</span>' in keys[0]
    assert '<span class="worse-4">&gt; 2</span>' in keys[0]
    assert '<span class="not-shown">undecided, or no difference shown</span>' in keys[0]


def test_without_comparisons_there_are_no_colours_and_no_key() -> None:
    findings = replace(two_factors(), compared=())
    (matrix,) = matrices(findings, THROUGHPUT)
    assert key_of(matrix) == ()
    page = read_page(render_html(findings, NOON))
    assert not {"key", *Shade} & {e.attributes.get("class") for e in page.elements if e.attributes}


def test_text_is_readable_on_every_shade_and_a_stronger_one_is_farther_from_paper() -> None:
    blocks = re.findall(
        r":root[^{]* \{([^}]*--paper[^}]*)\}", read_page(render_html(two_factors(), NOON)).styles
    )
    for block in blocks:
        colours = dict(re.findall(r"--([\w-]+): (#\w{6});", block))
        for hue in ("better", "worse"):
            tints = [colours[f"{hue}-{step}"] for step in (1, 2, 3, 4)]
            assert all(contrast(colours["ink"], tint) >= 4.5 for tint in tints), hue
            distances = [contrast(colours["paper"], tint) for tint in tints]
            assert all(after > 1.1 * before for before, after in pairwise(distances)), hue
