"""A drawing as a file of its own, or in print: the colours of the style sheet are put into it."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_VARIABLE = re.compile(r"(--[\w-]+):\s*(#[0-9a-fA-F]{6})\s*;")
_USE = re.compile(r"var\((--[\w-]+)\)")


@cache
def light_palette() -> dict[str, str]:
    """Return the colours that the style sheet has for light paper, by variable."""
    style = (files("dbdyno.report") / "templates" / "report.css").read_text(encoding="utf-8")
    # The first block alone: those of dark paper come after it, and have the same names.
    light = style[: style.index("}")]
    return dict(_VARIABLE.findall(light))


def standalone_svg(svg: str) -> str:
    """Return a drawing that needs no style sheet around it."""
    colours = light_palette()
    resolved = _USE.sub(lambda use: colours[use[1]], svg)
    return resolved.replace("currentColor", colours["--ink"])
