"""What a run keeps on other hosts, where servers of its clusters run: its name, and its end."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterable
from pathlib import Path

from dbdyno.contained_files import read_file, write_file
from dbdyno.errors import InputError
from dbdyno.experiment.file.cluster import ClusterTarget
from dbdyno.experiment.file.target import Target
from dbdyno.target.base import SystemUnderTest
from dbdyno.target.capabilities import Distributed
from dbdyno.target.local.files import file_errors, remove_folder

_NAME_FILE = "elsewhere"


def run_name(model: Target, work_directory: Path) -> str:
    """Return the name by which other hosts know the files of this result, also when it goes on.

    It is no other result's, whatever machine that is on; empty where the target has none there.
    """
    if not _is_elsewhere(model):
        return ""
    path = work_directory / _NAME_FILE
    with file_errors(f"use {work_directory}"):
        if not path.exists():
            write_file(path, uuid.uuid4().hex[:12])
        return _read_name(path)


def remove_files_elsewhere(
    models: Iterable[Target], work_directory: Path, warn: Callable[[str], None]
) -> None:
    """Remove all that a run has on other hosts; ``warn`` is told where that is not possible."""
    path = work_directory / _NAME_FILE
    if not path.exists():
        return
    # What this needs is heavy, and most runs do without it.
    from dbdyno.target.remote.removal import remove_elsewhere

    targets = [model for model in models if isinstance(model, ClusterTarget)]
    remove_elsewhere(targets, _read_name(path), warn)


def _read_name(path: Path) -> str:
    """Return the name of a run; it is part of a path, and so is refused where it is not ours."""
    name = read_file(path).decode(errors="replace")
    if not re.fullmatch("[0-9a-f]{12}", name):
        raise InputError(f"{path} is damaged: it should be 12 hexadecimal digits")
    return name


def _is_elsewhere(model: Target) -> bool:
    return isinstance(model, ClusterTarget) and any(
        group.elsewhere for group in model.members.values()
    )


def remove_files(server: SystemUnderTest, folder: Path) -> None:
    """Remove what a server that does not run has here, and on other hosts."""
    if isinstance(server, Distributed):
        server.remove_files()
    remove_folder(folder)
