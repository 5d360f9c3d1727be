"""Release notes are one section of the changelog, word for word."""

import pytest
from release.notes import CHANGELOG, notes_of
from release.version import source_version

from dbdyno.errors import InputError

TEXT = """# Changelog

What comes next is said here.

## 0.2.0 – 2027-01-31

- A line with `code` and a [link](docs/a.md)
  that goes on.

```
## 0.3.0 – no heading
```

### Repaired

- More.

## 0.1.1 – 2026-12-24
## 0.1.0 – unreleased

The first.
"""


def test_a_section_ends_where_the_next_begins() -> None:
    notes = notes_of("0.2.0", TEXT)
    assert notes.startswith("- A line with `code`")
    assert notes.endswith("### Repaired\n\n- More.")
    assert notes_of("0.1.0", TEXT) == "The first."


def test_a_version_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(InputError, match=r"no section for version 0\.3\.0; it has 0\.2\.0, 0"):
        notes_of("0.3.0", TEXT)
    with pytest.raises(InputError, match="it has none"):
        notes_of("0.1.0", "# Changelog\n")


def test_a_section_without_a_word_is_refused() -> None:
    with pytest.raises(InputError, match=r"nothing below the heading of version 0\.1\.1"):
        notes_of("0.1.1", TEXT)


def test_the_version_of_the_sources_has_notes() -> None:
    assert notes_of(source_version(), CHANGELOG.read_text())
