"""Patterns with the date in them as java.util.Formatter writes them: ``result_%tY-%tm-%td``."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import datetime

from dbdyno.errors import InputError

_CONVERSION = re.compile(r"%(?:\d+\$|<)?(?:([tT])(.)|([%n]))")

_BY_STRFTIME = {
    **{letter: f"%{letter}" for letter in "YCmdjHMSIBbAayDFRTrZz"},
    "h": "%b",
    "r": "%I:%M:%S %p",
    "c": "%a %b %d %H:%M:%S %Z %Y",
}

_OTHERS: dict[str, Callable[[datetime], str]] = {
    "e": lambda moment: str(moment.day),
    "k": lambda moment: str(moment.hour),
    "l": lambda moment: str(moment.hour % 12 or 12),
    "L": lambda moment: f"{moment.microsecond // 1000:03}",
    "N": lambda moment: f"{moment.microsecond * 1000:09}",
    "p": lambda moment: moment.strftime("%p").lower(),
    "s": lambda moment: str(int(moment.timestamp())),
    "Q": lambda moment: str(int(moment.timestamp() * 1000)),
}


def format_date(pattern: str, moment: datetime | None = None) -> str:
    """Return a pattern with all its conversions carried out; InputError names one that is none."""
    moment = (moment or datetime.fromtimestamp(time.time())).astimezone()

    def converted(match: re.Match[str]) -> str:
        kind, letter, sign = match.groups()
        if sign:
            return "%" if sign == "%" else "\n"
        text = _date(letter, moment)
        if text is None:
            raise InputError(f"resultDirectory: {match[0]!r} is no conversion of a date")
        return text.upper() if kind == "T" else text

    formatted = _CONVERSION.sub(converted, pattern)
    if left := re.search(r"%.?", _CONVERSION.sub("", pattern)):
        raise InputError(
            f"resultDirectory: {left[0]!r} is no conversion of a date; write %tY, %tm, %td, %tH, "
            "%tM, %tS, or %% for a percent sign"
        )
    return formatted


def _date(letter: str, moment: datetime) -> str | None:
    if letter in _OTHERS:
        return _OTHERS[letter](moment)
    form = _BY_STRFTIME.get(letter)
    return None if form is None else moment.strftime(form)
