"""Exporters that tell the truth, and such as are slow, silent, or lie."""

from __future__ import annotations

import random
import socket
import time
from contextlib import suppress

import pytest

from dbdyno.resources import HOST, SERVER
from dbdyno.watch.exporter import watcher as watcher_module
from dbdyno.watch.exporter.fetch import ScrapeError
from dbdyno.watch.exporter.figures import Told
from dbdyno.watch.exporter.watcher import Exporter, ExporterAddress, watch_exporters
from tests.unit.watch.burner import series, wait_for_intervals, wait_until
from tests.unit.watch.liar import Answer, Liar, ok, saying

LIMIT_S = 0.5


def node(cpu_s: float = 100.0, **changes: str) -> str:
    """Return what node_exporter tells of a host with two CPUs; lines may be changed by name."""
    lines = {
        "user": f'node_cpu_seconds_total{{cpu="0",mode="user"}} {cpu_s}',
        "idle": 'node_cpu_seconds_total{cpu="0",mode="idle"} 50',
        "other_idle": f'node_cpu_seconds_total{{cpu="1",mode="idle"}} {cpu_s}',
        "memory": "node_memory_MemAvailable_bytes 1e+09",
        "cached": "node_memory_Cached_bytes 900",
        "shared": "node_memory_Shmem_bytes 100",
        "disk": 'node_disk_reads_completed_total{device="sda"} 5',
        "volume": 'node_disk_reads_completed_total{device="dm-0"} 5',
        "network": 'node_network_receive_bytes_total{device="eth0"} 5',
        "unused": 'node_network_receive_bytes_total{device="eth1"} 0',
        "unknown": "some_other_metric 5",
    } | changes
    return "# HELP node_x x\n# TYPE node_x counter\n" + "".join(
        f"{line}\n" for line in lines.values()
    )


def address(liar: Liar) -> ExporterAddress:
    return ExporterAddress(liar.url, "db1", "storage-1")


def failures_of(answer: Answer, times: int = 1) -> list[str]:
    """Return what an exporter's failures are after so many readings, without its address."""
    with Liar(answer) as liar:
        exporter = Exporter(address(liar), LIMIT_S)
        for _ in range(times):
            exporter.values()
        return [sentence.replace(liar.url, "URL") for sentence in exporter.failures()]


def test_counters_are_what_was_added_and_levels_as_they_are() -> None:
    with Liar(saying(ok(node(100.0)), ok(node(102.0, idle=IDLE.format(51))))) as liar:
        exporter = Exporter(address(liar))
        first, second = exporter.values()[HOST], exporter.values()[HOST]
    assert first == {"memory.available_bytes": 1e9, "memory.page_cache_bytes": 800.0}
    assert second == first | {
        "cpu.user_s": 2.0,
        "cpu.idle_s": 3.0,
        "cpu[0].busy_s": 2.0,
        "cpu.busiest_share": pytest.approx(2 / 3),
        "disk[sda].reads": 0.0,
        "network[eth0].receive_bytes": 0.0,
    }
    assert exporter.failures() == []


IDLE = 'node_cpu_seconds_total{{cpu="0",mode="idle"}} {}'


def test_a_server_has_its_member_and_a_host_its_name() -> None:
    both = node() + "mysql_global_status_threads_running 3\nmysql_global_status_queries 5\n"
    with Liar(saying(ok(both + "mysql_global_status_innodb_data_read 5\n"))) as liar:
        (watcher,) = watch_exporters([address(liar)], interval_s=0.02)
        (other,) = watch_exporters([address(liar)], hosts=["db1"], interval_s=0.02)
        with watcher, other:
            wait_for_intervals(watcher, 2)
            wait_for_intervals(other, 2)
    assert watcher.failures() == other.failures() == ()
    table = watcher.table()
    subjects = table.filter(~table["role"].is_in(["watcher"])).select("member", "role", "host")
    assert set(subjects.rows()) == {("", HOST, "db1"), ("storage-1", SERVER, "db1")}
    assert set(series(watcher, SERVER, "mysql.threads_running")) == {3.0}
    # That host is watched otherwise, and its server is not.
    assert series(other, HOST, "memory.available_bytes") == []
    assert series(other, SERVER, "mysql.threads_running") != []


def test_databases_are_added_up_or_one_is_kept() -> None:
    text = "".join(
        f'{name}{{datname="{database}"}} {value}\n'
        for name in ("pg_stat_database_xact_commit", "pg_stat_database_numbackends")
        for database, value in (("one", 2), ("other", 5))
    )
    text += "pg_stat_bgwriter_checkpoints_req_total 2\npg_stat_bgwriter_checkpoints_req 2\n"
    with Liar(saying(ok(text), ok(text.replace(" 2\n", " 4\n")))) as liar:
        of_all = Exporter(address(liar))
        of_all.values()
        told = of_all.values()[SERVER]
        # An exporter that has a figure under its old name and its new one tells it once.
        assert told["postgresql.checkpoints_requested"] == 2.0
        assert (told["postgresql.commits"], told["postgresql.backends"]) == (2.0, 9.0)
        of_one = Exporter(ExporterAddress(liar.url, "db1", "db1", database="other"))
        of_one.values()
        told = of_one.values()[SERVER]
    assert (told["postgresql.commits"], told["postgresql.backends"]) == (0.0, 5.0)


def test_pages_of_the_buffer_pool_are_counted_once() -> None:
    """Old pages are some of those with data."""
    states = {"data": 10, "free": 20, "misc": 3, "old": 4}
    told = Told(
        "".join(
            f'mysql_global_status_buffer_pool_pages{{state="{state}"}} {pages}\n'
            for state, pages in states.items()
        ).encode()
    )
    assert told.by_role[SERVER].levels == {
        "innodb.buffer_pool_pages": 33.0,
        "innodb.buffer_pool_free_pages": 20.0,
    }


def test_a_checkpoint_age_is_how_far_the_redo_log_is_ahead() -> None:
    text = (
        b"mysql_global_status_innodb_redo_log_current_lsn 1500\n"
        b"mysql_global_status_innodb_redo_log_checkpoint_lsn 1200\n"
    )
    assert Told(text).by_role[SERVER].levels == {"innodb.checkpoint_age_bytes": 300.0}


def test_a_password_travels_in_the_request_and_nowhere_else() -> None:
    with Liar(saying(b"HTTP/1.1 401 Unauthorized\r\n\r\n")) as liar:
        url = liar.url.replace("://", "://me@")
        exporter = Exporter(ExporterAddress(url, "db1", "db1", password="swordfish"))
        exporter.values()
    assert b"Authorization: Basic bWU6c3dvcmRmaXNo\r\n" in liar.requests[0]
    assert exporter.failures() == [f"exporter {liar.url} answers with status 401 (1 of 1 times)"]


NOT_TEXT = "exporter URL sends something that is no Prometheus text (1 of 1 times)"


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (ok("<html><body>node_exporter</body></html>\n"), NOT_TEXT),
        (ok(node(disk="node_vmstat_pgmajfault five")), NOT_TEXT),
        (ok(b"node_vmstat_pgmajfault \xff\xfe 5\n"), NOT_TEXT),
        (ok('node_cpu_seconds_total{cpu="0",mode="user 5\n'), NOT_TEXT),
        (
            ok("up 1\n"),
            "exporter URL tells nothing that dbdyno knows; node_exporter, mysqld_exporter and "
            "postgres_exporter do (1 of 1 times)",
        ),
        (
            ok("node_vmstat_pgmajfault 5\n" + "# nothing\n" * (1 << 20)),
            "exporter URL sends more than 8 MiB, which is not read (1 of 1 times)",
        ),
        (
            b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/metrics\r\n\r\n",
            "exporter URL redirects elsewhere (status 302), which is not followed; write the "
            "address at which it answers itself (1 of 1 times)",
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nnode_vmstat_pgmajfault 5\n",
            "exporter URL broke its answer off, or it is no HTTP (1 of 1 times)",
        ),
        (
            b"220 mail.example ESMTP\r\n",
            "exporter URL broke its answer off, or it is no HTTP (1 of 1 times)",
        ),
        (
            ok(node(user='node_cpu_seconds_total{cpu="0",mode="user"} NaN')),
            "exporter URL tells of cpu.user_s something that is no number (1 of 1 times)",
        ),
        (ok(node(memory="")), "exporter URL tells nothing of memory (1 of 1 times)"),
        (
            ok("pg_up 0\n"),
            "exporter URL says that it does not reach its server (1 of 1 times)",
        ),
    ],
)
def test_a_lie_is_a_sentence(answer: bytes, sentence: str) -> None:
    if "memory" in sentence:
        answer = ok(node(memory="", cached="", shared=""))
    assert sentence in failures_of(saying(answer))


def test_an_exporter_that_is_gone_is_a_sentence() -> None:
    with Liar(saying(b"")) as liar:
        pass
    exporter = Exporter(address(liar))
    exporter.values()
    exporter.values()
    assert exporter.failures() == [
        f"exporter {liar.url} cannot be reached: Connection refused (2 of 2 times)"
    ]


@pytest.mark.parametrize("beginning", [b"", b"HTTP/1.1 200 OK\r\n\r\n"])
def test_one_byte_after_another_is_not_waited_for(beginning: bytes) -> None:
    """Each of them comes within the time limit of a socket."""

    def drip(connection: socket.socket, _: int) -> None:
        connection.sendall(beginning)
        with suppress(OSError):
            while True:
                connection.sendall(b"x")
                time.sleep(LIMIT_S / 10)

    assert failures_of(drip) == ["exporter URL gave no whole answer within 0.5 s (1 of 1 times)"]


def test_counters_that_begin_again_are_left_out_and_told() -> None:
    again = saying(ok(node(100.0)), ok(node(2.0)), ok(node(5.0)))
    with Liar(again) as liar:
        exporter = Exporter(address(liar))
        told = [exporter.values()[HOST].get("cpu.user_s") for _ in range(3)]
    assert told == [None, None, 3.0]
    assert exporter.failures() == [
        f"exporter {liar.url} began counters again at zero (1 of 3 times)"
    ]


def test_after_a_gap_nothing_is_counted_for_the_wrong_interval() -> None:
    gap = saying(ok(node(100.0)), b"nothing\r\n", ok(node(107.0)), ok(node(108.0)))
    with Liar(gap) as liar:
        exporter = Exporter(address(liar))
        told = [exporter.values().get(HOST, {}).get("cpu.user_s") for _ in range(4)]
    assert told == [None, None, None, 1.0]


def test_a_watcher_goes_on_asking_and_ends_when_told_to() -> None:
    def late(connection: socket.socket, number: int) -> None:
        if number < 2:
            liar.ended.wait(LIMIT_S * 3)
        saying(ok(node()))(connection, number)

    with Liar(late) as liar:
        (watcher,) = watch_exporters([address(liar)], interval_s=0.02, limit_s=LIMIT_S)
        with watcher:
            wait_until(lambda: series(watcher, HOST, "cpu.user_s") != [])
    (sentence,) = watcher.failures()
    assert sentence.startswith(f"exporter {liar.url} gave no whole answer within 0.5 s (2 of ")


def test_any_number_of_lies_is_told_in_few_sentences() -> None:
    def number_of_status(connection: socket.socket, number: int) -> None:
        connection.sendall(b"HTTP/1.1 %d X\r\n\r\n" % (400 + number))

    assert len(failures_of(number_of_status, times=50)) == 11


def test_new_names_each_time_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watcher_module, "MOST_METRICS", 30)

    def inventing(connection: socket.socket, number: int) -> None:
        disk = f'node_disk_io_now{{device="sda{number}"}} 5'
        saying(ok(node(disk=disk)))(connection, number)

    with Liar(inventing) as liar:
        exporter = Exporter(address(liar))
        metrics = {metric for _ in range(60) for metric in exporter.values()[HOST]}
    assert 20 < len(metrics) <= 30
    assert "cpu.user_s" in metrics
    (sentence,) = exporter.failures()
    assert "tells of more than 30 things" in sentence


def test_whatever_is_damaged_only_a_sentence_comes_out() -> None:
    draw = random.Random(1)
    whole = (node() + 'mysql_up 1\npg_stat_database_xact_commit{datname="a"} 5\n').encode()
    for _ in range(2000):
        text = bytearray(whole)
        for _ in range(draw.randint(1, 4)):
            place = draw.randrange(len(text))
            text[place : place + draw.randint(0, 3)] = draw.choice(DAMAGES)
        with suppress(ScrapeError):
            Told(bytes(text))


DAMAGES = (
    b"{",
    b"}",
    b'"',
    b"\\",
    b" ",
    b"\n",
    b"=",
    b",",
    b"#",
    b"\x00",
    b"\xff",
    b"9e999",
    b"NaN",
)
