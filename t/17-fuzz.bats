#!/usr/bin/env bats
# What fuzzers start from (t/fuzz/seeds) and what they found once (t/bad/fuzz), without them.
load lib

@test "numbers, JSON, closes in every format, requests, replies and frames: inputs that once failed" {
	for name in num json closes service frame; do
		expect 0 "$B/t/replay_$name" "$ROOT"/t/fuzz/seeds/$name/* "$ROOT"/t/bad/fuzz/$name-*
	done
}
