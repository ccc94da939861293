#include "cmd/tool.h"
#include "lib/frame.h"
#include "lib/grid.h"
#include "lib/message.h"
#include "lib/series_options.h"
#include "lib/series_request.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] =
    "usage: frame [-x op] [-g min:max:count | -p file] [-s slot] [-n bars]\n"
    "             [--chatty | --split k [-O dir]] [--stamp] [--dry-run] [-i format]\n"
    "             [-f frame|json] [-o file] [--max-frame size] [--preset name]\n"
    "             [--column n|name] [--ticker name] [--delimiter c] [--decimal c]\n"
    "             [--thousands c] [--scale x] [--missing drop|ffill] [--reverse]\n"
    "             [--unordered] [--allow-nonpositive] [--allow-nonfinite] [file]\n"
    "Makes request frames of a close series: FILE, or stdin.\n\n"
    "  -x, --op OP            sweep, echo, load, sweep-slot, append, open, tick, stats\n"
    "  -g, --grid GRID        lengths MIN:MAX:COUNT (default " GRID_DEFAULT ")\n"
    "  -p, --params FILE      sets from FILE: a length, or six windows, a line\n"
    "  -s, --slot SLOT        of load, sweep-slot, append, open (default 0; open: or none)\n"
    "  -n, --bars N           bars a tick frame (default 1)\n"
    "      --chatty           a frame a set, the closes sent again each time\n"
    "      --split K          the sets in K frames of about the same size\n"
    "  -O, --output-dir DIR   with --split: each to its own file in DIR\n"
    "      --stamp            ask for the four times of a stamped reply\n"
    "      --dry-run          ask for validation only\n"
    "  -i, --input FORMAT     raw, npy, csv, json, frame (default: found in the file)\n"
    "  -f, --format FORMAT    frame (default), or json: a line of the JSON service\n"
    "      --json             the same as -f json\n"
    "  -o, --output FILE      instead of stdout; appears only when it is whole\n"
    "      --max-frame SIZE   largest body (default 256Mi)\n"
    "Price files:\n"
    "      --preset NAME      binance kraken mt4 mt5 stooq histdata investing cdd\n"
    "                         yfinance databento\n"
    "      --column N|NAME    of the closes (default: close, <CLOSE>, Zamkniecie, Price)\n"
    "      --ticker NAME      only the rows, or bars of JSON, of this one\n"
    "      --delimiter C      a character, or tab (default: found)\n"
    "      --decimal C        . (default) or ,\n"
    "      --thousands C      a character that groups digits, or space\n"
    "      --scale X          multiply each close by X\n"
    "      --missing HOW      drop, or ffill: repeat the close before\n"
    "      --reverse          the file is newest first\n"
    "      --unordered        times may repeat and go back\n"
    "      --allow-nonpositive, --allow-nonfinite\n"
    "                         keep closes of 0 and below; keep NaN and infinities\n"
    "      --help, --version\n";

/* From OPT_TEXT on they are a price file's, known to series_option by their names. */
enum { OPT_CHATTY = 256, OPT_SPLIT, OPT_STAMP, OPT_DRY, OPT_JSON, OPT_MAX, OPT_TEXT };

/* The price file's options first, so that OPT_TEXT + i is the i-th. */
static const struct option options[] = {
    {"preset", required_argument, NULL, OPT_TEXT + 0},
    {"column", required_argument, NULL, OPT_TEXT + 1},
    {"ticker", required_argument, NULL, OPT_TEXT + 2},
    {"delimiter", required_argument, NULL, OPT_TEXT + 3},
    {"decimal", required_argument, NULL, OPT_TEXT + 4},
    {"thousands", required_argument, NULL, OPT_TEXT + 5},
    {"scale", required_argument, NULL, OPT_TEXT + 6},
    {"missing", required_argument, NULL, OPT_TEXT + 7},
    {"reverse", no_argument, NULL, OPT_TEXT + 8},
    {"unordered", no_argument, NULL, OPT_TEXT + 9},
    {"allow-nonpositive", no_argument, NULL, OPT_TEXT + 10},
    {"allow-nonfinite", no_argument, NULL, OPT_TEXT + 11},
    {"op", required_argument, NULL, 'x'},
    {"grid", required_argument, NULL, 'g'},
    {"params", required_argument, NULL, 'p'},
    {"slot", required_argument, NULL, 's'},
    {"bars", required_argument, NULL, 'n'},
    {"chatty", no_argument, NULL, OPT_CHATTY},
    {"split", required_argument, NULL, OPT_SPLIT},
    {"output-dir", required_argument, NULL, 'O'},
    {"stamp", no_argument, NULL, OPT_STAMP},
    {"dry-run", no_argument, NULL, OPT_DRY},
    {"input", required_argument, NULL, 'i'},
    {"format", required_argument, NULL, 'f'},
    {"json", no_argument, NULL, OPT_JSON},
    {"output", required_argument, NULL, 'o'},
    {"max-frame", required_argument, NULL, OPT_MAX},
    {0},
};

/* What the user asked for. */
struct job {
	struct frame_head head; /* counts yet to come */
	const char *grid, *params, *slot, *output, *directory, *file;
	uint32_t bars;  /* a tick frame, 0: not said */
	uint32_t split; /* 0: no */
	int chatty, json;
	uint64_t limit;
	struct series_options text;
};

/* What it is made of. */
struct work {
	const struct job *job;
	struct series series;
	struct grid sets;
	struct out out;
	size_t parts, done; /* files of -O, and those in place */
};

static void one_option(struct job *j, int c)
{
	static const char *const formats[] = {"frame", "json", NULL};
	static const char *const inputs[] = {"raw", "npy", "csv", "json", "frame", NULL};
	static const char *const ops[] = {
	    "sweep", "echo", "load", "sweep-slot", "append", "open", "tick", "stats", NULL};

	switch (c) {
	case 'x':
		if (strcmp(optarg, "ring") == 0)
			tool_usage("-x: only a client on a Unix socket can ask for a ring: "
				   "see echoload -m");
		j->head.op = (uint8_t)tool_choice("-x", optarg, ops);
		break;
	case 'g': j->grid = optarg; break;
	case 'p': j->params = optarg; break;
	case 's': j->slot = optarg; break;
	case 'n': j->bars = (uint32_t)tool_int("-n", optarg, 1, UINT32_MAX); break;
	case OPT_CHATTY: j->chatty = 1; break;
	case OPT_SPLIT: j->split = (uint32_t)tool_int("--split", optarg, 1, 1000000); break;
	case 'O': j->directory = optarg; break;
	case OPT_STAMP: j->head.flags |= FLAG_STAMP; break;
	case OPT_DRY: j->head.flags |= FLAG_DRY; break;
	case 'i':
		j->text.format =
		    (enum series_format)(tool_choice("-i", optarg, inputs) + SERIES_RAW);
		break;
	case 'f': j->json = tool_choice("-f", optarg, formats); break;
	case OPT_JSON: j->json = 1; break;
	case 'o': j->output = optarg; break;
	case OPT_MAX:
		j->limit = tool_size("--max-frame", optarg);
		if (j->limit > FRAME_LIMIT_MAX)
			tool_usage("--max-frame: at most 2147483647 bytes");
		break;
	}
}

/* Options that an op has no use for are mistakes, said at once. */
static void check_job(struct job *j)
{
	const uint8_t op = j->head.op;
	const int sweeps = op == OP_SWEEP || op == OP_SWEEP_SLOT;
	const struct {
		int wrong;
		const char *why;
	} rules[] = {
	    {(j->grid || j->params) && !frame_op_has_sets(op), "-g, -p: this op carries no sets"},
	    {j->grid && j->params, "-g and -p: one of them"},
	    {j->slot && !frame_op_has_slot(op), "-s: this op has no slot"},
	    {j->bars && op != OP_TICK, "-n: bars a frame are for -x tick"},
	    {j->chatty && !sweeps, "--chatty: for -x sweep and sweep-slot"},
	    {j->split && !sweeps, "--split: for -x sweep and sweep-slot"},
	    {j->chatty && j->split, "--chatty and --split: one of them"},
	    {j->directory && !j->split, "-O: a file each is for --split; -o names one file"},
	    {j->directory && j->output, "-O and -o: one of them"},
	    {j->json && (op != OP_SWEEP || j->head.flags),
		"-f json: the JSON service knows -x sweep only, without --stamp and --dry-run"},
	    {j->file && !frame_op_has_closes(op), "this op reads no closes: leave the file away"},
	    {j->params && !strcmp(j->params, "-") && frame_op_has_closes(op) &&
		    (!j->file || !strcmp(j->file, "-")),
		"-p -: the closes are read from stdin already"},
	};

	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (rules[i].wrong)
			tool_usage("%s", rules[i].why);
	if (j->slot && (op != OP_OPEN || strcmp(j->slot, "none")))
		j->head.slot = (uint32_t)tool_int("-s", j->slot, 0, FRAME_NO_SLOT - 1);
	else if (j->slot)
		j->head.slot = FRAME_NO_SLOT;
}

static void read_options(struct job *j, int argc, char **argv)
{
	struct err e;
	int c;

	j->limit = FRAME_LIMIT;
	while ((c = tool_getopt(argc, argv, "x:g:p:s:n:O:i:f:o:", options)) != -1) {
		if (c < OPT_TEXT)
			one_option(j, c);
		else if (series_option(&j->text, options[c - OPT_TEXT].name, optarg, &e) < 0)
			tool_usage("%s", e.text);
	}
	if (argc - optind > 1)
		tool_usage("one file at a time: %d are given", argc - optind);
	j->file = argv[optind];
	check_job(j);
}

#define PATH_SIZE 4096

/* Where part i goes: numbered from 1, as wide as the last, so that names sort. */
static const char *part_name(const struct work *w, size_t i, char *path)
{
	int digits = snprintf(path, PATH_SIZE, "%zu", w->parts);

	snprintf(path, PATH_SIZE, "%s/%0*zu.%s", w->job->directory, digits, i + 1,
	    w->job->json ? "json" : "frame");
	return path;
}

/* All or nothing: what was put in place goes too. */
static _Noreturn void give_up(struct work *w, const struct err *e)
{
	char path[PATH_SIZE];

	out_abort(&w->out);
	for (size_t i = 0; i < w->done; i++)
		unlink(part_name(w, i, path));
	tool_die(e);
}

static void open_sets(struct work *w)
{
	const struct job *j = w->job;
	struct err e;

	if (!frame_op_has_sets(j->head.op))
		return;
	if (j->params && grid_load(&w->sets, j->params, &e) < 0)
		tool_die(&e);
	if (!j->params && grid_parse(&w->sets, j->grid ? j->grid : GRID_DEFAULT, &e) < 0)
		tool_usage("-g: %s", e.text);
}

/* The most bars a frame with these sets may carry. */
static uint64_t bars_limit(const struct work *w, size_t n_sets)
{
	uint64_t fixed = frame_head_size(w->job->head.op) + (uint64_t)n_sets * FRAME_SET_SIZE;

	if (fixed > w->job->limit)
		tool_fail(STATUS_INPUT,
		    "%zu set%s not fit a frame of %llu bytes: see --split and --max-frame", n_sets,
		    n_sets == 1 ? " does" : "s do", (unsigned long long)w->job->limit);
	return (w->job->limit - fixed) / sizeof(double);
}

static void open_series(struct work *w, size_t sets_a_frame)
{
	struct series_options o = w->job->text;
	uint64_t limit = bars_limit(w, sets_a_frame);
	const char *name;
	struct err e;
	int fd;

	if (!frame_op_has_closes(w->job->head.op))
		return;
	o.live = w->job->head.op == OP_TICK;
	o.again = sets_a_frame < w->sets.n;
	o.limit = o.live ? 0 : limit ? limit : 1;
	if (w->job->bars > limit)
		tool_usage("-n: at most %llu bars fit a frame: see --max-frame",
		    (unsigned long long)limit);
	fd = io_open(w->job->file, &name, &e);
	if (fd < 0 || series_open(&w->series, &o, fd, name, &e) < 0)
		tool_die(&e);
}

/* The request with sets first ... first + n - 1. */
static void put(struct work *w, size_t first, size_t n)
{
	struct frame_head head = w->job->head;
	const struct hma_set *sets = n ? w->sets.sets + first : NULL;
	struct err e;

	head.n_bars = (uint32_t)w->series.n;
	head.n_sets = (uint32_t)n;
	if (first && frame_op_has_closes(head.op) && series_rewind(&w->series, &e) < 0)
		give_up(w, &e);
	if ((w->job->json ? series_request_json : series_request_put)(
		&w->out, &head, &w->series, sets, &e) < 0)
		give_up(w, &e);
}

/* Writes part i to its own file. */
static void put_file(struct work *w, size_t i, size_t first, size_t n)
{
	char path[PATH_SIZE];
	struct err e;

	if (out_open(&w->out, part_name(w, i, path), &e) < 0)
		give_up(w, &e);
	put(w, first, n);
	if (out_close(&w->out, &e) < 0)
		give_up(w, &e);
	w->done = i + 1;
}

/* The sets in k frames whose sizes differ by one at most. */
static void put_parts(struct work *w)
{
	size_t k = w->parts;

	for (size_t i = 0; i < k; i++) {
		size_t first = w->sets.n * i / k, end = w->sets.n * (i + 1) / k;

		if (w->job->directory)
			put_file(w, i, first, end - first);
		else
			put(w, first, end - first);
	}
}

static void put_all(struct work *w)
{
	const struct job *j = w->job;
	struct err e;

	if (j->directory && mkdir(j->directory, 0777) < 0 && errno != EEXIST)
		tool_fail(STATUS_FAILED, "%s: cannot make the directory: %s", j->directory,
		    strerror(errno));
	if (!j->directory)
		tool_output(&w->out, j->output);
	if (j->head.op != OP_TICK)
		put_parts(w);
	else if (series_ticks_put(&w->out, &j->head, &w->series, j->bars ? j->bars : 1, &e) < 0)
		give_up(w, &e);
}

int main(int argc, char **argv)
{
	static struct work w = {0};
	struct job job = {0};

	tool_init("frame", help);
	read_options(&job, argc, argv);
	w.job = &job;
	if (!job.json && !job.output && !job.directory)
		tool_no_terminal("pipe it to hmasweep, or -o FILE; -f json is text");
	open_sets(&w);
	w.parts = job.chatty ? w.sets.n : job.split ? job.split : 1;
	if (w.parts > w.sets.n && !job.chatty)
		w.parts = w.sets.n ? w.sets.n : 1;
	open_series(&w, w.parts ? (w.sets.n + w.parts - 1) / w.parts : 0);
	put_all(&w);
	series_close(&w.series);
	grid_free(&w.sets);
	if (!job.directory)
		tool_finish(&w.out, STATUS_OK);
	return STATUS_OK;
}
