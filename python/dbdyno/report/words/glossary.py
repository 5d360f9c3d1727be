"""The glossary: our terms and the field's words for them, each with what it means here."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.report.language import message

TIMES = (
    (
        message("Response time (latency)"),
        message(
            "From the instant at which a transaction was scheduled to its end. It includes waiting "
            "for a free client, so it is what a user would feel. Other tools call it latency, or "
            "call service time so; this report never says latency, because the word does not say "
            "from which instant."
        ),
    ),
    (
        message("Service time (latency)"),
        message("From the start of a transaction's first attempt to its end, retries included."),
    ),
    (
        message("Schedule lag"),
        message(
            "From the scheduled time to the start. Response time is service time plus schedule "
            "lag. In a closed loop a client schedules a transaction when the one before has been "
            "answered, and the lag is next to nothing."
        ),
    ),
    (
        message("Closed loop, open loop"),
        message(
            "Closed loop: a fixed number of clients; each asks for the next transaction after the "
            "answer to the one before, so a slow server is asked less. Open loop: transactions "
            "arrive at a given rate, whatever the server does."
        ),
    ),
    (
        message("Coordinated omission"),
        message(
            "In a closed loop a server that stalls is not asked during the stall: one slow "
            "transaction of each client is measured, and all those that were not sent are missing "
            "from the percentiles. In an open loop they are scheduled all the same, and their "
            "response times contain the stall."
        ),
    ),
)
PERCENTILE = (
    message("Percentile"),
    message(
        "p99 is the time that 99 % of the transactions did not exceed. Percentiles of a cell are "
        "taken from merged histograms; those of its trials are what is compared."
    ),
)
TOLD_PERCENTILE = (
    message("Percentile"),
    message(
        "p99 is the time that 99 % of the transactions did not exceed. Logs tell one of each "
        "trial, and these cannot be merged: a cell has the geometric mean of those of its trials."
    ),
)
"""Of trials that were read from logs."""
LOAD = (
    (
        message("Throughput, TPS, QPS"),
        message(
            "Transactions that were committed or rolled back on purpose in the window, per second "
            "(TPS). QPS counts statements: it is about TPS times the statements per transaction."
        ),
    ),
    (
        message("Saturation, knee"),
        message(
            "A server is saturated where more load brings no more throughput, because something is "
            "used up: CPUs, a disk, a lock. The knee is the load at which that begins; beyond it "
            "only response times grow."
        ),
    ),
    (
        message("Rolled back, failed, dropped"),
        message(
            "Rolled back on purpose by the workload; ended by an error after all retries; "
            "scheduled, but not started before the trial ended."
        ),
    ),
)
TPCC = (
    (
        message("tpmC, NOPM"),
        message(
            "New-Orders of TPC-C per minute, those rolled back on purpose included. The figure is "
            "called tpmC only where terminals have keying and think times, as the specification "
            "requires; without them it is NOPM, which some tools call tpmC. Neither is a result of "
            "the TPC."
        ),
    ),
    (
        message("Keying time, think time"),
        message(
            "How long a terminal waits before a transaction, as if a user typed, and after it, as "
            "if a user read the answer. They limit what a terminal can ask for."
        ),
    ),
)
"""Where the workload is TPC-C."""
TRIALS = (
    (
        message("Cell, round, trial"),
        message(
            "A cell is one combination of levels. A round measures every cell once. A trial (a run "
            "in other tools) is one cell in one round, and the unit of replication: intervals "
            "within a trial are not independent samples."
        ),
    ),
    (
        message("Warm-up (ramp-up)"),
        message(
            "The part of a trial before its window: connections are made and caches fill. Nothing "
            "of it is in the figures."
        ),
    ),
    (
        message("Window, interval"),
        message(
            "The window is the measured part of a trial, after warm-up. It is cut into intervals "
            "of equal length; a transaction belongs to the interval in which its answer arrived."
        ),
    ),
    (
        message("Steady state"),
        message(
            "Throughput does not rise or fall any more, apart from noise. A warm-up must last "
            "until then; checks look for trends in the windows, and warn."
        ),
    ),
)
VERDICTS = (
    (
        message("95 % interval"),
        message(
            "Each for itself: if the whole experiment were repeated many times, 95 % of the "
            "intervals made in this way would hold the true value. It covers the variation between "
            "rounds, and nothing that was the same in all of them."
        ),
    ),
    (
        message("No difference shown"),
        message(
            "The trials do not show which of the two is better. This is not proof that they are "
            "equal: the interval says which differences are excluded, and the sentence says how "
            "many rounds would show one of 5 %."
        ),
    ),
    (
        message("Equivalent, no worse"),
        message(
            "Where the experiment names a margin below which differences do not matter ({margin}): "
            "the 90 % interval lies within it to both sides, or to the worse side."
        ),
    ),
    (
        message("All combinations"),
        message(
            "The effect of a factor's level on the mean over all combinations of the other "
            "factors' levels, round by round."
        ),
    ),
    (
        message("Confounded"),
        message(
            "Two things changed together, so that nobody can tell which of them caused a "
            "difference: a factor and another setting, or a factor and the time of day. Rounds "
            "guard against time; settings that differ besides the factor are listed."
        ),
    ),
    (
        message("Coefficient of variation"),
        message(
            "A standard deviation, divided by the mean: of the trials of a cell beside its "
            "throughput, of the intervals within a trial where it is about steadiness."
        ),
    ),
)


def terms(*, is_tpcc: bool, is_told: bool) -> Sequence[tuple[str, str]]:
    """Return the terms with their meanings, as messages.

    ``{margin}`` is the name of the option that says which differences do not matter. ``is_told``:
    the trials were read from logs.
    """
    percentile = TOLD_PERCENTILE if is_told else PERCENTILE
    return (*TIMES, percentile, *LOAD, *(TPCC if is_tpcc else ()), *TRIALS, *VERDICTS)
