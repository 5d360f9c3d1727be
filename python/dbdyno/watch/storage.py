"""Facts of what a directory lies on: its file system, and the disks below that."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import psutil

from dbdyno.control_groups import read

_DEVICES_BY_NUMBER = Path("/sys/dev/block")
_BLOCK_DEVICES = Path("/sys/block")
_SECTOR_BYTES = 512

Facts = dict[str, str | int | float | None]

NONE = "none"
"""The fact that there is none; a fact that is not known is None."""

_IN_MEMORY = ("tmpfs", "ramfs")


def storage_facts(directory: Path) -> Facts:
    """Return facts of the file system and the disks of an existing directory.

    Several disks, as in a RAID, are named with commas between them, and so are their properties.
    There is none below a file system in memory; those below one on a network are not known.
    """
    place = directory.resolve()
    mount = _mount_of(place)
    usage = shutil.disk_usage(place)
    disk_facts = _disk_facts(_physical_disks(place, mount.device if mount else ""))
    is_in_memory = mount is not None and mount.fstype in _IN_MEMORY
    return {
        "work_file_system": mount.fstype if mount else None,
        "work_mount_options": mount.opts if mount else None,
        "work_file_system_total_bytes": usage.total,
        "work_file_system_free_bytes": usage.free,
        **(dict.fromkeys(disk_facts, NONE) if is_in_memory else disk_facts),
    }


def _disk_facts(disks: list[Path]) -> Facts:
    return {
        "work_disks": _joined([disk.name for disk in disks]),
        "work_disk_model": _joined([read(disk / "device" / "model") for disk in disks]),
        "work_disk_size_bytes": _total_size_bytes(disks),
        "work_disk_scheduler": _joined([_scheduler(disk) for disk in disks]),
        "work_disk_rotational": _joined([read(disk / "queue" / "rotational") for disk in disks]),
        "work_disk_write_cache": _joined([read(disk / "queue" / "write_cache") for disk in disks]),
    }


def _mount_of(place: Path) -> psutil._ntuples.sdiskpart | None:
    """Return the file system with the longest path above a place; of equal ones, the last hides."""
    above = [
        mount
        for mount in psutil.disk_partitions(all=True)
        if place.is_relative_to(mount.mountpoint)
    ]
    return max(reversed(above), key=lambda mount: len(mount.mountpoint), default=None)


def _physical_disks(place: Path, device: str) -> list[Path]:
    """Return the disks in ``/sys/block`` that hold a place.

    Some file systems (btrfs) give files a device number of their own; the device that was mounted
    tells there.
    """
    for number in (place.stat().st_dev, _device_number(device)):
        found = _DEVICES_BY_NUMBER / f"{os.major(number)}:{os.minor(number)}"
        if found.exists():
            return sorted(_below(found.resolve()))
    return []


def _device_number(device: str) -> int:
    try:
        return Path(device).stat().st_rdev
    except OSError:
        return 0


def _below(device: Path) -> set[Path]:
    """Return the whole disks below a partition or a volume."""
    if (device / "partition").exists():
        device = device.parent
    slaves = device / "slaves"
    lower = list(slaves.iterdir()) if slaves.is_dir() else []
    if not lower:
        return {_BLOCK_DEVICES / device.name}
    return {disk for slave in lower for disk in _below(slave.resolve())}


def _scheduler(disk: Path) -> str | None:
    """Return the chosen one: ``none [mq-deadline] kyber`` has it in brackets."""
    schedulers = read(disk / "queue" / "scheduler") or ""
    return schedulers.partition("[")[2].partition("]")[0] or None


def _total_size_bytes(disks: list[Path]) -> int | None:
    sizes = [read(disk / "size") for disk in disks]
    return sum(int(size) * _SECTOR_BYTES for size in sizes if size) or None


def _joined(texts: list[str | None]) -> str | None:
    return ", ".join(text for text in texts if text) or None
