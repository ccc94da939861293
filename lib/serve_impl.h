/* L4, private to lib/serve*.c: a connection and the server that it belongs to. */
#ifndef IPCTAX_SERVE_IMPL_H
#define IPCTAX_SERVE_IMPL_H

#include "lib/bytes.h"
#include "lib/clock.h"
#include "lib/codec_json.h"
#include "lib/message.h"
#include "lib/serve.h"
#include "lib/serve_live.h"
#include "lib/serve_trace.h"
#include "lib/serve_work.h"
#include "lib/slot.h"
#include "lib/transport_listen.h"

/* Frames begin here in the buffer, so that the closes behind 4 + 9 bytes lie on a cache line. */
#define IN_START (64 - 4 - FRAME_HEAD)

/* With more than this to send, the next request waits until it is sent. */
#define OUT_HIGH ((size_t)64 << 10)

/* Replies up to this size are copied; a larger echo is sent from where it was received. */
#define COPY_MAX ((size_t)4 << 10)

/*
 * Computations estimated shorter than this run on the loop; and where there is
 * one connection, and so nobody to wait but one who comes just then, these:
 * the way to a compute thread and back costs as much as the call.
 */
#define SHORT_NS 100e3
#define SHORT_ALONE_NS 1e6

/*
 * The same where the loop spins on one of two processors: a compute thread would
 * take turns, of milliseconds, with the loop or with a client that spins too.
 */
#define SHORT_SPINNING_NS 50e6

/* Requests of a connection that are all timed, then one in so many: a clock costs 32 ns and more.
 */
#define TIMED_ALL 64
#define TIMED_EVERY 16

enum conn_state {
	CONN_OPEN,
	CONN_LAST,   /* no more requests: what is to be sent is sent, then it ends */
	CONN_LINGER, /* all sent; reads and forgets, so that the peer sees the reply before a reset
		      */
	CONN_DEAD    /* to be freed when nothing refers to it */
};

/* What an epoll event belongs to; the first member of each such thing. */
enum source { SOURCE_CONN, SOURCE_LISTENER, SOURCE_POOL, SOURCE_SIGNAL, SOURCE_RING };

struct conn {
	enum source source;
	struct conn *next, *previous; /* all of them */
	struct conn *next_ready;      /* those with work left from their last turn */
	struct serve *serve;
	uint64_t id;
	enum conn_state state;
	unsigned lingers; /* 1 once it does */
	int ready, busy;  /* on the ready list; a computation runs */
	int queued;       /* the computation in hand went to a compute thread */
	int dead;         /* on the list of those to be freed */
	struct conn *next_dead;
	uint32_t events;   /* that epoll watches for; 0: not registered */
	uint64_t since_ns; /* of the last finished request, or of lingering */
	int off;           /* taken off epoll while it computes: the peer has hung up */
	int tcp;
	struct transport *transport;
	struct transport stream;
	struct ring_conn *ring; /* frames go by it instead; or NULL */
	int untimed;            /* no clock is read for the request in hand */

	/* Input: bytes at..in.len are unread; a frame's head is parsed once. */
	struct buf in;
	size_t at;
	uint64_t skip; /* bytes of a refused body still to come */
	int ended;     /* the peer's end was seen */
	int in_hand;   /* a request has begun and is not answered yet */
	int head_known;
	struct codec_json_request json;
	size_t scanned;     /* bytes of a line without its end */
	struct buf columns; /* of a reply, before it is text */
	struct request request;
	/* Where the body of the request in hand goes instead of the buffer: bytes of a load
	 * to their slab; nowhere where a dry run does not need them. */
	struct slab *slab;
	int discard;
	uint64_t placed, to_place;
	uint64_t number, offset, next_offset; /* of the request, as in messages */

	/* Output: out_at..out.len, then the tail, which lies in `in`. */
	struct buf out;
	size_t out_at;
	const unsigned char *tail;
	size_t tail_len;

	uint64_t recv_ns;         /* when bytes last came */
	struct serve_event event; /* the request in hand */
	uint64_t write_ns;        /* when the first unsent reply was begun */
	unsigned unsent;          /* replies not wholly sent */
	uint64_t unsent_trace;    /* the first of them in the flight recorder */
	unsigned unsent_timed;    /* of them those that are timed */
	unsigned unsent_dry;      /* of these dry runs */
	struct work work;
	struct snapshot *snapshot; /* that the work reads */
	/* A large append, copied a slice a turn: bytes so far, behind the slot's version. */
	int copying;
	unsigned copy_starts;
	uint64_t copy_onto;
	size_t copied;
	struct live *live, *opening;
};

struct door {
	enum source source;
	struct listener listener;
	struct serve *serve;
	struct door *next;
};

struct framing;

struct serve {
	const struct framing *framing;
	enum source pool_source, signal_source;
	struct serve_config config;
	struct conn *conns;
	uint64_t n_conns, next_id;
	struct conn *ready_first, *ready_last;
	struct conn *dead;
	struct door *doors;
	struct ring_conn *rings; /* that are looked at: not asleep */
	uint64_t rings_ns;       /* when something last came by one */
	uint64_t now_ns;         /* the last look at the clock, for what is not timed */
	struct conn *copier;     /* whose large append is under way */
	struct scratch scratch;
	struct pool *pool;
	int two_processors; /* at most, for all its threads */
	size_t computing;
	struct slots *slots;
	int epoll, signals, spare; /* spare: given up to refuse when descriptors run out */
	uint64_t timers_ns;        /* when deadlines are looked at next */
	uint64_t stop_ns;          /* when patience ends; 0: not told to stop */
	uint64_t said_ns;          /* when a refusal was last said */
	int server;                /* there are doors: signals are ours, limits hold */
	size_t lingering;          /* connections that do */
	int signalled;             /* a signal waits to be read */
	int hurry;                 /* told twice */
	struct trace trace;
	struct out text; /* where statistics are put together; never written */
	enum status status;
	struct err failure; /* why a filter's own I/O failed; text[0] 0: it did not */
};

/* Now, or for a request that is not timed the loop's last look at the clock. */
static inline uint64_t conn_clock(const struct conn *c)
{
	return c->untimed ? c->serve->now_ns : clock_ns();
}

/* serve_conn.c: bytes in and out. */
struct conn *conn_new(struct serve *s);
void conn_free(struct conn *c);

/* A turn: reads (if readable), answers, writes. */
void conn_turn(struct conn *c, int readable);

/* Puts it on the list of those that get a turn without waiting. */
void conn_ready(struct conn *c);

/* After a turn: what it waits for is told to epoll, or it is put among the dead. */
void conn_settle(struct conn *c);

/* How requests and replies are cut out of the stream: serve_frame.c, serve_json.c. */
struct framing {
	/* The next request out of what was received: 1 taken, 0 more bytes are needed. */
	int (*step)(struct conn *c);
	/* Bytes that the request in hand needs in the buffer, all told; 0: not known. */
	uint64_t (*wanted)(const struct conn *c);
	/* The input has ended: complains where it ended within a request. */
	void (*ended)(struct conn *c);
	/* Room for a reply's payload of n bytes; NULL: no memory. */
	unsigned char *(*begin)(struct conn *c, size_t n);
	/* The payload is there: a reply of it, tail_len bytes to follow. FRAME_INTERNAL: no memory;
	 * else the error to answer instead, with *e. */
	enum frame_error (*end)(struct conn *c, size_t n, size_t tail_len, struct err *e);
	/* An error reply. 0, or -1: no memory. */
	int (*error)(struct conn *c, enum frame_error code, const char *text);
	int resumes; /* after a malformed request the next can be found */
};
extern const struct framing framing_frames, framing_json;

/* A request begins in c->event. */
void request_begins(struct conn *c);

/* Whether it is timed: of those on sockets the first of a connection, and then some. */
void request_sampled(struct conn *c);

/* Checks a head of n bytes, all there are of it, of a body of `length`: 0; -1: an error was sent.
 */
int frame_head_accept(struct conn *c, const unsigned char *head, size_t n, uint64_t length);
void frame_too_large(struct conn *c, uint64_t length);

/* serve_place.c: bodies that do not go to the buffer. place_begin decides by the head; 0, or -1:
 * no memory. place_move takes bytes that came with the head. place_room: where to
 * receive more, at most *n bytes; NULL: no memory. */
int place_begin(struct conn *c);
void place_move(struct conn *c);
unsigned char *place_room(struct conn *c, size_t *n);

/* serve_op.c: carries out c->request, whose body is whole; the reply may come later. */
void op_run(struct conn *c);

/* What can be refused by the head alone, before the body has come. */
enum frame_error op_admit(struct conn *c, struct err *e);

/* The computation of a busy connection has ended. */
void op_computed(struct conn *c);

/* serve_state.c: the ops that keep something: slots and live state. */
enum frame_error state_admit(struct conn *c, struct err *e);
void state_load(struct conn *c);
void state_append(struct conn *c);
void state_reply_version(struct conn *c, uint64_t version);

/* serve_append.c: goes on with a large append; c->copying is 0 when it is done. */
void append_slice(struct conn *c);
void state_open(struct conn *c);
void state_tick(struct conn *c);

/* Takes the slot's snapshot for the request's work, to be released with it. */
const struct snapshot *state_take(struct conn *c);

/* serve_op.c: for those. */
int op_check_sets(struct conn *c, const struct hma_set *sets, size_t n);
void op_at_once(struct conn *c);
void op_reply_empty(struct conn *c);
void op_compute(struct conn *c);

/* serve_door.c: accepting. */
void door_open(struct door *d);
void door_close_all(struct serve *s);

/*
 * serve_reply.c. reply_begin: room for a reply with n bytes of payload; where to
 * put them, or NULL, an error having been sent. reply_end sends it, tail_len
 * bytes at tail (which stay where they are until sent) behind.
 */
unsigned char *reply_begin(struct conn *c, size_t n);
void reply_end(struct conn *c, size_t n, const unsigned char *tail, size_t tail_len);
void reply_error(struct conn *c, enum frame_error code, const char *text);

/* Whether n more bytes fit the server's memory limit; a filter has none. */
int serve_fits(const struct serve *s, uint64_t n);

#endif
