"""The version of these sources, from the one place where it is written."""

from __future__ import annotations

import tomllib

from release.crates import ROOT


def source_version() -> str:
    """Return the version in Cargo.toml; maturin gives it to the package."""
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text())
    version = cargo["workspace"]["package"]["version"]
    assert isinstance(version, str)
    return version
