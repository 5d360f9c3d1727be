"""Where servers and generators were: a table of the section on what was tested."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from dbdyno.analysis.deployment import GeneratorPlace
from dbdyno.analysis.findings import Findings
from dbdyno.report import figures
from dbdyno.report.document import cells
from dbdyno.report.document.model import Body, Cell, Column, Table
from dbdyno.report.language import clauses, listed, say
from dbdyno.report.words.sending import generator_host_in_words


def deployment_table(findings: Findings) -> Iterator[Table]:
    """Yield a table with a row for each deployment, and a column for each role of any of them."""
    found = findings.deployments
    if not found:
        return
    named = [each for each in findings.factors if each.places_servers]
    is_named = any(each.sets == "target" for each in named)
    roles = list(dict.fromkeys(role for each in found for role, _ in each.servers))
    columns = [
        *([] if is_named else [say("target")]),
        *(factor.name for factor in named),
        say("clients connect to"),
        *roles,
        say("generators"),
    ]
    rows = [
        [
            *([] if is_named else [cells.header(each.target)]),
            *(cells.header(each.levels.level(factor.name)) for factor in named),
            Cell(listed(each.entries)),
            *(Cell(dict(each.servers).get(role, figures.ABSENT)) for role in roles),
            Cell(clauses(_generators(each.generators))),
        ]
        for each in found
    ]
    yield Table(
        label=say("Deployment"),
        caption=say(
            "Deployment: where clients connect, and of each role how many servers, and where"
        ),
        columns=list(map(Column, columns)),
        bodies=[Body(rows)],
        id="deployment",
    )


def _generators(places: Sequence[GeneratorPlace]) -> Iterator[str]:
    """Yield each place, with its number of generators where they are several."""
    for place, count in Counter(places).items():
        host = generator_host_in_words(place)
        if place.to:
            host = say("{host} → {servers}", host=host, servers=listed(place.to))
        yield host if count == 1 else f"{count} × {host}"
