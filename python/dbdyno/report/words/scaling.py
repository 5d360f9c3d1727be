"""What the scalability law says of some cells, or why it is not told, in sentences."""

from __future__ import annotations

from dbdyno.analysis.findings import Findings
from dbdyno.analysis.scaling.cells import FEWEST_LEVELS, FEWEST_ROUNDS
from dbdyno.analysis.scaling.model import Law, PeakStanding, Refusal, Scaling, Span
from dbdyno.analysis.throughput import ThroughputMeasure
from dbdyno.report import figures

DEFINITION = (
    "Gunther's Universal Scalability Law: throughput = λN / (1 + σ(N − 1) + κN(N − 1)) for N "
    "clients. λ is what one client gets done that is alone, σ the share of work that has to wait "
    "for its turn (contention), κ what each pair of clients costs by having to agree (coherency). "
    "Intervals are at 95 %, by resampling whole rounds."
)


def scaling_sentences(findings: Findings) -> list[str]:
    """Return a sentence for each combination of the other factors; those alike stand together."""
    told: dict[str, list[str]] = {}
    for scaling in findings.scaling:
        labels = [scaling.others.label()] if scaling.others.levels else []
        told.setdefault(_sentence(scaling, findings.measure), []).extend(labels)
    return [
        f"{'; '.join(labels)}: {sentence}." if labels else f"{sentence[:1].upper()}{sentence[1:]}."
        for sentence, labels in told.items()
    ]


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
        return f"[{figures.count(span.low)}, more than {figures.count(told_to)}]"
    return f"[{figures.count(span.low)}, {figures.count(span.high)}]"


def rate_span(span: Span, measure: ThroughputMeasure) -> str:
    """Write a rate with its interval: ``14,490 [14,210, 14,800]``."""
    value, low, high = (measure.of(each) for each in (span.value, span.low, span.high))
    return f"{figures.rate(value)} {figures.rate_interval(value, low, high)}"


def _sentence(scaling: Scaling, measure: ThroughputMeasure) -> str:
    if scaling.refusal is not None:
        return _refusal(scaling, scaling.refusal)
    return "" if scaling.law is None else _peak(scaling, scaling.law, measure)


def _peak(scaling: Scaling, law: Law, measure: ThroughputMeasure) -> str:
    peak, most = law.peak, scaling.clients[-1]
    if peak.standing is PeakStanding.BELOW:
        return f"throughput falls from {scaling.clients[0]} clients on, the fewest measured"
    if peak.clients is None or peak.throughput_per_s is None:
        return (
            f"throughput still grows at {most} clients, the most measured, and the law has no peak "
            f"up to {scaling.told_to}; nothing is told of more"
        )
    at = (
        f"{figures.count(peak.clients.value)} clients "
        f"{clients_interval(peak.clients, scaling.told_to)}"
    )
    if peak.standing is PeakStanding.EXTRAPOLATED:
        return (
            f"throughput still grows at {most} clients, the most measured; extrapolated, it is "
            f"highest at {at}"
        )
    return (
        f"throughput is highest at {at}, with {rate_span(peak.throughput_per_s, measure)} "
        f"{measure.words}"
    )


def _extrapolation(scaling: Scaling, law: Law, measure: ThroughputMeasure) -> str:
    where = f"{scaling.others.label()}: " if scaling.others.levels else ""
    return (
        f"{where}{scaling.told_to} clients, twice the most measured, would give "
        f"{rate_span(law.extrapolated.per_s, measure)} {measure.words} if the law holds that far. "
        "This is extrapolated, and its interval also holds what the curves say that leave out one "
        "measured number of clients each."
    )


def _refusal(scaling: Scaling, refusal: Refusal) -> str:
    if refusal is Refusal.NO_BEND:
        return (
            f"no peak within the range: up to {scaling.clients[-1]} clients, coherency (κ) is not "
            "told from zero"
        )
    return f"no law is fitted: {_reason(scaling, refusal)}"


def _reason(scaling: Scaling, refusal: Refusal) -> str:
    match refusal:
        case Refusal.FEW_LEVELS:
            return (
                f"{len(scaling.clients)} numbers of clients share their rounds, and it takes "
                f"{FEWEST_LEVELS}"
            )
        case Refusal.FEW_ROUNDS:
            noun = "round" if scaling.rounds == 1 else "rounds"
            return f"there are {scaling.rounds} {noun}, and it takes {FEWEST_ROUNDS}"
        case Refusal.OPEN_LOOP:
            return "in an open loop the rate gives throughput, whatever the number of clients"
        case Refusal.WAITS:
            return (
                "clients that think or sleep ask less of the server than as many that always want "
                "something"
            )
        case Refusal.IDLE:
            return "in some round nothing was done at all"
        case _:
            return (
                f"throughput has another shape; it is off the curve by "
                f"{figures.share(scaling.misfit)}, and the rounds' scatter does not explain that"
            )


FILTERS = (scaling_sentences, extrapolation_sentences, clients_interval)
"""What the template writes scaling with."""
