/* L3: the transport over descriptors: a connected socket, or a pair such as stdin and stdout. */
#ifndef IPCTAX_TRANSPORT_STREAM_H
#define IPCTAX_TRANSPORT_STREAM_H

#include "lib/transport.h"

/* A connected socket, which becomes t's; calls never block, whatever its flags. */
void transport_socket(struct transport *t, int fd);

/*
 * Two descriptors that stay the caller's. Calls block: inherited descriptors
 * share their flags with other processes, so O_NONBLOCK is left alone, and
 * regular files cannot be polled.
 */
void transport_stdio(struct transport *t, int in, int out);

#endif
