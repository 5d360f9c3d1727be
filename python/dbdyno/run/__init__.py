"""Running experiments."""

from dbdyno.interruption import RunEndedAtOnceError, RunInterruptedError
from dbdyno.run.progress import Progress
from dbdyno.run.runner import Runner

__all__ = ["Progress", "RunEndedAtOnceError", "RunInterruptedError", "Runner"]
