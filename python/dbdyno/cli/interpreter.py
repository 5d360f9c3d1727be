"""How Python runs for a command: most take two seconds, and most of those are imports."""

from __future__ import annotations

import atexit
import gc

from dbdyno.variables import MATRIX_THREADS


def lighten() -> None:
    """Save what a short command doesn't need: a quarter of its CPU time.

    Call it before NumPy is imported.
    """
    # Matrices are small here. Without this, each copy of OpenBLAS (NumPy's and SciPy's) starts a
    # thread for every CPU, which spins for a while before it sleeps.
    MATRIX_THREADS.set_default("1")
    # Imports make objects by the hundred thousand, and they stay. Python would look through them
    # for circles whenever there are 700 more, and twice again when it exits.
    gc.set_threshold(100_000)
    atexit.register(gc.freeze)
