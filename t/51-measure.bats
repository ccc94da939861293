load lib

@test "histogram: slots, ranks, merge, sums and what n supports" {
	expect 0 "$B/t/hist"
	empty out
}

@test "a look at the core's other thread gives a figure and leaves the thread where it was" {
	expect 0 "$B/t/sibling"
	expect 0 taskset -c "$(taskset -pc $$ | sed 's/.*[:,-] *//')" "$B/t/sibling"
}

@test "statistics: medians, ranks of an interval, ratios in turns and apart" {
	expect 0 "$B/t/stat"
	empty out
}
