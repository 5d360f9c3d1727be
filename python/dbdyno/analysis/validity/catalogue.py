"""Every validity check by name: how grave it is, what it means, and what to do about it.

The checks themselves only find evidence, in figures. That a trial is *invalid* means that its
figures do not say what their names say; it is then left out, and the report says so.
"""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analysis.findings import Finding, Severity
from dbdyno.analysis.validity.codes import Code, Entry

CATALOGUE: dict[Code, Entry] = {
    Code.KILLED_FOR_MEMORY: Entry(
        Severity.INVALID,
        "The kernel killed the server, or a process of it, for lack of memory.",
        "Raise limits.memory, or make the server's caches and the number of its clients smaller. "
        "To measure the trial again, remove its folder and run the experiment again.",
    ),
    Code.NOT_COMPLETED: Entry(
        Severity.INVALID,
        "A trial did not run to its end.",
        "Remove the cause that is given and run the experiment again with the same directory; "
        "interrupted trials are then repeated.",
    ),
    Code.NOT_STORED: Entry(
        Severity.INVALID,
        "The server said that transactions were committed, and they are not stored.",
        "No figure of this trial is one of a database. Look for a proxy or a driver between that "
        "answers in the server's place, for a crash under settings that may lose commits, and for "
        "other programs that delete from these tables; then report it to the server's makers.",
    ),
    Code.COUNTERS_DISAGREE: Entry(
        Severity.INVALID,
        "Transactions were scheduled that neither ended nor are under way, or the other way round.",
        "This is a defect of the generator, or the stored counters were changed; report it.",
    ),
    Code.NO_WINDOW: Entry(
        Severity.INVALID,
        "A trial has no interval in its window, so nothing was measured.",
        "Look in the journal for what ended it during warm-up.",
    ),
    Code.GENERATOR_STOPPED: Entry(
        Severity.INVALID,
        "The generator itself stood still during a trial.",
        "Find out what stopped it: a suspended machine, a debugger, Ctrl-Z, or no CPU left for it. "
        "To measure the trial again, remove its folder and run the experiment again.",
    ),
    Code.ERROR_BUDGET: Entry(
        Severity.INVALID,
        "More transactions failed than the error budget allows.",
        "Remove the cause of the errors listed for the trial; failed work is cheap work, and a "
        "throughput beside it means little.",
    ),
    Code.CLIENTS_LOST: Entry(
        Severity.INVALID,
        "Fewer clients were connected than the cell asks for.",
        "Find out why connections were closed or refused (limits, restarts, time-outs).",
    ),
    Code.CHECK_FAILED: Entry(
        Severity.INVALID,
        "After a trial the tables did not hold what the workload keeps in them.",
        "The server lost or invented rows, or something else wrote to the tables; find out which "
        "before any figure is used.",
    ),
    Code.NOT_CHECKED: Entry(
        Severity.WARNING,
        "Whether the tables hold what the workload keeps in them could not be checked.",
        "A layer in front of the servers may not take these queries; check at the servers "
        "themselves, or say procedure: {check: none}.",
    ),
    Code.STORED_MORE: Entry(
        Severity.WARNING,
        "More is stored after a trial than its transactions were told is committed.",
        "Somebody else wrote to these tables and took from what was measured; end those programs. "
        "Until then nobody can say whether the server lost anything.",
    ),
    Code.NOT_HELD_AGAINST: Entry(
        Severity.NOTE,
        "What was acknowledged was not held against what is stored, or not all of it.",
        "Whether the server keeps what it acknowledges is not proved by these trials; the reason "
        "says what would be needed.",
    ),
    Code.NOTHING_FINISHED: Entry(
        Severity.WARNING,
        "Not a single transaction finished in a window.",
        "A throughput of zero is counted as measured; look at the errors, and at what the "
        "server was waiting for.",
    ),
    Code.FAILURES: Entry(
        Severity.WARNING,
        "Some transactions failed, fewer than the error budget allows.",
        "Read the errors; compare their number and their times between cells beside throughput.",
    ),
    Code.GENERATOR_BUSY: Entry(
        Severity.WARNING,
        "A worker of the generator was busy nearly all the time: the client may be what was "
        "measured.",
        "Give the generator more workers and CPUs of its own, or read the throughput as a lower "
        "bound.",
    ),
    Code.GENERATOR_LATE: Entry(
        Severity.WARNING,
        "The generator handled answers late, compared with how long they took.",
        "Give the generator more workers or CPUs of its own. The kernel's receive times keep the "
        "delay out of response times, but not where there are none (sockets, SQLite).",
    ),
    Code.GENERATOR_STARVED: Entry(
        Severity.WARNING,
        "The generator's threads were ready to run and waited for a CPU.",
        "Keep servers and other programs off the generator's CPUs, or use fewer clients.",
    ),
    Code.GENERATOR_PAUSED: Entry(
        Severity.WARNING,
        "The generator itself did not run for part of the window.",
        "Give the generator CPUs of its own, and end what else needs them.",
    ),
    Code.SHARED_HOST: Entry(
        Severity.WARNING,
        "Generator and server ran on one host without CPUs of their own.",
        "Give both a set of CPUs (target cpus, generators cpus), or use two machines.",
    ),
    Code.CLOCK_STEPPED: Entry(
        Severity.NOTE,
        "The wall clock was set during a trial.",
        "Durations are taken from the monotonic clock and are right; times of day are not.",
    ),
    Code.RATE_NOT_REACHED: Entry(
        Severity.WARNING,
        "The server did not keep up with the offered rate.",
        "Lower the rate below what the server can do.",
    ),
    Code.NOT_SETTLED: Entry(
        Severity.WARNING,
        "Throughput had not settled when the windows began, or changed all through them.",
        "Use a longer warm-up; if it never settles, look for a dataset that grows, caches that "
        "fill and background work.",
    ),
    Code.NOT_STEADY: Entry(
        Severity.WARNING,
        "The warm-up came to its bound before throughput was shown to be steady.",
        "Raise most of the warm-up; where throughput only scatters, use longer intervals or a "
        "warm-up of fixed length.",
    ),
    Code.STALLS: Entry(
        Severity.WARNING,
        "For a while no transaction finished, and the generator was running.",
        "Look for checkpoints, flushes and locks at that time; measure response times with a rate.",
    ),
    Code.DIPS: Entry(
        Severity.WARNING,
        "Throughput fell below half of its median again and again.",
        "Look for checkpoints, compaction and garbage collection; give the range beside the mean.",
    ),
    Code.WAITING_NOT_RECORDED: Entry(
        Severity.WARNING,
        "Few clients did most of the work; the others waited, and percentiles do not show it.",
        "The server does not serve its clients in turn (SQLite's writers do not queue). Read "
        "throughput over clients as the true mean response time, and use fewer clients, or a rate.",
    ),
    Code.SHORT_WINDOW: Entry(
        Severity.NOTE,
        "The window has fewer than ten intervals.",
        "Use a longer duration: whether throughput was steady cannot be told from so few.",
    ),
    Code.HISTOGRAM_OVERFLOW: Entry(
        Severity.WARNING,
        "Some times were beyond the histograms' range of two hours.",
        "Percentiles among them are unknown and shown as infinite.",
    ),
    Code.MANY_RETRIES: Entry(
        Severity.WARNING,
        "Many transactions were aborted at their first attempt and had to be retried.",
        "Contention is part of what was measured: compare abort shares beside throughput, or use "
        "more rows or fewer clients.",
    ),
    Code.RECONNECTS: Entry(
        Severity.WARNING,
        "Connections were lost and made again during the window.",
        "Find out who closed them; the time it took to reconnect is part of the figures.",
    ),
    Code.GENERATOR_LOST: Entry(
        Severity.INVALID,
        "One of several generators was lost in mid-trial, and the others went on.",
        "Find out what ended it. What was measured is kept; to measure the trial again, remove its "
        "folder and run the experiment again.",
    ),
    Code.GENERATOR_SILENT: Entry(
        Severity.WARNING,
        "One of several generators told nothing for a while.",
        "Look at its pauses and at the load of its machine: it may have made no load meanwhile.",
    ),
    Code.CLOCKS_UNKNOWN: Entry(
        Severity.INVALID,
        "The clock of a generator's host is not known to a quarter of an interval.",
        "Use longer intervals, or a network with shorter round trips to the generators.",
    ),
    Code.CLOCKS_UNCERTAIN: Entry(
        Severity.WARNING,
        "The clock of a generator's host is known to more than 5 ms only.",
        "Use a network with shorter round trips to the generators, or keep other traffic off it.",
    ),
    Code.HOSTS_UNLIKE: Entry(
        Severity.WARNING,
        "The hosts among which clients were spread, or the nodes behind a layer, are not alike.",
        "Make versions and settings equal, or measure each host by itself: what is the mean of "
        "unlike hosts holds for none of them.",
    ),
    Code.HOSTS_UNREACHABLE: Entry(
        Severity.WARNING,
        "Connections to some of several hosts failed, and went to the others.",
        "See why the host refused or did not answer. Clients stay where they went: one that comes "
        "back gets new connections only.",
    ),
    Code.HOSTS_UNEVEN: Entry(
        Severity.NOTE,
        "The hosts did unlike shares of the work.",
        "Look whether they had as many clients each; where they had, one of them is slower, or a "
        "closed loop's clients wait longer there.",
    ),
    Code.SKEWED_KEYS: Entry(
        Severity.NOTE,
        "A small part of the rows got a large part of the accesses.",
        "Name the distribution wherever the figures are quoted: caches and locks do far better or "
        "worse than with uniform keys.",
    ),
    Code.IN_MEMORY: Entry(
        Severity.NOTE,
        "The dataset fits into the server's cache.",
        "Use more rows to measure storage; what commits write is measured anyway.",
    ),
    Code.SETTINGS_ADJUSTED: Entry(
        Severity.WARNING,
        "The server did not take a setting as it was asked for.",
        "Ask for a value that the server takes.",
    ),
    Code.LOAD_REFUSED: Entry(
        Severity.NOTE,
        "The server did not take everything while the tables were loaded. All rows are there.",
        "Where a key or statistics are named, make them by hand, or compare only with tables that "
        "lack them too.",
    ),
    Code.CACHES_NOT_SET: Entry(
        Severity.WARNING,
        "The caches could not be brought into the condition that was asked for.",
        "For cold caches keep the result on a disk, not in memory (tmpfs); for warm ones see why "
        "the tables could not be read. Or ask for caches: workload.",
    ),
    Code.SWAPPING: Entry(
        Severity.WARNING,
        "The host was swapping.",
        "Make caches smaller or the machine larger; a swapped server measures the swap device.",
    ),
    Code.CPU_STOLEN: Entry(
        Severity.WARNING,
        "CPU steal: the hypervisor gave CPU time to other VMs.",
        "Use a machine of your own, or more rounds: such load comes and goes.",
    ),
    Code.WATCH_INCOMPLETE: Entry(
        Severity.WARNING,
        "Something that was to be watched was not, or not to the end.",
        "Read the reason: it may be a privilege that is missing, or a server that was restarted.",
    ),
    Code.SHARED_CPU_THROTTLED: Entry(
        Severity.WARNING,
        "The control group that server and load generator share used up its CPU time.",
        "Raise the CPU quota of the container or session that dbdyno runs in, or give the server a "
        "limits.cpus that leaves the generator enough of it.",
    ),
    Code.CPU_THROTTLED: Entry(
        Severity.NOTE,
        "The server used up the CPU time that its control group allows, and had to wait for more.",
        "This is what limits.cpus asks for. Raise limits.cpus to measure the server with more CPU "
        "time.",
    ),
    Code.NEIGHBOURS: Entry(
        Severity.WARNING,
        "Other programs were busy on the machine when the experiment began.",
        "End them before measuring.",
    ),
    Code.FREQUENCY_SCALING: Entry(
        Severity.NOTE,
        "The CPU's clock follows the load.",
        "Set the governor to performance: at low load a slower clock makes response times longer.",
    ),
    Code.RESULT_DAMAGED: Entry(
        Severity.WARNING,
        "Files of the result are damaged or missing, and what they held is in no figure.",
        "Copy the result again from where it was measured. A trial that is damaged there is "
        "measured again where its folder is moved away and the experiment is run.",
    ),
    Code.MISSING_TRIALS: Entry(
        Severity.WARNING,
        "Planned trials have no result.",
        "Run the experiment again with the same directory; it resumes where it stopped.",
    ),
    Code.FEW_ROUNDS: Entry(
        Severity.WARNING,
        "A cell has fewer than three valid trials.",
        "Run more rounds, five at least: single runs of one cell often differ by several percent.",
    ),
    Code.NOT_INTERLEAVED: Entry(
        Severity.WARNING,
        "All rounds of a cell ran one after the other.",
        "Use the interleaved order; as it is, a machine that gets slower looks like a difference "
        "between cells.",
    ),
    Code.DRIFT: Entry(
        Severity.WARNING,
        "Throughput moved in one direction from round to round.",
        "Look for heat, a disk that fills or wears, a dataset that grows, a neighbour; comparisons "
        "within rounds bear it, means over rounds do not.",
    ),
    Code.REFERENCE_MOVED: Entry(
        Severity.WARNING,
        "The reference cell moved by more than the noise between rounds.",
        "The machine, the server or the data changed during the campaign: look for heat, CPU "
        "steal, a device that fills, a dataset that grows; compare within rounds only.",
    ),
    Code.NOISE_EXPLAINED: Entry(
        Severity.NOTE,
        "The scatter between rounds follows a load that is not the experiment's.",
        "Remove that load, or repeat the trials in which it was high.",
    ),
    Code.PLANS_DIFFER: Entry(
        Severity.WARNING,
        "Cells that should have been asked the same, of the same data, were not.",
        "Compare plan.json and the dataset in trial.json of the trials named.",
    ),
    Code.SETTINGS_DIFFER: Entry(
        Severity.WARNING,
        "Cells that are compared differ in settings besides the factor.",
        "Read the list of differences; any of them may be the cause of an effect.",
    ),
    Code.SERVER_CHANGED: Entry(
        Severity.WARNING,
        "The server or its host changed between trials of one cell.",
        "Find out who changed it, and run the experiment again without the change; who wants to "
        "compare both makes it a factor.",
    ),
    Code.DURABILITY_DIFFERS: Entry(
        Severity.WARNING,
        "Cells that are compared promise different things about committed data.",
        "Make durability equal, or say it beside the figure.",
    ),
    Code.ISOLATION_DIFFERS: Entry(
        Severity.WARNING,
        "Cells that are compared ran with different isolation levels.",
        "Servers have different defaults; set session.isolation, or say it beside the figure.",
    ),
    Code.CROWDED: Entry(
        Severity.WARNING,
        "There were many more clients than rows that all of them update.",
        "Use more warehouses, or a larger scale: one for each ten terminals, or for each client of "
        "pgbench. Or say beside the figure that it is one of lock contention.",
    ),
    Code.DATA_GREW: Entry(
        Severity.WARNING,
        "The tables grew by more than a tenth in a trial.",
        "Use shorter trials or more data; the end of the window measures other tables than its "
        "beginning. A workload that only inserts always does so: compare it at equal sizes.",
    ),
    Code.FEW_CHECKPOINTS: Entry(
        Severity.NOTE,
        "The window is shorter than the server's cycle of checkpoints.",
        "Use a longer window, or a smaller log (max_wal_size, innodb_log_file_size), so that it "
        "holds two checkpoints at least: what they cost is in none of these figures, or in some.",
    ),
    Code.PURGE_BEHIND: Entry(
        Severity.WARNING,
        "The server did not keep up with removing old versions of rows.",
        "Use more purge threads, a lower rate, or longer trials: throughput that leaves its "
        "cleaning to later cannot be kept up.",
    ),
    Code.TPCC_INPUT: Entry(
        Severity.WARNING,
        "What terminals asked for was not what TPC-C makes them ask for (clause 5.5.1.5).",
        "Chance hardly does this. Look whether transactions of some input failed more often than "
        "others, and whether the data are those that the workload names (c_last_load, warehouses).",
    ),
    Code.TPCC_MIX: Entry(
        Severity.WARNING,
        "Transactions were mixed otherwise than TPC-C allows (clause 5.2.3).",
        "Leave mix out, or write mix: deck, which keeps every minimum; New-Orders per minute with "
        "fewer of the others compare with no other figure of that name.",
    ),
    Code.TPCC_RESPONSE: Entry(
        Severity.WARNING,
        "More than 10 % of a kind of transaction took longer than TPC-C allows (clause 5.2.5).",
        "Use fewer terminals for these warehouses, until the 90th percentiles are within bounds: a "
        "throughput at response times that no user would bear is none by the specification.",
    ),
    Code.TPCC_DELIVERIES: Entry(
        Severity.WARNING,
        "Deliveries found districts without a new order, more often than goes without saying "
        "(clause 2.7.4.2).",
        "Such a Delivery does less work: say it beside the figure. Start each trial from a "
        "snapshot, or shorten it; or give Delivery a smaller share of the mix.",
    ),
    Code.TPCC_PER_WAREHOUSE: Entry(
        Severity.WARNING,
        "Throughput for each warehouse is not within the bounds of TPC-C (clause 4.2).",
        "Below 9, the server did not keep up, or there are fewer than ten terminals a warehouse; "
        "above 12.86, keying or think times are shorter than the specification's.",
    ),
}

SHOWN_TRIALS = 3
"""So many trials are quoted in one warning; the rest are named by number."""


def warn(
    code: Code, evidence: str, trials: Sequence[int] = (), comparisons: int | None = None
) -> Finding:
    """Return the warning of a check that speaks of the whole experiment.

    ``comparisons`` is how many it touches, where the trials named do not tell.
    """
    entry = CATALOGUE[code]
    return Finding(
        code,
        entry.severity,
        entry.message,
        evidence,
        entry.advice,
        tuple(trials),
        comparisons=comparisons,
    )


def warn_of_trials(code: Code, evidence: Sequence[tuple[int, str]]) -> Finding:
    """Return one warning for all trials of which a check has ``(number, evidence)``."""
    texts = list(dict.fromkeys(text for _, text in evidence))
    if len(texts) == 1:
        quoted = texts[0]
    else:
        quoted = "; ".join(f"trial {number}: {text}" for number, text in evidence[:SHOWN_TRIALS])
        if len(evidence) > SHOWN_TRIALS:
            quoted += f"; and {len(evidence) - SHOWN_TRIALS} more"
    return warn(code, quoted, [number for number, _ in evidence])
