"""What an agent tells of the host that it runs on."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from distributed import Worker


def tell_facts(servers: Mapping[str, Sequence[str]], dask_worker: Worker | None = None) -> bytes:
    """Return the facts of this host as JSON; it takes a second, to see what else is at work.

    ``servers`` are by host those that its generators load. Dask gives the worker that asks.
    """
    # What it needs takes time to import, and loads do without it.
    from dbdyno.facts.host import HOST
    from dbdyno.watch.facts.host import host_facts
    from dbdyno.watch.round_trips import round_trips_ms

    assert dask_worker is not None
    round_trips = round_trips_ms(servers.get(str(dask_worker.name), ()))
    facts = host_facts(Path(tempfile.gettempdir()))
    return HOST.dump_json(replace(facts, server_round_trip_ms=round_trips))
