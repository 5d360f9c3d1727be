"""How transactions were sent, in words."""

from __future__ import annotations

import pytest

from dbdyno.analysis.findings import Sending
from dbdyno.analysis.waiting import Waiting
from dbdyno.report.words.sending import isolation_in_words, waiting_in_words


def sending(
    isolation: tuple[str | None, ...] = ("serializable",),
    asked: str | None = None,
    waiting: Waiting | None = None,
) -> Sending:
    return Sending("prepared", isolation, asked, True, 0, None, None, waiting or Waiting())


@pytest.mark.parametrize(
    ("isolation", "asked", "text"),
    [
        (("serializable",), None, "serializable"),
        (("serializable",), "serializable", "serializable"),
        (("serializable",), "snapshot", "serializable (asked for: snapshot)"),
        ((None, "serializable"), None, "not known or serializable"),
    ],
)
def test_isolation_is_told_as_it_was_read_back(
    isolation: tuple[str | None, ...], asked: str | None, text: str
) -> None:
    assert isolation_in_words(sending(isolation, asked)) == text


@pytest.mark.parametrize(
    ("waiting", "text"),
    [
        (Waiting(), "sleeps until answers come"),
        (Waiting("spin"), "polls without sleeping"),
        (
            Waiting("sleep", placement="same_cpus"),
            "sleeps until answers come; the server may use the same CPUs",
        ),
        (
            Waiting("priority", placement="same_cpus"),
            "sleeps until answers come and goes first then (nice -20); "
            "the server may use the same CPUs",
        ),
        (
            Waiting("50us", naps=12_000, nap_mean_us=61.4),
            "waits 50 µs for more answers, took 12,000 naps of 61 µs on average",
        ),
    ],
)
def test_waiting_is_told(waiting: Waiting, text: str) -> None:
    assert waiting_in_words(sending(waiting=waiting)) == text
