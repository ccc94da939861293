load lib

@test "histogram: slots, ranks, merge, sums and what n supports" {
	expect 0 "$B/t/hist"
	empty out
}
