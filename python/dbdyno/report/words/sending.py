"""How transactions were sent, in words."""

from __future__ import annotations

from dbdyno.analysis.findings import Sending
from dbdyno.report import figures
from dbdyno.report.language import listed, say, say_count


def isolation_in_words(sending: Sending) -> str:
    """Return the levels as they were read back, and the one asked for where it is another."""
    told, *others = (level or say("not known") for level in sending.isolation)
    for each in others:
        told = say("{level} or {other}", level=told, other=each)
    asked = sending.asked_isolation
    if asked is None or told == asked:
        return told
    return say("{level} (asked for: {asked})", level=told, asked=asked)


def waiting_in_words(sending: Sending) -> str:
    """Return how the generator waited for answers."""
    waiting, words = sending.waiting, []
    if waiting.is_polling:
        words.append(say("polls without sleeping"))
    if waiting.coalesce_us:
        us = figures.count(waiting.coalesce_us)
        words.append(say("waits {us} µs for more answers", us=us))
    if waiting.naps:
        words.append(
            say_count(
                "took {count} nap of {us} µs",
                "took {count} naps of {us} µs on average",
                waiting.naps,
                us=figures.count(waiting.nap_mean_us),
            )
        )
    return listed(words) or say("sleeps until answers come")
