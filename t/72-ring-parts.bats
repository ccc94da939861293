#!/usr/bin/env bats
# The engine behind a ring: requests in parts, and times of one way.
load lib
load wire
export B

@test "records in parts: the same replies, errors, and ends" {
	run_ring <<-'EOF'
		x = walk(3000)
		frames = [frame(1, x), frame(0, x, SETS), frame(1, x, flags=0x40), frame(1), frame(2, x, slot=3)]
		want = filtered(*frames)
		with Engine('-u', 'sock') as e:
		    p = RingPeer(e.addresses[0])
		    for parts in [], [0], [5, 9, 13], [9, 10, 64, 65, 20000], range(0, 24000, 5000):
		        for f, w in zip(frames[:3], want):
		            p.ask(f, parts=parts)
		            assert p.reply() == w, parts
		    # The echo of what has come is there before the rest is.
		    def echoed(n):
		        at = p.replies.at
		        return p.replies.word(at) == 1 << 63 | 8 << 32 | 24000 and \
		            struct.unpack_from('<Q', p.memory, p.replies.control + 136)[0] == at + 8 + n - 9
		    p.ask(frames[0], parts=[13, 64, 20000], awaited=echoed)
		    assert p.reply() == want[0]
		    p.ask(frames[3], parts=[3])
		    assert p.reply() == b''
		    p.ask(frames[4], parts=[1, 13, 14, 9000])
		    assert p.reply() == want[4]
		    assert 'tick before open' in p.refused(2, 6, x)
		    p.ask(frame(1, x, flags=0x80), parts=[100, 20000])
		    got = p.reply()
		    assert got[32:] == want[0]
		    assert list(struct.unpack('<4Q', got[:32])) == sorted(struct.unpack('<4Q', got[:32]))
		    # The rest never comes: others are served, and the end is clean.
		    half = RingPeer(e.addresses[0])
		    for end in 8, 20000:
		        half.written(15 + end)
		        half.requests.copy(15, end, frames[0][4:4 + end])
		        half.requests.word(0, 1 << 63 | 15 << 32 | len(frames[0]) - 4)
		        half.wake()
		        assert p.call(1, x) == want[0]
		    half.close()
		    liar = RingPeer(e.addresses[0])
		    liar.requests.word(0, 1 << 63 | 15 << 32 | 17)
		    liar.wake()
		    try: liar.wait(lambda: False)
		    except Error as error: assert error.code == 1 and 'written 0 is before' in error.text, error
		    while int(p.stats()['connections_now']) > 1:
		        os.sched_yield()
	EOF
}

@test "echoload --one-way: there and back apart, within the round trip" {
	run_ring <<-'EOF'
		import json
		def report(*args):
		    run = subprocess.run(['echoload', '-o', 'r', '-n', '200', '--one-way', *args])
		    assert run.returncode == 0, run
		    return open('r').read()
		with Engine('-u', 'sock') as e:
		    for peer in ['-m', 'sock'], ['-u', 'sock'], ['--', 'hmasweep']:
		        for op in 'echo', 'tick':
		            r = json.loads(report('-f', 'json', '--op', op, *peer))['runs'][0]
		            assert r['there']['n'] == r['back']['n'] == r['answered'] == 200, r
		            assert r['there']['negative'] == r['back']['negative'] == 0
		            assert r['there']['mean_ns'] + r['back']['mean_ns'] <= r['response']['mean_ns']
		    names, values = [l.split('\t') for l in report('-f', 'tsv', '-m', 'sock').splitlines()]
		    assert names[-5:] == ['faults', 'there_p50_ns', 'there_p99_ns', 'back_p50_ns', 'back_p99_ns']
		    assert int(values[-4]) > 0 and int(values[-2]) > 0 and values[-3] == values[-1] == '-', values
	EOF
	expect 2 echoload --one-way --replay x -u s
	says err 'drop --one-way'
}
