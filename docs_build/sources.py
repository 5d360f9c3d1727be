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
"""All of their files are copied; of the repository itself only its pages are."""

CHECKS = "docs/checks.md"

_LINK = re.compile(r"(?<=\]\()([^()#\s:]+)(?=[)#])")
"""The path of a link to a file: it stands behind ``](``, and is no address of the network."""


def write_sources(repository: Path, folder: Path) -> None:
    """Make a folder hold what Sphinx reads. What has not changed is left as it is."""
    contents = dict(_copies(repository))
    contents[CHECKS] = _with_links_to_warnings(contents[CHECKS].decode()).encode()
    contents |= {path: text.encode() for path, text in references(repository).items()}
    pages = [path.removesuffix(".md") for path in contents if path.endswith(".md")]
    contents["index.md"] = front_page(pages).encode()
    for path, content in contents.items():
        _write(folder / path, content)
    for file in folder.rglob("*"):
        if file.is_file() and str(file.relative_to(folder)) not in contents:
            file.unlink()


def _copies(repository: Path) -> Iterator[tuple[str, bytes]]:
    files = [*repository.glob("*.md")]
    files += [file for name in FOLDERS for file in (repository / name).rglob("*")]
    for file in sorted(files):
        if file.is_file():
            content = file.read_bytes()
            is_page = file.suffix == ".md"
            yield (
                str(file.relative_to(repository)),
                _with_pages_for_folders(file, content.decode()).encode() if is_page else content,
            )


def _with_pages_for_folders(page: Path, text: str) -> str:
    """Return a page whose links to folders lead to the pages about them."""

    def target(link: re.Match[str]) -> str:
        is_folder = (page.parent / link[1]).is_dir()
        return f"{link[1].rstrip('/')}/index.md" if is_folder else link[1]

    return _LINK.sub(target, text)


def _with_links_to_warnings(text: str) -> str:
    """Return the page of checks with each code leading to what is said of it."""

    def link(named: re.Match[str]) -> str:
        check = named[1]
        return f"[`{check}`](reference/warnings.md#{anchor(Code(check))})"

    codes = "|".join(re.escape(check) for check in Code)
    return re.sub(rf"`({codes})`", link, text)


def _write(file: Path, content: bytes) -> None:
    if not file.is_file() or file.read_bytes() != content:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
