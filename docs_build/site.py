"""One build of the site: sources put together, then Sphinx, which takes no warning."""

from __future__ import annotations

import shutil
from pathlib import Path

from sphinx.cmd.build import build_main

from docs_build.sources import write_sources


def build_site(repository: Path, site: Path) -> int:
    """Write the site of a repository, and return Sphinx's exit status: 0 where all is well.

    Beside ``site`` two folders are left to look at: ``…-sources``, which Sphinx has read, and
    ``…-parsed``, what it made of that. Nothing of an earlier build is used: an unchanged page may
    link to what has changed.
    """
    sources = site.with_name(f"{site.name}-sources")
    for folder in (site, sources, _parsed(site)):
        shutil.rmtree(folder, ignore_errors=True)
    write_sources(repository, sources)
    return run_sphinx(sources, site)


def run_sphinx(sources: Path, site: Path, *pages: Path) -> int:
    """Make all pages, or some of them, of what is in ``sources``; return Sphinx's exit status."""
    strictly = ["--fail-on-warning", "--keep-going", "--quiet"]
    settings = ["-c", str(Path(__file__).parent), "-d", str(_parsed(site))]
    return build_main([*strictly, *settings, *map(str, (sources, site, *pages))])


def _parsed(site: Path) -> Path:
    return site.with_name(f"{site.name}-parsed")
