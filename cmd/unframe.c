#include "cmd/tool.h"
#include "lib/codec_gate.h"
#include "lib/message_stream.h"
#include "lib/report_request.h"
#include "lib/report_rows.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] =
    "usage: unframe [-f tsv|csv|json|table|raw|npy] [-x OP] [--stamp] [-g MIN:MAX:COUNT | -p "
    "FILE]\n"
    "               [--for REQUESTS] [--nan refuse|null] [--max-frame SIZE] [-o FILE] [REPLIES]\n"
    "       unframe --against FILE [--tolerance T] [-x OP] [--stamp] [-g GRID | -p FILE]\n"
    "               [--for REQUESTS] [--max-frame SIZE] [REPLIES]\n"
    "       unframe --request [-f tsv|csv|json|table] [--max-frame SIZE] [-o FILE] [REQUESTS]\n"
    "Turns reply frames into text, or compares them; no operand or - is stdin.\n"
    "  -f, --format F       tsv (default), csv, json, table (aligned), raw (bodies joined), npy\n"
    "  -x, --op OP          what the replies answer: sweep (default), echo, load, sweep-slot,\n"
    "                       append, open, tick, stats\n"
    "      --stamp          the replies are stamped\n"
    "  -g, --grid GRID      label rows with the sets of MIN:MAX:COUNT, such as 6:200:80\n"
    "  -p, --sets FILE      label rows with the lengths or sets in FILE\n"
    "      --for REQUESTS   take op, flags and labels from the requests that were answered\n"
    "      --nan WHAT       NaN and infinity in json: refuse (default), or write null\n"
    "      --against FILE   the gate: compare with the replies or the table in FILE; silent when\n"
    "                       equal, status 4 at the first difference\n"
    "      --tolerance T    pnl and closes may differ by T; trades never\n"
    "      --request        show request frames instead\n"
    "      --max-frame SIZE largest body to accept (256Mi)\n"
    "  -o, --output FILE    write there instead of stdout\n"
    "      --help, --version\n";

enum format { TSV, CSV, JSON, TABLE, RAW, NPY };
static const char *const formats[] = {"tsv", "csv", "json", "table", "raw", "npy", NULL};
static const enum report_format report_formats[] = {
    REPORT_TSV, REPORT_CSV, REPORT_JSON, REPORT_TABLE};

struct options {
	enum format format;
	const char *op, *grid, *sets, *requests, *against, *tolerance, *output, *input;
	int format_given, stamp, request, nan_null;
	uint64_t limit;
};

/* The gate's other side may be a table; its first bytes tell. */
static void open_reference(struct gate_side *side, struct reply_stream *replies, const char *path)
{
	unsigned char word[4];
	const char *other;
	struct err e;
	int fd = io_open(path, &side->name, &e), got;
	ssize_t more = 0;

	if (fd < 0)
		tool_die(&e);
	reply_stream_init(replies, fd, side->name);
	got = frame_reader_peek(&replies->in, word, &e);
	if (got < 0)
		tool_die(&e);
	other = gate_not_compared(word, (size_t)got);
	if (other)
		tool_fail(STATUS_INPUT,
		    "%s: this is %s: --against wants replies, or unframe's tsv or csv", side->name,
		    other);
	if (!gate_is_table(word, (size_t)got)) {
		side->replies = replies;
		return;
	}
	more = buf_append(&side->table, word, (size_t)got);
	while (more >= 0 && (more = buf_reserve(&side->table, 65536)) == 0) {
		more = io_read(fd, side->table.p + side->table.len, 65536);
		if (more <= 0)
			break;
		side->table.len += (size_t)more;
	}
	if (more < 0)
		tool_fail(STATUS_FAILED, "%s: read: %s", side->name, strerror(errno));
}

/* Opens the requests that were answered; the gate needs them once a side. */
static void open_requests(struct reply_stream *s, struct frame_reader *in, const struct options *o)
{
	const char *name;
	struct err e;
	int fd;

	if (!o->requests)
		return;
	fd = io_open(o->requests, &name, &e);
	if (fd < 0)
		tool_die(&e);
	frame_reader_init(in, fd, name);
	in->limit = o->limit;
	s->requests = in;
}

static void set_up(struct reply_stream *s, struct frame_reader *requests, const struct grid *labels,
    const struct options *o)
{
	int op = o->op ? frame_op_by_name(o->op) : OP_SWEEP;

	s->in.limit = o->limit;
	s->op = (uint8_t)op;
	s->flags = o->stamp ? FLAG_STAMP : 0;
	s->labels = labels->n ? labels : NULL;
	open_requests(s, requests, o);
}

static _Noreturn void run_gate(struct reply_stream *s, struct frame_reader *requests,
    const struct grid *labels, const struct options *o)
{
	static struct gate_side here, there;
	struct gate g = {.exact = !o->tolerance};
	struct reply_stream other;
	struct err e;

	if (o->tolerance)
		g.tolerance = tool_double("--tolerance", o->tolerance);
	if (g.tolerance < 0)
		tool_usage("--tolerance is 0 or more");
	set_up(s, requests, labels, o);
	here.name = s->in.name;
	here.replies = s;
	open_reference(&there, &other, o->against);
	if (there.replies)
		set_up(&other, requests + 1, labels, o);
	if (gate_compare(&g, &here, &there, &e) < 0)
		tool_die(&e);
	exit(STATUS_OK);
}

/*
 * Ends: what was read before a failure stays on stdout, above the message; a file
 * is put in place only when it is whole.
 */
static _Noreturn void finish(struct out *out, int bad, const struct err *why)
{
	struct err e;

	if (!bad)
		tool_finish(out, STATUS_OK);
	out_flush(out, &e);
	out_abort(out);
	tool_die(why);
}

static _Noreturn void run_rows(struct reply_stream *s, const struct options *o)
{
	static struct out out;
	struct pollfd more = {.fd = s->in.fd, .events = POLLIN};
	struct report_rows rows;
	struct err why = {0}, e;
	int got;

	tool_output(&out, o->output);
	report_rows_begin(&rows, &out,
	    o->format == NPY   ? ROWS_AS_NPY
	    : o->format == RAW ? ROWS_AS_RAW
			       : ROWS_AS_TEXT,
	    o->format < RAW ? report_formats[o->format] : REPORT_TSV);
	rows.nan_null = o->nan_null;
	while ((got = reply_stream_next(s, &why)) > 0) {
		got = report_rows_put(&rows, s, &why);
		/* Somebody may be waiting for this answer before asking on. */
		if (got == 0 && poll(&more, 1, 0) == 0)
			got = out_flush(&out, &why);
		if (got < 0)
			break;
	}
	if (report_rows_end(&rows, &e) < 0 && got == 0) {
		why = e;
		got = -1;
	}
	finish(&out, got, &why);
}

static _Noreturn void run_requests(struct frame_reader *in, const struct options *o)
{
	static struct out out;
	struct err e;
	int bad;

	in->limit = o->limit;
	tool_output(&out, o->output);
	bad = report_requests(&out, report_formats[o->format], in, &e);
	finish(&out, bad, &e);
}

enum { OPT_STAMP = 256, OPT_FOR, OPT_NAN, OPT_AGAINST, OPT_TOLERANCE, OPT_REQUEST, OPT_MAX_FRAME };

static const struct option options[] = {{"format", required_argument, NULL, 'f'},
    {"op", required_argument, NULL, 'x'}, {"stamp", no_argument, NULL, OPT_STAMP},
    {"grid", required_argument, NULL, 'g'}, {"sets", required_argument, NULL, 'p'},
    {"for", required_argument, NULL, OPT_FOR}, {"nan", required_argument, NULL, OPT_NAN},
    {"against", required_argument, NULL, OPT_AGAINST},
    {"tolerance", required_argument, NULL, OPT_TOLERANCE},
    {"request", no_argument, NULL, OPT_REQUEST},
    {"max-frame", required_argument, NULL, OPT_MAX_FRAME}, {"output", required_argument, NULL, 'o'},
    {0}};

static void read_options(struct options *o, int argc, char **argv)
{
	static const char *const nans[] = {"refuse", "null", NULL};
	int c;

	while ((c = tool_getopt(argc, argv, "f:x:g:p:o:", options)) != -1) {
		switch (c) {
		case 'f':
			o->format = (enum format)tool_choice("--format", optarg, formats);
			o->format_given = 1;
			break;
		case 'x': o->op = optarg; break;
		case 'g': o->grid = optarg; break;
		case 'p': o->sets = optarg; break;
		case 'o': o->output = optarg; break;
		case OPT_STAMP: o->stamp = 1; break;
		case OPT_FOR: o->requests = optarg; break;
		case OPT_NAN: o->nan_null = tool_choice("--nan", optarg, nans); break;
		case OPT_AGAINST: o->against = optarg; break;
		case OPT_TOLERANCE: o->tolerance = optarg; break;
		case OPT_REQUEST: o->request = 1; break;
		case OPT_MAX_FRAME: o->limit = tool_size("--max-frame", optarg); break;
		}
	}
	if (argc - optind > 1)
		tool_usage("one operand at most: the file to read");
	o->input = argv[optind];
}

/* What cannot go together, each with the sentence that mends it. */
static void check_options(const struct options *o)
{
	int op = o->op ? frame_op_by_name(o->op) : OP_SWEEP;
	struct stat st;

	if (op < 0 || op == OP_RING)
		tool_usage(
		    "-x: '%s' is none of: sweep, echo, load, sweep-slot, append, open, tick, stats",
		    o->op);
	if (o->limit < 1 || o->limit > FRAME_LIMIT_MAX)
		tool_usage("--max-frame is 1 to 2147483647 bytes");
	if (o->requests && (o->op || o->stamp || o->grid || o->sets))
		tool_usage("--for tells op, stamps and labels: drop -x, --stamp, -g and -p");
	if (o->grid && o->sets)
		tool_usage("-g and -p both label the rows: give one");
	if ((o->grid || o->sets) && op != OP_SWEEP && op != OP_SWEEP_SLOT && op != OP_TICK)
		tool_usage("-g and -p label results of sets: replies to %s have none", o->op);
	if (o->request && (o->op || o->stamp || o->grid || o->sets || o->requests || o->against))
		tool_usage("--request shows requests: only -f, -o and --max-frame go with it");
	if (o->request && o->format >= RAW)
		tool_usage("--request shows requests as text: -f tsv, csv, json or table");
	if (o->tolerance && !o->against)
		tool_usage("--tolerance goes with --against FILE");
	if (o->against && (o->format_given || o->output))
		tool_usage("--against writes nothing: drop -f and -o");
	if (o->against && op == OP_STATS)
		tool_usage("--against compares results: stats have none");
	if (o->against && o->requests && (stat(o->requests, &st) < 0 || !S_ISREG(st.st_mode)))
		tool_usage("--for with --against reads the requests twice: give a regular file");
}

static void read_labels(struct grid *g, const struct options *o)
{
	const char *name;
	struct err e;
	int fd;

	if (o->grid && grid_parse(g, o->grid, &e) < 0)
		tool_die(&e);
	if (!o->sets)
		return;
	fd = io_open(o->sets, &name, &e);
	if (fd < 0 || grid_read(g, fd, name, &e) < 0)
		tool_die(&e);
	if (g->n == 0)
		tool_fail(STATUS_INPUT, "%s: no sets to label with", name);
}

int main(int argc, char **argv)
{
	struct options o = {.limit = FRAME_LIMIT};
	struct frame_reader requests[2];
	struct reply_stream replies;
	struct grid labels = {0};
	const char *name;
	struct err e;
	int fd;

	tool_init("unframe", help);
	read_options(&o, argc, argv);
	check_options(&o);
	read_labels(&labels, &o);
	fd = io_open(o.input, &name, &e);
	if (fd < 0)
		tool_die(&e);
	reply_stream_init(&replies, fd, name);
	if (o.request)
		run_requests(&replies.in, &o);
	if (o.against)
		run_gate(&replies, requests, &labels, &o);
	if (o.format >= RAW && (!o.output || strcmp(o.output, "-") == 0))
		tool_no_terminal("use -f tsv to see it, or -o FILE");
	set_up(&replies, requests, &labels, &o);
	run_rows(&replies, &o);
}
