"""How often trials are tried that fail, also where a run was killed between two attempts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from dbdyno.store.journal import JournalEvent, TrialFinished, TrialStarted


@dataclass(frozen=True)
class Attempts:
    """``most`` for each trial; ``made`` were some of these by an earlier run, in vain."""

    most: int
    made: Mapping[int, int] = field(default_factory=dict)

    def left(self, trial: int) -> range:
        """Return the numbers of the attempts that a trial has left."""
        return range(self.made.get(trial, 0) + 1, self.most + 1)


def find_attempts(
    journal: Iterable[JournalEvent], failed: Sequence[int], attempts: int
) -> Attempts:
    """Find the failed trials that a run was about to try again when it was killed."""
    begun: dict[int, int] = {}
    made: dict[int, int] = {}
    for event in journal:
        match event:
            case TrialStarted():
                begun[event.trial] = event.attempt
            case TrialFinished():
                made[event.trial] = begun.get(event.trial, 1)
    tried = {number: made.get(number, 1) for number in failed}
    return Attempts(attempts, {number: made for number, made in tried.items() if made < attempts})
