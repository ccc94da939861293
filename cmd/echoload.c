#include "cmd/tool.h"
#include "lib/load_relay.h"
#include "lib/transport_client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char help[] =
    "usage: echoload --relay [-u PATH | -t HOST:PORT | -- COMMAND [ARG...]]\n"
    "                [--connect-timeout TIME]\n"
    "Carries request frames from stdin to a peer and its replies to stdout.\n"
    "  -u, --unix PATH      the peer is a Unix socket\n"
    "  -t, --tcp HOST:PORT  the peer is a TCP socket\n"
    "  -- COMMAND [ARG...]  the peer is started, with pipes, without a shell\n"
    "      --relay          frames from stdin to the peer, its replies to stdout\n"
    "      --connect-timeout TIME\n"
    "                       how long to try again while nobody listens (1s)\n"
    "      --help, --version\n";

extern char **environ;

#define GRACE_NS ((uint64_t)5000000000) /* for a spawned peer to end after its input did */

struct options {
	const char *unix_path, *tcp;
	char **command;
	int relay;
	uint64_t connect_ns;
};

static void open_peer(struct transport_client *c, const struct options *o)
{
	struct err e;
	int bad;

	if (o->unix_path)
		bad = transport_unix(c, o->unix_path, o->connect_ns, &e);
	else if (o->tcp)
		bad = transport_tcp(c, o->tcp, o->connect_ns, &e);
	else
		bad = transport_spawn(c, o->command, environ, &e);
	if (bad)
		tool_die(&e);
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

static _Noreturn void run_relay(const struct options *o)
{
	static struct out out;
	struct transport_client peer;
	struct load_relay r;
	struct err e = {0};
	int bad;

	tool_no_terminal("pipe it to unframe");
	open_peer(&peer, o);
	bad = load_relay(&r, &peer.t, STDIN_FILENO, "<stdin>", STDOUT_FILENO, &e);
	if (reap(&peer, o, e.text, sizeof e.text) < 0 && !bad)
		bad = e.status = STATUS_FAILED;
	if (bad)
		tool_die(&e);
	out_init(&out, STDOUT_FILENO, "<stdout>");
	tool_finish(&out, STATUS_OK);
}

enum { OPT_RELAY = 256, OPT_CONNECT_TIMEOUT };

static const struct option options[] = {
    {"unix", required_argument, NULL, 'u'},
    {"tcp", required_argument, NULL, 't'},
    {"relay", no_argument, NULL, OPT_RELAY},
    {"connect-timeout", required_argument, NULL, OPT_CONNECT_TIMEOUT},
    {0},
};

static void read_options(struct options *o, int argc, char **argv)
{
	int c;

	while ((c = tool_getopt(argc, argv, "+u:t:", options)) != -1) {
		switch (c) {
		case 'u': o->unix_path = optarg; break;
		case 't': o->tcp = optarg; break;
		case OPT_RELAY: o->relay = 1; break;
		case OPT_CONNECT_TIMEOUT:
			o->connect_ns = tool_duration("--connect-timeout", optarg);
			break;
		}
	}
	if (optind < argc)
		o->command = argv + optind;
}

static void check_options(const struct options *o)
{
	int peers = (o->unix_path != NULL) + (o->tcp != NULL) + (o->command != NULL);

	if (peers > 1)
		tool_usage("one peer: -u PATH, -t HOST:PORT, or -- COMMAND");
	if (o->relay && peers == 0)
		tool_usage("--relay needs a peer: -u PATH, -t HOST:PORT, or -- COMMAND");
	if (!o->relay)
		tool_usage("say what to do: --relay");
}

int main(int argc, char **argv)
{
	struct options o = {.connect_ns = 1000000000};

	tool_init("echoload", help);
	read_options(&o, argc, argv);
	check_options(&o);
	run_relay(&o);
}
