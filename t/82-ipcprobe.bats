#!/usr/bin/env bats
# ipcprobe: the tool, its result files, and the commands that read them.
load lib

tiny() {
	gbmgen -n 400 | frame -g 6:20:3
}

@test "-l lists each suite once, with what it answers" {
	expect 0 ipcprobe -l
	cut -f1 out | sort >names
	sort -u names >once
	same once names
	for suite in boundary echo serial spawn breakeven perbar ladder numa alloc snapshot legs kernel claims; do
		grep -qx "$suite" names || echo "no $suite"
	done >missing
	empty missing
}

@test "wrong use is a sentence and status 2" {
	expect 2 ipcprobe
	says err 'name a suite, or all'
	expect 2 ipcprobe nosuch
	says err "'nosuch' is no suite; ipcprobe -l lists them"
	expect 2 ipcprobe --rounds 0 kernel
	says err '--rounds'
	expect 2 ipcprobe --name x kernel
	says err 'comes after the --engine'
	expect 2 ipcprobe -f xml kernel
	says err "'xml' is none of: table, tsv, json, markdown"
	expect 2 ipcprobe check one.json
	says err 'check takes BASELINE RESULT'
	expect 2 ipcprobe advise result.json
	says err 'advise needs --compute TIME'
	expect 2 ipcprobe report result.json
	says err 'report takes -O DIR'
	expect 2 ipcprobe --tolerance 0 check a b
	says err 'must be above 0'
}

@test "an option of another command is refused, not ignored" {
	for words in '--compute 1s kernel:--compute: not an option of measuring' \
		'check -f json a b:--format: not an option of check' \
		'report -O d -f json a:--format: not an option of report' \
		'advise --quick --compute 1s --calls 1 a:--quick: not an option of advise' \
		'-l --rounds 3:--rounds: not an option of --list' \
		'-l kernel:--list takes no operand' \
		'--engine cat kernel:--engine: is measured by boundary, spawn and breakeven'; do
		# shellcheck disable=SC2086 # a list
		expect 2 ipcprobe ${words%%:*}
		says err "${words#*:}"
	done
}

@test "a workload is known by what it is, not by its file" {
	needs jq
	gbmgen -n 300 | frame -g 6:20:3 >a
	cp a b
	gbmgen -n 300 --seed 7 | frame -g 6:20:3 >c
	for f in a b c; do
		expect 0 ipcprobe -f json -o "$f.json" --rounds 1 kernel "$f"
		jq -r .workload "$f.json" >"$f.text"
	done
	grep -qx '3 sets x 300 bars, fee 0.09, FNV-1a [0-9a-f]\{16\}' a.text
	same a.text b.text
	if cmp -s a.text c.text; then return 1; fi
}

@test "a suite that the machine denies is said and stands in the result; the others run" {
	needs jq
	denied() { (ulimit -n 16 && ipcprobe --quick --rounds 1 -f json boundary kernel); }
	expect 1 denied
	says err 'Too many open files'
	jq -e '[.rows[] | select(.suite == "boundary") | .row, .state] == ["the suite", "failed"]' out
	jq -e '[.rows[] | select(.suite == "kernel" and .n == 1)] | length == 4' out
}

@test "a workload that is none is refused" {
	expect 3 ipcprobe kernel - </dev/null
	says err '<stdin>: no frame in it'
	gbmgen -n 10 -f frame >echo.frame
	expect 3 ipcprobe kernel echo.frame
	says err 'is no sweep of bars and sets'
	printf '\003\000\000\000abc' >bad
	expect 3 ipcprobe kernel bad
	says err 'bad: frame 1'
	gbmgen -n 10 | frame -g 6:20:3 --chatty >many
	expect 3 ipcprobe kernel many
	says err 'many: a second frame: the workload is one request'
	(tiny && echo rest) >trailed
	expect 3 ipcprobe kernel trailed
	says err 'trailed: frame 2'
	expect 1 ipcprobe kernel nosuchfile
	says err 'nosuchfile: cannot open'
}

@test "json: valid, each measured row with n and spread, ratios with an interval from six rounds" {
	needs jq
	tiny | expect 0 ipcprobe --rounds 6 -f json kernel serial -
	jq -e '.ipcprobe == 1 and (.host | length > 10) and .interrupted == false' out
	jq -e '[.rows[] | select(.state == "measured") | .n == 6 and .min_ns <= .median_ns and .median_ns <= .max_ns] | all' out
	jq -e '[.rows[] | .ratio_interval and .ratio_low <= .ratio and .ratio <= .ratio_high] | all' out
	jq -e '[.rows[] | select(.suite == "kernel").row] == ["reference","checked","vector","filtered"]' out
	tiny | expect 0 ipcprobe --rounds 5 -f json kernel -
	jq -e '[.rows[] | .ratio_interval] | any | not' out
}

@test "tsv, markdown: a header and a line a row" {
	tiny | expect 0 ipcprobe --rounds 2 kernel -
	grep -v '^#' out >table
	[ "$(wc -l <table)" -eq 5 ]
	awk -F '\t' 'NR == 1 { n = NF } NF != n { exit 1 }' table
	says out '# workload: 3 sets x 400 bars'
	tiny | expect 0 ipcprobe --rounds 2 -f markdown kernel -
	says out '## kernel'
	says out '| reference |'
}

@test "-o writes whole or not at all" {
	tiny | expect 0 ipcprobe --rounds 1 -f json -o result.json kernel -
	empty out
	[ -s result.json ]
	expect 1 ipcprobe -l -o /nosuchdir/x
	says err '/nosuchdir/x'
	tiny | expect 1 ipcprobe --rounds 1 -o /dev/full kernel -
	says err '/dev/full: write'
}

@test "report: a page, its plots, each a drawing that a renderer takes" {
	expect 0 ipcprobe report -O page "$ROOT/t/golden/probe/result.json"
	empty out
	for f in README.md echo.svg boundary-reference.svg ladder.svg breakeven.svg percentiles-ladder.svg; do
		[ -s "page/$f" ] || echo "no $f"
	done >missing
	empty missing
	for svg in page/*.svg; do
		says page/README.md "(${svg#page/})"
		grep -q ', ns\|bytes\|ms:' "$svg" || grep -q 'floor of a call' "$svg"
	done
	needs rsvg-convert
	for svg in page/*.svg; do
		rsvg-convert -o drawn.png "$svg"
		[ -s drawn.png ]
	done
}

@test "report: control characters in a name do not break the drawing" {
	needs jq rsvg-convert
	jq '.rows[].row |= . + "\u0001\n<&>\""' "$ROOT/t/golden/probe/result.json" >odd
	expect 0 ipcprobe report -O page odd
	[ -s page/ladder.svg ]
	for svg in page/*.svg; do
		rsvg-convert -o drawn.png "$svg"
	done
}

@test "report: a directory that cannot be made" {
	expect 1 ipcprobe report -O /proc/nosuch "$ROOT/t/golden/probe/result.json"
	says err '/proc/nosuch: cannot make the directory'
}

@test "claims: every published finding gets a verdict and a figure" {
	needs jq
	gbmgen -n 2000 | frame -g 6:20:3 >request
	expect 0 ipcprobe --quick --rounds 1 -f json claims request
	jq -r '.rows[] | select(.suite == "claims") | [.row, .verdict, .here] | @tsv' out >verdicts
	[ "$(wc -l <verdicts)" -eq 38 ]
	awk -F '\t' '$2 !~ /^(holds|does not hold|not measurable here)$/ || $3 == "" || $3 == "no rule for it"' verdicts >wrong
	empty wrong
	grep -q "^fingerprint	holds	-5165.58 over 57029 trades" verdicts
	grep -q "^equivalence	holds" verdicts
}

@test "interrupted: valid, partial, said so; no child, socket or directory stays" {
	needs jq
	mkdir tmp
	TMPDIR=$PWD/tmp ipcprobe --quick --rounds 900 -f json snapshot legs >out 2>err &
	pid=$!
	# Its server listens: a socket in its directory.
	for ((i = 0; i < 3000; i++)); do
		ls tmp/*/* >/dev/null 2>&1 && break
		kill -0 $pid || break
		read -rt 0.01 <> <(:) || :
	done
	kill -INT $pid
	status=0
	wait $pid || status=$?
	[ $status -eq 1 ]
	jq -e '.interrupted == true' out
	ls tmp >left
	empty left
	pgrep -P $pid >children || :
	empty children
}
