#!/usr/bin/python3
"""preloaded.py SOCKET SLOTS BATCH ECHO: what lies beyond computing, by the stamps of each
reply: calls on a loaded slot one at a time and all under way at once, one batch call, and
half an echo of the same closes. Medians of nine rounds, microseconds."""
import socket
import statistics
import struct
import sys
import time


def frames(path):
    data, at, out = open(path, "rb").read(), 0, []
    while at < len(data):
        size = 4 + struct.unpack_from("<I", data, at)[0]
        out.append(data[at:at + size])
        at += size
    return out


def receive(s, n):
    got = bytearray()
    while len(got) < n:
        got += s.recv(n - len(got))
    return bytes(got)


def ask(s, requests):
    """All requests under way at once: ns there and back, ns of computing by the stamps."""
    start, computing = time.monotonic_ns(), 0
    s.sendall(b"".join(requests))
    for request in requests:
        body = receive(s, struct.unpack("<I", receive(s, 4))[0])
        if request[4] & 0x80:
            stamp = struct.unpack_from("<4Q", body)
            computing += stamp[2] - stamp[1]
    return time.monotonic_ns() - start, computing


def beyond(s, requests):
    trip, computing = ask(s, requests)
    return (trip - computing) / 1e3


s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
slots, batch, echo = frames(sys.argv[2]), frames(sys.argv[3]), frames(sys.argv[4])
rounds = []
for _ in range(9):
    rounds.append((sum(beyond(s, [call]) for call in slots), beyond(s, slots), beyond(s, batch),
                   ask(s, echo)[0] / 2e3))
single, piped, one, crossing = (statistics.median(column) for column in zip(*rounds))
print(f"one_at_a_time_us\t{single:.0f}\tpipelined_us\t{piped:.0f}\tbatch_us\t{one:.0f}"
      f"\tcrossing_us\t{crossing:.0f}")
print("pipelined, against batch and a crossing:",
      "holds" if piped < one + crossing else "does not hold")
print("one at a time, against the same:",
      "holds" if single < one + crossing else "does not hold")
