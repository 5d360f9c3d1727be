"""Why the size of tables is not known, in words."""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno.analysis.size_gap import SizeGap, SizeName, SizeReason
from dbdyno.report.language import message, say

_REASONS: Mapping[SizeReason, str] = {
    SizeReason.CHANGED: message("its trials began with tables that earlier trials had changed"),
    SizeReason.NOT_MEASURED: message(
        "the tables were loaded by a version of dbdyno that did not measure it"
    ),
}


def gap_in_words(gap: SizeGap) -> str:
    """Return what is not known and why: ``size on disk: denied``."""
    reason = gap.text if gap.reason is None else say(_REASONS[gap.reason])
    if gap.size is SizeName.DISK:
        return say("size on disk: {reason}", reason=reason)
    return say("logical size: {reason}", reason=reason)
