#!/usr/bin/env bats
# frame: every op and option to the byte, against an independent writer of requests.

load lib
load requests

@test "a sweep of the default grid, from a file, from stdin, from a pipe" {
	expect 0 frame five.raw
	made sweep sets=6:200:80 "${FIVE[@]}"
	expect 0 frame <five.raw
	made sweep sets=6:200:80 "${FIVE[@]}"
	expect 0 frame - < <(cat five.raw)
	made sweep sets=6:200:80 "${FIVE[@]}"
	expect 0 frame five.txt
	made sweep sets=6:200:80 "${FIVE[@]}"
}

@test "every op" {
	expect 0 frame -x echo five.raw
	made echo "${FIVE[@]}"
	expect 0 frame -x load five.raw
	made load "${FIVE[@]}"
	expect 0 frame --op load --slot 63 five.raw
	made load slot=63 "${FIVE[@]}"
	expect 0 frame -x append -s 4294967294 five.raw
	made append slot=4294967294 "${FIVE[@]}"
	expect 0 frame -x sweep-slot -s 2 -g 6:8:2
	made sweep-slot slot=2 sets=6:8:2
	expect 0 frame -x open -g 6:8:2
	made open slot=0 sets=6:8:2
	expect 0 frame -x open -s none -g 6:8:2
	made open slot=4294967295 sets=6:8:2
	expect 0 frame -x stats
	made stats
}

@test "ops without closes do not read" {
	mkfifo never
	for op in sweep-slot open stats; do
		expect 0 timeout 10 frame -x $op 0<>never
	done
}

@test "ticks: one bar a frame, or -n" {
	for x in "${FIVE[@]}"; do
		request tick "$x"
	done >want
	expect 0 frame -x tick five.raw
	same want out
	expect 0 frame -x tick five.txt
	same want out
	{ request tick 1.5 2.25 && request tick 0.001 123456.789 && request tick 7; } >want
	expect 0 frame -x tick -n 2 five.raw
	same want out
	expect 0 frame -x tick --bars 2 <five.txt
	same want out
	request tick "${FIVE[@]}" >want
	expect 0 frame -x tick -n 5 five.raw
	same want out
	expect 0 frame -x tick -n 4000000 < <(cat five.raw)
	same want out
	: >none
	expect 0 frame -x tick none
	empty out
}

@test "ticks of a live pipe leave as the bars come" {
	mkfifo in ticks
	frame -x tick -i raw <in >ticks 3>&- &
	exec 8>in 9<ticks
	for i in 0 1 2 3 4; do
		tail -c +$((8 * i + 1)) five.raw | head -c 8 >&8
		# Blocks until this very frame is there: 4 + 9 + 8 bytes.
		timeout 10 head -c 21 <&9 >>got
	done
	exec 8>&- 9<&-
	wait
	for x in "${FIVE[@]}"; do
		request tick "$x"
	done >want
	same want got
}

@test "grids" {
	for g in 1:1:1 7:7:3 1:10:10 6:200:80 2:9:3 1:1000000000:7 5:6:9; do
		expect 0 frame -x sweep-slot -g $g
		made sweep-slot sets=$g
		expect 0 frame -x sweep-slot --grid $g
		made sweep-slot sets=$g
	done
}

@test "grids that are none" {
	for g in '' 6 6:200 6:200:80:1 0:5:2 -1:5:2 6:5:2 6:7:1 6:7:0 a:b:c 6:7:2x ' 6:7:2' 1:2000000000:2 \
		6:200:99999999999999999999 6:200:44739243; do
		expect 2 frame -x sweep-slot -g "$g"
		empty out
		says err "frame: -g: '$g'"
		says err '(try frame --help)'
	done
}

@test "sets from a file: lengths, windows, and what unframe writes" {
	expect 0 frame -x sweep-slot -g 6:200:80
	mv out want
	seq 6 200 >all
	head -1 all >one
	expect 0 frame -x sweep-slot -p one
	made sweep-slot sets=6:6:1
	printf '%s\n' length 6 8 10 >lengths
	expect 0 frame -x sweep-slot --params lengths
	made sweep-slot sets=6:10:3
	printf '%s\n' '3,6,2,1,2,3' '4, 8, 3, 1, 2, 4' '' '# a comment' '5;10;3;2;2;5' >windows
	expect 0 frame -x sweep-slot -p windows
	made sweep-slot sets=6:10:3
	expect 0 frame -x sweep-slot -p - <windows
	made sweep-slot sets=6:10:3
	printf 'length\thma_half\thma_full\thma_sqrt\thma3_third\thma3_half\thma3_full\tpnl\ttrades\r\n' >table
	printf '6\t3\t6\t2\t1\t2\t3\t-5165.58\t57029\r\n8\t4\t8\t3\t1\t2\t4\t-1.5\t9\r\n' >>table
	expect 0 frame -x sweep-slot -p table
	made sweep-slot sets=6:8:2
	sed '1s/^/# /' table >commented
	expect 0 frame -x sweep-slot -p commented
	made sweep-slot sets=6:8:2
	: >none
	expect 0 frame -x sweep-slot -p none
	made sweep-slot
	expect 0 frame -x sweep -p - five.raw <lengths
	made sweep sets=6:10:3 "${FIVE[@]}"
}

@test "sets that are none name file, line and column" {
	bad() {
		printf '%b' "$1" >sets
		expect 3 frame -x sweep-slot -p sets
		empty out
		says err "frame: sets: $2"
	}
	bad '6\n0\n' "line 2, column 1: '0' is no whole number from 1"
	bad '6\n6.5\n' "line 2, column 1: '6.5' is no whole number from 1"
	bad '1,2,3,4,5,x\n' "line 1, column 6: 'x' is no whole number from 1"
	bad '1,2,3\n' 'line 1: 3 columns: one length, or the six windows of a set'
	bad '1,2,3,4,5,6\n1\n' 'line 2: 1 column after lines of 6'
	bad 'pnl\n1\n' 'line 1: neither numbers nor the names length or hma_half ... hma3_full'
	bad '1\n99999999999999999999\n' "line 2, column 1: '99999999999999999999' is no whole number"
	expect 1 frame -x sweep-slot -p nowhere
	says err 'frame: nowhere: cannot open: No such file or directory'
}

@test "flags" {
	expect 0 frame --stamp five.raw -g 6:6:1
	made sweep flags=128 sets=6:6:1 "${FIVE[@]}"
	expect 0 frame --dry-run -x load five.raw
	made load flags=64 "${FIVE[@]}"
	expect 0 frame --stamp --dry-run -x stats
	made stats flags=192
}

@test "--chatty: a frame a set, the closes again" {
	for k in 0 1 2; do
		request sweep sets=6:10:3 first=$k end=$((k + 1)) "${FIVE[@]}"
	done >want
	expect 0 frame --chatty -g 6:10:3 five.raw
	same want out
	expect 0 frame --chatty -g 6:10:3 < <(cat five.raw)
	same want out
	expect 0 frame --chatty -g 6:10:3 five.txt
	same want out
	expect 0 frame --chatty -x sweep-slot -g 6:10:3
	for k in 0 1 2; do
		request sweep-slot sets=6:10:3 first=$k end=$((k + 1))
	done >want
	same want out
	: >none
	expect 0 frame --chatty -p none five.raw
	empty out
}

@test "--split: balanced, in order, whole" {
	for k in 1 3 9; do
		n=$((k < 7 ? k : 7))
		for ((i = 0; i < n; i++)); do
			request sweep sets=6:12:7 first=$((7 * i / n)) end=$((7 * (i + 1) / n)) "${FIVE[@]}"
		done >want
		expect 0 frame --split $k -g 6:12:7 five.raw
		same want out
		expect 0 frame --split $k -g 6:12:7 < <(cat five.raw)
		same want out
		rm -rf parts
		expect 0 frame --split $k -O parts -g 6:12:7 five.txt
		empty out
		[ "$(find parts -type f | wc -l)" -eq $n ]
		cat parts/* >joined
		same want joined
	done
	: >none
	expect 0 frame --split 3 -p none five.raw
	made sweep "${FIVE[@]}"
}

@test "the names of --split sort" {
	expect 0 frame --split 80 --output-dir parts five.raw
	(cd parts && printf "%s\n" *) >names
	[ "$(head -1 names)" = 01.frame ]
	[ "$(tail -1 names)" = 80.frame ]
	expect 0 frame --split 2 -O json --json five.txt
	[ "$(cd json && echo ./*)" = "./1.json ./2.json" ]
}

@test "-O leaves nothing when a part fails" {
	mkdir parts
	mkdir parts/3.frame
	expect 1 frame --split 4 -O parts five.raw
	[ "$(echo parts/*)" = parts/3.frame ]
	expect 1 frame --split 2 -O five.raw/parts five.raw
	says err 'frame: five.raw/parts: '
}

@test "JSON" {
	echo '{"op":"sweep","closes":[1.5,2.25,0.001,123456.789,7],"sets":[[3,6,2,1,2,3],[4,8,3,1,2,4]]}' >want
	for o in --json --format=json -fjson; do
		expect 0 frame "$o" -g 6:8:2 five.raw
		sed 's/\.0\([],]\)/\1/g' out >plain
		same want plain
	done
	expect 0 frame --json --chatty -g 6:8:2 five.raw
	[ "$(wc -l <out)" -eq 2 ]
	printf '1\nnan\n' >nan.txt
	expect 3 frame --json --allow-nonfinite nan.txt
	empty out
}

@test "options that contradict each other, or the op" {
	wrong() {
		local words=$1
		shift
		expect 2 frame "$@"
		empty out
		says err "frame: $words"
		says err '(try frame --help)'
	}
	wrong '-x: only a client on a Unix socket can ask for a ring' -x ring
	wrong "-x: 'swep' is none of: sweep, echo, load" -x swep
	wrong '-g, -p: this op carries no sets' -x echo -g 6:200:80
	wrong '-g, -p: this op carries no sets' -x stats -p sets
	wrong '-g and -p: one of them' -g 6:200:80 -p sets
	wrong '-s: this op has no slot' -s 1
	wrong "-s: 'none' is not a whole number" -x load -s none
	wrong "-s: '4294967295' is not a whole number from 0 to 4294967294" -x load -s 4294967295
	wrong '-n: bars a frame are for -x tick' -n 3
	wrong "-n: '0' is not a whole number" -x tick -n 0
	wrong '--chatty: for -x sweep and sweep-slot' -x echo --chatty
	wrong '--split: for -x sweep and sweep-slot' -x open --split 2
	wrong '--chatty and --split: one of them' --chatty --split 2
	wrong "--split: '0' is not a whole number" --split 0
	wrong '-O: a file each is for --split; -o names one file' -O dir
	wrong '-O and -o: one of them' --split 2 -O dir -o file
	wrong '-f json: the JSON service knows -x sweep only' -x load -f json
	wrong '-f json: the JSON service knows -x sweep only' --stamp -f json
	wrong "-f: 'xml' is none of: frame, json" -f xml
	wrong "-i: 'xml' is none of: raw, npy, csv, json, frame" -i xml
	wrong 'this op reads no closes: leave the file away' -x stats five.raw
	wrong '-p -: the closes are read from stdin already' -p -
	wrong 'one file at a time: 2 are given' five.raw five.txt
	wrong "--preset: 'nasdaq' is not one of binance, kraken" --preset nasdaq
	wrong "--missing: 'guess' is not drop or ffill" --missing guess
	wrong "--scale: '0' is not a number above 0" --scale 0
	wrong "--scale: '-1' is not a number above 0" --scale -1
	wrong "--scale: '2x' is not a number above 0" --scale 2x
	wrong "--decimal: ';' is not a point or a comma" --decimal ';'
	wrong "--delimiter: 'ab' is not one character" --delimiter ab
	wrong "--delimiter: '1' is not one character" --delimiter 1
	wrong "--thousands: '' is not one character" --thousands ''
	wrong 'there is no option --columns' --columns 3
	wrong 'option --column needs a value' --column
	wrong 'there is no option -z' -z
}
