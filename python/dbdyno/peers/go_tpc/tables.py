"""``prepare`` and ``cleanup``: the database, the tables, and go-tpc's lines about them."""

from __future__ import annotations

from collections.abc import Callable

from dbdyno.database.address import Address
from dbdyno.database.session import open_session
from dbdyno.errors import RunError
from dbdyno.peers.tpcc.load import Loading
from dbdyno.peers.tpcc.load import drop as drop_tables
from dbdyno.peers.tpcc.load import load as load_tables
from dbdyno.peers.tpcc.progress import describe_loaded
from dbdyno.peers.tpcc.request import TpccRequest

Say = Callable[[str], None]

CREATED = (
    *("warehouse", "district", "customer", "history", "new_order"),
    *("orders", "order_line", "stock", "item"),
)
DROPPED = (
    *("item", "customer", "district", "history", "new_order"),
    *("order_line", "orders", "stock", "warehouse"),
)
"""In go-tpc's order."""

OF_A_WAREHOUSE = ("warehouse", "stock", "district")
OF_A_DISTRICT = ("customer", "history", "orders", "new_order", "order_line")
DISTRICTS = 10

NOT_THERE = ("Unknown database", "does not exist")
"""What servers say of a database that there is not."""

DROP_FIRST = "; --dropdata drops the tables first"
RESUMED_WITHOUT = ", with the same call without --dropdata"


def make_database(address: Address, beside: Address, name: str, warn: Say) -> None:
    """Make the database where there is none; ``beside`` leads to one that is always there."""
    try:
        with open_session(address.url, address.password):
            return
    except RunError as error:
        if not any(words in str(error) for words in NOT_THERE):
            raise
    quote = "`" if address.kind == "mysql" else '"'
    quoted = f"{quote}{name.replace(quote, quote * 2)}{quote}"
    with open_session(beside.url, beside.password) as session:
        session.query(f"CREATE DATABASE {quoted}")
    warn(f"note: the database {name} was not there, and was made\n")


def load(request: TpccRequest, say: Say, warn: Say, *, drops: bool) -> None:
    """Make the tables and fill them."""
    if drops:
        drop(request, say)
    lines = LoadLines(request.warehouses, say)
    try:
        loaded = load_tables(request, lines.tell)
    except RunError as error:
        raise RunError(f"{error}{_hint(str(error), drops=drops)}") from error
    lines.finish()
    warn(f"note: loaded {describe_loaded(loaded)}\n")
    for refusal in loaded.refusals:
        warn(f"WARNING: the server would not have it: {refusal}\n")


def _hint(said: str, *, drops: bool) -> str:
    if "is there already" in said:
        return DROP_FIRST
    return RESUMED_WITHOUT if drops and "load again" in said else ""


def drop(request: TpccRequest, say: Say) -> None:
    """Drop the tables that are there."""
    for table in DROPPED:
        say(f"DROP TABLE IF EXISTS {table}\n")
    drop_tables(request)


class LoadLines:
    """Prints the lines of a load.

    Rows of all warehouses are sent side by side: a line about a warehouse comes when its share of
    the rows is due, and so says how far the load is.
    """

    def __init__(self, warehouses: int, say: Say) -> None:
        self._warehouses = warehouses
        self._say = say
        self._begun: int | None = None
        """How many warehouses have their lines; None where nothing has been said."""

    def tell(self, loading: Loading) -> None:
        """Print what is due."""
        share = min(1.0, loading.rows / max(1, loading.rows_total))
        if self._begun is None and loading.rows and loading.elapsed_s == 0:
            # An earlier load is continued: tables and these warehouses are there.
            self._begun = int(share * self._warehouses)
        self._reach(min(self._warehouses, int(share * self._warehouses) + 1))

    def finish(self) -> None:
        """Print what is left."""
        self._reach(self._warehouses)

    def _reach(self, warehouses: int) -> None:
        if self._begun is None:
            self._begun = 0
            self._say("".join(f"creating table {table}\n" for table in CREATED))
            self._say("load to item\n")
        for warehouse in range(self._begun + 1, warehouses + 1):
            self._say("".join(_lines_of(warehouse)))
        self._begun = max(self._begun, warehouses)


def _lines_of(warehouse: int) -> list[str]:
    lines = [f"load to {table} in warehouse {warehouse}\n" for table in OF_A_WAREHOUSE]
    return lines + [
        f"load to {table} in warehouse {warehouse} district {district}\n"
        for district in range(1, DISTRICTS + 1)
        for table in OF_A_DISTRICT
    ]
