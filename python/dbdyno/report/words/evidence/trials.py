"""Words of what a trial counted, and of what happened in its window."""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno.analysis.evidence import Evidence
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.report.language import message, messages, say, say_count
from dbdyno.report.words.evidence.figures import count_of, written
from dbdyno.report.words.evidence.writers import Words, by_sign
from dbdyno.report.words.percents import percents


def _over_budget(evidence: Evidence) -> str:
    """Both shares have as many decimals as tell them apart."""
    failed, allowed = (
        f"{text}\N{NO-BREAK SPACE}%"
        for text in percents(*(100 * _number(evidence, name) for name in _BUDGET))
    )
    return say(
        "{failed} of {ended} transactions failed ({failed_share}), {allowed_share} allowed",
        **written(evidence) | {"failed_share": failed, "allowed_share": allowed},
    )


_BUDGET = ("failed_share", "allowed_share")


def _number(evidence: Evidence, name: str) -> float:
    value = evidence[name]
    assert isinstance(value, int | float), evidence
    return value


def _beyond_range(evidence: Evidence) -> str:
    count, kind = count_of(evidence), str(evidence["transaction"])
    match evidence["measure"]:
        case "response":
            return say_count(
                "{count} response time of {kind}",
                "{count} response times of {kind}",
                count,
                kind=kind,
            )
        case "failed_response":
            return say_count(
                "{count} response time of failed {kind}",
                "{count} response times of failed {kind}",
                count,
                kind=kind,
            )
        case "service":
            return say_count(
                "{count} service time of {kind}",
                "{count} service times of {kind}",
                count,
                kind=kind,
            )
        case _:
            return say_count(
                "{count} schedule lag of {kind}",
                "{count} schedule lags of {kind}",
                count,
                kind=kind,
            )


WORDS: Mapping[EvidenceKind, Words] = {
    EvidenceKind.TRIAL_FAILED: message("failed: {reason}"),
    EvidenceKind.TRIAL_INTERRUPTED: message("interrupted: {reason}"),
    EvidenceKind.FAILED_UNEXPLAINED: message("failed: no reason was given"),
    EvidenceKind.INTERRUPTED_UNEXPLAINED: message("interrupted: no reason was given"),
    EvidenceKind.NO_REASON: message("no reason was given"),
    EvidenceKind.COUNTERS: message(
        "{transaction}, up to the interval at {start_s} s: {scheduled} scheduled, {ended} ended, "
        "{in_flight} in flight"
    ),
    EvidenceKind.NO_WINDOW: messages(
        "{count} interval, and it is not in the window",
        "{count} intervals, none of them in the window",
    ),
    EvidenceKind.OVER_BUDGET: _over_budget,
    EvidenceKind.FAILURES: message("{failed} of {ended} transactions failed ({failed_share})"),
    EvidenceKind.MOST_FREQUENT_ERROR: message(
        "most frequent error: {error_class} ({code}), {sample}"
    ),
    EvidenceKind.FEWER_CLIENTS: message("{connected} of {clients} clients at {start_s} s"),
    EvidenceKind.NOTHING_FINISHED: message("{failed} failed, none finished in {window_s} s"),
    EvidenceKind.WHOLE_INTERVALS: messages(
        "{count} whole interval in {window_s} s", "{count} whole intervals in {window_s} s"
    ),
    EvidenceKind.WARMUP_NOT_JUDGED: message(
        "{warmup_s} s, in which too little was done to judge it"
    ),
    EvidenceKind.WARMUP_CHANGED: message(
        "{warmup_s} s; over its last {intervals} intervals throughput changed by "
        "{low_change_share} to {high_change_share} (90 % confidence)"
    ),
    EvidenceKind.WAITING: message(
        "service times add up to {recorded_share} of the time that {clients} clients had: as if "
        "{working_clients} of them had worked"
    ),
    EvidenceKind.BEYOND_RANGE: _beyond_range,
    EvidenceKind.ABORTED: message(
        "{aborted} of {ended} transactions ({aborted_share}), {retries} retries"
    ),
    EvidenceKind.RECONNECTED: messages(
        "{count} connection made again", "{count} connections made again"
    ),
    EvidenceKind.GAPS: messages(
        "{count} gap of more than {limit_s} s without a completion, the longest {longest_s} s, "
        "the first in the interval at {first_start_s} s",
        "{count} gaps of more than {limit_s} s without a completion, the longest {longest_s} s, "
        "the first in the interval at {first_start_s} s",
    ),
    EvidenceKind.EMPTY_INTERVALS: message("{empty} of {intervals} intervals had no completion"),
    EvidenceKind.LOW_INTERVALS: message(
        "{low} of {intervals} intervals had less than half of the median throughput"
    ),
    EvidenceKind.BEHIND_RATE: message(
        "{ended} of {offered} offered transactions ended in the window ({ended_share})"
    ),
    EvidenceKind.BACKLOG: messages(
        "{count} was waiting or under way at its end",
        "{count} were waiting or under way at its end",
    ),
    EvidenceKind.NEVER_STARTED: messages("{count} was never started", "{count} were never started"),
    EvidenceKind.FIRST_QUARTER: by_sign(
        "change_share",
        message(
            "the first quarter of the window was {change_share} above the rest, on average over "
            "{trials} trials ({p_value})"
        ),
        message(
            "the first quarter of the window was {change_share} below the rest, on average over "
            "{trials} trials ({p_value})"
        ),
    ),
    EvidenceKind.SLOPE: by_sign(
        "change_share",
        message(
            "throughput rose by {change_share} of its median over the window, on average over "
            "{trials} trials ({p_value})"
        ),
        message(
            "throughput fell by {change_share} of its median over the window, on average over "
            "{trials} trials ({p_value})"
        ),
    ),
}
