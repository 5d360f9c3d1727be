"""Writes the documentation site, and fails where a link, an anchor or a page is wrong.

Usage: python -m docs_build [SITE]
"""

from __future__ import annotations

import sys
from pathlib import Path

from docs_build.site import build_site

REPOSITORY = Path(__file__).parents[1]

if __name__ == "__main__":
    site = Path(sys.argv[1]) if len(sys.argv) > 1 else REPOSITORY / "target" / "site"
    status = build_site(REPOSITORY, site)
    if status == 0:
        print(f"The site is written: open {site / 'index.html'} in a browser.")
    sys.exit(status)
