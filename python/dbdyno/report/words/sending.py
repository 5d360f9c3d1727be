"""How transactions were sent, in words."""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno.analysis.deployment import GeneratorPlace
from dbdyno.analysis.findings import Sending
from dbdyno.report import figures
from dbdyno.report.language import either, listed, message, say, say_count

_PLACES: Mapping[str, str] = {
    "elsewhere": message("the server is on another machine"),
    "other_cpus": message("the server has other CPUs"),
    "same_cpus": message("the server may use the same CPUs"),
}


def isolation_in_words(sending: Sending) -> str:
    """Return the level that was read back, and what was asked for where that differs."""
    read = either(level or say("not known") for level in sending.isolation)
    asked = sending.asked_isolation
    if asked is None or sending.isolation == (asked,):
        return read
    return say("{level} (asked for: {asked})", level=read, asked=asked)


def autocommit_in_words(sending: Sending) -> str:
    """Return whether each statement was a transaction of its own."""
    return say("on") if sending.autocommit else say("off")


def connections_in_words(sending: Sending) -> str:
    """Return how long a connection was kept."""
    if not sending.reconnect:
        return say("kept")
    return say_count(
        "a new one after {count} transaction",
        "a new one after {count} transactions",
        sending.reconnect,
    )


def generator_host_in_words(place: GeneratorPlace) -> str:
    """Return where a generator ran, with its CPUs where those were chosen."""
    host = place.host or say("dbdyno's host")
    if not place.cpus:
        return host
    return say("{host} (CPUs {cpus})", host=host, cpus=figures.ranges(place.cpus))


def waiting_in_words(sending: Sending) -> str:
    """Return how generators waited for answers."""
    waiting, parts = sending.waiting, []
    if waiting.never_sleeps:
        parts.append(say("polls without sleeping"))
    if waiting.nice:
        first = say(
            "sleeps until answers come and goes first then (nice {nice})", nice=waiting.nice
        )
        parts.append(first)
    if waiting.more_us:
        parts.append(say("waits {time} µs for more answers", time=waiting.more_us))
    if waiting.naps:
        parts.append(
            say_count(
                "took {count} nap of {time} µs",
                "took {count} naps of {time} µs on average",
                waiting.naps,
                time=f"{waiting.nap_mean_us:.0f}",
            )
        )
    done = listed(parts) or say("sleeps until answers come")
    place = _PLACES.get(waiting.placement)
    return done if place is None else f"{done}; {say(place)}"
