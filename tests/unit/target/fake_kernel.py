"""A tree that stands for ``/sys/fs/cgroup``, and a kernel that puts files into new groups."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest

OF_VERSION_1 = {
    "memory": ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "memory.swappiness"),
    "cpu": ("cpu.cfs_period_us", "cpu.cfs_quota_us"),
    "blkio": tuple(
        f"blkio.throttle.{way}_{what}_device"
        for way in ("read", "write")
        for what in ("bps", "iops")
    ),
}
OF_VERSION_2 = (
    *("memory.max", "memory.swap.max", "cpu.max", "io.max"),
    *("cgroup.type", "cgroup.subtree_control"),
)


class FakeKernel:
    """Groups as plain folders. What is removed is gone with its files, as in the real tree."""

    def __init__(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = directory / "root"
        self.membership = directory / "membership"
        self.counts_swap = True
        self.counts_kills = False
        make, remove = Path.mkdir, Path.rmdir

        def mkdir(folder: Path, **options: Any) -> None:
            make(folder, **options)
            if folder.is_relative_to(self.root):
                for file in self._files_of(folder):
                    (folder / file).touch()
                if self.counts_kills:
                    self.kill_in(folder, 0)

        def rmdir(folder: Path) -> None:
            if folder.is_relative_to(self.root):
                if (folder / "cgroup.procs").read_text():
                    raise OSError(errno.EBUSY, "Device or resource busy")
                for file in folder.iterdir():
                    file.unlink()
            remove(folder)

        self.root.mkdir()
        monkeypatch.setattr(Path, "mkdir", mkdir)
        monkeypatch.setattr(Path, "rmdir", rmdir)

    def _files_of(self, folder: Path) -> list[str]:
        controller = folder.relative_to(self.root).parts[0]
        files = ("cgroup.procs", *OF_VERSION_1.get(controller, OF_VERSION_2))
        return [file for file in files if self.counts_swap or "sw.limit" not in file]

    def group(self, path: str, files: dict[str, str]) -> Path:
        """Make a group with these files."""
        folder = self.root / path
        if folder != self.root:
            folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text)
        return folder

    def kill_in(self, folder: Path, kills: int) -> None:
        """Have so many processes of a group be killed for lack of memory."""
        (folder / "memory.events").write_text(f"low 0\noom_kill {kills}\n")

    def contents(self, folder: Path) -> dict[str, str]:
        """Return what has been written into a group."""
        texts = {file.name: file.read_text() for file in folder.iterdir() if file.is_file()}
        return {name: text for name, text in texts.items() if text}
