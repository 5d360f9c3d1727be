"""Looks up what a directory lies on: its file system, and the disks below that."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import psutil

from dbdyno.control_group_disks import block_device
from dbdyno.control_groups import read
from dbdyno.facts.host import NONE
from dbdyno.facts.storage import Disk, FileSystem, StorageFacts
from dbdyno.password import without_passwords
from dbdyno.watch.facts.reading import chosen, number

_BLOCK_DEVICES = Path("/sys/block")
_SECTOR_BYTES = 512

_IN_MEMORY = ("tmpfs", "ramfs")
_NO_DISKS = ("loop", "ram", "zram", "dm-", "md", "sr", "fd", "nbd")
"""How devices are called that are made of others, or of memory, or that hold no database."""


def storage_facts(directory: Path) -> StorageFacts:
    """Return facts of what an existing directory lies on, and all disks of the host.

    There is no disk below a file system in memory; those below one on a network are not known.
    """
    place = directory.resolve()
    mount, disks = _mount_of(place), _disks_below(place)
    usage = shutil.disk_usage(place)
    below = {
        "work_disks": _joined([disk.name for disk in disks]),
        "work_disk_model": _joined([disk.model for disk in disks]),
        "work_disk_size_bytes": sum(disk.size_bytes or 0 for disk in disks) or None,
        "work_disk_scheduler": _joined([disk.scheduler for disk in disks]),
        "work_disk_rotational": _joined([_as_digit(disk.rotational) for disk in disks]),
        "work_disk_write_cache": _joined([disk.write_cache for disk in disks]),
    }
    return StorageFacts(
        work_file_system=mount.fstype if mount else None,
        work_mount_options=without_passwords(mount.opts) if mount else None,
        work_file_system_total_bytes=usage.total,
        work_file_system_free_bytes=usage.free,
        **(dict.fromkeys(below, NONE) if is_in_memory(place) else below),
        disks=_all_disks(),
    )


def file_system_of(directory: str | None) -> FileSystem | None:
    """Return the file system of a directory; None where it is not known, or we may not look."""
    if directory is None:
        return None
    try:
        place = Path(directory).resolve(strict=True)
        mount, usage, disks = _mount_of(place), shutil.disk_usage(place), _disks_below(place)
    except OSError:
        return None
    names = NONE if is_in_memory(place) else _joined([disk.name for disk in disks])
    return FileSystem(
        type=mount.fstype if mount else None,
        mount_options=without_passwords(mount.opts) if mount else None,
        total_bytes=usage.total,
        free_bytes=usage.free,
        disks=names,
    )


def is_in_memory(place: Path) -> bool:
    """Tell whether what is written there never comes to a disk."""
    mount = _mount_of(place.resolve())
    return mount is not None and mount.fstype in _IN_MEMORY


def _mount_of(place: Path) -> psutil._ntuples.sdiskpart | None:
    """Return the file system with the longest path above a place; of equal ones, the last hides."""
    above = [
        mount
        for mount in psutil.disk_partitions(all=True)
        if place.is_relative_to(mount.mountpoint)
    ]
    return max(reversed(above), key=lambda mount: len(mount.mountpoint), default=None)


def _disks_below(place: Path) -> list[Disk]:
    mount = _mount_of(place)
    return [disk_facts(folder) for folder in _physical_disks(place, mount.device if mount else "")]


def _all_disks() -> tuple[Disk, ...]:
    """Return the disks that hold anything, leaving out what is made of them."""
    folders = sorted(_BLOCK_DEVICES.glob("*"))
    disks = (disk_facts(folder) for folder in folders if not folder.name.startswith(_NO_DISKS))
    return tuple(disk for disk in disks if disk.size_bytes)


def disk_facts(folder: Path) -> Disk:
    """Return what the kernel says of a disk; ``folder`` is its own in ``/sys/block``."""
    queue = folder / "queue"
    rotational = number(queue / "rotational")
    sectors, read_ahead_kib = number(folder / "size"), number(queue / "read_ahead_kb")
    return Disk(
        name=folder.name,
        model=read(folder / "device" / "model"),
        # Of NVMe, and of what speaks SCSI.
        firmware=read(folder / "device" / "firmware_rev") or read(folder / "device" / "rev"),
        size_bytes=None if sectors is None else sectors * _SECTOR_BYTES,
        rotational=None if rotational is None else rotational == 1,
        scheduler=chosen(queue / "scheduler"),
        queue_depth=number(queue / "nr_requests"),
        write_cache=read(queue / "write_cache"),
        block_size_bytes=number(queue / "physical_block_size"),
        read_ahead_bytes=None if read_ahead_kib is None else read_ahead_kib * 1024,
    )


def _physical_disks(place: Path, device: str) -> list[Path]:
    """Return the disks in ``/sys/block`` that hold a place.

    Some file systems (btrfs) give files a device number of their own; the device that was mounted
    tells there.
    """
    for number_of_device in (place.stat().st_dev, _device_number(device)):
        device_folder = block_device(f"{os.major(number_of_device)}:{os.minor(number_of_device)}")
        if device_folder is not None:
            return sorted(_below(device_folder))
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


def _as_digit(value: bool | None) -> str | None:
    return None if value is None else str(int(value))


def _joined(texts: list[str | None]) -> str | None:
    return ", ".join(text for text in texts if text) or None
