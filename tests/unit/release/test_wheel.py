"""A wheel that maturin packs from these sources holds the package: all of it, and nothing else.

The extension is a small one in place of ours, which takes minutes to compile; `make wheel` looks at
the real wheel in the same way.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from release.contents import package_files, problems_of
from release.crates import ROOT
from release.version import source_version

PACKAGING = ("pyproject.toml", ".gitignore", "README.md", "LICENSE", "THIRD-PARTY-NOTICES.txt")

WORKSPACE = """
[workspace]
members = ["crates/*"]
[profile.release]
opt-level = 0
"""

EXTENSION = f"""
[package]
name = "bindings"
version = "{source_version()}"
[lib]
name = "_native"
crate-type = ["cdylib"]
[dependencies]
pyo3 = {{ path = "../pyo3", features = ["abi3-py311"] }}
"""

PYO3 = """
[package]
name = "pyo3"
version = "0.30.0"
[features]
abi3 = []
abi3-py311 = ["abi3"]
"""
"""What maturin recognizes an extension for the stable ABI by."""


class Sources:
    """A tree with the package's files and the little extension; maturin packs it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in (*PACKAGING, *(f"python/{name}" for name in package_files())):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, root / name)
        (root / "Cargo.toml").write_text(WORKSPACE)
        for name, manifest in {"bindings": EXTENSION, "pyo3": PYO3}.items():
            folder = root / "crates" / name
            (folder / "src").mkdir(parents=True)
            (folder / "src" / "lib.rs").touch()
            (folder / "Cargo.toml").write_text(manifest)
        # Where there is a repository, maturin leaves out what .gitignore names.
        (root / ".git").mkdir()
        self.run("cargo", "generate-lockfile", "--offline")

    def run(self, *command: str) -> None:
        subprocess.run(command, cwd=self.root, check=True, capture_output=True, timeout=300)

    def wheel(self) -> Path:
        maturin = Path(sys.executable).with_name("maturin")
        out = self.root / "wheels"
        self.run(str(maturin), "build", "--target-dir", "target", "--out", str(out))
        (wheel,) = out.glob("*.whl")
        return wheel


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Sources:
    return Sources(tmp_path_factory.mktemp("sources"))


def test_every_file_of_the_package_is_in_the_wheel(sources: Sources) -> None:
    assert problems_of(sources.wheel(), package_files()) == []


def test_what_gitignore_hides_is_missed(sources: Sources) -> None:
    with changed(sources.root / ".gitignore", "/target", "demo.yaml"):
        problems = problems_of(sources.wheel(), package_files())
    assert problems == ["lacks dbdyno/cli/demo.yaml"]


def test_what_is_no_file_of_the_package_is_found(sources: Sources) -> None:
    stray = sources.root / "python" / "dbdyno" / "notes.txt"
    stray.write_text("to do")
    try:
        problems = problems_of(sources.wheel(), package_files())
    finally:
        stray.unlink()
    assert problems == ["has dbdyno/notes.txt, which is no file of the package"]


def test_metadata_that_would_mislead_is_found(sources: Sources) -> None:
    with changed(sources.root / "pyproject.toml", '"numpy>=2,<3"', '"numpy<3"'):
        problems = problems_of(sources.wheel(), package_files())
    assert problems == ["needs numpy<3 in any version"]
    with changed(sources.root / "pyproject.toml", ', "THIRD-PARTY-NOTICES.txt"', ""):
        problems = problems_of(sources.wheel(), package_files())
    name = f"dbdyno-{source_version()}.dist-info/licenses/THIRD-PARTY-NOTICES.txt"
    assert problems == [f"lacks {name}"]


@contextmanager
def changed(file: Path, old: str, new: str) -> Iterator[None]:
    """Have a file changed for as long as this lasts."""
    before = file.read_text()
    assert old in before
    file.write_text(before.replace(old, new))
    try:
        yield
    finally:
        file.write_text(before)
