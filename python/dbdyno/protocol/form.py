"""What plans and events have in common: how they are written as JSON."""

from __future__ import annotations

from typing import Any

from pydantic import Field


def left_out(default: Any) -> Any:  # noqa: ANN401
    """Return a field that is not written where it has its default.

    A plan that does not use a field that came later stays what it was, byte for byte.
    """
    return Field(default=default, exclude_if=lambda value: value == default)
