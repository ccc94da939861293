#!/usr/bin/env python3
"""A client of the published protocol (operations 0 and 1), after ipctax-frame(5).

client.py SOCKET|HOST:PORT <closes.raw     the default grid's pnl and trades, a set a line
"""
import math
import socket
import struct
import sys


class Engine:
    def __init__(self, address):
        host, _, port = address.rpartition(':')
        self.socket = socket.socket(socket.AF_INET if host else socket.AF_UNIX)
        self.socket.connect((host, int(port)) if host else address)
        self.replies = self.socket.makefile('rb')

    def call(self, op, closes=b'', sets=(), slot=b''):
        body = struct.pack('<BII', op, len(closes) // 8, len(sets)) + slot + closes
        body += b''.join(struct.pack('<6q', *s) for s in sets)
        self.socket.sendall(struct.pack('<I', len(body)) + body)
        length, = struct.unpack('<I', self.replies.read(4))
        reply = self.replies.read(length & 0x7fffffff)
        if length >> 31:
            raise RuntimeError(struct.unpack_from('<I', reply)[0], reply[4:].decode())
        return reply

    def sweep(self, closes, sets, op=0, slot=b''):
        values = struct.unpack('<%dd%dq' % (len(sets), len(sets)), self.call(op, closes, sets, slot))
        return list(zip(values[:len(sets)], values[len(sets):]))


def windows(n):
    p = max(1, round(n / 2))
    return p, n, max(1, round(math.sqrt(n))), max(1, round(p / 3)), max(1, round(p / 2)), p


if __name__ == '__main__':
    grid = [windows(6 + k * 194 // 79) for k in range(80)]
    for pnl, trades in Engine(sys.argv[1]).sweep(sys.stdin.buffer.read(), grid):
        print(pnl, trades, sep='\t')
