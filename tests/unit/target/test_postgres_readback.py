"""Settings as asked for against what PostgreSQL shows, in its own words."""

from __future__ import annotations

import pytest

from dbdyno.target.postgresql.readback import ShownSetting, adjusted_settings, same_value

PAGES = ShownSetting(shown="128MB", kept="16384", unit="8kB")
MINUTES = ShownSetting(shown="5min", kept="300", unit="s")
SWITCH = ShownSetting(shown="on", kept="on", unit="")
RATIO = ShownSetting(shown="1.1", kept="1.1", unit="")
WORD = ShownSetting(shown="replica", kept="replica", unit="")
DERIVED = ShownSetting(shown="4MB", kept="512", unit="8kB")


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("128MB", PAGES),
        ("16384", PAGES),
        ("131072kB", PAGES),
        ("0.125GB", PAGES),
        (" 128 MB ", PAGES),
        ("134217728B", PAGES),
        ("5min", MINUTES),
        ("300", MINUTES),
        ("300000ms", MINUTES),
        ("3e8us", MINUTES),
        ("ON", SWITCH),
        ("true", SWITCH),
        ("Yes", SWITCH),
        ("1", SWITCH),
        ("1.10", RATIO),
        ("Replica", WORD),
    ],
)
def test_the_same_in_other_words(asked: str, shown: ShownSetting) -> None:
    assert same_value(asked, shown)


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("128kB", PAGES),
        ("128", PAGES),
        ("128.01MB", PAGES),
        ("5s", MINUTES),
        ("5MB", MINUTES),
        ("5 fortnights", MINUTES),
        ("off", SWITCH),
        ("0", SWITCH),
        ("local", SWITCH),
        ("1.101", RATIO),
        ("logical", WORD),
        ("-1", DERIVED),
        ("", DERIVED),
    ],
)
def test_another_value(asked: str, shown: ShownSetting) -> None:
    assert not same_value(asked, shown)


def test_what_is_not_shown_counts_as_adjusted() -> None:
    asked = {"Shared_Buffers": "128MB", "wal_buffers": "-1", "typo.nonsense": "1"}
    shown = {"shared_buffers": PAGES, "wal_buffers": DERIVED}
    assert adjusted_settings(asked, shown) == {"wal_buffers": "-1", "typo.nonsense": "1"}
