"""The password in the URL of a server that is not ours."""

from __future__ import annotations

import pytest

from dbdyno.server.external import split_password


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
    ],
)
def test_split(url: str, without: str, password: str | None) -> None:
    assert split_password(url) == (without, password)
