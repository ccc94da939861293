/* What every tool's main needs: its name in messages, dying well, help, usage. */
#ifndef IPCTAX_TOOL_H
#define IPCTAX_TOOL_H

#include "lib/err.h"
#include "lib/io.h"

#include <getopt.h>
#include <stdint.h>

/*
 * A tool says who it is once, first of all; help is its whole --help text. From
 * then on descriptors 0 to 2 are never given to another file.
 */
void tool_init(const char *name, const char *help);

/* Prints "NAME: e->text" on stderr and exits with e->status. */
_Noreturn void tool_die(const struct err *e);

/* The same from a format. */
_Noreturn void tool_fail(enum status status, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* One line on stderr, the tool's name before it; the run goes on. */
void tool_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A usage error: the sentence, then "try NAME --help"; status 2. */
_Noreturn void tool_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * getopt_long with our conventions: --help and --version are served here
 * (options[] must not list them), an unknown or incomplete option is a usage
 * error with its own sentence. Returns as getopt_long. Short options of long
 * ones are val; long-only ones have val >= 256.
 */
int tool_getopt(int argc, char **argv, const char *shorts, const struct option *options);

/* Option values; a usage error naming the option where they do not fit min..max. */
int64_t tool_int(const char *option, const char *text, int64_t min, int64_t max);
uint64_t tool_u64(const char *option, const char *text);
double tool_double(const char *option, const char *text);
uint64_t tool_size(const char *option, const char *text);
uint64_t tool_duration(const char *option, const char *text);

/* The index of text in the NULL-terminated names, or a usage error that lists them. */
int tool_choice(const char *option, const char *text, const char *const *names);

/*
 * Refuses to write binary to a terminal (status 2), saying how to see it as text.
 * hint: "pipe it to unframe, or -o FILE".
 */
void tool_no_terminal(const char *hint);

/*
 * out_open, or dies of its error. A signal that ends the tool from now on (hang-up, interrupt,
 * quit, terminate) removes the temporary file first; of several outputs the last one's.
 */
void tool_output(struct out *o, const char *path);

/* Closes the writer and exits: with status, or 1 where the output could not be written. */
_Noreturn void tool_finish(struct out *o, enum status status);

#endif
