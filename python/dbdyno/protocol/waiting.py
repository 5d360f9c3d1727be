"""How a generator's workers wait for answers; a generator imports this, and it is small."""

from __future__ import annotations

SLEEP, PRIORITY, NAP, SPIN = "sleep", "priority", "nap", "spin"
"""How a worker waits for answers: asleep until the first one; the same, and other programs give way
to it then; in short naps where answers queue; or without sleeping. As in ``50us`` it sleeps until
the first one, and so long for more."""

PRIORITY_NICE = -20
"""Of a generator that others give way to, and of its session: 87 times the usual weight. Of 200
processes of a server 100 may be ready on a CPU, and all their weights count against it."""

AUTO = "auto"
WAITS = (AUTO, SLEEP, PRIORITY, NAP, SPIN)
WAIT_PATTERN = rf"^(?:{'|'.join(WAITS)}|[1-9][0-9]{{0,3}}us|10000us)$"
"""What people may ask for; ``auto`` is in no plan."""
