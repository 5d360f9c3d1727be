"""Every code that a report, an audit or an import may show, with the words that go with it."""

from __future__ import annotations

import re

from dbdyno.analysis.audit.model import GRAVITIES as AUDIT_GRAVITIES
from dbdyno.analysis.audit.model import Gravity
from dbdyno.analysis.findings import Severity
from dbdyno.analysis.validity.codes import Code
from dbdyno.analysis.validity.severities import SEVERITIES
from dbdyno.report.language import in_language, language, say
from dbdyno.report.words.audit import GRAVITIES, WORDS
from dbdyno.report.words.checks.words import check_advice, check_consequence, check_message
from dbdyno.report.words.import_notes import NOTES
from dbdyno.report.words.warnings import SEVERITIES as SEVERITY_WORDS
from docs_build.markdown import code, page, plain, table, target

_PLACE = re.compile(r"\{\w+\}")
"""Where a message has a figure."""


def warnings() -> str:
    """Return the page."""
    with in_language(language("en")):
        return page(
            "Warnings and their codes",
            "A code is the name of a check. It stands in reports and in `--json`, and can be "
            "searched for. Below each code: what was found, what that means for the figures, and "
            "what to do. [What misleads, and which check finds it](../checks.md) has the checks "
            "by what they are for.",
            *(_of_severity(severity) for severity in SEVERITY_WORDS),
            "## Findings of `dbdyno audit`",
            "In a finding, figures stand for each “…”.",
            *(_of_gravity(gravity) for gravity in GRAVITIES),
            "## Notes on imported logs",
            "`dbdyno import` shows the sentence, with figures for each “…”. `import.json` has the "
            "code.",
            table(
                ("Code", "Note"),
                ((code(note), _without_places(text)) for note, text in NOTES.items()),
            ),
        )


def anchor(check: Code) -> str:
    """Return the name of the place on the page where a check is described."""
    return f"warning-{check}"


def _of_severity(severity: Severity) -> str:
    words = SEVERITY_WORDS[severity]
    checks = [_check(each) for each in Code if SEVERITIES[each] is severity]
    return "\n\n".join([f"## {say(words.heading)}", say(words.meaning), *checks])


def _check(check: Code) -> str:
    lines = (
        target(anchor(check)),
        f"### {check}\n",
        f"{plain(check_message(check))} {plain(check_consequence(check))}\n",
        f"**What to do.** {plain(check_advice(check))}",
    )
    return "\n".join(lines)


def _of_gravity(gravity: Gravity) -> str:
    rows = (
        (code(found), _without_places(words.headline), _without_places(words.right))
        for (found, _), words in WORDS.items()
        if AUDIT_GRAVITIES[found] is gravity
    )
    head = ("Code", "What was found", "What would be right")
    return f"### {say(GRAVITIES[gravity])}\n\n{table(head, rows)}"


def _without_places(text: str) -> str:
    return plain(_PLACE.sub("…", text))
