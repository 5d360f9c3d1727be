"""Passwords in URLs and texts: they are taken out, and never repeated."""

from __future__ import annotations

import pytest

from dbdyno import password
from dbdyno.password import (
    environment,
    note_call,
    password_in,
    split_password,
    without_passwords,
    without_passwords_in_comment,
)


@pytest.mark.parametrize(
    ("url", "without", "password"),
    [
        ("mysql://u:secret@h:3306/db", "mysql://u@h:3306/db", "secret"),
        ("mysql://u:p%40ss%3Aword@h/db", "mysql://u@h/db", "p@ss:word"),
        ("mysql://u:a@b@h/db", "mysql://u@h/db", "a@b"),
        ("mysql://u:@h/db", "mysql://u@h/db", ""),
        ("mysql://u@h:3306/db", "mysql://u@h:3306/db", None),
        ("mysql://h:3306/db", "mysql://h:3306/db", None),
        (
            "mysql://u:s@h1:3306,h2:3307/db?load_balance=random",
            "mysql://u@h1:3306,h2:3307/db?load_balance=random",
            "s",
        ),
        ("sqlite:////srv/a:b@c.db", "sqlite:////srv/a:b@c.db", None),
        ("postgresql://u@h/db?password=p%26q", "postgresql://u@h/db", "p&q"),
        ("mysql://u@h/db?ssl_mode=required&pwd=s", "mysql://u@h/db?ssl_mode=required", "s"),
        ("mysql://u@h/db?Password=s&protocol=text", "mysql://u@h/db?protocol=text", "s"),
        ("mysql://u@h/db?a=1&password=s&b=2&passwd=t", "mysql://u@h/db?a=1&b=2", "s"),
        ("mysql://u:first@h/db?password=second", "mysql://u@h/db", "first"),
        ("mysql://u@h/db?a=1&pwd=s&pwd=t#f", "mysql://u@h/db?a=1#f", "s"),
        ("mysql://u@h/db?" + "&pwd=a" * 1200, "mysql://u@h/db", "a"),
    ],
)
def test_split(url: str, without: str, password: str | None) -> None:
    assert split_password(url) == (without, password)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("mysql://u:secret@h/db: refused", "mysql://u:***@h/db: refused"),
        ("jdbc:mysql://u:s/c@r#t@h/db?a=1", "jdbc:mysql://u:***@h/db?a=1"),
        # What pathlib makes of a URL that was given in place of a file.
        ("mysql:/u:secret@h cannot be read", "mysql:/u:***@h cannot be read"),
        ("mysql//u:123@h/db", "mysql//u:***@h/db"),
        ("no file u:s/e#c@ret@h/db (x)", "no file u:***@h/db (x)"),
        ("unexpected argument (u:secret@h)", "unexpected argument (u:***@h)"),
        ("jdbc:mysql://u@h/db",) * 2,
        ("host=h password=secret user=u", "host=h password=*** user=u"),
        ("?trustStorePassword=secret&a=1", "?trustStorePassword=***&a=1"),
        ("Access denied for user 'u'@'h' (using password: YES)",) * 2,
        ("sqlite:////srv/a:b@c.db",) * 2,
        ("mysql://u@h1:3306,h2:3307/db",) * 2,
    ],
)
def test_a_text_is_masked(text: str, masked: str) -> None:
    assert without_passwords(text) == masked


@pytest.mark.parametrize(
    ("words", "text", "masked"),
    [
        (["doctor", "mysql/u:123@h"], "mysql/u:123@h has 123", "mysql/u:***@h has 123"),
        (["--password=secret"], "no secret here", "no *** here"),
        (["--password=bench", "--db=bench"], "no database bench", "no database bench"),
    ],
)
def test_what_a_call_says_as_a_password_is_masked(
    words: list[str], text: str, masked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(password, "_of_call", ())
    monkeypatch.setattr(password, "_short_of_call", ())
    note_call(words)
    assert without_passwords(text) == masked


@pytest.mark.parametrize("part", ["color:red;margin:0;", "a:@", ":/a:", "u://", "//", "pwd", ":"])
def test_a_page_in_one_word_is_masked_in_linear_time(part: str) -> None:
    # By trying each beginning with each end, this takes a minute for each of them.
    word = part * 100_000
    assert without_passwords(f"{word} mysql://u:secret@h") == f"{_masked(word)} mysql://u:***@h"


def _masked(word: str) -> str:
    start, end = word.find(":"), word.rfind("@")
    return word if end < 0 else f"{word[: start + 1]}***{word[end:]}"


@pytest.mark.parametrize(
    ("comment", "masked"),
    [
        ("# password: se cret", "# password: ***"),
        ('# "Password" = secret', '# "Password" = ***'),
        ("# url: mysql://u:secret@h/db", "# url: mysql://u:***@h/db"),
        ("# password_env: NAME",) * 2,
    ],
)
def test_a_comment_is_masked(comment: str, masked: str) -> None:
    assert without_passwords_in_comment(comment) == masked


def test_a_variable_that_was_asked_for_is_not_inherited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PASSWORD_THAT_NO_OTHER_TEST_ASKS_FOR", "secret")
    monkeypatch.setenv("DBDYNO_PASSWORD", "other")
    assert "PASSWORD_THAT_NO_OTHER_TEST_ASKS_FOR" in environment()
    assert (password_in("PASSWORD_THAT_NO_OTHER_TEST_ASKS_FOR"), password_in()) == (
        "secret",
        "other",
    )
    assert (
        environment().keys().isdisjoint({"PASSWORD_THAT_NO_OTHER_TEST_ASKS_FOR", "DBDYNO_PASSWORD"})
    )
