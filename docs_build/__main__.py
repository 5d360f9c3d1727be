"""Writes the documentation site, and fails where a link, an anchor or a page is wrong.

Usage: python -m docs_build
"""

from __future__ import annotations

import sys
from pathlib import Path

from docs_build.check import broken_links, loaded_from_elsewhere
from docs_build.site import build_site

REPOSITORY = Path(__file__).parents[1]

if __name__ == "__main__":
    site = REPOSITORY / "target" / "site"
    if build_site(REPOSITORY, site) != 0:
        sys.exit("The site has warnings: see above.")
    faults = [f"leads nowhere: {link}" for link in broken_links(site)]
    faults += [f"is loaded from elsewhere: {address}" for address in loaded_from_elsewhere(site)]
    if faults:
        sys.exit("\n".join(faults))
    print(f"The site is written: open {site / 'index.html'} in a browser.")
