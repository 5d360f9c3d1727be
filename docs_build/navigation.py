"""Where each page stands in the site: the sections, in the order in which a newcomer needs them.

A page that is in no section fails the build, and so does one that is not there.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Page:
    """A page, by its path without ``.md``, and what a reader finds there, in one sentence.

    ``title`` is what it is called here, where that is not its own title.
    """

    path: str
    purpose: str
    title: str = ""


@dataclass(frozen=True)
class Section:
    """A part of the site. ``tasks`` is a pattern of more pages, whose titles say their purpose."""

    title: str
    purpose: str
    pages: tuple[Page, ...] = ()
    tasks: str = ""

    def paths(self, known: Iterable[str]) -> Iterator[str]:
        """Yield the paths of all pages: those that fit ``tasks`` first, among those that are known.

        Paths are relative to the repository, and without ``.md``.
        """
        yield from sorted(fnmatch.filter(known, self.tasks))
        yield from (page.path for page in self.pages)


SECTIONS = (
    Section(
        "Start",
        "Install dbdyno, run a first experiment, and read its report.",
        (
            Page("README", "What dbdyno does, and a tour of its commands.", "Overview"),
            Page("docs/install", "Install a wheel, a container image, or the sources."),
            Page("experiments/README", "What the ready experiment files are for."),
            Page("experiments/index", "Their texts."),
        ),
        tasks="docs/tutorial*",
    ),
    Section(
        "How-tos",
        "One task a page.",
        (
            Page("docs/targets", "Measure a server with limits, a server by URL, or a cluster."),
            Page("docs/layers", "Measure a proxy or a sharding layer, and the servers behind it."),
            Page("docs/generators", "Share the load among processes and machines."),
            Page("docs/own-transactions", "Measure your own SQL, or pgbench's scripts."),
            Page("docs/tpcc", "Run TPC-C, and see how far a run conforms to it."),
            Page("docs/reports", "Write reports in other languages, formats and lengths."),
            Page("docs/progress", "Follow a run in the terminal, or from a program."),
            Page("docs/serve", "See results and running experiments in the browser."),
            Page("docs/compare", "Compare two results, also on a build server."),
            Page("docs/history", "Find where the level changed over many results."),
            Page("docs/audit", "Check what a published table of results claims."),
        ),
        tasks="docs/how-to/*",
    ),
    Section(
        "Coming from other tools",
        "The commands, options and logs that you know.",
        (
            Page("docs/import", "Read logs of nine other tools as results."),
            Page("docs/tpcc-commands", "BenchmarkSQL's, tpcc-mysql's and go-tpc's commands."),
            Page("docs/tpcc-check", "Check the tables that another TPC-C tool has made."),
        ),
        tasks="docs/from/*",
    ),
    Section(
        "Reference",
        "Every field, code, column, variable and option.",
        (
            Page("docs/reference/experiment-file/index", "Every field of the experiment file."),
            Page("docs/reference/command-line", "Every command with its options."),
            Page("docs/reference/exit-statuses", "What each command says to the shell."),
            Page("docs/reference/environment-variables", "Which variables dbdyno reads and sets."),
            Page("docs/reference/warnings", "Every warning: what it means, and what to do."),
            Page("docs/checks", "The ways in which benchmarks mislead, and what finds each."),
            Page("docs/reference/result-format", "Every file of a result, and every column."),
            Page("docs/reference/result-documents", "Every field of a result's JSON documents."),
            Page("docs/metrics", "Every figure that is watched on hosts and servers."),
        ),
    ),
    Section(
        "Background",
        "How figures are made, and how dbdyno is built.",
        (
            Page("METHODOLOGY", "What is measured, how, and with which known bias."),
            Page("docs/cost", "What the generator costs, beside sysbench and pgbench."),
            Page("ARCHITECTURE", "The map of the code, its rules, and its formats."),
            Page("CONTRIBUTING", "How to change dbdyno."),
            Page("CHANGELOG", "What is new."),
        ),
    ),
)


HEAD = """# dbdyno

A dynamometer for transactional databases. From one experiment file it loads the data, drives the
load, watches the machine, repeats, and answers with a verdict that can be defended:

> journal_mode=wal is 206 % [156, 265] faster than delete at clients=8 (4 rounds)

```none
dbdyno demo                   a whole experiment on embedded SQLite, in about a minute
dbdyno plan EXPERIMENT.yaml   what will be run, in which order, and how long it takes
dbdyno run  EXPERIMENT.yaml   run it; Ctrl-C and again: go on
```
"""


def front_page(known: Iterable[str]) -> str:
    """Return the Markdown of the page that leads to all others; ``known`` are the paths of all."""
    return "\n".join([HEAD, *(_section(section, known) for section in SECTIONS)])


def _section(section: Section, known: Iterable[str]) -> str:
    pages = {page.path: page for page in section.pages}
    listed = [pages.get(path, Page(path, "")) for path in section.paths(known)]
    lines = "\n".join(f"- {_link(page)}" for page in listed)
    entries = "\n".join(map(_named, listed))
    tree = f":::{{toctree}}\n:hidden:\n:caption: {section.title}\n\n{entries}\n:::\n"
    return f"## {section.title}\n\n{section.purpose}\n\n{lines}\n\n{tree}"


def _link(page: Page) -> str:
    return f"{{doc}}`{_named(page)}`" + (f": {page.purpose}" if page.purpose else "")


def _named(page: Page) -> str:
    return f"{page.title} </{page.path}>" if page.title else f"/{page.path}"
