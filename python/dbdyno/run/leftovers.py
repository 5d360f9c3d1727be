"""Ends what an earlier run of the same result has started and has not ended.

The kernel ends servers and generators with the run that started them. What escapes that is found
here by the marks that the run wrote into the journal, and never by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dbdyno.errors import RunError
from dbdyno.processes import ProcessMark, end_process
from dbdyno.store.journal import GeneratorStarted, JournalEvent, LeftoverEnded, ServerStarted


def end_leftovers(journal: Iterable[JournalEvent], tell: Callable[[JournalEvent], None]) -> None:
    """End each process that the journal names and that is still there, and tell it.

    ``RunError`` where that is not possible: it would take CPU and memory from every trial.
    """
    for process in dict.fromkeys(_started(journal)):
        try:
            was_there = end_process(process)
        except OSError as error:
            raise RunError(
                f"process {process.process_id}, which an earlier run has left, cannot be ended "
                f"({error.strerror or error}); end it, and call the same again"
            ) from error
        if was_there:
            tell(LeftoverEnded(process=process))


def _started(journal: Iterable[JournalEvent]) -> Iterable[ProcessMark]:
    for event in journal:
        if isinstance(event, (ServerStarted, GeneratorStarted)):
            yield from event.processes
