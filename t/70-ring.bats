#!/usr/bin/env bats
# The ring over plain memory, its memory, and hostile peers.
load lib

@test "ring: a million records of random size, spinning: each byte, in order" {
	expect 0 "$B/t/ring_threads" 1000000 7
	says out '1000000 records'
}

@test "ring: the same when both sides sleep: no wake-up is lost" {
	expect 0 "$B/t/ring_threads" 200000 11 sleep
	says out '200000 records'
}

@test "ring: edges, laps, sleepers, impossible words and indices, memory that is no ring" {
	expect 0 "$B/t/ring_limits" </dev/null
	empty out
}

@test "ring: who scribbles over everything gets the connection closed, no more" {
	case $B in *san-thread*) skip 'the scribbler races on purpose' ;; esac
	expect 0 "$B/t/ring_hostile" 200 5
	says out 'noticed by reader'
}
