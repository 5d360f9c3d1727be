"""Members that commands start, here and in a shell elsewhere, and what goes wrong with them."""

from __future__ import annotations

import os
import signal
import socket
import stat
import sys
from pathlib import Path

import pytest

from dbdyno.database.session import open_session
from dbdyno.errors import DbdynoError, RunError
from dbdyno.experiment.design.resolved_cell import own_setup
from dbdyno.experiment.file.read import read_experiment
from dbdyno.target.base import SystemUnderTest
from dbdyno.target.capabilities import lost_member
from dbdyno.target.description import MemberDescription
from dbdyno.target.opening import open_target
from tests.live.run.launch import call

pytestmark = pytest.mark.live

EXPERIMENT = """\
experiment: commanded
question: Does it start?
workload: {{sysbench: {{tables: 1, table_size: 100}}}}
target:
  cluster:
    members:
      db: {{mysql: {{}}}}
      layer: {{command: {command}, after: db}}
    variables: {{word: a b}}
    url: mysql://{{user}}@{{db}}/{{database}}
"""
LISTENS = """\
import socket, sys, time
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
open(sys.argv[2], "a").write(repr(sys.argv[3:]) + "\\n")
if len(sys.argv) > 5:
    sys.exit("its configuration is wrong")
time.sleep(600)
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def opened(
    tmp_path: Path, command: str, experiment: str = EXPERIMENT
) -> tuple[SystemUnderTest, Path]:
    file = tmp_path / "experiment.yaml"
    file.write_text(experiment.format(command=command))
    (tmp_path / "listens.py").write_text(LISTENS)
    target = read_experiment(file).targets["cluster"]
    return open_target(target, "cluster", tmp_path / "servers"), file


def start(cluster: SystemUnderTest, file: Path) -> None:
    cluster.begin(own_setup(read_experiment(file).targets["cluster"]))


@pytest.mark.parametrize("way", ["", "ssh: [env, MARK=1, sh, -c], "])
def test_a_command_is_started_watched_and_ended(tmp_path: Path, way: str) -> None:
    port = free_port()
    # Paths are those of the experiment's folder, where commands run.
    words = f"'{sys.executable} listens.py {port} said {{word}} {{db}}'"
    cluster, file = opened(tmp_path, f"{{start: {words}, {way}ready: tcp {port}}}")
    with cluster:
        start(cluster, file)
        said = (tmp_path / "said").read_text()
        assert said.startswith("['a b', '127.0.0.2:")
        (layer,) = [member for member in cluster.members if member.role == "layer"]
        assert layer.process_ids
        os.kill(layer.process_ids[0], signal.SIGKILL)
        os.waitid(os.P_PID, layer.process_ids[0], os.WEXITED | os.WNOWAIT)
        reason = lost_member(cluster)
        assert reason is not None
        assert reason.startswith("layer-1 ended by itself (signal 9)")


def test_what_a_command_says_of_its_server_is_told_with_the_others(tmp_path: Path) -> None:
    port = free_port()
    words = f"'{sys.executable} listens.py {port} said'"
    describe = "sh -c 'echo proxy 3.1, {word}; echo of Java 17 >&2; echo again >>asked'"
    command = f'{{start: {words}, describe: "{describe}", ready: tcp {port}}}'
    cluster, file = opened(tmp_path, command)
    with cluster:
        start(cluster, file)
        described = cluster.describe()
        assert described.members == cluster.describe().members
        db, layer = described.members
        assert (db.name, db.role) == ("db-1", "db")
        assert db.words == f"{described.product} {described.version}"
        told = "proxy 3.1, a b\nof Java 17"
        assert layer == MemberDescription("layer-1", "layer", told, f"127.0.0.1:{port}")
        assert (tmp_path / "asked").read_text() == "again\n", "it is asked once after a start"


def test_a_command_that_cannot_say_it_has_its_words_in_the_message(tmp_path: Path) -> None:
    port = free_port()
    words = f"'{sys.executable} listens.py {port} said'"
    describe = "describe: sh -c 'echo no such program >&2; exit 3'"
    cluster, file = opened(tmp_path, f"{{start: {words}, {describe}, ready: tcp {port}}}")
    with cluster:
        start(cluster, file)
        with pytest.raises(RunError, match=r"layer-1: its command describe .* 3: no such program"):
            cluster.describe()


def test_a_command_that_dies_is_one_message_with_its_words(tmp_path: Path) -> None:
    port = free_port()
    script = tmp_path / "listens.py"
    words = f"'{sys.executable} {script} {port} {tmp_path / 'said'} one two three'"
    slow = words.replace("server = ", "")
    cluster, file = opened(tmp_path, f"{{start: {slow}, ready: tcp {free_port()}}}")
    with cluster:
        with pytest.raises(DbdynoError, match=r"layer-1 ended by itself .*configuration is wrong"):
            start(cluster, file)
        assert cluster.process_ids() == ()


HAPROXY = """\
defaults
    mode tcp
    timeout connect 5s
    timeout client 60s
    timeout server 60s
listen {{ me.name }}
    bind 127.0.0.1:{{ port }}
{% for server in members.db %}
    server {{ server.name }} {{ server.host }}:{{ server.port }}
{% endfor %}
# {{ user }} {{ password }} {{ count.db }}
"""


def test_a_command_finds_its_files_filled_in(tmp_path: Path, galera: Path) -> None:
    port = free_port()
    (tmp_path / "haproxy.cfg.j2").write_text(HAPROXY)
    start_it = f"'{galera / 'bin' / 'haproxy'} -db -f {{folder}}/conf/haproxy.cfg'"
    command = (
        f"{{start: {start_it}, ready: tcp {port}, files: {{conf/haproxy.cfg: haproxy.cfg.j2}}}}"
    )
    experiment = EXPERIMENT.replace("{{db}}/", "{{layer}}/").replace("word: a b", f"port: {port}")
    cluster, file = opened(tmp_path, command, experiment)
    with cluster:
        start(cluster, file)
        with open_session(cluster.url, cluster.password) as session:
            assert session.query("SELECT 1")
        (written,) = (tmp_path / "servers").rglob("haproxy.cfg")
        assert f"# dbdyno {cluster.password} 1" in written.read_text()
        folder = written.parents[1]
        assert stat.S_IMODE(folder.stat().st_mode) == stat.S_IRWXU
    # It holds a password.
    assert not folder.exists()


@pytest.mark.parametrize(
    ("files", "refused"),
    [
        ("files: {a.cfg: missing.j2}", "command.files.a.cfg: there is no file"),
        ("files: {../a.cfg: a.j2}", "'../a.cfg' leaves the folder of the server"),
        ("files: {a.cfg: a.j2}, ssh: db1", "command.files: are written on this machine"),
    ],
)
def test_files_that_cannot_be_written_are_refused(tmp_path: Path, files: str, refused: str) -> None:
    (tmp_path / "a.j2").write_text("")
    file = tmp_path / "experiment.yaml"
    file.write_text(EXPERIMENT.format(command=f"{{start: run, ready: tcp 4001, {files}}}"))
    ended = call(["plan", file])
    assert ended.status == 2
    assert refused in ended.errors


def test_a_machine_that_is_not_reached_is_told_before_anything_starts(tmp_path: Path) -> None:
    command = (
        "{start: run, stop: end, ready: tcp 4001, ssh: [sh, -c, 'echo no route >&2; exit 255']}"
    )
    _, file = opened(tmp_path, command)
    ended = call(["run", file, "--out", tmp_path / "result"])
    assert ended.status == 1
    assert ended.errors.startswith("layer-1: its command ssh (")
    assert "ended with exit status 255: no route" in ended.errors
    assert not (tmp_path / "result" / "trials").exists()


SEVERAL = EXPERIMENT.replace(
    "layer: {{command: {command}, after: db}}",
    "layer: {{command: {command}, count: 2, hosts: [127.0.0.71, 127.0.0.72]}}",
)


def test_several_servers_of_a_command_have_an_address_each(tmp_path: Path) -> None:
    port = free_port()
    words = f"'{sys.executable} -m http.server {port} --bind {{host}}'"
    cluster, file = opened(tmp_path, f"{{start: {words}, ready: tcp {port}}}", SEVERAL)
    with cluster:
        start(cluster, file)
        layers = [member for member in cluster.members if member.role == "layer"]
        assert [member.host for member in layers] == ["127.0.0.71", "127.0.0.72"]
        assert cluster.addresses["layer-2"] == f"127.0.0.72:{port}"
        assert len({number for member in layers for number in member.process_ids}) == 2
        assert lost_member(cluster) is None
