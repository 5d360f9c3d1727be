"""The tables of options for users of other tools: each option is there, with what becomes of it."""

from collections.abc import Iterable
from enum import Enum

from dbdyno.peers.benchmarksql import settings, version_6
from dbdyno.peers.call.options import Option
from dbdyno.peers.pgbench import catalogue as pgbench
from dbdyno.peers.sysbench import catalogue as sysbench
from dbdyno.peers.tpcc_mysql import catalogue as tpcc_mysql
from tests.unit.docs.pages import DOCS, Row, rows

OWN = {"out", "wait", "verbose"}
"""dbdyno's own options of pgbench's command."""


class Fate(Enum):
    """What becomes of an option that is given."""

    TAKEN = "taken"
    NO_EFFECT = "no effect"
    REFUSED = "refused"


def claimed(page: str, tool: str) -> dict[str, Fate]:
    """Return what the tables of a page say of each option."""
    found: dict[str, Fate] = {}
    for row in rows(DOCS / "from" / f"{page}.md", (tool, "In the experiment file", "Notes")):
        for name in row.code:
            assert name not in found, f"{name} is there twice"
            found[name] = _claim(row)
    return found


def _claim(row: Row) -> Fate:
    fates = (fate for fate in Fate if row.cells[-1].startswith(fate.value))
    return next(fates, Fate.TAKEN)


def of(options: Iterable[Option]) -> dict[str, Fate]:
    """Return what becomes of options, under their letters where they have some."""
    return {
        f"-{option.letter}" if option.letter else option.written: _fate(option)
        for option in options
    }


def _fate(option: Option) -> Fate:
    if option.refusal:
        return Fate.REFUSED
    return Fate.NO_EFFECT if option.no_effect else Fate.TAKEN


def of_sysbench(option: sysbench.Option) -> Fate:
    if option.refusal is not None:
        return Fate.REFUSED
    return Fate.NO_EFFECT if option.text.startswith("without effect") else Fate.TAKEN


def test_sysbench() -> None:
    ours = {*sysbench.OWN, *sysbench.SQLITE}
    theirs = [option for option in sysbench.OPTIONS.values() if option not in ours]
    assert claimed("sysbench", "sysbench") == {
        f"--{option.name}": of_sysbench(option) for option in theirs
    }


def test_pgbench() -> None:
    theirs = [option for name, option in pgbench.OPTIONS.items() if name not in OWN]
    assert claimed("pgbench", "pgbench") == of(theirs)


def test_tpcc_mysql() -> None:
    for tool, options in {"tpcc_start": tpcc_mysql.START, "tpcc_load": tpcc_mysql.LOAD}.items():
        theirs = [option for option in options if len(option.name) == 1]
        assert claimed("tpcc-mysql", tool) == of(theirs)


def test_benchmarksql() -> None:
    known = settings.OF_BOTH | settings.OF_VERSION_5 | settings.OF_VERSION_6
    without_effect = {
        *settings.NO_EFFECT,
        *version_6.NO_EFFECT,
        *version_6.GRADUAL_STARTS,
        "traceTerminalIO",
    }
    fates = dict.fromkeys(known, Fate.TAKEN) | dict.fromkeys(without_effect, Fate.NO_EFFECT)
    assert claimed("benchmarksql", "BenchmarkSQL") == fates | {"fileLocation": Fate.REFUSED}
