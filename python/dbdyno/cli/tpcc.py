"""``dbdyno tpcc``: TPC-C by options, without an experiment file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dbdyno.cli.arguments import Verbose, Wait, Workers
from dbdyno.cli.check import check
from dbdyno.cli.say import say, warn
from dbdyno.cli.tpcc_acid import acid
from dbdyno.cli.tpcc_durability import durability

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dbdyno.peers.tpcc.request import TpccRequest

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Load TPC-C's tables and run its transactions: the plain command.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("check")(check)
app.command("acid")(acid)
app.command("durability")(durability)

Url = Annotated[
    str,
    typer.Argument(
        metavar="URL",
        help="mysql://user@host/database, also with several hosts; postgresql://… or "
        "sqlite:///file. The password is taken from DBDYNO_PASSWORD.",
    ),
]
Schema = Annotated[
    str,
    typer.Option(
        "--schema",
        metavar="NAME",
        help="Whose tables: spec, benchmarksql, tpcc-mysql, go-tpc or sysbench-tpcc.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document in place of text.")]
WideTexts = Annotated[
    bool,
    typer.Option("--wide-texts", help="Texts as wide as in Terark's tpcc-mysql."),
]


@app.command("load")
def load(  # noqa: PLR0913 - one for each option
    url: Url,
    *,
    warehouses: Annotated[
        str,
        typer.Option(
            "--warehouses",
            "-w",
            metavar="NUMBER",
            help="How many there are, or which: 251-500, for a shard that is loaded at its node.",
        ),
    ] = "1",
    schema: Schema = "spec",
    connections: Annotated[
        int | None,
        typer.Option(
            "--connections", min=1, help="How many load at a time; without it, one a CPU."
        ),
    ] = None,
    foreign_keys: Annotated[
        bool, typer.Option("--foreign-keys", help="With the ten foreign keys.")
    ] = False,
    index: Annotated[
        list[str] | None,
        typer.Option(
            "--index",
            metavar="INDEX",
            help="Only this index besides the primary keys, by its name in the schema or as "
            "'table (column, …)'; give it once for each.",
        ),
    ] = None,
    table_options: Annotated[
        str,
        typer.Option("--table-options", help="What follows CREATE TABLE (…): ENGINE=…"),
    ] = "",
    tables: Annotated[
        str,
        typer.Option(
            "--tables", help="create, or existing: they are there, and empty, and are filled."
        ),
    ] = "create",
    ddl: Annotated[
        Path | None,
        typer.Option(
            "--ddl",
            metavar="FILE",
            help="Statements that make the tables, with their keys and indexes, in place of the "
            "schema's own.",
        ),
    ] = None,
    partitions: Annotated[
        int, typer.Option("--partitions", min=0, help="By warehouse; 0 is none.")
    ] = 0,
    bulk: Annotated[
        str,
        typer.Option(
            "--bulk",
            help="native: with LOAD DATA or COPY; insert: with INSERT; auto: native where the "
            "server takes it.",
        ),
    ] = "auto",
    text: Annotated[
        Path | None,
        typer.Option("--text", metavar="FILE", help="A file whose words fill the texts."),
    ] = None,
    wide_texts: WideTexts = False,
    seed: Annotated[int, typer.Option("--seed", min=0, help="What the rows grow from.")] = 1,
    as_json: Json = False,
) -> None:
    """Make the tables and fill them; a load that was cut short resumes where it stopped."""
    from dbdyno.peers.tpcc.command import load as carry_out
    from dbdyno.peers.tpcc.options import read_warehouses, read_word

    written = {
        **read_warehouses(warehouses),
        "schema": read_word("--schema", schema),
        "foreign_keys": foreign_keys,
        "indexes": index,
        "table_options": table_options,
        "tables": read_word("--tables", tables),
        "ddl": None if ddl is None else str(ddl.absolute()),
        "partitions": partitions,
        "text": None if text is None else str(text.absolute()),
        "wide_texts": wide_texts,
    }
    how = {"connections": connections, "bulk": read_word("--bulk", bulk)}
    request = _request("load", url, written, seed=seed, **how)
    carry_out(request, say, is_terminal=sys.stdout.isatty(), as_json=as_json)


@app.command("run")
def run(  # noqa: PLR0913 - one for each option
    url: Url,
    *,
    warehouses: Annotated[
        int | None,
        typer.Option(
            "--warehouses", "-w", min=1, help="Use the first so many; without it, all there are."
        ),
    ] = None,
    schema: Annotated[
        str | None,
        typer.Option(
            "--schema", metavar="NAME", help="Whose tables; without it, those that are there."
        ),
    ] = None,
    terminals: Annotated[
        int,
        typer.Option("--terminals", "--clients", "-c", min=1, help="Each with a connection."),
    ] = 1,
    duration: Annotated[
        str, typer.Option("--duration", help="The measured part: 90s, 5m, 1.5h.")
    ] = "60s",
    warmup: Annotated[str, typer.Option("--warmup", help="Load before it, not measured.")] = "10s",
    interval: Annotated[
        str, typer.Option("--interval", help="How often a line is printed; 0 is never.")
    ] = "5s",
    mix: Annotated[
        str,
        typer.Option(
            "--mix",
            help="deck, or the weights of New-Order, Payment, Order-Status, Delivery and "
            "Stock-Level.",
        ),
    ] = "deck",
    home: Annotated[
        str,
        typer.Option(
            "--home",
            help="fixed: a terminal has one home; random: another for each transaction.",
        ),
    ] = "fixed",
    home_range: Annotated[
        str | None,
        typer.Option(
            "--home-range",
            metavar="FIRST-LAST",
            help="Terminals' homes, so that several calls share the warehouses out.",
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(
            "--rate",
            min=0.001,
            help="Transactions of all kinds a second, in an open loop; without it, each terminal "
            "begins when its last transaction is answered.",
        ),
    ] = None,
    arrivals: Annotated[
        str, typer.Option("--arrivals", help="How they are spaced: poisson or constant.")
    ] = "poisson",
    transactions: Annotated[
        int | None,
        typer.Option(
            "--transactions", "-n", min=1, help="End after so many of all kinds; no warm-up."
        ),
    ] = None,
    pacing: Annotated[
        str,
        typer.Option(
            "--pacing",
            help="Keying and think times: none, spec, or a multiple of the specification's.",
        ),
    ] = "none",
    delivery: Annotated[
        str, typer.Option("--delivery", help="immediate, or deferred as the specification has it.")
    ] = "immediate",
    isolation: Annotated[
        str | None,
        typer.Option(
            "--isolation",
            help="read_committed, repeatable_read, serializable; without it, the server's.",
        ),
    ] = None,
    protocol: Annotated[
        str,
        typer.Option(
            "--protocol",
            help="prepared, text, multi: several in one round trip, or extended: PostgreSQL parses "
            "each statement anew.",
        ),
    ] = "prepared",
    pipelining: Annotated[
        str,
        typer.Option(
            "--pipelining",
            help="auto: prepared statements that need nothing of each other share a round trip, "
            "where the server takes it; off: one at a time.",
        ),
    ] = "auto",
    autocommit: Annotated[
        str | None,
        typer.Option(
            "--autocommit",
            help="on: transactions begin with BEGIN; off, as without it: with their first "
            "statement.",
        ),
    ] = None,
    workers: Workers = None,
    wait: Wait = "auto",
    verbose: Verbose = False,
    wide_texts: WideTexts = False,
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, help="Random seed; without it, a new one."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="A result directory, which report reads."),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option("--log", metavar="FILE", help="A line for each transaction, as CSV."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Run the five transactions on tables that are there, whoever loaded them."""
    from dbdyno.peers.call.sending import SendingOptions, read_wait
    from dbdyno.peers.tpcc.command import run as carry_out
    from dbdyno.peers.tpcc.options import (
        read_duration,
        read_mix,
        read_pacing,
        read_range,
        read_word,
    )
    from dbdyno.peers.tpcc.tables import with_schema_there

    written = {
        "schema": "spec" if schema is None else read_word("--schema", schema),
        "mix": read_mix(mix),
        "home_warehouse": read_word("--home", home),
        "home_range": None if home_range is None else read_range("--home-range", home_range),
        "pacing": read_pacing(pacing),
        "delivery": read_word("--delivery", delivery),
        "wide_texts": wide_texts,
    }
    request = _request(
        "run",
        url,
        written,
        clients=terminals,
        duration_s=read_duration("--duration", duration, at_least=1.0),
        warmup_s=0.0 if transactions else read_duration("--warmup", warmup),
        transactions=transactions,
        rate_per_s=rate,
        arrivals=read_word("--arrivals", arrivals),
        log=log,
        isolation=None if isolation is None else read_word("--isolation", isolation),
        protocol=read_word("--protocol", protocol),
        pipelining=read_word("--pipelining", pipelining),
        autocommit=None if autocommit is None else read_word("--autocommit", autocommit) == "on",
        sending=SendingOptions(workers, read_wait("--wait", wait), verbose),
        seed=seed,
        out=out,
    )
    interval_s = read_duration("--interval", interval)
    if schema is None:
        request = with_schema_there(request)
    carry_out(request, say, warn, warehouses=warehouses, interval_s=interval_s, as_json=as_json)


@app.command("drop")
def drop(url: Url, schema: Schema = "spec") -> None:
    """Remove the tables of a schema, whoever loaded them."""
    from dbdyno.peers.tpcc.load import drop as carry_out
    from dbdyno.peers.tpcc.options import read_word

    carry_out(_request("drop", url, {"schema": read_word("--schema", schema)}))
    say("dropped\n")


def _request(what: str, url: str, written: Mapping[str, object], **others: Any) -> TpccRequest:  # noqa: ANN401
    from dbdyno.peers.call.address import read_url
    from dbdyno.peers.tpcc.request import TpccRequest, new_seed, read_workload

    if others.get("seed", 0) is None:
        others["seed"] = new_seed()
    return TpccRequest(
        command=f"tpcc {what}", address=read_url(url), workload=read_workload(written), **others
    )
