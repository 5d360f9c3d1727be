"""Every check and every kind of evidence has words, and they name no figure that is not there."""

from __future__ import annotations

from string import Formatter

import pytest

from dbdyno.analysis.evidence import Evidence, Figure
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.analysis.findings import Finding, Severity, TrialReason
from dbdyno.analysis.tpcc.model import Group, Unit
from dbdyno.analysis.validity.codes import Code
from dbdyno.report.words.checks.words import (
    CHECKS,
    check_advice,
    check_consequence,
    check_message,
)
from dbdyno.report.words.evidence.words import (
    WORDS,
    evidence_in_words,
    finding_evidence,
    reason_in_words,
)

UNITS = ("_s", "_ms", "_bytes", "_share", "_cores", "_number", "p_value", "correlation", "clients")
OWN: dict[EvidenceKind, dict[str, Figure]] = {
    EvidenceKind.HOSTS_DIFFER: {"hosts": ("db1", "db2"), "values": ("ON", "OFF")},
    EvidenceKind.FEW_TRIALS: {"trials": (1, 2), "cells": ("a=1", "a=2")},
    EvidenceKind.VARIES_TOGETHER: {"levels": ("9", "27"), "together": ("balancer",)},
    EvidenceKind.LEVELS_APART: {"levels": ("9",), "together": ("balancer", "shards")},
    EvidenceKind.SETTINGS_DIFFER: {"settings": tuple("abcdefg")},
    EvidenceKind.MEANINGS_DIFFER: {"aspects": ("cache memory", "checksums")},
    EvidenceKind.REQUIREMENT: {
        "group": Group.RESPONSE,
        "name": "Payment",
        "unit": Unit.MILLISECONDS,
        "low": None,
        "high": 5000.0,
        "observed": 6000.0,
    },
}
"""Figures that are neither one number nor one text."""


def sample(kind: EvidenceKind, *, count: int = 2, sign: int = 1) -> Evidence:
    """Return evidence of a kind with figures that its words can be tried with."""
    figures: dict[str, Figure] = {
        name: sign * 0.25 if name.endswith(UNITS) else f"<{name}>" for name in kind.figures
    }
    if "count" in figures:
        figures["count"] = count
    return Evidence(kind, place="", **figures | OWN.get(kind, {}))


@pytest.mark.parametrize("code", Code)
def test_every_check_has_a_message_a_consequence_of_one_line_and_advice(code: Code) -> None:
    texts = [check_message(code), check_consequence(code), check_advice(code)]
    assert all(text.endswith((".", ").")) for text in texts)
    assert "\n" not in texts[1]
    assert code in CHECKS


@pytest.mark.parametrize("kind", EvidenceKind)
def test_every_kind_of_evidence_has_words_for_its_figures(kind: EvidenceKind) -> None:
    for count in (1, 2):
        for sign in (1, -1):
            text = evidence_in_words([sample(kind, count=count, sign=sign)])
            assert text
            assert "{" not in text


@pytest.mark.parametrize("kind", [kind for kind, words in WORDS.items() if not callable(words)])
def test_words_name_every_figure_and_no_other(kind: EvidenceKind) -> None:
    words = WORDS[kind]
    assert not callable(words)
    for text in (words,) if isinstance(words, str) else words:
        named = {name for _, name, _, _ in Formatter().parse(text) if name is not None}
        left_out = {"count"} - named
        assert named == set(kind.figures) - left_out


def test_evidence_has_the_figures_of_its_kind_and_no_other() -> None:
    with pytest.raises(TypeError, match="has the figures"):
        Evidence(EvidenceKind.DRIFT, change_share=0.1, rounds=3)
    with pytest.raises(TypeError, match="has the figures"):
        Evidence(EvidenceKind.NO_REASON, reason="none")


@pytest.mark.parametrize(
    ("evidence", "text"),
    [
        (Evidence(EvidenceKind.SWAPPED, swapped_bytes=3 << 20), "3.00 MiB were swapped in or out"),
        (
            Evidence(EvidenceKind.STOLEN, stolen_share=0.051),
            "5.1 % of the CPU time went to other machines, warm-up included",
        ),
        (
            Evidence(EvidenceKind.CLOCK_MOVED, moved_change_s=-3600.04),
            "the wall clock moved back by 3,600 s against the monotonic one",
        ),
        (
            Evidence(
                EvidenceKind.ISOLATION, compared="a=1", isolation=None, baseline_isolation="x"
            ),
            "a=1 ran with isolation not known, its baseline with x",
        ),
        (
            Evidence(EvidenceKind.GENERATORS_SILENT, generator_number=(1, 1200), generators=1500),
            "generator 1, 1200 of 1,500 told nothing for 3 intervals or more",
        ),
    ],
)
def test_figures_are_written_by_their_units(evidence: Evidence, text: str) -> None:
    assert evidence_in_words([evidence]).replace("\N{NO-BREAK SPACE}", " ") == text


def test_what_is_the_same_in_all_trials_is_told_once() -> None:
    def finding(*counts: int) -> Finding:
        found = ((Evidence(EvidenceKind.RECONNECTED, count=count),) for count in counts)
        return Finding(Code.RECONNECTS, Severity.WARNING, by_trial=tuple(enumerate(found, start=1)))

    assert finding_evidence(finding(2, 2)) == "2 connections made again"
    assert finding_evidence(finding(1, 2)) == (
        "trial 1: 1 connection made again; trial 2: 2 connections made again"
    )


def test_what_holds_of_one_cell_has_its_levels_before_it() -> None:
    slope = {"change_share": -0.1, "trials": 3, "p_value": 0.001}
    found = [
        Evidence(EvidenceKind.SLOPE, place="a=1", **slope),
        Evidence(EvidenceKind.MORE_CELLS, count=2),
    ]
    assert evidence_in_words(found).replace("\N{NO-BREAK SPACE}", " ") == (
        "a=1: throughput fell by 10.0 % of its median over the window, on average over 3 trials "
        "(p = 0.001); and 2 more cells"
    )


def test_a_reason_is_a_checks_message_or_evidence_or_both() -> None:
    clients = (Evidence(EvidenceKind.FEWER_CLIENTS, connected=7, clients=8, start_s=5.0),)
    message = check_message(Code.CLIENTS_LOST)
    assert reason_in_words(TrialReason(Code.CLIENTS_LOST)) == message
    assert reason_in_words(TrialReason(None, clients)) == "7 of 8 clients at 5 s"
    both = reason_in_words(TrialReason(Code.CLIENTS_LOST, clients))
    assert both == f"{message} (7 of 8 clients at 5 s)"
