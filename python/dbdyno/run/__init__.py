"""Running experiments."""

from dbdyno.run.interruption import RunInterruptedError
from dbdyno.run.progress import Progress
from dbdyno.run.runner import Outcome, Runner

__all__ = ["Outcome", "Progress", "RunInterruptedError", "Runner"]
