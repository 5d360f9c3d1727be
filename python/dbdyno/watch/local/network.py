"""What each network interface carried and lost, and what TCP had to send again."""

from __future__ import annotations

from dbdyno.watch.series.source import Values

_FIELDS = {
    "receive_bytes": 0,
    "receive_packets": 1,
    "receive_errors": 2,
    "receive_drops": 3,
    "send_bytes": 8,
    "send_packets": 9,
    "send_errors": 10,
    "send_drops": 11,
}
_TCP = {
    b"InSegs": "tcp.segments_in",
    b"OutSegs": "tcp.segments_out",
    b"RetransSegs": "tcp.segments_sent_again",
}


def interface_counters(content: bytes) -> Values:
    """Read ``/proc/net/dev``; an interface that never carried anything is left out."""
    counters: Values = {}
    for line in content.splitlines():
        name, colon, rest = line.rpartition(b": ")
        fields = rest.split()
        if colon and any(field != b"0" for field in fields):
            interface = f"network[{name.strip().decode()}]"
            for metric, field in _FIELDS.items():
                counters[f"{interface}.{metric}"] = float(fields[field])
    return counters


def tcp_counters(content: bytes) -> Values:
    """Read ``/proc/net/snmp``, in which a line of names comes before one of numbers."""
    lines = [line.split() for line in content.splitlines() if line.startswith(b"Tcp:")]
    if len(lines) != 2:
        return {}
    numbers = dict(zip(*lines, strict=True))
    return {metric: float(numbers[name]) for name, metric in _TCP.items() if name in numbers}
