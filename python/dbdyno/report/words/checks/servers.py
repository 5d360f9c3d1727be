"""Words of the checks of servers and their data, and of what TPC-C requires."""

from __future__ import annotations

from dbdyno.analysis.validity.codes import Code
from dbdyno.report.language import message
from dbdyno.report.words.checks.entry import CheckWords

WORDS = {
    Code.KILLED_FOR_MEMORY: CheckWords(
        message("The kernel killed the server, or a process of it, for lack of memory."),
        message("The server needs more memory than limits.memory allows; the trial is not used."),
        message(
            "Raise limits.memory, or make the server's caches and the number of its clients "
            "smaller. To measure the trial again, remove its folder and run the experiment again."
        ),
    ),
    Code.CPU_THROTTLED: CheckWords(
        message(
            "The server used up the CPU time that its control group allows, and had to wait for "
            "more."
        ),
        message("The figures are those of a server with so much CPU, whatever the machine has."),
        message(
            "This is what limits.cpus asks for. Raise limits.cpus to measure the server with more "
            "CPU time."
        ),
    ),
    Code.SKEWED_KEYS: CheckWords(
        message("A small part of the rows got a large part of the accesses."),
        message("The figures hold for this distribution of keys only."),
        message(
            "Name the distribution wherever the figures are quoted: caches and locks do far "
            "better or worse than with uniform keys."
        ),
    ),
    Code.IN_MEMORY: CheckWords(
        message("The dataset fits into the server's cache."),
        message("The figures say nothing about reading from storage."),
        message("Use more rows to measure storage; what commits write is measured anyway."),
    ),
    Code.LEVEL_NOT_IN_EFFECT: CheckWords(
        message("The server did not have the level that its cell is named after."),
        message("The figures are of another level; the trial is not used."),
        message("Write a level that the server takes, or remove it, and run again."),
    ),
    Code.SETTINGS_ADJUSTED: CheckWords(
        message("The server did not take a setting as it was asked for."),
        message("The figures are true of the value that the server has."),
        message("Ask for a value that the server takes."),
    ),
    Code.LOAD_REFUSED: CheckWords(
        message(
            "The server did not take everything while the tables were loaded. All rows are there."
        ),
        message("Where a key or statistics are named, statements run without them."),
        message(
            "Where a key or statistics are named, make them by hand, or compare only with tables "
            "that lack them too."
        ),
    ),
    Code.CACHES_NOT_SET: CheckWords(
        message("The caches could not be brought into the condition that was asked for."),
        message("These trials began with other caches than the experiment asks for."),
        message(
            "For cold caches keep the result on a disk, not in memory (tmpfs); for warm ones see "
            "why the tables could not be read. Or ask for caches: workload."
        ),
    ),
    Code.CROWDED: CheckWords(
        message("There were many more clients than rows that all of them update."),
        message(
            "Throughput is that of waiting for a few rows; with more data it may be far higher."
        ),
        message(
            "Use more warehouses, or a larger scale: one for each ten terminals, or for each "
            "client of pgbench. Or say beside the figure that it measures lock contention."
        ),
    ),
    Code.DATA_GREW: CheckWords(
        message("The tables grew by more than a tenth in a trial."),
        message("Means over the window are of tables of many sizes."),
        message(
            "Use shorter trials or more data; the end of the window measures other tables than "
            "its beginning. A workload that only inserts always does so: compare it at equal "
            "sizes."
        ),
    ),
    Code.FEW_CHECKPOINTS: CheckWords(
        message("The window is shorter than the server's cycle of checkpoints."),
        message("Throughput over hours may be lower than these figures."),
        message(
            "Use a longer window, or a smaller log (max_wal_size, innodb_log_file_size), so that "
            "the window holds at least two checkpoints: their cost is in none of these figures, "
            "or only in some."
        ),
    ),
    Code.PURGE_BEHIND: CheckWords(
        message("The server did not keep up with removing old versions of rows."),
        message("Throughput may fall as the trial goes on, and later trials may be slower."),
        message(
            "Use more purge threads, a lower rate, or longer trials: throughput that postpones "
            "cleaning cannot be kept up."
        ),
    ),
    Code.CONSTRAINTS_NOT_CHECKED: CheckWords(
        message("The tables have constraints that the server did not check under this load."),
        message("The server did less work than these tables ask for, and wrong rows may be there."),
        message(
            "Leave the checks on (foreign_key_checks, unique_checks, session_replication_role, "
            "SQLite's foreign_keys), or drop the constraints, so that the schema says what is done."
        ),
    ),
    Code.STATISTICS_MISSING: CheckWords(
        message("The server's optimizer had no statistics of the tables, or old ones."),
        message(
            "Statements may run by bad plans, and by others once somebody analyses the tables."
        ),
        message(
            "Analyse the tables after loading (ANALYZE; ANALYZE TABLE), as the last step of a "
            "set-up of your own, and do so for every server that is compared."
        ),
    ),
    Code.FULL_SCANS: CheckWords(
        message("The server read large tables from end to end to carry transactions out."),
        message("Throughput is that of a missing index or a bad plan, and falls as tables grow."),
        message(
            "Look for statements without a usable index (EXPLAIN) and for missing statistics. "
            "Where scans are what is to be measured, compare at equal sizes only."
        ),
    ),
    Code.COMPRESSIBLE: CheckWords(
        message("The values in the tables are mostly filler that compresses very well."),
        message(
            "Whatever compresses (engine, file system, disk) looks better than with real data."
        ),
        message(
            "Give no compression ratio and no disk throughput of such tables. Use texts from a "
            "file (TPC-C's text), or values of your own."
        ),
    ),
    Code.LOCK_WAITS: CheckWords(
        message("Clients of SQLite slept for much of their time, because others held the lock."),
        message(
            "Response times are those of SQLite's sleeps, of up to 100 ms each, not of its work."
        ),
        message(
            "One connection writes at a time, whatever their number: use one client that writes, "
            "shorter transactions, or journal_mode: wal, with which readers do not wait."
        ),
    ),
    Code.DELETES_FOUND_NOTHING: CheckWords(
        message("Deletes found no row to delete: the tables were being emptied."),
        message("A delete that finds nothing is cheap, so throughput rises as the tables drain."),
        message(
            "Use shorter trials or more rows, start each trial from a snapshot, or insert as many "
            "rows as are deleted. With PostgreSQL, look at contention too: a row that another "
            "transaction has just put anew is not found."
        ),
    ),
    Code.ROWS_NOT_FOUND: CheckWords(
        message("Statements found no row where the workload expects one."),
        message("A statement that finds nothing is cheap, so the throughput is too high."),
        message(
            "Load the tables anew with the number of rows that the run asks for. Ids with gaps "
            "come from auto_increment_increment above 1; row security hides rows from a user. "
            "With PostgreSQL, look at contention too: a row that another transaction has just "
            "put anew is not found."
        ),
    ),
    Code.TPCC_INPUT: CheckWords(
        message("Terminals did not ask for what TPC-C makes them ask for (clause 5.5.1.5)."),
        message("The work was not that of TPC-C, so the figure is not comparable with others."),
        message(
            "This is hardly chance. Look whether transactions of some input failed more often "
            "than others, and whether the data are those that the workload names (c_last_load, "
            "warehouses)."
        ),
    ),
    Code.TPCC_MIX: CheckWords(
        message("The mix of transactions is not one that TPC-C allows (clause 5.2.3)."),
        message("New-Orders per minute depend on the mix and cannot be compared with others."),
        message(
            "Leave mix out, or write mix: deck, which keeps every minimum; New-Orders per minute "
            "with fewer of the others cannot be compared with other figures of that name."
        ),
    ),
    Code.TPCC_RESPONSE: CheckWords(
        message(
            "More than 10 % of a kind of transaction took longer than TPC-C allows (clause 5.2.5)."
        ),
        message("By the specification this throughput does not count."),
        message(
            "Use fewer terminals for these warehouses, until the 90th percentiles are within "
            "bounds: by the specification, a throughput with longer response times does not "
            "count."
        ),
    ),
    Code.TPCC_DELIVERIES: CheckWords(
        message(
            "Deliveries found districts without a new order, more often than TPC-C allows without "
            "saying so (clause 2.7.4.2)."
        ),
        message("Deliveries did less work than the specification asks for."),
        message(
            "Such a Delivery does less work: say it beside the figure. Start each trial from a "
            "snapshot, or shorten it; or give Delivery a smaller share of the mix."
        ),
    ),
    Code.TPCC_PER_WAREHOUSE: CheckWords(
        message("Throughput for each warehouse is not within the bounds of TPC-C (clause 4.2)."),
        message("By the specification this throughput is not a valid tpmC."),
        message(
            "Below 9, the server did not keep up, or there are fewer than ten terminals a "
            "warehouse; above 12.86, keying or think times are shorter than the specification's."
        ),
    ),
}
