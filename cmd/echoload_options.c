#include "cmd/echoload.h"

#include <stdlib.h>
#include <string.h>

enum {
	OPT_RELAY = 256,
	OPT_CURVE,
	OPT_OP,
	OPT_REPLAY,
	OPT_ARRIVALS,
	OPT_SEED,
	OPT_MIN_ACHIEVED,
	OPT_WARM_COUNT,
	OPT_WARM_TIME,
	OPT_TIMEOUT,
	OPT_CONNECT_TIMEOUT,
	OPT_CPU,
	OPT_FIFO,
	OPT_SPIN,
	OPT_NO_VERIFY,
	OPT_INTERVAL,
	OPT_HGRM,
	OPT_SAMPLES,
	OPT_COMPARE,
	OPT_RING_SIZE,
	OPT_ONE_WAY
};

static const struct option options[] = {
    {"unix", required_argument, NULL, 'u'},
    {"tcp", required_argument, NULL, 't'},
    {"ring", required_argument, NULL, 'm'},
    {"ring-size", required_argument, NULL, OPT_RING_SIZE},
    {"relay", no_argument, NULL, OPT_RELAY},
    {"bytes", required_argument, NULL, 'b'},
    {"curve", no_argument, NULL, OPT_CURVE},
    {"op", required_argument, NULL, OPT_OP},
    {"replay", required_argument, NULL, OPT_REPLAY},
    {"slot", required_argument, NULL, 's'},
    {"grid", required_argument, NULL, 'g'},
    {"sets", required_argument, NULL, 'p'},
    {"fee", required_argument, NULL, 'F'},
    {"pipeline", required_argument, NULL, 'q'},
    {"rate", required_argument, NULL, 'r'},
    {"arrivals", required_argument, NULL, OPT_ARRIVALS},
    {"seed", required_argument, NULL, OPT_SEED},
    {"min-achieved", required_argument, NULL, OPT_MIN_ACHIEVED},
    {"connections", required_argument, NULL, 'c'},
    {"workers", required_argument, NULL, 'w'},
    {"count", required_argument, NULL, 'n'},
    {"duration", required_argument, NULL, 'd'},
    {"warm-count", required_argument, NULL, OPT_WARM_COUNT},
    {"warm-time", required_argument, NULL, OPT_WARM_TIME},
    {"timeout", required_argument, NULL, OPT_TIMEOUT},
    {"connect-timeout", required_argument, NULL, OPT_CONNECT_TIMEOUT},
    {"cpu", required_argument, NULL, OPT_CPU},
    {"fifo", required_argument, NULL, OPT_FIFO},
    {"one-way", no_argument, NULL, OPT_ONE_WAY},
    {"spin", no_argument, NULL, OPT_SPIN},
    {"no-verify", no_argument, NULL, OPT_NO_VERIFY},
    {"format", required_argument, NULL, 'f'},
    {"interval", required_argument, NULL, OPT_INTERVAL},
    {"hgrm", required_argument, NULL, OPT_HGRM},
    {"samples", required_argument, NULL, OPT_SAMPLES},
    {"compare", no_argument, NULL, OPT_COMPARE},
    {"output", required_argument, NULL, 'o'},
    {0},
};

/* The ops that can be asked for, with the closes a request carries or its slot holds. */
static const struct {
	int op;
	uint64_t bytes;
} ops[] = {{OP_ECHO, 8}, {OP_SWEEP, 1200000}, {OP_SWEEP_SLOT, 1200000}, {OP_TICK, 8}};
static const char *const op_names[] = {"echo", "sweep", "sweep-slot", "tick", NULL};

/* The floor, the caches, the published sizes. */
static const uint64_t curve[] = {8, 64, 512, 1024, 4096, 8192, 65536, 524288, 1200000};

static void add_size(struct options *o, uint64_t bytes)
{
	if (o->n_sizes == MAX_SIZES)
		tool_usage("-b: at most %d sizes", MAX_SIZES);
	if (bytes % 8)
		tool_usage(
		    "-b: closes have 8 bytes: %llu is no multiple of 8", (unsigned long long)bytes);
	if (bytes > FRAME_LIMIT_MAX - FRAME_HEAD_MAX)
		tool_usage("-b: %llu bytes do not fit in a frame", (unsigned long long)bytes);
	o->sizes[o->n_sizes++] = bytes;
}

/* Calls each for every part of a list between commas. */
static void each_of(struct options *o, const char *option, char *list,
    void (*each)(struct options *o, const char *option, const char *text))
{
	char *next;

	for (; list; list = next) {
		next = strchr(list, ',');
		if (next)
			*next++ = '\0';
		each(o, option, list);
	}
}

static void size_part(struct options *o, const char *option, const char *text)
{
	add_size(o, tool_size(option, text));
}

static void cpu_part(struct options *o, const char *option, const char *text)
{
	if (o->load.n_cpus == MAX_CPUS)
		tool_usage("--cpu: at most %d processors", MAX_CPUS);
	o->cpus[o->load.n_cpus++] = (int)tool_int(option, text, 0, 4095);
}

static double positive(const char *option, const char *text, double most)
{
	double x = tool_double(option, text);

	if (!(x > 0 && x <= most))
		tool_usage("%s: '%s' is not above 0 and at most %g", option, text, most);
	return x;
}

/* Options that say what is asked of whom; 1 where c was one. */
static int what(struct options *o, int c)
{
	switch (c) {
	case 'u': o->unix_path = optarg; break;
	case 't': o->tcp = optarg; break;
	case 'm': o->ring = optarg; break;
	case OPT_RING_SIZE: o->ring_size = tool_size("--ring-size", optarg); break;
	case OPT_RELAY: o->relay = 1; break;
	case OPT_COMPARE: o->compare[0] = ""; break;
	case 'b': each_of(o, "--bytes", optarg, size_part); break;
	case OPT_CURVE:
		for (size_t i = 0; i < sizeof curve / sizeof *curve; i++)
			add_size(o, curve[i]);
		break;
	case OPT_OP: o->op = ops[tool_choice("--op", optarg, op_names)].op; break;
	case OPT_REPLAY: o->replay = optarg; break;
	case 's': o->slot = (uint32_t)tool_int("--slot", optarg, 0, 0xfffffffe); break;
	case 'g': o->grid = optarg; break;
	case 'p': o->sets = optarg; break;
	case 'F': o->fee = tool_double("--fee", optarg); break;
	default: return 0;
	}
	return 1;
}

/* Options that say how; 1 where c was one. */
static int how(struct options *o, int c)
{
	static const char *const arrivals[] = {"constant", "poisson", NULL};
	struct load_config *k = &o->load;

	switch (c) {
	case 'q': k->depth = (size_t)tool_int("--pipeline", optarg, 1, 1 << 20); break;
	case 'r': k->rate = positive("--rate", optarg, 1e9); break;
	case OPT_ARRIVALS:
		k->arrivals = (enum load_arrivals)tool_choice("--arrivals", optarg, arrivals);
		break;
	case OPT_SEED: k->seed = tool_u64("--seed", optarg); break;
	case OPT_MIN_ACHIEVED:
		o->min_achieved = positive("--min-achieved", optarg, 100) / 100;
		break;
	case 'c': k->connections = (size_t)tool_int("--connections", optarg, 1, 65536); break;
	case 'w': k->threads = (size_t)tool_int("--workers", optarg, 1, 1024); break;
	case 'n': k->count = tool_size("--count", optarg); break;
	case 'd': k->duration_ns = tool_duration("--duration", optarg); break;
	case OPT_WARM_COUNT: k->warm_count = tool_size("--warm-count", optarg); break;
	case OPT_WARM_TIME: k->warm_ns = tool_duration("--warm-time", optarg); break;
	case OPT_TIMEOUT: k->timeout_ns = tool_duration("--timeout", optarg); break;
	case OPT_CONNECT_TIMEOUT: o->connect_ns = tool_duration("--connect-timeout", optarg); break;
	case OPT_CPU: each_of(o, "--cpu", optarg, cpu_part); break;
	case OPT_FIFO: k->fifo = (int)tool_int("--fifo", optarg, 1, 99); break;
	case OPT_SPIN: k->spin = 1; break;
	case OPT_ONE_WAY: k->one_way = 1; break;
	case OPT_NO_VERIFY: k->verify = 0; break;
	default: return 0;
	}
	return 1;
}

static void report_options(struct options *o, int c)
{
	static const char *const formats[] = {"auto", "table", "tsv", "json", "ndjson", NULL};

	switch (c) {
	case 'f': o->format = (enum echoload_format)tool_choice("--format", optarg, formats); break;
	case OPT_INTERVAL: o->load.interval_ns = tool_duration("--interval", optarg); break;
	case OPT_HGRM: o->hgrm = optarg; break;
	case OPT_SAMPLES: o->samples = optarg; break;
	case 'o': o->output = optarg; break;
	}
}

/* What follows from what was given. */
static void complete(struct options *o)
{
	struct load_config *k = &o->load;

	if (o->replay)
		o->op = OP_REPLAY;
	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
		if (o->op == ops[i].op && o->n_sizes == 0)
			add_size(o, ops[i].bytes);
	if (o->op == OP_REPLAY)
		o->n_sizes = 1;
	if (!k->depth)
		k->depth = 1;
	if (k->count == UINT64_MAX && k->duration_ns == UINT64_MAX)
		k->duration_ns = 1000000000;
	k->cpus = o->cpus;
	if (k->interval_ns)
		o->format = FORMAT_NDJSON;
	else if (o->format == FORMAT_NDJSON)
		k->interval_ns = 1000000000;
}

static void check(const struct options *o)
{
	const struct load_config *k = &o->load;
	int peers =
	    (o->unix_path != NULL) + (o->tcp != NULL) + (o->ring != NULL) + (o->command != NULL);

	if (peers > 1)
		tool_usage("one peer: -u PATH, -t HOST:PORT, -m PATH, or -- COMMAND");
	if (o->relay && peers == 0)
		tool_usage("--relay needs a peer: -u PATH, -t HOST:PORT, -m PATH, or -- COMMAND");
	if (k->threads > k->connections)
		tool_usage("-w: more threads than connections: give -c %zu", k->threads);
	if (peers == 0 && k->connections > 1)
		tool_usage("-c: stdin and stdout are one connection");
	if (o->replay && o->n_sizes)
		tool_usage("--replay tells the sizes: drop -b and --curve");
	if (o->replay && k->one_way)
		tool_usage("--replay asks what the file says: drop --one-way");
	if (o->op == OP_TICK)
		for (size_t i = 0; i < o->n_sizes; i++)
			if (o->sizes[i] == 0)
				tool_usage("-b: a tick has a close or more: 8 bytes at least");
	if (o->grid && o->sets)
		tool_usage("-g and -p both say the sets: give one");
	if (o->format == FORMAT_AUTO && k->interval_ns == 0)
		return;
	if (k->interval_ns && o->format != FORMAT_AUTO && o->format != FORMAT_NDJSON)
		tool_usage("--interval reports as ndjson: drop -f");
}

/* The options up to the first operand: behind it a command may stand, with its own. */
static void read_some(struct options *o, int argc, char **argv)
{
	int c;

	while ((c = tool_getopt(argc, argv, "+u:t:m:b:s:g:p:F:q:r:c:w:n:d:f:o:", options)) != -1)
		if (!what(o, c) && !how(o, c))
			report_options(o, c);
}

/* The two files of --compare, options between and behind them. */
static void read_files(struct options *o, int argc, char **argv)
{
	int n = 0;

	while (optind < argc) {
		if (n < 2)
			o->compare[n] = argv[optind];
		n++;
		optind++;
		read_some(o, argc, argv);
	}
	if (n != 2)
		tool_usage("--compare needs two files: A.json B.json");
}

void read_options(struct options *o, int argc, char **argv)
{
	read_some(o, argc, argv);
	if (o->compare[0]) {
		read_files(o, argc, argv);
		return;
	}
	if (optind < argc)
		o->command = argv + optind;
	check(o);
	complete(o);
}
