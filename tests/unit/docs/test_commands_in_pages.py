"""Commands that pages show are commands: their names, their words and their options exist."""

from collections.abc import Callable

import pytest
import typer
from typer.core import TyperGroup

from dbdyno.cli.main import app
from dbdyno.peers.go_tpc.arguments import read_arguments as read_go_tpc
from dbdyno.peers.pgbench.arguments import read_arguments as read_pgbench
from dbdyno.peers.sysbench.arguments import read_arguments as read_sysbench
from dbdyno.peers.tpcc_mysql.arguments import read_arguments as read_tpcc_mysql
from tests.unit.docs.pages import PAGES, Block, blocks, calls

SHELL = [block for block in blocks("sh", PAGES) if any(calls(block))]

OF_OTHERS: dict[str, Callable[[list[str]], object]] = {
    "sysbench": read_sysbench,
    "pgbench": read_pgbench,
    "go-tpc": read_go_tpc,
    "tpcc-mysql": lambda words: read_tpcc_mysql(words[0], words[1:]),
}
"""Commands that read all their words themselves."""


@pytest.mark.parametrize("block", SHELL, ids=lambda block: block.place)
def test_commands_in_a_page_are_commands(block: Block) -> None:
    for words in calls(block):
        read_call(words)


@pytest.mark.parametrize(
    "call",
    [
        "dbdyno rum flush.yaml",
        "dbdyno run flush.yaml --smok",
        "cd bench && DBDYNO_PASSWORD=secret dbdyno tpcc run",
        "dbdyno compare a b --fail-if 'p95 worse by 5 %' | tee out; dbdyno compare a",
        "dbdyno sysbench oltp_read_write --table=10 run",
        "dbdyno pgbench --clients=4 bench",
        "dbdyno tpcc-mysql start -x 5",
    ],
)
def test_a_command_that_is_none_is_found(call: str) -> None:
    with pytest.raises(Exception, match=r"(?i)no such|missing|invalid option"):
        test_commands_in_a_page_are_commands(Block(PAGES[0], 1, call))


def read_call(words: list[str]) -> None:
    """Read the words behind ``dbdyno``; what is wrong with them raises an error. Nothing is run."""
    command = typer.main.get_command(app)
    name = "dbdyno"
    while isinstance(command, TyperGroup):
        name, *words = words
        if name in OF_OTHERS:
            OF_OTHERS[name](words)
            return
        found = command.get_command(typer.Context(command), name)
        if found is None:
            raise typer.BadParameter(f"No such command: {name}")
        command = found
    command.make_context(name, words)
