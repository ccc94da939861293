"""What tests of the server share: starting it, frames, calls. Python's standard library only."""
import os
import resource
import signal
import socket
import struct
import subprocess

SETS = [(3, 6, 2, 1, 2, 3), (50, 101, 10, 17, 25, 50), (9, 18, 4, 3, 4, 9), (2000, 3, 4, 1, 1, 9)]


def frame(op, bars=(), sets=(), slot=None, flags=0):
    body = struct.pack('<BII', op | flags, len(bars), len(sets))
    if slot is not None:
        body += struct.pack('<I', slot)
    body += struct.pack('<%dd' % len(bars), *bars) + b''.join(struct.pack('<6q', *s) for s in sets)
    return struct.pack('<I', len(body)) + body


def walk(n, seed=1):
    """A series that needs no library: a linear congruential walk."""
    price, state, closes = 100.0, seed, []
    for _ in range(n):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        price *= 1 + ((state >> 33) / 2**31 - 0.5) / 500
        closes.append(price)
    return closes


def filtered(*frames, args=()):
    """The replies of a filter to these frames, the judge of what a server answers."""
    run = subprocess.run(['hmasweep', '-k', 'reference', *args], input=b''.join(frames),
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    replies, at = [], 0
    while at < len(run.stdout):
        n = struct.unpack_from('<I', run.stdout, at)[0] & 0x7fffffff
        replies.append(run.stdout[at + 4:at + 4 + n])
        at += 4 + n
    return replies


class Error(Exception):
    def __init__(self, code, text):
        Exception.__init__(self, code, text)
        self.code, self.text = code, text


class Peer:
    def __init__(self, address, timeout=60):
        kind, _, where = address.partition(':')
        if kind == 'unix':
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(timeout)
            self.socket.connect(where)
        else:
            host, _, port = where.rpartition(':')
            self.socket = socket.create_connection((host.strip('[]'), int(port)), timeout)

    def take(self, n):
        got = b''
        while len(got) < n:
            more = self.socket.recv(n - len(got))
            if not more:
                raise EOFError(len(got))
            got += more
        return got

    def reply(self):
        word = struct.unpack('<I', self.take(4))[0]
        body = self.take(word & 0x7fffffff)
        if word >> 31:
            raise Error(struct.unpack_from('<I', body)[0], body[4:].decode())
        return body

    def call(self, *args, **kw):
        try:
            self.socket.sendall(frame(*args, **kw))
        except (BrokenPipeError, ConnectionResetError):
            pass  # refused at the door: the reason is there to be read
        return self.reply()

    def refused(self, code, *args, **kw):
        try:
            self.call(*args, **kw)
        except Error as e:
            assert e.code == code, e
            return e.text
        raise AssertionError('no error')

    def stats(self):
        return dict(line.split('\t') for line in self.call(7).decode().splitlines())

    def ended(self):
        """The peer has closed: nothing more comes."""
        try:
            return self.socket.recv(1) == b''
        except ConnectionResetError:
            return True

    def reset(self):
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        self.socket.close()

    def close(self):
        self.socket.close()


class Engine:
    def __init__(self, *args, descriptors=None, said=None):
        ready, told = os.pipe()

        def limit():
            if descriptors:
                resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

        self.said = said
        self.process = subprocess.Popen(
            ['hmasweep', '--ready-fd', str(told), *args], pass_fds=[told], preexec_fn=limit,
            stderr=open(said, 'wb') if said else None)
        os.close(told)
        line = b''
        while not line.endswith(b'\n'):
            more = os.read(ready, 4096)
            if not more:
                raise SystemExit('the engine ended with status %d' % self.process.wait())
            line += more
        os.close(ready)
        self.addresses = line.decode().split()

    def peer(self, i=0, **kw):
        return Peer(self.addresses[i], **kw)

    def descriptors(self):
        return len(os.listdir('/proc/%d/fd' % self.process.pid))

    def signal(self, number):
        self.process.send_signal(number)

    def stop(self, status=0):
        self.process.terminate()
        got = self.process.wait(60)
        assert got == status, 'status %d' % got

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, kind, *rest):
        if kind:
            self.process.kill()
            self.process.wait()
        elif self.process.returncode is None:
            self.stop()
