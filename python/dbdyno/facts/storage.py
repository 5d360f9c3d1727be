"""Facts of disks and file systems, and what a short probe of one found."""

from __future__ import annotations

from pydantic.dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Disk:
    """A whole disk of the host; ``queue_depth`` is how many requests its queue holds."""

    name: str
    model: str | None = None
    firmware: str | None = None
    size_bytes: int | None = None
    rotational: bool | None = None
    scheduler: str | None = None
    queue_depth: int | None = None
    write_cache: str | None = None
    block_size_bytes: int | None = None
    read_ahead_bytes: int | None = None


@dataclass(frozen=True, kw_only=True)
class FileSystem:
    """The file system that a directory lies on, and the names of the disks below it."""

    type: str | None = None
    mount_options: str | None = None
    total_bytes: int | None = None
    free_bytes: int | None = None
    disks: str | None = None


@dataclass(frozen=True, kw_only=True)
class StorageFacts:
    """The file system of the work directory and the disks below it; and all disks of the host.

    Of several disks, as in a RAID, names and properties have commas between them.
    """

    work_file_system: str | None = None
    work_mount_options: str | None = None
    work_file_system_total_bytes: int | None = None
    work_file_system_free_bytes: int | None = None
    work_disks: str | None = None
    work_disk_model: str | None = None
    work_disk_size_bytes: int | str | None = None
    work_disk_scheduler: str | None = None
    work_disk_rotational: str | None = None
    work_disk_write_cache: str | None = None
    disks: tuple[Disk, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ProbeFacts:
    """What a short probe of the work directory found; nothing where none was made.

    ``probe_write_mib_per_s`` counts ``probe_written_bytes`` until they were on the disk. Each of
    ``probe_fsync_count`` times is that of writing 4 KiB and one fsync.
    """

    probe_write_mib_per_s: float | None = None
    probe_written_bytes: int | None = None
    probe_fsync_median_ms: float | None = None
    probe_fsync_p99_ms: float | None = None
    probe_fsync_count: int | None = None
