"""What a finding means for the figures, in one line for each check: the answer to "so what?"."""

from __future__ import annotations

from dbdyno.analysis.validity.codes import Code

CONSEQUENCES: dict[Code, str] = {
    Code.KILLED_FOR_MEMORY: "The server needs more memory than limits.memory allows; the trial "
    "is not used.",
    Code.NOT_COMPLETED: "The trial is in no figure; comparisons have one round less.",
    Code.COUNTERS_DISAGREE: "No figure of the trial can be trusted; it is not used.",
    Code.NO_WINDOW: "The trial has no throughput and no response times; it is not used.",
    Code.GENERATOR_STOPPED: "Throughput and response times are those of the pause, not of the "
    "server; the trial is not used.",
    Code.ERROR_BUDGET: "Throughput counts work that was not done; the trial is not used.",
    Code.CLIENTS_LOST: "The load was smaller than the cell says; the trial is not used.",
    Code.NOT_STORED: "The server did not do the work that it acknowledged; the trial is not used.",
    Code.STORED_MORE: "Others took part of the server's time, and losses may hide behind "
    "their rows.",
    Code.NOT_HELD_AGAINST: "A server that loses commits would not be found by what was left out.",
    Code.CHECK_FAILED: "The server may have been fast because it did not keep the data; the trial "
    "is not used.",
    Code.NOT_CHECKED: "Rows may be lost or wrong, and nobody would know.",
    Code.NOTHING_FINISHED: "The round has no ratio, so comparisons with this cell have no verdict.",
    Code.FAILURES: "Response times of committed transactions do not contain those that failed, "
    "which may have waited longest.",
    Code.GENERATOR_LOST: "From then on the load was smaller than the cell says; the trial "
    "is not used.",
    Code.GENERATOR_SILENT: "The load may have been smaller than the cell says for a while.",
    Code.CLOCKS_UNKNOWN: "Intervals of the generators do not lie on each other; the trial is not "
    "used.",
    Code.CLOCKS_UNCERTAIN: "Generators began by so much apart; seconds over time are blurred.",
    Code.GENERATOR_BUSY: "The server may be faster than these figures say.",
    Code.GENERATOR_LATE: "Clients send later than they would, so throughput may be too low.",
    Code.GENERATOR_STARVED: "Part of every response time may be waiting for a CPU on this machine.",
    Code.GENERATOR_PAUSED: "The longest response times may be the generator's; throughput may be "
    "too low.",
    Code.SHARED_HOST: "The figures are of server and generator together; with more CPUs or another "
    "machine they may rank otherwise.",
    Code.CLOCK_STEPPED: "No figure changes; times of day in logs do not match.",
    Code.RATE_NOT_REACHED: "Response times grow with the length of the window, so they cannot be "
    "compared with other runs.",
    Code.NOT_SETTLED: "The figures mix warming up with steady work, and depend on how long a trial "
    "is.",
    Code.NOT_STEADY: "The windows may begin while throughput still rises or falls; not-settled "
    "says whether trials have that in common.",
    Code.STALLS: "Percentiles of a closed loop hide the stall; those of an open loop contain it.",
    Code.DIPS: "The mean throughput hides seconds in which users got half of it or less.",
    Code.WAITING_NOT_RECORDED: "Percentiles are too low: they lack the waiting of most clients.",
    Code.SHORT_WINDOW: "Checks of steadiness and settling do not look at these trials.",
    Code.HISTOGRAM_OVERFLOW: "Percentiles that fall among these times are shown as infinite.",
    Code.MANY_RETRIES: "Response times contain the repeated attempts; throughput depends on "
    "contention.",
    Code.RECONNECTS: "Response times contain the time that connecting again took.",
    Code.HOSTS_UNLIKE: "The figures are means of unlike hosts and hold for none of them.",
    Code.HOSTS_UNREACHABLE: "The other hosts carried more load than the cell says.",
    Code.HOSTS_UNEVEN: "The total is limited by the busiest host.",
    Code.SKEWED_KEYS: "The figures hold for this distribution of keys only.",
    Code.IN_MEMORY: "The figures say nothing about reading from storage.",
    Code.SETTINGS_ADJUSTED: "Two levels may be the same in truth, and then differ by chance only.",
    Code.CACHES_NOT_SET: "These trials began with other caches than the experiment asks for.",
    Code.LOAD_REFUSED: "Where a key or statistics are named, statements run without them.",
    Code.SWAPPING: "The figures are those of the swap device.",
    Code.WATCH_INCOMPLETE: "Throughput and times are right; what limited them may not show.",
    Code.CPU_STOLEN: "Throughput is lower than on a machine of its own, and scatters more.",
    Code.SHARED_CPU_THROTTLED: "Response times have pauses of the generator in them, and "
    "throughput may be too low.",
    Code.CPU_THROTTLED: "The figures are those of a server with so much CPU, whatever the machine "
    "has.",
    Code.NEIGHBOURS: "Other programs may have slowed some trials and not others.",
    Code.FREQUENCY_SCALING: "Response times at low load may be longer than with a fixed clock.",
    Code.RESULT_DAMAGED: "Trials are missing, or a warning is that these files would have led to.",
    Code.MISSING_TRIALS: "Intervals are wider than planned.",
    Code.FEW_ROUNDS: "Intervals are so wide that hardly any difference can be shown.",
    Code.NOT_INTERLEAVED: "A difference between cells may be a change of the machine over time.",
    Code.REFERENCE_MOVED: "Trials far apart in time cannot be compared; those of one round can.",
    Code.DRIFT: "Means over rounds depend on when the rounds ran; comparisons within rounds do "
    "not.",
    Code.NOISE_EXPLAINED: "Intervals are wider than the database alone would make them; no verdict "
    "is corrected for it.",
    Code.PLANS_DIFFER: "The difference between these cells may come from the load or the data.",
    Code.SETTINGS_DIFFER: "The difference between these cells may come from these settings.",
    Code.SERVER_CHANGED: "Rounds before and after the change are not of the same server, so means "
    "and intervals mix two things.",
    Code.DURABILITY_DIFFERS: "The faster server may be faster because it promises less.",
    Code.ISOLATION_DIFFERS: "The faster server may be faster because it isolates less.",
    Code.CROWDED: "Throughput is that of waiting for a few rows; with more data it may be far "
    "higher.",
    Code.DATA_GREW: "Means over the window are of tables of many sizes.",
    Code.FEW_CHECKPOINTS: "Throughput over hours may be lower than these figures.",
    Code.PURGE_BEHIND: "Throughput may fall as the trial goes on, and later trials may be slower.",
    Code.TPCC_INPUT: "The work was not that of TPC-C, so the figure is not comparable with others.",
    Code.TPCC_MIX: "New-Orders per minute depend on the mix and cannot be compared with others.",
    Code.TPCC_RESPONSE: "By the specification this throughput does not count.",
    Code.TPCC_DELIVERIES: "Deliveries did less work than the specification asks for.",
    Code.TPCC_PER_WAREHOUSE: "By the specification this throughput is not a valid tpmC.",
}
