"""What a call asks for, in dbdyno's own terms."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dbdyno.database.address import Address
from dbdyno.errors import InputError
from dbdyno.password import password_in
from dbdyno.peers.call.address import place, server_url, usual_socket
from dbdyno.peers.call.sending import SendingOptions, read_wait
from dbdyno.peers.tpcc.kinds import KINDS
from dbdyno.peers.tpcc.options import read_word
from dbdyno.peers.tpcc.request import TpccRequest, new_seed, read_workload
from dbdyno.peers.tpcc_mysql.arguments import Arguments

MAX_RETRIES = 2000
"""tpcc_start's."""

HERE = {"l", "localhost"}


@dataclass(frozen=True)
class StartRequest:
    """A call of ``start`` that was understood."""

    request: TpccRequest
    interval_s: int
    limits_s: tuple[int, ...]
    """Beyond these, by kind, a transaction is late."""


def read_start(arguments: Arguments) -> StartRequest:
    """Return what a call of ``start`` asks for."""
    asked_s = arguments.integer("l", 1)
    interval_s = min(arguments.integer("i", 1), asked_s)
    measured_s = asked_s // interval_s * interval_s
    written = {
        "schema": "tpcc_mysql",
        "mix": dict(zip(KINDS, map(float, arguments.ratio), strict=True))
        if arguments.ratio
        else "deck",
        "home_warehouse": "random",
        "wide_texts": arguments.switch("wide-texts"),
    }
    isolation, out = arguments.text("isolation"), arguments.text("out")
    request = TpccRequest(
        command="tpcc-mysql start",
        address=read_address(arguments),
        workload=read_workload(written),
        clients=arguments.integer("c", 1),
        duration_s=float(measured_s),
        warmup_s=float(arguments.integer("r")),
        seed=arguments.integer("seed") if arguments.text("seed") else new_seed(),
        isolation=read_word("--isolation", isolation) if isolation else None,
        max_retries=MAX_RETRIES,
        sending=SendingOptions(
            arguments.integer("workers", 1) if arguments.text("workers") else None,
            read_wait("--wait", arguments.text("wait")),
            arguments.switch("verbose"),
        ),
        out=Path(out) if out else None,
    )
    limits_s = tuple(arguments.integer(str(kind), 1) for kind in range(len(KINDS)))
    return StartRequest(request, interval_s, limits_s)


def read_load(arguments: Arguments) -> TpccRequest:
    """Return what a call of ``load`` asks for."""
    text = arguments.text("text")
    written = {
        "warehouses": arguments.integer("w", 1),
        "schema": "tpcc_mysql",
        "foreign_keys": not arguments.switch("no-foreign-keys"),
        "text": str(Path(text).absolute()) if text else None,
        # The form with a text and without letters is Terark's, whose texts are wide.
        "wide_texts": arguments.switch("wide-texts") or (arguments.is_positional and bool(text)),
    }
    return TpccRequest(
        command="tpcc-mysql load",
        address=read_address(arguments),
        workload=read_workload(written),
        connections=arguments.integer("connections", 1) if arguments.text("connections") else None,
        seed=arguments.integer("seed"),
    )


def read_address(arguments: Arguments) -> Address:
    """Return where the server is. For localhost it is a socket, as for MySQL's own clients."""
    host, port = arguments.text("h"), arguments.integer("P", 1)
    socket = arguments.text("S")
    if not socket and host in HERE and not any(name == "P" for name, _ in arguments.given):
        socket = usual_socket() or ""
    host = "localhost" if host in HERE or socket else host
    if not arguments.text("d"):
        raise InputError("-d must not be empty")
    url = server_url(
        "mysql",
        arguments.text("u"),
        [place(host, port)],
        arguments.text("d"),
        {"socket": socket},
    )
    return Address(url, arguments.text("p") or password_in())
