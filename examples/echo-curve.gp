# The echo curve: round trip against bytes, a line a transport, both axes logarithmic.
#
#   ipcprobe echo -f tsv -o echo.tsv
#   gnuplot -e "in='echo.tsv'; out='echo.svg'" echo-curve.gp
set terminal svg size 800,500 dynamic
set output out
set datafile separator tab
set datafile missing '-'
set logscale xy
set format x '10^{%L}'
set xlabel 'closes there and back, bytes each way'
set ylabel 'round trip, microseconds (median)'
set key left top
set grid
transports = system("awk -F '\t' '$1 == \"echo\" { print $3 }' '".in."' | sort -u")
plot for [t in transports] in \
	using (strcol('transport') eq t ? column('payload_bytes') : NaN):(column('median_ns') / 1000) \
	with linespoints title t
