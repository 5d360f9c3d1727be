"""The release notes of one version, from CHANGELOG.md: ``python -m release.notes [VERSION]``."""

from __future__ import annotations

import argparse
import itertools
import sys

from markdown_it import MarkdownIt

from dbdyno.errors import DbdynoError, InputError
from release.crates import ROOT
from release.version import source_version

CHANGELOG = ROOT / "CHANGELOG.md"


def main() -> int:
    """Print the notes as Markdown, without their heading; 2 where there are none."""
    parser = argparse.ArgumentParser(prog="python -m release.notes")
    parser.add_argument(
        "version", nargs="?", default=source_version(), help="that of Cargo.toml, if none is given"
    )
    arguments = parser.parse_args()
    try:
        print(notes_of(arguments.version, CHANGELOG.read_text()))
    except DbdynoError as error:
        print(f"notes: {error}", file=sys.stderr)
        return 2
    return 0


def notes_of(version: str, changelog: str) -> str:
    """Return what the changelog says below the heading ``## VERSION – date``.

    Raises:
        InputError: no heading is of this version, or nothing is below it.

    """
    sections = _sections(changelog)
    if version not in sections:
        raise InputError(
            f"{CHANGELOG.name} has no section for version {version}; it has "
            f"{', '.join(sections) or 'none'}"
        )
    if not sections[version]:
        raise InputError(f"{CHANGELOG.name} says nothing below the heading of version {version}")
    return sections[version]


def _sections(changelog: str) -> dict[str, str]:
    """Return the text below each heading of the second level, by the first word of the heading."""
    tokens = MarkdownIt().parse(changelog)
    headings = [
        (token.map, title.content)
        for token, title in itertools.pairwise(tokens)
        if token.type == "heading_open" and token.tag == "h2" and token.map and title.content
    ]
    lines = changelog.splitlines()
    ends = [place[0] for place, _ in headings] + [len(lines)]
    return {
        title.split()[0]: "\n".join(lines[place[1] : end]).strip()
        for (place, title), end in zip(headings, ends[1:], strict=True)
    }


if __name__ == "__main__":
    sys.exit(main())
