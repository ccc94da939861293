/* L4: requests for reading: a row each of header, counts, first and last values. */
#ifndef IPCTAX_REPORT_REQUEST_H
#define IPCTAX_REPORT_REQUEST_H

#include "lib/message.h"
#include "lib/report.h"

/*
 * Shows every request from `in` to its end, in columns frame, byte, length, op, flags, slot, bars,
 * sets, first, last, first_set, last_set. 0; -1 with *e at the first that is none
 * (STATUS_INPUT, naming frame and byte) or when reading fails: the rows before are whole.
 */
int report_requests(
    struct out *o, enum report_format format, struct frame_reader *in, struct err *e);

#endif
