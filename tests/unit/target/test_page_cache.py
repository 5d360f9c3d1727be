"""The page cache of files, on a real disk and in memory."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

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


def test_a_folder_without_any_block_is_no_proof(in_memory: Path) -> None:
    (in_memory / "files").mkdir()
    (in_memory / "files" / "empty").touch()
    assert not shares_blocks(in_memory / "files", in_memory)
