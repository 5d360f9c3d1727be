"""A trial's books: what is stored before it, to be held against what it is told is committed."""

from __future__ import annotations

from functools import partial

from dbdyno.experiment.kinds import WorkloadPlan
from dbdyno.experiment.url import database_of_url
from dbdyno.ledger import HostBooks, open_books
from dbdyno.server import Server
from dbdyno.server.session import open_session


def open_trials_books(server: Server, workload: WorkloadPlan) -> HostBooks:
    """Note what each host of a trial's server has stored before the load."""
    database = database_of_url(server.host_urls[0])
    connects = [partial(open_session, url, server.password) for url in server.host_urls]
    return open_books(connects, database, workload)
