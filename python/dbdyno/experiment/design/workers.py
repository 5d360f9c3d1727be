"""How many threads of the generator send, and how they wait, where nobody says it."""

from __future__ import annotations

import os
from typing import TypedDict

from dbdyno.experiment.design.placement import placement_of_url
from dbdyno.protocol.generators import AUTO, NAP, SLEEP, Placement

APART: tuple[Placement, ...] = ("elsewhere", "other_cpus")
"""Where a server has none of the generator's CPUs."""

GENERATOR_SHARE = 4
"""Where the server has the same CPUs, the generator needs about one in so many."""
CLIENTS_THAT_QUEUE = 32
"""With so many clients to a worker it finds several answers at one wake-up (METHODOLOGY.md)."""
FEWEST = 2
"""One alone beside a server on two CPUs got it to do less, and at more CPU for each statement."""

FEWEST_LOADING = 4
"""Even on few CPUs, so that the server has work while rows are made and sent."""


def usual_workers(clients: int, placement: Placement) -> int:
    """Return how many workers send for so many clients from this machine.

    Apart from the server, there is one for each CPU. Beside it, few workers with many clients
    each wake up less often, which leaves more of the CPUs to the server. Where clients are too
    few for that, each worker has two or more: an answer seldom waits for a worker that runs
    elsewhere.
    """
    cpus = len(os.sched_getaffinity(0))
    if placement in APART:
        return min(clients, cpus)
    few = min(cpus, max(FEWEST, -(-cpus // GENERATOR_SHARE)))
    if clients >= CLIENTS_THAT_QUEUE * few:
        return few
    return max(1, min(clients // 2, cpus))


def chosen_wait(asked: str, placement: Placement) -> str:
    """Return how workers wait for answers: as asked, or as is best where the server runs.

    Naps take load off a server that has other CPUs, and cost throughput where they are the same.
    """
    if asked != AUTO:
        return asked
    return NAP if placement in APART else SLEEP


class Sending(TypedDict):
    """How a generator sends, as fields of a trial plan."""

    workers: int
    wait: str
    placement: Placement


def sending(clients: int, url: str, workers: int | None = None, wait: str = AUTO) -> Sending:
    """Return it for a server with this URL; what is not given is as it is best there."""
    placement = placement_of_url(url)
    return {
        "workers": min(workers, clients) if workers else usual_workers(clients, placement),
        "wait": chosen_wait(wait, placement),
        "placement": placement,
    }


def usual_loading_connections() -> int:
    """Return how many connections load tables."""
    return max(FEWEST_LOADING, os.cpu_count() or 1)
