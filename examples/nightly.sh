#!/bin/sh
# nightly.sh DIR: for cron; silent while nothing has become slower. The first runs, three
# as a rule (BASELINE), make DIR/baseline.json, later ones compare with it; an alarm
# stands only if a second measurement confirms it. Status 4 and a line a regression otherwise.
#
#   17 3 * * *  ipctax/examples/nightly.sh "$HOME/ipctax-nightly"
#
# SUITES, OPTIONS and BASELINE may be set.
set -eu
dir=$1
suites=${SUITES:-boundary echo serial}
options=${OPTIONS:---quick}
mkdir -p "$dir"

measure() {
	# shellcheck disable=SC2086 # lists
	ipcprobe $options -f json -o "$dir/$1.json" $suites
}

# Results one after another; what moves between nights by itself is then in the baseline.
touch "$dir/baseline.json"
if [ "$(grep -c '"ipcprobe":' "$dir/baseline.json")" -lt "${BASELINE:-3}" ]; then
	measure first
	cat "$dir/first.json" >>"$dir/baseline.json"
	exit
fi
measure latest
status=0
said=$(ipcprobe check "$dir/baseline.json" "$dir/latest.json") || status=$?
# Nothing to tell, or what is wrong with the files was told.
[ -n "$said" ] || exit "$status"
measure again
ipcprobe check "$dir/baseline.json" "$dir/latest.json" "$dir/again.json"
