#!/usr/bin/env bats
# ipcprobe check and advise: what they read, and what they make of it.
load lib

# result RATIO LOW HIGH [JQ]: a result file with one ratio.
result() {
	jq -n --argjson r "$1" --argjson lo "$2" --argjson hi "$3" '{ipcprobe: 1, version: "1", started: "x",
		command: ["ipcprobe"], quick: false, interrupted: false, workload: "w",
		host: {cpu: "c", load: "1"}, rows: [{suite: "s", row: "r", state: "measured", unit: "ns", n: 9,
		median_ns: 5, min_ns: 4, max_ns: 6, ratio_to: "base", ratio: $r, ratio_low: $lo,
		ratio_high: $hi, ratio_interval: true}]}' | jq "${4:-.}"
}

@test "check: nothing to compare is said, for silence means that all is well" {
	needs jq
	result 1.0 0.95 1.05 >base
	result 9 9 9 '.rows = []' >bare
	result 9 9 9 'del(.rows[].row)' >nameless
	result 9 9 9 '.rows[0].ratio_interval = false' >few
	result 9 9 9 '.rows[0].row = "other"' >renamed
	for file in bare nameless few renamed; do
		expect 0 ipcprobe check base "$file"
		says out "$file: nothing compared"
		expect 0 ipcprobe check base base "$file"
		says out "base: nothing compared"
		expect 0 ipcprobe check "$file" base
		says out "base: nothing compared"
	done
}
@test "check: silent when nothing grew, a line and status 4 when it did" {
	needs jq
	result 1.0 0.95 1.05 >base
	result 1.3 1.25 1.35 >slow
	result 1.08 1.07 1.09 >near
	result 1.3 1.0 1.6 >vague
	result 0.5 0.4 0.6 >fast
	for quiet in base near vague fast; do
		expect 0 ipcprobe check base "$quiet"
		empty out
		empty err
	done
	expect 4 ipcprobe check base slow
	says out 'slow: s: r: 1.3 x base [1.25, 1.35], was 1 [0.95, 1.05]: +30%'
	says out 'measure once more'
	expect 4 ipcprobe check --tolerance 0.05 base near
	expect 0 ipcprobe check --tolerance 0.5 base slow
	empty out
}

@test "check: an alarm stands only if the second result confirms it" {
	needs jq
	result 1.0 0.95 1.05 >base
	result 1.3 1.25 1.35 >slow
	expect 0 ipcprobe check base slow base
	empty out
	expect 4 ipcprobe check base slow slow
	says out 'confirmed by the second result'
}

@test "check: a baseline of several results spans what they found" {
	needs jq
	result 1.0 0.95 1.05 >one
	result 1.2 1.15 1.27 >two
	result 1.1 1.05 1.15 >three
	cat one two three >base
	result 1.3 1.26 1.35 >within
	result 1.4 1.35 1.45 >beyond
	expect 4 ipcprobe check one within
	expect 0 ipcprobe check base within
	empty out
	expect 4 ipcprobe check base beyond
	says out 'was 1.1 [0.95, 1.27]: +27%'
	# Of those that were measured as this one was, where there are any.
	jq '.rows[0].sibling_x = 1.15' one >alone
	jq '.rows[0].sibling_x = 1.4' two >shared
	cat alone shared >both
	expect 4 ipcprobe check both <(jq '.rows[0].sibling_x = 1.15' within)
	says out 'was 1 [0.95, 1.05]'
	expect 0 ipcprobe check both <(jq '.rows[0].sibling_x = 1.4' within)
	empty out
	expect 3 ipcprobe check one base
	says err 'base: more than 1 result in it'
	(cat one; echo '{"ipcprobe": 1') >cut
	expect 3 ipcprobe check cut within
	says err 'cut: line'
	(cat one; echo x) >trailing
	expect 3 ipcprobe check trailing within
	says err "trailing: line"
	for ((i = 0; i < 65; i++)); do cat one; done >many
	expect 3 ipcprobe check many within
	says err 'many: more than 64 results in it'
	jq '.host.cpu = "other"' two >moved
	cat one moved >mixed
	expect 0 ipcprobe check mixed within
	says out "host changed: cpu was 'other', is 'c': not compared"
}

@test "check: another machine, placement or workload is said and not compared" {
	needs jq
	result 1.0 0.95 1.05 >base
	result 1.3 1.25 1.35 '.host.cpu = "other"' >moved
	expect 0 ipcprobe check base moved
	says out "host changed: cpu was 'c', is 'other': not compared"
	result 1.3 1.25 1.35 '.host.load = "9"' >busy
	expect 4 ipcprobe check base busy
	result 1.3 1.25 1.35 '.workload = "other"' >other
	expect 0 ipcprobe check base other
	says out 'another workload'
	result 1.0 0.95 1.05 '.rows[0].placement = "near"' >near
	result 1.3 1.25 1.35 '.rows[0].placement = "far"' >far
	result 1.3 1.25 1.35 '.rows[0].placement = "moved"' >between
	expect 0 ipcprobe check near far
	says out 'not compared: 1 row: s: r grew: the processors were near in the baseline, then far'
	expect 0 ipcprobe check between between
	empty out
	jq '.rows[0].ratio = 1 | .rows[0].ratio_low = 0.9 | .rows[0].ratio_high = 1.1' between >moved_too
	expect 0 ipcprobe check moved_too between
	says out 'the processors were moved in the baseline, then moved'
	expect 4 ipcprobe check far <(jq '.rows[0] += {ratio: 2, ratio_low: 1.9, ratio_high: 2.1}' far)
}

@test "check: beside a busy thread of the core nothing that only there grew is a regression" {
	needs jq
	result 1.0 0.95 1.05 '.rows[0].sibling_x = 1.15' >alone
	result 1.3 1.25 1.35 '.rows[0].sibling_x = 1.4' >shared
	result 1.3 1.25 1.35 '.rows[0].sibling_x = 1.16' >slow
	expect 0 ipcprobe check alone shared
	echo 'shared: not compared: 1 row: s: r grew: a busy thread shared the core (sibling_x 1.4, in the baseline 1.15)' >want
	same want out
	expect 0 ipcprobe check alone slow shared
	expect 0 ipcprobe check shared alone
	empty out
	expect 4 ipcprobe check alone slow slow
}

@test "check: what is no result is named with its place, status 3" {
	needs jq
	result 1.0 0.95 1.05 >base
	echo '{"ipcprobe": 1,' >cut
	expect 3 ipcprobe check base cut
	says err 'cut: line'
	echo '{}' >none
	expect 3 ipcprobe check base none
	says err 'not a result of ipcprobe'
	result 1 1 1 '.ipcprobe = 99' >later
	expect 3 ipcprobe check base later
	says err 'schema 99'
	result 1 1 1 '.interrupted = true' >partial
	expect 3 ipcprobe check base partial
	says err 'partial: an interrupted run'
	expect 1 ipcprobe check base gone
	says err 'gone: cannot open'
}

@test "a result file cut at every byte is refused, never a crash" {
	needs jq
	result 1.0 0.95 1.05 '.rows[0].curve = [[0, 1], [50, 2]]' | jq -c . >whole
	size=$(($(wc -c <whole) - 1))
	for ((n = 0; n < size; n += 7)); do
		head -c "$n" whole >cut
		expect 3 ipcprobe check whole cut
	done
	expect 0 ipcprobe check whole whole
}

@test "advise: the arithmetic of each way, sorted by what it adds" {
	expect 0 ipcprobe advise --compute 25ms --bytes 1.2M --calls 80 -f tsv "$ROOT/t/golden/probe/result.json"
	sed '/^$/,$d' out >ways
	# floor 10 us, 1e9 bytes/s: a batch is 10,000 + 1,200,000 ns.
	awk -F '\t' '$1 == "batch" && $2 == "unix" && $4 == 1210000' ways | grep -q .
	awk -F '\t' '$1 == "chatty" && $2 == "unix" && $4 == 96800000' ways | grep -q .
	awk -F '\t' '$1 == "preloaded" && $2 == "unix" && $4 == 800000 && $9 == 10000' ways | grep -q .
	# 20 + 30 ns a value, text twice the bytes: 1,210,000 - 1,200,000 + 150,000 x 50 + 2,400,000.
	awk -F '\t' '$1 == "json batch" && $2 == "unix" && $4 == 9910000' ways | grep -q .
	tail -n +2 ways | cut -f4 >taxes
	sort -n taxes >sorted
	same sorted taxes
	sed '1,/^$/d' out >model
	awk -F '\t' '$1 == "batch unix reference" && $2 == 101210000 && $7 == "yes"' model | grep -q .
	awk -F '\t' '$1 == "chatty unix reference" && $7 == "no" && $8 != ""' model | grep -q .
	expect 0 ipcprobe advise --compute 25ms --calls 80 --rate 1000 -f json "$ROOT/t/golden/probe/result.json"
	needs jq
	jq -e '.ways | map(.keeps_rate) | unique | sort == ["no", "yes"]' out
}

@test "advise: a call behind compute costs what such calls were measured to" {
	needs jq
	call() { echo "{suite: \"breakeven\", row: \"$1\", state: \"measured\", unit: \"ns\", n: 9, transport: \"unix\",
		median_ns: $2, min_ns: 1, max_ns: 1e9, compute_ns: $2, share_x: $3}"; }
	# 1 ms of compute: 50,000 ns of boundary; 100 ms: 150,000.
	jq ".rows += [$(call far 1e8 0.0015), $(call near 1e6 0.05)]" "$ROOT/t/golden/probe/result.json" >points
	preloaded() { awk -F '\t' '$1 == "preloaded" && $2 == "unix" { print $4 }' out; }
	expect 0 ipcprobe advise --compute 800ms --bytes 1.2M --calls 80 -f tsv points
	[ "$(preloaded)" = 8000000 ] # half way between by the logarithm: 100,000 a call
	expect 0 ipcprobe advise --compute 80s --bytes 1.2M --calls 80 -f tsv points
	[ "$(preloaded)" = 12000000 ]
	expect 0 ipcprobe advise --compute 25ms --bytes 1.2M --calls 80 -f tsv points
	[ "$(preloaded)" = 800000 ] # below what was measured: the floor
}

@test "advise: a result without links is refused with what makes one" {
	needs jq
	result 1 1 1 >bare
	expect 3 ipcprobe advise --compute 1s --calls 1 bare
	says err 'no measured links in it: make it with ipcprobe -f json echo serial spawn breakeven boundary'
}
