"""A client of the ring, written from ipctax-frame(5): it polls, and so never sleeps."""
import mmap
import os
import select
import socket
import struct
import time

from engine import Error, Peer, frame


class Half:
    """One ring: where its data and its control block are, and our position in it."""

    def __init__(self, memory, control, data, size):
        self.memory, self.control, self.data, self.size = memory, control, data, size
        self.words = memoryview(memory).cast('Q')
        self.at = self.released = 0

    def word(self, position, value=None):
        return self.shared(self.data + position % self.size, value)

    def shared(self, where, value=None):
        """A word read or stored at once: struct goes byte by byte, from zeros, which is seen."""
        if value is None:
            return self.words[where // 8]
        self.words[where // 8] = value

    def copy(self, position, n, new=None):
        """n bytes at a position, or the bytes put there: going on at the beginning."""
        where = position % self.size
        first = min(n, self.size - where)
        base = self.data
        if new is None:
            return self.memory[base + where:base + where + first] + self.memory[base:base + n - first]
        self.memory[base + where:base + where + first] = new[:first]
        self.memory[base:base + n - first] = new[first:]


def lines(n):
    return (n + 63) // 64 * 64


class RingPeer(Peer):
    def __init__(self, address, size=65536, timeout=60):
        Peer.__init__(self, address, timeout)
        self.timeout = timeout
        self.socket.sendall(struct.pack('<IBIII', 13, 8, 0, 0, size))
        head, fds, _, _ = socket.recv_fds(self.socket, 4, 3)
        if head != bytes(4):
            word = struct.unpack('<I', head)[0]
            body = self.take(word & 0x7fffffff)
            raise Error(struct.unpack_from('<I', body)[0], body[4:].decode())
        fd, self.wake_engine, self.wake_me = fds
        self.memory = mmap.mmap(fd, os.fstat(fd).st_size)
        os.close(fd)
        magic, self.size, data = struct.unpack_from('<8sII', self.memory)
        assert magic == b'ipctaxR1' and len(self.memory) == data + 2 * self.size
        self.requests = Half(self.memory, 256, data, self.size)
        self.replies = Half(self.memory, 512, data + self.size, self.size)

    def wait(self, ready):
        end = time.monotonic() + self.timeout
        while not ready():
            if select.select([self.socket], [], [], 0)[0]:
                if self.socket.recv(1, socket.MSG_PEEK) == b'':
                    if ready():
                        return
                    raise EOFError('the engine has gone')
                raise Error(*self.error())
            assert time.monotonic() < end, 'nothing came'
            os.sched_yield()

    def error(self):
        word = struct.unpack('<I', self.take(4))[0]
        body = self.take(word & 0x7fffffff)
        return struct.unpack_from('<I', body)[0], body[4:].decode()

    def ask(self, request, offset=None, parts=None, awaited=None):
        """Puts a frame, its length word included, in the ring; parts: bytes of its body at
        which it is published before the rest, once awaited(bytes)."""
        r, body = self.requests, request[4:]
        if offset is None:
            offset = 11 if len(body) > 8 and body[0] & 15 in (2, 3, 4, 5, 8) else 15
        n = lines(offset + len(body))
        self.wait(lambda: r.at + n + 64 - self.released() <= r.size)
        if parts is None:
            r.copy(r.at + offset, len(body), body)
        r.word(r.at + n, 0)
        word, in_parts = offset << 32 | struct.unpack('<I', request[:4])[0], parts is not None
        if in_parts:
            self.written(r.at + offset)
        r.word(r.at, in_parts << 63 | word)
        if in_parts:
            self.put_parts(r.at + offset, body, parts, awaited or (lambda n: self.engine_sleeps()))
        r.at += n
        self.wake()

    def put_parts(self, position, body, parts, awaited):
        at = 0
        for end in [*parts, len(body)]:
            self.requests.copy(position + at, end - at, body[at:end])
            at = end
            self.written(position + at)
            self.wake()
            if at < len(body):
                self.wait(lambda: awaited(at))

    def engine_sleeps(self):
        return struct.unpack_from('<I', self.memory, self.requests.control + 8)[0]

    def written(self, position):
        self.requests.shared(self.requests.control + 136, position)

    def released(self):
        return self.requests.shared(self.requests.control)

    def wake(self):
        os.write(self.wake_engine, struct.pack('<Q', 1))

    def reply(self):
        r = self.replies
        self.wait(lambda: r.word(r.at) != 0)
        word = r.word(r.at)
        n, offset, in_parts = word & 0x7fffffff, word >> 32 & 0x7fffffff, word >> 63
        if in_parts:
            self.wait(lambda: r.shared(r.control + 136) >= r.at + offset + n)
        body = r.copy(r.at + offset, n)
        r.at += lines(offset + n)
        r.shared(r.control, r.at)
        self.wake()
        if word >> 31 & 1:
            raise Error(struct.unpack_from('<I', body)[0], body[4:].decode())
        return body

    def call(self, *args, **kw):
        self.ask(frame(*args, **kw))
        return self.reply()
