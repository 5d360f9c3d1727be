"""Files of directories that another user may have made: results, imports, reports.

No symbolic link below the directory that a user has named is followed, neither to read what lies
elsewhere nor to write there. A path begins with that directory, as ``named_directory`` returns it;
after it come names of ours. Each folder on the way is opened in the one before it, so that nothing
can be put in its place meanwhile. What is written takes the place of what was there as a whole.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader, TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

from dbdyno._native import parquet_size
from dbdyno.errors import InputError

if TYPE_CHECKING:
    import polars as pl

LARGEST_BYTES = 256 << 20
"""Of a file that is read into memory whole."""

LARGEST_VALUES = 100_000_000
"""Of a table: a small file that repeats one value may have far more, and would fill the memory."""

LARGEST_COLUMN_BYTES = 1 << 30
"""Of a table's columns together, decompressed: a few kilobytes may be gigabytes of one text."""

_FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK a pipe without a writer would be waited for.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def named_directory(directory: Path) -> Path:
    """Return a directory that a user has named, without links on the way to it: those are his own.

    Where there are none it is returned as it was named, for messages.
    """
    places = (directory, *directory.parents)
    return directory.resolve() if any(map(os.path.islink, places)) else directory


def read_file(path: Path, largest_bytes: int = LARGEST_BYTES) -> bytes:
    """Return the bytes of a regular file; InputError for a link, a pipe, or one that is too large.

    OSError where it cannot be read.
    """
    with open_to_read(path, largest_bytes) as file:
        # What is asked for is allocated, whatever there is.
        return file.read(os.fstat(file.fileno()).st_size)


def scan_table(path: Path) -> pl.LazyFrame:
    """Return the table of a Parquet file, to be collected; errors as ``read_file`` has them."""
    import polars as pl

    # Of tables that are read by the thousand, threads and the search for files cost more than the
    # rows.
    content = read_file(path)
    rows = _rows_unless_large(path, content)
    table = pl.scan_parquet(content, parallel="none")
    values = rows * len(table.collect_schema())
    if values > LARGEST_VALUES:
        raise _is_too_large(path, f"{values:,} values", f"{LARGEST_VALUES:,}")
    return table


def _rows_unless_large(path: Path, content: bytes) -> int:
    """Return the rows of a table; InputError where its columns would be too large to decompress."""
    try:
        rows, found = parquet_size(content)
    except ValueError as error:
        raise InputError(f"{path} is damaged: {error}") from error
    if sum(found.values()) > LARGEST_COLUMN_BYTES:
        column, size = max(found.items(), key=lambda item: item[1])
        size_words = f"{size:,} decompressed bytes in its column {column}"
        raise _is_too_large(path, size_words, f"{LARGEST_COLUMN_BYTES:,} of all columns")
    return rows


def open_to_read(path: Path, largest_bytes: int | None = None) -> BufferedReader:
    """Open a regular file; errors as ``read_file`` has them."""
    with _folder_of(path) as folder:
        descriptor = _opened(path, _READ, folder)
    if largest_bytes is not None and (size := os.fstat(descriptor).st_size) > largest_bytes:
        os.close(descriptor)
        raise _is_too_large(path, f"{size:,} bytes", f"{largest_bytes:,}")
    return open(path, "rb", opener=lambda *_: descriptor)


def open_named(path: Path) -> BufferedReader:
    """Open a regular file that a user has named: links on the way to it are his own."""
    return open_to_read(path.resolve())


def read_named_text(path: Path) -> str:
    """Return the text of such a file, which is in UTF-8; UnicodeDecodeError where it is not."""
    with open_named(path) as file:
        return TextIOWrapper(file, encoding="utf-8").read()


def open_to_append(path: Path) -> TextIOWrapper:
    """Open a file of text, which is made where there is none, to write behind what is there."""
    with _folder_of(path) as folder:
        descriptor = _opened(path, _APPEND, folder)
    return open(path, "a", encoding="utf-8", opener=lambda *_: descriptor)


def open_new(path: Path) -> TextIOWrapper:
    """Open an empty file of text in place of what is there."""
    with _folder_of(path) as folder:
        with suppress(FileNotFoundError):
            os.unlink(path.name, dir_fd=folder)
        descriptor = os.open(path.name, _NEW, 0o666, dir_fd=folder)
    return open(path, "w", encoding="utf-8", opener=lambda *_: descriptor)


def write_file(path: Path, content: bytes | str) -> None:
    """Write a file under another name, see it on the disk, and give it its name.

    So nobody ever reads half of it, also not after the power failed.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    with _folder_of(path) as folder:
        aside = f".{path.name}.{secrets.token_hex(8)}"
        try:
            with open(os.open(aside, _NEW, 0o666, dir_fd=folder), "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.rename(aside, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(OSError):
                os.unlink(aside, dir_fd=folder)
            raise


def make_folder(path: Path) -> None:
    """See that there is a folder, with those above it; InputError where a link is in its place."""
    with suppress(FileNotFoundError), _opened_folder(path):
        return
    if path.parent != path:
        make_folder(path.parent)
    with _folder_of(path) as folder, suppress(FileExistsError):
        try:
            os.mkdir(path.name, dir_fd=folder)
        except OSError as error:
            raise type(error)(error.errno, error.strerror, str(path)) from None
    with _opened_folder(path):
        pass


def names_in(path: Path) -> list[str]:
    """Return the names of what is in a folder."""
    with _listable(path) as folder:
        return os.listdir(folder)


def remove(path: Path) -> None:
    """Remove a file, a link or a folder with all that is in it; nothing where there is none."""
    with suppress(FileNotFoundError), _folder_of(path) as folder:
        try:
            os.unlink(path.name, dir_fd=folder)
        except IsADirectoryError:
            shutil.rmtree(path.name, dir_fd=folder)


def rename(path: Path, name: str) -> None:
    """Give a file or a folder another name where it is."""
    with _folder_of(path) as folder:
        os.rename(path.name, name, src_dir_fd=folder, dst_dir_fd=folder)


@contextmanager
def replaced_folder(directory: Path, name: str) -> Iterator[Path]:
    """Give a place for a folder that then stands in place of the one of that name.

    Where nothing is put there, the one that was there goes as well.
    """
    unfinished = directory / f".{name}.unfinished"
    remove(unfinished)
    yield unfinished
    remove(directory / name)
    if os.path.lexists(unfinished):
        rename(unfinished, name)


def sync_folder(path: Path) -> None:
    """See that a folder's files and their names are on the disk."""
    for name in names_in(path):
        with suppress(InputError), open_to_read(path / name) as file:
            os.fsync(file.fileno())
    with _listable(path) as folder:
        os.fsync(folder)


def refuse_links_out(directory: Path) -> None:
    """Raise InputError where a link below a directory leads out of it.

    For what others open by its path: the files of servers, published tables.
    """
    refuse_link_out(directory, directory.parent)
    for place, folders, files in os.walk(directory):
        for name in (*folders, *files):
            refuse_link_out(Path(place, name), directory)


def refuse_link_out(path: Path, directory: Path) -> None:
    """Raise InputError where a path is a link that leads out of a directory."""
    if path.is_symlink() and not path.resolve().is_relative_to(directory.resolve()):
        raise _leads_away(path)


@contextmanager
def _folder_of(path: Path) -> Iterator[int]:
    """Open the folder that a path is in, for as long as the block runs."""
    with _opened_folder(path.parent) as folder:
        yield folder


@contextmanager
def _opened_folder(path: Path) -> Iterator[int]:
    descriptor = os.open(path.anchor or ".", _FOLDER)
    try:
        names = path.parts[1:] if path.anchor else path.parts
        for name, place in zip(names, _places(path, names), strict=True):
            try:
                below = os.open(name, _FOLDER, dir_fd=descriptor)
            except NotADirectoryError as error:
                if _is_link(name, descriptor):
                    raise _leads_away(place) from None
                raise NotADirectoryError(error.errno, error.strerror, str(place)) from None
            except OSError as error:
                raise type(error)(error.errno, error.strerror, str(place)) from None
            os.close(descriptor)
            descriptor = below
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _listable(path: Path) -> Iterator[int]:
    with _opened_folder(path) as folder:
        listable = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
    try:
        yield listable
    finally:
        os.close(listable)


def _places(path: Path, names: Iterable[str]) -> Iterator[Path]:
    place = Path(path.anchor)
    for name in names:
        place = place / name
        yield place


def _opened(path: Path, flags: int, folder: int) -> int:
    """Open a file of a folder, and nothing but a regular one."""
    try:
        descriptor = os.open(path.name, flags, 0o666, dir_fd=folder)
    except OSError as error:
        if _is_link(path.name, folder):
            raise _leads_away(path) from None
        if _is_special(path.name, folder):
            raise _is_no_file(path) from None
        raise type(error)(error.errno, error.strerror, str(path)) from None
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise _is_no_file(path)


def _is_link(name: str, folder: int) -> bool:
    return stat.S_ISLNK(_mode(name, folder))


def _is_special(name: str, folder: int) -> bool:
    mode = _mode(name, folder)
    return bool(mode) and not stat.S_ISREG(mode)


def _mode(name: str, folder: int) -> int:
    """Return the type of what has a name; 0 where there is nothing."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except OSError:
        return 0


def _leads_away(path: Path) -> InputError:
    return InputError(
        f"{path} is a symbolic link, which is not followed: the directory may come from somebody "
        "else, and the link lead to any file of yours. Put a copy of what is meant in its place"
    )


def _is_too_large(path: Path, size: str, limit: str) -> InputError:
    return InputError(
        f"{path} has {size}, and no more than {limit} are read: it is damaged, or dbdyno did not "
        "write it"
    )


def _is_no_file(path: Path) -> InputError:
    return InputError(f"{path} is damaged: it should be a regular file")
