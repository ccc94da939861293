#include "lib/num_write.h"

#define SIXTEEN(is, k)                                                                            \
	is(0, k), is(1, k), is(2, k), is(3, k), is(4, k), is(5, k), is(6, k), is(7, k), is(8, k), \
	    is(9, k), is(10, k), is(11, k), is(12, k), is(13, k), is(14, k), is(15, k)
#define BEFORE(i, k) ((i) < (k) ? 255 : 0)
#define BEHIND(i, k) ((i) > (k) ? 255 : 0)
#define ASCII(i, k) ((i) == (k) ? '.' : '0')
#define SHAPE(k)                                                                 \
	{                                                                        \
		{SIXTEEN(BEFORE, k)}, {SIXTEEN(BEHIND, k)}, {SIXTEEN(ASCII, k)}, \
		    (uint32_t)1 << ((k) > 0 ? (k) : 0), (k) > 0 ? 0 : 1 - (k)    \
	}

_Alignas(64) const struct num_shape num_shapes[NUM_SHAPE_MAX - NUM_SHAPE_MIN + 1] = {SHAPE(-4),
    SHAPE(-3), SHAPE(-2), SHAPE(-1), SHAPE(0), SHAPE(1), SHAPE(2), SHAPE(3), SHAPE(4), SHAPE(5),
    SHAPE(6), SHAPE(7), SHAPE(8), SHAPE(9), SHAPE(10), SHAPE(11), SHAPE(12), SHAPE(13), SHAPE(14),
    SHAPE(15)};

#if defined __SSE2__ && !defined NUM_PORTABLE
#define TEN ((10 << 8) - 1)
_Alignas(16) const uint16_t num_tens[8] = {TEN, TEN, TEN, TEN, TEN, TEN, TEN, TEN};
#endif
