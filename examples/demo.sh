#!/bin/sh
# The default sweep, 80 parameter sets over 150,000 bars, through four processes;
# then whether its first row is the published one. Status 4 where it is not.
set -eu

table=$(gbmgen | frame | hmasweep | unframe -g 6:200:80)

echo '$ gbmgen | frame | hmasweep | unframe -g 6:200:80'
echo "$table" | awk -F '\t' '{
	for (i = 1; i < NF; i++)
		printf "%*s ", i < 8 ? length(name[i] = NR == 1 ? $i : name[i]) : 19, $i
	printf "%6s\n", $NF
}'
echo "$table" | awk -F '\t' 'NR == 2 {
	same = sprintf("%.2f", $8) == "-5165.58" && $9 == 57029
	printf "\nThe first set: pnl %.2f over %d trades, ", $8, $9
	print same ? "the published fingerprint." : "but -5165.58 over 57029 was published."
	exit same ? 0 : 4
}'
echo 'Next: build/ipcprobe boundary --quick measures what crossing a process boundary costs here;'
echo '      man -l man/ipctax.7 tells what it is about; make test shows that it holds.'
