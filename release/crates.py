"""The crates of others that are linked into the extension, as cargo resolves them."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from dbdyno.errors import RunError

ROOT = Path(__file__).parents[1]
TARGET = "x86_64-unknown-linux-gnu"
"""What wheels are built for. It decides which crates are linked in, so it is not this machine's."""

_LICENCE_FILES = ("licen", "unlicen", "copying", "copyright", "notice")
"""How the names of files begin that have licences, copyright or notices; case does not matter."""


@dataclass(frozen=True)
class Crate:
    """A crate with its licence as an SPDX expression, and the folder that has its sources."""

    name: str
    version: str
    expression: str
    folder: Path

    def licence_texts(self) -> dict[str, str]:
        """Return the texts of its files about licences and copyright, by name of the file."""
        return {
            file.name: file.read_text().strip()
            for file in sorted(self.folder.iterdir())
            if file.name.lower().startswith(_LICENCE_FILES) and file.is_file()
        }


def linked_crates() -> list[Crate]:
    """Return them in the order of their names; our own are none of them.

    Raises:
        RunError: cargo is missing, or has not fetched the sources yet.

    """
    linked = _linked()
    metadata = json.loads(_cargo("metadata", "--format-version", "1", "--filter-platform", TARGET))
    return sorted(
        (
            _crate(package)
            for package in metadata["packages"]
            if package["source"] and (package["name"], package["version"]) in linked
        ),
        key=lambda crate: (crate.name, crate.version),
    )


def _linked() -> set[tuple[str, str]]:
    """Return name and version of each crate whose code is in the extension.

    Macros and the dependencies of build scripts are not: they run when it is compiled.
    """
    lines = _cargo(
        *("tree", "--package", "bindings", "--edges", "normal,no-proc-macro"),
        *("--target", TARGET, "--prefix", "none", "--format", "{p}"),
    ).splitlines()
    pairs = (line.split()[:2] for line in lines)
    return {(name, version.removeprefix("v")) for name, version in pairs}


def _crate(package: dict[str, str]) -> Crate:
    # Older crates write "MIT/Apache-2.0", which means OR and is no SPDX expression any more.
    expression = (package["license"] or "").replace("/", " OR ")
    folder = Path(package["manifest_path"]).parent
    return Crate(package["name"], package["version"], expression, folder)


def _cargo(*arguments: str) -> str:
    command = ["cargo", *arguments, "--locked", "--offline"]
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=180
        )
    except FileNotFoundError as error:
        raise RunError("cargo is missing: install Rust with rustup") from error
    if done.returncode:
        raise RunError(f"{' '.join(command)} failed; has `make build` run?\n{done.stderr.strip()}")
    return done.stdout
