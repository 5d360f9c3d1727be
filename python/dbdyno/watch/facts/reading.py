"""Ways to read what the kernel tells in small files, and to ask programs."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from dbdyno.control_groups import read
from dbdyno.password import environment
from dbdyno.variables import PROGRAM_PATH

PROGRAM_LIMIT_S = 5.0
SYSTEM_PATHS = ("/usr/sbin", "/sbin")
"""Where programs are that an ordinary user's PATH may not lead to."""


def number(path: Path) -> int | None:
    """Return the number in a file; None where there is none."""
    text = read(path) or ""
    return int(text) if text.lstrip("-").isdecimal() else None


def chosen(path: Path) -> str | None:
    """Return the word in brackets: ``always [madvise] never``."""
    return (read(path) or "").partition("[")[2].partition("]")[0] or None


def fields(path: Path, separator: str = ":") -> dict[str, str]:
    """Return the lines of a file as name → value; of equal names the first counts."""
    found: dict[str, str] = {}
    for line in (read(path) or "").splitlines():
        name, separated, value = line.partition(separator)
        if separated:
            found.setdefault(name.strip(), value.strip())
    return found


def answer(program: str, *arguments: str) -> str | None:
    """Return what a program says; None where it is absent, late, or says nothing."""
    path = os.pathsep.join((PROGRAM_PATH.value() or os.defpath, *SYSTEM_PATHS))
    found = shutil.which(program, path=path)
    if found is None:
        return None
    try:
        told = subprocess.run(
            [found, *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PROGRAM_LIMIT_S,
            check=False,
            stdin=subprocess.DEVNULL,
            env=environment() | {"LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return told.stdout.strip() or None
