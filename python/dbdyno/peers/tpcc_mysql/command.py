"""One call of tpcc-mysql's form, from its words to its output."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dbdyno.errors import InputError, RunError
from dbdyno.peers.call.run import run as run_trial
from dbdyno.peers.call.totals import Totals
from dbdyno.peers.tpcc.load import load as load_tables
from dbdyno.peers.tpcc.progress import LoadProgress, describe_loaded
from dbdyno.peers.tpcc.run import Outcome
from dbdyno.peers.tpcc.tables import with_tables
from dbdyno.peers.tpcc_mysql import guide, text
from dbdyno.peers.tpcc_mysql.arguments import Arguments, read_arguments
from dbdyno.peers.tpcc_mysql.catalogue import COMMANDS
from dbdyno.peers.tpcc_mysql.request import StartRequest, read_load, read_start
from dbdyno.protocol.events import Connected
from dbdyno.protocol.intervals import Interval

Say = Callable[[str], None]

LIMITS_ARE_SECONDS = (
    "limits of response times (-0 to -4) are seconds, as the specification has them; tpcc_start "
    "compares milliseconds with them, so that nearly everything is late there"
)

PARTS = ("1", "2", "3", "4")
"""Items; warehouses, stock and districts; customers; orders: of tpcc_load, each a call."""

NO_SCRIPTS = "; load makes the tables itself, so that create_table.sql must not be run before"


def call(words: Sequence[str], say: Say, warn: Say, *, is_terminal: bool = False) -> None:
    """Carry out what the words ask for; ``InputError`` where they are wrong."""
    command = words[0] if words else ""
    if not words or command in {"help", "--help"} or "--help" in words:
        say(guide.of(command))
        return
    if command not in COMMANDS:
        from dbdyno.refusal import suggest

        raise InputError(f"tpcc-mysql: no command {command!r}; {suggest(command, COMMANDS)}")
    arguments = read_arguments(command, words[1:])
    for warning in arguments.warnings:
        warn(f"WARNING: {warning}\n")
    if command == "load" and _has_rows(arguments):
        _load(arguments, say, is_terminal=is_terminal)
    elif command == "load":
        warn("WARNING: nothing is done for this part: all tables are loaded by part 1 (-l 1)\n")
    else:
        _start(arguments, say, warn)


def _has_rows(arguments: Arguments) -> bool:
    """Tell whether this call loads: of several calls, the one for the first part does.

    Each is of all warehouses: tables are filled once, and get their indexes and keys then.
    """
    part, warehouses = arguments.text("l"), arguments.integer("w", 1)
    if part not in {"", *PARTS}:
        raise InputError(f"-l {part}: the parts of a load are {', '.join(PARTS)}")
    first = arguments.integer("m", 1) if arguments.text("m") else 1
    last = arguments.integer("n", 1) if arguments.text("n") else warehouses
    if (first, last) != (1, warehouses):
        raise InputError(
            f"-m {first} -n {last}: a call loads all {warehouses} warehouses of -w, over several "
            "connections (--connections); call it once, without -l, -m and -n. For a range in a "
            f"database of its own: dbdyno tpcc load URL -w {first}-{last} --schema tpcc-mysql"
        )
    return part in {"", PARTS[0]}


def _load(arguments: Arguments, say: Say, *, is_terminal: bool) -> None:
    request = read_load(arguments)
    say(text.opening(arguments))
    say("TPCC Data Load Started...\n")
    progress = LoadProgress(say, is_terminal=is_terminal)
    try:
        loaded = load_tables(request, progress.tell)
    except RunError as error:
        hint = NO_SCRIPTS if "is there already" in str(error) else ""
        raise RunError(f"{error}{hint}") from error
    finally:
        progress.done()
    say(f"{describe_loaded(loaded)}\n\n...DATA LOADING COMPLETED SUCCESSFULLY.\n")


def _start(arguments: Arguments, say: Say, warn: Say) -> None:
    start = read_start(arguments)
    say(text.opening(arguments))
    request = with_tables(start.request, arguments.integer("w", 1))
    warn(f"note: {LIMITS_ARE_SECONDS}\n")
    outcome = run_trial(request, Speaker(start, say))
    for line in outcome.remarks():
        warn(line)


class Speaker:
    """Prints tpcc_start's lines as the load goes on."""

    def __init__(self, start: StartRequest, say: Say) -> None:
        self._start = start
        self._say = say
        self._line = Totals()

    def connected(self, event: Connected) -> None:
        """Announce the ramp-up."""
        self._say(f"\nRAMP-UP TIME.({self._start.request.warmup_s:.0f} sec.)\n")
        if not self._start.request.warmup_s:
            self._measure()

    def warming(self, interval: Interval) -> None:
        """Announce the measurement when the ramp-up is over."""
        if interval.end_s > -0.5:
            self._measure()

    def _measure(self) -> None:
        self._say("\nMEASURING START.\n\n")

    def interval(self, interval: Interval) -> None:
        """Print a line where one is due."""
        self._line.add(interval)
        if self._line.elapsed_s > self._start.interval_s - 0.5:
            self._say(text.interval(interval.end_s, self._line))
            self._line = Totals()

    def ended(self, outcome: Outcome) -> None:
        """Print the results."""
        dots = "." * self._start.request.clients
        self._say(f"\nSTOPPING THREADS{dots}\n{text.summary(outcome.totals, self._start)}")
