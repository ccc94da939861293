/* Private to suite claims: a verdict, and the findings that take more than one comparison. */
#ifndef IPCTAX_PROBE_CLAIMS_H
#define IPCTAX_PROBE_CLAIMS_H

#include "cmd/probe.h"

enum claim_verdict { CLAIM_HOLDS, CLAIM_HOLDS_NOT, CLAIM_NOT_MEASURABLE };

struct claim {
	enum claim_verdict verdict;
	const struct row *evidence; /* the row it rests on, or NULL */
	char here[160];             /* the figure, or why there is none */
};

/* "median", "ratio", "ratio_high", "p50" ... "p9999", or the name of an extra; NaN where it is not
 * known. */
double claim_field(const struct row *row, const char *field);

/* The same of the row of that suite and name. */
double claim_figure(const struct probe *p, const char *suite, const char *row, const char *field);

/* The verdict: holds, or not. */
void claim_decide(struct claim *c, int holds);

/* Not measurable: why the row was skipped, or that it is not there. */
void claim_missing(struct claim *c, const struct row *row, const char *suite, const char *name);

/* Who judges a finding, by its id. */
struct claim_judge {
	const char *id;
	void (*judge)(const struct probe *p, struct claim *c);
};
extern const struct claim_judge claim_boundary[]; /* those about boundaries; a NULL id ends it */

/* Judges the finding of that id when it is one of those; whether it is. */
int claim_special(const struct probe *p, const char *id, struct claim *c);

#endif
