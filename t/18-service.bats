#!/usr/bin/env bats
# The JSON service: the same results as frames, to the bit.
load lib

# replies: of lines on stdin, the bodies joined: pnl, trades a line.
replies() {
	while IFS= read -r line; do
		printf '%s\n' "$line" | "$B/t/codec" reply || return 1
	done
}

@test "batch and chatty sweeps as JSON give the bytes that frames give" {
	gbmgen -n 3000 >closes
	for how in --split=1 --chatty; do
		frame "$how" closes >frames
		hmasweep <frames | unframe -f raw >wanted
		"$B/t/codec" request-write <frames >lines
		frame "$how" -f json closes >got
		same lines got
		expect 0 hmasweep --json <lines
		replies <out >got
		same wanted got
	done
	[ "$(wc -l <lines)" -eq 80 ]
}

@test "a whole default sweep as JSON is the published one" {
	gbmgen | frame | "$B/t/codec" request-write | hmasweep --json >reply
	gbmgen | frame | hmasweep | unframe -f raw >wanted
	replies <reply >got
	same wanted got
	grep -q '^{"pnl":\[-5165\.58[0-9]*,.*"trades":\[57029,' reply
}

@test "a pnl that is not finite is refused, or null" {
	line='{"op":"sweep","closes":[1,2,3,2,1e-305,1e-305,1e300,2,1,3e-305,1e308,3,1e300],"sets":[[1,2,1,1,1,2],[2,3,1,1,1,1]]}'
	echo "$line" >in
	echo '{"op":"sweep","closes":[1],"sets":[]}' >>in
	expect 3 hmasweep --json <in
	cat >wanted <<-'EOF'
		{"error":{"code":2,"message":"set 1: the pnl is not finite and JSON has no such number (--nan null writes null)"}}
		{"pnl":[],"trades":[]}
	EOF
	same wanted out
	says err 'hmasweep: <stdin>: line 1 at byte 0: set 1: the pnl is not finite'
	expect 0 hmasweep --json --nan null <in
	says out '{"pnl":[null'
	expect 2 hmasweep --json --nan zero <in
	says err "hmasweep: --nan: 'zero' is none of: refuse, null"
}
