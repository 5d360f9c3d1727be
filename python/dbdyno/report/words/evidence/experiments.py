"""Words of what was found over all trials of an experiment."""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno.analysis.confounders.model import Aspect
from dbdyno.analysis.evidence import Evidence
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.report.language import either, listed, message, say, say_count
from dbdyno.report.words.confounders import aspect_name
from dbdyno.report.words.evidence.writers import Words, as_it_is, by_sign

NAMES_SHOWN = 5
CELLS_SHOWN = 5


def _few_trials(evidence: Evidence) -> str:
    trials, cells = evidence["trials"], evidence["cells"]
    assert isinstance(trials, tuple), evidence
    assert isinstance(cells, tuple), evidence
    each = [
        say("{count} of {cell}", count=count, cell=cell)
        for count, cell in zip(trials, cells, strict=True)
    ]
    shown = listed(each[:CELLS_SHOWN])
    more = len(each) - CELLS_SHOWN
    if more > 0:
        return say(
            "valid trials: {counts}, and so on in {more} more cells", counts=shown, more=more
        )
    return say("valid trials: {counts}", counts=shown)


def _settings_differ(evidence: Evidence) -> str:
    names = evidence["settings"]
    assert isinstance(names, tuple), evidence
    shown = listed(str(name) for name in names[:NAMES_SHOWN])
    if len(names) > NAMES_SHOWN:
        more = len(names) - NAMES_SHOWN
        shown = say("{names} and {more} more", names=shown, more=more)
    return say_count(
        "{count} setting: {names}", "{count} settings: {names}", len(names), names=shown
    )


def _meanings_differ(evidence: Evidence) -> str:
    aspects = evidence["aspects"]
    assert isinstance(aspects, tuple), evidence
    names = listed(aspect_name(Aspect(str(each))) for each in aspects)
    return say("unlike products, with different {aspects}", aspects=names)


def _varies_together(evidence: Evidence) -> str:
    levels, together = evidence["levels"], evidence["together"]
    assert isinstance(levels, tuple), evidence
    assert isinstance(together, tuple), evidence
    if not together:
        return say("no two cells differ in {factor} alone", factor=evidence["factor"])
    return say_count(
        "where {factor} is {levels} and not {baseline}, {others} differs too",
        "where {factor} is {levels} and not {baseline}, {others} differ too",
        len(together),
        factor=evidence["factor"],
        levels=either(map(str, levels)),
        baseline=evidence["baseline"],
        others=listed(map(str, together)),
    )


def _levels_apart(evidence: Evidence) -> str:
    levels, together = evidence["levels"], evidence["together"]
    assert isinstance(levels, tuple), evidence
    assert isinstance(together, tuple), evidence
    named = say(
        "{factor}={levels} against {baseline}",
        factor=evidence["factor"],
        levels=listed(map(str, levels)),
        baseline=evidence["baseline"],
    )
    if not together:
        return say("{levels}: other factors differ too", levels=named)
    return say_count(
        "{levels}: {others} differs too",
        "{levels}: {others} differ too",
        len(together),
        levels=named,
        others=listed(map(str, together)),
    )


_MOVED = "change_share"

WORDS: Mapping[EvidenceKind, Words] = {
    EvidenceKind.SAID: as_it_is("text"),
    EvidenceKind.MORE: message("and {count} more"),
    EvidenceKind.NOT_RUN: message("{missing} of {planned} planned trials"),
    EvidenceKind.FEW_TRIALS: _few_trials,
    EvidenceKind.ORDER: message("order {order}, {rounds} rounds, {cells} cells"),
    EvidenceKind.DRIFT: by_sign(
        _MOVED,
        message(
            "throughput rose by {change_share} over {rounds} rounds (linear regression over "
            "rounds, {p_value})"
        ),
        message(
            "throughput fell by {change_share} over {rounds} rounds (linear regression over "
            "rounds, {p_value})"
        ),
    ),
    EvidenceKind.CARRY_OVER: by_sign(
        _MOVED,
        message(
            "{factor}={level} against {baseline}: the effect is {change_share} too high, for other "
            "levels ran before ({p_value})"
        ),
        message(
            "{factor}={level} against {baseline}: the effect is {change_share} too low, for other "
            "levels ran before ({p_value})"
        ),
    ),
    EvidenceKind.UNLIKE_PLANS: message("trials {trial_number} have different plans"),
    EvidenceKind.SETTINGS_DIFFER: _settings_differ,
    EvidenceKind.MEANINGS_DIFFER: _meanings_differ,
    EvidenceKind.VARIES_TOGETHER: _varies_together,
    EvidenceKind.LEVELS_APART: _levels_apart,
    EvidenceKind.DURABILITY: message(
        "{compared} has {durability}, its baseline {baseline_durability}; this is so in {unlike} "
        "of {comparisons} comparisons"
    ),
    EvidenceKind.ISOLATION: message(
        "{compared} ran with isolation {isolation}, its baseline with {baseline_isolation}"
    ),
    EvidenceKind.SERVER_CHANGED: message(
        "{fact} was {before} until trial {last_number} and {after} from trial {first_number}"
    ),
    EvidenceKind.HOST_CHANGED: message(
        "host {fact} was {before} until trial {last_number} and {after} from trial {first_number}"
    ),
    EvidenceKind.REFERENCE_THROUGHPUT: by_sign(
        _MOVED,
        message(
            "throughput of {reference} ranged over {range_share} in {trials} trials and ended "
            "{change_share} above its beginning; the noise between rounds is {noise_share} "
            "(F test, {p_value})"
        ),
        message(
            "throughput of {reference} ranged over {range_share} in {trials} trials and ended "
            "{change_share} below its beginning; the noise between rounds is {noise_share} "
            "(F test, {p_value})"
        ),
    ),
    EvidenceKind.REFERENCE_RESPONSE: by_sign(
        _MOVED,
        message(
            "the median response time of {reference} ranged over {range_share} in {trials} trials "
            "and ended {change_share} above its beginning; the noise between rounds is "
            "{noise_share} (F test, {p_value})"
        ),
        message(
            "the median response time of {reference} ranged over {range_share} in {trials} trials "
            "and ended {change_share} below its beginning; the noise between rounds is "
            "{noise_share} (F test, {p_value})"
        ),
    ),
    EvidenceKind.FOLLOWS_STEAL: message(
        "between the rounds of a cell, throughput falls as CPU steal rises (correlation "
        "{correlation} over {trials} trials, {p_value}); it is the likely cause of "
        "{variance_share} of the variance"
    ),
    EvidenceKind.OTHERS_DIFFER: message(
        "other programs took {taken_cores} CPUs during {level} and {baseline_taken_cores} during "
        "{baseline}"
    ),
    EvidenceKind.STEAL_DIFFERS: message(
        "other virtual machines took {taken_share} of the CPU time during {level} and "
        "{baseline_taken_share} during {baseline}"
    ),
    EvidenceKind.FOLLOWS_OTHERS: message(
        "between the rounds of a cell, throughput falls as the CPU time of other programs rises "
        "(correlation {correlation} over {trials} trials, {p_value}); it is the likely cause of "
        "{variance_share} of the variance"
    ),
}
