"""What was looked at, what was found, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Check:
    """One thing that was looked at. ``advice`` is empty where nothing is to be done."""

    name: str
    status: Literal["ok", "warn", "fail"]
    found: str
    advice: str = ""


def judge(name: str, found: object, *, wrong: bool, advice: str, fails: bool = False) -> Check:
    """Return a check; one that is wrong is a failure where nothing can be measured with it."""
    if not wrong:
        return Check(name, "ok", str(found))
    return Check(name, "fail" if fails else "warn", str(found), advice)
