#!/bin/sh
# parallel.sh CLOSES [JOBS]: one sweep over a file of closes, its sets spread over
# engines side by side; the table is the same as from one engine.
# Needs GNU parallel; GRID and JOBS (the processors here) may be set.
set -eu
closes=$1
grid=${GRID:-6:200:80}
jobs=${2:-$(nproc)}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

frame -g "$grid" --split "$jobs" -O "$dir" "$closes"
# Requests are named in order, and --keep-order joins the replies in that order.
parallel --keep-order -j "$jobs" 'hmasweep <{}' ::: "$dir"/* >"$dir.replies"
unframe -g "$grid" <"$dir.replies"
rm -f "$dir.replies"
