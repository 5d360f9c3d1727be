"""The page cache of files, on a real disk and in memory."""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import pytest

from dbdyno.errors import RunError
from dbdyno.target.local import files
from dbdyno.target.local.files import copy_folder
from dbdyno.target.local.page_cache import drop_page_cache
from dbdyno.target.local.reflink import FICLONE, shares_blocks

SIZE_BYTES = 4 << 20


def filled(folder: Path) -> Path:
    """Return a folder with a file that is in the page cache, an empty one and a link."""
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "data").write_bytes(os.urandom(SIZE_BYTES))
    (folder / "empty").touch()
    (folder / "link").symlink_to("inner/data")
    return folder


def test_what_is_on_a_disk_is_dropped(tmp_path: Path) -> None:
    folder = filled(tmp_path / "files")
    dropped = drop_page_cache(folder)
    assert dropped.before_bytes == SIZE_BYTES
    assert dropped.left_bytes == 0
    assert drop_page_cache(folder).before_bytes == 0
    (folder / "inner" / "data").read_bytes()
    assert drop_page_cache(folder).before_bytes == SIZE_BYTES


@pytest.fixture
def in_memory() -> Iterator[Path]:
    with TemporaryDirectory(dir="/dev/shm", prefix="dbdyno-") as folder:
        yield Path(folder)


def test_what_lives_in_memory_stays_and_that_is_told(in_memory: Path) -> None:
    dropped = drop_page_cache(filled(in_memory / "files"))
    assert dropped.left_bytes == SIZE_BYTES


def test_space_is_checked_only_where_a_copy_takes_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = filled(tmp_path / "files")
    monkeypatch.setattr(files, "FREE_SHARE_MIN", 1.0)
    monkeypatch.setattr(files, "KEPT_FREE_MAX_BYTES", sys.maxsize)
    if not shares_blocks(source, tmp_path):
        with pytest.raises(RunError, match="free some space"):
            copy_folder(source, tmp_path / "copy")
        assert not (tmp_path / "copy").exists()
    asked = []
    monkeypatch.setattr(fcntl, "ioctl", lambda _, request, __: asked.append(request))
    copy_folder(source, tmp_path / "copy")
    assert asked == [FICLONE]
    assert (tmp_path / "copy" / "inner" / "data").stat().st_size == SIZE_BYTES
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".reflink")] == []


@pytest.mark.parametrize(
    ("total_gb", "free_gb", "kept_free_gb"), [(10, 1, "0.20"), (252, 2.4, "2.00")]
)
def test_who_has_too_little_space_is_told_how_much_there_is_and_how_much_must_stay(
    total_gb: float, free_gb: float, kept_free_gb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    total_bytes, free_bytes = int(total_gb * 1e9), int(free_gb * 1e9)
    usage = SimpleNamespace(total=total_bytes, free=free_bytes)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    spare_bytes = free_bytes - int(float(kept_free_gb) * 1e9)
    files.check_space("a copy", spare_bytes, Path("/data"))
    with pytest.raises(RunError) as refused:
        files.check_space("a copy", spare_bytes + 1, Path("/data"))
    assert str(refused.value) == (
        f"a copy takes {spare_bytes / 1e9:.2f} GB, and /data has {free_gb:.2f} GB free, "
        f"of which {kept_free_gb} GB must stay free; free some space, or use another --out"
    )


def test_a_folder_without_any_block_is_no_proof(in_memory: Path) -> None:
    (in_memory / "files").mkdir()
    (in_memory / "files" / "empty").touch()
    assert not shares_blocks(in_memory / "files", in_memory)
