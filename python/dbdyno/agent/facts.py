"""What an agent tells of the host that it runs on."""

from __future__ import annotations

import tempfile
from pathlib import Path


def tell_facts() -> bytes:
    """Return the facts of this host as JSON; it takes a second, to see what else is at work."""
    # What it needs takes time to import, and loads do without it.
    from dbdyno.facts.host import HOST
    from dbdyno.watch.facts.host import host_facts

    return HOST.dump_json(host_facts(Path(tempfile.gettempdir())))
