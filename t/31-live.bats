#!/usr/bin/env bats
# Live: bar by bar, the bytes of the sweep.

load lib

@test "every prefix of short series of every kind" {
	expect 0 "$B/t/live_prefix"
	empty out
}

@test "150,000 ticks of one bar, 80 sets: equal to the sweep" {
	gbmgen >closes
	grep '^[0-9]' "$ROOT/t/golden/sweep-default.tsv" | cut -f1,8,9 >want
	"$B/t/live_rows" <closes | cut -f1-3 >got
	same want got
}

@test "through the engine: open and ticks, the last row is the sweep's" {
	gbmgen -n 3000 >closes
	{ frame -x open -s none -g 6:60:7; frame -x tick -n 250 closes; } >requests
	hmasweep <requests >replies
	unframe --for requests <replies | tail -7 | cut -f8,9 >got
	frame -g 6:60:7 closes | hmasweep | unframe -g 6:60:7 | tail -7 | cut -f8,9 >want
	same want got
}
