"""Calls of tpcc_load's and tpcc_start's form, and what they come to."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.errors import InputError
from dbdyno.peers.call import address
from dbdyno.peers.tpcc.request import TpccRequest
from dbdyno.peers.tpcc_mysql.arguments import read_arguments
from dbdyno.peers.tpcc_mysql.command import call
from dbdyno.peers.tpcc_mysql.request import StartRequest, read_load, read_start

SERVER = ("-h", "db", "-P", "3307", "-d", "tpcc", "-u", "me", "-psecret", "-w5")


def start(*words: str) -> StartRequest:
    return read_start(read_arguments("start", [*SERVER, *words]))


def load(*words: str) -> TpccRequest:
    return read_load(read_arguments("load", words))


def test_letters_are_read_as_getopt_reads_them() -> None:
    found = start("-c", "16", "-r3", "-l", "25", "-i10", "-0", "7", "--seed", "4")
    request = found.request
    assert request.address.url == "mysql://me@db:3307/tpcc"
    assert request.address.password == "secret"
    assert (request.clients, request.warmup_s, request.seed) == (16, 3.0, 4)
    # As there, it is cut to whole intervals.
    assert (request.duration_s, found.interval_s) == (20.0, 10)
    assert found.limits_s == (7, 5, 5, 80, 20)


def test_the_load_is_tpcc_starts() -> None:
    plan = start().request.trial_plan()
    tpcc = plan.workload["tpcc"]
    assert (tpcc["schema"], tpcc["deck"], tpcc["home_warehouse"]) == ("tpcc_mysql", True, "random")
    assert plan.retry.max_retries == 2000
    assert (plan.clients, plan.duration_s, plan.warmup_s) == (10, 20.0, 10.0)


def test_words_without_letters_are_known_by_their_place() -> None:
    words = ["db:3310", "tpcc", "me", "secret", "5", "8", "2", "30"]
    arguments = read_arguments("start", words)
    request = read_start(arguments).request
    assert request.address.url == "mysql://me@db:3310/tpcc"
    assert (request.clients, request.warmup_s, request.duration_s) == (8, 2.0, 30.0)
    ratio = read_start(read_arguments("start", [*words, "50", "40", "4", "3", "3"])).request
    assert not ratio.workload["deck"]
    assert ratio.workload["mix"]["new_order"] == 50


def test_the_form_with_a_text_is_terarks(tmp_path: Path) -> None:
    plain = load("db", "tpcc", "me", "secret", "5")
    assert (plain.warehouses, plain.workload["text"]) == (5, None)
    assert not plain.workload["wide_texts"]
    assert plain.workload["foreign_keys"]
    terark = load("db:3310", "tpcc", "me", "secret", "5", str(tmp_path / "book.txt"))
    assert terark.workload["text"] == str(tmp_path / "book.txt")
    assert terark.workload["wide_texts"]


def test_localhost_is_the_socket_unless_a_port_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    socket = tmp_path / "mysqld.sock"
    socket.touch()
    monkeypatch.setattr(address, "USUAL_SOCKETS", (str(socket),))
    assert load("-h", "l", "-u", "me").address.url == (
        f"mysql://me@localhost:3306/tpcc?socket={socket}"
    )
    assert load("-h", "localhost", "-P", "3306").address.url == "mysql://root@localhost:3306/tpcc"
    assert "socket=/x.sock" in load("-S", "/x.sock").address.url


@pytest.mark.parametrize(
    ("command", "words", "message"),
    [
        ("load", ["h", "d", "u"], "3 words without a letter"),
        ("load", ["-c", "4"], "invalid option -c; it belongs to start"),
        ("start", ["-m", "3"], "-m 3 cannot be honoured"),
        ("start", ["-x", "3"], "invalid option -x; dbdyno tpcc-mysql start --help"),
        ("start", ["--sed", "3"], "invalid option --sed; did you mean --seed"),
        ("start", ["-c"], "option -c requires argument"),
        ("start", ["-c", "0"], "-c: '0' is not a whole number of 1 or more"),
        ("start", ["-w", "many"], "-w: 'many' is not a whole number"),
        ("stop", [], "no command 'stop'"),
        ("load", ["-l", "5"], "-l 5: the parts of a load are 1, 2, 3, 4"),
        ("load", ["-w", "20", "-l", "1", "-m", "11", "-n", "20"], "-m 11 -n 20: a call loads all"),
        ("load", ["-w", "20", "-l", "2", "-m", "1", "-n", "10"], "-m 1 -n 10: .* -w 1-10 --schema"),
        ("load", ["-w", "20", "-m", "11"], "-m 11 -n 20: .* without -l, -m and -n"),
        ("load", ["-w", "20", "-n", "many"], "-n: 'many' is not a whole number"),
        ("load", ["h:1", "d", "u", "p", "20", "3", "11", "20"], "-m 11 -n 20: a call loads all"),
    ],
)
def test_what_cannot_be_done_is_named(command: str, words: list[str], message: str) -> None:
    def mute(_: str) -> None:
        pass

    with pytest.raises(InputError, match=message):
        call(
            [command, "-h", "127.0.0.1", "-P", "1", *words]
            if words[:1] not in (["h"], ["h:1"])
            else [command, *words],
            mute,
            mute,
        )


def test_what_has_no_effect_is_said() -> None:
    assert read_arguments("start", [*SERVER, "-f", "rt.txt"]).warnings == (
        "-f rt.txt has no effect: single transactions are not kept; --out DIR keeps the "
        "histograms of every second",
    )


@pytest.mark.parametrize("part", ["2", "3", "4"])
def test_a_part_of_all_warehouses_is_loaded_by_part_1(part: str) -> None:
    said: list[str] = []
    call(["load", *SERVER, "-l", part, "-m", "1", "-n", "5"], said.append, said.append)
    assert said == [
        "WARNING: nothing is done for this part: all tables are loaded by part 1 (-l 1)\n"
    ]


def test_the_help_names_every_option() -> None:
    said: list[str] = []
    call(["start", "--help"], said.append, said.append)
    assert "-r SECONDS" in said[0]
    assert "--out DIR" in said[0]
    assert "tpcc-mysql load  HOST:PORT DATABASE USER PASSWORD WAREHOUSES [TEXTFILE]" in said[0]
