"""What a file of properties asks for, checked: as BenchmarkSQL 5.0 and 6.0 have it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dbdyno.errors import InputError
from dbdyno.password import is_name_of_password, without_passwords
from dbdyno.peers.benchmarksql.jdbc import Jdbc, read_jdbc
from dbdyno.peers.benchmarksql.properties import read_properties
from dbdyno.peers.benchmarksql.values import integer, required

DATABASES = {
    **dict.fromkeys(("mysql", "mariadb", "oceanbase", "tidb", "mo"), "mysql"),
    **dict.fromkeys(("postgres", "postgresql", "opengauss", "gaussdb"), "postgresql"),
}
"""What db= may be, also in forks (mo is MatrixOne), and whose protocol it is."""
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

OF_BOTH = {
    *("db", "driver", "conn", "user", "password", "warehouses", "loadWorkers", "fileLocation"),
    *("runMins", "resultDirectory", *WEIGHTS, *NO_EFFECT),
}
OF_VERSION_5 = {"terminals", "runTxnsPerTerminal", "limitTxnsPerMin", "terminalWarehouseFixed"}
OF_VERSION_6 = {
    *("application", "useWarehouseFrom", "useWarehouseTo", "monkeys", "sutThreads"),
    *("maxDeliveryBGThreads", "maxDeliveryBGPerWarehouse", "rampupMins", "rampupSUTMins"),
    *("rampupTerminalMins", "reportIntervalSecs", "resultIntervalSecs"),
    *("restartSUTThreadProbability", "keyingTimeMultiplier", "thinkTimeMultiplier"),
    *("terminalMultiplier", "traceTerminalIO", "rollbackPercent", "reportScript"),
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
    version: int
    """Whose properties they are: 5 or 6."""
    properties: Mapping[str, str]
    password: str | None
    jdbc: Jdbc
    warehouses: int
    load_workers: int
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
    jdbc = read_jdbc(required(properties, "conn"), properties.get("user"))
    if not jdbc.url.startswith(f"{kind}:"):
        raise InputError(f"db={properties['db']}, but conn leads to a server of another kind")
    if "fileLocation" in properties:
        raise InputError(
            "fileLocation cannot be honoured: rows are sent to the server, not written into files; "
            "take it out"
        )
    version = version_of(properties)
    return Settings(
        path=path,
        version=version,
        properties={name: _shown(name, value) for name, value in properties.items()},
        password=properties.get("password") or jdbc.password,
        jdbc=jdbc,
        warehouses=integer(properties, "warehouses", at_least=1),
        load_workers=integer(properties, "loadWorkers", 4, at_least=1),
        warnings=(*_without_effect(properties, version), *jdbc.warnings),
    )


def version_of(properties: Mapping[str, str]) -> int:
    """Return whose properties they are: 6 says nothing of terminals, but much that 5 knows not."""
    if "terminals" in properties and "sutThreads" not in properties:
        return 5
    return 6 if OF_VERSION_6 & set(properties) else 5


def _shown(name: str, value: str) -> str:
    return MASK if is_name_of_password(name) else without_passwords(value, MASK)


def _database(properties: Mapping[str, str]) -> str:
    name = required(properties, "db")
    if name in REFUSED_DATABASES:
        raise InputError(f"db={name}: there is no driver for it; known: {', '.join(DATABASES)}")
    if name not in DATABASES:
        from dbdyno.refusal import suggest

        raise InputError(f"db={name}: not known; {suggest(name, DATABASES)}")
    return DATABASES[name]


def _without_effect(properties: Mapping[str, str], version: int) -> list[str]:
    from dbdyno.refusal import nearest

    said = []
    known = OF_BOTH | OF_VERSION_5 | (OF_VERSION_6 if version == 6 else set())
    for name in properties:
        if reason := NO_EFFECT.get(name):
            said.append(f"{name} has no effect: {reason}")
        elif version == 5 and name in OF_VERSION_6:
            said.append(f"{name} has no effect: it is a property of version 6")
        elif name not in known:
            near = nearest(name, known - set(properties))
            hint = f"; did you mean {near}?" if near else ""
            said.append(f"{name} has no effect: it is not known here{hint}")
    return said
