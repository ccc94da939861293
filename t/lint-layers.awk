# awk -f t/lint-layers.awk t/layers FILE...: names each #include that breaks
# the rules that t/layers states.
function base(path) {
	sub(/^.*\//, "", path)
	return path
}
# The pattern row of a file of lib: sets layer[] and pattern[] once.
function place(name,  stem, i) {
	if (name in layer)
		return
	stem = name
	sub(/\.[a-z]+$/, "", stem)
	layer[name] = -1
	for (i = 1; i <= n; i++)
		if (stem ~ ("^" regex[i] "$")) {
			layer[name] = level[i]
			pattern[name] = regex[i]
			return
		}
}
# A cmd's own headers: cmd/NAME.h and cmd/NAME_*.h, where probe and ipcprobe are one name.
function family(path) {
	path = base(path)
	sub(/[._].*/, "", path)
	return path == "ipcprobe" ? "probe" : path
}
function fault(text) {
	print FILENAME ":" FNR ": " text
}
FILENAME == "t/layers" && /^[0-9]/ {
	for (i = 2; i <= NF; i++) {
		level[++n] = $1
		regex[n] = $i
		sub(/\*$/, ".*", regex[n])
	}
}
FILENAME == "t/layers" && /^\+/ {
	allowed[$2, $3] = 1
}
FILENAME == "t/layers" {
	next
}
FNR == 1 && FILENAME ~ /^lib\// {
	place(base(FILENAME))
	if (layer[base(FILENAME)] < 0)
		fault("stands in no layer: give it a row in t/layers")
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
	what = $0
	sub(/^[^"]*"/, "", what)
	sub(/".*/, "", what)
	if (what !~ /^(lib|cmd)\//) {
		fault("includes \"" what "\": ours are written from the root, lib/... or cmd/...")
		next
	}
	if (what ~ /\.c$/) {
		fault("includes a .c file")
		next
	}
	if (FILENAME ~ /^cmd\//) {
		if (what ~ /^cmd\// && what != "cmd/tool.h" && family(what) != family(FILENAME))
			fault("a cmd includes another cmd's " what ": what two need belongs in lib")
		next
	}
	if (what ~ /^cmd\//) {
		fault("lib includes " what ": includes point down")
		next
	}
	me = base(FILENAME)
	it = base(what)
	place(it)
	if ((me, it) in allowed || layer[me] < 0)
		next
	if (layer[it] < 0)
		fault("includes " what ", which stands in no layer")
	else if (layer[me] == 2 && layer[it] != 2)
		fault("the kernel includes nothing but libc and hma*, not " what)
	else if (layer[it] > layer[me])
		fault("includes " what " of layer " layer[it] " from layer " layer[me] \
			": includes point down")
	else if (layer[it] == layer[me] && layer[me] > 1 && pattern[it] != pattern[me])
		fault("includes " what " across layer " layer[me] ": includes point down")
}
