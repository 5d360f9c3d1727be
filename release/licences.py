"""Which licences of others dbdyno may carry, and which of several it chooses."""

from __future__ import annotations

from license_expression import (
    ExpressionError,
    LicenseExpression,
    Licensing,
    get_spdx_licensing,
)

from dbdyno.errors import RunError

ALLOWED = (
    *("Apache-2.0", "MIT", "MIT-0", "ISC", "BSD-2-Clause", "BSD-3-Clause", "0BSD"),
    *("Zlib", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"),
)
"""Licences that what is under Apache-2.0 may carry, the one that is chosen first in front.

Each asks for no more than that its text and the names of the authors go with the program.
"""

_LICENSING: Licensing = get_spdx_licensing()


def chosen_licences(owner: str, expression: str) -> tuple[str, ...]:
    """Return the licences under which dbdyno uses something: as few as satisfy its expression.

    Raises:
        RunError: ``expression`` is none in SPDX, or asks for a licence that is not allowed.

    """
    parsed = _parse(owner, expression)
    kept = [licence for licence in ALLOWED if licence in _licences(parsed)]
    if not _satisfied(parsed, kept):
        raise RunError(
            f"{owner} has the licence {expression}, which release/licences.py does not allow: use "
            "another library, or add the licence where it asks for no more than Apache-2.0 does"
        )
    for licence in reversed(kept.copy()):
        rest = [other for other in kept if other != licence]
        if _satisfied(parsed, rest):
            kept = rest
    return tuple(kept)


def _parse(owner: str, expression: str) -> LicenseExpression:
    try:
        parsed = _LICENSING.parse(expression, validate=True, strict=True)
    except ExpressionError as error:
        raise RunError(f"the licence of {owner} is no SPDX expression: {expression}") from error
    if parsed is None:
        raise RunError(f"{owner} names no licence")
    return parsed


def _licences(parsed: LicenseExpression) -> set[str]:
    return {symbol.render() for symbol in _LICENSING.license_symbols(parsed, decompose=False)}


def _satisfied(parsed: LicenseExpression, licences: list[str]) -> bool:
    """Return whether these licences alone are enough."""
    truth = {
        symbol: _LICENSING.TRUE if symbol.render() in licences else _LICENSING.FALSE
        for symbol in _LICENSING.license_symbols(parsed, decompose=False)
    }
    return bool(parsed.subs(truth, simplify=True) == _LICENSING.TRUE)
