"""The steps of ``pgbench -i``, each by itself and in any order, with pgbench's own statements.

The usual order is loaded faster over several connections (``tables``); this is for all others, and
for tables that are partitioned, unlogged or elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dbdyno._native import Session

TABLES = ("pgbench_accounts", "pgbench_branches", "pgbench_history", "pgbench_tellers")
METHODS = ("range", "hash")

ACCOUNTS_PER_BRANCH = 100_000
TELLERS_PER_BRANCH = 10
SCALE_OF_64_BITS = 20_000
"""From here on, an account's number does not fit into 32 bits."""

KEYS = (("pgbench_branches", "bid"), ("pgbench_tellers", "tid"), ("pgbench_accounts", "aid"))
REFERENCES = (
    ("pgbench_tellers", "bid", "pgbench_branches"),
    ("pgbench_accounts", "bid", "pgbench_branches"),
    ("pgbench_history", "bid", "pgbench_branches"),
    ("pgbench_history", "tid", "pgbench_tellers"),
    ("pgbench_history", "aid", "pgbench_accounts"),
)


@dataclass(frozen=True)
class Wanted:
    """What the tables are to be like."""

    scale: int
    fillfactor: int = 100
    is_unlogged: bool = False
    partitions: int = 0
    method: str = METHODS[0]
    tablespace: str = ""
    index_tablespace: str = ""

    @property
    def is_usual(self) -> bool:
        """Whether the loader makes such tables."""
        return not (self.is_unlogged or self.partitions or self.tablespace or self.index_tablespace)


def carry_out_steps(
    session: Session, steps: str, wanted: Wanted, say: Callable[[str], None]
) -> str:
    """Carry the steps out in their order; return the time of each, in pgbench's words."""
    times = []
    for step in steps:
        doing, done, statements = STEPS[step]
        say(f"{doing}...\n")
        started = time.monotonic()
        for sql in statements(wanted):
            session.query(sql)
        times.append(f"{done} {time.monotonic() - started:.2f} s")
    return ", ".join(times)


def _drop(_: Wanted) -> Iterator[str]:
    yield f"DROP TABLE IF EXISTS {', '.join(TABLES)}"


def _create(wanted: Wanted) -> Iterator[str]:
    number = "bigint" if wanted.scale >= SCALE_OF_64_BITS else "int"
    filled = f" with (fillfactor={wanted.fillfactor})"
    parted = f" partition by {wanted.method} (aid)" if wanted.partitions else filled
    space = f" tablespace {_identifier(wanted.tablespace)}" if wanted.tablespace else ""
    for table, columns, more in (
        (
            "pgbench_history",
            f"tid int, bid int, aid {number}, delta int, mtime timestamp, filler char(22)",
            "",
        ),
        ("pgbench_tellers", "tid int not null, bid int, tbalance int, filler char(84)", filled),
        (
            "pgbench_accounts",
            f"aid {number} not null, bid int, abalance int, filler char(84)",
            parted,
        ),
        ("pgbench_branches", "bid int not null, bbalance int, filler char(88)", filled),
    ):
        yield f"create{_unlogged(wanted)} table {table}({columns}){more}{space}"
    for part in range(wanted.partitions):
        yield (
            f"create{_unlogged(wanted)} table pgbench_accounts_{part + 1} partition of "
            f"pgbench_accounts for values {_bounds(wanted, part)}{filled}{space}"
        )


def _bounds(wanted: Wanted, part: int) -> str:
    """Return which accounts a partition has; the first and the last of a range are open."""
    if wanted.method == "hash":
        return f"with (modulus {wanted.partitions}, remainder {part})"
    accounts = -(-ACCOUNTS_PER_BRANCH * wanted.scale // wanted.partitions)
    first = part * accounts + 1 if part else "minvalue"
    end = (part + 1) * accounts + 1 if part + 1 < wanted.partitions else "maxvalue"
    return f"from ({first}) to ({end})"


def _generate(wanted: Wanted) -> Iterator[str]:
    yield "begin"
    yield f"truncate table {', '.join(TABLES)}"
    yield (
        "insert into pgbench_branches(bid, bbalance) select bid, 0 from "
        f"generate_series(1, {wanted.scale}) as bid"
    )
    yield (
        f"insert into pgbench_tellers(tid, bid, tbalance) select tid, "
        f"(tid - 1) / {TELLERS_PER_BRANCH} + 1, 0 from "
        f"generate_series(1, {wanted.scale * TELLERS_PER_BRANCH}) as tid"
    )
    yield (
        "insert into pgbench_accounts(aid, bid, abalance, filler) select aid, "
        f"(aid - 1) / {ACCOUNTS_PER_BRANCH} + 1, 0, '' from "
        f"generate_series(1, {wanted.scale * ACCOUNTS_PER_BRANCH}) as aid"
    )
    yield "commit"


def _vacuum(_: Wanted) -> Iterator[str]:
    for table in TABLES:
        yield f"vacuum analyze {table}"


def _add_keys(wanted: Wanted) -> Iterator[str]:
    space = wanted.index_tablespace
    place = f" using index tablespace {_identifier(space)}" if space else ""
    for table, key in KEYS:
        yield f"alter table {table} add primary key ({key}){place}"


def _add_references(_: Wanted) -> Iterator[str]:
    for table, key, referred in REFERENCES:
        yield (
            f"alter table {table} add constraint {table}_{key}_fkey foreign key ({key}) "
            f"references {referred}"
        )


def _unlogged(wanted: Wanted) -> str:
    return " unlogged" if wanted.is_unlogged else ""


def _identifier(name: str) -> str:
    quoted = name.replace('"', '""')
    return f'"{quoted}"'


STEPS: dict[str, tuple[str, str, Callable[[Wanted], Iterator[str]]]] = {
    "d": ("dropping old tables", "drop tables", _drop),
    "t": ("creating tables", "create tables", _create),
    "g": ("generating data (server-side)", "server-side generate", _generate),
    "G": ("generating data (server-side)", "server-side generate", _generate),
    "v": ("vacuuming", "vacuum", _vacuum),
    "p": ("creating primary keys", "primary keys", _add_keys),
    "f": ("creating foreign keys", "foreign keys", _add_references),
}
"""By pgbench's letters. The rows of g and G are the same; here both are made by the server."""
