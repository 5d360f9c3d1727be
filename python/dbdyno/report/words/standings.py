"""How a trial stands, in words."""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno.analysis.findings import Standing
from dbdyno.report.language import message

STANDINGS: Mapping[Standing, str] = {
    Standing.VALID: message("valid"),
    Standing.WITH_WARNINGS: message("valid with warnings"),
    Standing.INVALID: message("invalid"),
    Standing.FAILED: message("failed"),
    Standing.INTERRUPTED: message("interrupted"),
    Standing.MISSING: message("not run"),
}
