"""Where the server is: go-tpc's flags as a URL."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from dbdyno.database.address import Address
from dbdyno.errors import InputError
from dbdyno.password import password_in
from dbdyno.peers.call.address import place, server_url
from dbdyno.peers.go_tpc.arguments import Arguments
from dbdyno.peers.go_tpc.catalogue import OPTIONS
from dbdyno.peers.go_tpc.parameters import MYSQL, POSTGRES, Parameters, read_parameters
from dbdyno.peers.go_tpc.values import choice

SCHEMES = {MYSQL: "mysql", POSTGRES: "postgresql"}
ALWAYS_THERE = {MYSQL: "information_schema", POSTGRES: "postgres"}
"""A database to connect to where the one that is asked for is not there yet."""

LARGEST_PORT = 65_535


def read_connection(arguments: Arguments) -> Parameters:
    """Return what the flags about connections come to."""
    return read_parameters(
        _driver(arguments), arguments.text("conn-params"), arguments.text("ssl-ca")
    )


def read_address(arguments: Arguments, encryption: Mapping[str, str]) -> Address:
    """Return where a call leads to; InputError where it leads nowhere."""
    database = arguments.text("db")
    if not database:
        raise InputError("--db must not be empty")
    return _address(arguments, encryption, database)


def address_beside(arguments: Arguments, encryption: Mapping[str, str]) -> Address:
    """Return the address of a database that every such server has."""
    return _address(arguments, encryption, ALWAYS_THERE[_driver(arguments)])


def _driver(arguments: Arguments) -> str:
    return choice(arguments, "driver", tuple(SCHEMES))


def _address(arguments: Arguments, encryption: Mapping[str, str], database: str) -> Address:
    url = server_url(
        SCHEMES[_driver(arguments)],
        arguments.text("user"),
        _places(arguments),
        database,
        encryption,
    )
    return Address(url, arguments.text("password") or password_in())


def _places(arguments: Arguments) -> list[str]:
    """Return hosts with ports; as there, each host is combined with each port."""
    if targets := arguments.texts("targets"):
        return targets
    hosts, ports = arguments.texts("host"), arguments.texts("port")
    if not all(_is_port(text) for text in ports):
        # Somebody may have meant -p.
        raise InputError(
            f"{OPTIONS['port'].written} is not a port, which is a number from 1 to {LARGEST_PORT}"
        )
    if not hosts or not ports:
        raise InputError("--host and --port must not be empty")
    return [place(host.strip("[]"), port) for host, port in product(hosts, ports)]


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdecimal() and 1 <= int(text) <= LARGEST_PORT
