load lib

PEER=$B/t/peer

setup() {
	gbmgen -n 300 | frame -g 6:20:5 -o request
	hmasweep <request >reply
}

teardown() {
	[ -z "${server-}" ] || kill "$server" 2>/dev/null || true
}

# serve MODE...: a peer at ./s.
serve() {
	"$PEER" -u s "$@" 3>&- &
	server=$!
}

@test "the same bytes as the peer alone, spawned, over Unix, over TCP" {
	expect 0 echoload --relay -- hmasweep <request
	same reply out
	empty err
	gbmgen -n 300 | frame -x echo -o request
	gbmgen -n 300 >closes
	serve echo
	expect 0 echoload --relay -u s <request
	tail -c +5 out >got
	same closes got
	needs socat
	socat TCP-LISTEN:0,bind=127.0.0.1,fork EXEC:"$PEER echo" 3>&- 2>log &
	kill "$server"
	server=$!
	port=
	while [ -z "$port" ]; do
		kill -0 "$server"
		port=$(ss -ltnpH 2>/dev/null | sed -n "s/.*127.0.0.1:\([0-9]*\) .*pid=$server,.*/\1/p")
	done
	expect 0 echoload --relay -t "127.0.0.1:$port" <request
	tail -c +5 out >got
	same closes got
}

@test "no input: no output, status 0" {
	expect 0 echoload --relay -- hmasweep </dev/null
	empty out
	empty err
}

@test "48 MB pipelined through a peer that answers as it reads: nobody waits for ever" {
	gbmgen | frame -x echo >one
	for _ in {1..40}; do cat one; done >many
	serve echo
	expect 0 timeout 60 echoload --relay -u s <many
	[ "$(stat -c %s out)" -eq 48000160 ]
	expect 0 timeout 60 echoload --relay -- "$PEER" echo <many
	[ "$(stat -c %s out)" -eq 48000160 ]
}

@test "each answer as soon as it is there" {
	gbmgen -n 1 | frame -x echo -o request
	mkfifo there back
	echoload --relay -- "$PEER" echo <there >back 3>&- &
	exec 8>there 9<back
	for _ in 1 2 3; do
		cat request >&8
		[ "$(head -c 12 <&9 | wc -c)" -eq 12 ]
	done
	exec 8>&-
	wait $!
}

@test "a peer that closes early: status 1, how far it got, what it gave" {
	for _ in 1 2 3 4; do gbmgen -n 3 | frame -x echo; done >requests
	serve close 3
	for where in '-u s' "-- $PEER close 3"; do
		# shellcheck disable=SC2086 # words
		expect 1 echoload --relay $where <requests
		says err 'echoload: peer: closed early, after 2 replies'
		[ "$(wc -l <err)" -eq 1 ]
		[ "$(stat -c %s out)" -eq 56 ]
	done
	expect 1 echoload --relay -- "$PEER" cut 3 <requests
	says err 'peer: closed inside reply 3'
}

@test "a peer that has answered all but goes before the input ends" {
	mkfifo there
	gbmgen -n 3 | frame -x echo -o request
	timeout 20 echoload --relay -- bash -c 'head -c 37 >/dev/null; printf "\0\0\0\0"' \
		<there >out 2>err 3>&- &
	exec 8>there
	cat request >&8
	ended=0
	wait $! || ended=$?
	exec 8>&-
	[ $ended -eq 1 ]
	says err 'closed early, after 1 reply, before the end of input'
}

@test "a spawned peer that ends badly is told" {
	expect 1 echoload --relay -- false <request
	says err 'false: ended with status 1'
	# shellcheck disable=SC2016 # for the inner shell
	expect 1 echoload --relay -- bash -c 'kill -9 $$' <request
	says err 'bash: died of signal 9 (Killed)'
	expect 1 echoload --relay -- bash -c 'cat >/dev/null; exit 7' </dev/null
	says err 'echoload: bash: ended with status 7'
	expect 1 echoload --relay -- ./not-there <request
	says err 'echoload: ./not-there: cannot run: No such file or directory'
}

@test "input that ends inside a frame: the peer's answer, and status 3" {
	head -c 100 request >part
	expect 3 echoload --relay -- hmasweep <part
	says err 'echoload: <stdin>: frame 1: input ends inside it'
	mv out reply
	expect 1 unframe reply
	says err 'error 1 (malformed)'
}

@test "a reader of replies that has enough: the relay dies of the pipe" {
	gbmgen | frame -x echo >one
	for _ in {1..5}; do cat one; done >many
	bash -c 'echoload --relay -- hmasweep <many 2>err | head -c 10 >out; echo ${PIPESTATUS[0]} >status'
	[ "$(cat status)" -eq 141 ]
	status=0
	echoload --relay -- hmasweep <request >/dev/full 2>err || status=$?
	[ $status -eq 1 ]
	says err '<stdout>: write: No space left on device'
}

@test "connecting: retried for --connect-timeout, then said" {
	expect 1 echoload --relay -u missing --connect-timeout 0 <request
	says err 'echoload: missing: cannot connect (does a server listen there?): No such file or directory'
	: >file
	expect 1 echoload --relay -u file --connect-timeout 1ms <request
	says err 'Connection refused'
	expect 1 echoload --relay -t 127.0.0.1:1 --connect-timeout 1ms <request
	says err '127.0.0.1:1: cannot connect'
	expect 2 echoload --relay -t nonsense <request
	says err "'nonsense' is not HOST:PORT with a port up to 65535"
	expect 1 echoload --relay -u "$(printf '%0120d' 0)" <request
	says err 'at most 107 bytes'
	# The server comes while the client tries.
	gbmgen -n 3 | frame -x echo -o request
	echoload --relay -u s --connect-timeout 20s <request >out 3>&- &
	client=$!
	serve echo
	wait $client
	[ "$(stat -c %s out)" -eq 28 ]
}

@test "options of the relay" {
	refused() {
		expect 2 echoload "$@"
		[ "$(wc -l <err)" -eq 1 ]
		empty out
	}
	refused --relay
	refused --relay -u s -t localhost:1
	refused --relay -u s -- hmasweep
	refused --relay -u s --connect-timeout soon
}
