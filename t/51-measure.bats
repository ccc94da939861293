load lib

@test "histogram: slots, ranks, merge, sums and what n supports" {
	expect 0 "$B/t/hist"
	empty out
}

@test "statistics: medians, ranks of an interval, ratios in turns and apart" {
	expect 0 "$B/t/stat"
	empty out
}
