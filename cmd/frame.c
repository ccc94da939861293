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
    "usage: frame [-x OP] [-g MIN:MAX:COUNT | -p FILE] [-s SLOT] [-n BARS]\n"
    "             [--chatty | --split K [-O DIR]] [--stamp] [--dry-run]\n"
    "             [-i FORMAT] [-f frame|json] [-o FILE] [--max-frame SIZE]\n"
    "             [--preset NAME] [--column N|NAME] [--ticker NAME]\n"
    "             [--delimiter C] [--decimal C] [--thousands C] [--scale X]\n"
    "             [--missing drop|ffill] [--reverse] [--unordered]\n"
    "             [--allow-nonpositive] [--allow-nonfinite] [FILE]\n"
    "Makes request frames of a close series: FILE, or stdin.\n"
    "\n"
    "  -x, --op OP            sweep (default), echo, load, sweep-slot, append, open,\n"
    "                         tick, stats\n"
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
    "      --ticker NAME      only the rows of this one\n"
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

enum {
	OPT_CHATTY = 256,
	OPT_SPLIT,
	OPT_STAMP,
	OPT_DRY,
	OPT_JSON,
	OPT_MAX,
	OPT_TEXT /* a price file's, known to series_option by its name */
};

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
	const char *op = frame_op_name(j->head.op);
	int sweeps = j->head.op == OP_SWEEP || j->head.op == OP_SWEEP_SLOT;

	if ((j->grid || j->params) && !frame_op_has_sets(j->head.op))
		tool_usage("%s: %s carries no sets", j->grid ? "-g" : "-p", op);
	if (j->grid && j->params)
		tool_usage("-g and -p: one of them");
	if (j->slot && !frame_op_has_slot(j->head.op))
		tool_usage("-s: %s has no slot", op);
	if (j->slot && j->head.op == OP_OPEN && strcmp(j->slot, "none") == 0)
		j->head.slot = FRAME_NO_SLOT;
	else if (j->slot)
		j->head.slot = (uint32_t)tool_int("-s", j->slot, 0, FRAME_NO_SLOT - 1);
	if (j->bars && j->head.op != OP_TICK)
		tool_usage("-n: bars a frame are for -x tick");
	if ((j->chatty || j->split) && !sweeps)
		tool_usage("%s: for -x sweep and sweep-slot", j->chatty ? "--chatty" : "--split");
	if (j->chatty && j->split)
		tool_usage("--chatty and --split: one of them");
	if (j->directory && !j->split)
		tool_usage("-O: a file each is for --split; -o names one file");
	if (j->directory && j->output)
		tool_usage("-O and -o: one of them");
	if (j->json && (j->head.op != OP_SWEEP || j->head.flags))
		tool_usage("-f json: the JSON service knows -x sweep only, and no flags");
	if (j->file && !frame_op_has_closes(j->head.op))
		tool_usage("%s reads no closes: leave the file away", op);
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

static _Noreturn void give_up(struct work *w, const struct err *e)
{
	out_abort(&w->out);
	tool_die(e);
}

static void open_sets(struct work *w)
{
	const struct job *j = w->job;
	const char *name;
	struct err e;
	int fd, bad;

	if (!frame_op_has_sets(j->head.op))
		return;
	if (!j->params) {
		if (grid_parse(&w->sets, j->grid ? j->grid : GRID_DEFAULT, &e) < 0)
			tool_usage("-g: %s", e.text);
		return;
	}
	if (strcmp(j->params, "-") == 0 && (!j->file || strcmp(j->file, "-") == 0) &&
	    frame_op_has_closes(j->head.op))
		tool_usage("-p -: closes are read from stdin already");
	fd = io_open(j->params, &name, &e);
	bad = fd < 0 || grid_read(&w->sets, fd, name, &e) < 0;
	if (bad)
		tool_die(&e);
	if (fd > STDIN_FILENO)
		close(fd);
}

/* The most bars a frame with these sets may carry. */
static uint64_t bars_limit(const struct work *w, size_t n_sets)
{
	uint64_t fixed = frame_head_size(w->job->head.op) + (uint64_t)n_sets * FRAME_SET_SIZE;

	if (fixed > w->job->limit)
		tool_fail(STATUS_INPUT,
		    "%zu sets do not fit a frame of %llu bytes: see --split and --max-frame",
		    n_sets, (unsigned long long)w->job->limit);
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

/* Part i of the sets in k parts goes to its own file. */
static void put_file(struct work *w, size_t i, size_t k, size_t first, size_t n)
{
	char path[4096], last[24];
	int digits = snprintf(last, sizeof last, "%zu", k);
	struct err e;

	if (snprintf(path, sizeof path, "%s/%0*zu.%s", w->job->directory, digits, i + 1,
		w->job->json ? "json" : "frame") >= (int)sizeof path)
		tool_fail(STATUS_USAGE, "-O: the name is too long");
	if (out_open(&w->out, path, &e) < 0)
		tool_die(&e);
	put(w, first, n);
	if (out_close(&w->out, &e) < 0)
		tool_die(&e);
}

/* The sets in k frames whose sizes differ by one at most. */
static void put_parts(struct work *w, size_t k)
{
	for (size_t i = 0; i < k; i++) {
		size_t first = w->sets.n * i / k, end = w->sets.n * (i + 1) / k;

		if (w->job->directory)
			put_file(w, i, k, first, end - first);
		else
			put(w, first, end - first);
	}
}

int main(int argc, char **argv)
{
	struct job job = {0};
	static struct work w;
	size_t parts = 1;
	struct err e;

	tool_init("frame", help);
	read_options(&job, argc, argv);
	w.job = &job;
	if (!job.json && !job.output && !job.directory)
		tool_no_terminal("pipe it to hmasweep, or -o FILE; -f json is text");
	open_sets(&w);
	if (job.chatty || job.split)
		parts = job.chatty || job.split > w.sets.n ? w.sets.n : job.split;
	if (!parts && !job.chatty)
		parts = 1;
	open_series(&w, parts ? (w.sets.n + parts - 1) / parts : 0);
	if (job.directory) {
		if (mkdir(job.directory, 0777) < 0 && errno != EEXIST)
			tool_fail(STATUS_FAILED, "%s: %s", job.directory, strerror(errno));
		put_parts(&w, parts);
		return STATUS_OK;
	}
	if (out_open(&w.out, job.output, &e) < 0)
		tool_die(&e);
	if (job.head.op == OP_TICK &&
	    series_ticks_put(&w.out, &job.head, &w.series, job.bars ? job.bars : 1, &e) < 0)
		give_up(&w, &e);
	if (job.head.op != OP_TICK)
		put_parts(&w, parts);
	series_close(&w.series);
	grid_free(&w.sets);
	tool_finish(&w.out, STATUS_OK);
}
