#include "lib/load_conn.h"

#include <stdio.h>
#include <string.h>

const char *const load_fault_names[LOAD_FAULTS] = {
    "wrong", "short", "long", "twice", "unasked", "refused", "late", "missing", "closed"};

void load_conn_fault(struct load_conn *c, enum load_fault f, uint64_t number, const char *text)
{
	if (!c->tally->first_fault[0])
		snprintf(c->tally->first_fault, sizeof c->tally->first_fault,
		    "connection %zu, request %llu: %s: %s", c->index + 1,
		    (unsigned long long)number, load_fault_names[f], text);
	c->tally->faults[f]++;
}

/* stamp: in front of the reply, or NULL. Below 0, by another host's clock, it is counted apart. */
static void record(
    struct load_conn *c, const struct load_entry *n, const unsigned char *stamp, uint64_t now)
{
	struct load_tally *t = c->tally;
	const struct load_config *k = c->config;

	if (!n->measured)
		return;
	t->answered++;
	t->last_answer_ns = now;
	hist_record(&t->response, (int64_t)(now - n->due));
	hist_record(&t->service, (int64_t)(now - n->sent));
	if (k->one_way && stamp) {
		hist_record(&t->there, (int64_t)(get_u64(stamp) - n->sent));
		hist_record(&t->back, (int64_t)(now - get_u64(stamp + 24)));
	}
	if (t->intervals)
		hist_record(&t->interval[t->recording], (int64_t)(now - n->due));
	if (k->on_sample) {
		pthread_mutex_lock(c->sample_lock);
		k->on_sample(k->user, c->index, (int64_t)(n->due - c->start),
		    (int64_t)(n->sent - c->start), (int64_t)(now - c->start));
		pthread_mutex_unlock(c->sample_lock);
	}
}

/* Where a body of n bytes differs from what was wanted, or n. */
static size_t first_difference(const unsigned char *a, const unsigned char *b, size_t n)
{
	size_t i = 0;

	if (n == 0 || memcmp(a, b, n) == 0)
		return n;
	while (a[i] == b[i])
		i++;
	return i;
}

/* The reply to a tick by our own arithmetic; every one advances the state, whatever came. */
static size_t check_tick(
    struct load_conn *c, const struct load_request *r, const unsigned char *body)
{
	double closes[512];
	unsigned char want[24];
	struct hma_result result = {0};
	size_t n = (r->len - r->head) / 8, i = 0, step;

	for (; i < n; i += step) {
		step = n - i < 512 ? n - i : 512;
		memcpy(closes, r->frame + r->head + 8 * i, 8 * step);
		hma_live_tick(c->live, closes, step, &result);
	}
	put_f64(want, result.pnl);
	put_u64(want + 8, (uint64_t)result.trades);
	put_u64(want + 16, (uint64_t)result.side);
	return body ? first_difference(body, want, sizeof want) : 0;
}

static size_t check(struct load_conn *c, const struct load_entry *n, const unsigned char *body)
{
	const struct load_request *r = n->request;
	unsigned char number[8];
	size_t at;

	switch (r->want) {
	case LOAD_WANT_BYTES: return first_difference(body, r->bytes, r->n);
	case LOAD_WANT_TICK: return check_tick(c, r, body);
	case LOAD_WANT_ECHO:
		if (r->n < 8)
			return r->n;
		put_u64(number, n->number);
		at = first_difference(body, number, 8);
		return at < 8 ? at
			      : 8 + first_difference(body + 8, r->frame + r->head + 8, r->n - 8);
	default: return r->n;
	}
}

/* Whether the body is the echo before the one that is due. */
static int is_repeated(
    const struct load_conn *c, const struct load_entry *n, const unsigned char *body)
{
	return n->request->want == LOAD_WANT_ECHO && n->request->n >= 8 && c->last_answered &&
	       get_u64(body) == c->last_answered;
}

static void answered(
    struct load_conn *c, struct load_entry *n, const unsigned char *body, uint64_t now)
{
	const unsigned char *stamp = n->request->stamp ? body : NULL;

	c->last_answered = n->number;
	c->head++;
	if (now - n->sent > c->config->timeout_ns)
		load_conn_fault(c, LOAD_LATE, n->number, "the reply came after the timeout");
	else
		record(c, n, stamp, now);
}

/* A reply that is wrong takes its request's place all the same. */
static void answered_wrongly(
    struct load_conn *c, struct load_entry *n, enum load_fault f, const char *text)
{
	if (n->request->want == LOAD_WANT_TICK && f != LOAD_WRONG)
		check_tick(c, n->request, NULL);
	load_conn_fault(c, f, n->number, text);
	c->last_answered = n->number;
	c->head++;
}

static void refused(
    struct load_conn *c, struct load_entry *n, uint32_t word, const unsigned char *body)
{
	char text[300], quoted[200];
	size_t len = word & ~FRAME_ERROR_BIT;
	uint32_t code = len >= 4 ? get_u32(body) : 0;

	err_quote(quoted, sizeof quoted, body + 4, len >= 4 ? len - 4 : 0);
	snprintf(text, sizeof text, "error %u (%s): %s", code, frame_error_name(code), quoted);
	answered_wrongly(c, n, LOAD_REFUSED, text);
}

/* Nothing is under way: the last reply again, or something else. */
static void unasked(struct load_conn *c, uint32_t word, const unsigned char *body)
{
	const struct load_entry *n = &c->q[(c->head - 1) & c->mask];
	const struct load_request *r = n->request;

	if (c->last_answered && r->want != LOAD_WANT_TICK && word == r->stamp + r->n &&
	    check(c, n, body + r->stamp) == r->n)
		load_conn_fault(c, LOAD_TWICE, c->last_answered, "its reply came twice");
	else
		load_conn_fault(
		    c, LOAD_UNASKED, c->last_answered, "a reply too many follows this one");
}

/*
 * Echoes say which request they answer: when it is a later one, those before
 * it have been passed over. The entry that the reply is for, in any case.
 */
static struct load_entry *pass_over(struct load_conn *c, uint32_t word, const unsigned char *body)
{
	struct load_entry *n = &c->q[c->head & c->mask];
	const struct load_request *r = n->request;
	uint64_t number;

	if (r->want != LOAD_WANT_ECHO || r->n < 8 || word != r->n)
		return n;
	number = get_u64(body);
	if (number <= n->number || number - n->number >= c->next - c->head)
		return n;
	while (n->number < number) {
		load_conn_fault(c, LOAD_MISSING, n->number, "the reply to a later request came");
		n = &c->q[++c->head & c->mask];
	}
	return n;
}

/* One whole reply against the request it has to answer. */
static void judge(struct load_conn *c, uint32_t word, const unsigned char *body, uint64_t now)
{
	struct load_entry *n;
	const struct load_request *r;
	size_t at;
	char text[120];

	if (c->head == c->next) {
		unasked(c, word, body);
		return;
	}
	n = c->config->verify ? pass_over(c, word, body) : &c->q[c->head & c->mask];
	r = n->request;
	if (word & FRAME_ERROR_BIT) {
		refused(c, n, word, body);
		return;
	}
	if (r->want != LOAD_WANT_ANY && word != r->stamp + r->n) {
		snprintf(text, sizeof text, "%u byte%s where %zu were due", word, err_plural(word),
		    r->stamp + r->n);
		answered_wrongly(c, n, word < r->stamp + r->n ? LOAD_SHORT : LOAD_LONG, text);
		return;
	}
	at = c->config->verify ? check(c, n, body + r->stamp) : r->n;
	if (at == r->n || r->want == LOAD_WANT_ANY) {
		answered(c, n, body, now);
	} else if (is_repeated(c, n, body + r->stamp)) {
		load_conn_fault(c, LOAD_TWICE, c->last_answered, "its reply came twice");
	} else {
		snprintf(text, sizeof text, "byte %zu of %zu differs", at, r->n);
		answered_wrongly(c, n, LOAD_WRONG, text);
	}
}

void load_conn_take(struct load_conn *c, uint64_t now)
{
	size_t at = 0;

	while (c->in_len - at >= 4) {
		uint32_t word = get_u32(c->in + at);
		uint64_t len = word & ~FRAME_ERROR_BIT;

		if (4 + len > c->in_cap) {
			/* No reply is that long: its request is judged by the length alone. */
			judge(c, word & FRAME_ERROR_BIT ? FRAME_ERROR_BIT : word, c->in + at, now);
			c->skip = 4 + len - (c->in_len - at);
			at = c->in_len;
			break;
		}
		if (c->in_len - at < 4 + len)
			break;
		judge(c, word, c->in + at + 4, now);
		at += 4 + (size_t)len;
	}
	if (at && at < c->in_len)
		memmove(c->in, c->in + at, c->in_len - at);
	c->in_len -= at;
}
