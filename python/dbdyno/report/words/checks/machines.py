"""Words of the checks of generators and hosts."""

from __future__ import annotations

from dbdyno.analysis.validity.codes import Code
from dbdyno.report.language import message
from dbdyno.report.words.checks.entry import CheckWords

WORDS = {
    Code.GENERATOR_STOPPED: CheckWords(
        message("The generator itself stood still during a trial."),
        message(
            "Throughput and response times are those of the pause, not of the server; the trial "
            "is not used."
        ),
        message(
            "Find out what stopped it: a suspended machine, a debugger, Ctrl-Z, or no CPU left "
            "for it. To measure the trial again, remove its folder and run the experiment again."
        ),
    ),
    Code.GENERATOR_BUSY: CheckWords(
        message(
            "A worker of the generator was busy nearly all the time: the client may be what was "
            "measured."
        ),
        message("The server may be faster than these figures say."),
        message(
            "Give the generator more workers and CPUs of its own, or read the throughput as a "
            "lower bound."
        ),
    ),
    Code.GENERATOR_LATE: CheckWords(
        message("The generator read answers late, compared with how long they took."),
        message(
            "The server had fewer clients than were asked for: it answered sooner than with all of "
            "them, and throughput may be too low."
        ),
        message(
            "Give the generator CPUs of its own, or priority over the server (wait: priority, as "
            "root). The kernel's receive times keep the delay out of response times, but not where "
            "there are none (sockets, SQLite)."
        ),
    ),
    Code.GENERATOR_STARVED: CheckWords(
        message("The generator's threads were ready to run and waited for a CPU."),
        message("Part of every response time may be waiting for a CPU on this machine."),
        message("Keep servers and other programs off the generator's CPUs, or use fewer clients."),
    ),
    Code.GENERATOR_PAUSED: CheckWords(
        message("The generator itself did not run for part of the window."),
        message("The longest response times may be the generator's; throughput may be too low."),
        message("Give the generator CPUs of its own, and end what else needs them."),
    ),
    Code.GENERATOR_LOST: CheckWords(
        message("One of several generators was lost during the trial, and the others continued."),
        message("From then on the load was smaller than the cell says; the trial is not used."),
        message(
            "Find out what ended it. What was measured is kept; to measure the trial again, "
            "remove its folder and run the experiment again."
        ),
    ),
    Code.GENERATOR_SILENT: CheckWords(
        message("One of several generators told nothing for a while."),
        message("The load may have been smaller than the cell says for a while."),
        message(
            "Look at its pauses and at the load of its machine: it may have made no load meanwhile."
        ),
    ),
    Code.CLOCKS_UNKNOWN: CheckWords(
        message("The clock of a generator's host is not known to within a quarter of an interval."),
        message("The intervals of the generators do not match in time; the trial is not used."),
        message("Use longer intervals, or a network with shorter round trips to the generators."),
    ),
    Code.CLOCKS_UNCERTAIN: CheckWords(
        message("The clock of a generator's host is not known to within 5 ms."),
        message("Generators may have begun so far apart; figures over time are blurred."),
        message(
            "Use a network with shorter round trips to the generators, or keep other traffic off "
            "it."
        ),
    ),
    Code.CLOCK_STEPPED: CheckWords(
        message("The wall clock was set during a trial."),
        message("No figure changes; times of day in logs do not match."),
        message(
            "Durations are taken from the monotonic clock and are right; times of day are not."
        ),
    ),
    Code.SHARED_HOST: CheckWords(
        message("Generator and server ran on one host without CPUs of their own."),
        message(
            "The figures are of server and generator together; with more CPUs or another machine "
            "they may rank differently."
        ),
        message("Give both a set of CPUs (target cpus, generators cpus), or use two machines."),
    ),
    Code.HOSTS_UNLIKE: CheckWords(
        message(
            "The hosts among which clients were spread, or the nodes behind a layer, are not the "
            "same."
        ),
        message("The figures are means of different hosts and hold for none of them."),
        message(
            "Make versions and settings equal, or measure each host by itself: a mean of "
            "different hosts holds for none of them."
        ),
    ),
    Code.HOSTS_UNREACHABLE: CheckWords(
        message("Connections to some of several hosts failed, and went to the others."),
        message("The other hosts carried more load than the cell says."),
        message(
            "See why the host refused or did not answer. Clients stay where they went: one that "
            "comes back gets new connections only."
        ),
    ),
    Code.HOSTS_UNEVEN: CheckWords(
        message("The hosts did different shares of the work."),
        message(
            "A host that did less had fewer clients, or was slower and kept its own clients "
            "waiting: hosts that share the work evenly may do more in all."
        ),
        message(
            "Look whether they had as many clients each; where they had, one of them is slower, "
            "or a closed loop's clients wait longer there."
        ),
    ),
    Code.SWAPPING: CheckWords(
        message("The host was swapping."),
        message("The figures are those of the swap device."),
        message(
            "Make caches smaller or the machine larger; a swapped server measures the swap device."
        ),
    ),
    Code.CPU_STOLEN: CheckWords(
        message("CPU steal: the hypervisor gave CPU time to other VMs."),
        message("Throughput is lower than on a machine of its own, and scatters more."),
        message("Use a machine of your own, or more rounds: such load comes and goes."),
    ),
    Code.WATCH_INCOMPLETE: CheckWords(
        message("Something that was to be watched was not, or not to the end."),
        message("Throughput and times are right; what limited them may not show."),
        message(
            "Read the reason: it may be a privilege that is missing, or a server that was "
            "restarted."
        ),
    ),
    Code.SHARED_CPU_THROTTLED: CheckWords(
        message("The control group that server and load generator share used up its CPU time."),
        message(
            "Response times have pauses of the generator in them, and throughput may be too low."
        ),
        message(
            "Raise the CPU quota of the container or session that dbdyno runs in, or give the "
            "server a limits.cpus that leaves the generator enough of it."
        ),
    ),
    Code.NEIGHBOURS: CheckWords(
        message("Other programs were busy on the machine when the experiment began."),
        message("Other programs may have slowed some trials and not others."),
        message("End them before measuring."),
    ),
    Code.FREQUENCY_SCALING: CheckWords(
        message("The CPU's clock follows the load."),
        message("Response times at low load may be longer than with a fixed clock."),
        message(
            "Set the governor to performance: at low load a slower clock makes response times "
            "longer."
        ),
    ),
}
