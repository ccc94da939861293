#include "cmd/probe_options.h"
#include "cmd/tool.h"
#include "lib/mem.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

const char *const probe_formats[] = {"table", "tsv", "json", "markdown", NULL};

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

/* Where each option belongs, to be refused elsewhere rather than ignored. */
static const struct {
	struct option option;
	unsigned commands;
} options[] = {{{"format", required_argument, NULL, 'f'}, MEASURE | ADVISE},
    {{"output", required_argument, NULL, 'o'}, MEASURE | LIST | ADVISE | CHECK},
    {{"directory", required_argument, NULL, 'O'}, REPORT}, {{"list", no_argument, NULL, 'l'}, LIST},
    {{"quick", no_argument, NULL, OPT_QUICK}, MEASURE},
    {{"rounds", required_argument, NULL, OPT_ROUNDS}, MEASURE},
    {{"engine", required_argument, NULL, OPT_ENGINE}, MEASURE},
    {{"name", required_argument, NULL, OPT_NAME}, MEASURE},
    {{"tolerance", required_argument, NULL, OPT_TOLERANCE}, CHECK},
    {{"compute", required_argument, NULL, OPT_COMPUTE}, ADVISE},
    {{"bytes", required_argument, NULL, OPT_BYTES}, ADVISE},
    {{"calls", required_argument, NULL, OPT_CALLS}, ADVISE},
    {{"rate", required_argument, NULL, OPT_RATE}, ADVISE}};
#define OPTIONS (sizeof options / sizeof options[0])

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

static void take_option(struct probe_options *o, struct probe *p, int c)
{
	switch (c) {
	case 'f': o->format = tool_choice("--format", optarg, probe_formats); break;
	case 'o': o->output = optarg; break;
	case 'O': o->directory = optarg; break;
	case 'l': o->command = LIST; break;
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

/* Operands are suites, in any order, then perhaps the workload's file. */
static void take_suites(struct probe_options *o, int argc, char **argv)
{
	int any = 0;

	for (int i = optind; i < argc; i++) {
		size_t k = 0;

		while (k < PROBE_SUITES && strcmp(argv[i], probe_suites[k].name) != 0)
			k++;
		if (k < PROBE_SUITES)
			o->suite[k] = any = 1;
		else if (strcmp(argv[i], "all") == 0)
			for (any = 1, k = 0; k < PROBE_SUITES; k++)
				o->suite[k] = 1;
		else if (i == argc - 1 && any)
			o->workload = argv[i];
		else
			tool_usage("'%s' is no suite; ipcprobe -l lists them", argv[i]);
	}
	/* Its verdicts rest on the rows of all the others. */
	for (size_t k = 0; k < PROBE_SUITES && o->suite[PROBE_SUITES - 1]; k++)
		o->suite[k] = 1;
	if (!any)
		tool_usage("name a suite, or all; ipcprobe -l lists them");
}

static int asked(const struct probe_options *o, const char *suite)
{
	for (size_t k = 0; k < PROBE_SUITES; k++)
		if (o->suite[k] && strcmp(probe_suites[k].name, suite) == 0)
			return 1;
	return 0;
}

static void take_files(struct probe_options *o, int argc, char **argv)
{
	o->file = argv + optind + 1;
	o->n_files = argc - optind - 1;
	if (o->command == ADVISE && o->n_files != 1)
		tool_usage("advise takes one RESULT");
	if (o->command == CHECK && (o->n_files < 2 || o->n_files > 3))
		tool_usage("check takes BASELINE RESULT [RESULT2]");
	if (o->command == REPORT && (o->n_files != 1 || !o->directory))
		tool_usage("report takes -O DIR and one RESULT");
	if (o->command == ADVISE && (!o->question.compute_ns || !o->question.calls))
		tool_usage("advise needs --compute TIME above 0 and --calls N (and --bytes SIZE)");
}

static enum probe_command command_of(const char *word)
{
	return strcmp(word, "advise") == 0   ? ADVISE
	       : strcmp(word, "report") == 0 ? REPORT
	       : strcmp(word, "check") == 0  ? CHECK
					     : MEASURE;
}

static void refuse_others(const struct probe_options *o, const int *given)
{
	for (size_t i = 0; i < OPTIONS; i++)
		if (given[i] && !(options[i].commands & o->command))
			tool_usage("--%s: not an option of %s", options[i].option.name,
			    o->command == MEASURE  ? "measuring"
			    : o->command == LIST   ? "--list"
			    : o->command == ADVISE ? "advise"
			    : o->command == REPORT ? "report"
						   : "check");
}

void probe_options(struct probe_options *o, struct probe *p, int argc, char **argv)
{
	struct option longs[OPTIONS + 1] = {0};
	int given[OPTIONS] = {0}, c;

	*o = (struct probe_options){.command = MEASURE, .format = -1};
	for (size_t i = 0; i < OPTIONS; i++)
		longs[i] = options[i].option;
	while ((c = tool_getopt(argc, argv, "f:o:O:l", longs)) != -1) {
		for (size_t i = 0; i < OPTIONS; i++)
			given[i] |= options[i].option.val == c;
		take_option(o, p, c);
	}
	if (o->format < 0)
		o->format = !o->output && io_is_terminal(STDOUT_FILENO) ? FORMAT_TABLE : FORMAT_TSV;
	if (o->command == LIST && optind < argc)
		tool_usage("--list takes no operand: '%s'", argv[optind]);
	if (o->command != LIST && optind < argc)
		o->command = command_of(argv[optind]);
	refuse_others(o, given);
	if (o->command == MEASURE)
		take_suites(o, argc, argv);
	else if (o->command != LIST)
		take_files(o, argc, argv);
	if (p->n_engines && !asked(o, "boundary") && !asked(o, "spawn") && !asked(o, "breakeven"))
		tool_usage("--engine: is measured by boundary, spawn and breakeven: name one");
}
