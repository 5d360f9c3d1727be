"""What others demand for their code is in the notices, and nothing is linked in that may not be."""

from pathlib import Path

import pytest
from release.crates import Crate, linked_crates
from release.licences import chosen_licences
from release.third_party import NOTICES, notices_of

from dbdyno.errors import RunError

MIT_TEXT = "Copyright (c) 2015 Somebody\n\nPermission is hereby granted"


def crate(folder: Path, expression: str, **files: str) -> Crate:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    return Crate(folder.name, "1.2.3", expression, folder)


def test_notices_are_those_of_the_crates_that_are_linked_in() -> None:
    crates = linked_crates()
    assert notices_of(crates) == NOTICES.read_text(), "run: make notices"
    names = {crate.name for crate in crates}
    assert {"ring", "libsqlite3-sys", "serde"} <= names
    # A macro, a build script's, another system's and one of our own: none of them is a notice's.
    assert not {"serde_derive", "cc", "windows-sys", "engine"} & names


@pytest.mark.parametrize(
    ("expression", "chosen"),
    [
        ("MIT OR Apache-2.0", "Apache-2.0"),
        ("Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT", "Apache-2.0"),
        ("Unlicense OR MIT", "MIT"),
        ("GPL-3.0-only OR Zlib", "Zlib"),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", "Apache-2.0 Unicode-3.0"),
    ],
)
def test_as_few_licences_are_chosen_as_are_enough(expression: str, chosen: str) -> None:
    assert chosen_licences("x", expression) == tuple(chosen.split())


@pytest.mark.parametrize("expression", ["GPL-3.0-only", "MIT AND LGPL-2.1-only", "SSPL-1.0"])
def test_a_licence_that_asks_for_more_is_refused(tmp_path: Path, expression: str) -> None:
    with pytest.raises(RunError, match=r"^viral has the licence .* does not allow"):
        notices_of([crate(tmp_path / "viral", expression, LICENSE="...")])


@pytest.mark.parametrize("expression", ["", "MIT/Apache-2.0", "see LICENSE"])
def test_what_names_no_licence_is_refused(expression: str) -> None:
    with pytest.raises(RunError, match=r"names no licence|is no SPDX expression"):
        chosen_licences("x", expression)


def test_each_text_that_must_be_shown_is_shown_once(tmp_path: Path) -> None:
    crates = [
        crate(tmp_path / "one", "MIT", LICENSE=MIT_TEXT),
        crate(tmp_path / "two", "MIT OR Unlicense", COPYING=MIT_TEXT, UNLICENSE="free"),
        crate(tmp_path / "three", "MIT OR Apache-2.0", LICENSE="long", NOTICE="by Three"),
    ]
    notices = notices_of(crates)
    assert notices.count(MIT_TEXT) == 1
    assert "\none 1.2.3, two 1.2.3\n" in notices
    assert "by Three" in notices
    assert "long" not in notices
    assert "\nfree" not in notices


def test_a_crate_without_the_text_that_it_asks_for_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"bare 1\.2\.3 has no text of its licence MIT"):
        notices_of([crate(tmp_path / "bare", "MIT", README="MIT")])
