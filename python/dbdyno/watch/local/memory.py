"""Memory of the host: what is available, what waits to be written, swapping and page faults."""

from __future__ import annotations

import os
import re

from dbdyno.watch.series.source import Values

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_KIBIBYTE = 1024

_LEVELS = {
    b"MemAvailable": "memory.available_bytes",
    b"Dirty": "memory.dirty_bytes",
    b"Writeback": "memory.writeback_bytes",
}
_PAGE_CACHE = {b"Cached": 1, b"Buffers": 1, b"Shmem": -1}
"""Shared memory is counted among what is cached, and can't be written back to any file."""

_SIZE = re.compile(rb"^(\w+): +(\d+) kB$", re.MULTILINE)
_COUNT = re.compile(rb"^(pswpin|pswpout|pgmajfault) (\d+)$", re.MULTILINE)


def memory_levels(content: bytes) -> Values:
    """Read ``/proc/meminfo``."""
    sizes = {name: int(number) * _KIBIBYTE for name, number in _SIZE.findall(content)}
    levels = {metric: float(sizes[name]) for name, metric in _LEVELS.items() if name in sizes}
    cached = sum(sign * sizes.get(name, 0) for name, sign in _PAGE_CACHE.items())
    return levels | {"memory.page_cache_bytes": float(cached)}


def paging_counters(content: bytes) -> Values:
    """Read ``/proc/vmstat``."""
    counts = {name: float(number) for name, number in _COUNT.findall(content)}
    return {
        "swap.in_bytes": counts.get(b"pswpin", 0.0) * _PAGE_BYTES,
        "swap.out_bytes": counts.get(b"pswpout", 0.0) * _PAGE_BYTES,
        "memory.major_faults": counts.get(b"pgmajfault", 0.0),
    }
