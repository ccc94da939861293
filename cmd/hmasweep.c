#include "cmd/tool.h"
#include "lib/cpu.h"
#include "lib/frame.h"
#include "lib/serve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: hmasweep [-k KERNEL] [-j THREADS] [-F FEE] [--gate] [--max-frame SIZE] [--stats]\n"
    "                [-o FILE]\n"
    "Answers request frames on stdin with reply frames on stdout.\n"
    "\n"
    "  -k, --kernel KERNEL  reference, checked, vector, filtered or auto (default)\n"
    "  -j, --threads N      compute threads (default 1; 0: as many as processors)\n"
    "  -F, --fee FEE        percentage points a trade (default 0.09)\n"
    "      --gate           compute with reference too; a difference is an error\n"
    "      --max-frame SIZE largest request body (default 256Mi)\n"
    "      --stats          statistics on stderr at the end\n"
    "  -o, --output FILE    write replies there instead of stdout\n"
    "      --help, --version\n";

enum { OPT_GATE = 256, OPT_MAX_FRAME, OPT_STATS };

static const struct option options[] = {
    {"kernel", required_argument, NULL, 'k'},
    {"threads", required_argument, NULL, 'j'},
    {"fee", required_argument, NULL, 'F'},
    {"gate", no_argument, NULL, OPT_GATE},
    {"max-frame", required_argument, NULL, OPT_MAX_FRAME},
    {"stats", no_argument, NULL, OPT_STATS},
    {"output", required_argument, NULL, 'o'},
    {0},
};

static struct serve_stats stats;
static struct out output;

struct choices {
	struct serve_config serve;
	const char *output;
	int stats;
	uint64_t errors; /* answered so far */
};

/* Says the first error; the others are in the replies. */
static void on_error(
    void *user, uint64_t number, uint64_t offset, enum frame_error code, const char *text)
{
	struct choices *c = user;

	(void)code;
	if (c->errors++ == 0)
		tool_say("<stdin>: frame %llu at byte %llu: %s", (unsigned long long)number,
		    (unsigned long long)offset, text);
}

static enum hma_kernel kernel_option(const char *text)
{
	static const char *const names[] = {
	    "reference", "checked", "vector", "filtered", "auto", NULL};

	return (enum hma_kernel)hma_kernel_by_name(names[tool_choice("-k", text, names)]);
}

static void parse(struct choices *c, int argc, char **argv)
{
	int o;

	while ((o = tool_getopt(argc, argv, "k:j:F:o:", options)) != -1) {
		switch (o) {
		case 'k': c->serve.kernel = kernel_option(optarg); break;
		case 'j': c->serve.threads = (unsigned)tool_int("-j", optarg, 0, 1024); break;
		case 'F': c->serve.fee = tool_double("-F", optarg); break;
		case 'o': c->output = optarg; break;
		case OPT_GATE: c->serve.gate = 1; break;
		case OPT_MAX_FRAME:
			c->serve.limits.frame = tool_size("--max-frame", optarg);
			if (c->serve.limits.frame < FRAME_HEAD ||
			    c->serve.limits.frame > FRAME_LIMIT_MAX)
				tool_usage("--max-frame: from 9 to 2147483647 bytes");
			break;
		case OPT_STATS: c->stats = 1; break;
		}
	}
	if (optind < argc)
		tool_usage("'%s': requests come from stdin, not from a file: hmasweep <FILE",
		    argv[optind]);
	if (c->serve.threads == 0)
		c->serve.threads = (unsigned)cpu_count();
}

/* The instruction set and the kernel, refused aloud where they do not compute as defined. */
static void check_kernel(enum hma_kernel kernel)
{
	const char *isa = getenv("IPCTAX_ISA");

	if (isa && *isa && hma_isa_force(isa) < 0)
		tool_usage("IPCTAX_ISA: '%.40s' is unknown or not in this machine", isa);
	if (hma_self_test(kernel) < 0)
		tool_fail(STATUS_FAILED,
		    "kernel %s (%s) differs from reference on this machine: use -k reference",
		    hma_kernel_name(kernel), hma_isa());
}

static void print_stats(struct serve *s)
{
	static struct out o;

	out_init(&o, STDERR_FILENO, "<stderr>");
	serve_write_stats(s, &o);
	out_flush(&o, NULL);
}

int main(int argc, char **argv)
{
	struct choices c = {.serve = {.kernel = HMA_AUTO,
				.fee = 0.09,
				.threads = 1,
				.limits = serve_default_limits,
				.stats = &stats,
				.on_error = on_error,
				.user = &c}};
	struct serve *s;
	struct err e;

	tool_init("hmasweep", help);
	parse(&c, argc, argv);
	check_kernel(c.serve.kernel);
	if (!c.output)
		tool_no_terminal("pipe it to unframe, or -o FILE");
	if (out_open(&output, c.output, &e) < 0)
		tool_die(&e);
	if (c.serve.threads == 1)
		c.serve.threads = 0; /* alone with one stream, the loop computes */
	s = serve_new(&c.serve, &e);
	if (!s || serve_add_stdio(s, STDIN_FILENO, output.fd, &e) < 0 || serve_run(s, &e) < 0) {
		out_abort(&output);
		tool_die(&e);
	}
	if (c.stats)
		print_stats(s);
	enum status status = serve_status(s);
	serve_free(s);
	tool_finish(&output, status);
}
