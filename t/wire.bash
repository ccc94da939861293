# Loaded by the tests of hmasweep: `load wire`. Frames by hand, Python with t/engine.py.
# shellcheck shell=bash

# le32 N...: little-endian 32-bit words.
le32() {
	local n
	for n; do
		byte $((n & 255))
		byte $((n >> 8 & 255))
		byte $((n >> 16 & 255))
		byte $((n >> 24 & 255))
	done
}

# le64 N...: little-endian 64-bit words.
le64() {
	local n
	for n; do
		le32 $((n & 0xffffffff)) $((n >> 32 & 0xffffffff))
	done
}

# byte N: one byte; without a process, as a frame has many.
byte() {
	local hex
	printf -v hex %02x "$1"
	printf '%b' "\\x$hex"
}

# head LENGTH OP BARS SETS: length word and header.
head_of() {
	le32 "$1"
	byte "$2"
	le32 "$3" "$4"
}

# refused CODE TEXT: the last frame of ./out is this error.
refused() {
	local text=$2
	{
		le32 $(((${#text} + 4) | 0x80000000)) "$1"
		printf %s "$text"
	} >wanted
	tail -c "$(stat -c %s wanted)" out >got
	same wanted got
}

# stat_of NAME FILE: that statistic.
stat_of() {
	awk -F '\t' -v name="$1" '$1 == name { print $2 }' "$2"
}

# Memory never above twice what was received (in bytes) plus 1 MiB.
bounded() {
	local peak
	peak=$(stat_of mem_peak_bytes err)
	[ "$peak" -gt 0 ] && [ "$peak" -le $((2 * $1 + 1048576)) ] && return 0
	echo "peak $peak for $1 bytes received"
	return 1
}

echo_frame() {
	head_of 17 1 1 0
	printf ABCDEFGH
}

# run_python: a script on stdin with t/engine.py at hand; what it raises is shown.
run_python() {
	needs python3
	{
		printf 'from engine import *\nimport sys, time, threading, select\n'
		cat
	} >script.py
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$ROOT/t timeout 300 python3 script.py
}

# run_ring: run_python with the ring's client at hand.
run_ring() {
	{
		echo 'from ring import *'
		cat
	} | run_python
}
