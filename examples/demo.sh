#!/bin/sh
# make demo: the default sweep, 80 parameter sets over 150,000 bars, through
# four processes; then whether the first row is the published fingerprint.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

echo '$ gbmgen | frame | hmasweep | unframe'
gbmgen >"$tmp/closes"
frame <"$tmp/closes" >"$tmp/request"
hmasweep <"$tmp/request" >"$tmp/reply"
unframe --for "$tmp/request" <"$tmp/reply" >"$tmp/table"
column -t "$tmp/table" 2>/dev/null || cat "$tmp/table"
