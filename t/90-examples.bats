#!/usr/bin/env bats
# Each script of examples/ does what it says.

load lib

PATH=$ROOT/examples:$PATH

@test "demo.sh: the table of the default sweep and the published fingerprint" {
	expect 0 demo.sh
	empty err
	says out '$ gbmgen | frame | hmasweep | unframe'
	says out 'pnl -5165.58 over 57029 trades, the published fingerprint.'
	[ "$(grep -cE '^ +[0-9]+ +[0-9]+ ' out)" -eq 80 ]
}

@test "demo.sh says so when the engine computes something else" {
	mkdir bin
	printf '#!/bin/sh\nexec %s/gbmgen -s 43\n' "$B" >bin/gbmgen
	chmod +x bin/gbmgen
	PATH=$PWD/bin:$PATH expect 4 demo.sh
	says out 'but -5165.58 over 57029 was published'
}

@test "parallel.sh: the same table as from one engine" {
	needs parallel
	gbmgen -n 5000 >closes
	frame closes | hmasweep | unframe -g 6:200:80 >want
	expect 0 parallel.sh closes 3
	same want out
}

@test "sweep.sbatch: tasks in any order, the same table" {
	gbmgen -n 5000 -f csv >closes.csv
	frame -g 6:200:10 closes.csv | hmasweep | unframe -g 6:200:10 >want
	frame -g 6:200:10 --split 3 -O parts closes.csv
	for task in 3 1 2; do
		SLURM_ARRAY_TASK_ID=$task expect 0 bash "$ROOT/examples/sweep.sbatch" parts
	done
	cat parts/*.reply | unframe -g 6:200:10 >got
	same want got
}

@test "nightly.sh: a baseline first, then silence" {
	[ -x "$B/ipcprobe" ] || skip 'no ipcprobe yet'
	expect 0 env SUITES=serial BASELINE=2 nightly.sh state
	expect 0 env SUITES=serial BASELINE=2 nightly.sh state
	empty out
	[ "$(grep -c '"ipcprobe":' state/baseline.json)" = 2 ]
	cp state/baseline.json want
	OPTIONS='--quick --rounds 1' SUITES=serial BASELINE=2 nightly.sh state >out 2>err || :
	same want state/baseline.json
	[ -s state/latest.json ]
	# Another machine's baseline is no reason for silence.
	sed -i 's/"cpu": "/&another /' state/baseline.json
	expect 0 env OPTIONS='--quick --rounds 1' SUITES=serial BASELINE=2 nightly.sh state
	says out 'host changed: cpu was'
	# Nor is one that cannot be read.
	truncate -s -20 state/baseline.json
	expect 3 env OPTIONS='--quick --rounds 1' SUITES=serial BASELINE=2 nightly.sh state
	says err 'state/baseline.json: line'
}

@test "README shows what make demo prints" {
	demo.sh >demo
	sed -n '/^    \$ gbmgen | frame | hmasweep | unframe -g/,/^    The first set/p' "$ROOT/README" |
		sed 's/^    //' | grep -vxF -e ... -e '' >shown
	[ "$(wc -l <shown)" -ge 10 ]
	while IFS= read -r line; do
		grep -qxF -- "$line" demo || echo "not printed: $line"
	done <shown >out
	empty out
}

@test "README names no file that is not there" {
	grep -oE '(man|examples|t|\.ci)/[a-z0-9._-]+' "$ROOT/README" | sort -u | while read -r f; do
		[ -e "$ROOT/$f" ] || echo "$f"
	done >out
	empty out
}

# A picture that a renderer takes, with a line a transport or file in it.
drawn() {
	grep -q '</svg>' "$1"
	for title in "${@:2}"; do
		says "$1" "$title"
	done
	! command -v rsvg-convert >/dev/null || rsvg-convert "$1" >picture.png
}

@test "echo-curve.gp draws what ipcprobe echo measured" {
	needs gnuplot
	{
		printf '# host\nsuite\trow\ttransport\tmedian_ns\tpayload_bytes\n'
		printf 'echo\t%s %d B\t%s\t%d\t%d\n' \
			unix 8 unix 6000 8 unix 8000 unix 7700 8000 tcp 8 tcp 8500 8 tcp 8000 tcp 9900 8000
		printf 'echo\tfit tcp\ttcp\t8000\t-\n'
	} >echo.tsv
	expect 0 gnuplot -e "in='echo.tsv'; out='echo.svg'" "$ROOT/examples/echo-curve.gp"
	empty err
	drawn echo.svg unix tcp
	# The columns are those of the tool.
	ipcprobe echo --quick --rounds 1 -f tsv >real.tsv
	expect 0 gnuplot -e "in='real.tsv'; out='real.svg'" "$ROOT/examples/echo-curve.gp"
	drawn real.svg unix tcp
}

@test "percentiles.gp draws what echoload --hgrm wrote" {
	needs gnuplot
	echoload -n 2000 --hgrm a.hgrm -o report -- hmasweep
	cp a.hgrm b.hgrm
	expect 0 gnuplot -e "in='a.hgrm b.hgrm'; out='tails.svg'" "$ROOT/examples/percentiles.gp"
	empty err
	drawn tails.svg a.hgrm b.hgrm
}
