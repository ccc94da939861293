#!/usr/bin/env bats
# Slots under load: snapshots, appends, live state; what a restart asks of a client.

load lib
load wire

@test "versions count from 1, a slot each; replacing and appending are seen at once" {
	run_python <<-'EOF'
		x, y = walk(500), walk(700, 9)
		with Engine('-u', 'sock', '-t', ':0') as e:
		    p, q = e.peer(), e.peer(1)
		    want = filtered(frame(0, x, SETS), frame(0, y, SETS), frame(0, y + x, SETS))
		    u64 = lambda v: struct.pack('<Q', v)
		    assert p.call(2, x, slot=7) == u64(1)
		    assert q.call(3, sets=SETS, slot=7) == want[0]
		    assert q.call(2, y, slot=7) == u64(2)
		    assert p.call(3, sets=SETS, slot=7) == want[1]
		    assert p.call(4, x, slot=7) == u64(3)
		    assert q.call(3, sets=SETS, slot=7) == want[2]
		    assert p.call(4, slot=7) == u64(4)
		    assert q.call(2, slot=0) == u64(1)
		    assert q.call(3, sets=SETS, slot=0) == bytes(64)
		    # A dry run changes nothing, and tells what would be refused.
		    assert q.call(2, x, slot=7, flags=0x40) == b''
		    assert len(q.call(4, x, slot=7, flags=0xc0)) == 32
		    assert q.call(3, sets=SETS, slot=7) == want[2]
		    q.refused(4, 4, x, slot=1, flags=0x40)
		    # 2,000 appends of one bar each: the series moves nowhere and is the same.
		    p.call(2, y[:1], slot=3)
		    for k in range(1, 700):
		        assert p.call(4, y[k:k + 1], slot=3) == u64(k + 1)
		    assert q.call(3, sets=SETS, slot=3) == want[1]
	EOF
}

@test "writers replace and append as fast as they can: each sweep is of exactly one version" {
	run_python <<-'EOF'
		long = [walk(3000, k) for k in range(4)]
		sets = SETS[:3]
		short = 2000
		# Every series that the slot can hold: one of four, with 0 to 4 appends of 250 bars.
		frames = [frame(0, x[:short + 250 * n], sets) for x in long for n in range(5)]
		known = set(filtered(*frames))
		assert len(known) == 20
		for kernel, threads in (('filtered', '1'), ('vector', '2')):
		    with Engine('-u', 'sock', '-k', kernel, '-j', threads, '--max-bars', '100000') as e:
		        e.peer().call(2, long[0][:short], slot=1)
		        stop, failures, swept = threading.Event(), [], [0]
		        def guarded(f):
		            def run():
		                try:
		                    f(e.peer())
		                except BaseException as error:
		                    failures.append(repr(error))
		                    stop.set()
		            return threading.Thread(target=run)
		        def write(p):
		            k = 0
		            while not stop.is_set():
		                k += 1
		                x = long[k % 4]
		                p.call(2, x[:short], slot=1)
		                for n in range(4):
		                    p.call(4, x[short + 250 * n:short + 250 * (n + 1)], slot=1)
		        def read(p):
		            while not stop.is_set():
		                got = p.call(3, sets=sets, slot=1)
		                assert got in known, 'a sweep of no version'
		                swept[0] += 1
		        all = [guarded(write)] + [guarded(read) for _ in range(3)]
		        for t in all:
		            t.start()
		        while swept[0] < 200 and not failures:
		            time.sleep(0.01)
		        stop.set()
		        for t in all:
		            t.join()
		        assert not failures, failures
		        p = e.peer()
		        while int(p.stats()['connections_now']) > 1:
		            pass
	EOF
}

@test "large loads and sweeps at once, from many peers, on compute threads" {
	run_python <<-'EOF'
		x = [walk(15000, k) for k in range(3)]
		want = [filtered(frame(0, x[k], SETS), args=('-k', 'vector'))[0] for k in range(3)]
		with Engine('-u', 'sock', '-k', 'vector', '-j', '2') as e:
		    failures = []
		    def work(k):
		        try:
		            p = e.peer()
		            for i in range(4):
		                p.call(2, x[k], slot=k)
		                assert p.call(3, sets=SETS, slot=k) == want[k]
		                assert p.call(0, x[k], SETS) == want[k]
		        except BaseException as error:
		            failures.append(repr(error))
		    peers = [threading.Thread(target=work, args=(k % 3,)) for k in range(6)]
		    for t in peers:
		        t.start()
		    for t in peers:
		        t.join()
		    assert not failures, failures
	EOF
}

@test "old series are freed when the last sweep has left them" {
	run_python <<-'EOF'
		x = walk(20000)
		with Engine('-u', 'sock') as e:
		    p = e.peer()
		    for k in range(3):
		        p.call(2, x, slot=0)
		        p.call(3, sets=SETS, slot=0)
		    before = p.stats()['mem_bytes']
		    for k in range(50):
		        p.call(2, x, slot=0)
		        p.call(3, sets=SETS, slot=0)
		    assert p.stats()['mem_bytes'] == before
	EOF
}

@test "150,000 ticks of one bar end equal to the sweep; open begins where the slot ends" {
	gbmgen >closes
	frame -g 6:200:3 closes | hmasweep -k reference | tail -c 48 >want
	{ frame -x open -s none -g 6:200:3; frame -x tick -n 1 closes; } >request
	hmasweep <request | tail -c 72 | head -c 48 >got
	same want got
	run_python <<-'EOF'
		closes = struct.unpack('<150000d', open('closes', 'rb').read())
		sets = [struct.unpack_from('<6q', open('request', 'rb').read(), 17 + 48 * k) for k in range(3)]
		want = open('want', 'rb').read()
		with Engine('-u', 'sock') as e:
		    p = e.peer()
		    p.call(2, closes[:149000], slot=2)
		    p.call(5, sets=sets, slot=2)
		    p.call(2, closes[:10], slot=2) # later loads do not touch it
		    for k in range(149000, 150000):
		        got = p.call(6, closes[k:k + 1])
		    assert got[:48] == want
		    # Another connection has none of it; a second open starts anew.
		    e.peer().refused(2, 6, [1.5])
		    p.call(5, sets=sets[:1], slot=0xffffffff)
		    assert p.call(6, closes[:1]) == bytes(24)
	EOF
}

@test "after kill -9 the next engine serves, and the example client loads again by itself" {
	run_python <<-'EOF'
		sys.path.insert(0, os.environ['PYTHONPATH'] + '/../examples')
		from preloaded import Preloaded
		x = walk(1000)
		want = filtered(frame(0, x, SETS))[0]
		pairs = [tuple(v) for v in zip(struct.unpack_from('<4d', want), struct.unpack_from('<4q', want, 32))]
		e = Engine('-u', 'sock')
		client = Preloaded('sock', 5, x)
		assert client.sweep(SETS) == pairs
		e.kill()
		e = Engine('-u', 'sock')
		assert client.sweep(SETS) == pairs
		assert client.loads == 2
		assert client.sweep(SETS) == pairs
		assert client.loads == 2
		e.stop()
	EOF
}

@test "no allocation a request once warm, on a socket" {
	run_python <<-'EOF'
		x = walk(1000)
		with Engine('-u', 'sock', '-t', ':0', '-j', '2') as e:
		    for i in (0, 1):
		        p = e.peer(i)
		        p.call(2, x, slot=0)
		        p.call(5, sets=SETS, slot=0)
		        for warm in (20, 10000):
		            before = p.stats()['allocations']
		            for k in range(warm // 5):
		                p.call(0, x[:300], SETS)
		                p.call(1, x)
		                p.call(3, sets=SETS[:1], slot=0)
		                p.call(6, x[:1])
		                p.call(7)
		            after = p.stats()['allocations']
		        assert after == before, (before, after)
	EOF
}

@test "large appends by several at once, small ones between: all there, in some order" {
	run_python <<-'EOF'
		pieces = [struct.pack('<1000d', *walk(1000, k)) * 200 for k in range(4)]
		def append(p, closes):
		    n = len(closes) // 8
		    p.socket.sendall(struct.pack('<IBIII', 13 + len(closes), 4, n, 0, 3) + closes)
		    return struct.unpack('<Q', p.reply())[0]
		with Engine('-u', 'sock') as e:
		    e.peer().call(2, [0.5], slot=3)
		    versions, failures = [], []
		    def work(k):
		        try:
		            p = e.peer()
		            for i in range(3):
		                piece = pieces[k] if k < 4 else struct.pack('<d', 90.5 + k)
		                versions.append((append(p, piece), piece))
		        except BaseException as error:
		            failures.append(repr(error))
		    peers = [threading.Thread(target=work, args=(k,)) for k in range(6)]
		    for t in peers:
		        t.start()
		    gone = e.peer()
		    gone.call(2, [0.5], slot=4)
		    gone.socket.sendall(struct.pack('<IBIII', 13 + len(pieces[0]), 4, 200000, 0, 4) + pieces[0])
		    gone.close()
		    for t in peers:
		        t.join()
		    p = e.peer()
		    while int(p.stats()['connections_now']) > 1:
		        pass
		    assert not failures, failures
		    # The versions tell the order; the sweep of what the slot holds is that of the pieces.
		    versions.sort(key=lambda v: v[0])
		    assert [v for v, piece in versions] == list(range(2, 20))
		    closes = struct.pack('<d', 0.5) + b''.join(piece for v, piece in versions)
		    n, sets = len(closes) // 8, struct.pack('<6q', *SETS[0])
		    whole = struct.pack('<IBII', 9 + len(closes) + 48, 0, n, 1) + closes + sets
		    assert p.call(3, sets=SETS[:1], slot=3) == filtered(whole, args=('-k', 'filtered'))[0]
	EOF
}
