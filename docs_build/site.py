"""One build of the site: sources put together, then Sphinx, which takes no warning."""

from __future__ import annotations

import shutil
from pathlib import Path

from sphinx.cmd.build import build_main

from docs_build.sources import write_sources


def build_site(repository: Path, site: Path) -> int:
    """Write the site of a repository, and return Sphinx's exit status: 0 where all is well.

    Beside ``site`` two folders stay, for the next build: what Sphinx has read, and what it made of
    it. Of an unchanged page nothing is done again.
    """
    sources = site.with_name(f"{site.name}-sources")
    write_sources(repository, sources)
    # A page that is gone must not stay in the site.
    shutil.rmtree(site, ignore_errors=True)
    parsed = site.with_name(f"{site.name}-parsed")
    strictly = ["--fail-on-warning", "--keep-going", "--quiet"]
    settings = ["-c", str(Path(__file__).parent)]
    return build_main([*strictly, *settings, "-d", str(parsed), str(sources), str(site)])
