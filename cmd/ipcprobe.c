#include "cmd/probe.h"
#include "cmd/tool.h"
#include "lib/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: ipcprobe [-f FORMAT] [-o FILE] [--quick] [--rounds N] [--engine COMMAND [--name "
    "NAME]]\n"
    "                SUITE... | all [FILE]\n"
    "       ipcprobe -l\n"
    "       ipcprobe advise --compute TIME --bytes SIZE --calls N [--rate R] [-f FORMAT] RESULT\n"
    "       ipcprobe report -O DIR RESULT\n"
    "       ipcprobe check [--tolerance T] BASELINE RESULT [RESULT2]\n"
    "Measures what a process boundary costs, on this machine, suite by suite.\n"
    "\n"
    "  FILE              one sweep request as the workload, - for stdin (default: 80 sets x\n"
    "                    150000 bars of gbmgen)\n"
    "  -f, --format F    table (on a terminal), tsv (elsewhere), json or markdown\n"
    "  -o, --output FILE where the tables go (default: stdout)\n"
    "  -l, --list        lists the suites and what each answers\n"
    "      --quick       8 sets x 15000 bars, fewer rounds: all suites within a minute\n"
    "      --rounds N    rounds of interleaved measurements (default: the suite's)\n"
    "      --engine CMD  also measures an engine that speaks frames on stdin and stdout;\n"
    "                    may be repeated\n"
    "      --name NAME   the name of the engine before it\n"
    "      --tolerance T check: relative growth of a ratio that counts (default: 0.1)\n"
    "      --compute T   advise: compute of the whole job, as 25ms\n"
    "      --bytes SIZE  advise: data the engine needs, as 1.2M\n"
    "      --calls N     advise: calls that the job is cut into\n"
    "      --rate R      advise: calls a second that must be kept up\n"
    "  -O, --directory DIR  report: where README.md and the plots go\n"
    "      --help, --version\n"
    "\n"
    "Status: 0 done, 1 failed, 2 usage, 3 bad input, 4 results differ or regressed.\n";

static const struct suite {
	const char *name;
	int (*run)(struct probe *p, struct err *e);
	const char *answers;
} suites[] = {
    {"boundary", suite_boundary, "the sweep in process, and behind each way across a boundary"},
    {"echo", suite_echo,
	"round trips of 1 to 150000 floats over each transport, and the line in them"},
    {"serial", suite_serial, "the closes as raw, npy, tagged, CSV and JSON: encode, decode, bytes"},
    {"spawn", suite_spawn,
	"a process: how it is started, what it is, who starts it, what it carries"},
    {"breakeven", suite_breakeven,
	"compute over floor when a call is a sweep, a set, a bar; the share it predicts"},
    {"perbar", suite_perbar, "every bar a call: the total, measured to the last tick"},
    {"ladder", suite_ladder, "tails, blocking to pinned, real-time, busy polling, ring"},
    {"numa", suite_numa, "nodes, distances, local and remote memory"},
    {"alloc", suite_alloc, "a buffer a request against reused buffers"},
    {"snapshot", suite_snapshot, "readers under writers: copy, lock, pointer; cold starts; deltas"},
    {"legs", suite_legs, "where the time of a call goes, and how fresh ticks are"},
    {"kernel", suite_kernel, "what the engine costs before any boundary"},
    {"claims", suite_claims, "every published finding: holds here, does not, cannot be measured"},
};
#define N_SUITES (sizeof suites / sizeof suites[0])

const char *const probe_formats[] = {"table", "tsv", "json", "markdown", NULL};

struct options {
	int format, list, suite[N_SUITES], any;
	const char *output, *directory, *workload;
	double tolerance;
	struct probe_question question;
};

enum {
	OPT_QUICK = 256,
	OPT_ROUNDS,
	OPT_ENGINE,
	OPT_NAME,
	OPT_TOLERANCE,
	OPT_COMPUTE,
	OPT_BYTES,
	OPT_CALLS,
	OPT_RATE
};

/* Splits a command at blanks; programs that need more quoting than that want a script. */
static char **split(const char *command)
{
	char *copy = mem_alloc(strlen(command) + 1);
	char **words = mem_alloc((strlen(command) / 2 + 2) * sizeof *words);
	size_t n = 0;

	if (!copy || !words)
		tool_fail(STATUS_FAILED, "--engine: %s", strerror(errno));
	strcpy(copy, command);
	for (char *w = strtok(copy, " \t"); w; w = strtok(NULL, " \t"))
		words[n++] = w;
	words[n] = NULL;
	if (n == 0)
		tool_usage("--engine: an empty command");
	return words;
}

static void add_engine(struct probe *p, const char *command)
{
	if (p->n_engines == PROBE_ENGINES)
		tool_usage("--engine: at most %d engines", PROBE_ENGINES);
	p->engine[p->n_engines].argv = split(command);
	p->engine[p->n_engines].name = p->engine[p->n_engines].argv[0];
	p->n_engines++;
}

static void name_engine(struct probe *p, const char *name)
{
	if (p->n_engines == 0)
		tool_usage("--name: comes after the --engine that it names");
	p->engine[p->n_engines - 1].name = name;
}

static void take_option(struct options *o, struct probe *p, int c)
{
	switch (c) {
	case 'f': o->format = tool_choice("--format", optarg, probe_formats); break;
	case 'o': o->output = optarg; break;
	case 'O': o->directory = optarg; break;
	case 'l': o->list = 1; break;
	case OPT_QUICK: p->quick = 1; break;
	case OPT_ROUNDS: p->rounds = (int)tool_int("--rounds", optarg, 1, 999); break;
	case OPT_ENGINE: add_engine(p, optarg); break;
	case OPT_NAME: name_engine(p, optarg); break;
	case OPT_TOLERANCE:
		o->tolerance = tool_double("--tolerance", optarg);
		if (!(o->tolerance > 0))
			tool_usage("--tolerance: must be above 0, as 0.1 for a tenth");
		break;
	case OPT_COMPUTE: o->question.compute_ns = tool_duration("--compute", optarg); break;
	case OPT_BYTES: o->question.bytes = tool_size("--bytes", optarg); break;
	case OPT_CALLS:
		o->question.calls = (uint64_t)tool_int("--calls", optarg, 1, INT64_MAX);
		break;
	case OPT_RATE:
		o->question.rate = tool_double("--rate", optarg);
		if (!(o->question.rate > 0))
			tool_usage("--rate: must be above 0 calls a second");
		break;
	}
}

static void take_options(struct options *o, struct probe *p, int argc, char **argv)
{
	static const struct option longs[] = {{"format", required_argument, NULL, 'f'},
	    {"output", required_argument, NULL, 'o'}, {"directory", required_argument, NULL, 'O'},
	    {"list", no_argument, NULL, 'l'}, {"quick", no_argument, NULL, OPT_QUICK},
	    {"rounds", required_argument, NULL, OPT_ROUNDS},
	    {"engine", required_argument, NULL, OPT_ENGINE},
	    {"name", required_argument, NULL, OPT_NAME},
	    {"tolerance", required_argument, NULL, OPT_TOLERANCE},
	    {"compute", required_argument, NULL, OPT_COMPUTE},
	    {"bytes", required_argument, NULL, OPT_BYTES},
	    {"calls", required_argument, NULL, OPT_CALLS},
	    {"rate", required_argument, NULL, OPT_RATE}, {0}};
	int c;

	o->format = -1;
	while ((c = tool_getopt(argc, argv, "f:o:O:l", longs)) != -1)
		take_option(o, p, c);
	if (o->format < 0)
		o->format = !o->output && io_is_terminal(STDOUT_FILENO) ? FORMAT_TABLE : FORMAT_TSV;
}

/* Operands are suites, in any order, then perhaps the workload's file. */
static void take_suites(struct options *o, int argc, char **argv)
{
	for (int i = optind; i < argc; i++) {
		size_t k = 0;

		while (k < N_SUITES && strcmp(argv[i], suites[k].name) != 0)
			k++;
		if (k < N_SUITES)
			o->suite[k] = o->any = 1;
		else if (strcmp(argv[i], "all") == 0)
			for (o->any = 1, k = 0; k < N_SUITES; k++)
				o->suite[k] = 1;
		else if (i == argc - 1 && o->any)
			o->workload = argv[i];
		else
			tool_usage("'%s' is no suite; ipcprobe -l lists them", argv[i]);
	}
	/* Its verdicts rest on the rows of all the others. */
	for (size_t k = 0; k < N_SUITES && o->suite[N_SUITES - 1]; k++)
		o->suite[k] = 1;
	if (!o->any)
		tool_usage("name a suite, or all; ipcprobe -l lists them");
}

/* The directory this program lies in, where hmasweep lies too; for in-tree and installed use alike.
 */
static const char *own_directory(void)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
	char *slash;

	if (n <= 0)
		tool_fail(STATUS_FAILED, "/proc/self/exe: %s", strerror(errno));
	path[n] = '\0';
	slash = strrchr(path, '/');
	*slash = '\0';
	return path;
}

static void list_suites(struct out *out)
{
	for (size_t i = 0; i < N_SUITES; i++)
		out_printf(out, "%s\t%s\n", suites[i].name, suites[i].answers);
	tool_finish(out, STATUS_OK);
}

static void write_result(const struct result *r, int format, struct out *out)
{
	static void (*const write[])(const struct result *, struct out *) = {
	    result_write_text, result_write_tsv, result_write_json, result_write_markdown};

	write[format](r, out);
}

static void measure(struct probe *p, struct options *o, int argc, char **argv, struct out *out)
{
	struct host_watch since;
	struct err e;
	int bad;

	take_suites(o, argc, argv);
	probe_catch_signals();
	p->tools = own_directory();
	p->progress = io_is_terminal(STDERR_FILENO);
	if (probe_workload(p, o->workload, &e) < 0 ||
	    result_describe(&p->result, argc, argv, &e) < 0)
		tool_die(&e);
	p->result.quick = p->quick;
	if (out_open(out, o->output, &e) < 0)
		tool_die(&e);
	host_watch(&since);
	bad = 0;
	for (size_t i = 0; i < N_SUITES && !bad && !probe_stopped(); i++)
		if (o->suite[i])
			bad = suites[i].run(p, &e);
	probe_progress(p, "%s", "");
	p->result.interrupted = probe_stopped();
	if (bad && !probe_stopped()) {
		out_abort(out);
		tool_die(&e);
	}
	result_noise(p, &since);
	write_result(&p->result, o->format, out);
	probe_free(p);
	tool_finish(out, probe_stopped() ? STATUS_FAILED : STATUS_OK);
}

/* check and advise: result files in, text out, nothing measured. */
static void read_results(struct options *o, int argc, char **argv, struct out *out)
{
	int advise = strcmp(argv[optind], "advise") == 0, n = argc - optind - 1, status;
	char **file = argv + optind + 1;
	struct err e;

	if (advise ? n != 1 : n < 2 || n > 3)
		tool_usage(
		    advise ? "advise takes one RESULT" : "check takes BASELINE RESULT [RESULT2]");
	if (advise && (!o->question.compute_ns || !o->question.calls))
		tool_usage("advise needs --compute TIME and --calls N (and --bytes SIZE)");
	tool_output(out, o->output);
	status =
	    advise ? probe_advise(file[0], &o->question, o->format, out, &e)
		   : probe_check(file[0], file[1], n == 3 ? file[2] : NULL, o->tolerance, out, &e);
	if (status < 0) {
		out_abort(out);
		tool_die(&e);
	}
	tool_finish(out, (enum status)status);
}

/* ipcprobe report -O DIR RESULT. */
static void report(const struct options *o, int argc, char **argv)
{
	struct err e;

	if (argc - optind != 2 || !o->directory)
		tool_usage("report takes -O DIR and one RESULT");
	if (probe_report(argv[optind + 1], o->directory, &e) < 0)
		tool_die(&e);
	exit(STATUS_OK);
}

int main(int argc, char **argv)
{
	static struct probe p;
	static struct out out;
	struct options o = {0};

	tool_init("ipcprobe", help);
	take_options(&o, &p, argc, argv);
	if (o.list) {
		tool_output(&out, o.output);
		list_suites(&out);
	}
	if (optind < argc && strcmp(argv[optind], "report") == 0)
		report(&o, argc, argv);
	if (optind < argc &&
	    (strcmp(argv[optind], "check") == 0 || strcmp(argv[optind], "advise") == 0))
		read_results(&o, argc, argv, &out);
	measure(&p, &o, argc, argv, &out);
}
