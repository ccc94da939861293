#!/usr/bin/env bats
# hmasweep as a server: limits, stopping, what it frees and what it tells.

load lib
load wire

@test "limits: connections, then served again" {
	run_python <<-'EOF'
		with Engine('-u', 'sock', '--connections', '3', said='said') as e:
		    three = [e.peer() for _ in range(3)]
		    for p in three:
		        p.call(1)
		    for _ in range(5):
		        p = e.peer()
		        try:
		            p.reply()
		            raise AssertionError
		        except Error as error:
		            assert error.code == 5
		            assert error.text == 'busy: 3 connections are open (see --connections)'
		        assert p.ended()
		    three.pop().close()
		    while True: # until it has noticed
		        try:
		            s = e.peer().stats()
		            break
		        except Error:
		            pass
		    assert int(s['refused']) >= 5 and s['errors_5'] == s['refused'], s
		# Said, but no oftener than once a second.
		assert open('said').read().count('connections are open') <= 3
	EOF
}

@test "limits: descriptors: refused cleanly, the limit named, service goes on" {
	run_python <<-'EOF'
		with Engine('-u', 'sock', descriptors=40, said='said') as e:
		    first = e.peer()
		    first.call(1)
		    peers, told = [], 0
		    while told < 5 and len(peers) < 100:
		        p = e.peer()
		        try:
		            p.call(1, [2.5])
		        except Error as error:
		            assert error.code == 5
		            assert error.text == 'busy: the limit of 40 descriptors is reached (see ulimit -n)'
		            told += 1
		            continue
		        peers.append(p)
		    assert told == 5 and 20 < len(peers) < 40, len(peers)
		    assert first.call(1, [1.5]) == struct.pack('<d', 1.5)
		    for p in peers:
		        p.close()
		    while int(first.stats()['connections_now']) > 1:
		        pass
		    assert e.peer().call(1, [3.5]) == struct.pack('<d', 3.5)
		assert 'the limit of 40 descriptors is reached (see ulimit -n)' in open('said').read()
	EOF
}

@test "limits: memory in all, and idle time" {
	run_python <<-'EOF'
		x = walk(20000)
		with Engine('-u', 'sock', '--max-memory', '1M') as e:
		    p = e.peer()
		    for slot in range(4):
		        p.call(2, x, slot=slot)
		    q = e.peer()
		    text = q.refused(5, 2, x, slot=4)
		    assert text == 'busy: the series would exceed 1000000 bytes in all (see --max-memory)', text
		    assert q.ended()
		    assert p.call(3, sets=SETS, slot=3) == filtered(frame(0, x, SETS))[0]
		with Engine('-u', 'sock', '--idle', '300ms') as e:
		    busy, idle = e.peer(), e.peer()
		    start = time.monotonic()
		    while not select.select([idle.socket], [], [], 0)[0]:
		        busy.call(1)
		    assert time.monotonic() - start >= 0.3
		    try:
		        idle.reply()
		    except Error as error:
		        assert error.code == 5 and error.text == 'idle for too long (see --idle)'
		    assert idle.ended()
		    assert busy.stats()['idle_closed'] == '1'
	EOF
}

@test "SIGTERM: what was received is answered, then the end, the file gone, status 0" {
	run_python <<-'EOF'
		x = walk(6000)
		want = filtered(frame(0, x, SETS))[0]
		for number in (signal.SIGTERM, signal.SIGINT):
		    e = Engine('-u', 'sock', '-k', 'reference', '--grace', '100s')
		    peers = [e.peer() for _ in range(8)]
		    for p in peers:
		        p.call(1)
		        p.socket.sendall(frame(0, x, SETS) * 3)
		    silent, partial = e.peer(), e.peer()
		    partial.call(1)
		    partial.socket.sendall(frame(0, x, SETS)[:50])
		    e.signal(number)
		    for p in peers:
		        assert [p.reply() for _ in range(3)] == [want] * 3
		        assert p.ended()
		    assert silent.ended() and partial.ended()
		    assert e.process.wait(60) == 0
		    assert not os.path.exists('sock')
	EOF
}

@test "SIGTERM: a peer that does not read holds it up for --grace at most; a second ends it now" {
	run_python <<-'EOF'
		def hold_up(*args):
		    e = Engine('-u', 'sock', *args)
		    p = e.peer()
		    p.socket.setblocking(False)
		    try:
		        while True: # until neither side takes more
		            select.select([], [p.socket], [], 0.2)
		            p.socket.send(frame(1, [1.5] * 10000))
		    except BlockingIOError:
		        pass
		    return e, p
		e, p = hold_up('--grace', '300ms')
		start = time.monotonic()
		e.signal(signal.SIGTERM)
		assert e.process.wait(60) == 0
		assert time.monotonic() - start >= 0.3
		e, p = hold_up('--grace', '1000s')
		e.signal(signal.SIGTERM)
		while os.path.exists('sock'):
		    pass
		e.signal(signal.SIGTERM)
		assert e.process.wait(60) == 1
	EOF
}

@test "a vanished peer frees what it held, a computation under way included" {
	run_python <<-'EOF'
		x = walk(10000)
		with Engine('-u', 'sock', '-t', ':0', '-k', 'reference') as e:
		    control = e.peer()
		    control.stats()
		    control.call(1, x) # its own buffer is large from now on
		    before, descriptors = int(control.stats()['mem_bytes']), e.descriptors()
		    for round in range(3):
		        for i in (0, 1):
		            for sent in (frame(0, x, SETS), frame(0, x, SETS)[:1000], frame(1, x),
		                         frame(2, x, slot=1)[:70000], frame(5, slot=0xffffffff, sets=SETS)):
		                p = e.peer(i)
		                p.socket.sendall(sent)
		                p.reset() if round & 1 else p.close()
		    # All of them taken in, for some may still wait at the door, and gone.
		    s = control.stats()
		    while int(s['connections']) < 31 or int(s['connections_now']) > 1:
		        s = control.stats()
		    assert e.descriptors() == descriptors, (e.descriptors(), descriptors)
		    assert int(s['mem_bytes']) == before, (s['mem_bytes'], before)
	EOF
}

@test "SIGUSR2 writes statistics, SIGUSR1 the flight recorder, and service goes on" {
	run_python <<-'EOF'
		with Engine('-u', 'sock', '--trace', '4', '--trace-file', 'dump', said='said') as e:
		    p = e.peer()
		    for k in range(9):
		        p.call(1, [1.5] * k, flags=0x80)
		    p.refused(7, 9)
		    e.signal(signal.SIGUSR1)
		    while p.stats()['trace_dumps'] == '0':
		        pass
		    e.signal(signal.SIGUSR2)
		    while 'requests_echo\t9' not in open('said').read():
		        p.call(1, flags=0x40)
		rows = [line.split('\t') for line in open('dump').read().splitlines()]
		assert len(rows) == 5 and all(len(r) == 17 for r in rows)
		assert [r[1] for r in rows[1:]] == ['asked'] * 4
		# The last requests: by then calls for statistics may follow the error.
		assert any(r[4] == '?' and r[6] == '7' for r in rows) or all(r[4] == 'stats' for r in rows[1:])
	EOF
}

@test "statistics count what was done" {
	run_python <<-'EOF'
		x = walk(100)
		with Engine('-u', 'sock', '-F', '0.5', '-j', '2') as e:
		    p = e.peer()
		    p.call(0, x, SETS)
		    p.call(0, x, SETS, flags=0x40)
		    p.call(1, x)
		    p.refused(4, 3, sets=SETS, slot=9)
		    p.call(2, x, slot=9)
		    for _ in range(7):
		        p.call(3, sets=SETS, slot=9)
		    p.call(4, x[:1], slot=9)
		    p.refused(2, 6, x)
		    p.call(5, sets=SETS, slot=9)
		    p.call(6, x[:2])
		    p.refused(7, 12)
		    s = p.stats()
		want = dict(requests_sweep=1, dry_sweep=1, requests_echo=1, requests_load=1, requests_append=1,
		            requests_open=1, requests_tick=1, errors_2=1, errors_4=1, errors_7=1, slot_hits=8,
		            slot_misses=1, slot_9_version=2, slot_9_bars=101, connections=1, threads=2, fee=0.5,
		            read_n=13, compute_n=13, dry_compute_n=1, kernel='filtered', wait='block')
		want['requests_sweep-slot'] = 7
		for name, value in want.items():
		    assert s[name] == str(value), (name, s[name], value)
		assert int(s['bytes_in']) == sum(map(len, [
		    frame(0, x, SETS) * 2, frame(1, x), frame(3, sets=SETS, slot=9) * 8, frame(2, x, slot=9),
		    frame(4, x[:1], slot=9), frame(6, x), frame(5, sets=SETS, slot=9), frame(6, x[:2]), frame(12),
		    frame(7)])), s['bytes_in']
	EOF
}

@test "placement: granted, impossible and refused are said, and shown by the statistics" {
	run_python <<-'EOF'
		cpu = sorted(os.sched_getaffinity(0))[0]
		with Engine('-u', 'sock', '--cpu', '%d,%d' % (cpu, cpu), '--numa', '999', '--spin', said='said') as e:
		    s = e.peer().stats()
		    assert os.sched_getaffinity(e.process.pid) == {cpu}
		assert s['cpu'] == s['compute_cpu'] == 'granted: processor %d' % cpu, s
		assert s['numa'].startswith('impossible: node 999: this machine has '), s
		assert s['fifo'] == s['mlock'] == 'not asked' and s['wait'] == 'spin'
		assert 'hmasweep: --numa: impossible: node 999: ' in open('said').read()
		with Engine('-u', 'sock', '--cpu', '100000', said='said') as e:
		    assert e.peer().call(1) == b''
		assert '--cpu: impossible: processor 100000: this machine has 0 to ' in open('said').read()
		# What a user without privilege is refused; root is granted.
		with Engine('-u', 'sock', '--fifo', '7', '--mlock', said='said') as e:
		    s = e.peer().stats()
		for name, text in (('fifo', 'SCHED_FIFO 7'), ('mlock', '')):
		    state = s[name].split(':')[0]
		    assert state in ('granted', 'refused'), s[name]
		    assert ('--%s: refused' % name in open('said').read()) == (state == 'refused')
	EOF
}
