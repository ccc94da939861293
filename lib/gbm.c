#include "lib/gbm.h"
#include "lib/exp.h"

#include <math.h>

void gbm_init(struct gbm *g, const struct gbm_params *p)
{
	*g = (struct gbm){.params = *p};
	rng_seed(&g->rng, p->seed);
}

int gbm_next(struct gbm *g, double *closes, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		double c;

		g->sum += g->params.mu + g->params.sigma * rng_normal(&g->rng);
		c = g->params.start * exp_rounded(g->sum);
		g->bars++;
		if (!(c > 0.0 && c < HUGE_VAL))
			return err_set(e, STATUS_FAILED,
			    "bar %llu: the close is %s, not a price above 0: take a mu or sigma "
			    "nearer to 0",
			    (unsigned long long)g->bars,
			    c > 0.0    ? "infinite"
			    : c == 0.0 ? "0"
				       : "nan");
		closes[i] = c;
	}
	return 0;
}
