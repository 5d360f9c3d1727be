"""What Sphinx reads: the repository's pages where they stand, and references made of the code.

Paths stay those of the repository, so that links between its pages hold. Files that pages link to
come along, and can be downloaded from the site.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from dbdyno.analysis.validity.codes import Code
from docs_build.navigation import front_page
from docs_build.references import references
from docs_build.references.warnings import anchor

FOLDERS = ("docs", "experiments")
"""All of their files are copied; of the repository itself its pages, and what pages link to."""

CHECKS = "docs/checks.md"

_LINK = re.compile(r"(?<=\]\()([^()#\s:]+)(?=[)#])")
"""The path of a link to a file. It follows ``](``. Web addresses do not match."""


def write_sources(repository: Path, folder: Path) -> None:
    """Write what Sphinx reads into a new folder."""
    contents = dict(_copies(repository))
    contents[CHECKS] = _with_links_to_warnings(contents[CHECKS].decode()).encode()
    contents |= {path: text.encode() for path, text in references(repository).items()}
    pages = [path.removesuffix(".md") for path in contents if path.endswith(".md")]
    contents["index.md"] = front_page(pages).encode()
    for path, content in contents.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def _copies(repository: Path) -> Iterator[tuple[str, bytes]]:
    files = {*repository.glob("*.md")}
    files |= {file for name in FOLDERS for file in (repository / name).rglob("*") if file.is_file()}
    pages = {file for file in files if file.suffix == ".md"}
    for file in sorted(files | {linked for page in pages for linked in _linked(page, repository)}):
        content = file.read_bytes()
        yield (
            str(file.relative_to(repository)),
            _with_pages_for_folders(file, content.decode()).encode() if file in pages else content,
        )


def _linked(page: Path, repository: Path) -> Iterator[Path]:
    """Yield the files of the repository that a page links to."""
    for link in _LINK.findall(page.read_text(encoding="utf-8")):
        file = (page.parent / link).resolve()
        if file.is_file() and file.is_relative_to(repository.resolve()):
            yield repository / file.relative_to(repository.resolve())


def _with_pages_for_folders(page: Path, text: str) -> str:
    """Return a page whose links to folders lead to the pages about them."""

    def target(link: re.Match[str]) -> str:
        folder = page.parent / link[1]
        return f"{link[1].rstrip('/')}/README.md" if folder.is_dir() else link[1]

    return _LINK.sub(target, text)


def _with_links_to_warnings(text: str) -> str:
    """Return the page of checks with each code leading to what is said of it."""

    def link(named: re.Match[str]) -> str:
        check = named[1]
        return f"[`{check}`](reference/warnings.md#{anchor(Code(check))})"

    codes = "|".join(re.escape(check) for check in Code)
    return re.sub(rf"`({codes})`", link, text)
