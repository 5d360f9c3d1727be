"""Section: what was run, and how to run it again."""

from __future__ import annotations

from collections.abc import Iterator

from dbdyno.analysis.findings import Findings
from dbdyno.analysis.setup import RunSetup
from dbdyno.report.document import cells
from dbdyno.report.document.marks import marked
from dbdyno.report.document.model import (
    Block,
    Body,
    Cell,
    Code,
    Details,
    Heading,
    Paragraph,
    Preformatted,
    Role,
    Section,
    Strong,
    Table,
    TableKind,
)
from dbdyno.report.language import listed, message, say, say_count
from dbdyno.report.words.setup import command, setup_rows

NOT_SHOWN = message("It may hold a secret, so that no copy was kept.")


def section(findings: Findings) -> Section | None:
    """Return the section; None where nothing is known of what was asked for."""
    if findings.setup is None:
        return None
    title = say("What was run")
    setup = findings.setup
    if findings.is_of_two_results:
        summary = say("The experiment file, or those of both results where they differ")
        return Section("run", title, [_table(setup), _file(setup, summary)], name=title)
    summary = say("The experiment file, which is experiment.yaml beside this report")
    return Section(
        "run",
        title,
        [_table(setup), _rerun(findings, setup), _file(setup, summary), *_named_files(setup)],
        name=title,
    )


def _table(setup: RunSetup) -> Table:
    return Table(
        label=say("What was run"),
        caption=say("Workload and procedure. What a factor varies has several values."),
        columns=(),
        bodies=[Body([[cells.header(label), Cell(text)] for label, text in setup_rows(setup)])],
        id="setup",
        kind=TableKind.FACTS,
    )


def _rerun(findings: Findings, setup: RunSetup) -> Paragraph:
    needed = [
        say("the experiment file below"),
        say("dbdyno {version}", version=setup.dbdyno_version) if setup.dbdyno_version else "",
        "" if setup.seed is None else say("seed {seed}", seed=setup.seed),
    ]
    return Paragraph(
        marked(
            message(
                "{reproduce} {command} with {needed}. Paths in it are relative to the folder that "
                "it came from. SHA-256 of the file: {hash}"
            ),
            reproduce=Strong(say("Reproduce:")),
            command=Code(command(is_smoke=findings.ran_with_smoke)),
            needed=listed(filter(None, needed)),
            hash=Code(setup.experiment_sha256),
        )
    )


def _named_files(setup: RunSetup) -> Iterator[Details]:
    """Yield the texts that the file names, folded: option files, templates, scripts."""
    count = len(setup.named_files)
    if not count:
        return
    summary = say_count("{count} file that it names", "{count} files that it names", count)
    blocks: list[Block] = []
    for each in setup.named_files:
        blocks.append(Heading(each.name))
        if each.text is None:
            blocks.append(Paragraph(say(NOT_SHOWN), Role.MUTED))
        else:
            blocks.append(Preformatted(each.text, each.name))
        blocks.append(Paragraph(say("SHA-256: {hash}", hash=each.sha256), Role.MUTED))
    yield Details(summary, blocks)


def _file(setup: RunSetup, summary: str) -> Details:
    return Details(
        summary,
        [Preformatted(setup.experiment_text, say("The experiment file"))],
    )
