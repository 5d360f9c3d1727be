"""What a file of properties asks for, checked: as BenchmarkSQL 5.0 has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dbdyno.benchmarksql.jdbc import Jdbc, read_jdbc
from dbdyno.benchmarksql.properties import read_properties
from dbdyno.errors import InputError
from dbdyno.password import is_name_of_password, without_passwords

DATABASES = {"mysql": "mysql", "mariadb": "mysql", "postgres": "postgresql"}
REFUSED_DATABASES = ("oracle", "firebird", "transact-sql", "babelfish")

WEIGHTS = {
    "newOrderWeight": "new_order",
    "paymentWeight": "payment",
    "orderStatusWeight": "order_status",
    "deliveryWeight": "delivery",
    "stockLevelWeight": "stock_level",
}

NO_EFFECT = {
    "driver": "",
    "osCollectorScript": "this machine is watched by dbdyno itself, others are not",
    "osCollectorInterval": "it belongs to osCollectorScript",
    "osCollectorSSHAddr": "no other machine is asked",
    "osCollectorDevices": "the disk and the network of this machine are watched as a whole",
    "csvNullValue": "it belongs to fileLocation",
}
"""Properties that are read by BenchmarkSQL and change nothing here; the driver's silently."""

KNOWN = {
    *("db", "driver", "conn", "user", "password", "warehouses", "loadWorkers"),
    *("fileLocation", "terminals", "runTxnsPerTerminal", "runMins", "limitTxnsPerMin"),
    *("terminalWarehouseFixed", "resultDirectory", *WEIGHTS, *NO_EFFECT),
}

TERMINALS_PER_WAREHOUSE = 10

MASK = "***********"
"""How BenchmarkSQL shows a password."""


@dataclass(frozen=True)
class Settings:
    """A file of properties that was understood.

    ``properties`` are as they may be shown and stored: every password in them is masked.
    """

    path: Path
    properties: Mapping[str, str]
    password: str | None
    jdbc: Jdbc
    warehouses: int
    load_workers: int
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class RunSettings:
    """What ``run`` needs besides."""

    terminals: int
    transactions_per_terminal: int
    minutes: int
    is_warehouse_fixed: bool
    mix: Mapping[str, float]
    rate_per_s: float | None
    """Transactions that are offered; None where there is no limit."""
    warnings: tuple[str, ...]


def read_settings(path: Path) -> Settings:
    """Read a file; InputError names the property that is wrong."""
    properties = read_properties(path)
    try:
        return _settings(path, properties)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _settings(path: Path, properties: Mapping[str, str]) -> Settings:
    kind = _database(properties)
    jdbc = read_jdbc(_required(properties, "conn"), properties.get("user"))
    if not jdbc.url.startswith(f"{kind}:"):
        raise InputError(f"db={properties['db']}, but conn leads to a server of another kind")
    if "fileLocation" in properties:
        raise InputError(
            "fileLocation cannot be honoured: rows are sent to the server, not written into files; "
            "take it out"
        )
    return Settings(
        path=path,
        properties={name: _shown(name, value) for name, value in properties.items()},
        password=properties.get("password") or jdbc.password,
        jdbc=jdbc,
        warehouses=_integer(properties, "warehouses", at_least=1),
        load_workers=_integer(properties, "loadWorkers", 4, at_least=1),
        warnings=(*_without_effect(properties), *jdbc.warnings),
    )


def _shown(name: str, value: str) -> str:
    return MASK if is_name_of_password(name) else without_passwords(value, MASK)


def _database(properties: Mapping[str, str]) -> str:
    name = _required(properties, "db")
    if name in REFUSED_DATABASES:
        raise InputError(f"db={name}: there is no driver for it; known: {', '.join(DATABASES)}")
    if name not in DATABASES:
        from dbdyno.experiment.base import suggest

        raise InputError(f"db={name}: not known; {suggest(name, DATABASES)}")
    return DATABASES[name]


def _without_effect(properties: Mapping[str, str]) -> list[str]:
    from dbdyno.experiment.base import nearest

    said = []
    for name in properties:
        if reason := NO_EFFECT.get(name):
            said.append(f"{name} has no effect: {reason}")
        elif name not in KNOWN:
            near = nearest(name, KNOWN - set(properties))
            hint = f"; did you mean {near}?" if near else ""
            said.append(f"{name} has no effect: it is not known here{hint}")
    return said


def read_run(settings: Settings) -> RunSettings:
    """Return what is needed to run; InputError names the property that is wrong."""
    try:
        return _run(settings)
    except InputError as error:
        raise InputError(f"{settings.path}: {error}") from error


def _run(settings: Settings) -> RunSettings:
    properties = settings.properties
    transactions = _integer(properties, "runTxnsPerTerminal", 0)
    minutes = _integer(properties, "runMins", 0)
    if bool(transactions) == bool(minutes):
        raise InputError(
            "exactly one of runTxnsPerTerminal and runMins must be above 0; they are "
            f"{transactions} and {minutes}"
        )
    most = TERMINALS_PER_WAREHOUSE * settings.warehouses
    terminals = _integer(properties, "terminals", at_least=1)
    if terminals > most:
        raise InputError(
            f"terminals={terminals}: more than {TERMINALS_PER_WAREHOUSE} a warehouse; {most} is "
            f"the most with warehouses={settings.warehouses}"
        )
    mix, warnings = _mix(properties)
    rate_per_s, about_rate = _rate(properties, terminals)
    return RunSettings(
        terminals=terminals,
        transactions_per_terminal=transactions,
        minutes=minutes,
        is_warehouse_fixed=_switch(properties, "terminalWarehouseFixed"),
        mix=mix,
        rate_per_s=rate_per_s,
        warnings=(*warnings, *about_rate),
    )


def _rate(properties: Mapping[str, str], terminals: int) -> tuple[float | None, list[str]]:
    """Return the transactions a second that are offered, and what is to be said of them.

    BenchmarkSQL shares the limit out among its terminals, of which each sleeps after a transaction
    until its share of the time is over.
    """
    limit = _integer(properties, "limitTxnsPerMin", 0)
    if limit == 0:
        return None, []
    if limit < terminals:
        return None, [
            f"limitTxnsPerMin={limit} has no effect, as in BenchmarkSQL: shared out among "
            f"{terminals} terminals it is 0, which is none"
        ]
    shared_out = limit // terminals * terminals
    return shared_out / 60, [
        f"limitTxnsPerMin={limit}: {shared_out} transactions a minute are offered at even "
        "distances, whatever the server does, and response times begin when they are due. "
        "BenchmarkSQL's terminals sleep after a transaction, so that a slow server is asked less "
        "and waiting is not seen"
    ]


def _mix(properties: Mapping[str, str]) -> tuple[dict[str, float], list[str]]:
    """Return the weights: New-Order has what the others leave, whatever its own property says."""
    weights = {kind: _weight(properties, name) for name, kind in WEIGHTS.items()}
    asked = weights.pop("new_order")
    left = 100 - sum(weights.values())
    if left < 0:
        raise InputError(f"the weights of all but New-Order sum to {100 - left:g}, above 100")
    warnings = []
    if asked != left:
        warnings.append(
            f"newOrderWeight={asked:g} has no effect: New-Order has the {left:g} % that the other "
            "weights leave"
        )
    return {"new_order": left, **weights}, warnings


def _weight(properties: Mapping[str, str], name: str) -> float:
    text = _required(properties, name)
    try:
        weight = float(text)
    except ValueError:
        weight = -1.0
    if not 0 <= weight <= 100:
        raise InputError(f"{name}={text}: not a number from 0 to 100")
    return weight


def _required(properties: Mapping[str, str], name: str) -> str:
    value = properties.get(name, "").strip()
    if not value:
        raise InputError(f"the property {name} is missing")
    return value


def _integer(
    properties: Mapping[str, str], name: str, default: int | None = None, at_least: int = 0
) -> int:
    text = properties.get(name, "").strip()
    if not text and default is not None:
        return default
    if not text:
        raise InputError(f"the property {name} is missing")
    if not (text.isascii() and text.isdecimal()) or int(text) < at_least:
        raise InputError(f"{name}={text}: not a whole number of {at_least} or more")
    return int(text)


def _switch(properties: Mapping[str, str], name: str) -> bool:
    """Return a switch as Java's Boolean reads it: what is not true is false."""
    return properties.get(name, "").strip().lower() == "true"
