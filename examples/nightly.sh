#!/bin/sh
# nightly.sh DIR: for cron; silent while nothing has become slower. The first run
# leaves DIR/baseline.json, later ones compare with it; an alarm stands only if a
# second measurement confirms it. Status 4 and a line a regression otherwise.
#
#   17 3 * * *  ipctax/examples/nightly.sh "$HOME/ipctax-nightly"
#
# SUITES and OPTIONS may be set.
set -eu
dir=$1
suites=${SUITES:-boundary echo serial}
options=${OPTIONS:---quick}
mkdir -p "$dir"

measure() {
	# shellcheck disable=SC2086 # lists
	ipcprobe $options -f json -o "$dir/$1.json" $suites
}

if [ ! -e "$dir/baseline.json" ]; then
	measure baseline
	exit
fi
measure latest
ipcprobe check "$dir/baseline.json" "$dir/latest.json" >/dev/null 2>&1 && exit
measure again
ipcprobe check "$dir/baseline.json" "$dir/latest.json" "$dir/again.json"
