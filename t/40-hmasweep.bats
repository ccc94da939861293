#!/usr/bin/env bats
# hmasweep as a filter: what it answers, and its options.

load lib
load wire

@test "the default sweep, on every kernel and any number of threads" {
	gbmgen | frame >request
	[ "$(sha request)" != "$(sha /dev/null)" ]
	for k in auto filtered vector; do
		for j in 0 1 2 3; do
			expect 0 hmasweep -k $k -j $j <request
			empty err
			[ "$(sha out)" = 5114f2963dbcfc935732121bb8653875d74c110d90bf3b66039e14a4a66da7db ]
		done
	done
}

@test "reference and checked, threads and the gate: the same bytes" {
	gbmgen -n 4000 | frame >request
	hmasweep -k reference <request >want
	for options in '-k checked' '-k reference -j 2' '-k checked -j 3' '--gate' '-k vector --gate -j 2'; do
		# shellcheck disable=SC2086 # a list
		expect 0 hmasweep $options <request
		same want out
	done
}

@test "IPCTAX_ISA: another instruction set, the same bytes; an unknown one is refused" {
	gbmgen -n 4000 | frame >request
	hmasweep -k reference <request >want
	IPCTAX_ISA=scalar expect 0 hmasweep --stats <request
	says err $'isa\tscalar'
	same want out
	IPCTAX_ISA=sse9 expect 2 hmasweep <request
	says err "IPCTAX_ISA: 'sse9' is unknown or not in this machine"
}

@test "-F: the fee a trade" {
	gbmgen -n 2000 >closes
	frame -g 6:20:3 closes >request
	hmasweep -F 0 <request | unframe | cut -f 3 | tail -n +2 >trades
	hmasweep -F 0 <request | unframe | cut -f 2 | tail -n +2 >free
	hmasweep -F 1 <request | unframe | cut -f 2 | tail -n +2 >dear
	paste trades free dear | awk '{ d = $2 - $3 - $1; if (d > 1e-6 || d < -1e-6) exit 1 }'
	[ "$(wc -l <trades)" -eq 3 ]
}

@test "-j 0 and -k: what is not there is refused by name" {
	expect 2 hmasweep -k fast
	says err "-k: 'fast' is none of: reference, checked, vector, filtered, auto"
	expect 2 hmasweep -j 1025
	says err "-j: '1025' is not a whole number from 0 to 1024"
	expect 2 hmasweep -F x
	says err "-F: 'x' is not a finite number"
	expect 2 hmasweep file
	says err 'requests come from stdin, not from a file: hmasweep <FILE'
	expect 2 hmasweep --slow 5
	says err '--slow: needs --trace N'
	expect 2 hmasweep --map
	says err '--map: needs -P'
	expect 2 hmasweep --max-frame 8
	says err '--max-frame: from 9 to 2147483647 bytes'
}

@test "nothing in, nothing out" {
	expect 0 hmasweep </dev/null
	empty out
	empty err
}

@test "binary is not written to a terminal" {
	needs script
	expect 2 script -qec "hmasweep </dev/null" /dev/null
	says out 'will not write binary to a terminal: pipe it to unframe, or -o FILE'
}

@test "-o: the replies in a file, whole or not at all" {
	gbmgen -n 500 | frame >request
	hmasweep <request >want
	expect 0 hmasweep -o reply <request
	empty out
	same want reply
}

@test "echo gives back any bits, of any length" {
	for n in 0 1 511 512 513 8191 20000; do
		head -c $((8 * n)) /dev/urandom >body
		{ head_of $((9 + 8 * n)) 1 $n 0; cat body; } >request
		{ le32 $((8 * n)); cat body; } >want
		expect 0 hmasweep <request
		same want out
	done
}

@test "requests in a row are answered in order" {
	gbmgen -n 3000 >closes
	for i in 1 2 3 4 5 6 7 8; do
		frame -g $((5 + i)):$((20 + i)):$((i + 1)) closes >>request
		frame -g $((5 + i)):$((20 + i)):$((i + 1)) closes | hmasweep -k reference >>want
		echo_frame >>request
		{ le32 8; printf ABCDEFGH; } >>want
	done
	for j in 1 3; do
		expect 0 hmasweep -j $j <request
		same want out
	done
}

@test "stamps and dry runs: 32 bytes before the body, an empty body, both" {
	gbmgen -n 300 >closes
	frame -g 6:20:3 closes | hmasweep | tail -c 48 >body
	expect 0 hmasweep < <(frame -g 6:20:3 --stamp closes)
	[ "$(od -An -tu4 -N4 out | tr -d ' ')" -eq 80 ]
	tail -c 48 out >got
	same body got
	# received <= started <= finished <= begun
	od -An -v -tu8 -w8 -j4 -N32 out | awk '$1 + 0 < last + 0 || $1 == 0 { bad = 1 } { last = $1 } END { exit bad || NR != 4 }'
	expect 0 hmasweep < <(frame -g 6:20:3 --dry-run closes)
	le32 0 >want
	same want out
	expect 0 hmasweep < <(frame -g 6:20:3 --dry-run --stamp closes)
	[ "$(stat -c %s out)" -eq 36 ] && [ "$(od -An -tu4 -N4 out | tr -d ' ')" -eq 32 ]
}

@test "slots and live state in a filter" {
	gbmgen -n 3000 >closes
	head -c 16000 closes >first
	tail -c +16001 closes >rest
	frame -g 6:20:3 closes | hmasweep -k reference >sweep
	{
		frame -x load -s 3 first
		frame -x append -s 3 rest
		frame -x sweep-slot -s 3 -g 6:20:3
		frame -x open -s 3 -g 6:20:3
	} >request
	expect 0 hmasweep <request
	{ le32 8; le64 1; le32 8; le64 2; cat sweep; le32 0; } >want
	same want out
	# Bar by bar after the first 2,000: the same as the sweep.
	{ frame -x load -s 0 first; frame -x open -s 0 -g 6:20:3; frame -x tick -n 1 rest; } >request
	for options in '' '--gate'; do
		expect 0 hmasweep $options <request
		tail -c 72 out | head -c 48 >got
		tail -c 48 sweep >want
		same want got
	done
}

@test "-P: raw and npy, read and mapped; what is not a series is refused" {
	gbmgen -n 3001 >closes
	gbmgen -n 3001 -f npy >closes.npy
	frame -g 6:20:3 closes | hmasweep -k reference >want
	for options in '-P 2=closes' '-P 2=closes.npy' '-P 2=closes --map' '-P 2=closes.npy --map'; do
		# shellcheck disable=SC2086 # a list
		expect 0 hmasweep $options < <(frame -x sweep-slot -s 2 -g 6:20:3)
		same want out
	done
	head -c 800 closes >extra
	cat closes extra | frame -g 6:20:3 | hmasweep -k reference >want
	for file in closes closes.npy; do
		cp $file before
		expect 0 hmasweep -P 2=$file --map < <(frame -x append -s 2 extra; frame -x sweep-slot -s 2 -g 6:20:3)
		tail -c 52 out >got
		same want got
		same before $file
	done
	head -c 15 closes >short
	expect 3 hmasweep -P 0=short </dev/null
	says err 'short: 15 bytes are no whole number of closes (8 bytes each)'
	printf '12345.6\n' >text # as long as a close
	expect 3 hmasweep -P 0=text </dev/null
	says err 'text: this is text, raw binary64 or npy is wanted: load it by frame -x load'
	head -c 1000 closes.npy >cut.npy
	expect 3 hmasweep -P 0=cut.npy </dev/null
	says err 'cut.npy: 1000 bytes do not hold the header and 3001 closes that it announces'
	expect 1 hmasweep -P 0=missing </dev/null
	says err 'missing: cannot open: No such file or directory'
	expect 2 hmasweep -P closes </dev/null
	says err '-P: SLOT=FILE is wanted, as in 0=closes.npy'
	expect 3 hmasweep --max-bars 3000 -P 0=closes </dev/null
	says err 'closes: 3001 bars exceed 3000 (see --max-bars)'
	expect 2 hmasweep --slots 2 -P 2=closes </dev/null
	: >none
	expect 0 hmasweep -P 0=none --map < <(frame -x sweep-slot -s 0 -g 6:6:1)
	{ le32 16; le64 0 0; } >want
	same want out
}

@test "no allocation a request once warm: echo, sweep, slot, tick, stats, errors" {
	gbmgen -n 1000 >closes
	head -c 80 closes >few
	{
		frame -x load -s 0 closes
		frame -x open -s 0 -g 6:20:3
	} >warm
	{
		frame -g 6:20:3 closes
		frame -x sweep-slot -s 0 -g 6:20:3
		frame -x echo closes
		frame -x tick -n 1 few
		frame -x stats
		head_of 9 9 0 0
		frame -g 6:20:3 --stamp --dry-run closes
	} >one
	for n in 20 1000; do
		{ cat warm; for ((i = 0; i < n; i++)); do cat one; done; } >request
		for j in 1 2; do
			expect 1 hmasweep -j $j --stats <request
			stat_of allocations err >calls.$j.$n
		done
	done
	same calls.1.20 calls.1.1000
	same calls.2.20 calls.2.1000
}

@test "--trace: a line a request at the end, stage by stage" {
	expect 0 hmasweep --trace 3 --trace-file dump < <(for i in 1 2 3 4 5; do echo_frame; done)
	empty err
	head -n 1 dump | tr '\t' '\n' >columns
	[ "$(wc -l <columns)" -eq 17 ]
	cut -f 1-10 dump | tail -n +2 >got
	for i in 3 4 5; do
		printf '1\tend\t%s\t1\techo\t-\t0\t0\t1\t0\n' $i
	done >want
	same want got
	# Appended to, under one header.
	expect 0 hmasweep --trace 3 --trace-file dump < <(echo_frame)
	[ "$(wc -l <dump)" -eq 5 ]
}

@test "--slow: written when a request takes longer, no oftener than once a second" {
	gbmgen -n 20000 | frame >request
	cat request request request >three
	expect 0 hmasweep -k vector --trace 8 --slow 10 --trace-file dump <three
	[ "$(cut -f 1,2 dump | grep -c '^1.slow')" -ge 1 ]
	[ "$(cut -f 1,2 dump | sort -u | grep -c slow)" -eq 1 ]
	expect 1 hmasweep --trace 8 --trace-file missing/dump <request
	empty out
	says err '--trace-file: missing/dump: cannot open: No such file or directory'
}

@test "--json: lines in, lines out, in order; wrong lines are answered too" {
	cat >request <<-'EOF'
		{"op":"sweep","closes":[1,2,3,4,5,4,3,2,1,2,3,4,5,6,7,3,2,1,2,3],"sets":[[1,2,1,1,1,2],[2,3,1,1,1,2]]}
		{"sets":[],"closes":[],"op":"sweep"}
		nonsense
		{"op":"sweep","closes":[1],"sets":[[1,1,1,1,1,0]]}
		{"op":"sweep","closes":[],"sets":[[1,1,1,1,1,1]]}
	EOF
	for j in 1 2; do
		expect 3 hmasweep --json -j $j <request
		[ "$(wc -l <out)" -eq 5 ]
		[ "$(sed -n 2p out)" = '{"pnl":[],"trades":[]}' ]
		sed -n 3p out | grep -q '^{"error":{"code":1,"message":".*nonsense.*"}}$'
		sed -n 4p out | grep -q '^{"error":{"code":2,"message":".*window 0.*"}}$'
		[ "$(sed -n 5p out)" = '{"pnl":[0.0],"trades":[0]}' ]
	done
	# The same numbers as by frames, and the last line needs no newline.
	printf %s "$(sed -n 1p request)" >line
	expect 0 hmasweep --json <line
	[ "$(cat out)" = '{"pnl":[-167.0266666666667,606.3066666666666],"trades":[4,4]}' ]
	expect 3 hmasweep --json --max-frame 100 <request
	[ "$(cat out)" = '{"error":{"code":3,"message":"the line is too long (see --max-frame)"}}' ]
}
