"""What BenchmarkSQL 6.0's own properties ask of a run, and what of them has no equivalent.

There, ten terminals a warehouse key in and think, and hand their transactions to ``sutThreads``
connections, before which they stand in line. Here each terminal has a connection of its own. Where
terminals neither key in nor think, the line never ends and all connections always work: then there
are as many terminals as connections, and each takes whatever warehouse comes.
"""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno.errors import InputError
from dbdyno.peers.benchmarksql.run_settings import RunSettings, read_mix
from dbdyno.peers.benchmarksql.settings import OF_VERSION_5, TERMINALS_PER_WAREHOUSE, Settings
from dbdyno.peers.benchmarksql.values import integer, number, switch

NO_EFFECT = {
    "monkeys": "there are no threads between terminals and connections",
    "maxDeliveryBGThreads": "a terminal carries out its own Deliveries, whatever the others do",
    "maxDeliveryBGPerWarehouse": "it belongs to maxDeliveryBGThreads",
    "reportIntervalSecs": "the status line is printed every second",
    "resultIntervalSecs": "data/result.csv has a row for each transaction, as in version 5",
    "reportScript": "run dbdyno report on the directory dbdyno in resultDirectory",
}
GRADUAL_STARTS = ("rampupSUTMins", "rampupTerminalMins")
ROLLBACK_PERCENT = 1.01


def read_version_6(settings: Settings) -> RunSettings:
    """Return what is needed to run; InputError names the property that is wrong."""
    properties = settings.properties
    _refuse(properties)
    keying, think = (
        number(properties, name) for name in ("keyingTimeMultiplier", "thinkTimeMultiplier")
    )
    home_range = _home_range(settings)
    first, last = home_range or (1, settings.warehouses)
    multiplier = integer(properties, "terminalMultiplier", 1, at_least=1)
    terminals = TERMINALS_PER_WAREHOUSE * multiplier * (last - first + 1)
    threads = integer(properties, "sutThreads", at_least=1)
    waits = keying > 0 or think > 0
    asked = (
        number(properties, "newOrderWeight", at_most=100) if _names_new_order(properties) else None
    )
    mix, about_mix = read_mix(properties, asked)
    per_connection, about_connections = _transactions_per_connection(properties)
    return RunSettings(
        terminals=terminals if waits else min(terminals, threads),
        minutes=integer(properties, "runMins", at_least=1),
        rampup_minutes=integer(properties, "rampupMins", 0),
        is_warehouse_fixed=waits,
        home_range=home_range,
        mix=mix,
        keying=keying,
        think=think,
        delivery="deferred",
        rollback_percent=number(properties, "rollbackPercent", ROLLBACK_PERCENT, at_most=100),
        transactions_per_connection=per_connection,
        warnings=(
            _about_threads(terminals, threads, waits=waits),
            *about_mix,
            *about_connections,
            *_without_effect(properties),
        ),
    )


def _names_new_order(properties: Mapping[str, str]) -> bool:
    return bool(properties.get("newOrderWeight", "").strip())


def _refuse(properties: Mapping[str, str]) -> None:
    application = properties.get("application", "").strip() or "Generic"
    if application != "Generic":
        raise InputError(
            f"application={application} cannot be honoured: every statement is sent by itself, and "
            "no stored procedure is called; write application=Generic"
        )
    if "terminals" in properties:
        raise InputError(
            "terminals is a property of version 5 and sutThreads of version 6; take terminals out "
            f"for version 6, which has {TERMINALS_PER_WAREHOUSE} a warehouse, or the properties of "
            "version 6 for version 5"
        )


def _home_range(settings: Settings) -> tuple[int, int] | None:
    """Return the warehouses that terminals belong to; both must be above 0, or all are meant."""
    names = ("useWarehouseFrom", "useWarehouseTo")
    texts = [settings.properties.get(name, "").strip() or "-1" for name in names]
    if any(text.startswith("-") or text == "0" for text in texts):
        return None
    first, last = (integer(settings.properties, name, at_least=1) for name in names)
    if first > last or last > settings.warehouses:
        raise InputError(
            f"useWarehouseFrom={first}, useWarehouseTo={last}: not a range within "
            f"warehouses={settings.warehouses}"
        )
    return first, last


def _transactions_per_connection(properties: Mapping[str, str]) -> tuple[int, list[str]]:
    """Return after how many transactions a connection is made anew: as many as there on average."""
    name = "restartSUTThreadProbability"
    # Percent, as BenchmarkSQL's jTPCCSUT has it.
    percent = number(properties, name, 0.0, at_most=100)
    if percent == 0:
        return 0, []
    transactions = max(1, round(100 / percent))
    return transactions, [
        f"{name}={percent:g} (percent): a connection is made anew after every {transactions} "
        "transactions, and the next transaction waits for it"
    ]


def _about_threads(terminals: int, threads: int, *, waits: bool) -> str:
    if waits:
        return (
            f"sutThreads={threads} has no effect: each of the {terminals} terminals has a "
            "connection of its own, so that none waits for one; the server must allow so many. "
            "Where all threads are busy, BenchmarkSQL's throughput is lower than this one"
        )
    return (
        "keyingTimeMultiplier and thinkTimeMultiplier are 0: "
        f"{min(terminals, threads)} connections carry out one transaction after the other, and "
        "response times begin when a connection begins a transaction. BenchmarkSQL's also have the "
        f"time that {terminals} terminals wait for {threads} sutThreads"
    )


def _without_effect(properties: Mapping[str, str]) -> list[str]:
    said = [
        f"{name} has no effect: {reason}"
        for name, reason in NO_EFFECT.items()
        if name in properties
    ]
    said += [
        f"{name} has no effect: all terminals connect and begin at once; nothing of rampupMins is "
        "in any figure"
        for name in GRADUAL_STARTS
        if integer(properties, name, 0)
    ]
    if switch(properties, "traceTerminalIO"):
        said.append("traceTerminalIO has no effect: what terminals send and see is not shown")
    said += [
        f"{name} has no effect: it is a property of version 5"
        for name in sorted(OF_VERSION_5 & set(properties))
        if properties[name].strip() not in {"", "0"}
    ]
    return said
