/* L3: HOST:PORT as users write it. */
#ifndef IPCTAX_TRANSPORT_ADDRESS_H
#define IPCTAX_TRANSPORT_ADDRESS_H

#include "lib/err.h"

#include <netdb.h>

/*
 * Looks up HOST:PORT, the brackets of [::1]:PORT taken off; without a host it is
 * 127.0.0.1. The port is a number up to 65535: libcs differ in what they make of a
 * larger one. The addresses, for freeaddrinfo; or NULL with *e (STATUS_USAGE: not
 * that; STATUS_FAILED: no such host).
 */
struct addrinfo *transport_address(const char *where, struct err *e);

#endif
