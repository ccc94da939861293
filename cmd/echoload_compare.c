#include "cmd/echoload.h"
#include "lib/load_compare.h"

#include <string.h>

static const char *const names[] = {
    "op", "bytes", "percentile", "a_n", "b_n", "a_ns", "b_ns", "b_over_a", "low95", "high95"};
static const double percentiles[] = {50, 90, 99, 99.9};

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void put_pair(struct report *t, const struct load_saved *a, const struct load_saved *b)
{
	for (size_t i = 0; i < COUNT(percentiles); i++) {
		struct load_ratio r = load_compare(a->response, b->response, percentiles[i]);

		report_text(t, a->op);
		report_u64(t, a->bytes);
		report_real(t, percentiles[i]);
		report_u64(t, a->response->n);
		report_u64(t, b->response->n);
		report_maybe(t, r.known, r.a_ns);
		report_maybe(t, r.known, r.b_ns);
		if (r.known) {
			report_fixed(t, r.ratio, 4);
			report_fixed(t, r.low, 4);
			report_fixed(t, r.high, 4);
		} else {
			report_null(t);
			report_null(t);
			report_null(t);
		}
	}
}

/* Runs of the same op and size, in the order of a. How many there were. */
static size_t put_pairs(
    struct report *t, const struct load_document *a, const struct load_document *b)
{
	size_t pairs = 0;

	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < b->n; k++)
			if (strcmp(a->runs[i].op, b->runs[k].op) == 0 &&
			    a->runs[i].bytes == b->runs[k].bytes) {
				put_pair(t, &a->runs[i], &b->runs[k]);
				pairs++;
				break;
			}
	return pairs;
}

static void read_document(struct load_document *d, const char *path)
{
	const char *name;
	struct err e;
	int fd = io_open(path, &name, &e);

	if (fd < 0 || load_document_read(d, fd, name, &e) < 0)
		tool_die(&e);
}

_Noreturn void run_compare(struct options *o)
{
	static struct out out;
	struct load_document a, b;
	struct json_writer json;
	struct report t;
	struct err e;
	enum report_format f;

	read_document(&a, o->compare[0]);
	read_document(&b, o->compare[1]);
	if (out_open(&out, o->output, &e) < 0)
		tool_die(&e);
	f = o->format == FORMAT_JSON                              ? REPORT_JSON
	    : o->format == FORMAT_TSV                             ? REPORT_TSV
	    : o->format == FORMAT_AUTO && !io_is_terminal(out.fd) ? REPORT_TSV
								  : REPORT_TABLE;
	json_to_out(&json, &out, 1);
	report_begin(&t, f, &out, &json, names, COUNT(names));
	if (put_pairs(&t, &a, &b) == 0) {
		out_abort(&out);
		tool_fail(STATUS_INPUT, "%s and %s have no run of the same op and size",
		    o->compare[0], o->compare[1]);
	}
	if (report_end(&t, &e) < 0)
		tool_die(&e);
	load_document_free(&a);
	load_document_free(&b);
	tool_finish(&out, STATUS_OK);
}
