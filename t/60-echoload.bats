load lib

PEER=$B/t/peer

teardown() {
	[ -z "${server-}" ] || kill "$server" 2>/dev/null || true
}

# serve MODE...: a peer at ./s.
serve() {
	"$PEER" -u s "$@" 3>&- &
	server=$!
}

# run ARG...: a run with its report, JSON, in ./r.
run() {
	echoload -f json -o r --timeout 20s --connect-timeout 20s "$@"
}

@test "every transport and wait: all replies there, verified" {
	serve echo
	expect 0 run -u s -n 300
	jq -e '.runs[0] | .op == "echo" and .bytes == 8 and .answered == 300 and .sent == 300
		and .wait == "block" and .response.n == 300 and .response.p50_ns > 0
		and .response.min_ns <= .response.p50_ns and .response.p90_ns <= .response.max_ns
		and .bytes_back == 300 * 12 and .bytes_there == 300 * 21' r
	empty err
	expect 0 run -u s -n 300 --spin
	jq -e '.runs[0].wait == "spin"' r
	expect 0 run -n 300 -- "$PEER" echo
	jq -e '.runs[0] | .wait == "poll" and .peer_cpu_ns > 0 and .cpu_ns > 0' r
	expect 0 run -u s -n 1001 -c 4 -w 2 -q 8
	jq -e '.runs[0].answered == 1001' r
	jq -e '.config | .connections == 4 and .threads == 2 and .depth == 8' r
}

@test "sizes: several in a run, 0 and large ones too" {
	expect 0 run -b 0,8,1K,1.2M -n 20 --warm-count 1 -- "$PEER" echo
	jq -e '[.runs[].bytes] == [0, 8, 1000, 1200000] and ([.runs[].answered] | all(. == 20))' r
	expect 0 run --curve -n 5 --warm-count 0 -- "$PEER" echo
	jq -e '[.runs[].bytes] == [8, 64, 512, 1024, 4096, 8192, 65536, 524288, 1200000]' r
	expect 0 run -b 1.2M -q 20 -n 60 -- "$PEER" echo
	jq -e '.runs[0].answered == 60' r
}

@test "a loop of pipes: echoload <b | hmasweep >b" {
	mkfifo b
	timeout 60 echoload -n 200 -f json -o r <b | hmasweep >b
	jq -e '.runs[0].answered == 200 and .config.peer == "stdio"' r
	timeout 60 echoload -r 2000 -n 50 --min-achieved 1 -f json -o r <b | hmasweep >b
	jq -e '.runs[0].answered == 50' r
}

@test "sweeps, preloaded sweeps, ticks: results computed here" {
	expect 0 run --op sweep -b 8000 -g 6:40:5 -n 10 -- hmasweep
	expect 0 run --op tick -n 500 -- hmasweep
	expect 0 run --op tick -b 24 -n 500 -- hmasweep
	expect 0 run --op sweep-slot -b 8000 -g 6:40:5 -s 3 -n 20 -- hmasweep
	jq -e '.runs[0].op == "sweep-slot" and .runs[0].answered == 20' r
	expect 1 run --op sweep -b 8000 -g 6:40:5 -n 10 -- hmasweep -F 0.1
	jq -e '.runs[0].faults.wrong == 110 or .runs[0].faults.wrong == 10' r
	says err 'wrong: byte 0 of 80 differs'
	expect 1 run --op tick -n 500 -- hmasweep -F 0.1
	echo 3 6 2 1 2 3 >sets
	expect 0 run --op sweep -b 8000 -p sets -n 10 -- hmasweep
	expect 0 run --op sweep -b 8000 -p sets -F 0.1 -n 10 -- hmasweep -F 0.1
}

@test "a recorded stream, asked in turn" {
	{
		gbmgen -n 50 | frame -g 6:20:3
		gbmgen -n 5 | frame -x echo
		gbmgen -n 50 | frame -x load
		frame -x sweep-slot -g 6:20:3
		gbmgen -n 5 | frame -x echo --stamp
		gbmgen -n 5 | frame -x echo --dry-run
		frame -x stats
	} >requests
	expect 0 run --replay requests -n 70 -- hmasweep
	jq -e '.runs[0].op == "replay" and .runs[0].answered == 70' r
	jq -e ".runs[0].bytes == $(wc -c <requests)" r
	expect 1 run --replay requests -n 7 --warm-count 0 -F 3 -- hmasweep
	says err 'request 1: wrong: byte 0 of 48 differs'
	jq -e '.runs[0].faults.wrong == 1' r
	expect 0 run --replay requests -n 7 --no-verify -F 3 -- hmasweep
	jq -e '.config.verified == false' r
	expect 3 run --replay /dev/null -- hmasweep
	says err 'no requests to replay'
	expect 3 run --replay <(head -c 30 requests) -- hmasweep
	says err 'ends after 30 of'
	printf '\1\0\0\0\11' >bad
	expect 3 run --replay bad -- hmasweep
	says err 'bad: frame 1 at byte 0: op 9 is unknown'
}

@test "each way of being wrong: named, counted, status 1, no hang" {
	# mode, the fault, what is said
	while read -r mode fault text; do
		for peer in pipe socket; do
			if [ $peer = pipe ]; then
				expect 1 timeout 10 echoload -f json -o r -n 6 --warm-count 0 \
					--timeout 100ms -- "$PEER" "$mode" 3
			else
				serve "$mode" 3
				expect 1 timeout 10 echoload -f json -o r -n 6 --warm-count 0 \
					--timeout 100ms -u s
				kill "$server"
			fi
			says err "connection 1, request 3: $fault: $text"
			[ "$(wc -l <err)" -eq 1 ]
			jq -e ".runs[0].faults.$fault == 1" r
			jq -e '.runs[0].first_fault != null and .runs[0].response.n <= 6' r
		done
	done <<-X
		wrong wrong byte 7 of 8 differs
		short short 0 bytes where 8 were due
		long long 16 bytes where 8 were due
		twice twice its reply came twice
		late late the reply came after the timeout
		busy refused error 5 (busy): busy
		cut closed closed inside a reply
		close closed the peer closed
		never missing no reply within 100 ms
	X
}

@test "wrong in the last reply as well: a surplus, a missing end" {
	expect 1 run -n 3 --warm-count 0 -- "$PEER" twice 3
	says err 'request 3: twice'
	expect 1 run -n 3 --warm-count 0 -- "$PEER" extra 3
	says err 'request 3: unasked: bytes follow the last reply'
	expect 1 run -n 3 -- bash -c "'$PEER' echo; exit 9"
	says err 'closed: the command ended with status 9'
	expect 0 run -n 6 --warm-count 0 --no-verify -- "$PEER" wrong 3
}

@test "wrong while pipelined, in an open loop, on several connections" {
	expect 1 run -n 60 -q 8 --warm-count 0 -- "$PEER" wrong 30
	says err 'request 30: wrong'
	jq -e '.runs[0].faults.wrong == 1 and .runs[0].answered == 59' r
	expect 1 run -n 60 -q 8 --warm-count 0 -- "$PEER" twice 30
	jq -e '.runs[0].faults.twice == 1 and .runs[0].answered == 60' r
	serve short 20
	expect 1 run -u s -n 100 -c 4 -w 2 -q 100 -r 5000 --min-achieved 1 --warm-count 0
	jq -e '.runs[0].faults.short == 4 and .runs[0].answered == 96' r
	expect 1 timeout 10 echoload -f json -o r -n 100 -c 4 -q 4 --timeout 100ms \
		--warm-count 0 -- "$PEER" never 20
	jq -e '.runs[0].faults.missing >= 1 and .runs[0].faults.wrong == 0' r
	# The replies behind a missing one are still told apart.
	expect 1 run -n 60 -q 8 --warm-count 0 -- "$PEER" never 30
	jq -e '.runs[0].faults.missing == 1 and .runs[0].answered == 59' r
	says err 'request 30: missing: the reply to a later request came'
}

@test "a peer that takes nothing: --timeout ends it" {
	expect 1 timeout 10 echoload -f json -o r -b 1.2M -n 6 --warm-count 0 --timeout 100ms \
		-- sleep 5
	jq -e '.runs[0].faults.missing >= 1 and .runs[0].answered == 0' r
	jq -e '.runs[0].response.p50_ns == null and .runs[0].response.max_ns == null' r
}

@test "runs of 0, of 1, of 1 ms, of 10^12 that is cut short" {
	for args in '-n 0' '-n 1' '-d 1ms' '-d 0' '-n 0 -r 100' '-n 1 -r 100'; do
		# shellcheck disable=SC2086 # words
		expect 0 run $args -- "$PEER" echo
		jq -e . r
		[ "$(grep -ciE '\b(nan|inf|infinity)\b' r)" -eq 0 ]
		# shellcheck disable=SC2086
		expect 0 echoload $args -f tsv -o t -- "$PEER" echo
		[ "$(awk -F '\t' '{ print NF }' t | sort -u | wc -l)" -eq 1 ]
		# shellcheck disable=SC2086
		expect 0 echoload $args -f table -o t --hgrm h -- "$PEER" echo
		says h '#[Mean'
	done
	# A loaded machine may sleep through a millisecond: then the rate was not reached.
	run -d 1ms -r 100000 -- "$PEER" echo || [ $? -eq 1 ]
	jq -e '.runs[0] | .answered + .unsent <= 100' r
	mkfifo ready
	echoload -n 1000000000000 --interval 10ms -o ready -- "$PEER" echo 2>err 3>&- &
	client=$!
	exec 8<ready
	read -r _ <&8
	kill -INT $client
	cat <&8 >lines
	status=0
	wait $client || status=$?
	[ $status -eq 1 ]
	says err 'interrupted: the report is of what was done by then'
	tail -n 1 lines | jq -e '.part == "total" and .interrupted and .answered > 0'
}

@test "interrupted while the peer is silent: the report comes all the same" {
	mkfifo ready
	echoload -f json -o r --warm-count 0 --timeout 1h -- bash -c 'exec 9>ready; sleep 100' 3>&- 2>err &
	client=$!
	: <ready
	kill -TERM $client
	status=0
	wait $client || status=$?
	[ $status -eq 1 ]
	jq -e '.runs[0].interrupted and .runs[0].answered == 0' r
}

@test "open loop: due times are kept, response and service time apart" {
	expect 0 run -r 1000 -n 200 --min-achieved 1 --samples s.tsv -- "$PEER" echo
	jq -e '.runs[0] | .answered == 200 and .lateness.n == 200 and .service.n == 200
		and .response.max_ns >= .service.max_ns and .unsent == 0' r
	# Constant arrivals: the nth is due n ms after the start, and never sent before.
	awk -F '\t' 'NR > 1 { if ($2 != (NR - 2) * 1000000 || $3 < $2 || $4 < $3) bad = NR }
		END { exit bad || NR != 201 }' s.tsv
	expect 0 run -r 1000 -n 200 --arrivals poisson --min-achieved 1 --samples s.tsv -- "$PEER" echo
	awk -F '\t' 'NR > 1 { if ($3 < $2 || $2 < last) bad = NR; if ($2 - last > 2e6) far++; last = $2 }
		END { exit bad || far < 5 || far > 60 || last < 130e6 || last > 300e6 }' s.tsv
	cut -f 2 s.tsv >first
	expect 0 run -r 1000 -n 200 --arrivals poisson --min-achieved 1 --samples s.tsv -- "$PEER" echo
	same first <(cut -f 2 s.tsv)
	expect 0 run -r 1000 -n 200 --arrivals poisson --seed 2 --min-achieved 1 --samples s.tsv -- "$PEER" echo
	if cmp -s first <(cut -f 2 s.tsv); then false; fi
}

@test "open loop: a peer that stalls is charged with what it held up" {
	expect 0 run -r 1000 -n 400 --warm-count 0 --min-achieved 1 -- "$PEER" late 100 200
	# 200 requests were due in the 200 ms; but the one that stalled waited 200 ms in service only.
	jq -e '.runs[0].response.max_ns >= 199000000 and .runs[0].response.p75_ns > 1000000' r
	jq -e '[.runs[0].response.histogram[] | select(.[0] > 20000000) | .[1]] | add >= 150' r
}

@test "a rate that is not reached: status 1, said, unless less will do" {
	expect 1 echoload -f table -o t -r 1000000 -d 50ms --timeout 20s -- "$PEER" echo
	says err 'requests a second of 1000000 wanted (see --min-achieved)'
	says t 'the rate was not reached'
	expect 0 run -r 1000000 -d 50ms --min-achieved 0.01 -- "$PEER" echo
	jq -e '.runs[0].unsent > 0 and .runs[0].fell_short == false' r
}

@test "table and tsv: the columns, a dash for what is not known" {
	expect 0 echoload -n 5 -f tsv -- "$PEER" echo
	empty out
	printf '%s\t' op bytes wait n per_s min_ns p50_ns p90_ns p99_ns p99.9_ns p99.99_ns max_ns >want
	printf 'mean_ns\tcpu_ns\tpeer_cpu_ns\tfaults\n' >>want
	same want <(head -n 1 err)
	[ "$(sed -n 2p err | cut -f 1-4,7-11,16)" = $'echo\t8\tpoll\t5\t-\t-\t-\t-\t-\t0' ]
	expect 0 echoload -n 5 -f table --no-verify -o t -- "$PEER" echo
	says t 'closed loop, 1 connection of 1 thread, depth 1, replies not verified'
	expect 0 echoload -n 5 -r 1000 --min-achieved 1 -f tsv -- "$PEER" echo
	[ "$(head -n 1 err | cut -f 5-7,13-15)" = $'wanted_per_s\tper_s\tunsent\tservice_p50_ns\tservice_p99_ns\tservice_max_ns' ]
}

@test "ndjson: a line an interval, which add up to the whole" {
	expect 0 echoload -d 0.25 --interval 50ms -c 2 -w 2 -o lines -- "$PEER" echo
	jq -es 'all(.[:-1][]; .part == "interval") and .[-1].part == "total" and length >= 5' lines
	jq -es '([.[:-1][].n] | add) == .[-1].answered' lines
	expect 0 echoload -d 0.1 -f ndjson -o lines -- "$PEER" echo
	[ "$(wc -l <lines)" -eq 2 ]
}

@test "hgrm: what awk reads agrees with the JSON" {
	expect 0 run -n 2000 --hgrm h -- "$PEER" echo
	awk 'NR == 1 { if ($1 != "Value" || $4 != "1/(1-Percentile)") exit 1 }
		/^ *[0-9]/ { if ($1 < v || $2 < p || $3 < n) exit 1; v = $1; p = $2; n = $3; rows++
			if (p < 1 && (n / 2000 < p - 1e-9)) exit 1 }
		END { exit !(p == 1 && n == 2000 && rows > 20) }' h
	p50=$(awk '$2 == 0.5 { print $1 }' h)
	jq -e "(.runs[0].response.p50_ns / 1000 - $p50) | fabs < 0.001" r
	max=$(sed -n 's/^#\[Max *= *\([0-9.]*\),.*/\1/p' h)
	jq -e "(.runs[0].response.max_ns / 1000 - $max) | fabs < 0.001" r
	jq -e '[.runs[0].response.histogram[][1]] | add == 2000' r
}

@test "--compare: ratios of what both support, with an interval" {
	expect 0 run -n 1000 -- "$PEER" echo
	cp r a
	expect 0 echoload --compare a a
	cat >want <<-X
		op	bytes	percentile	a_n	b_n	b_over_a
		echo	8	50.0	1000	1000	1.0000
		echo	8	90.0	1000	1000	1.0000
		echo	8	99.0	1000	1000	1.0000
		echo	8	99.9	1000	1000	-
	X
	cut -f 1-5,8 out >got
	same want got
	awk -F '\t' 'NR > 1 && $8 != "-" && !($9 <= 1 && 1 <= $10) { exit 1 }' out
	# Every time doubled: so are the percentiles.
	jq '.runs[0].response |= (.histogram |= map([.[0] * 2, .[1]]) | .max_ns *= 2)' a >b
	expect 0 echoload --compare a b -f json
	jq -e 'length == 4 and (.[0].b_over_a - 2 | fabs < 0.003) and .[0].low95 <= .[0].b_over_a' out
	expect 0 echoload --compare -f tsv -o file a b
	expect 0 run -b 64 -n 10 -- "$PEER" echo
	expect 3 echoload --compare a r
	says err 'a and r have no run of the same op and size'
	echo '{"runs": [{"response": {"histogram": [[1]]}}]}' >bad
	expect 3 echoload --compare a bad
	says err 'bad: line 1 column'
	echo '[]' >bad
	expect 3 echoload --compare bad a
	says err 'no report of echoload in JSON'
	echo '{"runs": [' >bad
	expect 3 echoload --compare bad a
	expect 1 echoload --compare a missing
	expect 2 echoload --compare a
}

@test "placement: what was asked for and what was granted" {
	expect 0 run -n 10 --cpu 0 -- "$PEER" echo
	jq -e '.runs[0].processor.state == "granted"' r
	expect 0 run -n 10 --cpu 4095 --fifo 1 -- "$PEER" echo
	jq -e '.runs[0].processor.state != "granted" and .runs[0].priority.state != "not asked"' r
	jq -e '.host.cpu and .host.kernel and .host.clocksource' r
}

@test "options that do not go together, or make no sense" {
	refused() {
		expect 2 echoload "$@"
		[ "$(wc -l <err)" -eq 1 ]
	}
	refused -b 7 -- hmasweep
	says err '7 is no multiple of 8'
	refused -b 3G -- hmasweep
	refused -b 8,x -- hmasweep
	refused --op dance -- hmasweep
	refused --op tick -b 0 -- hmasweep
	refused --replay x -b 8 -- hmasweep
	refused -g 6:8:2 -p x -- hmasweep
	refused -r 0 -- hmasweep
	refused -r -5 -- hmasweep
	refused -q 0 -- hmasweep
	refused -c 0 -- hmasweep
	refused -w 2 -- hmasweep
	refused -c 2
	refused -u s -t h:1
	refused --interval 1s -f json -- hmasweep
	refused --fifo 100 -- hmasweep
	refused --curve --hgrm x -- hmasweep
	refused --curve </dev/null
	refused -o - </dev/null
	expect 1 echoload -u missing --connect-timeout 1ms
	says err 'missing: cannot connect'
	expect 1 echoload -- ./missing
	expect 1 echoload -n 3 -f json -o missing/r -- "$PEER" echo
	expect 1 echoload -n 3 -f json -o /dev/full -- "$PEER" echo
	says err 'write: No space left on device'
}
