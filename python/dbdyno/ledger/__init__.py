"""What a server acknowledged, held against what it has stored: after every trial.

Before the load a book notes amounts that only the load changes; afterwards it reads them again, and
the change must be what the generator's clients were told is committed::

    books = open_books([lambda: open_session(url, password)], "mysql", workload)
    ...
    evidence = books.close(end)

Nothing here loads tables or writes to them.
"""

from __future__ import annotations

from dbdyno.ledger.evidence import Evidence, Standing
from dbdyno.ledger.hosts import HostBooks, open_books

__all__ = ["Evidence", "HostBooks", "Standing", "open_books"]
