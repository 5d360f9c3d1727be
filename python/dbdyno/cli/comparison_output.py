"""A comparison of two results on the terminal, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.text import Text

from dbdyno.analysis.compare.metric import RESPONSE_P50, RESPONSE_P95, RESPONSE_P99
from dbdyno.analysis.compare.model import (
    Comparison,
    Effect,
    FactorEffect,
    MetricComparisons,
    Reason,
)
from dbdyno.analysis.regression.hold import Held, Outcome, best_case_percent
from dbdyno.analysis.validity.codes import Code
from dbdyno.cli.compared import Compared
from dbdyno.experiment.plan import Cell
from dbdyno.report.terminal import print_verdicts
from dbdyno.report.words.confounders import differs_line
from dbdyno.report.words.evidence.words import finding_evidence
from dbdyno.report.words.trial_numbers import numbers_line
from dbdyno.report.words.unlike import unlike_sentence

SETTINGS_SHOWN = 10

_STYLES = {
    Outcome.PASSED: "green",
    Outcome.NOT_SHOWN: "green",
    Outcome.REGRESSION: "bold red",
    Outcome.NOT_JUDGED: "yellow",
}
_PERCENTILES = (RESPONSE_P50, RESPONSE_P95, RESPONSE_P99)
_REASONS = {
    Reason.IDLE: "one of the two did nothing in some round, so there is no ratio",
    Reason.GIVEN_RATE: "both kept up with the rate that was asked for, so throughput says nothing; "
    "make a rule about p95",
    Reason.UNLIKE_RATES: "they were asked for different rates",
    Reason.UNLIKE_CLIENTS: "the generator read answers late, so one of the two servers had fewer "
    "clients; give the generator CPUs of its own",
    Reason.FEW_TIMES: "some round had too few transactions for this percentile; take longer trials",
    Reason.NOT_KEPT_UP: "one of the two did not keep up with its rate, so its response times grow "
    "with the length of the trial; make a rule about throughput",
}
"""Why there is nothing to judge."""
_WORDS = {
    Outcome.PASSED: "passed",
    Outcome.NOT_SHOWN: "no regression shown",
    Outcome.REGRESSION: "REGRESSION",
    Outcome.NOT_JUDGED: "not judged",
}


def print_comparison(compared: Compared) -> None:
    """Print verdicts, what differs besides, and what became of each rule."""
    console = Console(highlight=False)
    console.print()
    print_verdicts(compared.findings, console)
    console.print()
    if line := numbers_line(compared.findings):
        console.print(Text(line))
    console.print(Text(differs_line(compared.findings, compared.factor.name)))
    for line in settings_lines(compared):
        console.print(Text(line))
    for line in missing_cells(compared):
        console.print(Text(line, style="yellow"))
    if compared.held and compared.unused:
        console.print(Text(unused_line(compared), style="yellow"))
    for line in noise_lines(compared):
        console.print(Text(line, style="yellow"))
    for held in compared.held:
        shown = held.outcome if compared.is_judged else Outcome.NOT_JUDGED
        outcome = Text(_WORDS[shown], style=_STYLES[shown])
        console.print(outcome.append(f": {held_sentence(held)}", style="not bold default"))
    if any(held.rule.metric in _PERCENTILES for held in compared.held):
        console.print(
            Text(
                "Rules about percentiles compare the trials' own. p95 and p99 in the table are of "
                "all trials merged, which have other ratios where rounds scatter."
            )
        )


def settings_lines(compared: Compared) -> Iterator[str]:
    """Yield the settings that somebody has set and that differ, with both values."""
    values = {
        setting: (baseline_value, value)
        for setting, _, value, baseline_value in reversed(compared.findings.differences)
    }
    for setting in sorted(values)[:SETTINGS_SHOWN]:
        before, after = ("not known" if each is None else each for each in values[setting])
        yield f"  {setting}: {before} in {compared.baseline}, {after} in {compared.other}"
    if len(values) > SETTINGS_SHOWN:
        yield f"  and {len(values) - SETTINGS_SHOWN} more settings: see the report"


def missing_cells(compared: Compared) -> Iterator[str]:
    """Yield which cells are not compared, because only one of the two has them."""
    for name, cells in (
        (compared.baseline, compared.lacking),
        (compared.other, compared.added),
    ):
        if cells:
            labels = "; ".join(cell.label() for cell in cells)
            yield f"Only {name} has these cells, and they are not compared: {labels}"


def unused_line(compared: Compared) -> str:
    """Return that the rules do not hold for all trials."""
    return (
        f"{compared.unused} of {compared.findings.trials_planned} trials are in no figure: they "
        "failed, are not valid, or did not run. So the rules cannot pass for all of them."
    )


def noise_lines(compared: Compared) -> Iterator[str]:
    """Yield what keeps rules from being judged, and what the A/A checks came to."""
    for finding in compared.findings.warnings if compared.held else ():
        if finding.code is Code.OUTSIDE_DIFFERS:
            evidence = finding_evidence(finding)
            yield (
                f"{evidence[:1].upper()}{evidence[1:]}. Nobody can tell a slower server from a "
                "busier machine, so no rule is judged. Make the machine quiet, and measure again."
            )
    for check in compared.noise:
        if not check.fired:
            yield f"A/A check with {check.name}: passed, no rule fires between the two."
            continue
        yield (
            f"A/A check with {check.name}: FAILED. It ran what {compared.baseline} ran, and "
            "the two differ by more than a rule allows. Runs of this machine cannot be compared "
            "this finely, so no rule is judged. Make the machine quiet, or add rounds."
        )
        for held in check.fired:
            yield f"  {held_sentence(held)}"


def held_sentence(held: Held) -> str:
    """Return what a rule came to: ``p95 worse by 5 % at threads=8: 23.1 % worse [18.0, 28.4]``."""
    where = held.rule.text + (f" at {held.cell.label()}" if held.cell else " over all cells")
    if held.effect is None or held.worse_percent is None or held.not_excluded_percent is None:
        return f"{where}: {_why_not_judged(held)}"
    worse = held.worse_percent
    amount = f"{abs(worse):.1f} % {'worse' if worse > 0 else 'better'}"
    rounds = f"{'at least ' if held.has_more_rounds else ''}{held.rounds} rounds each"
    if held.outcome is Outcome.REGRESSION:
        low = best_case_percent(held.effect, held.rule.metric)
        return f"{where}: {amount} [{low:.1f}, {held.not_excluded_percent:.1f}], {rounds}"
    most = max(held.not_excluded_percent, 0.0)
    if held.outcome is Outcome.NOT_SHOWN:
        return f"{where}: {amount}, {rounds}. Up to {most:.1f} % worse is not excluded"
    if not most:
        return f"{where}: {amount}, {rounds}"
    return f"{where}: {amount}, {rounds}. More than {most:.1f} % worse is excluded"


def _why_not_judged(held: Held) -> str:
    if held.reason is not None:
        return _REASONS[held.reason]
    rounds = "1 valid round" if held.rounds == 1 else f"{held.rounds} valid rounds"
    few = f"{rounds} with this figure, and two are the least"
    if held.rule.metric in _PERCENTILES:
        return f"{few}. A percentile needs ten transactions beyond it in a trial"
    return f"{few}. The report says why trials are not valid"


def to_json(compared: Compared) -> str:
    """Return a comparison as one JSON document."""
    findings = compared.findings
    document = {
        "baseline": compared.baseline,
        "other": compared.other,
        "factor": compared.factor.name,
        "unlike": [unlike_sentence(each, compared.factor.levels) for each in findings.unlike],
        "what_differs": differs_line(findings, compared.factor.name),
        "only_in_baseline": [_cell(cell) for cell in compared.lacking],
        "only_in_other": [_cell(cell) for cell in compared.added],
        "comparisons": [
            _comparison(each)
            for by_metric in findings.compared
            for each in _all_of(by_metric)
            if each.factor == compared.factor.name
        ],
        "rules": [_rule(each, is_judged=compared.is_judged) for each in compared.held],
        "noise_checks": [
            {"result": check.name, "fired": [_rule(each) for each in check.fired]}
            for check in compared.noise
        ],
        "exit_status": int(compared.status),
    }
    return json.dumps(document, indent=2)


def _all_of(found: MetricComparisons) -> Iterator[Comparison | FactorEffect]:
    yield from found.effects
    yield from found.comparisons


def _comparison(found: Comparison | FactorEffect) -> dict[str, Any]:
    cell = found.cell.without(found.factor) if isinstance(found, Comparison) else None
    return {
        "metric": found.metric.name.value,
        "cell": None if cell is None else _cell(cell),
        "verdict": found.kind.value,
        "rounds": found.rounds,
        "effect": _effect(found.effect),
    }


def _rule(held: Held, *, is_judged: bool = True) -> dict[str, Any]:
    return {
        "rule": held.rule.text,
        "cell": None if held.cell is None else _cell(held.cell),
        "outcome": (held.outcome if is_judged else Outcome.NOT_JUDGED).value,
        "rounds": held.rounds,
        "effect": _effect(held.effect),
        "sentence": held_sentence(held),
    }


def _cell(cell: Cell) -> dict[str, str]:
    return dict(cell.levels)


def _effect(effect: Effect | None) -> dict[str, float] | None:
    if effect is None:
        return None
    return {
        "percent": effect.percent,
        "low_percent": effect.low_percent,
        "high_percent": effect.high_percent,
        "p_value": effect.p_value,
    }
