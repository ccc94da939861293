#!/usr/bin/env bats
# gbmgen: every option, format and refusal.

load lib

@test "long options are the short ones" {
	expect 0 gbmgen --bars 9 --seed 5 --format csv --output long
	empty out
	expect 0 gbmgen -n9 -s5 -fcsv -o short
	same short long
	expect 0 gbmgen -n9 -s5 -fcsv -o -
	same short out
	[ "$(wc -l <out)" -eq 10 ]
}

@test "a series cut short is the beginning of a longer one" {
	gbmgen -n 10000 >long
	for n in 1 2 4095 4096 4097 8192 8193; do
		expect 0 gbmgen -n $n
		head -c $((n * 8)) long >want
		same want out
	done
}

@test "npy: version 1.0, the data at a multiple of 64" {
	for n in 0 1 1000; do
		expect 0 gbmgen -n $n -f npy
		{
			printf '\x93NUMPY\x01\x00v\x00'
			printf '%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': ($n,), }"
			gbmgen -n $n
		} >want
		same want out
	done
}

@test "csv: a header, then numbers that read back the same" {
	needs python3
	expect 0 gbmgen -n 2000 -f csv
	[ "$(head -1 out)" = close ]
	[ "$(wc -l <out)" -eq 2001 ]
	tail -n +2 out | python3 -c 'import struct, sys
for line in sys.stdin:
    x = float(line)
    assert len(line.strip()) <= len(repr(x)), line
    sys.stdout.buffer.write(struct.pack("<d", x))' >back
	gbmgen -n 2000 >want
	same want back
	expect 0 gbmgen -n 0 -f csv
	echo close >want
	same want out
}

@test "json: one array, valid and of the same numbers" {
	needs python3
	for n in 0 1 5000; do
		expect 0 gbmgen -n $n -f json
		[ "$(wc -l <out)" -eq 1 ]
		python3 -c 'import json, struct, sys
for x in json.load(sys.stdin):
    sys.stdout.buffer.write(struct.pack("<d", x))' <out >back
		gbmgen -n $n >want
		same want back
	done
	expect 0 gbmgen -n 3 --start 1e-300 -f json
	tr -d '0-9.,e+-' <out >rest
	echo '[]' >want
	same want rest
}

@test "frame: an echo request" {
	expect 0 gbmgen -n 1000 -f frame
	{
		printf '\x49\x1f\x00\x00\x01\xe8\x03\x00\x00\x00\x00\x00\x00'
		gbmgen -n 1000
	} >want
	same want out
	expect 0 gbmgen -n 0 -f frame
	printf '\x09\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00' >want
	same want out
}

@test "frame: what a length cannot say is refused" {
	expect 2 gbmgen -n 268435455 -f frame
	empty out
	says err 'a frame holds at most 268435454 bars'
	[ "$(wc -l <err)" -eq 1 ]
	gbmgen -n 268435454 -f frame | head -c 13 >out
	printf '\xf9\xff\xff\x7f\x01\xfe\xff\xff\x0f\x00\x00\x00\x00' >want
	same want out
}

@test "no bars: nothing" {
	expect 0 gbmgen -n 0
	empty out
	empty err
}

# refused OPTION...: status 2, nothing on stdout, one line that begins as told.
refused() {
	local text=$1
	shift
	expect 2 gbmgen "$@" && empty out && says err "$text" && [ "$(wc -l <err)" -eq 1 ]
}

@test "wrong options are named and mended" {
	refused "-n: '-1' is not a whole number from 0 to 1000000000" -n -1
	refused "-n: '1000000001' is not a whole number" -n 1000000001
	refused "-n: '1e6' is not a whole number" -n 1e6
	refused "-n: '' is not a whole number" -n ''
	refused "-s: '-1' is not a whole number from 0 to 18446744073709551615" -s -1
	refused "-s: '18446744073709551616' is not a whole number" -s 18446744073709551616
	refused "-s: '0x10' is not a whole number" -s 0x10
	refused "--sigma: 'x' is not a finite number" --sigma x
	refused "--sigma: 'inf' is not a finite number" --sigma inf
	refused '--sigma: a standard deviation is 0 or more' --sigma=-0.1
	refused "--mu: 'nan' is not a finite number" --mu nan
	refused '--start: a price is above 0' --start 0
	refused '--start: a price is above 0' --start=-100
	refused "-f: 'xml' is none of: raw, npy, csv, json, frame" -f xml
	refused 'option -n needs a value' -n
	refused 'there is no option -q' -q
	refused 'there is no option --closes' --closes
	refused 'takes no value' --normals=1
	refused 'reads no files' series.raw
	refused 'reads no files' -- -n
}

@test "help and version" {
	expect 0 gbmgen --help
	says out 'usage: gbmgen [-n bars]'
	empty err
	expect 0 gbmgen --version
	says out 'gbmgen (ipctax) '
}

@test "binary is not written to a terminal, text is" {
	needs script
	for format in raw npy frame; do
		expect 2 script -qec "gbmgen -n 3 -f $format" /dev/null </dev/null
		says out 'will not write binary to a terminal: -f csv shows text'
		[ "$(wc -l <out)" -eq 1 ]
	done
	script -qec 'gbmgen -n 3 -f csv' /dev/null >out </dev/null
	[ "$(wc -l <out)" -eq 4 ]
	script -qec 'gbmgen -n 3 -o file' /dev/null >out </dev/null
	empty out
	[ "$(wc -c <file)" -eq 24 ]
}

@test "a series that leaves the range ends with its bar, and no file" {
	expect 1 gbmgen --mu 100 --sigma 0 -n 20
	says err 'gbmgen: bar 8: the close is infinite, not a price above 0'
	[ "$(wc -l <err)" -eq 1 ]
	expect 1 gbmgen --mu=-100 --sigma 0 -n 20
	says err 'gbmgen: bar 8: the close is 0, not a price above 0'
	for format in raw csv npy json frame; do
		expect 1 gbmgen --mu 100 -n 20 -f $format -o file
		[ -z "$(ls file* 2>/dev/null)" ]
	done
	echo old >file
	expect 1 gbmgen --mu 100 -o file
	[ "$(cat file)" = old ]
	# One bar before it is well: e^700 100 is finite.
	expect 0 gbmgen --mu 100 --sigma 0 -n 7
	# The normals do not care.
	expect 0 gbmgen --mu 100 -n 20 --normals
}

@test "a reader that leaves ends it quietly" {
	gbmgen -n 1000000000 2>err | head -c 100 >out
	empty err
	[ "$(wc -c <out)" -eq 100 ]
	# shellcheck disable=SC2016 # bash's
	expect 141 bash -c 'gbmgen | head -c 100 >/dev/null; exit ${PIPESTATUS[0]}'
	empty err
}

@test "a full disk, a closed stdout, a place that is not there: status 1 and one line" {
	for format in raw csv json npy frame; do
		expect 1 sh -c "gbmgen -n 100000000 -f $format >/dev/full"
		says err 'gbmgen: <stdout>: write: No space left on device'
		[ "$(wc -l <err)" -eq 1 ]
		expect 1 sh -c "gbmgen -n 10 -f $format >&-"
		says err 'gbmgen: <stdout>: write: Bad file descriptor'
	done
	expect 1 sh -c 'gbmgen -n 0 >&-'
	expect 1 gbmgen -o /dev/full
	says err 'gbmgen: /dev/full: write: No space left on device'
	expect 1 gbmgen -o nowhere/file
	says err 'nowhere/file'
	expect 1 sh -c 'gbmgen --help >/dev/full'
	says err 'gbmgen: <stdout>: write: No space left on device'
}

@test "interrupted, it leaves no file behind" {
	for signal in HUP INT TERM; do
		# From a shell without job control INT comes ignored: env restores it.
		env --default-signal=INT,QUIT gbmgen -n 1000000000 -o file & pid=$!
		until ls file.*.tmp >/dev/null 2>&1; do
			kill -0 $pid
		done
		kill -$signal $pid
		expect $((128 + $(kill -l $signal))) wait $pid
		[ -z "$(ls file* 2>/dev/null)" ]
	done
}

@test "interrupted while it waits for a reader of a FIFO, it ends" {
	mkfifo pipe
	env --default-signal=INT gbmgen -o pipe & pid=$!
	# It sleeps in open, as there is no reader.
	until [ "$(cat /proc/$pid/comm)" = gbmgen ] && grep -q '^State:.S' /proc/$pid/status; do
		kill -0 $pid
	done
	kill -INT $pid
	expect 130 wait $pid
}

@test "memory does not grow with the bars" {
	case $B in *san-*) skip "address space is the sanitizer's" ;; esac
	for format in raw csv; do
		n=$([ $format = raw ] && echo 10000000 || echo 1000000)
		(
			ulimit -v 7000
			gbmgen -n "$n" -f $format
		) | wc -c >out
		[ "$(cat out)" -ge $((n * 8)) ]
	done
}
