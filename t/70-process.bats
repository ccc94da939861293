#!/usr/bin/env bats
# What every tool owes the process it runs in: output that is whole or said to be
# lost, interrupted and one-byte reads and writes, death by the right signal.

load lib

# The pipeline's inputs, small: closes, request, reply.
setup() {
	gbmgen -n 300 >closes
	frame -g 6:20:3 closes >request
	hmasweep <request >reply
}

# one_line FILE PREFIX: exactly one line, which begins with PREFIX.
one_line() {
	[ "$(wc -l <"$1")" -eq 1 ] && [ "$(head -c ${#2} "$1")" = "$2" ] && return 0
	printf 'wanted one line that begins with "%s":\n' "$2"
	head -c 2000 "$1"
	return 1
}

# stage TOOL: runs that stage of the pipeline on its small input; more arguments pass on.
stage() {
	local tool=$1
	shift
	case "$tool" in
	gbmgen) gbmgen -n 300 "$@" ;;
	frame) frame -g 6:20:3 "$@" <closes ;;
	hmasweep) hmasweep "$@" <request ;;
	unframe) unframe "$@" <reply ;;
	esac
}
export -f stage

STAGES='gbmgen frame hmasweep unframe'

@test "a full disk: status 1 and one line" {
	for tool in $STAGES; do
		status=0
		stage "$tool" >/dev/full 2>err || status=$?
		[ $status -eq 1 ] || { echo "$tool: status $status"; false; }
		one_line err "$tool: <stdout>: write: No space left on device"
	done
}

@test "a full disk by -o: status 1, one line" {
	for tool in $STAGES; do
		expect 1 stage "$tool" -o /dev/full
		one_line err "$tool: "
		says err ": write: No space left on device"
	done
}

@test "-o where nothing can be made: status 1, one line, nothing left" {
	mkdir dir
	for tool in $STAGES; do
		expect 1 stage "$tool" -o missing/file
		one_line err "$tool: missing/file"
		expect 1 stage "$tool" -o dir
		one_line err "$tool: dir"
	done
	[ -z "$(ls dir)" ]
}

@test "--help and --version do not lose a full disk either" {
	for tool in $STAGES; do
		for option in --help --version; do
			status=0
			"$tool" $option >/dev/full 2>err || status=$?
			[ $status -eq 1 ] || { echo "$tool $option: status $status"; false; }
			one_line err "$tool: <stdout>: write:"
		done
	done
}

@test "a closed standard output: status 1 and one line" {
	for tool in $STAGES; do
		status=0
		stage "$tool" >&- 2>err || status=$?
		[ $status -eq 1 ] || { echo "$tool: status $status"; false; }
		one_line err "$tool: <stdout>:"
	done
}

@test "a closed standard input: one line, no result" {
	for tool in frame hmasweep unframe; do
		status=0
		"$tool" <&- >out 2>err || status=$?
		[ $status -eq 1 ] || { echo "$tool: status $status"; cat err; false; }
		empty out
		one_line err "$tool: <stdin>:"
	done
}

@test "a reader that has enough: the writer dies of SIGPIPE, silently" {
	bash -c 'gbmgen -n 1000000 2>err | head -c 100 >out; echo ${PIPESTATUS[0]} >status'
	[ "$(cat status)" -eq 141 ]
	empty err
	head -c 100 closes >want
	same want out
	gbmgen -n 100000 >many
	bash -c 'frame many 2>err | head -c 10 >out; echo ${PIPESTATUS[0]} >status'
	[ "$(cat status)" -eq 141 ]
	empty err
	frame -x echo many >echoes
	bash -c 'hmasweep <echoes 2>err | head -c 10 >out; echo ${PIPESTATUS[0]} >status'
	[ "$(cat status)" -eq 141 ]
	empty err
	hmasweep <echoes >echoed
	bash -c 'unframe -x echo <echoed 2>err | head -c 10 >out; echo ${PIPESTATUS[0]} >status'
	[ "$(cat status)" -eq 141 ]
	empty err
}

@test "one byte at a time, every third call interrupted: the same bytes" {
	shim=$B/t/shortio.so
	[ -e "$shim" ] || skip "no $shim: make unit"
	if nm -D "$B/gbmgen" 2>/dev/null | grep -q -e __asan -e __tsan; then
		skip 'a sanitizer must be loaded first'
	fi
	for tool in $STAGES; do
		stage "$tool" >want
		LD_PRELOAD=$shim stage "$tool" >got 2>err
		same want got
		empty err
		LD_PRELOAD=$shim stage "$tool" -o got.file
		same want got.file
	done
}

@test "input that ends in the middle: status 3, nothing passed off as whole" {
	head -c 1001 closes >part
	expect 3 frame part -o request.cut
	one_line err 'frame: part: '
	[ ! -e request.cut ]
	head -c 50 request >part
	expect 3 hmasweep -o reply.cut <part
	# An engine's answer to a broken stream is an error frame, which no reader takes for a result.
	expect 1 unframe reply.cut
	empty out
	head -c 30 reply >part
	expect 3 unframe part -o table.cut
	one_line err 'unframe: part: '
	[ ! -e table.cut ]
	[ -z "$(find . -name '*.tmp*')" ]
}

@test "-o puts the file in place when it is whole, an old one stays until then" {
	for tool in $STAGES; do
		stage "$tool" >want
		echo old >file
		stage "$tool" -o file
		same want file
		stage "$tool" -o - >got
		same want got
		stage "$tool" -o /dev/stdout | cat >got
		same want got
	done
	echo old >want
	cp want file
	head -c 1001 closes >part
	expect 3 frame part -o file
	same want file
}

@test "an option that is none, a value that is wrong, an operand too many: status 2, one line" {
	for tool in $STAGES; do
		expect 2 "$tool" --no-such-thing
		one_line err "$tool: there is no option --no-such-thing"
		expect 2 "$tool" -Z
		one_line err "$tool: there is no option -Z"
		expect 2 "$tool" -o
		one_line err "$tool: option -o needs a value"
		expect 2 "$tool" --version=3
		one_line err "$tool: option --version=3 takes no value"
		expect 2 "$tool" one two three
		one_line err "$tool: "
	done
}

@test "a file that is not there: status 1, its name, one line" {
	for tool in frame unframe; do
		expect 1 "$tool" not-there
		one_line err "$tool: not-there: cannot open: No such file or directory"
		empty out
	done
}

@test "foreign bytes in a message are made harmless" {
	name=$'evil\e[2J\nname'
	expect 1 frame "$name"
	[ "$(wc -l <err)" -eq 1 ]
	lacks err $'\e'
	expect 2 gbmgen -n $'1\e[2J\n'
	[ "$(wc -l <err)" -eq 1 ]
	lacks err $'\e'
}

@test "ten million bars: gbmgen and frame stream, hmasweep holds the frame and little more" {
	[[ $B != */san-* ]] || skip 'a sanitizer holds memory of its own'
	n=10000000
	expect 0 "$B/t/peak" peak gbmgen -n $n -o closes
	[ "$(stat -c %s closes)" -eq $((8 * n)) ]
	[ "$(cat peak)" -lt 16384 ] || { echo "gbmgen held $(cat peak) KiB"; false; }
	expect 0 "$B/t/peak" peak frame -g 50:50:1 closes -o request
	[ "$(cat peak)" -lt 16384 ] || { echo "frame held $(cat peak) KiB"; false; }
	rm closes
	expect 0 "$B/t/peak" peak hmasweep <request -o reply
	# The frame is 78,125 KiB; a reference sweep works in a few arrays of its length.
	[ "$(cat peak)" -lt $((78125 * 7)) ] || { echo "hmasweep held $(cat peak) KiB"; false; }
	expect 0 unframe reply
	[ "$(wc -l <out)" -eq 2 ]
}

@test "gbmgen -f frame | frame -i frame streams as well" {
	[[ $B != */san-* ]] || skip 'a sanitizer holds memory of its own'
	expect 0 "$B/t/peak" peak bash -c \
		"gbmgen -n 3000000 -f frame | '$B/t/peak' inner frame -i frame -g 50:50:1 | cksum"
	[ "$(cat inner)" -lt 16384 ] || { echo "frame held $(cat inner) KiB"; false; }
}
