#include "lib/serve_impl.h"
#include "lib/mem.h"
#include "lib/num.h"

#define SLOTS_SHOWN 256 /* so that the text is bounded */

static void put_number(struct out *o, const char *name, uint64_t v)
{
	out_printf(o, "%s\t%llu\n", name, (unsigned long long)v);
}

static void put_stage(struct out *o, const char *prefix, const char *stage, const struct hist *h)
{
	static const struct {
		const char *name;
		double p;
	} points[] = {{"p50", 50}, {"p99", 99}, {"p99.9", 99.9}, {"max", 100}};
	uint64_t ns;

	out_printf(o, "%s%s_n\t%llu\n", prefix, stage, (unsigned long long)h->n);
	for (size_t i = 0; h->n && i < sizeof points / sizeof points[0]; i++)
		if (hist_percentile(h, points[i].p, &ns) == 0)
			out_printf(o, "%s%s_%s_ns\t%llu\n", prefix, stage, points[i].name,
			    (unsigned long long)ns);
}

static void put_counts(struct out *o, const struct serve_stats *t)
{
	for (unsigned op = 0; op < OP_COUNT; op++)
		out_printf(o, "requests_%s\t%llu\n", frame_op_name(op),
		    (unsigned long long)t->requests[op]);
	for (unsigned op = 0; op < OP_COUNT; op++)
		if (t->dry[op])
			out_printf(
			    o, "dry_%s\t%llu\n", frame_op_name(op), (unsigned long long)t->dry[op]);
	for (unsigned code = 1; code <= FRAME_UNSUPPORTED; code++)
		out_printf(o, "errors_%u\t%llu\n", code, (unsigned long long)t->errors[code]);
	put_number(o, "slot_hits", t->slot_hits);
	put_number(o, "slot_misses", t->slot_misses);
	put_number(o, "rings", t->rings);
	put_number(o, "ring_broken", t->ring_broken);
	put_number(o, "gate_sets", t->gate_sets);
	put_number(o, "gate_differ", t->gate_differ);
	put_number(o, "bytes_in", t->bytes_in);
	put_number(o, "bytes_out", t->bytes_out);
}

static void put_grant(void *user, const char *name, const struct cpu_grant *g)
{
	out_printf(
	    user, "%s\t%s%s%s\n", name, cpu_state_name(g->state), *g->text ? ": " : "", g->text);
}

static void put_slots(struct out *o, const struct slots *slots)
{
	size_t shown = 0;

	for (size_t i = 0; i < slots_count(slots) && shown < SLOTS_SHOWN; i++) {
		const struct snapshot *p = slots_peek(slots, i);

		if (!p)
			continue;
		shown++;
		out_printf(o, "slot_%zu_version\t%llu\nslot_%zu_bars\t%zu\n", i,
		    (unsigned long long)p->version, i, p->n_bars);
	}
}

void serve_write_stats(struct serve *s, struct out *o)
{
	const struct serve_stats *t = s->config.stats;
	uint64_t now = clock_ns();
	struct mem_use m = mem_use();
	char fee[NUM_MAX];
	size_t n = num_format(fee, s->config.fee);

	put_number(o, "uptime_ns", now - t->start_ns);
	out_printf(o, "kernel\t%s\nisa\t%s\nfee\t%.*s\n",
	    hma_kernel_name(s->config.kernel == HMA_AUTO ? HMA_FILTERED : s->config.kernel),
	    hma_isa(), (int)n, fee);
	put_number(o, "threads", s->config.threads);
	out_printf(o, "wait\t%s\n", s->config.spin ? "spin" : "block");
	placement_each(&s->config.placement, put_grant, o);
	put_number(o, "connections_now", s->n_conns);
	put_number(o, "connections", t->connections);
	put_number(o, "refused", t->refused);
	put_number(o, "resets", t->resets);
	put_number(o, "idle_closed", t->idle_closed);
	put_counts(o, t);
	out_printf(o, "rate_1s\t%.1f\nrate_60s\t%.1f\n", serve_stats_rate(t, now, 1),
	    serve_stats_rate(t, now, 60));
	put_number(o, "mem_bytes", m.bytes);
	put_number(o, "mem_peak_bytes", m.peak_bytes);
	put_number(o, "allocations", m.calls);
	put_number(o, "trace_recorded", s->trace.count);
	put_number(o, "trace_dumps", t->dumps);
	put_slots(o, s->slots);
	for (int i = 0; i < STAGE_COUNT; i++)
		put_stage(o, "", stage_names[i], &t->stage[i]);
	for (int i = 0; i < STAGE_COUNT; i++)
		put_stage(o, "dry_", stage_names[i], &t->dry_stage[i]);
}
