"""What is made of a server's settings, where no server is at hand that has them."""

from __future__ import annotations

from dbdyno.analysis.differences import UNIMPORTANT
from dbdyno.target.mysql.description import taken_apart
from dbdyno.target.url.host_description import differing

NODES = {
    f"db{number}:3306": (
        f"base_host = 10.0.0.{number}; gcache.size = {size}; "
        f"gmcast.listen_addr = tcp://10.0.0.{number}:4567; "
    )
    for number, size in ((1, "128M"), (2, "1G"))
}
"""As Galera 26.4 writes them, but for their number."""


def test_galera_nodes_differ_in_what_was_set_and_not_in_where_they_are() -> None:
    facts = {
        host: taken_apart({"wsrep_provider_options": options, "max_connections": "100"})
        for host, options in NODES.items()
    }
    assert facts["db1:3306"]["max_connections"] == "100"
    found = differing(facts)
    assert {name: found[name] for name in found.keys() - UNIMPORTANT} == {
        "wsrep_provider_options.gcache.size": {"db1:3306": "128M", "db2:3306": "1G"}
    }
