"""What stands above all figures: that they mean nothing, or that unlike things are compared."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analysis.findings import Findings
from dbdyno.analysis.joined.model import Unlike, UnlikeKind
from dbdyno.report.language import clauses, message, say
from dbdyno.report.words.setup import SMOKE_RUN, STAND_IN_RUN

_SENTENCES = {
    UnlikeKind.STAND_IN: message("one of the two ran what the section smoke of its file names"),
    UnlikeKind.SMOKE: message("one of the two ran at smoke size, so its figures mean nothing"),
    UnlikeKind.FACTORS: message(
        "the factors differ: {baseline} in {baseline_name}, {other} in {other_name}"
    ),
    UnlikeKind.NO_COMMON_CELL: message(
        "they have no cell in common: {baseline} in {baseline_name}, {other} in {other_name}. Name "
        "the levels to compare, as in RESULT@FACTOR=LEVEL"
    ),
    UnlikeKind.NO_COMMON_LEVEL: message(
        "{what}: {baseline} in {baseline_name}, {other} in {other_name}"
    ),
    UnlikeKind.NOTHING_MEASURED: message(
        "trials that were measured: {baseline} in {baseline_name}, {other} in {other_name}"
    ),
    UnlikeKind.ASKED: message("{what}: {baseline} in {baseline_name}, {other} in {other_name}"),
    UnlikeKind.DATASET: message(
        "data that were loaded: {baseline} in {baseline_name}, {other} in {other_name}"
    ),
    UnlikeKind.DURABILITY: message(
        "durability of commits: {baseline} in {baseline_name}, {other} in {other_name}"
    ),
    UnlikeKind.ISOLATION: message(
        "isolation level: {baseline} in {baseline_name}, {other} in {other_name}"
    ),
}


def unlike_sentence(unlike: Unlike, names: Sequence[str]) -> str:
    """Return one thing in which two results differ, without a full stop; the baseline's name first.

    ``names`` are those of the two.
    """
    absent = say("not set")
    return say(
        _SENTENCES[unlike.kind],
        what=unlike.what,
        baseline_name=names[0],
        other_name=names[1],
        baseline=unlike.baseline_value or absent,
        other=unlike.other_value or absent,
    )


def warnings_above(findings: Findings) -> list[str]:
    """Return what a reader must know before any figure, a sentence each."""
    warnings = [say(SMOKE_RUN)] if findings.is_smoke else []
    warnings += [say(STAND_IN_RUN)] if findings.is_stand_in else []
    if findings.unlike:
        warnings.append(
            say(
                "These two cannot be compared, and somebody forced it: {reasons}.",
                reasons=clauses(
                    [unlike_sentence(each, findings.factors[0].levels) for each in findings.unlike]
                ),
            )
        )
    return warnings
