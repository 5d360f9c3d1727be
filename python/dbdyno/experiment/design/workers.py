"""How many threads of the generator send, and how they wait, where nobody says it."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from threading import Thread
from typing import TypedDict

from dbdyno.database.url import database_of_url
from dbdyno.experiment.design.placement import placement_of_url
from dbdyno.protocol.generators import Placement
from dbdyno.protocol.waiting import AUTO, NAP, PRIORITY, PRIORITY_NICE, SLEEP

APART: tuple[Placement, ...] = ("elsewhere", "other_cpus")
"""Where a server has none of the generator's CPUs."""

GENERATOR_SHARE = 4
"""Where the server has the same CPUs, the generator needs about one in so many."""
CLIENTS_THAT_QUEUE = 32
"""With so many clients to a worker it finds several answers at one wake-up (METHODOLOGY.md)."""
CLIENTS_OF_ONE = 64
"""Fewer clients are better served by two workers than by one."""

FEWEST_LOADING = 4
"""Even on few CPUs, so that the server has work while rows are made and sent."""


def usual_workers(clients: int, placement: Placement, database: str, wait: str) -> int:
    """Return how many workers send for so many clients from this machine, and wait in this way.

    Apart from the server, there is one for each CPU. Beside it, few workers with many clients
    each wake up less often, which leaves more of the CPUs to the server. Where clients are too
    few for that, each worker has two or more: an answer seldom waits for a worker that runs
    elsewhere. PostgreSQL's processes are a scheduling group each, and leave one worker alone too
    little of the CPUs, unless it has priority: it has two or more.
    """
    cpus = len(os.sched_getaffinity(0))
    if placement in APART:
        return min(clients, cpus)
    needs_two = database == "postgresql" and wait != PRIORITY
    fewest = 2 if needs_two else max(1, min(2, cpus // 2))
    few = min(cpus, max(fewest, -(-cpus // GENERATOR_SHARE)))
    if clients >= max(CLIENTS_OF_ONE, CLIENTS_THAT_QUEUE * few):
        return few
    return max(1, min(clients // 2, cpus))


def chosen_wait(asked: str, placement: Placement, database: str) -> str:
    """Return how workers wait for answers: as asked, or as is best where the server runs.

    Naps take load off a server that has other CPUs, and cost throughput where they are the same.
    There answers would lie unread while the server's threads have the CPUs: the generator, which
    needs less of them, goes first where it may. SQLite runs in the generator itself.
    """
    if asked != AUTO:
        return asked
    if placement in APART:
        return NAP
    return PRIORITY if database != "sqlite" and may_have_priority() else SLEEP


@cache
def may_have_priority() -> bool:
    """Whether the kernel lets this user raise the weight of a process: root, as a rule.

    A thread that ends at once tries it. Capabilities do not tell it within a container.
    """
    allowed = list[bool]()

    def attempt() -> None:
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, 0, PRIORITY_NICE)  # Linux: of this thread alone
            allowed.append(True)

    thread = Thread(target=attempt)
    thread.start()
    thread.join()
    return bool(allowed)


class Sending(TypedDict):
    """How a generator sends, as fields of a trial plan."""

    workers: int
    wait: str
    placement: Placement


def sending(
    clients: int,
    url: str,
    workers: int | None = None,
    wait: str = AUTO,
    cpus: tuple[int, ...] | None = None,
) -> Sending:
    """Return it for a server with this URL; what is not given is as it is best there.

    ``cpus`` are those that the generator may use, where not all of ours.
    """
    placement = placement_of_url(url, cpus)
    database = database_of_url(url)
    chosen = chosen_wait(wait, placement, database)
    usual = usual_workers(clients, placement, database, chosen)
    return {
        "workers": min(workers, clients) if workers else usual,
        "wait": chosen,
        "placement": placement,
    }


def usual_loading_connections() -> int:
    """Return how many connections load tables."""
    return max(FEWEST_LOADING, os.cpu_count() or 1)
