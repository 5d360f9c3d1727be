"""What control groups limit of reads and writes, and how much their members read and wrote.

Limits are of a disk as a whole, never of a partition. The kernel names a disk by its number, as in
``254:0``. See the kernel's documentation, ``admin-guide/cgroup-v1/blkio-controller`` and
``admin-guide/cgroup-v2``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from dbdyno.control_groups import read

FIRST_CONTROLLER = "blkio"
"""The name of the controller in version 1."""
CONTROLLER = "io"
"""The name of the controller in version 2."""

AMOUNTS = ("reads", "writes", "read_bytes", "write_bytes")

FIRST_FILES = {
    "reads": "blkio.throttle.read_iops_device",
    "writes": "blkio.throttle.write_iops_device",
    "read_bytes": "blkio.throttle.read_bps_device",
    "write_bytes": "blkio.throttle.write_bps_device",
}
"""The file of version 1 that has the limit of each amount."""
SECOND_FILE = "io.max"
SECOND_KEYS = {"reads": "riops", "writes": "wiops", "read_bytes": "rbps", "write_bytes": "wbps"}
"""The word in version 2's file for the limit of each amount."""

_FIRST_COUNTERS = {
    "blkio.throttle.io_serviced_recursive": {"Read": "reads", "Write": "writes"},
    "blkio.throttle.io_service_bytes_recursive": {"Read": "read_bytes", "Write": "write_bytes"},
}
_SECOND_COUNTERS = {
    "rios": "reads",
    "wios": "writes",
    "rbytes": "read_bytes",
    "wbytes": "write_bytes",
}

_DEVICES_BY_NUMBER = Path("/sys/dev/block")

ByDisk = Mapping[str, Mapping[str, int]]
"""By the number of a disk: amounts by ``reads``, ``writes``, ``read_bytes`` and ``write_bytes``."""


def block_device(number: str) -> Path | None:
    """Return the kernel's folder of a disk, partition or volume, by its number (``254:0``).

    None where this machine has no such device, or does not show it: container runtimes hide all.
    """
    try:
        return (_DEVICES_BY_NUMBER / number).resolve(strict=True)
    except OSError:
        return None


def disk_number(place: Path) -> str | None:
    """Return the number of the disk or volume that holds a place; None where it is not known."""
    there = next(folder for folder in (place, *place.parents) if folder.exists())
    device = there.stat().st_dev
    folder = block_device(f"{os.major(device)}:{os.minor(device)}")
    if folder is None:
        return None
    return read((folder.parent if (folder / "partition").exists() else folder) / "dev")


def disk_name(number: str) -> str:
    """Return the name of a disk; its number where this machine has no such disk."""
    folder = block_device(number)
    return number if folder is None else folder.name


def disk_limits_per_s(group: Path) -> ByDisk:
    """Return the limits of a group, per second, of those disks that have one."""
    return _collected([*_first_limits(group), *_second_amounts(group / SECOND_FILE, _KEYS)])


def disk_amounts(group: Path) -> ByDisk:
    """Return the amounts of a group since it was made, of each disk that it has used."""
    second = _second_amounts(group / "io.stat", _SECOND_COUNTERS)
    return _collected([*_first_amounts(group), *second])


_KEYS = {key: amount for amount, key in SECOND_KEYS.items()}


def _collected(told: list[tuple[str, str, int]]) -> ByDisk:
    found: dict[str, dict[str, int]] = {}
    for number, amount, value in told:
        found.setdefault(number, {})[amount] = value
    return found


def _first_limits(group: Path) -> Iterator[tuple[str, str, int]]:
    for amount, file in FIRST_FILES.items():
        for line in (read(group / file) or "").splitlines():
            number, limit = line.split()
            yield number, amount, int(limit)


def _first_amounts(group: Path) -> Iterator[tuple[str, str, int]]:
    for file, kinds in _FIRST_COUNTERS.items():
        for line in (read(group / file) or "").splitlines():
            number, *rest = line.split()
            if len(rest) == 2 and rest[0] in kinds:
                yield number, kinds[rest[0]], int(rest[1])


def _second_amounts(file: Path, keys: Mapping[str, str]) -> Iterator[tuple[str, str, int]]:
    for line in (read(file) or "").splitlines():
        number, *pairs = line.split()
        for key, _, value in (pair.partition("=") for pair in pairs):
            if key in keys and value.isdigit():
                yield number, keys[key], int(value)
