/* The look at a core's other thread: a figure, and the thread where and as free as it was. */
#include "lib/sibling.h"

#include <sched.h>
#include <stdio.h>

static int wrong(const char *what, double x)
{
	printf("%s: %g\n", what, x);
	return 1;
}

int main(void)
{
	cpu_set_t before, after;
	double x = sibling_pressure(), both;

	sched_getaffinity(0, sizeof before, &before);
	both = sibling_pressure_both();
	sched_getaffinity(0, sizeof after, &after);
	/* An interrupt may spoil a look, not turn it into none at all. */
	if (!(x > 0 && x < 100))
		return wrong("pressure", x);
	if (!(both > 0 && both < 100))
		return wrong("of both", both);
	if (!CPU_EQUAL(&before, &after))
		return wrong("processors allowed before, now others", CPU_COUNT(&after));
	return 0;
}
