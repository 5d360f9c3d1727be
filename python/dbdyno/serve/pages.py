"""The pages' templates, with the look of the report."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from jinja2 import Environment, PackageLoader, PrefixLoader, StrictUndefined

from dbdyno.report.language import translated


def render(name: str, **values: object) -> str:
    """Return a page."""
    return _environment().get_template(f"serve/{name}").render(**values)


def render_part(name: str, label: Mapping[str, str], values: Mapping[str, object]) -> str:
    """Return one part of the live page."""
    return render(f"parts/{name}.html", label=label, **values).strip()


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PrefixLoader(
            {"serve": PackageLoader("dbdyno.serve"), "report": PackageLoader("dbdyno.report")}
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["translated"] = translated
    return environment
