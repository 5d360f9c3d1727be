"""Who of a program's clients is at work, seen from outside, in the same way of every program.

A client is at work from when its statement has left it until the answer has come to it. From then
until its next statement it is not: its answer lies unread, or the program works on it. The kernel's
times of the packets of some connections show both. They are read when the window is over, so that
no reader takes a CPU from what it watches.
"""

from __future__ import annotations

import ctypes
import os
import socket
import struct
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import NamedTuple

import psutil

CLIENTS_A_SAMPLE = 16
FEWEST_SAMPLES = 2
"""One client in so many is watched, and so many at least: each packet takes a kilobyte."""

BUFFER_BYTES = 512 << 20

# Numbers of <linux/if_packet.h>, <asm/socket.h> and <linux/filter.h> that Python has no names for.
_ETHERTYPE_IP = 0x0800
_SO_ATTACH_FILTER = 26
_SO_RCVBUFFORCE = 33
_SO_TIMESTAMPNS = 35
_SOL_PACKET = 263
_PACKET_STATISTICS = 6
_LOAD_BYTE, _LOAD_PORT, _SKIP_IP_HEADER = 0x30, 0x48, 0xB1
_JUMP_IF_EQUAL, _RETURN = 0x15, 0x06
_PACKET_TYPE = 0xFFFFF004

_PROTOCOL_OFFSET = 9
_SOURCE_PORT_OFFSET, _DESTINATION_PORT_OFFSET = 0, 2
_HEADERS_BYTES = 120
"""IP and TCP headers have 60 bytes each at most."""

_Instruction = tuple[int, int, int, int]
"""Code, jump where true, jump where false, operand."""

_REFUSE: _Instruction = (_RETURN, 0, 0, 0)
_ACCEPT: _Instruction = (_RETURN, 0, 0, _HEADERS_BYTES)


class Packet(NamedTuple):
    """A packet with data: when it arrived, at which client's connection, and from which side."""

    time_ns: int
    client_port: int
    is_answer: bool


@contextmanager
def watched_packets(server_port: int) -> Iterator[list[Packet]]:
    """Watch some clients of the server at a port of this machine; the list is full afterwards.

    It stays empty where the kernel does not let one watch (``CAP_NET_RAW`` and ``CAP_NET_ADMIN``),
    where packets were lost, and over Unix sockets, which have none.
    """
    packets: list[Packet] = []
    ports = _sample(_client_ports(server_port))
    try:
        watching = _open(ports)
    except PermissionError:
        yield packets
        return
    with watching:
        yield packets
        # What comes while the packets are read would have no end.
        _attach(watching, [_REFUSE])
        packets.extend(_read(watching, server_port))
        _, lost = struct.unpack("II", watching.getsockopt(_SOL_PACKET, _PACKET_STATISTICS, 8))
        if lost:
            packets.clear()


def share_at_work(packets: Sequence[Packet]) -> float | None:
    """Return the share of their time in which clients waited for the server; None if not seen."""
    by_client = defaultdict[int, list[Packet]](list)
    for packet in packets:
        by_client[packet.client_port].append(packet)
    total_ns = idle_ns = 0
    for of_one in by_client.values():
        for one, following in pairwise(of_one):
            time_ns = following.time_ns - one.time_ns
            total_ns += time_ns
            if one.is_answer and not following.is_answer:
                idle_ns += time_ns
    return 1 - idle_ns / total_ns if total_ns else None


def _client_ports(server_port: int) -> list[int]:
    """Return the ports of other processes' connections to a port of this machine, in order.

    The benchmark itself is connected, too, and seldom asks. A closed connection has no process.
    """
    return sorted(
        one.laddr.port
        for one in psutil.net_connections("tcp4")
        if one.pid not in (None, os.getpid())
        and one.laddr
        and one.raddr
        and one.raddr.port == server_port
    )


def _sample(ports: Sequence[int]) -> Sequence[int]:
    count = max(FEWEST_SAMPLES, len(ports) // CLIENTS_A_SAMPLE)
    step = max(1, len(ports) // count)
    return ports[::step][:count]


def _open(ports: Sequence[int]) -> socket.socket:
    watching = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0)
    try:
        watching.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, BUFFER_BYTES)
        watching.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
        watching.setblocking(False)
        _attach(watching, _filter(ports))
        # Only now does it take packets: none came before the filter.
        watching.bind(("lo", _ETHERTYPE_IP))
    except BaseException:
        watching.close()
        raise
    return watching


def _filter(ports: Sequence[int]) -> Iterable[_Instruction]:
    """Accept TCP packets from and to some ports, as they arrive.

    The kernel shows each packet of the loopback device twice: as it leaves, and as it arrives. The
    program is made from its end, where it is known how far each jump to one of its ends is.
    """
    program = deque([_REFUSE, _ACCEPT])
    for offset in (_SOURCE_PORT_OFFSET, _DESTINATION_PORT_OFFSET):
        for port in ports:
            program.appendleft((_JUMP_IF_EQUAL, len(program) - 1, 0, port))
        program.appendleft((_LOAD_PORT, 0, 0, offset))
    program.appendleft((_SKIP_IP_HEADER, 0, 0, 0))
    for place, wanted in (
        (_PROTOCOL_OFFSET, socket.IPPROTO_TCP),
        (_PACKET_TYPE, socket.PACKET_HOST),
    ):
        program.appendleft((_JUMP_IF_EQUAL, 0, len(program) - 2, wanted))
        program.appendleft((_LOAD_BYTE, 0, 0, place))
    return program


def _attach(watching: socket.socket, program: Iterable[_Instruction]) -> None:
    code = [struct.pack("HBBI", *instruction) for instruction in program]
    buffer = ctypes.create_string_buffer(b"".join(code))
    described = struct.pack("HP", len(code), ctypes.addressof(buffer))
    watching.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, described)


def _read(watching: socket.socket, server_port: int) -> Iterator[Packet]:
    """Return the packets that have come, those with data."""
    while True:
        try:
            headers, ancillary, _, _ = watching.recvmsg(_HEADERS_BYTES, socket.CMSG_SPACE(16))
        except BlockingIOError:
            return
        (seconds, nanoseconds) = struct.unpack("qq", ancillary[0][2])
        ip_bytes = 4 * (headers[0] & 0xF)
        (whole_bytes,) = struct.unpack_from("!H", headers, 2)
        source, destination = struct.unpack_from("!HH", headers, ip_bytes)
        tcp_bytes = 4 * (headers[ip_bytes + 12] >> 4)
        if whole_bytes > ip_bytes + tcp_bytes:
            is_answer = source == server_port
            port = destination if is_answer else source
            yield Packet(seconds * 1_000_000_000 + nanoseconds, port, is_answer)
