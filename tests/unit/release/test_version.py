"""The version is written in Cargo.toml, and comes from there."""

from release.version import source_version

import dbdyno


def test_the_package_has_the_version_of_the_sources() -> None:
    assert dbdyno.__version__ == source_version()


def test_the_package_has_no_other_name_of_that_kind() -> None:
    assert not hasattr(dbdyno, "__verison__")
