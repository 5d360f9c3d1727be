"""What must be known of imported logs, a sentence a note."""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno.report.figures import ABSENT, share
from dbdyno.report.language import message, say, template
from dbdyno.source_notes import NoteCode
from dbdyno.trial_evidence import Figure, SourceNote

UNCHECKED = message(
    "dbdyno has read these trials from logs: it could not check the server, the machine or the "
    "load."
)
"""In place of a sentence that says that every check has passed."""

NOTES: Mapping[NoteCode, str] = {
    NoteCode.TRUNCATED: message(
        "The log ends before the tool's summary. What is known is from its intervals, until "
        "{until_s} s."
    ),
    NoteCode.NOTHING_MEASURED: message(
        "The log ends before the tool's summary, and has no intervals."
    ),
    NoteCode.DAMAGED_LINES: message(
        "Lines that cannot be read as lines of this table are left out: {lines} of them."
    ),
    NoteCode.CUT_LINES: message(
        "Of lines longer than {limit_bytes} characters the rest was not read. So many lines are "
        "that long: {lines}."
    ),
    NoteCode.INTERVALS_LEFT_OUT: message(
        "Intervals that do not end after the one before them are left out: {intervals} of them."
    ),
    NoteCode.INTERVALS_DIFFER: message(
        "The intervals are left out: together they are {intervals_per_s} per second, and the "
        "summary of the log says {summary_per_s}."
    ),
    NoteCode.IDLE_END_LEFT_OUT: message(
        "In the last intervals, {intervals} from {from_s} s on, hardly anything was done: the load "
        "had ended, or the server had stopped answering. They are not in the throughput."
    ),
    NoteCode.IDLE_END_COUNTED: message(
        "In the last intervals, {intervals} from {from_s} s on, hardly anything was done: the load "
        "had ended, or the server had stopped answering. The tool's throughput has this time in it."
    ),
    NoteCode.MEAN_REFUTED: message(
        "The mean{name} of {mean_ms} ms is left out: it is not between the minimum of {low_ms} ms "
        "and the maximum of {high_ms} ms in the same log."
    ),
    NoteCode.PERCENTILE_REFUTED: message(
        "{name} of {printed_ms} ms is left out. By the minimum, the mean and the maximum in the "
        "same log it lies between {low_ms} ms and {high_ms} ms."
    ),
    NoteCode.PERCENTILES_NOT_IN_ORDER: message(
        "The percentiles{name} are left out: a higher one is below a lower one."
    ),
    NoteCode.PERCENTILES_OF_INTERVALS: message(
        "Intervals are shown without percentiles that are not in order or above the maximum: "
        "{intervals} of them."
    ),
    NoteCode.END_OF_HISTOGRAM: message(
        "Left out: {percentiles}. The tool prints it as the end of its histogram, {end_ms} ms, and "
        "it may be any longer time."
    ),
    NoteCode.SUM_REFUTES_TIMES: message(
        "The times{name} are left out: the log prints a mean of {mean_ms} ms, but its sum by its "
        "number is {by_sum_ms} ms."
    ),
    NoteCode.RATE_REFUTED: message(
        "The throughput of {printed_per_s} per second is left out: the log counts {count} in "
        "{measured_s} s, which is {counted_per_s} per second."
    ),
    NoteCode.COUNT_DIFFERS: message(
        "The log's number of transactions, {count} in {measured_s} s, is {counted_per_s} per "
        "second, and its throughput of all kinds is {printed_per_s}. The number is not used."
    ),
    NoteCode.MORE_THAN_ALL: message(
        "The throughput of {part_per_s} per second is left out: by the same log all kinds together "
        "were {all_per_s} per second."
    ),
    NoteCode.MORE_THAN_CLIENTS: message(
        "The times are left out: throughput by mean time is {busy} clients that wait at once, and "
        "the log has {clients} (Little's law)."
    ),
    NoteCode.MORE_THAN_CLIENTS_UNCOUNTED: message(
        "Throughput and times are left out: throughput by mean time is {busy} clients that wait at "
        "once, and the log has {clients} (Little's law). It does not tell which of them is wrong."
    ),
    NoteCode.FAILED_NOT_COUNTED: message(
        "Operations that failed: {failed}. They are not in the throughput here. The tool prints "
        "{printed_per_s} per second with them."
    ),
    NoteCode.FAILED_COUNTED: message(
        "Operations failed, and the log does not tell how many. They are in the throughput."
    ),
    NoteCode.FAILED_HAVE_TIMES: message(
        "The times are also those of operations that failed: {failed}. The tool does not print "
        "them apart."
    ),
    NoteCode.NO_PERCENTILE: message("The log tells no percentile of the times."),
    NoteCode.BELOW_RESOLUTION: message(
        "Times are printed in steps of {resolution_ms} ms. A time that is printed as 0 is absent "
        "here."
    ),
    NoteCode.SINCE_CHECKPOINT: message(
        "sysbench's last summary counts only what came after its last checkpoint, at {at_s} s, "
        "but prints the time of the whole run, {printed_s} s. What came before the checkpoint is "
        "taken as warm-up, and the measured time is corrected."
    ),
    NoteCode.FORCED_SHUTDOWN: message(
        "Transactions that were unfinished when sysbench was stopped are not in the figures: "
        "{unfinished} of them."
    ),
    NoteCode.NOT_A_DATABASE: message(
        "This is a test of sysbench without a database. Throughput counts its events."
    ),
    NoteCode.QUEUE_LEFT: message(
        "Transactions still waited in sysbench's queue at its last interval: {queue} of them. "
        "Their times are not in the figures."
    ),
    NoteCode.TOTAL_ONE_TOO_MANY: message(
        "BenchmarkSQL's tpmTOTAL of {printed} counts one transaction too many. The number of "
        "transactions gives {corrected}."
    ),
    NoteCode.SECONDS_TO_MS: message("The tool prints times in seconds. Here they are in ms."),
    NoteCode.MICROSECONDS_TO_MS: message(
        "The tool prints times in microseconds. Here they are in ms."
    ),
    NoteCode.ERRORS_IN_LOG: message(
        "Lines of the log that tell errors: {errors}. The log does not tell how many "
        "transactions failed."
    ),
    NoteCode.TERMINALS_THINK: message(
        "Terminals keyed in and thought, so that throughput depends on their number first of all."
    ),
    NoteCode.INCOMPLETE_TABLE: message(
        "The table of transactions ends at {until_s} s, and the run was to take {run_s} s. The "
        "figures are of the part that is there."
    ),
    NoteCode.TABLE_ONLY: message("All figures are computed from single transactions."),
    NoteCode.PASSWORD_DROPPED: message(
        "The log shows the password. It was not read, and the copy does not have it."
    ),
    NoteCode.CPU_TIMES_DROPPED: message(
        "The times of this older form are left out: in Terark's fork they are CPU time of the "
        "client, and the log does not tell which program wrote it."
    ),
    NoteCode.README_SAYS_SECONDS: message(
        "Times are in ms, although the tool's README says seconds."
    ),
    NoteCode.MEAN_HAS_RAMPUP: message(
        "tpcc-mysql's avg_rt is left out: it sums times of the ramp-up, too, and divides them by "
        "the transactions after it."
    ),
    NoteCode.TPMC_FORMULA: message(
        "TpmC of {printed} counts all {counted} New-Orders, also those that were later than the "
        "limit, and no terminal keyed in or thought."
    ),
    NoteCode.RATE_FROM_COUNT: message(
        "go-tpc's TPM of rare transactions is too high, because its time begins with the first of "
        "them. Rates of kinds are counts by the time of the run."
    ),
    NoteCode.ERRORS_HAVE_TIMES: message(
        "Transactions that failed: {failed}. Their times are not in the figures."
    ),
    NoteCode.WAREHOUSES_FROM_EFFICIENCY: message(
        "The log does not print the number of warehouses. Its efficiency tells that there were "
        "{warehouses}."
    ),
    NoteCode.CLIENTS_FROM_WORKERS: message(
        "go-tpc does not print the number of clients. It is taken from the workers that said "
        "that they ended: {clients}."
    ),
    NoteCode.SEVENTH_COLUMN: message(
        "The seventh column is not named in pgbench's log. By its values it has {column}."
    ),
    NoteCode.AVERAGE_FROM_THROUGHPUT: message(
        "pgbench did not measure times here: it computed its average latency from clients and "
        "throughput. That figure is left out."
    ),
    NoteCode.SAMPLED: message(
        "The log has only {share} of the transactions, so it tells no throughput. Its times are "
        "those of the sample."
    ),
    NoteCode.PARTIAL_BUCKETS: message(
        "The first and the last interval of {interval_s} s are left out: the run began and ended "
        "within them."
    ),
    NoteCode.THREAD_LOGS_JOINED: message(
        "Logs of the threads of one run were read as one: {files} of them."
    ),
    NoteCode.SKIPPED: message(
        "pgbench skipped transactions that were late before they could be sent: {skipped} of "
        "them. Their times are not in the figures."
    ),
    NoteCode.COUNTS_SUCCESSES: message(
        "Throughput counts what succeeded. All requests together were {all_per_s} per second."
    ),
    NoteCode.WHOLE_MINUTES: message(
        "The measured time is HammerDB's setting in minutes, {minutes}. The log does not tell it "
        "to the second."
    ),
    NoteCode.PROFILE_HAS_RAMPUP: message(
        "HammerDB's time profile is of the whole run. The ramp-up is in the times, and not in the "
        "throughput."
    ),
    NoteCode.COUNTER_NOT_READ: message(
        "The lines of HammerDB's transaction counter count the database's transactions, not "
        "New-Orders. They are not read as intervals."
    ),
    NoteCode.FAILED_VIRTUAL_USERS: message(
        "Virtual users that ended with an error: {failed}. The throughput is of all the same "
        "time, with fewer users."
    ),
    NoteCode.FROM_AVERAGE_SECONDS: message(
        "mysqlslap prints an average of seconds over its iterations. Throughput is the number of "
        "queries by these seconds."
    ),
    NoteCode.COUNTS_QUERIES: message("Throughput counts statements, not transactions."),
    NoteCode.COUNTS_OPERATIONS: message("Throughput counts YCSB's operations, a statement each."),
    NoteCode.TIMES_BY_KIND: message(
        "The log tells percentiles of each kind of operation, and none of all together."
    ),
    NoteCode.SAME_LOG_TWICE: message(
        "{path} has the same content as {first}. It is left out, because a copy is no round."
    ),
    NoteCode.LEVEL_NOT_TOLD: message(
        "Logs differ in these options, and some do not tell them: {options}. What a log does not "
        'tell is the level "?", so that it is no round of the others.'
    ),
    NoteCode.OPTION_NOT_EVERYWHERE: message(
        "Some logs tell these options and others do not, so they are no factors: {options}. Name "
        "levels by FACTOR=LEVEL:PATH if they differ."
    ),
    NoteCode.VERSIONS_DIFFER: message(
        "Runs of {tool} are of different versions: {versions}. Their figures may differ for that "
        "reason alone."
    ),
    NoteCode.DURATIONS_DIFFER: message(
        "Runs were not equally long: from {shortest_s} s to {longest_s} s."
    ),
    NoteCode.MEASURED_FROM_DIFFERS: message(
        "Some times count from when a transaction was due, others from when it was sent. They "
        "cannot be compared."
    ),
    NoteCode.ROUNDS_FAR_APART: message(
        "Rounds of one cell differ {ratio} times: from {low_per_s} to {high_per_s} per second. If "
        "they are of different tests or machines, give each its level: FACTOR=LEVEL:PATH, and "
        "FACTOR=FIRST/SECOND:PATH for the runs of one file."
    ),
    NoteCode.CHANGE_TOGETHER: message(
        'The factors "{one}" and "{other}" always change together. The logs cannot tell which of '
        "them made a difference."
    ),
    NoteCode.NOTHING_VARIES: message(
        "All runs have the same levels, so there is nothing to compare. Name levels by "
        "FACTOR=LEVEL:PATH."
    ),
}
"""By code; names in braces are the figures of a note."""

LAG = message("the lag behind the schedule")
RETRIES = message("the number of retries")

_SIGNIFICANT = 6
_WHOLE_FROM = 1e5


def note_in_words(note: SourceNote) -> str:
    """Return the sentence of a note; its code alone where a later version has written it."""
    if note.code not in NOTES:
        return note.code
    figures = {name: _in_words(name, value) for name, value in note.figures}
    if note.code == NoteCode.SEVENTH_COLUMN:
        figures["column"] = say(LAG if dict(note.figures).get("is_lag") else RETRIES)
    return template(NOTES[NoteCode(note.code)]).format_map(_Figures(figures))


def _in_words(name: str, value: Figure) -> str:
    match value:
        case None:
            return ABSENT
        case str():
            return value
        case int():
            return f"{value:,}"
        case float() if name == "share":
            return share(value)
    return f"{value:,.0f}" if abs(value) >= _WHOLE_FROM else f"{value:,.{_SIGNIFICANT}g}"


class _Figures(dict[str, str]):
    """Figures of a note, of which a damaged file may miss some."""

    def __missing__(self, name: str) -> str:
        return ABSENT
