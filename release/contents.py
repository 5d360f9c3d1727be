"""Whether a wheel holds the package and nothing else: ``python -m release.contents [WHEEL]``."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Set
from email.message import Message
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

from dbdyno.errors import DbdynoError, InputError
from release.crates import ROOT
from release.version import source_version

WHEELS = ROOT / "target" / "wheels"
EXTENSION = "dbdyno/_native.abi3.so"
LICENCE_FILES = ("LICENSE", "THIRD-PARTY-NOTICES.txt")


def main() -> int:
    """Compare, and say what is wrong; 1 where something is."""
    parser = argparse.ArgumentParser(prog="python -m release.contents")
    parser.add_argument("wheel", nargs="?", type=Path, help=f"without it, that in {WHEELS}")
    arguments = parser.parse_args()
    try:
        wheel = arguments.wheel or built_wheel()
        problems = problems_of(wheel, package_files())
    except DbdynoError as error:
        print(f"contents: {error}", file=sys.stderr)
        return 1
    for problem in problems:
        print(f"contents: {wheel.name} {problem}", file=sys.stderr)
    if not problems:
        print(f"{wheel} ({wheel.stat().st_size / 1e6:.1f} MB)")
    return 1 if problems else 0


def built_wheel() -> Path:
    """Return the wheel of this version that ``make wheel`` has built.

    Raises:
        InputError: there is none, or there are several.

    """
    found = sorted(WHEELS.glob(f"dbdyno-{source_version()}-*.whl"))
    if len(found) != 1:
        names = ", ".join(wheel.name for wheel in found) or "none"
        raise InputError(f"one wheel of {source_version()} is expected in {WHEELS}, found: {names}")
    return found[0]


def package_files() -> set[str]:
    """Return the files of the package, as a wheel names them (``dbdyno/cli/demo.yaml``).

    They are those that git knows; in sources without a repository, all that nothing has compiled.
    """
    folder = ROOT / "python"
    if (ROOT / ".git").exists():
        command = ["git", "ls-files", "-z", "dbdyno"]
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=True, timeout=60
        )
        return {name for name in done.stdout.split("\0") if name}
    return {
        str(file.relative_to(folder))
        for file in folder.rglob("*")
        if file.is_file() and file.suffix not in (".pyc", ".so")
    }


def problems_of(wheel: Path, files: Set[str]) -> list[str]:
    """Return what a wheel has too few or too many, as ends of sentences that begin with its name.

    ``files`` are those of the package, as ``package_files`` returns them.
    """
    with ZipFile(wheel) as archive:
        names = set(archive.namelist())
        about = f"dbdyno-{source_version()}.dist-info/"
        if f"{about}METADATA" not in names:
            return [f"has no {about}METADATA: is it of another version?"]
        metadata = Parser().parsestr(archive.read(f"{about}METADATA").decode())
    licences = {f"{about}licenses/{name}" for name in LICENCE_FILES}
    expected = files | {EXTENSION} | licences
    others = {name for name in names if not name.startswith(about)}
    return [
        *(f"lacks {name}" for name in sorted(expected - names)),
        *(f"has {name}, which is no file of the package" for name in sorted(others - expected)),
        *_wrong_metadata(metadata),
    ]


def _wrong_metadata(metadata: Message) -> list[str]:
    """Return what would let somebody install the wheel where it cannot work, or not know it."""
    wanted = {
        "Name": "dbdyno",
        "Version": source_version(),
        "License-Expression": "Apache-2.0",
        "Requires-Python": ">=3.11",
    }
    return [
        f"has the {name} {metadata[name]}, not {value}"
        for name, value in wanted.items()
        if metadata[name] != value
    ] + [f"needs {each} in any version" for each in _unbounded(metadata)]


def _unbounded(metadata: Message) -> list[str]:
    requirements = metadata.get_all("Requires-Dist", [])
    return [each for each in requirements if "extra ==" not in each and ">=" not in each]


if __name__ == "__main__":
    sys.exit(main())
