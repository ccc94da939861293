# Percentile curves of response times, a line a file, on the axis that shows tails.
#
#   echoload --hgrm a.hgrm ... ; echoload --hgrm b.hgrm ...
#   gnuplot -e "in='a.hgrm b.hgrm'; out='tails.svg'" percentiles.gp
set terminal svg size 800,500 dynamic
set output out
set logscale xy
set xtics ('50%%' 2, '90%%' 10, '99%%' 100, '99.9%%' 1000, '99.99%%' 10000, '99.999%%' 100000)
set xlabel 'percentile'
set ylabel 'response time, in the unit of the files'
set key left top
set grid
# Value, percentile, count, 1/(1-percentile); the last line's is inf.
plot for [f in in] f using ($4 < 1e12 ? $4 : NaN):1 with lines title f noenhanced
