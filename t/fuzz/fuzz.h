/*
 * What the fuzzers share. libFuzzer hands the input over in a heap block of just its size, so that
 * AddressSanitizer guards both of its ends; blocks written to come from malloc
 * for the same reason.
 */
#ifndef IPCTAX_FUZZ_H
#define IPCTAX_FUZZ_H

#include "lib/bytes.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold; a failure is a crash that libFuzzer reports and keeps. */
static inline void must(int holds)
{
	if (!holds)
		abort();
}

static inline void must_be_same(const struct buf *a, const struct buf *b)
{
	must(a->len == b->len && (a->len == 0 || memcmp(a->p, b->p, a->len) == 0));
}

#endif
