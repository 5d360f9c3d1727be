"""What the scalability law says of some cells, or why it is not told, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analysis.compare.peaks import MeasuredPeak, find_peaks
from dbdyno.analysis.findings import Findings
from dbdyno.analysis.scaling.cells import FEWEST_LEVELS, FEWEST_ROUNDS
from dbdyno.analysis.scaling.model import Law, Peak, PeakStanding, Refusal, Scaling, Span
from dbdyno.analysis.throughput import ThroughputMeasure
from dbdyno.experiment.plan import FactorLevels
from dbdyno.report import figures
from dbdyno.report.language import clauses, listed, message, say, say_count, sentences
from dbdyno.report.words.throughput import capitalized, measure_words

DEFINITION = message(
    "Gunther's Universal Scalability Law: throughput = λN / (1 + σ(N − 1) + κN(N − 1)) for N "
    "clients. λ is what one client gets done that is alone, σ the share of work that has to wait "
    "for its turn (contention), κ what each pair of clients costs by having to agree (coherency). "
    "Intervals are at 95 %, by resampling whole rounds."
)
_REASONS = {
    Refusal.OPEN_LOOP: message(
        "in an open loop the rate gives throughput, whatever the number of clients"
    ),
    Refusal.WAITS: message(
        "clients that think or sleep ask less of the server than as many that always want something"
    ),
    Refusal.IDLE: message("in some round nothing was done at all"),
}
"""The reasons without a figure."""


def scaling_sentences(findings: Findings) -> list[str]:
    """Return a sentence for each combination of the other factors; those alike stand together."""
    told: dict[str, list[str]] = {}
    for scaling in findings.scaling:
        labels = [scaling.others.label()] if scaling.others.levels else []
        told.setdefault(_finding(scaling, findings.measure), []).extend(labels)
    return [_ended(finding, labels) for finding, labels in told.items()]


def extrapolation_sentences(findings: Findings) -> list[str]:
    """Return what twice the most clients would give, of those cells whose law is told."""
    return [
        _extrapolation(scaling, scaling.law, findings.measure)
        for scaling in findings.scaling
        if scaling.law is not None
    ]


def clients_interval(span: Span, told_to: int) -> str:
    """Write the interval of a number of clients; what is too far away is no figure."""
    if span.high > told_to:
        low, high = figures.count(span.low), figures.count(told_to)
        return say("[{low}, more than {high}]", low=low, high=high)
    return f"[{figures.count(span.low)}, {figures.count(span.high)}]"


def rate_span(span: Span, measure: ThroughputMeasure) -> str:
    """Write a rate with its interval: ``14,490 [14,210, 14,800]``."""
    value, low, high = (measure.of(each) for each in (span.value, span.low, span.high))
    return f"{figures.rate(value)} {figures.rate_interval(value, low, high)}"


def _ended(finding: str, labels: Sequence[str]) -> str:
    """Return a finding as a sentence, after the cells that it holds for."""
    if labels:
        return say("{cells}: {finding}.", cells=clauses(labels), finding=finding)
    return say("{finding}.", finding=capitalized(finding))


def _finding(scaling: Scaling, measure: ThroughputMeasure) -> str:
    if scaling.refusal is not None:
        return _refusal(scaling, scaling.refusal)
    return "" if scaling.law is None else peak_in_words(scaling, scaling.law.peak, measure)


def peak_in_words(scaling: Scaling, peak: Peak, measure: ThroughputMeasure) -> str:
    """Return where throughput is highest by the law."""
    most = figures.count(scaling.clients[-1])
    if peak.standing is PeakStanding.BELOW:
        return say_count(
            "throughput falls from {count} client on, the fewest measured",
            "throughput falls from {count} clients on, the fewest measured",
            scaling.clients[0],
        )
    if peak.clients is None or peak.throughput_per_s is None:
        return say(
            "throughput still grows at {most} clients, the most measured, and the law has no peak "
            "up to {told_to}; it says nothing of more",
            most=most,
            told_to=figures.count(scaling.told_to),
        )
    clients = figures.count(peak.clients.value)
    interval = clients_interval(peak.clients, scaling.told_to)
    if peak.standing is PeakStanding.EXTRAPOLATED:
        return say(
            "throughput still grows at {most} clients, the most measured; extrapolated, it is "
            "highest at {clients} clients {interval}",
            most=most,
            clients=clients,
            interval=interval,
        )
    return say(
        "throughput is highest at {clients} clients {interval}, with {rate} {unit}",
        clients=clients,
        interval=interval,
        rate=rate_span(peak.throughput_per_s, measure),
        unit=measure_words(measure),
    )


def _extrapolation(scaling: Scaling, law: Law, measure: ThroughputMeasure) -> str:
    finding = say(
        "{clients} clients, twice the most measured, would give {rate} {unit} if the law holds "
        "that far",
        clients=figures.count(scaling.told_to),
        rate=rate_span(law.extrapolated.per_s, measure),
        unit=measure_words(measure),
    )
    caution = say(
        "This is extrapolated. Its interval also holds the curves that leave out one measured "
        "number of clients each."
    )
    labels = [scaling.others.label()] if scaling.others.levels else []
    return sentences([_ended(finding, labels), caution])


def _refusal(scaling: Scaling, refusal: Refusal) -> str:
    if refusal is Refusal.NO_BEND:
        return say(
            "no peak within the range: up to {clients} clients, coherency (κ) does not differ from "
            "zero",
            clients=figures.count(scaling.clients[-1]),
        )
    return say("no law is fitted: {reason}", reason=_reason(scaling, refusal))


def _reason(scaling: Scaling, refusal: Refusal) -> str:
    match refusal:
        case Refusal.FEW_LEVELS:
            return say_count(
                "{count} number of clients shares its rounds, and it takes {fewest}",
                "{count} numbers of clients share their rounds, and it takes {fewest}",
                len(scaling.clients),
                fewest=FEWEST_LEVELS,
            )
        case Refusal.FEW_ROUNDS:
            return say_count(
                "there is {count} round, and it takes {fewest}",
                "there are {count} rounds, and it takes {fewest}",
                scaling.rounds,
                fewest=FEWEST_ROUNDS,
            )
        case Refusal.BAD_FIT:
            return say(
                "throughput has another shape; it is off the curve by {misfit}, and the rounds' "
                "scatter does not explain that",
                misfit=figures.share(scaling.misfit),
            )
        case _:
            return say(_REASONS[refusal])


def peaks_in_words(load: FactorLevels, findings: Findings) -> str:
    """Return at which load throughput was highest, and what the most clients left of it.

    ``Highest at 32, 64; at 128 −12 % to −3 %.`` Of a factor that is no number of clients it is "".
    """
    peaks = list(find_peaks(findings.cells, [load]))
    if not peaks:
        return ""
    at = {each.best.cell.level(load.name) for each in peaks}
    highest = say("Highest at {levels}", levels=listed(each for each in load.levels if each in at))
    return say("{sentence}.", sentence=clauses(filter(None, [highest, _left(peaks)])))


def _left(peaks: Sequence[MeasuredPeak]) -> str:
    """Return what the most clients left of the peaks, from the largest fall to the smallest."""
    changes = [each.change for each in peaks if each.change is not None]
    most = {each.last.cell.level(each.load.name) for each in peaks}
    if not changes or len(most) > 1:
        return ""
    changes.sort(key=lambda each: each.percent)
    low, high = (figures.effect_of(each)[0] for each in (changes[0], changes[-1]))
    change = low if low == high else say("{low} to {high}", low=low, high=high)
    return say("at {level} {change}", level=most.pop(), change=change)
