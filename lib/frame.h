/* L1: the frame format, ipctax-frame(5): opcodes, error codes, header arithmetic. */
#ifndef IPCTAX_FRAME_H
#define IPCTAX_FRAME_H

#include "lib/err.h"

#include <stddef.h>
#include <stdint.h>

enum frame_op {
	OP_SWEEP = 0,
	OP_ECHO = 1,
	OP_LOAD = 2,
	OP_SWEEP_SLOT = 3,
	OP_APPEND = 4,
	OP_OPEN = 5,
	OP_TICK = 6,
	OP_STATS = 7,
	OP_RING = 8,
	OP_COUNT = 9
};

#define FLAG_STAMP 0x80u
#define FLAG_DRY 0x40u
#define FLAG_RESERVED 0x30u
#define FLAG_ALL (FLAG_STAMP | FLAG_DRY | FLAG_RESERVED)

enum frame_error {
	FRAME_OK = 0,
	FRAME_MALFORMED = 1,   /* counts disagree with the length, end mid-frame */
	FRAME_BAD_REQUEST = 2, /* window below 1, tick before open, count not allowed */
	FRAME_TOO_LARGE = 3,
	FRAME_EMPTY_SLOT = 4,
	FRAME_BUSY = 5,
	FRAME_INTERNAL = 6, /* the gate failed */
	FRAME_UNSUPPORTED = 7
};

/* "malformed", "bad request", ...; "unknown code" for others. */
const char *frame_error_name(uint32_t code);

#define FRAME_ERROR_BIT 0x80000000u
#define FRAME_LIMIT ((uint64_t)256 << 20) /* default limit of a body */
#define FRAME_LIMIT_MAX ((uint64_t)0x7fffffff)
#define FRAME_NO_SLOT 0xffffffffu
#define FRAME_HEAD 9        /* op, n_bars, n_sets */
#define FRAME_HEAD_MAX 13   /* with slot or bytes */
#define FRAME_SET_SIZE 48   /* six i64 */
#define FRAME_STAMP_SIZE 32 /* four u64 ns */

/* "sweep", "echo", "load", "sweep-slot", ...; NULL for an unknown op. */
const char *frame_op_name(unsigned op);

/* The op of that name, or -1. */
int frame_op_by_name(const char *name);

/* Whether requests of op carry a slot (2-5), and closes, and sets. */
int frame_op_has_slot(unsigned op);
int frame_op_has_closes(unsigned op);
int frame_op_has_sets(unsigned op);

/* What a request's header says; op without its flags. */
struct frame_head {
	uint8_t op, flags;
	uint32_t n_bars, n_sets;
	uint32_t slot;  /* ops 2-5, else 0 */
	uint32_t bytes; /* op 8, else 0 */
};

/* Bytes of the header of a request whose first body byte is op_byte: 9, or 13. */
size_t frame_head_size(uint8_t op_byte);

/* The body length that the header's counts imply, in 64 bits. */
uint64_t frame_body_size(const struct frame_head *h);

/*
 * Reads the header from the first bytes of a body whose announced length is
 * body_len; `have` bytes of it are there. Checks op, flags, the counts the op
 * does not list (must be 0), and that counts and length agree. FRAME_OK, or the
 * code for the peer with *e saying why (unknown op or flag: FRAME_UNSUPPORTED,
 * *h filled as far as known). Looks at no more than FRAME_HEAD_MAX bytes.
 */
enum frame_error frame_head_parse(
    struct frame_head *h, const unsigned char *body, size_t have, uint64_t body_len, struct err *e);

/* Writes u32 length and the header to dst (room for 4 + FRAME_HEAD_MAX); returns bytes written. */
size_t frame_head_write(unsigned char *dst, const struct frame_head *h);

/* The body length of the (error-free) reply to a request, stamp included. UINT64_MAX: not known
 * from the request (stats; tick, whose sets were named by open).
 */
uint64_t frame_reply_size(const struct frame_head *h);

#endif
