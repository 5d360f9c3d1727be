"""A server that was up before us is asked, and otherwise left alone."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from dbdyno.database.session import open_session
from dbdyno.errors import InputError, RunError
from dbdyno.experiment.file.target import UrlTarget
from dbdyno.run.sizes import disk_facts
from dbdyno.size import size_on_disk
from dbdyno.target.base import Server
from dbdyno.target.capabilities import Restartable
from dbdyno.target.local.private import PrivateServer
from dbdyno.target.opening import open_server
from dbdyno.target.url.server import ExternalServer
from tests.live.target.kinds import Kind
from tests.live.target.queries import MakeServer, query

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
        assert not isinstance(theirs, Restartable)
        described, own = theirs.describe(), shared_server.describe()
        assert (described.product, described.version) == (own.product, own.version)
        assert described.durability == own.durability
        assert described.settings.keys() == own.settings.keys()
    assert query(shared_server, "SELECT 1") == [("1",)]


def test_nodes_behind_a_layer_are_described_and_measured(
    make_server: MakeServer, kind: Kind
) -> None:
    nodes = [make_server("one"), make_server("two")]
    for node, limit in zip(nodes, ("31", "32"), strict=True):
        node.start({"max_connections": limit})
    places = [(node.url, node.password) for node in nodes]
    layer = ExternalServer("theirs", *places[0], nodes=places)
    layer.check({})
    described = layer.describe()
    assert described.product == kind.product
    assert [host["version"] for host in described.hosts] == [described.version] * 2
    assert list(described.host_differences["max_connections"].values()) == ["31", "32"]
    query(nodes[1], "CREATE TABLE sbtest1 (id INT)")
    found = disk_facts(layer, {"sysbench": {"tables": 1}})
    sizes = [
        size_on_disk(partial(open_session, *place), kind.name, None).size_bytes for place in places
    ]
    assert found.size_bytes == sum(size or 0 for size in sizes)
    assert found.tables_bytes.keys() == {"sbtest1"}
    assert (found.source or "").endswith(" of 2 nodes")
    nodes[1].stop()
    with pytest.raises(RunError, match="target theirs, a node: cannot connect to"):
        layer.check({})
    assert disk_facts(layer, {"sysbench": {"tables": 1}}).size_bytes is None


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
