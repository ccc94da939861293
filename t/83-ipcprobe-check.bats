#!/usr/bin/env bats
# ipcprobe check: results that have nothing in common with the baseline.
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
