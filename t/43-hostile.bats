#!/usr/bin/env bats
# A thousand connections, some busy, some hostile: the busy ones get every answer
# right, and nothing is left behind.

load lib
load wire

@test "1,000 connections, 50 busy, 10 hostile" {
	[ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 1100 ] || skip 'too few descriptors'
	ulimit -Sn "$(ulimit -Hn)"
	run_python <<-'EOF'
		import random
		x = walk(1000)
		sweeps = [frame(0, x[:100 + k], SETS[:2]) for k in range(50)]
		want = filtered(*sweeps)
		with Engine('-u', 'sock', '-t', ':0', '-j', '2', '--connections', '3000') as e:
		    control = e.peer()
		    control.call(1, x)
		    control.stats()
		    before, descriptors = int(control.stats()['mem_bytes']), e.descriptors()
		    silent = [e.peer(k & 1) for k in range(939)]
		    busy = [e.peer(k & 1) for k in range(50)]
		    while int(control.stats()['connections_now']) < 990:
		        pass
		    stop, failures, rounds = threading.Event(), [], [0] * 50
		    def guarded(f, *args):
		        def run():
		            try:
		                f(*args)
		            except BaseException as error:
		                failures.append('%s: %r' % (f.__name__, error))
		        return threading.Thread(target=run)
		    def work(first):
		        while not stop.is_set():
		            for k in range(first, 50, 5):
		                busy[k].socket.sendall(sweeps[k])
		            for k in range(first, 50, 5):
		                assert busy[k].reply() == want[k], 'a wrong answer'
		                rounds[k] += 1
		    def slow():
		        p = e.peer()
		        for byte in frame(1, x):
		            p.socket.send(bytes([byte]))
		            if stop.wait(0.02):
		                break
		        p.close()
		    def never_reads():
		        p = e.peer(1)
		        p.socket.setblocking(False)
		        while not stop.is_set():
		            try:
		                p.socket.send(frame(1, x))
		            except BlockingIOError:
		                stop.wait(0.05)
		        p.close()
		    def garbage(seed):
		        r = random.Random(seed)
		        while not stop.is_set():
		            p = e.peer(seed & 1)
		            try:
		                p.socket.sendall(bytes(r.randrange(256) for _ in range(r.randrange(200))))
		                p.socket.sendall(frame(r.randrange(16), x[:r.randrange(9)], flags=16 * r.randrange(16)))
		            except OSError:
		                pass
		            p.reset() if r.randrange(2) else p.close()
		    def huge():
		        while not stop.is_set():
		            p = e.peer()
		            p.socket.sendall(struct.pack('<IBII', 13 + 8 * 16000000, 2, 16000000, 0) + bytes(4 + 8000))
		            stop.wait(0.02)
		            p.close()
		    def half_closed():
		        while not stop.is_set():
		            p = e.peer(1)
		            p.socket.sendall(sweeps[0] + sweeps[1][:70])
		            p.socket.shutdown(socket.SHUT_WR)
		            assert p.reply() == want[0]
		            try:
		                p.reply()
		            except Error as error:
		                assert error.code == 1
		            p.close()
		    def vanishes():
		        while not stop.is_set():
		            p = e.peer(1)
		            p.socket.sendall(frame(3, sets=SETS, slot=1)[:-3])
		            p.reset()
		    threads = [guarded(work, k) for k in range(5)] + \
		        [guarded(slow), guarded(slow), guarded(never_reads), guarded(never_reads), guarded(garbage, 1),
		         guarded(garbage, 2), guarded(garbage, 3), guarded(huge), guarded(half_closed), guarded(vanishes)]
		    for t in threads:
		        t.start()
		    while min(rounds) < 20 and not failures:
		        time.sleep(0.01)
		    stop.set()
		    for t in threads:
		        t.join()
		    assert not failures, failures
		    for p in silent:
		        p.close()
		    for p in busy:
		        p.close()
		    while int(control.stats()['connections_now']) > 1:
		        pass
		    s = control.stats()
		    assert e.descriptors() == descriptors, (e.descriptors(), descriptors)
		    assert int(s['mem_bytes']) == before, (s['mem_bytes'], before)
	EOF
}

@test "no text of a client reaches the log, and error texts are bounded" {
	run_python <<-'EOF'
		with Engine('-u', 'sock', '--json', said='said') as e:
		    p = e.peer()
		    f = p.socket.makefile('rb')
		    p.socket.sendall(b'{"op":"\\u001b[2J%s%n' + b'A' * 100000 + b'"}\n\x1b[2J%n%s\n')
		    for _ in range(2):
		        line = f.readline()
		        assert line.startswith(b'{"error":{"code":') and len(line) < 1500 and b'\x1b' not in line, line
		assert open('said').read() == 'hmasweep: ready: unix:sock\n'
	EOF
}

@test "a large request holds nobody up: small calls go on while it is computed" {
	run_python <<-'EOF'
		x = walk(40000)
		with Engine('-u', 'sock', '-k', 'reference', said='said') as e:
		    large, small = e.peer(), e.peer()
		    large.socket.sendall(frame(0, x, SETS))
		    calls = 0
		    while not select.select([large.socket], [], [], 0)[0]:
		        small.call(1, [1.5])
		        calls += 1
		    large.reply()
		    assert calls > 10, calls
	EOF
}
