#include "cmd/hmasweep.h"
#include "cmd/tool.h"
#include "lib/frame.h"
#include "lib/num.h"

#include <string.h>

const char hmasweep_help[] =
    "usage: hmasweep [-k kernel] [-j threads] [-F fee] [-o file] [option ...]\n"
    "       hmasweep -u path | -t host:port [option ...]\n"
    "\n"
    "Answers request frames: those on stdin, or those of the peers on its sockets.\n"
    "\n"
    "  -k, --kernel KERNEL    reference, checked, vector, filtered or auto (default)\n"
    "  -j, --threads N        compute threads (default 1; 0: as many as processors)\n"
    "  -F, --fee FEE          percentage points a trade (default 0.09)\n"
    "      --json             lines of JSON instead of frames, both ways\n"
    "      --nan WHAT         a pnl that is not finite, as JSON: refuse (default), or null\n"
    "      --gate             compute with reference too; a difference is an error\n"
    "      --max-frame SIZE   largest request body (default 256Mi)\n"
    "      --max-live SIZE    live state of one connection (default 64Mi)\n"
    "      --slots N          series that can be loaded (default 64)\n"
    "      --max-bars N       bars of one of them (default 16777216)\n"
    "  -P, --preload N=FILE   load slot N from FILE (raw or npy) before serving\n"
    "      --map              map the files of -P instead of reading them\n"
    "      --trace N          keep the last N requests by stage; SIGUSR1, or the end of a\n"
    "                         filter, writes them\n"
    "      --slow TIME        write them when a request takes longer\n"
    "      --trace-file FILE  append them there instead of stderr\n"
    "      --stats            statistics on stderr at the end\n"
    "  -o, --output FILE      replies of a filter, instead of stdout\n"
    "Servers:\n"
    "  -u, --unix PATH        listen on a Unix socket, mode 0600 (repeatable)\n"
    "  -t, --tcp HOST:PORT    listen on TCP, on loopback if there is no HOST (repeatable)\n"
    "      --ready-fd N       write the addresses and a newline there once it listens\n"
    "      --connections N    open at once (default 1024)\n"
    "      --max-memory SIZE  of slots, buffers and live state in all (default 1Gi)\n"
    "      --idle TIME        close a connection without a request for so long (default off)\n"
    "      --grace TIME       to answer what was received when told to stop (default 5s)\n"
    "      --cpu LIST         the loop's processor, then the compute threads'\n"
    "      --fifo PRIORITY    SCHED_FIFO for the loop\n"
    "      --numa NODE        processors and memory of that node\n"
    "      --mlock            lock all pages in memory\n"
    "      --max-ring SIZE    of each ring of a connection (default 16Mi; 0: no rings)\n"
    "      --ring-spin TIME   look at a quiet ring for so long (default 50us)\n"
    "      --spin             poll instead of sleeping\n"
    "      --help, --version\n";

enum {
	OPT_GATE = 256,
	OPT_JSON,
	OPT_NAN,
	OPT_MAX_FRAME,
	OPT_MAX_LIVE,
	OPT_SLOTS,
	OPT_MAX_BARS,
	OPT_MAP,
	OPT_TRACE,
	OPT_SLOW,
	OPT_TRACE_FILE,
	OPT_STATS,
	OPT_READY_FD,
	OPT_CONNECTIONS,
	OPT_MAX_MEMORY,
	OPT_IDLE,
	OPT_GRACE,
	OPT_CPU,
	OPT_FIFO,
	OPT_NUMA,
	OPT_MLOCK,
	OPT_SPIN,
	OPT_MAX_RING,
	OPT_RING_SPIN
};

static const struct option options[] = {
    {"kernel", required_argument, NULL, 'k'},
    {"threads", required_argument, NULL, 'j'},
    {"fee", required_argument, NULL, 'F'},
    {"json", no_argument, NULL, OPT_JSON},
    {"nan", required_argument, NULL, OPT_NAN},
    {"gate", no_argument, NULL, OPT_GATE},
    {"max-frame", required_argument, NULL, OPT_MAX_FRAME},
    {"max-live", required_argument, NULL, OPT_MAX_LIVE},
    {"slots", required_argument, NULL, OPT_SLOTS},
    {"max-bars", required_argument, NULL, OPT_MAX_BARS},
    {"preload", required_argument, NULL, 'P'},
    {"map", no_argument, NULL, OPT_MAP},
    {"trace", required_argument, NULL, OPT_TRACE},
    {"slow", required_argument, NULL, OPT_SLOW},
    {"trace-file", required_argument, NULL, OPT_TRACE_FILE},
    {"stats", no_argument, NULL, OPT_STATS},
    {"output", required_argument, NULL, 'o'},
    {"unix", required_argument, NULL, 'u'},
    {"tcp", required_argument, NULL, 't'},
    {"ready-fd", required_argument, NULL, OPT_READY_FD},
    {"connections", required_argument, NULL, OPT_CONNECTIONS},
    {"max-memory", required_argument, NULL, OPT_MAX_MEMORY},
    {"idle", required_argument, NULL, OPT_IDLE},
    {"grace", required_argument, NULL, OPT_GRACE},
    {"cpu", required_argument, NULL, OPT_CPU},
    {"fifo", required_argument, NULL, OPT_FIFO},
    {"numa", required_argument, NULL, OPT_NUMA},
    {"mlock", no_argument, NULL, OPT_MLOCK},
    {"spin", no_argument, NULL, OPT_SPIN},
    {"max-ring", required_argument, NULL, OPT_MAX_RING},
    {"ring-spin", required_argument, NULL, OPT_RING_SPIN},
    {0},
};

static enum hma_kernel kernel_option(const char *text)
{
	static const char *const names[] = {
	    "reference", "checked", "vector", "filtered", "auto", NULL};

	return (enum hma_kernel)hma_kernel_by_name(names[tool_choice("-k", text, names)]);
}

static uint64_t size_option(const char *option, const char *text, uint64_t min, uint64_t max)
{
	uint64_t v = tool_size(option, text);

	if (v < min || v > max)
		tool_usage("%s: from %llu to %llu bytes", option, (unsigned long long)min,
		    (unsigned long long)max);
	return v;
}

static void cpu_option(struct placement *p, const char *text)
{
	char item[16];

	do {
		size_t n = strcspn(text, ",");

		if (n >= sizeof item || p->n_cpus == PLACEMENT_CPUS)
			tool_usage("--cpu: at most %d processors, as in 0,1", PLACEMENT_CPUS);
		memcpy(item, text, n);
		item[n] = '\0';
		p->cpus[p->n_cpus++] = (int)tool_int("--cpu", item, 0, 1 << 20);
		text += n;
	} while (*text++ == ',');
}

static void listen_option(struct wishes *w, char kind, const char *where)
{
	if (w->n_where == WISHES)
		tool_usage("-%c: at most %d addresses", kind, WISHES);
	w->kind[w->n_where] = kind;
	w->where[w->n_where++] = where;
}

static enum codec_nan nan_option(const char *text)
{
	static const char *const names[] = {"refuse", "null", NULL};

	return (enum codec_nan)tool_choice("--nan", text, names);
}

/* A bare number is microseconds here. */
static uint64_t slow_option(const char *text)
{
	uint64_t us;

	if (num_parse_u64(text, strlen(text), &us) == NUM_OK && us < UINT64_MAX / 1000)
		return us * 1000;
	return tool_duration("--slow", text);
}

static void limit_option(struct serve_limits *l, int o)
{
	switch (o) {
	case OPT_MAX_FRAME:
		l->frame = size_option("--max-frame", optarg, FRAME_HEAD, FRAME_LIMIT_MAX);
		break;
	case OPT_MAX_LIVE: l->live = size_option("--max-live", optarg, 0, UINT64_MAX / 4); break;
	case OPT_MAX_MEMORY:
		l->memory = size_option("--max-memory", optarg, 0, UINT64_MAX / 4);
		break;
	case OPT_SLOTS: l->slots = (uint64_t)tool_int("--slots", optarg, 1, 1 << 20); break;
	case OPT_MAX_BARS:
		l->slot_bars = (uint64_t)tool_int("--max-bars", optarg, 1, (int64_t)1 << 36);
		break;
	case OPT_CONNECTIONS:
		l->connections = (uint64_t)tool_int("--connections", optarg, 1, 1 << 20);
		break;
	case OPT_MAX_RING: l->ring = size_option("--max-ring", optarg, 0, (uint64_t)1 << 30); break;
	case OPT_IDLE: l->idle_ns = tool_duration("--idle", optarg); break;
	case OPT_GRACE: l->grace_ns = tool_duration("--grace", optarg); break;
	}
}

static void option(struct wishes *w, int o)
{
	struct serve_config *c = &w->serve;

	switch (o) {
	case 'k': c->kernel = kernel_option(optarg); break;
	case 'j': c->threads = (unsigned)tool_int("-j", optarg, 0, 1024); break;
	case 'F': c->fee = tool_double("-F", optarg); break;
	case 'o': w->output = optarg; break;
	case 'u':
	case 't': listen_option(w, (char)o, optarg); break;
	case 'P':
		if (w->n_preload == WISHES)
			tool_usage("-P: at most %d files", WISHES);
		w->preload[w->n_preload++] = optarg;
		break;
	case OPT_JSON: c->json = 1; break;
	case OPT_NAN: c->nan = nan_option(optarg); break;
	case OPT_GATE: c->gate = 1; break;
	case OPT_MAP: w->map = 1; break;
	case OPT_TRACE: c->trace = (size_t)tool_int("--trace", optarg, 1, 1 << 24); break;
	case OPT_SLOW: c->slow_ns = slow_option(optarg); break;
	case OPT_TRACE_FILE: c->trace_path = optarg; break;
	case OPT_STATS: w->stats = 1; break;
	case OPT_READY_FD: w->ready_fd = (int)tool_int("--ready-fd", optarg, 0, 1 << 20); break;
	case OPT_CPU: cpu_option(&c->placement, optarg); break;
	case OPT_FIFO: c->placement.fifo = (int)tool_int("--fifo", optarg, 1, 99); break;
	case OPT_NUMA: c->placement.numa = (int)tool_int("--numa", optarg, 0, 1023); break;
	case OPT_MLOCK: c->placement.mlock = 1; break;
	case OPT_SPIN: c->spin = 1; break;
	case OPT_RING_SPIN: c->ring_spin_ns = tool_duration("--ring-spin", optarg); break;
	default: limit_option(&c->limits, o);
	}
}

void hmasweep_parse(struct wishes *w, int argc, char **argv)
{
	int o;

	while ((o = tool_getopt(argc, argv, "k:j:F:o:u:t:P:", options)) != -1)
		option(w, o);
	if (optind < argc)
		tool_usage("'%s': requests come from stdin, not from a file: hmasweep <FILE",
		    argv[optind]);
	if (w->serve.threads == 0)
		w->serve.threads = (unsigned)cpu_count();
	if ((w->serve.slow_ns || w->serve.trace_path) && !w->serve.trace)
		tool_usage("%s: needs --trace N", w->serve.slow_ns ? "--slow" : "--trace-file");
	if (w->map && !w->n_preload)
		tool_usage("--map: needs -P");
}
