#include "cmd/tool.h"
#include "lib/bytes.h"
#include "lib/codec_csv.h"
#include "lib/codec_npy.h"
#include "lib/frame.h"
#include "lib/gbm.h"
#include "lib/num.h"

static const char help[] =
    "usage: gbmgen [-n bars] [-s seed] [--sigma x] [--mu x] [--start price] [--normals]\n"
    "              [-f raw|npy|csv|json|frame] [-o file]\n"
    "\n"
    "Writes a close series: a geometric Brownian motion, the same bytes on every machine.\n"
    "\n"
    "  -n, --bars BARS      how many closes, 0 to 1000000000 (150000)\n"
    "  -s, --seed SEED      0 to 18446744073709551615 (42)\n"
    "      --sigma X        standard deviation of a bar's log return, 0 or more (0.0008)\n"
    "      --mu X           its mean (0)\n"
    "      --start PRICE    price that bar 1 moves away from, above 0 (100)\n"
    "      --normals        write the standard normals behind the returns instead of closes\n"
    "  -f, --format FORMAT  raw binary64 (default), npy, csv, json, or frame: an echo request\n"
    "  -o, --output FILE    write FILE, put in place when whole (stdout)\n"
    "      --help           this text\n"
    "      --version        the version\n"
    "\n"
    "Examples:\n"
    "  gbmgen | frame | hmasweep | unframe    the default sweep\n"
    "  gbmgen -n 10 -f csv                    ten closes to look at\n";

enum format { RAW, NPY, CSV, JSON, FRAME };
static const char *const formats[] = {"raw", "npy", "csv", "json", "frame", NULL};

#define BARS_MAX 1000000000
#define FRAME_BARS ((FRAME_LIMIT_MAX - FRAME_HEAD) / sizeof(double))
#define BLOCK 4096 /* values made at a time */

struct options {
	uint64_t bars;
	struct gbm_params series;
	int normals;
	enum format format;
	const char *output;
};

enum { OPT_SIGMA = 256, OPT_MU, OPT_START, OPT_NORMALS };

static const struct option long_options[] = {
    {"bars", required_argument, NULL, 'n'},
    {"seed", required_argument, NULL, 's'},
    {"sigma", required_argument, NULL, OPT_SIGMA},
    {"mu", required_argument, NULL, OPT_MU},
    {"start", required_argument, NULL, OPT_START},
    {"normals", no_argument, NULL, OPT_NORMALS},
    {"format", required_argument, NULL, 'f'},
    {"output", required_argument, NULL, 'o'},
    {0},
};

static void set_option(struct options *o, int c)
{
	switch (c) {
	case 'n': o->bars = (uint64_t)tool_int("-n", optarg, 0, BARS_MAX); break;
	case 's': o->series.seed = tool_u64("-s", optarg); break;
	case OPT_SIGMA: o->series.sigma = tool_double("--sigma", optarg); break;
	case OPT_MU: o->series.mu = tool_double("--mu", optarg); break;
	case OPT_START: o->series.start = tool_double("--start", optarg); break;
	case OPT_NORMALS: o->normals = 1; break;
	case 'f': o->format = (enum format)tool_choice("-f", optarg, formats); break;
	case 'o': o->output = optarg; break;
	}
}

static struct options parse(int argc, char **argv)
{
	struct options o = {.bars = 150000, .series = GBM_DEFAULTS};
	int c;

	while ((c = tool_getopt(argc, argv, "n:s:f:o:", long_options)) != -1)
		set_option(&o, c);
	if (optind < argc)
		tool_usage("reads no files: nothing can follow the options");
	if (o.series.sigma < 0)
		tool_usage("--sigma: a standard deviation is 0 or more");
	if (!(o.series.start > 0))
		tool_usage("--start: a price is above 0");
	if (o.format == FRAME && o.bars > FRAME_BARS)
		tool_usage("-f frame: a frame holds at most %llu bars: take -n %llu or another -f",
		    (unsigned long long)FRAME_BARS, (unsigned long long)FRAME_BARS);
	return o;
}

static void put_npy_head(struct out *out, uint64_t n)
{
	const struct npy_field plain = {NULL, "<f8"};
	struct buf head = {0};

	if (codec_npy_head_write(&head, &plain, 1, n) < 0)
		tool_fail(STATUS_FAILED, "out of memory");
	out_put(out, head.p, head.len);
	buf_free(&head);
}

static void put_head(struct out *out, const struct options *o)
{
	unsigned char frame[4 + FRAME_HEAD_MAX];
	struct frame_head head = {.op = OP_ECHO, .n_bars = (uint32_t)o->bars};

	switch (o->format) {
	case RAW: break;
	case NPY: put_npy_head(out, o->bars); break;
	case CSV: out_str(out, o->normals ? "z\n" : CODEC_CSV_HEAD); break;
	case JSON: out_str(out, "["); break;
	case FRAME: out_put(out, frame, frame_head_write(frame, &head)); break;
	}
}

/* Values first + 1 to first + n of the series. */
static void put_block(
    struct out *out, enum format format, const double *values, size_t n, uint64_t first)
{
	if (format != CSV && format != JSON) {
		out_put(out, values, n * sizeof *values);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		unsigned char *text = out_room(out, NUM_MAX + 1);
		size_t used = 0;

		if (format == JSON && first + i)
			text[used++] = ',';
		used += num_format((char *)text + used, values[i]);
		if (format == CSV)
			text[used++] = '\n';
		out_used(out, used);
	}
}

static void make_block(struct gbm *g, int normals, double *values, size_t n, struct out *out)
{
	struct err e;

	if (normals) {
		for (size_t i = 0; i < n; i++)
			values[i] = rng_normal(&g->rng);
	} else if (gbm_next(g, values, n, &e) < 0) {
		out_abort(out);
		tool_die(&e);
	}
}

static void put_series(struct out *out, const struct options *o)
{
	static double values[BLOCK];
	struct gbm g;

	gbm_init(&g, &o->series);
	for (uint64_t done = 0; done < o->bars && !out->error;) {
		size_t n = o->bars - done < BLOCK ? (size_t)(o->bars - done) : BLOCK;

		make_block(&g, o->normals, values, n, out);
		put_block(out, o->format, values, n, done);
		done += n;
	}
}

int main(int argc, char **argv)
{
	static struct out out;
	struct options o;

	tool_init("gbmgen", help);
	o = parse(argc, argv);
	if (!o.output && o.format != CSV && o.format != JSON)
		tool_no_terminal("-f csv shows text, -o FILE keeps it");
	tool_output(&out, o.output);
	put_head(&out, &o);
	put_series(&out, &o);
	if (o.format == JSON)
		out_str(&out, "]\n");
	tool_finish(&out, STATUS_OK);
}
