load lib

# ipcprobe's suites boundary, echo, spawn, breakeven and perbar: what they say
# of a tiny workload, what they refuse, what they leave behind. No timings.

setup_file() {
	needs jq
	gbmgen -n 500 | frame -g 6:20:3 >"$BATS_FILE_TMPDIR/job"
}

setup() {
	job=$BATS_FILE_TMPDIR/job
}

# measure SUITE OPTION...: its result file, ./json, valid, each row complete.
measure() {
	local suite=$1
	shift
	expect 0 ipcprobe -f json -o json --rounds 3 "$@" "$suite" "$job"
	empty err
	expect 0 jq -e --arg suite "$suite" '
		(.rows | length) > 0 and (.interrupted | not) and
		([.rows[].row] | length == (unique | length)) and
		all(.rows[]; .suite == $suite) and
		all(.rows[] | select(.state == "measured");
			.n > 0 and .median_ns >= .min_ns and .median_ns <= .max_ns) and
		all(.rows[] | select(.state != "measured"); .note != "" and .n == 0)' json
}

# has NAME...: measured rows, or skipped ones that say why.
has() {
	local x
	for x; do
		expect 0 jq -e --arg row "$x" '.rows[] | select(.row == $row)' json
	done
}

@test "boundary: the study's rows first, on both kernels, each with its boundary" {
	measure boundary
	jq -r '.rows[].row' json >rows
	printf '%s reference\n' in_process 'batch unix' >want
	printf '%s\n' 'batch unix checked' 'chatty unix reference' 'spawn a sweep reference' >>want
	head -n 5 rows >five
	same want five
	has 'preloaded unix reference' 'batch tcp reference' 'batch ring reference' \
		'json batch reference' 'json chatty reference' 'spawn a set reference' \
		'in_process filtered' 'batch unix filtered' 'chatty unix filtered' \
		'spawn a sweep filtered' 'preloaded unix filtered' 'json chatty filtered'
	expect 0 jq -e '[.rows[] | select(.state == "measured" and .calls != null)] | length >= 18 and
		all(.boundary_ns > 0 and .boundary_ns < .max_ns and .calls > 0 and
			.out_bytes > 0 and .in_bytes > 0 and .ratio > 0)' json
}

@test "boundary: calls and bytes are what the format makes them" {
	measure boundary
	# A frame is 13 bytes and 8 a bar and 48 a set; its stamped reply 36 and 16 a set.
	jq -r '.rows[] | select(.row | test("^(batch|chatty|preloaded) unix reference$")) |
		[.row, .calls, .out_bytes, .in_bytes] | @tsv' json >got
	printf '%s\t%s\t%s\t%s\n' 'batch unix reference' 1 4157 84 \
		'chatty unix reference' 3 12183 156 'preloaded unix reference' 3 195 156 >want
	same want got
}

@test "echo: each transport, its curve and its line" {
	measure echo --quick
	has 'pipe 8 B' 'unix 8 B' 'unix 8000 B' 'unix 1200000 B' 'tcp 8 B' 'ring 8 B' \
		'ring spin 8 B' 'fit pipe' 'fit unix' 'fit tcp' 'fit ring' \
		'ring one way 64 B' 'ring one way 256 B' 'ring one way 1024 B' witness
	expect 0 jq -e '.rows[] | select(.row == "fit unix") |
		.floor_ns and .bandwidth_bytes_per_s > 0 and .wait == "block"' json
	expect 0 jq -e '[.rows[] | select(.row | startswith("unix "))] |
		all(.memcpy_ns >= 0 and .model_ns and .p50_ns >= .min_ns)' json
	# What n does not support is null, not a guess.
	expect 0 jq -e '[.rows[] | select(.n > 0 and .n < 368 and has("p99_ns"))] | all(.p99_ns == null)' json
}

@test "spawn: three ways, two programs, two parents; what a process carries" {
	measure spawn
	for method in posix_spawn vfork fork; do
		for program in tiny libc; do
			has "$method $program small parent" "$method $program large parent"
		done
	done
	has 'a sweep per process' 'a set per process' 'a process with 4000 B' 'fixed cost'
	expect 0 jq -e '.rows[] | select(.row == "a set per process") | .processes == 3' json
}

@test "breakeven: sweep, set and bar over each transport, shares between 0 and 1" {
	measure breakeven
	has 'floor unix reference' 'sweep unix reference' 'set unix reference' 'set pipe filtered' \
		'set tcp filtered' 'set ring filtered' 'bar unix live'
	expect 0 jq -e '[.rows[] | select(.g_x)] | length > 8 and
		all(.g_x > 0 and .share_x > 0 and .share_x < 1 and
			(.predicted_share_x - 1 / (1 + .g_x) | fabs) < 1e-9)' json
}

@test "perbar: a call a bar, over each transport" {
	measure perbar
	has 'sweep of the set' 'live in_process' 'ticks pipe' 'ticks unix' 'ticks tcp' 'ticks ring'
	expect 0 jq -e '[.rows[] | select(.row | startswith("ticks"))] |
		all(.state == "skipped" or .calls == 500)' json
}

@test "perbar: a live state that no engine would allow is skipped, and said" {
	gbmgen -n 50 | frame -p <(echo '3 5 2 2000000000 3 3') >huge
	expect 0 ipcprobe -f json --rounds 3 perbar huge
	expect 0 jq -e '.rows[0].state == "skipped" and (.rows[0].note | contains("--max-live"))' out
}

@test "a series that JSON cannot say: those rows are skipped, and say which bar" {
	printf '1\n2\n3\n4\n' | frame -g 2:2:1 |
		{ head -c 13; printf '\0\0\0\0\0\0\360\177'; tail -c +9; } >odd
	expect 0 ipcprobe -f json -o json --rounds 3 boundary odd
	expect 0 jq -e '[.rows[] | select(.row | startswith("json"))] | length == 4 and
		all(.state == "skipped" and (.note | contains("bar 1 is not finite")))' json
}

@test "--engine: a foreign engine takes its rows, in the order given, by its name" {
	local vector="$B/hmasweep -k vector"
	measure boundary --engine "$vector" --name other
	has 'batch other' 'chatty other'
	expect 0 jq -e '.rows[] | select(.row == "batch other") |
		.engine == "other" and .boundary_ns == null and .ratio_to == "in_process reference"' json
	measure spawn --engine "$vector" --name other
	has 'a sweep per process other'
	measure breakeven --engine "$vector" --name other
	has 'floor other' 'sweep other' 'set other'
}

@test "--engine: results that differ end the run with status 4 and the engine's name" {
	local suite
	for suite in boundary spawn breakeven; do
		expect 4 ipcprobe --rounds 3 --engine "$B/hmasweep -F 0.08" --name liar "$suite" "$job"
		empty out
		says err liar
		says err 'not timed'
	done
}

@test "--engine: one byte of a reply altered is found" {
	# A filter whose first reply byte of a result is another, reply by reply.
	cat >engine <<-'X'
		#!/usr/bin/python3
		import struct, subprocess, sys
		e = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
		i, o = sys.stdin.buffer, sys.stdout.buffer
		while len(word := i.read(4)) == 4:
		    e.stdin.write(word + i.read(struct.unpack("<I", word)[0]))
		    e.stdin.flush()
		    word = e.stdout.read(4)
		    body = bytearray(e.stdout.read(struct.unpack("<I", word)[0]))
		    if body:
		        body[0] ^= 1
		    o.write(word + body)
		    o.flush()
	X
	chmod +x engine
	needs python3
	expect 4 ipcprobe --rounds 3 --engine "$PWD/engine $B/hmasweep" --name bent boundary "$job"
	says err 'bent'
	says err 'set 1: pnl'
}

@test "--engine: no engine at all is a failure that says what it did" {
	expect 1 ipcprobe --rounds 3 --engine "$PWD/nothing" boundary "$job"
	says err 'nothing: cannot run'
	expect 1 ipcprobe --rounds 3 --engine false boundary "$job"
	says err false
	expect 1 ipcprobe --rounds 3 --engine cat boundary "$job"
	says err 'cat: '
}

# Children of this test that are still there, by their command.
engines() {
	pgrep -f "$PWD/private" || true
}

@test "an interrupt gives a valid partial result and leaves nothing behind" {
	local suite pid
	mkdir private
	for suite in boundary echo spawn breakeven perbar; do
		TMPDIR=$PWD/private ipcprobe -f json -o json --rounds 900 "$suite" "$job" 2>err &
		pid=$!
		# SIGINT is bit 1 of what it catches; before that it is ignored here, and
		# before it is ipcprobe it is a shell that catches it too.
		until [ "$(cat "/proc/$pid/comm")" = ipcprobe ] && (( 0x$(sed -n 's/^SigCgt:\s*//p' "/proc/$pid/status") & 2 )); do
			kill -0 "$pid"
		done
		# A socket there: servers run, the suite is at work.
		until [ "$suite" = spawn ] || [ -n "$(find private -mindepth 2 2>/dev/null)" ]; do
			kill -0 "$pid"
		done
		kill -INT "$pid"
		expect 1 wait "$pid"
		empty err
		expect 0 jq -e '.interrupted' json
		[ -z "$(ls private)" ]
		[ -z "$(engines)" ]
		rm json
	done
}

@test "killed outright: the engines end with it" {
	mkdir private
	TMPDIR=$PWD/private ipcprobe --rounds 900 echo "$job" >tsv 2>err &
	local pid=$!
	until [ -n "$(engines)" ]; do
		kill -0 "$pid"
	done
	kill -KILL "$pid"
	wait "$pid" || true
	while [ -n "$(engines)" ]; do
		:
	done
	rm -r private
}
