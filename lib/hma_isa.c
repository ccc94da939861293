#include "lib/hma_isa.h"
#include "lib/hma.h"

#include <stdatomic.h>
#include <string.h>

/* Best first. */
static const struct hma_isa *const known[] = {
#if defined __x86_64__
    &hma_isa_avx2,
    &hma_isa_sse2,
#elif defined __aarch64__
    &hma_isa_neon,
#endif
    &hma_isa_scalar,
};

/* Whether this processor, and the kernel that saves its registers, can. */
static int usable(const struct hma_isa *isa)
{
#if defined __x86_64__
	if (isa == &hma_isa_avx2)
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
		       __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
		       __builtin_cpu_supports("popcnt");
#endif
	(void)isa;
	return 1;
}

/* Every thread that finds it empty writes the same answer. */
static _Atomic(const struct hma_isa *) chosen;

const struct hma_isa *hma_isa_chosen(void)
{
	const struct hma_isa *isa = atomic_load_explicit(&chosen, memory_order_relaxed);

	for (size_t i = 0; !isa; i++)
		if (usable(known[i]))
			isa = known[i];
	atomic_store_explicit(&chosen, isa, memory_order_relaxed);
	return isa;
}

const char *hma_isa(void)
{
	return hma_isa_chosen()->name;
}

int hma_isa_force(const char *name)
{
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strcmp(name, known[i]->name) == 0 && usable(known[i])) {
			atomic_store_explicit(&chosen, known[i], memory_order_relaxed);
			return 0;
		}
	return -1;
}
