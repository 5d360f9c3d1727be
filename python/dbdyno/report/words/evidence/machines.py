"""Words of what generators and hosts did."""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno.analysis.evidence import Evidence
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.report.language import listed, message, messages, say
from dbdyno.report.words.evidence.writers import Words, as_it_is, by_sign


def _hosts_differ(evidence: Evidence) -> str:
    hosts, values = evidence["hosts"], evidence["values"]
    assert isinstance(hosts, tuple), evidence
    assert isinstance(values, tuple), evidence
    each = (
        say("{host} has {value}", host=host, value=value)
        for host, value in zip(hosts, values, strict=True)
    )
    return say("{setting}: {values}", setting=evidence["setting"], values=listed(each))


WORDS: Mapping[EvidenceKind, Words] = {
    EvidenceKind.NOT_RUNNING: message(
        "it did not run for {paused_s} s of {window_s} s, at the longest for {longest_s} s"
    ),
    EvidenceKind.WORKER_BUSY: message(
        "the busiest worker was over {limit_share} busy in {busy} of {intervals} intervals"
    ),
    EvidenceKind.ANSWERS_LATE: message(
        "p99 of the delay is {delay_ms} ms, p50 of response times {response_ms} ms"
    ),
    EvidenceKind.CLIENTS_IN_EFFECT: message(
        "{working_clients} of {clients} clients waited for the server on average"
    ),
    EvidenceKind.UNREAD: message("answers lay unread for {unread_share} of the clients' time"),
    EvidenceKind.WAITED_FOR_CPU: messages(
        "{waited_share} of the window, of the one worker",
        "{waited_share} of the window, on average over {count} workers",
    ),
    EvidenceKind.ON_ONE_HOST: message("server and clients were on one machine"),
    EvidenceKind.CLOCK_MOVED: by_sign(
        "moved_change_s",
        message("the wall clock moved forward by {moved_change_s} s against the monotonic one"),
        message("the wall clock moved back by {moved_change_s} s against the monotonic one"),
    ),
    EvidenceKind.IMPOSSIBLE_TIMES: messages(
        "by the kernel's time {count} answer arrived before it was asked for, or in the future, "
        "and was moved to the nearest time that is possible",
        "by the kernel's time {count} answers arrived before they were asked for, or in the "
        "future, and were moved to the nearest time that is possible",
    ),
    EvidenceKind.GENERATOR_LOST: as_it_is("reason"),
    EvidenceKind.GENERATOR_LOST_AFTER: message("{reason}, after interval {interval_number}"),
    EvidenceKind.GENERATORS_SILENT: message(
        "generator {generator_number} of {generators} told nothing for 3 intervals or more"
    ),
    EvidenceKind.CLOCK_BOUND: message("{host} to within {bound_ms} ms"),
    EvidenceKind.HOST_SHARE: message("{host} {transactions_share}"),
    EvidenceKind.HOST_REFUSED: message("{failed} at {host}, the last: {last_failure}"),
    EvidenceKind.HOST_SILENT: message("{host}: {error}"),
    EvidenceKind.HOSTS_DIFFER: _hosts_differ,
    EvidenceKind.SWAPPED: message("{swapped_bytes} were swapped in or out"),
    EvidenceKind.STOLEN: message(
        "{stolen_share} of the CPU time went to other machines, warm-up included"
    ),
    EvidenceKind.OTHERS_BUSY: message("{busy_cores} cores: {busiest}"),
    EvidenceKind.GOVERNOR: message("governor {governor}"),
}
