"""Whether private servers can be limited on this machine, and what their limits leave behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dbdyno.control_groups import OWN_MEMBERSHIP, groups_of
from dbdyno.errors import InputError
from dbdyno.experiment.plan import ServerLimits
from dbdyno.server.control_group_ways import PREFIX, find_way

ANY = ServerLimits(memory_bytes=1 << 30, cpus=1.0)


def require_limits() -> None:
    """Skip a test where nothing can be limited. The last lines say so."""
    try:
        find_way(ANY)
    except InputError as error:
        pytest.skip(f"NOT TESTED: limits of private servers, which can't be had here: {error}")


def left_behind(process_id: int | None = None) -> list[Path]:
    """Return the groups that a process has for its servers: this one, or another."""
    pattern = f"{PREFIX}{process_id or os.getpid()}-*"
    groups = groups_of(OWN_MEMBERSHIP)
    own = {groups[name][0] for name in ("memory", "cpu", "") if name in groups}
    return sorted(path for group in own for path in group.glob(pattern))
