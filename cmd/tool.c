#include "cmd/tool.h"
#include "lib/num.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *tool = "ipctax", *tool_help = "";

/*
 * A standard descriptor that is closed would be given to the next file opened, and
 * what was meant for the output land there. Its place is taken by one that can
 * only be used the wrong way round, so that its use fails as a closed one's.
 */
static void hold_standard_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

void tool_init(const char *name, const char *help)
{
	hold_standard_descriptors();
	signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes fails the write, which is said */
	tool = name;
	tool_help = help;
}

/* A message is one line, whatever the names in it: control bytes become "?". */
static void one_line(char *line)
{
	for (; *line; line++)
		if ((unsigned char)*line < 0x20 || *line == 0x7f)
			*line = '?';
}

__attribute__((format(printf, 1, 0))) static void say(const char *fmt, va_list ap)
{
	char line[1400];
	int n = snprintf(line, sizeof line, "%s: ", tool);

	vsnprintf(line + n, sizeof line - (size_t)n - 1, fmt, ap);
	one_line(line);
	strcat(line, "\n");
	/* One write a line, so that lines of several tools do not mix. */
	(void)!write(STDERR_FILENO, line, strlen(line));
}

void tool_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
}

void tool_die(const struct err *e)
{
	tool_say("%s", e->text);
	exit(e->status);
}

void tool_fail(enum status status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	exit(status);
}

void tool_usage(const char *fmt, ...)
{
	char text[1200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	tool_fail(STATUS_USAGE, "%s (try %s --help)", text, tool);
}

/* For --help and --version, which must not lose a write error either. */
static _Noreturn void print_and_exit(const char *text)
{
	if (fputs(text, stdout) < 0 || fflush(stdout) != 0)
		tool_fail(STATUS_FAILED, "<stdout>: write: %s", strerror(errno));
	exit(STATUS_OK);
}

#define MAX_OPTIONS 96
#define OPT_HELP 1000
#define OPT_VERSION 1001

int tool_getopt(int argc, char **argv, const char *shorts, const struct option *options)
{
	struct option all[MAX_OPTIONS + 3];
	char own[256], quoted[200];
	size_t n = 0;
	int c, at;

	while (options[n].name && n < MAX_OPTIONS) {
		all[n] = options[n];
		n++;
	}
	all[n++] = (struct option){"help", no_argument, NULL, OPT_HELP};
	all[n++] = (struct option){"version", no_argument, NULL, OPT_VERSION};
	all[n] = (struct option){0};
	snprintf(own, sizeof own, "%s%s", *shorts == '+' ? "+:" : ":", shorts + (*shorts == '+'));
	opterr = 0;
	at = optind ? optind : 1;
	c = getopt_long(argc, argv, own, all, NULL);
	if (c == OPT_HELP)
		print_and_exit(tool_help);
	if (c == OPT_VERSION) {
		snprintf(own, sizeof own, "%s (ipctax) %s\n", tool, IPCTAX_VERSION);
		print_and_exit(own);
	}
	if (c != '?' && c != ':')
		return c;
	at = at < argc && strncmp(argv[at], "--", 2) == 0 ? at : optind - 1;
	if (at < argc && strncmp(argv[at], "--", 2) == 0 && argv[at][2]) {
		err_quote(quoted, sizeof quoted, argv[at], strlen(argv[at]));
		tool_usage(c == ':' ? "option %s needs a value"
			   : optopt ? "option %s takes no value"
				    : "there is no option %s, or it is short for several",
		    quoted);
	}
	tool_usage(c == ':' ? "option -%c needs a value" : "there is no option -%c", optopt);
}

int64_t tool_int(const char *option, const char *text, int64_t min, int64_t max)
{
	char quoted[100];
	int64_t v;

	err_quote(quoted, sizeof quoted, text, strlen(text));
	if (num_parse_i64(text, strlen(text), &v) != NUM_OK || v < min || v > max)
		tool_usage("%s: '%s' is not a whole number from %lld to %lld", option, quoted,
		    (long long)min, (long long)max);
	return v;
}

uint64_t tool_u64(const char *option, const char *text)
{
	char quoted[100];
	uint64_t v;

	err_quote(quoted, sizeof quoted, text, strlen(text));
	if (num_parse_u64(text, strlen(text), &v) != NUM_OK)
		tool_usage("%s: '%s' is not a whole number from 0 to 18446744073709551615", option,
		    quoted);
	return v;
}

double tool_double(const char *option, const char *text)
{
	char quoted[100];
	size_t used;
	double v;

	err_quote(quoted, sizeof quoted, text, strlen(text));
	if (num_parse(text, strlen(text), &v, &used) != NUM_OK || text[used])
		tool_usage("%s: '%s' is not a finite number", option, quoted);
	return v;
}

uint64_t tool_size(const char *option, const char *text)
{
	char quoted[100];
	uint64_t v;

	err_quote(quoted, sizeof quoted, text, strlen(text));
	if (num_parse_size(text, &v) != NUM_OK)
		tool_usage("%s: '%s' is not a size (8, 64K, 1.2M, 256Mi)", option, quoted);
	return v;
}

uint64_t tool_duration(const char *option, const char *text)
{
	char quoted[100];
	uint64_t v;

	err_quote(quoted, sizeof quoted, text, strlen(text));
	if (num_parse_duration(text, &v) != NUM_OK)
		tool_usage("%s: '%s' is not a duration (25ms, 14us, 2s)", option, quoted);
	return v;
}

int tool_choice(const char *option, const char *text, const char *const *names)
{
	char list[400] = "", quoted[100];

	for (int i = 0; names[i]; i++) {
		if (strcmp(names[i], text) == 0)
			return i;
		if (strlen(list) + strlen(names[i]) + 3 < sizeof list) {
			strcat(list, i ? ", " : "");
			strcat(list, names[i]);
		}
	}
	err_quote(quoted, sizeof quoted, text, strlen(text));
	tool_usage("%s: '%s' is none of: %s", option, quoted, list);
}

void tool_no_terminal(const char *hint)
{
	if (io_is_terminal(STDOUT_FILENO))
		tool_fail(STATUS_USAGE, "<stdout>: will not write binary to a terminal: %s", hint);
}

/* A copy, since out_close frees its own; once that is renamed, removing it does nothing. */
static char temporary[4096];

static const int deadly[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
#define DEADLY (sizeof deadly / sizeof *deadly)

static void remove_and_die(int signal_number)
{
	unlink(temporary);
	raise(signal_number); /* SA_RESETHAND: the default action, once this returns */
}

void tool_output(struct out *o, const char *path)
{
	struct sigaction act = {.sa_handler = remove_and_die, .sa_flags = SA_RESETHAND}, old;
	sigset_t held, before;
	struct stat st;
	struct err e;

	/*
	 * From when the file is there until the handler knows of it none may come; but what
	 * is no file has no temporary one, and opening a FIFO may take for ever.
	 */
	sigemptyset(&held);
	for (size_t i = 0; i < DEADLY && (!path || lstat(path, &st) < 0 || S_ISREG(st.st_mode));
	     i++)
		sigaddset(&held, deadly[i]);
	sigprocmask(SIG_BLOCK, &held, &before);
	if (out_open(o, path, &e) < 0)
		tool_die(&e);
	for (size_t i = 0; i < DEADLY && o->temp && strlen(o->temp) < sizeof temporary; i++) {
		strcpy(temporary, o->temp);
		/* What the parent has ignored (nohup) stays ignored. */
		if (sigaction(deadly[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(deadly[i], &act, NULL);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void tool_finish(struct out *o, enum status status)
{
	struct err e;

	if (out_close(o, &e) < 0)
		tool_die(&e);
	exit(status);
}
