"""Calls as sysbench users write them, and the words for those that are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.errors import InputError
from dbdyno.peers.sysbench.arguments import read_arguments
from dbdyno.peers.sysbench.catalogue import GROUPS, OPTIONS, SCRIPT
from dbdyno.peers.sysbench.request import read_request


def test_options_stand_anywhere_with_hyphens_or_underscores() -> None:
    for words in (
        ["oltp_read_write", "--threads=8", "--table_size=5K", "run"],
        ["--threads=8", "oltp_read_write", "run", "--table-size=5120"],
        ["--num-threads=8", "oltp_read_write.lua", "run", "--table-size=5k"],
    ):
        arguments = read_arguments(words)
        assert (arguments.script, arguments.command) == ("oltp_read_write", "run")
        assert (arguments.integer("threads"), arguments.integer("table-size")) == (8, 5120)
        assert arguments.integer("tables") == 1


def test_the_last_of_two_values_counts_and_switches_need_none() -> None:
    arguments = read_arguments(["--threads=8", "--threads=2", "--skip_trx", "--range_selects=off"])
    assert arguments.integer("threads") == 2
    assert arguments.switch("skip-trx")
    assert not arguments.switch("range-selects")
    assert arguments.switch("auto-inc")


def test_a_file_of_options_gives_way_to_the_call(tmp_path: Path) -> None:
    file = tmp_path / "options"
    file.write_text("# Ours\nthreads=8\n  mysql_db = shop  # here\n\n--time=3\nhistogram\n")
    arguments = read_arguments([f"--config-file={file}", "--time=5", "oltp_insert", "run"])
    assert arguments.integer("threads") == 8
    assert arguments.text("mysql-db") == "shop"
    assert arguments.integer("time") == 5
    assert arguments.switch("histogram")


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("mysql-password=a#b", "a#b"),
        ("mysql-password=#b", ""),
        ("mysql-password= # b", ""),
        ('mysql-password= "#b"', "#b"),
        ("mysql-password = a b # c", "a"),
        ('mysql-password="a#b c" # d', "a#b c"),
        ("mysql-password='a \"b'", 'a "b'),
        ('mysql-password=a"b"', 'a"b"'),
        ('mysql-password="a"b"', "a"),
        ('mysql-password=""', ""),
        ("--mysql_password==a;b\\c\r", "=a;b\\c"),
        ("  # mysql-password=x", ""),
    ],
)
def test_values_in_a_file_are_read_as_sysbench_reads_them(
    tmp_path: Path, line: str, value: str
) -> None:
    file = tmp_path / "options"
    file.write_text(f"{line}\nthreads=3\n", newline="")
    arguments = read_arguments([f"--config-file={file}"])
    assert (arguments.text("mysql-password"), arguments.integer("threads")) == (value, 3)


def test_a_quote_without_an_end_is_refused_without_its_text(tmp_path: Path) -> None:
    file = tmp_path / "options"
    file.write_text('mysql-password="secret\n')
    with pytest.raises(InputError) as caught:
        read_arguments([f"--config-file={file}"])
    assert str(caught.value).startswith(f"{file}:1: a quote has no end")
    assert "secret" not in str(caught.value)


WRONG_CALLS = [
    ("--thread=4", "invalid option: --thread; did you mean --threads?"),
    # A value that nobody asked for may be a password.
    ("--quux=4", "invalid option: --quux; dbdyno sysbench --help lists all"),
    ("--threads 4", "--threads has no value; write --threads=VALUE, without a blank"),
    ("oltp_read_writes run", "no script 'oltp_read_writes'; did you mean 'oltp_read_write'?"),
    (
        "/opt/mine/oltp_mine.lua run",
        "/opt/mine/oltp_mine.lua: scripts in Lua are not run; write it as the workload sql",
    ),
    ("/none/oltp_insert.lua run", "/none/oltp_insert.lua cannot be read: No such file or"),
    ("oltp_common run", "oltp_common makes tables and runs nothing; name the script that is to"),
    ("oltp_insert rum", "unknown command: 'rum'; did you mean 'run'?"),
    ("oltp_insert run 4", "one word too many: '4'; a call has a script and a command, and"),
    ("--config-file=none run", "--config-file: none cannot be read: No such file or directory"),
    ("--mysql-compression=on", "--mysql-compression=on cannot be honoured: dbdyno does not"),
    ("--rand-spec-iter=3", "--rand-spec-iter=3 cannot be honoured: dbdyno always averages 12"),
    ("oltp_insert run --threads=x", "invalid value of --threads: 'x' is not a whole number"),
    ("oltp_insert run --threads=0", "invalid value of --threads: there must be at least one"),
    ("oltp_insert run --tables=-1", "invalid value of --tables: '-1' is not a whole number"),
    ("oltp_insert run --events=9223372036854775808", "invalid value of --events: '92233720368547"),
    (f"oltp_insert run --rand-seed={'9' * 5000}", "invalid value of --rand-seed: '999"),
    (
        "oltp_insert run --table-size=9000000T",
        "invalid value of --table-size: '9000000T' is not up",
    ),
    ("oltp_insert run --rand-pareto-h=nan", "invalid value of --rand-pareto-h: 'nan' is not a num"),
    ("oltp_insert run --rand-zipfian-exp=inf", "invalid value of --rand-zipfian-exp: 'inf' is not"),
    ("oltp_insert run --percentile=101", "invalid value of --percentile: 101 is not from 0 to"),
    ("oltp_insert run --percentiles=50,x", "invalid value of --percentiles: 'x' is not above 0"),
    ("oltp_insert run --rand-type=zipf", "invalid value of --rand-type: 'zipf'; did you mean"),
    ("oltp_insert run --auto-inc=maybe", "invalid value of --auto-inc: 'maybe' is not on or off"),
    ("oltp_insert run --db-driver=oracle", "invalid database driver: 'oracle'; known: mysql,"),
    ("oltp_insert run --db-driver=sqlite", "--db-driver=sqlite needs --sqlite-db=FILE"),
    ("oltp_insert run --db-ps-mode=on", "invalid value of --db-ps-mode: 'on'; known: auto, disa"),
    ("oltp_insert run --mysql-ssl=maybe", "invalid value of --mysql-ssl: 'maybe'; known: off, on"),
    (
        "oltp_insert run --mysql-host=h1,h1,h2",
        "--mysql-host and --mysql-port name some servers more often than others",
    ),
    ("oltp_insert run --mysql-db=", "--mysql-host, --mysql-port and --mysql-db must not be empty"),
]


@pytest.mark.parametrize(("call", "message"), WRONG_CALLS)
def test_a_wrong_call_gets_its_words(call: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_request(read_arguments(call.split()))
    assert str(caught.value).startswith(message)


def test_a_mistake_in_a_file_of_options_has_its_line(tmp_path: Path) -> None:
    file = tmp_path / "options"
    file.write_text("threads=8\ntabels=3\n")
    with pytest.raises(InputError) as caught:
        read_arguments([f"--config-file={file}"])
    assert str(caught.value) == f"{file}:2: invalid option: --tabels; did you mean --tables?"


def test_a_file_of_options_in_another_encoding_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "options"
    file.write_bytes("mysql-db=größe\n".encode("latin-1"))
    with pytest.raises(InputError) as caught:
        read_arguments([f"--config-file={file}"])
    assert str(caught.value) == f"--config-file: {file} is not text in UTF-8; save it as UTF-8"


def test_the_table_of_options_has_each_name_once() -> None:
    names = [option.name for group in (*GROUPS.values(), SCRIPT) for option in group]
    assert len(names) == len(set(names)) == len(OPTIONS)
    for option in OPTIONS.values():
        assert option.alias_of is None or option.alias_of in OPTIONS
        assert option.name == option.name.lower().replace("_", "-")
