"""What each check says: its message, what it means for the figures, and what to do about it."""

from __future__ import annotations

from dbdyno.analysis.validity.codes import Code
from dbdyno.report.language import say
from dbdyno.report.words.checks import experiments, machines, servers, trials
from dbdyno.report.words.checks.entry import CheckWords

CHECKS: dict[Code, CheckWords] = trials.WORDS | machines.WORDS | servers.WORDS | experiments.WORDS


def check_message(code: Code) -> str:
    """Return what a check found, in a sentence."""
    return say(CHECKS[code].message)


def check_consequence(code: Code) -> str:
    """Return what that means for the figures, in a line."""
    return say(CHECKS[code].consequence)


def check_advice(code: Code) -> str:
    """Return what to do about it."""
    return say(CHECKS[code].advice)
