#!/usr/bin/env bats
# hmasweep as a server: addresses, framing in pieces, what it answers.

load lib
load wire

@test "Unix and TCP at once: the replies of the filter" {
	run_python <<-'EOF'
		x = walk(3000)
		frames = [frame(0, x, SETS), frame(1, x), frame(0, x[:7], SETS), frame(1), frame(0, x, [])]
		want = filtered(*frames)
		with Engine('-u', 'a', '-u', 'b', '-t', '127.0.0.1:0', '-t', '[::1]:0') as e:
		    assert e.addresses[:2] == ['unix:a', 'unix:b'], e.addresses
		    for i in range(4):
		        p = e.peer(i)
		        for f, w in zip(frames, want):
		            p.socket.sendall(f)
		            assert p.reply() == w
	EOF
}

@test "one line says when and where it listens, on stderr and on --ready-fd" {
	run_python <<-'EOF'
		with Engine('-u', 'sock', '-t', ':0', said='said') as e:
		    pass
		assert open('said').read() == 'hmasweep: ready: %s\n' % ' '.join(e.addresses)
		assert e.addresses[1].startswith('tcp:127.0.0.1:')
	EOF
}

@test "TCP beyond loopback is said; wrong addresses are usage errors" {
	run_python <<-'EOF'
		with Engine('-t', '0.0.0.0:0', said='said') as e:
		    pass
		assert 'tcp:0.0.0.0:' in e.addresses[0]
		assert 'reached from other machines, and asks nobody who he is' in open('said').read()
	EOF
	for bad in localhost: 127.0.0.1:x '' 127.0.0.1:123456 127.0.0.1:65536; do
		expect 2 hmasweep -t "$bad"
		says err "'$bad' is not HOST:PORT with a port up to 65535 (127.0.0.1:4711, [::1]:4711)"
	done
	expect 2 hmasweep -u sock -o file
	says err '-o: a server answers on its sockets'
	[ ! -e sock ]
	expect 1 hmasweep -t 127.0.0.1:1 -t 256.0.0.1:0
	expect 1 hmasweep --ready-fd 77 -u sock
	says err '--ready-fd 77: Bad file descriptor'
	[ ! -e sock ]
}

@test "a Unix socket: mode 0600, stale ones replaced, nothing else ever" {
	run_python <<-'EOF'
		os.umask(0)
		e = Engine('-u', 'sock')
		assert os.stat('sock').st_mode & 0o7777 == 0o600
		e.kill()
		assert os.path.exists('sock')
		e = Engine('-u', 'sock')
		assert e.peer().call(1, [1.5]) == struct.pack('<d', 1.5)
		two = subprocess.run(['hmasweep', '-u', 'sock'], stderr=subprocess.PIPE)
		assert two.returncode == 1 and b'sock: another server answers there' in two.stderr, two
		assert e.peer().call(1) == b''
		e.stop()
		assert not os.path.exists('sock')
	EOF
	echo precious >file
	expect 1 hmasweep -u file
	says err 'hmasweep: file: exists and is not a socket: remove it or choose another path'
	[ "$(cat file)" = precious ]
	ln -s file link
	expect 1 hmasweep -u link
	[ -L link ]
	expect 1 hmasweep -u missing/sock
	says err 'missing/sock: cannot bind: No such file or directory'
	expect 2 hmasweep -u "$(printf %0200d 0)"
	says err "a socket's path has 1 to 107 bytes"
}

@test "a socket file that somebody else has put there meanwhile is not removed" {
	run_python <<-'EOF'
		e = Engine('-u', 'sock')
		os.rename('sock', 'mine')
		open('sock', 'w').close()
		e.stop()
		assert os.path.exists('sock')
	EOF
}

@test "byte by byte, in any pieces, and many requests in one write" {
	run_python <<-'EOF'
		x = walk(40)
		frames = [frame(0, x, SETS), frame(1, x), frame(2, x, slot=1), frame(3, sets=SETS, slot=1),
		          frame(4, x[:3], slot=1), frame(9), frame(5, sets=SETS, slot=1), frame(6, x[:2])] * 3
		want = filtered(*frames)
		stream = b''.join(frames)
		with Engine('-u', 'sock') as e:
		    for step in (1, 2, 3, 5, 7, 11, 13, 64, 1000, len(stream)):
		        p = e.peer()
		        got = []
		        def read():
		            for f in frames:
		                try:
		                    got.append(p.reply())
		                except Error as error:
		                    got.append(struct.pack('<I', error.code) + error.text.encode())
		        reader = threading.Thread(target=read)
		        reader.start()
		        p.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
		        for at in range(0, len(stream), step):
		            p.socket.sendall(stream[at:at + step])
		        reader.join()
		        # Versions go on counting from peer to peer.
		        same = [a == b or len(a) == 8 for a, b in zip(got, want)]
		        assert all(same), (step, same)
	EOF
}

@test "10,000 small requests in flight, a large one between: all answered, in order" {
	run_python <<-'EOF'
		x = walk(20000)
		judged = filtered(frame(0, x, SETS))[0]
		with Engine('-u', 'sock', '-t', ':0') as e:
		    for i in (0, 1):
		        p = e.peer(i)
		        def send():
		            for k in range(10000):
		                p.socket.sendall(frame(1, [float(k)]))
		                if k == 5000:
		                    p.socket.sendall(frame(0, x, SETS) + frame(1, x))
		        sender = threading.Thread(target=send)
		        sender.start()
		        for k in range(10000):
		            assert p.reply() == struct.pack('<d', k)
		            if k == 5000:
		                assert p.reply() == judged
		                assert p.reply() == struct.pack('<20000d', *x)
		        sender.join()
	EOF
}

@test "a peer that closes its half is answered to the end; one that ends within a frame is told" {
	run_python <<-'EOF'
		x = walk(2000)
		with Engine('-u', 'sock', '-t', ':0') as e:
		    for i in (0, 1):
		        p = e.peer(i)
		        p.socket.sendall(frame(0, x, SETS) * 5)
		        p.socket.shutdown(socket.SHUT_WR)
		        assert [p.reply() for _ in range(5)] == filtered(frame(0, x, SETS)) * 5
		        assert p.ended()
		        for cut in (2, 9, 12, 100):
		            p = e.peer(i)
		            p.socket.sendall(frame(1, x[:3]) + frame(0, x, SETS)[:cut])
		            p.socket.shutdown(socket.SHUT_WR)
		            p.reply()
		            try:
		                p.reply()
		                raise AssertionError
		            except Error as error:
		                assert error.code == 1 and 'the input ends after %d' % cut in error.text
		            assert p.ended()
	EOF
}

@test "errors that end a stream arrive whole, though the peer is still sending" {
	run_python <<-'EOF'
		with Engine('-u', 'sock', '-t', ':0', '--max-frame', '1M') as e:
		    for i in (0, 1):
		        for bad, code in ((struct.pack('<I', 1 << 21), 3), (struct.pack('<I', 1 << 31), 3),
		                          (struct.pack('<IBII', 99, 0, 5, 5), 1)):
		            p = e.peer(i)
		            p.socket.sendall(frame(1, [1.5]) + bad)
		            try:
		                p.socket.sendall(bytes(1 << 20))
		            except (BrokenPipeError, ConnectionResetError):
		                pass
		            assert p.reply() == struct.pack('<d', 1.5)
		            try:
		                p.reply()
		                raise AssertionError
		            except Error as error:
		                assert error.code == code
		            assert p.ended()
	EOF
}

@test "preloaded calls: the series does not cross again, and 80 cost less than a second crossing" {
	run_python <<-'EOF'
		x = walk(50000)
		sets = [(n // 2 or 1, n, 3, 2, 2, n // 2 or 1) for n in range(6, 86)]
		with Engine('-u', 'sock') as e:
		    p = e.peer()
		    p.call(2, x, slot=0)
		    before = p.stats()
		    replies = [p.call(3, sets=[s], slot=0) for s in sets]
		    after = p.stats()
		    crossed = int(after['bytes_in']) - int(before['bytes_in'])
		    assert crossed == 80 * (4 + 13 + 48) + len(frame(7)), crossed
		    whole = p.call(0, x, sets)
		    assert whole == b''.join(r[:8] for r in replies) + b''.join(r[8:] for r in replies)
	EOF
}

@test "--json on a socket, refusals too" {
	run_python <<-'EOF'
		with Engine('-u', 'sock', '--json', '--connections', '1') as e:
		    p = e.peer()
		    p.socket.sendall(b'{"op":"sweep","closes":[],"sets":[[1,1,1,1,1,1]]}\nx\n')
		    f = p.socket.makefile()
		    assert f.readline() == '{"pnl":[0.0],"trades":[0]}\n'
		    assert f.readline().startswith('{"error":{"code":1,')
		    q = e.peer()
		    assert q.socket.makefile().read() == \
		        '{"error":{"code":5,"message":"busy: 1 connection is open (see --connections)"}}\n'
	EOF
}
