"""Which size of a cell's tables is not known, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class SizeName(StrEnum):
    """The two sizes of a cell's tables."""

    DISK = "disk"
    LOGICAL = "logical"


class SizeReason(StrEnum):
    """Why a size is not known, where nobody else has said so."""

    CHANGED = "changed"
    """Trials began with tables that earlier trials had changed."""
    NOT_MEASURED = "not-measured"
    """The version of dbdyno that loaded the tables did not measure it."""


@dataclass(frozen=True)
class SizeGap:
    """A size that is not known, and why: for a reason of ours, or in words from outside."""

    size: SizeName
    reason: SizeReason | None = None
    text: str = ""
