#include "cmd/echoload.h"
#include "lib/load_relay.h"
#include "lib/transport_ring.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char help[] =
    "usage: echoload [-u PATH | -t HOST:PORT | -m PATH | -- COMMAND [ARG...]]\n"
    "                [-b SIZES | --curve]\n"
    "                [--op echo|sweep|sweep-slot|tick | --replay FILE] [-q DEPTH | -r RATE]\n"
    "                [-c CONNECTIONS] [-w THREADS] [-n COUNT] [-d TIME] [-f FORMAT] [-o FILE]\n"
    "       echoload --relay -u PATH | -t HOST:PORT | -m PATH | -- COMMAND [ARG...]\n"
    "       echoload --compare A.json B.json [-f table|tsv|json] [-o FILE]\n"
    "Measures a peer that speaks frames; its report goes to stderr or -o. Without a peer it\n"
    "talks over stdin and stdout: mkfifo b; echoload <b | hmasweep >b\n"
    "\n"
    "  -u, --unix PATH      the peer is a Unix socket\n"
    "  -t, --tcp HOST:PORT  the peer is a TCP socket\n"
    "  -m, --ring PATH      the same, by a shared-memory ring that is set up there\n"
    "      --ring-size SIZE of each ring; a frame fills three quarters at most (2Mi)\n"
    "  -- COMMAND [ARG...]  the peer is started, with pipes, without a shell\n"
    "      --relay          carry frames from stdin to the peer, its replies to stdout\n"
    "      --compare        two reports in JSON: ratios of percentiles with intervals\n"
    "What is asked:\n"
    "  -b, --bytes SIZES    bytes of closes a request, such as 8,1K,1200000 (8; sweeps 1200000)\n"
    "      --curve          nine sizes from 8 to 1200000\n"
    "      --op OP          echo (default), sweep, sweep-slot, tick\n"
    "      --replay FILE    the requests in FILE, in turn, again and again\n"
    "  -s, --slot SLOT      of sweep-slot (0)\n"
    "  -g, --grid GRID      sets of sweeps (6:200:80); the first is that of ticks\n"
    "  -p, --sets FILE      lengths or sets from FILE instead\n"
    "  -F, --fee FEE        the peer's fee, to verify by (0.09)\n"
    "How:\n"
    "  -q, --pipeline DEPTH requests under way a connection (1; with -r at most)\n"
    "  -r, --rate RATE      open loop: requests a second, due whatever the peer does\n"
    "      --arrivals WHAT  of -r: constant (default) or poisson\n"
    "      --seed SEED      of poisson (1)\n"
    "      --min-achieved PERCENT  of -r: less is status 1 (99)\n"
    "  -c, --connections N  (1)\n"
    "  -w, --workers N      threads that share the connections (1)\n"
    "  -n, --count N        requests in all\n"
    "  -d, --duration TIME  (1s, unless -n is given)\n"
    "      --warm-count N   requests a connection before it is measured (100)\n"
    "      --warm-time TIME as well (0)\n"
    "      --timeout TIME   for a reply (10s)\n"
    "      --connect-timeout TIME  how long to try again while nobody listens (1s)\n"
    "      --cpu LIST       a processor for each thread in turn\n"
    "      --fifo PRIORITY  SCHED_FIFO\n"
    "      --spin           never sleep in a wait\n"
    "      --one-way        ask for stamps: times there and back apart, on one machine\n"
    "      --no-verify      do not look at the replies\n"
    "Report:\n"
    "  -f, --format FORMAT  table (on a terminal), tsv (otherwise), json, ndjson\n"
    "      --interval TIME  as ndjson, a line each TIME\n"
    "      --hgrm FILE      percentiles of the response for HdrHistogram's plotter\n"
    "      --samples FILE   each reply: due, sent, answered\n"
    "  -o, --output FILE    the report, instead of stderr\n"
    "      --help, --version\n";

extern char **environ;

#define GRACE_NS ((uint64_t)5000000000) /* for a spawned peer to end after its input did */

static int open_ring(
    const struct options *o, size_t index, struct transport_client *c, struct err *e)
{
	uint64_t spins = o->load.spin ? RING_SPINS_FOREVER : RING_SPINS_DEFAULT;

	if (transport_ring(c, o->ring, o->connect_ns, o->ring_size, spins, e) < 0)
		return -1;
	if (index == 0 && transport_ring_yields(c))
		tool_say("%s: both ends share one processor: %s instead of spinning", o->ring,
		    o->load.spin ? "yielding it" : "sleeping");
	return 0;
}

int open_peer(void *user, size_t index, struct transport_client *c, struct err *e)
{
	const struct options *o = user;

	if (o->unix_path)
		return transport_unix(c, o->unix_path, o->connect_ns, e);
	if (o->tcp)
		return transport_tcp(c, o->tcp, o->connect_ns, e);
	if (o->ring)
		return open_ring(o, index, c, e);
	if (o->command)
		return transport_spawn(c, o->command, environ, e);
	transport_inherited(c, STDIN_FILENO, STDOUT_FILENO);
	return 0;
}

/*
 * Closes, and waits for a spawned peer's end: 0, or -1 where it did not end well,
 * which is then said behind the words (cap bytes).
 */
static int reap(struct transport_client *c, const struct options *o, char *words, size_t cap)
{
	struct rusage use;
	int status, ended;
	size_t n = strlen(words);

	c->t.ops->close(&c->t);
	if (!c->spawned)
		return 0;
	ended = transport_reap(c, GRACE_NS, &status, &use);
	if (ended == 0)
		snprintf(words + n, cap - n, "%s%s: did not end after its input, killed",
		    n ? "; " : "", o->command[0]);
	else if (WIFSIGNALED(status))
		snprintf(words + n, cap - n, "%s%s: died of signal %d (%s)", n ? "; " : "",
		    o->command[0], WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		snprintf(words + n, cap - n, "%s%s: ended with status %d", n ? "; " : "",
		    o->command[0], WEXITSTATUS(status));
	return strlen(words) > n ? -1 : 0;
}

_Noreturn void run_relay(struct options *o)
{
	static struct out out;
	struct transport_client peer;
	struct load_relay r;
	struct err e = {0};
	int bad;

	tool_no_terminal("pipe it to unframe");
	if (open_peer(o, 0, &peer, &e) < 0)
		tool_die(&e);
	bad = load_relay(&r, &peer.t, STDIN_FILENO, "<stdin>", STDOUT_FILENO, &e);
	if (reap(&peer, o, e.text, sizeof e.text) < 0 && !bad)
		bad = e.status = STATUS_FAILED;
	if (bad)
		tool_die(&e);
	out_init(&out, STDOUT_FILENO, "<stdout>");
	tool_finish(&out, STATUS_OK);
}

int main(int argc, char **argv)
{
	struct options o = {
	    .op = OP_ECHO,
	    .fee = 0.09,
	    .min_achieved = 0.99,
	    .connect_ns = 1000000000,
	    .ring_size = (uint64_t)2 << 20,
	    .load = {.connections = 1,
		.threads = 1,
		.seed = 1,
		.count = UINT64_MAX,
		.duration_ns = UINT64_MAX,
		.warm_count = 100,
		.timeout_ns = 10000000000,
		.verify = 1},
	};

	tool_init("echoload", help);
	read_options(&o, argc, argv);
	if (o.compare[0])
		run_compare(&o);
	if (o.relay)
		run_relay(&o);
	run_load(&o);
}
