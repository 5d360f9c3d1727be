"""What the lock installs runs on the oldest Python that the README's commands are for."""

from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

LOCK = Path(__file__).parents[3] / "requirements.lock"
OLDEST_PYTHON = "3.11.2"
"""Debian 12's."""

LOCKED = [
    Requirement(line.removesuffix("\\").strip())
    for line in LOCK.read_text().splitlines()
    if line[:1].isalnum()
]


@pytest.mark.parametrize("locked", LOCKED, ids=lambda locked: locked.name)
def test_a_locked_package_runs_on_the_oldest_python(locked: Requirement) -> None:
    if locked.marker is not None and not locked.marker.evaluate():
        return
    # By key it is None, or an error once somebody has imported importlib_metadata.
    asked = ", ".join(distribution(locked.name).metadata.get_all("Requires-Python") or [])
    assert SpecifierSet(asked).contains(OLDEST_PYTHON), f"{locked}: {asked}"
