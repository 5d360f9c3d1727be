"""The section ``smoke``: what ``--smoke`` runs in place of the file's own fields.

A test of large machines so has, in the same file, the small servers and sizes on which anybody can
see that it works.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from dbdyno.experiment.file.error import FieldError
from dbdyno.refusal import suggest

SMOKE = "smoke"
KEPT = ("experiment", SMOKE)
"""Fields that the section cannot replace."""


def check_section(section: Mapping[str, object], fields: Collection[str]) -> None:
    """Raise FieldError where the section replaces what it cannot; ``fields`` are a file's."""
    if not section:
        raise FieldError(
            (SMOKE,),
            "is empty; name the fields that --smoke replaces, or remove it: without it, --smoke "
            "makes everything small by itself",
        )
    for field in section:
        if field in KEPT:
            raise FieldError((SMOKE, field), "cannot be replaced; remove it")
        if field not in fields:
            replaced = [each for each in fields if each not in KEPT]
            raise FieldError((SMOKE, field), f"unknown field; {suggest(field, replaced)}")


def merge_patch(values: Any, patch: Any) -> Any:  # noqa: ANN401 - whatever YAML may hold
    """Return values with a JSON merge patch applied (RFC 7396); neither is changed.

    Mappings are merged field by field, null removes a field, and all else takes the place of what
    was there: a list is replaced as a whole.
    """
    if not isinstance(patch, dict):
        return patch
    merged = dict(values) if isinstance(values, dict) else {}
    for field, change in patch.items():
        if change is None:
            merged.pop(field, None)
        else:
            merged[field] = merge_patch(merged.get(field), change)
    return merged
