"""What a comparison of two results comes to: findings, rules, and how the command ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.confounders.model import Aspect
from dbdyno.analysis.findings import Findings
from dbdyno.analysis.joined.join import join
from dbdyno.analysis.joined.model import Unlike
from dbdyno.analysis.joined.part import Part
from dbdyno.analysis.joined.unlike import only_in_one, unlike
from dbdyno.analysis.regression.hold import Held, Outcome, hold
from dbdyno.analysis.regression.rule import FailRule
from dbdyno.analysis.validity.codes import Code
from dbdyno.cli.compared_logs import Logs, compare_logs
from dbdyno.cli.exit_status import ExitStatus
from dbdyno.errors import InputError
from dbdyno.experiment.plan import Cell, FactorLevels
from dbdyno.report.words.confounders import differs_line, unexpected
from dbdyno.report.words.unlike import unlike_sentence

Side: TypeAlias = Part | Logs
"""What can be compared: a result of our own, or what logs tell."""


@dataclass(frozen=True)
class NoiseCheck:
    """A second run of what the baseline is, and the rules that fire between the two."""

    name: str
    fired: tuple[Held, ...]


@dataclass(frozen=True)
class Compared:
    """Two sides, what was found of them together, and the rules that were held against it."""

    baseline: str
    other: str
    findings: Findings
    held: tuple[Held, ...]
    noise: tuple[NoiseCheck, ...]
    lacking: list[Cell]
    """The cells that only the baseline has."""
    added: list[Cell]
    """The cells that only the other one has."""

    @property
    def factor(self) -> FactorLevels:
        """The factor that tells the parts from each other."""
        return self.findings.factors[0]

    @property
    def is_too_noisy(self) -> bool:
        """Whether a rule fires between two runs of one thing."""
        return any(check.fired for check in self.noise)

    @property
    def is_disturbed(self) -> bool:
        """Whether others took more of the machine during one of the two than during the other."""
        return any(each.code is Code.OUTSIDE_DIFFERS for each in self.findings.warnings)

    @property
    def is_judged(self) -> bool:
        """Whether rules mean anything."""
        return not (self.is_too_noisy or self.is_disturbed)

    @property
    def unused(self) -> int:
        """How many trials of the two are in no figure: nobody knows what they would have shown."""
        return self.findings.trials_planned - self.findings.trials_used

    @property
    def status(self) -> ExitStatus:
        """How the command ends."""
        if not self.held:
            return ExitStatus.SUCCESS
        if not self.is_judged:
            return ExitStatus.FAILED
        outcomes = {each.outcome for each in self.held}
        if Outcome.REGRESSION in outcomes:
            return ExitStatus.REGRESSION
        is_incomplete = Outcome.NOT_JUDGED in outcomes or bool(self.lacking) or self.unused > 0
        return ExitStatus.FAILED if is_incomplete else ExitStatus.SUCCESS


def compare_sides(
    baseline: Side,
    other: Side,
    repeated: Sequence[Side],
    rules: Sequence[FailRule],
    *,
    is_forced: bool,
) -> Compared:
    """Compare two sides, and hold rules against what was found.

    ``repeated`` are further runs of what the baseline is. InputError where the two cannot be
    compared, unless it is forced and there are figures to show.
    """
    joined = _join(baseline, other, is_forced=is_forced)
    findings = joined.findings
    if findings.unlike and rules:
        raise InputError(
            "--fail-if needs two results that can be compared: leave out --force to see why these "
            "cannot"
        )
    return Compared(
        baseline.name,
        other.name,
        findings,
        hold(rules, findings, findings.factors[0]),
        tuple(_check_noise(baseline, each, rules) for each in repeated),
        joined.lacking,
        joined.added,
    )


@dataclass(frozen=True)
class _Joined:
    findings: Findings
    lacking: list[Cell]
    added: list[Cell]


def _join(baseline: Side, other: Side, *, is_forced: bool = False) -> _Joined:
    """Return what is found of both; InputError where they are unlike and nobody forces it."""
    question = f"How does {other.name} differ from {baseline.name}?"
    if not isinstance(baseline, Part) or not isinstance(other, Part):
        logs = compare_logs(baseline, other, question)
        if logs.findings is None:
            raise InputError(_refusal(baseline, other, logs.unlike))
        return _Joined(logs.findings, logs.lacking, logs.added)
    reasons = unlike(baseline, other)
    if reasons and not (is_forced and all(each.can_be_forced for each in reasons)):
        raise InputError(_refusal(baseline, other, reasons))
    findings = replace(analyse(join(baseline, other, question)), unlike=reasons)
    if any(each.aspect is Aspect.HOST for each in findings.confounders):
        # Limits and shares of CPUs are judged by the facts of one host.
        findings = replace(findings, limits=(), usage={})
    return _Joined(findings, *only_in_one(baseline, other))


def _check_noise(baseline: Side, again: Side, rules: Sequence[FailRule]) -> NoiseCheck:
    """Hold the rules against two runs of one thing, each as the baseline of the other."""
    findings = _join(baseline, again).findings
    factor = findings.factors[0]
    if unexpected(findings, factor.name) or findings.differences:
        difference = differs_line(findings, factor.name)
        raise InputError(f"--again {again.name} is not what {baseline.name} is. {difference}")
    turned = replace(factor, baseline=1)
    held = (*hold(rules, findings, factor), *hold(rules, findings, turned))
    fired = tuple(each for each in held if each.outcome is Outcome.REGRESSION)
    return NoiseCheck(again.name, fired)


def _refusal(baseline: Side, other: Side, reasons: Sequence[Unlike]) -> str:
    return "\n".join(_refusal_lines(baseline, other, reasons))


def _refusal_lines(baseline: Side, other: Side, reasons: Sequence[Unlike]) -> Iterator[str]:
    yield f"{other.name} cannot be compared with {baseline.name}:"
    for each in reasons:
        yield f"  {unlike_sentence(each, (baseline.name, other.name))}"
    if all(each.can_be_forced for each in reasons):
        yield "With --force, figures are shown all the same, with this above them."
