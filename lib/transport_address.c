#include "lib/transport_address.h"

#include "lib/num.h"

#include <string.h>
#include <sys/socket.h>

struct addrinfo *transport_address(const char *where, struct err *e)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
	const char *colon = strrchr(where, ':'), *from = where;
	size_t n = colon ? (size_t)(colon - where) : 0;
	char host[256], quoted[100];
	uint64_t port;
	int bad;

	err_quote(quoted, sizeof quoted, where, strlen(where));
	if (n >= 2 && from[0] == '[' && from[n - 1] == ']') {
		from++;
		n -= 2;
	}
	if (!colon || n >= sizeof host ||
	    num_parse_u64(colon + 1, strlen(colon + 1), &port) != NUM_OK || port > 65535) {
		err_set(e, STATUS_USAGE,
		    "'%s' is not HOST:PORT with a port up to 65535 (127.0.0.1:4711, [::1]:4711)",
		    quoted);
		return NULL;
	}
	memcpy(host, from, n);
	host[n] = '\0';
	bad = getaddrinfo(*host ? host : "127.0.0.1", colon + 1, &hints, &found);
	if (bad) {
		err_set(e, STATUS_FAILED, "%s: %s", quoted, gai_strerror(bad));
		return NULL;
	}
	return found;
}
