"""A Galera cluster behind HAProxy as it is shipped."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from dbdyno.database.session import connectors
from dbdyno.experiment.design.resolved_cell import own_setup
from dbdyno.experiment.file.read import read_experiment
from dbdyno.ledger.book import Book, open_book
from dbdyno.target.opening import open_target
from tests.live.cluster.conftest import Adapt
from tests.live.run.launch import call, read_journal

pytestmark = pytest.mark.live


def test_it_is_loaded_driven_checked_and_gone(adapted: Adapt, galera: Path, tmp_path: Path) -> None:
    provider = f"galera: {galera / 'libgalera_smm.so'}"
    changes = {"galera: true": provider, "procedure: {": "procedure: {start: continue, "}
    file = adapted("galera.yaml", **changes)
    result = tmp_path / "result"
    path = f"{galera / 'bin'}:{os.environ['PATH']}"
    ended = call(["run", file, "--out", result, "--smoke"], environment={"PATH": path})
    assert ended.status == 0, ended.output + ended.errors
    trials = [json.loads(path.read_text()) for path in sorted(result.glob("trials/*/trial.json"))]
    assert {trial["status"] for trial in trials} == {"completed"}
    assert all(set(trial["dataset"]["check"]["conditions"].values()) == {0} for trial in trials)
    assert all(len(trial["server"]["hosts"]) == 3 for trial in trials)
    said = {member["role"]: member["words"] for member in trials[0]["server"]["members"]}
    assert said["balancer"].startswith("HAProxy version 2.")
    assert "http" not in said["balancer"]
    assert said["node"].startswith("MariaDB 10.")
    plans = [json.loads(path.read_text()) for path in sorted(result.glob("trials/*/plan.json"))]
    assert [trial["dataset"]["disk"]["before"]["nodes"] for trial in trials] == [3, 3]
    # Clients that take another way need no other servers.
    starts = [line for line in read_journal(result) if line["event"] == "server_started"]
    assert len(starts) == 1
    nodes = {plan["url"].count(",") + 1 for plan in plans}
    assert nodes == {3, 1}


TWO_NODES = """\
experiment: two-nodes
question: Is the second node waited for?
workload: {{sysbench: {{}}}}
target:
  cluster:
    members: {{node: {{mysql: {{}}, count: 2, galera: {provider}}}}}
    setup: {{node: locker.sql}}
    url: mysql://{{user}}@{{node*}}/{{database}}
"""
UPDATES: Any = {"sysbench": {"script": "oltp_update_index", "tables": 1, "table_size": 1}}
BEHIND_S = 1.0


def test_nodes_whose_copies_others_could_take_or_give_are_refused(
    tmp_path: Path, galera: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without stunnel the copy of a new node comes through a daemon that asks nobody who he is."""
    file = tmp_path / "experiment.yaml"
    file.write_text(TWO_NODES.format(provider=galera / "libgalera_smm.so"))
    (tmp_path / "locker.sql").write_text("")
    found = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "stunnel" else found(name))
    planned = call(["plan", file])
    assert planned.status == 2
    assert "nodes copy their data through the program stunnel" in planned.output
    assert "install it (in Debian and Ubuntu the package stunnel4)" in planned.output


def test_a_book_has_what_another_node_has_committed(
    tmp_path: Path, galera: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "experiment.yaml"
    file.write_text(TWO_NODES.format(provider=galera / "libgalera_smm.so"))
    # A node whose tables are all locked applies nothing.
    (tmp_path / "locker.sql").write_text("GRANT RELOAD ON *.* TO '{{ user }}'@'127.0.0.1';\n")
    monkeypatch.setenv("PATH", f"{galera / 'bin'}:{os.environ['PATH']}")
    target = read_experiment(file).targets["cluster"]
    books: list[Book] = []
    with open_target(target, "cluster", tmp_path / "s") as cluster:
        cluster.begin(own_setup(target))
        ahead, behind = connectors((url for url, _ in cluster.nodes), cluster.password)
        with ahead() as writer, behind() as reader, behind() as locker:
            writer.query("CREATE TABLE sbtest1 (id INT PRIMARY KEY, k INT, c TEXT, pad TEXT)")
            writer.query("INSERT INTO sbtest1 VALUES (1, 10, '', '')")
            reader.query("SET SESSION wsrep_sync_wait = 1")
            assert reader.query("SELECT k FROM sbtest1") == [("10",)]
            locker.query("FLUSH TABLES WITH READ LOCK")
            writer.query("UPDATE sbtest1 SET k = 17")
            assert locker.query("SELECT k FROM sbtest1") == [("10",)], "it is behind"
            opening = threading.Thread(
                target=lambda: books.append(open_book(behind, "mysql", UPDATES))
            )
            opening.start()
            time.sleep(BEHIND_S)
            locker.query("UNLOCK TABLES")
            opening.join()
    assert books[0].before, books[0].asked
    assert 17 in [before for _, before in books[0].before]


ONE_NODE = """\
experiment: one-node
question: Who may join?
workload: {{sysbench: {{}}}}
target:
  cluster:
    members: {{node: {{mysql: {{}}, count: 2, galera: {provider}}}}}
    url: mysql://{{user}}@{{node*}}/{{database}}
"""


def test_a_stranger_does_not_join_and_is_sent_nothing(
    tmp_path: Path, galera: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, provider = tmp_path / "experiment.yaml", galera / "libgalera_smm.so"
    file.write_text(ONE_NODE.format(provider=provider))
    monkeypatch.setenv("PATH", f"{galera / 'bin'}:{os.environ['PATH']}")
    target = read_experiment(file).targets["cluster"]
    with open_target(target, "cluster", tmp_path / "s") as cluster:
        cluster.begin(own_setup(target))
        (connect, *_) = connectors((url for url, _ in cluster.nodes), cluster.password)
        with connect() as session:
            session.query("CREATE TABLE private_rows (id INT PRIMARY KEY)")
            ((_, name),) = session.query("SHOW VARIABLES LIKE 'wsrep_cluster_name'")
            ((_, address),) = session.query("SHOW VARIABLES LIKE 'wsrep_node_address'")
            assert name
            assert address
        # Even who knows the cluster's random name has no certificate of it.
        joined = _join_as_stranger(tmp_path / "stranger", provider, name, address)
    assert name != "dbdyno"
    assert "failed to open gcomm backend connection" in joined
    assert not list((tmp_path / "stranger").rglob("private_rows*"))
    # The second node got all data through TLS, with certificates that both looked at.
    logs = "".join(log.read_text() for log in (tmp_path / "s").rglob("*.log"))
    assert "Using stunnel for SSL encryption" in logs


def _join_as_stranger(data: Path, provider: Path, name: str, address: str) -> str:
    """Start a server that would be a node of a cluster; return what it says until it gives up."""
    made = ["mariadb-install-db", "--no-defaults", "--user=root", f"--datadir={data}"]
    subprocess.run(made, check=True, capture_output=True, timeout=120)
    here = "127.0.0.9"
    options = f"gmcast.listen_addr=tcp://{here}:0;pc.wait_prim_timeout=PT5S"
    command = [
        *("mariadbd", "--no-defaults", "--user=root", f"--datadir={data}"),
        *("--skip-networking", f"--socket={data}/s", "--wsrep-on=ON", "--binlog-format=ROW"),
        *(f"--wsrep-provider={provider}", f"--wsrep-cluster-address=gcomm://{address}"),
        *(f"--wsrep-cluster-name={name}", f"--wsrep-node-address={here}"),
        *(f"--wsrep-provider-options={options}", "--wsrep-sst-method=rsync"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return done.stderr
