"""A server that was up before us is asked, and otherwise left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.errors import InputError, RunError
from dbdyno.experiment.target import UrlTarget
from dbdyno.server import Server, open_server
from dbdyno.server.private import PrivateServer
from tests.live.server.kinds import Kind
from tests.live.server.queries import query

pytestmark = pytest.mark.live


def external(server: PrivateServer, password: str | None, tmp_path: Path) -> Server:
    url = server.url
    if password is not None:
        url = url.replace("dbdyno@", f"dbdyno:{password}@")
    return open_server(UrlTarget(url=url), "theirs", tmp_path)


def test_it_describes_itself_like_the_server_that_it_is(
    shared_server: PrivateServer, tmp_path: Path
) -> None:
    shared_server.start({})
    with external(shared_server, shared_server.password, tmp_path) as theirs:
        theirs.start({})
        assert theirs.url == shared_server.url
        assert theirs.password == shared_server.password
        assert not theirs.can_restart
        described, own = theirs.describe(), shared_server.describe()
        assert (described.product, described.version) == (own.product, own.version)
        assert described.durability == own.durability
        assert described.settings.keys() == own.settings.keys()
    assert query(shared_server, "SELECT 1") == [("1",)]


def test_the_password_may_come_from_the_environment(
    shared_server: PrivateServer, kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared_server.start({})
    monkeypatch.setenv("DBDYNO_PASSWORD", shared_server.password)
    theirs = external(shared_server, None, tmp_path)
    theirs.start({})
    assert theirs.describe().product == kind.product


def test_a_wrong_password_is_refused_in_the_servers_words(
    shared_server: PrivateServer, kind: Kind, tmp_path: Path
) -> None:
    shared_server.start({})
    theirs = external(shared_server, "wrong-password", tmp_path)
    with pytest.raises(RunError, match=kind.login_refused) as refusal:
        theirs.start({})
    assert "wrong-password" not in str(refusal.value)


def test_settings_are_for_the_servers_owner(shared_server: PrivateServer, tmp_path: Path) -> None:
    shared_server.start({})
    theirs = external(shared_server, shared_server.password, tmp_path)
    with pytest.raises(InputError, match="cannot set max_connections on it"):
        theirs.start({"max_connections": "5"})


def test_a_server_that_is_not_there(
    shared_server: PrivateServer, kind: Kind, tmp_path: Path
) -> None:
    shared_server.start({})
    theirs = external(shared_server, shared_server.password, tmp_path)
    shared_server.stop()
    with pytest.raises(RunError, match=rf"cannot connect to {kind.name}://dbdyno@127\.0\.0\.1"):
        theirs.start({})
