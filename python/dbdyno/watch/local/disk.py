"""What each disk did: requests, bytes, how long they took and how many of them waited."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from dbdyno.watch.series.source import Values

_BLOCK_DEVICES = Path("/sys/block")
_SECTOR_BYTES = 512.0
"""Whatever the disk's own sectors are: the kernel counts in these."""
_MILLISECOND = 0.001

_COUNTERS = (
    ("reads", 3, 1.0),
    ("read_bytes", 5, _SECTOR_BYTES),
    ("read_wait_s", 6, _MILLISECOND),
    ("writes", 7, 1.0),
    ("write_bytes", 9, _SECTOR_BYTES),
    ("write_wait_s", 10, _MILLISECOND),
    ("busy_s", 12, _MILLISECOND),
    ("queue_s", 13, _MILLISECOND),
    ("flushes", 18, 1.0),
    ("flush_wait_s", 19, _MILLISECOND),
)
"""Metric, its field in a line, and its unit. The fields of flushes came with Linux 5.5."""

_IN_FLIGHT = 11


def disk_figures(content: bytes, is_disk: Callable[[str], bool]) -> tuple[Values, Values]:
    """Read ``/proc/diskstats``; return counters and levels by disk.

    Of disks alone: volumes that lie on them would count the same bytes again.
    """
    counters: Values = {}
    levels: Values = {}
    for line in content.splitlines():
        fields = line.split()
        name = fields[2].decode()
        if not is_disk(name):
            continue
        for metric, field, unit in _COUNTERS:
            if field < len(fields):
                counters[f"disk[{name}].{metric}"] = int(fields[field]) * unit
        levels[f"disk[{name}].in_flight"] = float(fields[_IN_FLIGHT])
    return counters, levels


@cache
def is_physical(name: str) -> bool:
    """Tell whether a block device of this machine is a disk."""
    return (_BLOCK_DEVICES / name / "device").exists()
