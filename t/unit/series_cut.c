/*
 * series_cut LIST DIR: every beginning of every file of the list, read with the file's options
 * as a regular file and as a pipe. It must give a series, or one line that says why not.
 */
#include "lib/io.h"
#include "lib/mem.h"
#include "lib/series.h"
#include "lib/series_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static unsigned long cuts;

/* The first n bytes at p behind a descriptor. */
static int source(const unsigned char *p, size_t n, int as_pipe)
{
	int ends[2];

	if (as_pipe) {
		if (pipe(ends) < 0 || io_write_all(ends[1], p, n) < 0)
			exit(2);
		close(ends[1]);
		return ends[0];
	}
	ends[0] = memfd_create("cut", 0);
	if (ends[0] < 0 || io_write_all(ends[0], p, n) < 0 || lseek(ends[0], 0, SEEK_SET) < 0)
		exit(2);
	return ends[0];
}

static int one(const struct series_options *o, int fd, struct err *e)
{
	struct series s;
	double x[7];
	int64_t got = 7;

	e->text[0] = '\0';
	if (series_open(&s, o, fd, "cut", e) < 0)
		return -1;
	while (got == 7)
		got = series_read(&s, x, 7, e);
	series_close(&s);
	return got < 0 ? -1 : 0;
}

static void cut(const char *file, const struct series_options *o, const unsigned char *p, size_t n)
{
	struct err e;

	for (int as_pipe = 0; as_pipe < 2; as_pipe++) {
		int fd = source(p, n, as_pipe);

		if (one(o, fd, &e) < 0 &&
		    (e.status != STATUS_INPUT || !*e.text || strchr(e.text, '\n') ||
			strncmp(e.text, "cut: ", 5))) {
			printf("%s: %zu bytes: status %d: %s\n", file, n, e.status, e.text);
			exit(1);
		}
		close(fd);
		cuts++;
	}
}

/* The words of an option list, as a shell would split them. */
static void set_options(struct series_options *o, char *words)
{
	static const char *const inputs[] = {"raw", "npy", "csv", "json", "frame"};
	char *save, *word = strtok_r(words, " ", &save);
	struct err e;

	for (; word; word = strtok_r(NULL, " ", &save)) {
		int flag = !strcmp(word, "--reverse") || !strcmp(word, "--unordered") ||
			   !strncmp(word, "--allow", 7);
		const char *value = flag || !strcmp(word, "-") ? NULL : strtok_r(NULL, " ", &save);

		for (int i = 0; value && i < 5; i++)
			if (!strcmp(word, "-i") && !strcmp(value, inputs[i]))
				o->format = (enum series_format)(SERIES_RAW + i);
		if (!strncmp(word, "--", 2) && series_option(o, word + 2, value, &e) < 0) {
			puts(e.text);
			exit(2);
		}
	}
}

int main(int argc, char **argv)
{
	char line[1024], path[4096];
	FILE *list = argc == 3 ? fopen(argv[1], "r") : NULL;
	uint64_t before;

	if (!list)
		return 2;
	while (fgets(line, sizeof line, list)) {
		struct series_options o = {0};
		char *save, *file = strtok_r(line, "\t", &save),
			    *words = strtok_r(NULL, "\t", &save);
		static unsigned char bytes[8192];
		FILE *f;
		size_t n;

		if (*file == '#')
			continue;
		set_options(&o, words);
		snprintf(path, sizeof path, "%s/%s", argv[2], file);
		f = fopen(path, "r");
		if (!f)
			return 2;
		n = fread(bytes, 1, sizeof bytes, f);
		fclose(f);
		before = mem_use().bytes;
		for (size_t k = 0; k <= n; k++)
			cut(file, &o, bytes, k);
		if (mem_use().bytes != before) {
			printf("%s: memory is left over\n", file);
			return 1;
		}
	}
	printf("%lu\n", cuts);
	return fclose(list) != 0;
}
