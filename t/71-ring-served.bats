#!/usr/bin/env bats
# The engine behind a ring: the same replies, hostile and dying peers, sleep.
load lib
load wire
export B

@test "a client written from the manual: every op, many laps, the filter's replies" {
	run_ring <<-'EOF'
		x = walk(2000)
		frames = [frame(0, x, SETS), frame(1, x[:1]), frame(1), frame(2, x, slot=3), frame(3, (), SETS, slot=3),
		          frame(4, x[:9], slot=3), frame(3, (), SETS[:1], slot=3), frame(5, (), SETS, slot=3),
		          frame(6, x[:1]), frame(6, x[:400]), frame(0, x, []), frame(0, [], SETS), frame(1, x, flags=0x40)]
		want = filtered(*frames)
		with Engine('-u', 'sock', '-t', ':0') as e:
		    p = RingPeer(e.addresses[0])
		    for lap in range(40):
		        for f, w in zip(frames, want):
		            p.ask(f, None if lap % 2 else 8 + lap)
		            got = p.reply()
		            assert len(w) == 8 and lap or got == w, f[:20]
		    for f in frames[:3] * 5:
		        p.ask(f)
		    for f, w in list(zip(frames, want))[:3] * 5:
		        assert p.reply() == w
		    stamped = p.call(0, x, SETS, flags=0x80)
		    assert stamped[32:] == want[0]
		    assert list(struct.unpack('<4Q', stamped[:32])) == sorted(struct.unpack('<4Q', stamped[:32]))
		    assert int(p.stats()['rings']) == 1
	EOF
}

@test "errors go by the ring: those that end it, those that do not" {
	run_ring <<-'EOF'
		x = walk(10)
		with Engine('-u', 'sock', '--max-frame', '30k') as e:
		    p = RingPeer(e.addresses[0])
		    assert 'window' in p.refused(2, 0, x, [(1, 2, 3, 4, 5, 0)])
		    assert 'tick before open' in p.refused(2, 6, x)
		    assert 'empty' in p.refused(4, 3, (), SETS, slot=5)
		    p.ask(frame(9))
		    try: p.reply()
		    except Error as error: assert error.code == 7, error
		    p.ask(frame(8, slot=65536))
		    try: p.reply()
		    except Error as error: assert error.code == 2 and 'a ring already' in error.text, error
		    assert p.call(1, x) == struct.pack('<10d', *x)
		    for bad, code in (struct.pack('<IBII', 9, 1, 7, 0), 1), (struct.pack('<I', 0), 1), \
		                     (frame(1, walk(4000)), 3):
		        p = RingPeer(e.addresses[0])
		        p.ask(bad)
		        try: p.reply()
		        except Error as error: assert error.code == code, error
		        else: raise AssertionError('no error')
		        assert p.ended()
	EOF
}

@test "where there can be no ring: TCP, a filter, too large, a second one, none allowed" {
	run_ring <<-'EOF'
		def refused(code, text, address, size=65536):
		    try: RingPeer(address, size)
		    except Error as e: assert e.code == code and text in e.text, e
		    else: raise AssertionError('no error')
		with Engine('-u', 'sock', '-t', ':0') as e:
		    refused(7, 'over a Unix socket only', e.addresses[1])
		    refused(2, 'exceeds 16777216 (see --max-ring)', e.addresses[0], 2**24 + 1)
		    refused(2, 'see --max-ring', e.addresses[0], 2**32 - 1)
		    assert RingPeer(e.addresses[0], 65537).size == 131072
		    assert RingPeer(e.addresses[0], 0).size == 65536
		    p = e.peer()
		    p.socket.sendall(frame(8, slot=0) + frame(1))
		    assert 'nothing else may be under way' in p.refused(2, 1)
		    assert e.peer().call(8, slot=9, flags=0x40) == b''
		with Engine('-u', 'sock', '--max-ring', '0') as e:
		    refused(2, 'exceeds 0 (see --max-ring)', e.addresses[0])
		with Engine('-u', 'sock', '--max-memory', '1Mi') as e:
		    refused(5, 'see --max-memory', e.addresses[0], 2**20)
	EOF
	{ le32 13; byte 8; le32 0 0 65536; } >request
	expect 3 hmasweep <request || expect 1 hmasweep <request
	says err 'over a Unix socket only'
}

@test "a reply that does not fit the ring is an error, and the ring goes on" {
	run_ring <<-'EOF'
		with Engine('-u', 'sock') as e:
		    p = RingPeer(e.addresses[0])
		    assert p.call(5, (), [SETS[0]] * 900, slot=2**32 - 1) == b''
		    assert len(p.call(6, [1.5])) == 900 * 24
		    big = RingPeer(e.addresses[0], 2**18)
		    big.call(5, (), [SETS[0]] * 3000, slot=2**32 - 1)
		    assert len(big.call(6, [1.5])) == 3000 * 24
	EOF
}

@test "echoload --relay -m: the bytes of the filter, frames of all sizes" {
	run_ring <<-'EOF'
		x = walk(150000)
		frames = [frame(1, x), frame(0, x[:3000], SETS)] + [frame(1, x[:n]) for n in range(0, 300)] + [frame(1, x)] * 3
		open('requests', 'wb').write(b''.join(frames))
		with Engine('-u', 'sock') as e:
		    for size in '2Mi', '3500k':
		        run = subprocess.run(['echoload', '--relay', '-m', 'sock', '--ring-size', size], stdin=open('requests'),
		                             stdout=open('got', 'wb'))
		        assert run.returncode == 0, run
		        subprocess.run(['hmasweep'], stdin=open('requests'), stdout=open('want', 'wb'), check=True)
		        assert open('got', 'rb').read() == open('want', 'rb').read()
		    run = subprocess.run(['echoload', '--relay', '-m', 'sock', '--ring-size', '64k'], stdin=open('requests'),
		                         stdout=open('got', 'wb'), stderr=subprocess.PIPE)
		    assert run.returncode == 1, run
	EOF
}

@test "who breaks the protocol is told so on the socket and closed; others are served" {
	run_ring <<-'EOF'
		x = walk(500)
		with Engine('-u', 'sock') as e:
		    control = RingPeer(e.addresses[0])
		    control.call(1, x)
		    before, fds = int(control.stats()['mem_bytes']), e.descriptors()
		    def word(p): p.requests.word(p.requests.at, 1); p.wake()
		    def long(p): p.requests.word(p.requests.at, 8 << 32 | 0x7fffffff); p.wake()
		    def index(p):
		        struct.pack_into('<Q', p.memory, p.replies.control, 2**40)
		        for _ in range(300):
		            p.ask(frame(1, x))
		    def stray(p): p.socket.sendall(b'x')
		    for n, trick in enumerate([word, long, index, stray]):
		        p = RingPeer(e.addresses[0])
		        p.call(1, x)
		        try:
		            trick(p)
		            p.wait(lambda: False)
		        except Error as error:
		            assert error.code == 1 and ('broke the protocol' in error.text or 'silent' in error.text), error
		        assert p.ended()
		        assert control.call(1, x) == struct.pack('<500d', *x)
		        assert int(control.stats()['ring_broken']) == n + 1
		        p.close()
		    while int(control.stats()['connections_now']) > 1:
		        os.sched_yield()
		    assert e.descriptors() == fds, (e.descriptors(), fds)
		    assert abs(int(control.stats()['mem_bytes']) - before) < 65536
	EOF
}

@test "a client that scribbles over all it shares, again and again, harms itself alone" {
	run_ring <<-'EOF'
		x = walk(500)
		with Engine('-u', 'sock') as e:
		    control = e.peer()
		    before = int(control.stats()['mem_bytes'])
		    mean = subprocess.Popen([os.environ['B'] + '/t/ring_scribble', 'sock', '40', '3'])
		    while mean.poll() is None:
		        assert control.call(1, x) == struct.pack('<500d', *x)
		    assert mean.returncode == 0
		    assert int(control.stats()['ring_broken']) > 0
		    while int(control.stats()['connections_now']) > 1:
		        os.sched_yield()
		    assert abs(int(control.stats()['mem_bytes']) - before) < 65536
	EOF
}

@test "kill -9 of a client, idle, asking, or owing: memory and descriptors return" {
	run_ring <<-'EOF'
		x = walk(4000)
		for more in [], ['--spin']:
		    with Engine('-u', 'sock', *more) as e:
		        control = e.peer()
		        before, fds = int(control.stats()['mem_bytes']), e.descriptors()
		        for n in range(12):
		            r, w = os.pipe()
		            child = os.fork()
		            if child == 0:
		                p = RingPeer(e.addresses[0], 2**20)
		                for _ in range(n % 4 * 3):
		                    p.ask(frame(n & 1, x, SETS))
		                if n == 11:
		                    p.requests.copy(p.requests.at + 15, 4000, bytes(4000))
		                os.write(w, b'x')
		                while True:
		                    signal.pause()
		            os.read(r, 1)
		            os.kill(child, signal.SIGKILL)
		            os.waitpid(child, 0)
		        while int(control.stats()['connections_now']) > 1:
		            os.sched_yield()
		        assert e.descriptors() == fds
		        assert abs(int(control.stats()['mem_bytes']) - before) < 65536
	EOF
}

@test "kill -9 of the engine: clients that spin and clients that sleep end, and say so" {
	ls /dev/shm >shm
	run_ring <<-'EOF'
		for how in ['--spin'], [], ['-q', '4'], ['-r', '1000']:
		    e = Engine('-u', 'sock')
		    run = subprocess.Popen(['echoload', '-m', 'sock', '-d', '300s', *how], stderr=subprocess.PIPE)
		    control = e.peer()
		    while int(control.stats()['requests_echo']) < 200:
		        os.sched_yield()
		    e.kill()
		    said = run.communicate(timeout=60)[1]
		    assert run.returncode == 1 and b'the peer closed' in said, (run.returncode, said)
		    os.unlink('sock')
	EOF
	ls /dev/shm >after
	same shm after
}

@test "done with asking: answered to the last record; told to stop: the same" {
	run_ring <<-'EOF'
		x = walk(3000)
		with Engine('-u', 'sock', '-j', '2', '-k', 'reference') as e:
		    want = e.peer().call(0, x, SETS)
		    for stop in False, True:
		        p = RingPeer(e.addresses[0], 2**20)
		        for _ in range(20):
		            p.ask(frame(0, x, SETS))
		        e.signal(signal.SIGTERM) if stop else p.socket.shutdown(socket.SHUT_WR)
		        for _ in range(20):
		            assert p.reply() == want
		        assert p.ended()
		    assert e.process.wait(60) == 0
	EOF
}

@test "an engine with quiet rings sleeps" {
	run_ring <<-'EOF'
		with Engine('-u', 'sock') as e:
		    peers = [RingPeer(e.addresses[0]) for _ in range(3)]
		    for p in peers:
		        assert p.call(1, [1.5]) == struct.pack('<d', 1.5)
		    def used():
		        f = open('/proc/%d/stat' % e.process.pid).read().rpartition(')')[2].split()
		        return f[0], int(f[11]) + int(f[12])
		    # It comes to rest, its flags say that it must be woken, and then its time stands still.
		    while used()[0] != 'S' or not all(p.engine_sleeps() for p in peers):
		        os.sched_yield()
		    before = used()
		    time.sleep(0.3)
		    assert used() == before, (before, used())
		    for p in peers:
		        assert p.call(1, [2.5]) == struct.pack('<d', 2.5)
	EOF
}

@test "a quiet ring sleeps while sockets are served, and they do not wake it" {
	run_ring <<-'EOF'
		with Engine('-u', 'sock') as e:
		    quiet, busy, other = RingPeer(e.addresses[0]), RingPeer(e.addresses[0]), e.peer()
		    for p in quiet, busy:
		        assert p.call(1, [1.5]) == struct.pack('<d', 1.5)
		    asleep = quiet.engine_sleeps
		    while not asleep():
		        assert busy.call(1, [1.5]) == struct.pack('<d', 1.5)
		    # Set when it came to rest; nothing but its own client clears it.
		    for n in range(300):
		        assert (other, busy)[n % 2].call(1, [2.5]) == struct.pack('<d', 2.5)
		        assert asleep(), n
		    assert quiet.call(1, [3.5]) == struct.pack('<d', 3.5)
	EOF
}

@test "one processor for both: said, and nobody starves" {
	needs taskset
	run_ring <<-'EOF'
		cpu = str(min(os.sched_getaffinity(0)))
		for more in [], ['--spin']:
		    with Engine('-u', 'sock', '--cpu', cpu, *more, said='said') as e:
		        run = subprocess.run(['taskset', '-c', cpu, 'echoload', '-m', 'sock', '-n', '500', *more],
		                             stderr=subprocess.PIPE)
		        assert run.returncode == 0, run
		        assert b'both ends share one processor' in run.stderr, run.stderr
		    assert "shares the loop's only processor" in open('said').read()
	EOF
}
