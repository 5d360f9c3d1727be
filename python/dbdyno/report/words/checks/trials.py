"""Words of the checks of single trials: whether one is used, and what its window was like."""

from __future__ import annotations

from dbdyno.analysis.validity.codes import Code
from dbdyno.report.language import message
from dbdyno.report.words.checks.entry import CheckWords

WORDS = {
    Code.NOT_COMPLETED: CheckWords(
        message("A trial did not run to its end."),
        message("The trial is in no figure; comparisons have one round less."),
        message(
            "Remove the cause that is given and run the experiment again with the same directory; "
            "interrupted trials are then repeated."
        ),
    ),
    Code.NOT_STORED: CheckWords(
        message("The server said that transactions were committed, and they are not stored."),
        message("The server did not do the work that it acknowledged; the trial is not used."),
        message(
            "No figure of this trial describes a database. Look for a proxy or a driver that "
            "answers in place of the server, for a crash under settings that may lose commits, "
            "and for other programs that delete from these tables; then report it to the server's "
            "makers."
        ),
    ),
    Code.STORED_MORE: CheckWords(
        message("More is stored after a trial than its transactions were told is committed."),
        message("Others took part of the server's time, and their rows may hide losses."),
        message(
            "Somebody else wrote to these tables and took from what was measured; end those "
            "programs. Until then nobody can say whether the server lost anything."
        ),
    ),
    Code.NOT_HELD_AGAINST: CheckWords(
        message(
            "What was acknowledged was not compared with what is stored, or not all of it was."
        ),
        message("Commits that the server loses in what was left out would not be found."),
        message(
            "These trials do not prove that the server keeps what it acknowledges; the evidence "
            "says what would be needed."
        ),
    ),
    Code.COUNTERS_DISAGREE: CheckWords(
        message(
            "Some transactions were scheduled and neither ended nor are under way, or the other "
            "way round."
        ),
        message("No figure of the trial can be trusted; it is not used."),
        message(
            "This is a defect of the generator, or the stored counters were changed; report it."
        ),
    ),
    Code.NO_WINDOW: CheckWords(
        message("A trial has no interval in its window, so nothing was measured."),
        message("The trial has no throughput and no response times; it is not used."),
        message("Look in the journal for what ended it during warm-up."),
    ),
    Code.LOG_FAILED: CheckWords(
        message("A log tells that its run failed."),
        message("The trial is in no figure; comparisons have one round less."),
        message("Remove the cause that is given, run the tool again, and import its log."),
    ),
    Code.LOG_EMPTY: CheckWords(
        message("A log tells no throughput."),
        message("The trial is in no figure; comparisons have one round less."),
        message("Import the whole log: tools print throughput as they go on, and at their end."),
    ),
    Code.ERROR_BUDGET: CheckWords(
        message("More transactions failed than the error budget allows."),
        message("Throughput counts work that was not done; the trial is not used."),
        message(
            "Remove the cause of the errors listed for the trial; failed work costs little, so "
            "the throughput beside it means little."
        ),
    ),
    Code.CLIENTS_LOST: CheckWords(
        message("Fewer clients were connected than the cell asks for."),
        message("The load was smaller than the cell says; the trial is not used."),
        message("Find out why connections were closed or refused (limits, restarts, time-outs)."),
    ),
    Code.CHECK_FAILED: CheckWords(
        message("After a trial the tables did not hold what the workload keeps in them."),
        message(
            "The server may have been fast because it did not keep the data; the trial is not used."
        ),
        message(
            "The server lost or invented rows, or something else wrote to the tables; find out "
            "which before any figure is used."
        ),
    ),
    Code.NOT_CHECKED: CheckWords(
        message("It could not be checked whether the tables hold what the workload keeps in them."),
        message("Rows may be lost or wrong, and nobody would know."),
        message(
            "A layer in front of the servers may not take these queries; check at the servers "
            "themselves, or say procedure: {{check: none}}."
        ),
    ),
    Code.NOTHING_FINISHED: CheckWords(
        message("Not a single transaction finished in a window."),
        message("The round has no ratio, so comparisons with this cell have no verdict."),
        message(
            "A throughput of zero is counted as measured; look at the errors, and at what the "
            "server was waiting for."
        ),
    ),
    Code.FAILURES: CheckWords(
        message("Some transactions failed, fewer than the error budget allows."),
        message(
            "Response times of committed transactions do not contain those that failed, which may "
            "have waited longest."
        ),
        message(
            "Read the errors; compare their number and their times between cells beside throughput."
        ),
    ),
    Code.RATE_NOT_REACHED: CheckWords(
        message("The server did not keep up with the offered rate."),
        message(
            "Response times grow with the length of the window, so they cannot be compared with "
            "other runs."
        ),
        message("Lower the rate below what the server can do."),
    ),
    Code.NOT_SETTLED: CheckWords(
        message("Throughput had not settled when the windows began, or changed all through them."),
        message("The figures mix warming up with steady work, and depend on how long a trial is."),
        message(
            "Use a longer warm-up; if it never settles, look for a dataset that grows, caches "
            "that fill and background work."
        ),
    ),
    Code.NOT_STEADY: CheckWords(
        message(
            "The warm-up came to its bound while throughput changed or scattered too much to tell."
        ),
        message(
            "The windows may begin while throughput still rises or falls; not-settled says "
            "whether trials have that in common."
        ),
        message(
            "Raise most of the warm-up; where throughput only scatters, use longer intervals or a "
            "warm-up of fixed length."
        ),
    ),
    Code.STALLS: CheckWords(
        message("For a while no transaction finished, and the generator was running."),
        message("Percentiles of a closed loop hide the stall; those of an open loop contain it."),
        message(
            "Look for checkpoints, flushes and locks at that time; measure response times with a "
            "rate."
        ),
    ),
    Code.DIPS: CheckWords(
        message("Throughput fell below half of its median again and again."),
        message("The mean throughput hides intervals in which users got half of it or less."),
        message(
            "Look for checkpoints, compaction and garbage collection; give the range beside the "
            "mean."
        ),
    ),
    Code.WAITING_NOT_RECORDED: CheckWords(
        message(
            "Few clients did most of the work; the others waited, and percentiles do not show it."
        ),
        message("Percentiles are too low: they lack the waiting of most clients."),
        message(
            "The server does not serve its clients in turn. Read clients over throughput as the "
            "true mean response time, and use fewer clients, or a rate."
        ),
    ),
    Code.SHORT_WINDOW: CheckWords(
        message("The window has fewer than ten intervals."),
        message("Checks of steadiness and settling do not look at these trials."),
        message("Use a longer duration: whether throughput was steady cannot be told from so few."),
    ),
    Code.HISTOGRAM_OVERFLOW: CheckWords(
        message("Some times were beyond the histograms' range of two hours."),
        message("Percentiles that fall among these times are shown as infinite."),
        message("Percentiles among them are unknown and shown as infinite."),
    ),
    Code.MANY_RETRIES: CheckWords(
        message("Transactions were aborted at their first attempt, and had to be retried."),
        message("Response times contain the repeated attempts; throughput depends on contention."),
        message(
            "Contention is part of what was measured: compare abort shares beside throughput, or "
            "use more rows or fewer clients."
        ),
    ),
    Code.RECONNECTS: CheckWords(
        message("Connections were lost and made again during the window."),
        message("Response times contain the time that connecting again took."),
        message("Find out who closed them; the time it took to reconnect is part of the figures."),
    ),
}
