"""A document as one HTML file that needs nothing else: no network, no other file.

Without its script everything is shown, but nothing can be switched, searched or read off a chart.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from dbdyno.report.document.model import Document, Part, Text
from dbdyno.report.document.parts import reachable
from dbdyno.report.drawing import Drawing
from dbdyno.report.formats.html_row import breakable, row_html
from dbdyno.report.formats.paper import for_paper
from dbdyno.report.formats.standalone import standalone_svg


def write_html(document: Document) -> str:
    """Return a document as a page for the screen, which prints well, too."""
    script = _script()
    template = _environment().get_template("document.html")
    return template.render(
        document=document,
        section_ids=frozenset(each.id for each in document.sections),
        is_print=False,
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )


def write_print_html(document: Document) -> str:
    """Return a document for a renderer that knows neither scripts nor variables in drawings."""
    return (
        _environment()
        .get_template("document.html")
        .render(
            document=document,
            section_ids=frozenset(each.id for each in document.sections),
            is_print=True,
            script="",
            script_hash="",
        )
    )


@cache
def _script() -> str:
    """Return the page's script: first the part for its buttons, then the part for its charts."""
    templates = files("dbdyno.report") / "templates"
    sources = (templates / name for name in ("report.js", "charts.js"))
    return "\n".join(source.read_text(encoding="utf-8") for source in sources)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("dbdyno.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["svg"] = _svg
    environment.filters["standalone"] = _standalone
    environment.filters["paint"] = standalone_svg
    environment.filters["for_paper"] = for_paper
    environment.filters["reachable"] = _reachable
    environment.filters["breakable"] = breakable
    environment.filters["row"] = row_html
    environment.tests["block"] = _is_block
    return environment


def _svg(drawing: Drawing) -> Markup:
    """Let a drawing into the page as markup: Vega has escaped every text inside it."""
    return Markup(drawing.svg)


def _standalone(drawing: Drawing) -> Markup:
    return Markup(standalone_svg(drawing.svg))


def _reachable(text: Text, sections: frozenset[str]) -> list[Part]:
    return list(reachable(text, sections))


def _is_block(value: object, name: str) -> bool:
    """Tell whether a block, or a part of a text, is one of a kind: ``block is block("Table")``."""
    return type(value).__name__ == name
