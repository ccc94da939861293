#!/usr/bin/env bats
# frame among files, pipes, full disks and closed outputs: whole, or one line and the right status.

load lib
load requests

@test "-o takes its name when it is whole, and not at all otherwise" {
	expect 0 frame -x echo -o file five.raw
	empty out
	same five.frame file
	expect 0 frame -x echo --output - five.raw
	same five.frame out
	printf '1\n2\nx\n' >bad.txt
	expect 3 frame -o other bad.txt
	[ ! -e other ]
	head -c 50 five.frame >cut.frame
	expect 3 frame -i frame -o other < <(cat cut.frame)
	[ ! -e other ]
	[ -z "$(find . -name '*.tmp')" ]
	expect 1 frame -o nowhere/file five.raw
	says err 'frame: nowhere/file: cannot create: No such file or directory'
	expect 2 frame -o '' five.raw
	says err 'frame: the name of the output file is empty'
}

@test "-o: a file that is replaced keeps its mode; a limit on sizes leaves nothing behind" {
	echo old >file
	chmod 640 file
	expect 0 frame -x echo -o file five.raw
	same five.frame file
	[ "$(stat -c %a file)" = 640 ]
	expect 1 bash -c 'ulimit -f 1; frame -x echo -o large -i raw --allow-nonpositive <(head -c 80000 /dev/zero)'
	says err 'frame: large: write: File too large'
	[ ! -e large ]
	[ -z "$(find . -name '*.tmp')" ]
}

@test "a bad value in a file is found before anything is written, in a stream it cuts the frame" {
	python3 -c 'import struct, sys
sys.stdout.buffer.write(struct.pack("<d", 1.5) * 40000 + struct.pack("<d", float("nan")))' >nan.raw
	expect 3 frame -x echo nan.raw
	empty out
	says err 'frame: nan.raw: bar 40001 (byte 320000): nan is no price'
	expect 3 frame -x echo < <(cat nan.raw)
	empty out
	{ python3 -c 'import struct, sys
sys.stdout.buffer.write(struct.pack("<IBII", 320017, 1, 40001, 0))' && cat nan.raw; } >nan.frame
	expect 3 frame -x echo -i frame nan.frame
	empty out
	expect 3 frame -x echo -i frame < <(cat nan.frame)
	[ "$(wc -c <out)" -lt 320021 ]
	says err 'frame: <stdin>: bar 40001 (byte 320013): nan is no price'
}

@test "--max-frame" {
	expect 0 frame -x echo --max-frame 49 five.raw
	made echo "${FIVE[@]}"
	expect 3 frame -x echo --max-frame 48 five.raw
	empty out
	says err 'five.raw: more than the 4 bars that fit a frame: see --max-frame'
	for f in five.raw five.txt; do
		expect 3 frame -x echo --max-frame 48 < <(cat $f)
		empty out
		says err '<stdin>: more than the 4 bars that fit a frame: see --max-frame'
	done
	expect 3 frame -x sweep-slot --max-frame 3K
	says err '80 sets do not fit a frame of 3000 bytes: see --split and --max-frame'
	expect 2 frame -x tick -n 5 --max-frame 48 five.raw
	says err '-n: at most 4 bars fit a frame: see --max-frame'
	expect 2 frame --max-frame 2Gi five.raw
	says err '--max-frame: at most 2147483647 bytes'
	expect 0 frame -x echo --max-frame 2147483647 five.raw
	expect 3 frame --max-frame 4 -x stats
}

@test "a full disk, a closed stdout, a reader that has enough" {
	[ -w /dev/full ] || skip 'no /dev/full'
	got=0
	frame five.raw >/dev/full 2>err || got=$?
	[ $got -eq 1 ]
	says err 'frame: <stdout>: write: No space left on device'
	got=0
	frame -o /dev/full five.raw 2>err || got=$?
	[ $got -eq 1 ]
	says err 'frame: /dev/full: write: No space left on device'
	got=0
	frame five.raw >&- 2>err || got=$?
	[ $got -eq 1 ]
	says err 'frame: <stdout>: write: Bad file descriptor'
	python3 -c 'import sys; sys.stdout.buffer.write(bytes([0, 0, 0, 0, 0, 0, 89, 64]) * 400000)' >big.raw
	frame big.raw 2>err | head -c 10 >ten
	[ "$(wc -c <ten)" -eq 10 ]
	empty err
}

@test "files that cannot be read" {
	expect 1 frame nowhere
	says err 'frame: nowhere: cannot open: No such file or directory'
	expect 1 frame .
	says err 'frame: .: read: Is a directory'
	expect 1 frame <&-
	says err 'frame: <stdin>: read: Bad file descriptor'
}

@test "binary does not go to a terminal" {
	needs script
	script -qec "frame five.raw" /dev/null </dev/null >out 2>&1 || true
	says out 'frame: <stdout>: will not write binary to a terminal'
	script -qec "frame --json five.raw" /dev/null </dev/null >out 2>&1
	says out '"op":"sweep"'
}

@test "memory does not grow with a file, nor with a stream that says its length" {
	python3 -c 'import sys
for i in range(256): sys.stdout.buffer.write(bytes([0, 0, 0, 0, 0, 0, 89, 64]) * 16384)' >big.raw
	frame -x echo big.raw >big.frame
	[[ $B = *san-* ]] && skip 'instrumented programs reserve address space'
	# 32 MiB of closes pass through 16 MiB of address space; a stream of raw closes must
	# be kept, to be counted.
	small() {
		bash -c 'ulimit -v 16384; "$@"' - frame "$@" >/dev/null
	}
	small -x echo big.raw
	small -g 6:200:2 --chatty big.raw
	small -x load -i frame < <(cat big.frame)
	got=0
	small -x echo < <(cat big.raw) 2>err || got=$?
	[ $got -eq 1 ]
	says err 'frame: <stdin>: Cannot allocate memory'
}
