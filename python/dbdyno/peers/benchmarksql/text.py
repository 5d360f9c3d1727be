"""BenchmarkSQL 5.0's output: the loader's lines, the log of a run, its status line."""

from __future__ import annotations

import math
import os
import resource
from datetime import datetime

from dbdyno import __version__
from dbdyno.peers.benchmarksql.settings import WEIGHTS, Settings
from dbdyno.peers.tpcc.kinds import count_finished
from dbdyno.peers.tpcc.run import Outcome

RULE = "+-------------------------------------------------------------+"

LOADER_PROPERTIES = ("driver", "conn", "user", "password", "warehouses", "loadWorkers")
LOADER_DEFAULTS = {"loadWorkers": "4", "csvNullValue": "NULL"}

OPTIONAL_IN_VERSION_6 = (
    *("application", "useWarehouseFrom", "useWarehouseTo", "terminalMultiplier"),
    *("restartSUTThreadProbability", "rollbackPercent"),
)
"""They are repeated where they are there."""

STATUS_END = " " * 10
"""Covers what the line before may have had more."""


def loader_header(settings: Settings) -> str:
    """Return the loader's first lines, with all that it reads."""
    lines = ["Starting BenchmarkSQL LoadData", ""]
    for name in (*LOADER_PROPERTIES, "fileLocation", "csvNullValue"):
        value = settings.properties.get(name)
        if value is not None:
            lines.append(f"{name}={value}")
        elif name in LOADER_DEFAULTS:
            lines.append(f"{name} (not defined - using default '{LOADER_DEFAULTS[name]}')")
        else:
            lines.append(f"{name} (not defined)")
    return "\n".join([*lines, "", ""])


def log_line(said: str, moment: datetime, thread: str = "main") -> str:
    """Return a line of the log, which has a time and no date."""
    time = f"{moment:%H:%M:%S},{moment.microsecond // 1000:03}"
    return f"{time} [{thread}] INFO   jTPCC : Term-00, {said}\n"


def run_header(settings: Settings) -> list[str]:
    """Return what the log begins with."""
    properties = settings.properties
    names = _run_properties(settings)
    return [
        "",
        RULE,
        "     BenchmarkSQL v5.0",
        RULE,
        f" (its form; run by dbdyno {__version__})",
        RULE,
        "",
        *(f"{name}={properties.get(name, 'null')}" if name else "" for name in names),
        "",
    ]


def _run_properties(settings: Settings) -> list[str]:
    """Return the names of what a run repeats, with empty ones between their groups."""
    properties = settings.properties
    weights = list(WEIGHTS)
    if settings.version == 6:
        of_version = [
            *("", "warehouses", "sutThreads", "rampupMins", "runMins", "keyingTimeMultiplier"),
            "thinkTimeMultiplier",
            *(name for name in OPTIONAL_IN_VERSION_6 if name in properties),
        ]
        weights.remove("newOrderWeight")
    else:
        is_by_time = properties.get("runMins", "0").strip() not in {"", "0"}
        of_version = [
            *("", "warehouses", "terminals", "runMins" if is_by_time else "runTxnsPerTerminal"),
            *("limitTxnsPerMin", "terminalWarehouseFixed"),
        ]
    return [
        *("db", "driver", "conn", "user", *of_version),
        *("", *weights, "", "resultDirectory", "osCollectorScript"),
    ]


def rampup(minutes: float) -> str:
    """Return what the log says while nothing counts yet."""
    return f"rampup of {minutes:g} min begins: nothing of it is in any figure"


def status(elapsed_s: float, transactions: int, current_per_minute: float) -> str:
    """Return the status line with the backspaces behind it, over which the next one is printed.

    Both rates are of transactions a minute: since the beginning, and in the last second.
    """
    average = 60 * transactions / elapsed_s if elapsed_s else 0.0
    used_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    all_mb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
    line = (
        f"Term-00, Running Average tpmTOTAL: {average:.2f}    "
        f"Current tpmTOTAL: {current_per_minute:.0f}    "
        f"Memory Usage: {used_mb}MB / {all_mb}MB{STATUS_END}"
    )
    # One more than there are characters, as there.
    return line + "\b" * (len(line) + 1)


def closing(outcome: Outcome, started: datetime, ended: datetime) -> list[str]:
    """Return what the log ends with. A transaction that failed is in no figure."""
    totals = outcome.totals
    new_orders, count = totals.of("new_order").finished, count_finished(totals)
    return [
        "",
        "",
        f"Measured tpmC (NewOrders) = {_cut(totals.per_minute(new_orders))}",
        f"Measured tpmTOTAL = {_cut(totals.per_minute(count))}",
        f"Session Start     = {started:%Y-%m-%d %H:%M:%S}",
        f"Session End       = {ended:%Y-%m-%d %H:%M:%S}",
        f"Transaction Count = {count}",
    ]


def _cut(value: float) -> str:
    """Return a number as BenchmarkSQL has it: cut after two digits, without zeros at their end."""
    return repr(math.floor(value * 100) / 100)
