"""No command repeats a password, in whatever form it was given, and whatever becomes of the call.

Everything that a command prints, every file that it leaves and the command line of every process
that it starts is searched for each part of the password: a URL that is cut at the wrong place shows
only one of them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import psutil
import pytest

from tests.live.run.launch import Ended, call
from tests.live.tpcc_commands.conftest import Place
from tests.unit.benchmarksql.samples import write

pytestmark = pytest.mark.live

PASSWORD = "kXkXk9/qZqZq7@wVwVw5#mTmTm3:fJfJf6?yByBy8%41dRdRd2"
PARTS = ("kXkXk9", "qZqZq7", "wVwVw5", "mTmTm3", "fJfJf6", "yByBy8", "dRdRd2")
ENCODED = quote(PASSWORD, safe="")
WRONG = PASSWORD.replace("kXkXk9", "wrong-kXkXk9")
USER = "keeper"
VARIABLE = {"DBDYNO_PASSWORD": PASSWORD}
DATABASE = "passwords"

EXPERIMENT = """\
# The server: mysql://{user}:{raw}@127.0.0.1/{database}
experiment: secret   # password: {raw}
question: Does it leak?
workload: {{sysbench: {{script: oltp_point_select, tables: 1, table_size: 100}}}}
target: {target}
procedure: {{warmup: 0s, duration: 0.3s, interval: 0.1s, rounds: 1}}
"""


class Calls:
    """Where calls are made, and all that can be seen of them."""

    def __init__(self, server: Place, directory: Path) -> None:
        self.address = f"127.0.0.1:{server.server.port}"
        self.port = str(server.server.port)
        self.inputs, self.outputs = directory / "inputs", directory / "outputs"
        self.inputs.mkdir()
        self.outputs.mkdir()
        self._calls = 0

    def url(self, password: str = ENCODED, more: str = "") -> str:
        """Return a URL with a password as it is written here."""
        return f"mysql://{USER}:{password}@{self.address}/{DATABASE}{more}"

    def experiment(self, target: str) -> Path:
        """Write an experiment file."""
        path = self.inputs / f"{len(list(self.inputs.iterdir()))}.yaml"
        path.write_text(
            EXPERIMENT.format(user=USER, raw=PASSWORD, database=DATABASE, target=target)
        )
        return path

    def out(self) -> Path:
        """Return a new result directory."""
        self._calls += 1
        return self.outputs / str(self._calls)

    def call(
        self, *words: str | Path, status: int = 0, environment: Mapping[str, str] | None = None
    ) -> Ended:
        """Call a command; fail where it ends otherwise, or where anything shows the password."""
        with watched_command_lines() as lines:
            ended = call(words, environment=environment, directory=self.outputs)
        assert ended.status == status, (words, ended)
        found = shown(ended.output + ended.errors + "\n".join(lines))
        assert not found, (words, found, ended)
        for path in self.outputs.rglob("*"):
            assert not (path.is_file() and shown(path.read_bytes().decode("latin-1"))), path
        return ended


def shown(text: str) -> list[str]:
    """Return the parts of the password that a text has."""
    return [part for part in PARTS if part in text]


@contextmanager
def watched_command_lines() -> Iterator[set[str]]:
    """Collect the command lines of all processes below this one."""
    lines: set[str] = set()
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.02):
            for process in psutil.Process().children(recursive=True):
                try:
                    lines.add(" ".join(process.cmdline()))
                except psutil.Error:
                    continue

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield lines
    finally:
        over.set()
        watcher.join()


@pytest.fixture(scope="module")
def server(mariadb: Place) -> Iterator[Place]:
    """Return the server with a user who has the password, and a database of this user's."""
    mariadb.query(f"CREATE DATABASE {DATABASE}")
    mariadb.query(f"CREATE USER {USER} IDENTIFIED BY '{PASSWORD}'")
    mariadb.query(f"GRANT ALL ON {DATABASE}.* TO {USER}")
    yield mariadb
    mariadb.query(f"DROP DATABASE {DATABASE}")
    mariadb.query(f"DROP USER {USER}")


@pytest.fixture
def here(server: Place, tmp_path: Path) -> Calls:
    """Return a folder of its own on the server without tables."""
    server.query(f"DROP TABLE IF EXISTS {DATABASE}.sbtest1")
    return Calls(server, tmp_path)


def test_the_search_finds_what_it_looks_for(here: Calls) -> None:
    """A file that has a part of the password fails a call."""
    (here.outputs / "leak").write_text("the password begins with kXkXk9")
    with pytest.raises(AssertionError, match="leak"):
        here.call("--version")


@pytest.mark.parametrize(
    "password",
    [
        PASSWORD,
        "kXkXk9/qZqZq7",
        "12/qZqZq7",
        "kXkXk9#qZqZq7",
        "kXkXk9?qZqZq7",
        "kXkXk9[qZqZq7",
        "qZqZq7@kXkXk9",
        "%qZqZq7",
        "kXkXk9:qZqZq7",
    ],
)
def test_urls_that_are_malformed_or_are_refused(here: Calls, password: str) -> None:
    url = here.url(password)
    assert call(["check", url]).status in {1, 2}
    beginnings = ("mysql:/", "mysql//", "mysql:", "", "jdbc:mysql://")
    for wrong in (url, *(url.replace("mysql://", beginning) for beginning in beginnings)):
        for words in (("check", wrong), ("tpcc", "run", wrong), ("tpcc", "load", wrong)):
            ended = call(words, directory=here.outputs)
            assert ended.status in {1, 2}, words
            assert not shown(ended.output + ended.errors), (words, ended)
        for command in ("plan", "run"):
            here.call(command, here.experiment(f"{{url: {wrong!r}}}"), status=2)
            here.call(command, wrong, status=2)
        here.call("report", wrong, status=2)
        here.call("check", "sqlite:///none", wrong, status=2)
        here.call(wrong, status=2)
    # With these two, it is a well-formed URL of another host, which is named.
    if password not in {"qZqZq7@kXkXk9", "12/qZqZq7"}:
        here.call("check", f"mysql://{USER}:{password}/{DATABASE}", status=2)


HOST = "127.0.0.1:1"
"""Where nothing listens."""

ADDRESSES = (
    *(
        f"{scheme}u:%s@{HOST}/db"
        for scheme in ("mysql://", "mysql//", "mysql:/", "mysql:", "//", "")
    ),
    *(f"{scheme}u:%s@{HOST}/db" for scheme in ("MYSQL://", "postgresql:///", "jdbc:mysql//")),
    *("mysql://u:%s@[::1/db", "postgresql://u:%s@h1,h2:x/db", "oracle://u:%s@h/db?a=b"),
    "postgresql:///db?host=127.0.0.1&port=1&user=u&password=%s",
    "postgresql:///db?host=127.0.0.1&port=1&password=%s&x=y=z",
    f"mysql://u@{HOST}/db?password=%s&x=y",
    "host=127.0.0.1 port=1 user=u password=%s",
    "host=127.0.0.1 port=1 password='%s",
)
COMMANDS: tuple[tuple[str, ...], ...] = (
    *(("check", "%s"), ("doctor", "%s"), ("pgbench", "%s"), ("pgbench", "-i", "%s")),
    *(("pgbench", "-h", "%s"), ("pgbench", "-U", "%s"), ("pgbench", "-p", "%s")),
    *(("tpcc", each, "%s") for each in ("load", "run", "check", "drop", "acid")),
    *((each, "%s") for each in ("run", "plan", "report", "history", "import", "audit", "%s")),
    ("compare", "%s", "%s"),
    *(
        ("sysbench", f"--db-driver={driver}", f"--{driver}-{name}=%s", "oltp_insert", "run")
        for driver, name in (("mysql", "host"), ("mysql", "user"), ("pgsql", "db"))
    ),
    *(("go-tpc", "tpcc", "run", letter, "%s", "--time", "1s") for letter in ("-H", "-D")),
    *(("tpcc-mysql", "start", letter, "%s", "-l", "1") for letter in ("-h", "-d")),
    ("benchmarksql", "%s"),
)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_an_address_that_is_wrong_for_a_command(words: tuple[str, ...], tmp_path: Path) -> None:
    for address in ADDRESSES:
        for password in ("kXkXk9/qZqZq7@wVwVw5", "kXkXk9%2FqZqZq7%40wVwVw5"):
            given = [word.replace("%s", address.replace("%s", password)) for word in words]
            ended = call(given, directory=tmp_path)
            assert ended.status in {1, 2}, given
            assert not shown(ended.output + ended.errors), (given, ended)


def test_an_experiment(here: Calls) -> None:
    url = f"mysql://{USER}@{here.address}/{DATABASE}"
    file = here.experiment(f"{{url: '{url}'}}")
    out = here.out()
    # Without the password no trial could begin.
    here.call("plan", file, status=1)
    here.call("plan", file, "--json", status=1)
    here.call("run", file, "--out", out, environment={"DBDYNO_PASSWORD": WRONG}, status=1)
    here.call("run", file, "--out", out, environment=VARIABLE)
    here.call("run", file, "--out", out, environment=VARIABLE)
    here.call("report", out)
    assert "# The server: mysql://keeper:***@127" in (out / "experiment.yaml").read_text()
    named = here.experiment(f"{{url: '{url}', password_env: KEEPER}}")
    here.call("run", named, "--out", here.out(), environment={"KEEPER": PASSWORD})
    here.call("run", named, "--out", here.out(), environment={"KEEPER": WRONG}, status=1)
    for wrong in ("password: 'kXkXk9'", "password_env: 'kXkXk9/qZqZq7'", "password_env: kXkXk9"):
        file = here.experiment(f"{{url: '{url}', {wrong}}}")
        here.call("run", file, "--out", here.out(), status=1 if wrong.endswith("kXkXk9") else 2)


def test_the_option_file_of_a_private_server(here: Calls) -> None:
    options = here.inputs / "my.cnf"
    options.write_text(
        f"# password={PASSWORD}\n[client]\npassword='{PASSWORD}'\n"
        f"[mysqld]\nmax_connections=50\n; password={PASSWORD}\n[mysqldump]\npassword={PASSWORD}\n"
    )
    out = here.out()
    here.call("run", here.experiment(f"{{mysql: {{option_file: '{options}'}}}}"), "--out", out)
    settings = (out / "trials" / "0001" / "trial.json").read_text()
    assert '"max_connections": "50"' in settings


def test_sysbench(here: Calls) -> None:
    database = ("--mysql-host=127.0.0.1", f"--mysql-port={here.port}", f"--mysql-db={DATABASE}")
    where = (*database, f"--mysql-user={USER}")
    given = f"--mysql-password={PASSWORD}"
    tables = ("oltp_point_select", "--table-size=100", "--time=1")
    here.call("sysbench", *where, given, *tables, "prepare")
    here.call("sysbench", *where, given, *tables, f"--out={here.out()}", "run")
    here.call("sysbench", *where, *tables, "--json", "run", environment=VARIABLE)
    options = here.inputs / "sysbench.cfg"
    options.write_text(f"# mysql-password={PASSWORD}\nmysql-password={PASSWORD}\n")
    here.call("sysbench", *where, f"--config-file={options}", *tables, "run")
    options.write_text(f"mysql-password {PASSWORD}\n")
    here.call("sysbench", *where, f"--config-file={options}", *tables, "run", status=1)
    here.call("sysbench", *where, f"--mysql-password={WRONG}", *tables, "run", status=1)
    here.call("sysbench", *where, "--mysql-password", PASSWORD, *tables, "run", status=1)
    here.call("sysbench", *where, f"-p{PASSWORD}", *tables, "run", status=1)
    here.call("sysbench", *where, f"--mysql-pasword={PASSWORD}", *tables, "run", status=1)
    here.call("sysbench", *where, given, *tables, "cleanup")


def test_tpcc_mysql(here: Calls) -> None:
    letters = ("-h", "127.0.0.1", "-P", here.port, "-d", DATABASE, "-u", USER)
    here.call("tpcc-mysql", "load", *letters, f"-p{PASSWORD}", "-w", "1")
    short = ("-w", "1", "-c", "1", "-r", "0", "-l", "1", "-i", "1")
    here.call("tpcc-mysql", "start", *letters, "-p", PASSWORD, *short, "--out", here.out())
    here.call("tpcc-mysql", "start", *letters, "-p", WRONG, *short, status=1)
    words = (here.address, DATABASE, USER, PASSWORD)
    here.call("tpcc-mysql", "start", *words, "1", "1", "0", "1", "-i", "1")
    here.call("tpcc-mysql", "load", *words, status=2)
    here.call("tpcc-mysql", "load", here.address, USER, DATABASE, "1", PASSWORD, status=2)


def test_commands_by_url(here: Calls) -> None:
    """They find the tables of the test before."""
    url, plain = here.url(), f"mysql://{USER}@{here.address}/{DATABASE}"
    short = ("--duration", "1s", "--warmup", "0s")
    here.call("tpcc", "run", url, *short, "--out", here.out())
    here.call("check", f"{plain}?password={ENCODED}", "--conditions", "1")
    here.call("check", plain, "--conditions", "1", environment=VARIABLE)
    here.call("check", here.url(quote(WRONG, safe="")), status=1)
    here.call("tpcc", "run", plain, *short, environment={"DBDYNO_PASSWORD": WRONG}, status=1)
    here.call("tpcc", "load", url, "--warehouses", "1", "--schema", "tpcc_mysql", status=1)
    here.call("tpcc", "drop", url, "--schema", "tpcc_mysql")


def test_go_tpc(here: Calls) -> None:
    where = ("-H", "127.0.0.1", "-P", here.port, "-D", DATABASE, "-U", USER, "--warehouses", "1")
    short = ("--time", "1s", "--out")
    here.call("go-tpc", "-p", PASSWORD, "tpcc", "prepare", "--no-check", *where)
    here.call("go-tpc", "tpcc", "run", *where, f"-p{PASSWORD}", *short, here.out())
    here.call("go-tpc", "tpcc", "run", *where, *short, here.out(), environment=VARIABLE)
    here.call("go-tpc", "tpcc", "run", *where, f"--password={WRONG}", *short, "x", status=1)
    here.call("go-tpc", "tpcc", "run", *where, f"-p={PASSWORD}", PASSWORD, status=2)
    here.call("go-tpc", "tpcc", "run", *where, "-P", PASSWORD, status=2)
    here.call("go-tpc", "tpcc", "run", *where, f"--pasword={PASSWORD}", status=2)
    here.call("go-tpc", "tpcc", "cleanup", *where, "--password", PASSWORD)


def test_benchmarksql(here: Calls) -> None:
    conn = f"conn=jdbc:mysql://{here.address}/{DATABASE}?useSSL=false"
    in_host = f"conn=jdbc:mysql://{USER}:{ENCODED}@{here.address}/{DATABASE}?useSSL=false"
    comments = (
        f"#password={PASSWORD}",
        f"//password={PASSWORD}",
        f"! it is {PASSWORD}",
        f"# conn=jdbc:mysql://{USER}:{PASSWORD}@h/d",
        f"osCollectorPassword={PASSWORD}",
    )
    size = ("warehouses=1", "loadWorkers=1", "terminals=1", "runMins=0", "runTxnsPerTerminal=5")

    def file(*changes: str) -> Path:
        folder = here.inputs / f"props-{len(list(here.inputs.iterdir()))}"
        folder.mkdir()
        return write(folder, f"user={USER}", *size, *comments, *changes)

    right = file(conn, f"password={PASSWORD}")
    here.call("benchmarksql", "build", right)
    for properties in (
        right,
        file("-user", "-password", in_host),
        file("-password", f"{conn}&password={ENCODED}"),
        file("-password", conn, rf"pass\u0077ord=\u006b{PASSWORD[1:]}"),
    ):
        here.call("benchmarksql", "run", properties)
        # The name of the directory has seconds.
        (result,) = here.outputs.glob("my_result_*")
        assert ":***********@" in (copy := (result / "run.properties").read_text()) or (
            "password=***********" in copy.replace("osCollectorPassword", "")
        )
        result.rename(here.out())
    here.call("benchmarksql", "run", file("-password", conn, "-resultDirectory"), status=1)
    here.call("benchmarksql", "run", file(conn, f"password={WRONG}"), status=1)
    raw = f"conn=jdbc:mysql://{USER}:{PASSWORD}@{here.address}/{DATABASE}"
    here.call("benchmarksql", "run", file(raw), status=2)
    here.call("benchmarksql", "run", file(f"conn=jdbc:mysql://{USER}:kXkXk9/{DATABASE}"), status=2)
    here.call("benchmarksql", "destroy", right)
