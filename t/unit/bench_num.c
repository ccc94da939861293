/*
 * Numbers as text against libc, in turns within one run, on the default close
 * series. Usage: bench_num [ROUNDS]; a table on stdout. memcpy of the raw closes is
 * the yardstick; encoding is into a buffer that is warm.
 */
#include "lib/clock.h"
#include "lib/codec_csv.h"
#include "lib/gbm.h"
#include "lib/json.h"
#include "lib/num.h"
#include "lib/stat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BARS 150000
#define ROUNDS_MAX 1001

static double closes[BARS], back[BARS];
static char text17[BARS * 32];
static struct buf text, json, csv, decoded;
static struct err e;

static void copy_raw(void)
{
	memcpy(back, closes, sizeof back);
}

static void libc_encode(void)
{
	char *p = text17;

	for (size_t i = 0; i < BARS; i++)
		p += sprintf(p, "%.17g", closes[i]) + 1;
}

static void libc_decode(void)
{
	const char *p = text17;
	char *end;

	for (size_t i = 0; i < BARS; i++) {
		back[i] = strtod(p, &end);
		p = end + 1;
	}
}

static void our_encode(void)
{
	char *p = (char *)text.p;

	for (size_t i = 0; i < BARS; i++) {
		p += num_format(p, closes[i]);
		*p++ = '\0';
	}
	text.len = (size_t)(p - (char *)text.p);
}

static void our_decode(void)
{
	const char *p = (const char *)text.p, *end = p + text.len;
	size_t used;

	for (size_t i = 0; i < BARS; i++) {
		num_parse(p, (size_t)(end - p), &back[i], &used);
		p += used + 1;
	}
}

/* libc's text, which has more digits, read by us: strtod's own task. */
static void our_decode17(void)
{
	const char *p = text17, *end = text17 + sizeof text17;
	size_t used;

	for (size_t i = 0; i < BARS; i++) {
		num_parse(p, (size_t)(end - p), &back[i], &used);
		p += used + 1;
	}
}

static void json_encode(void)
{
	struct json_writer w;

	json.len = 0;
	json_to_buf(&w, &json, 0);
	json_put_array(&w);
	json_put_doubles(&w, closes, BARS);
	json_put_close(&w);
}

static void json_decode(void)
{
	struct json j;

	decoded.len = 0;
	json_init(&j, "json", json.p, json.len);
	json_next(&j, &e);
	json_numbers(&j, &decoded, &e);
}

static void csv_encode(void)
{
	csv.len = 0;
	codec_csv_write(&csv, closes, BARS);
}

static void csv_decode(void)
{
	decoded.len = 0;
	codec_csv_closes(&decoded, "csv", csv.p, csv.len, NULL, NULL, &e);
}

static const struct {
	const char *name;
	void (*run)(void);
	int against; /* the row it is compared with */
} tasks[] = {{"memcpy", copy_raw, 0}, {"printf %.17g", libc_encode, 1},
    {"num_format", our_encode, 1}, {"json encode", json_encode, 1}, {"csv encode", csv_encode, 1},
    {"strtod", libc_decode, 5}, {"num_parse", our_decode, 5},
    {"num_parse of %.17g", our_decode17, 5}, {"json decode", json_decode, 5},
    {"csv decode", csv_decode, 5}};
#define TASKS (sizeof tasks / sizeof *tasks)

static double ns[TASKS][ROUNDS_MAX], scratch[ROUNDS_MAX];

static void measure(size_t rounds)
{
	uint64_t start;

	for (size_t round = 0; round < rounds; round++) {
		for (size_t i = 0; i < TASKS; i++) {
			/* There and back, so that drift within a round cancels too. */
			size_t task = round % 2 ? TASKS - 1 - i : i;

			start = clock_ns();
			tasks[task].run();
			ns[task][round] = (double)(clock_ns() - start);
		}
	}
}

int main(int argc, char **argv)
{
	size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 15;
	struct gbm g;

	rounds = rounds < 1 ? 1 : rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds;
	gbm_init(&g, &GBM_DEFAULTS);
	if (gbm_next(&g, closes, BARS, &e) < 0 || buf_reserve(&text, BARS * (size_t)NUM_MAX) < 0)
		return 1;
	for (size_t i = 0; i < TASKS; i++)
		tasks[i].run();
	if (memcmp(back, closes, sizeof back) != 0 || decoded.len != sizeof closes ||
	    memcmp(decoded.p, closes, sizeof closes) != 0)
		return 1;
	measure(rounds);
	printf("task\tmedian_us\tmin_us\tmax_us\tns_value\tx_memcpy\tfaster\tfaster_low\tfaster_"
	       "high\tn\n");
	for (size_t i = 0; i < TASKS; i++) {
		struct stat_ratio memcpys = stat_ratio_paired(ns[i], ns[0], rounds, scratch);
		struct stat_ratio libc =
		    stat_ratio_paired(ns[tasks[i].against], ns[i], rounds, scratch);
		double sorted[ROUNDS_MAX];
		struct stat_range r;

		memcpy(sorted, ns[i], rounds * sizeof *sorted);
		r = stat_range(sorted, rounds);
		printf("%s\t%.0f\t%.0f\t%.0f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%zu\n", tasks[i].name,
		    r.median / 1e3, r.min / 1e3, r.max / 1e3, r.median / BARS, memcpys.ratio,
		    libc.ratio, libc.low, libc.high, rounds);
	}
	return 0;
}
