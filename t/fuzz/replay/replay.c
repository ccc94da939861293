/* A fuzzer without its engine: the inputs named are run once each. */
#include "t/fuzz/fuzz.h"

#include <stdio.h>

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "rb");
		uint8_t *data = malloc(1 << 20);
		size_t n;

		must(f && data);
		n = fread(data, 1, 1 << 20, f);
		fclose(f);
		/* A block of just the size, as libFuzzer's are. */
		data = realloc(data, n ? n : 1);
		fprintf(stderr, "%s\n", argv[i]);
		LLVMFuzzerTestOneInput(data, n);
		free(data);
	}
	return 0;
}
