load lib

# le HEX...: each word of hex digits, most significant first, as little-endian bytes.
le() {
	local w i
	for w; do
		for ((i = ${#w} - 2; i >= 0; i -= 2)); do printf '%b' "\\x${w:i:2}"; done
	done
}

ONE=3ff0000000000000 HALF=3fe0000000000000 TENTH=3fb999999999999a NAN=7ff8000000000000
INF=7ff0000000000000 MINUS0=8000000000000000
N0=0000000000000000 N1=0000000000000001 N7=0000000000000007 NEG=ffffffffffffffff

# Two replies to sweeps: sets (1, 7), (0.1, 1), then (nan, 0).
two() {
	le 00000020 $ONE $TENTH $N7 $N1
	le 00000010 $NAN $N0
}

setup() {
	gbmgen -n 400 | frame -g 6:40:5 -o request
	hmasweep <request >reply
}

@test "rows continue over replies, numbered from 1" {
	two >in
	printf 'set\tpnl\ttrades\n1\t1.0\t7\n2\t0.1\t1\n3\tnan\t0\n' >want
	expect 0 unframe in
	same want out
	empty err
	expect 0 unframe - <in
	same want out
	tr '\t' , <want >want.csv
	expect 0 unframe -f csv in
	same want.csv out
}

@test "table: aligned" {
	two >in
	expect 0 unframe -f table in
	printf 'set  pnl  trades\n  1  1.0       7\n  2  0.1       1\n  3  nan       0\n' >want
	same want out
}

@test "no replies: nothing; json an empty array; npy has no columns to go by" {
	expect 0 unframe </dev/null
	empty out
	expect 0 unframe -f json </dev/null
	printf '[]\n' >want
	same want out
	expect 3 unframe -f npy </dev/null
	says err 'no rows'
	le 00000000 >in
	expect 0 unframe in
	printf 'set\tpnl\ttrades\n' >want
	same want out
}

@test "json: valid, NaN refused or null" {
	needs jq
	expect 0 unframe -f json reply
	jq -r '.[] | [.set, .trades] | @tsv' out >got
	unframe reply | tail -n +2 | cut -f 1,3 >want
	same want got
	{ two; le 00000010 $INF $N0; } >in
	expect 3 unframe -f json in
	says err 'in: frame 2: pnl of row 1 is nan, which json cannot say (--nan null writes null)'
	jq -e 'length == 2' out
	expect 0 unframe -f json --nan null in
	jq -e '[.[].pnl] == [1, 0.1, null, null]' out
}

@test "labels by grid, by lengths, by sets, from the request: the same" {
	expect 0 unframe -g 6:40:5 reply
	mv out want
	[ "$(head -n 1 want)" = $'length\thma_half\thma_full\thma_sqrt\thma3_third\thma3_half\thma3_full\tpnl\ttrades' ]
	[ "$(sed -n 2p want | cut -f 1-7)" = $'6\t3\t6\t2\t1\t2\t3' ]
	[ "$(wc -l <want)" -eq 6 ]
	cut -f 1 want | tail -n +2 >lengths
	cut -f 2-7 want | tail -n +2 >sets
	expect 0 unframe -p lengths reply
	same want out
	expect 0 unframe --sets=sets reply
	same want out
	expect 0 unframe -p want reply
	same want out
	expect 0 unframe --for request reply
	same want out
	expect 0 unframe --for - reply <request
	same want out
}

@test "a set of no length has length 0" {
	echo 3 6 2 1 2 9 >sets
	gbmgen -n 50 | frame -p sets -o odd
	hmasweep <odd | unframe --for odd >out
	[ "$(tail -n 1 out | cut -f 1-7)" = $'0\t3\t6\t2\t1\t2\t9' ]
}

@test "no sets asked for: the labels' names alone" {
	: >none
	gbmgen -n 5 | frame -p none -o q || le 00000009 00 00000000 00000000 >q
	hmasweep <q | unframe --for q >out
	[ "$(cut -f 1,9 out)" = $'length\ttrades' ]
}

@test "labels go round, and have to come out even" {
	cat reply reply >in
	expect 0 unframe -g 6:40:5 in
	[ "$(wc -l <out)" -eq 11 ]
	same <(sed -n 2,6p out) <(sed -n 7,11p out)
	gbmgen -n 400 | frame --chatty -g 6:40:5 | hmasweep >in
	expect 0 unframe -g 6:40:5 in
	unframe -g 6:40:5 reply >want
	same want out
	head -c 60 in >cut
	expect 3 unframe -g 6:40:5 cut
	says err 'cut: ends after results for 3 of 5 sets'
	expect 3 unframe -g 6:40:3 reply
	says err 'reply: frame 1 at byte 0: results for 5 sets, but labels for 3'
}

@test "ops: echo, load, append, tick, open, stats" {
	gbmgen -n 3 | frame -x echo | hmasweep >in
	gbmgen -n 3 -f csv >want
	expect 0 unframe -x echo in
	same want out
	le 00000008 $N1 00000008 $N7 >in
	printf 'version\n1\n7\n' >want
	expect 0 unframe -x load in
	same want out
	expect 0 unframe -x append in
	same want out
	le 00000030 $ONE $HALF $N7 $N1 $NEG $N0 00000030 $ONE $HALF $N7 $N1 $N1 $N1 >in
	printf 'set\tpnl\ttrades\tside\n1\t1.0\t7\t-1\n2\t0.5\t1\t0\n1\t1.0\t7\t1\n2\t0.5\t1\t1\n' >want
	expect 0 unframe -x tick in
	same want out
	expect 0 unframe --op tick -g 6:6:1 <(le 00000018 $ONE $N7 $N1)
	[ "$(tail -n 1 out)" = $'6\t3\t6\t2\t1\t2\t3\t1.0\t7\t1' ]
	le 00000000 >in
	expect 0 unframe -x open in
	empty out
	{ le 0000000b; printf 'a\t1\nbc,d\t2\n'; } >in
	expect 0 unframe -x stats in
	printf 'a\t1\nbc,d\t2\n' >want
	same want out
	expect 0 unframe -x stats -f csv in
	printf 'name,value\na,1\n"bc,d",2\n' >want
	same want out
	expect 2 unframe -x stats -f npy in
	says err 'stats are text'
}

@test "what is not stats, not stamped, no reply: said in a sentence, and nothing on stdout" {
	expect 3 unframe -x stats reply
	empty out
	says err 'reply: frame 1 at byte 0: the body is no text, as stats are: -x says what it answers'
	[ "$(wc -l <err)" -eq 1 ]
	for f in raw csv; do
		expect 3 unframe -x stats -f $f reply
		[ -z "$(tr -d 'a-z,\n' <out)" ]
	done
	for c in '\033[2J' '\r' '\302\233' '\377' '\0' '\177'; do
		{ le 00000008; printf "a\t1$c\n       " | head -c 8; } >in
		expect 3 unframe -x stats in
		empty out
	done
	{ le 00000005; printf 'a\t\303\244\n'; } >in
	expect 0 unframe -x stats in
	expect 3 unframe --stamp reply
	empty out
	says err 'reply: frame 1 at byte 0: the four times of the stamp do not rise: was it asked for? --for REQUESTS knows'
	expect 3 unframe --stamp <(le 00000030 $N7 $N1 $N7 $N7 $ONE $N7)
	says err 'do not rise'
	expect 3 unframe --stamp <(le 00000030 $TENTH $HALF $HALF $ONE $ONE $N7)
	says err 'do not rise'
	expect 3 unframe request
	says err 'request: frame 1 at byte 0: 3449 bytes are no reply to sweep: a request? hmasweep answers it, --request shows it'
	gbmgen -n 9 >closes
	expect 3 unframe closes
	says err 'closes: frame 1 at byte 0: length 1921809671 exceeds 268435456: is this a frame? (or see --max-frame)'
}

@test "stamped replies: four columns more; alone where there are no rows" {
	le 00000030 $N1 $N1 $N7 $N7 $ONE $N7 >in
	printf 'set\tpnl\ttrades\treceived_ns\tstarted_ns\tfinished_ns\treplied_ns\n1\t1.0\t7\t1\t1\t7\t7\n' >want
	expect 0 unframe --stamp in
	same want out
	le 00000020 $N1 $N1 $N7 $N7 >in
	printf 'received_ns\tstarted_ns\tfinished_ns\treplied_ns\n1\t1\t7\t7\n' >want
	expect 0 unframe --stamp -x open in
	same want out
	expect 3 unframe --stamp <(le 00000008 $N1)
	says err 'a stamped reply of 8 bytes: 32 or more'
	gbmgen -n 30 | frame --stamp -g 6:6:1 -o request
	hmasweep <request | unframe --for request >out
	[ "$(tail -n 1 out | awk -F '\t' '{ print NF, $10 <= $11, $11 <= $12, $12 <= $13 }')" = '13 1 1 1' ]
}

@test "other columns: a new table; json goes on; npy cannot" {
	gbmgen -n 2 | frame -x echo -o q2
	cat request q2 >requests
	hmasweep <requests >replies
	expect 0 unframe --for requests replies
	unframe --for request reply >want
	{ echo; gbmgen -n 2 -f csv; } >>want
	same want out
	expect 0 unframe --for requests -f json replies
	jq -e 'length == 7 and .[6].close > 0' out
	expect 3 unframe --for requests -f npy replies
	says err 'npy holds one table'
}

@test "raw: bodies joined; npy: what NumPy reads" {
	two >in
	le $ONE $TENTH $N7 $N1 $NAN $N0 >want
	expect 0 unframe -f raw in
	same want out
	needs python3
	python3 -c 'import numpy' 2>/dev/null || PATH=/usr/bin:$PATH python3 -c 'import numpy' || skip 'no NumPy'
	expect 0 unframe -f npy -o a.npy --for request reply
	PATH=/usr/bin:$PATH python3 -c '
import numpy as np
a = np.load("a.npy")
print("\t".join(a.dtype.names))
for r in a: print("\t".join(repr(x.item()) for x in r))' >got
	unframe --for request reply >want
	same want got
	gbmgen -n 5 | frame -x echo | hmasweep | unframe -x echo -f npy >got
	gbmgen -n 5 -f npy >want
	same want got
}

@test "an error frame: its message, status 1, the rows before stay" {
	{ two; le 8000000a 00000002; printf 'a\033[1mb'; two; } >in
	expect 1 unframe in
	says err 'unframe: in: frame 3 at byte 56: error 2 (bad request): a\x1b[1mb'
	[ "$(wc -l <err)" -eq 1 ]
	unframe <(two) >want
	same want out
	le 80000004 00000063 >in
	expect 1 unframe in
	says err 'error 99 (unknown code)'
	empty out
	expect 3 unframe <(le 80000003 000000)
	says err 'an error frame of 3 bytes: 4 or more'
	{ two; le 80000004 00000006; } >in
	expect 1 unframe -f json --nan null -o table in
	[ ! -e table ]
}

@test "what is no reply: status 3 and where" {
	expect 3 unframe <(le 00000009 $N1 ; printf x)
	says err 'frame 1 at byte 0: 9 bytes are no reply to sweep'
	expect 3 unframe -x load <(le 00000010 $N1 $N1)
	says err '16 bytes are no reply to load'
	two | head -c 50 >in
	expect 3 unframe in
	says err 'in: frame 2 at byte 36: ends after 14 of 20 bytes'
	[ "$(wc -l <out)" -eq 3 ]
	expect 3 unframe --max-frame 31 <(two)
	says err 'length 32 exceeds 31: is this a frame? (or see --max-frame)'
	expect 0 unframe --max-frame 32 <(two)
}

@test "--for: replies and requests have to match" {
	cat request request >requests
	expect 3 unframe --for requests reply
	says err 'reply: ends after 1 reply, but requests holds more requests'
	cat reply reply >replies
	expect 3 unframe --for request replies
	says err 'replies: frame 2: a reply, but request holds only 1 request'
	gbmgen -n 400 | frame -g 6:40:4 -o other
	expect 3 unframe --for other reply
	says err 'results for 5 sets, but 4 were asked for'
	expect 3 unframe --for reply reply
	says err 'yet reply has a result for it'
}

@test "gate: silent when equal, however framed, replies or table" {
	gbmgen -n 400 | frame --chatty -g 6:40:5 | hmasweep >chatty
	unframe --for request reply >table
	unframe -f csv reply >table.csv
	{ echo '# a comment'; echo "# $(head -n 1 table)"; tail -n +2 table; } >hashed
	for against in reply chatty table table.csv hashed; do
		expect 0 unframe --against $against reply
		empty out
		empty err
		expect 0 unframe -g 6:40:5 --against $against chatty
	done
	expect 0 unframe --for request --against reply reply
	expect 0 unframe --against <(cat table) reply
	expect 0 unframe --against <(cat reply) - <reply
}

@test "gate: the first difference, status 4" {
	le 00000020 $ONE $HALF $N7 $N1 >a
	le 00000020 $ONE 3fe0000000000001 $N7 $N1 >b
	expect 4 unframe --against a b
	says err 'unframe: set 2: pnl: 0.5000000000000001 in b, 0.5 in a: they differ by 1.1102230246251565e-16'
	[ "$(wc -l <err)" -eq 1 ]
	empty out
	expect 4 unframe --tolerance 1e-17 --against a b
	says err '1.1102230246251565e-16, more than 1e-17'
	expect 0 unframe --tolerance 1e-15 --against a b
	expect 4 unframe -g 6:9:2 --against a b
	says err 'set 2 (length 9): pnl'
	le 00000020 $ONE $HALF $N7 $N7 >b
	expect 4 unframe --tolerance 1e9 --against a b
	says err 'set 2: trades: 7 in b, 1 in a: they differ by 6'
	le 00000010 $ONE $N7 >b
	expect 4 unframe --against a b
	says err 'b ends after 1 row, a has more'
	expect 4 unframe --against b a
	says err 'b ends after 1 row, a has more'
	unframe --for request reply | sed 's/^6/7/' >table
	expect 4 unframe --for request --against table reply
	says err 'set 1 (length 6): length: 6 in reply, 7 in table: they differ by 1'
}

@test "gate: NaN is NaN, zeros have signs, infinities too" {
	le 00000010 $NAN $N0 >a
	le 00000010 fff8000000000001 $N0 >b
	expect 0 unframe --against a b
	expect 4 unframe --tolerance 1 --against a <(le 00000010 $ONE $N0)
	le 00000010 $N0 $N0 >a
	le 00000010 $MINUS0 $N0 >b
	expect 4 unframe --against a b
	says err 'pnl: -0.0 in b, 0.0 in a: they differ by 0.0'
	expect 0 unframe --tolerance 0 --against a b
	le 00000010 $INF $N0 >a
	expect 0 unframe --tolerance 0 --against a a
	expect 4 unframe --tolerance 1 --against a b
	says err 'they differ by inf'
}

@test "gate: an error frame on either side is no difference" {
	le 80000004 00000004 >a
	expect 1 unframe --against reply a
	says err 'a: frame 1 at byte 0: error 4 (empty slot)'
	expect 1 unframe --against a reply
	unframe -f npy -o npy reply
	expect 3 unframe --against npy reply
	says err "npy: this is npy: --against wants replies, or unframe's tsv or csv"
	unframe -f json -o json reply
	expect 3 unframe --against json reply
	says err "json: this is JSON: --against wants replies, or unframe's tsv or csv"
	expect 3 unframe --against <(echo some text) reply
	says err 'neither replies nor a table that unframe -f tsv or csv wrote'
	printf 'set\tpnl\ttrades\n1\t1,5\t2\n' >table
	expect 3 unframe --against table reply
	says err "table: line 2: '1\\x091,5\\x092' is no row of 3 columns"
	gbmgen -n 4 -f csv >table
	expect 3 unframe --against table reply
	says err 'no result column in common'
	expect 0 unframe -x echo --against table <(gbmgen -n 4 | frame -x echo | hmasweep)
}

@test "--request: a row a frame" {
	gbmgen -n 2 | frame -x load -s 3 --stamp --dry-run -o load
	frame -x open -s none -g 6:8:2 -o open 2>/dev/null || le 0000006d 05 00000000 00000002 ffffffff >open
	cat request load >in
	expect 0 unframe --request in
	printf '%s\t' frame byte length op flags slot bars sets first last first_set >want
	printf 'last_set\n' >>want
	printf '1\t0\t3449\tsweep\t-\t-\t400\t5\t%s\t%s\t3:6:2:1:2:3\t20:40:6:7:10:20\n' \
		"$(gbmgen -n 1 -f csv | tail -n 1)" "$(gbmgen -n 400 -f csv | tail -n 1)" >>want
	printf '2\t3453\t29\tload\tstamp+dry-run\t3\t2\t0\t%s\t%s\t-\t-\n' \
		"$(gbmgen -n 1 -f csv | tail -n 1)" "$(gbmgen -n 2 -f csv | tail -n 1)" >>want
	same want out
	expect 0 unframe --request -f json in
	jq -e '.[0].slot == null and .[1].flags == "stamp+dry-run" and .[1].first_set == null' out
	{ cat request; le 00000001 09; } >in
	expect 3 unframe --request in
	says err 'in: frame 2 at byte 3453: op 9 is unknown'
	[ "$(wc -l <out)" -eq 2 ]
	expect 3 unframe --request <(le 80000004 00000001)
	says err 'an error frame, no request'
}

@test "a tick's answer comes before the next tick is asked" {
	mkfifo there back
	unframe -x tick <there >back 2>err &
	exec 8>there 9<back
	le 00000018 $ONE $N7 $N1 >&8
	read -r names <&9
	read -r row <&9
	[ "$row" = $'1\t1.0\t7\t1' ]
	exec 8>&-
	wait $!
	[ -n "$names" ]
}

@test "options that do not go together" {
	refused() {
		expect 2 unframe "$@"
		[ "$(wc -l <err)" -eq 1 ]
		empty out
	}
	refused -x nosuch
	says err "-x: 'nosuch' is none of: sweep, echo, load"
	refused -f xml
	says err 'is none of: tsv, csv, json, table, raw, npy'
	refused -g 6:40:5 -p lengths
	refused -g 6:40:5 -x echo
	refused -g 6:40
	refused --for request -x echo
	refused --for request --stamp
	refused --request -x echo
	refused --request -f raw
	refused --tolerance 1
	refused --tolerance -1 --against reply reply
	refused --tolerance x --against reply reply
	refused --against reply -f csv
	refused --against reply -o file
	refused --against reply -x stats
	refused --against reply --for <(cat request) reply
	refused --nan maybe
	refused --max-frame 3Gi
	refused one two
	expect 3 unframe -p <(:) reply
	says err 'no sets to label with'
}
