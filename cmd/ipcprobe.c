#include "cmd/probe_options.h"
#include "cmd/tool.h"

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
    "       ipcprobe advise --compute TIME --bytes SIZE --calls N [--rate R] [-f FORMAT]\n"
    "                [-o FILE] RESULT\n"
    "       ipcprobe report -O DIR RESULT\n"
    "       ipcprobe check [--tolerance T] [-o FILE] BASELINE RESULT [RESULT2]\n"
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

static void list_suites(const struct probe_options *o, struct out *out)
{
	tool_output(out, o->output);
	for (size_t i = 0; i < PROBE_SUITES; i++)
		out_printf(out, "%s\t%s\n", probe_suites[i].name, probe_suites[i].answers);
	tool_finish(out, STATUS_OK);
}

static void write_result(const struct result *r, int format, struct out *out)
{
	static void (*const write[])(const struct result *, struct out *) = {
	    result_write_text, result_write_tsv, result_write_json, result_write_markdown};

	write[format](r, out);
}

/*
 * What a suite could not do is said and stands in the result, and the others still
 * run; but results that differ end all. 0, or 1 where it failed.
 */
static int run_suite(struct probe *p, const struct probe_suite *suite, struct out *out)
{
	struct err e;
	struct row *row;

	if (suite->run(p, &e) == 0 || probe_stopped())
		return 0;
	row =
	    e.status == STATUS_DIFFER ? NULL : row_add(&p->result, suite->name, "the suite", "ns");
	if (!row) {
		out_abort(out);
		tool_die(&e);
	}
	row_skip(row, "%.230s", e.text);
	row->state = ROW_FAILED;
	tool_say("%s", e.text);
	return 1;
}

static void measure(
    struct probe *p, const struct probe_options *o, int argc, char **argv, struct out *out)
{
	struct host_watch since;
	struct err e;
	int failed = 0;

	probe_catch_signals();
	p->tools = own_directory();
	p->progress = io_is_terminal(STDERR_FILENO);
	if (probe_workload(p, o->workload, &e) < 0 ||
	    result_describe(&p->result, argc, argv, &e) < 0 || out_open(out, o->output, &e) < 0)
		tool_die(&e);
	p->result.quick = p->quick;
	host_watch(&since);
	for (size_t i = 0; i < PROBE_SUITES && !probe_stopped(); i++)
		if (o->suite[i])
			failed |= run_suite(p, &probe_suites[i], out);
	probe_progress(p, "%s", "");
	p->result.interrupted = probe_stopped();
	result_noise(p, &since);
	write_result(&p->result, o->format, out);
	probe_free(p);
	tool_finish(out, failed || probe_stopped() ? STATUS_FAILED : STATUS_OK);
}

/* check and advise: result files in, text out, nothing measured. */
static void read_results(const struct probe_options *o, struct out *out)
{
	struct err e;
	int status;

	tool_output(out, o->output);
	status = o->command == ADVISE
		     ? probe_advise(o->file[0], &o->question, o->format, out, &e)
		     : probe_check(o->file[0], o->file[1], o->n_files == 3 ? o->file[2] : NULL,
			   o->tolerance, out, &e);
	if (status < 0) {
		out_abort(out);
		tool_die(&e);
	}
	tool_finish(out, (enum status)status);
}

static void report(const struct probe_options *o)
{
	struct err e;

	if (probe_report(o->file[0], o->directory, &e) < 0)
		tool_die(&e);
	exit(STATUS_OK);
}

int main(int argc, char **argv)
{
	static struct probe p;
	static struct out out;
	struct probe_options o;

	tool_init("ipcprobe", help);
	probe_options(&o, &p, argc, argv);
	switch (o.command) {
	case LIST: list_suites(&o, &out); break;
	case REPORT: report(&o); break;
	case ADVISE:
	case CHECK: read_results(&o, &out); break;
	case MEASURE: measure(&p, &o, argc, argv, &out); break;
	}
}
