#include "lib/host.h"

#include "lib/clock.h"
#include "lib/cpu.h"
#include "lib/io.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifdef __clang__
#define COMPILER __VERSION__ /* which begins with its name */
#else
#define COMPILER "gcc " __VERSION__
#endif

#ifndef IPCTAX_FLAGS
#define IPCTAX_FLAGS "unknown"
#endif
#ifndef IPCTAX_COMMIT
#define IPCTAX_COMMIT "unknown"
#endif

/* The first cap-1 bytes of a small file, "" where it cannot be read. */
static size_t slurp(const char *path, char *dst, size_t cap)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	if (fd >= 0) {
		n = io_read_full(fd, dst, cap - 1);
		close(fd);
	}
	dst[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

/* Adds a fact; text ends at its first line's end. */
static void add(struct host_fact *f, size_t *n, const char *key, const char *text)
{
	size_t len;

	if (!*text || *text == '\n')
		text = "unknown";
	len = strcspn(text, "\n");

	snprintf(f[*n].key, sizeof f[0].key, "%s", key);
	snprintf(f[*n].text, sizeof f[0].text, "%.*s", (int)(len < 199 ? len : 199), text);
	for (char *p = f[*n].text; *p; p++)
		if ((unsigned char)*p < ' ' || (unsigned char)*p > '~')
			*p = ' ';
	(*n)++;
}

static void add_file(struct host_fact *f, size_t *n, const char *key, const char *path)
{
	char text[256];

	slurp(path, text, sizeof text);
	add(f, n, key, text);
}

/* "NAME : value" of /proc/cpuinfo; aarch64 has no model name, only numbers. */
static void add_cpu(struct host_fact *f, size_t *n)
{
	static const char *const keys[] = {"model name", "CPU part", NULL};
	char text[8192], *at = NULL;

	slurp("/proc/cpuinfo", text, sizeof text);
	for (int i = 0; keys[i] && !at; i++)
		at = strstr(text, keys[i]);
	at = at ? strchr(at, ':') : NULL;
	add(f, n, "cpu", at ? at + 1 + (at[1] == ' ') : "");
}

/* The weaknesses that this processor has and the kernel works around, by name. */
static void add_mitigations(struct host_fact *f, size_t *n)
{
	static const char where[] = "/sys/devices/system/cpu/vulnerabilities";
	char path[320], text[128], list[200] = "";
	DIR *dir = opendir(where);
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		snprintf(path, sizeof path, "%s/%s", where, d->d_name);
		if (*d->d_name == '.' || !slurp(path, text, sizeof text) ||
		    strncmp(text, "Not affected", 12) == 0)
			continue;
		if (strlen(list) + strlen(d->d_name) + 2 < sizeof list) {
			strcat(list, *list ? " " : "");
			strcat(list, d->d_name);
		}
	}
	if (dir)
		closedir(dir);
	add(f, n, "mitigations", dir && !*list ? "none needed" : list);
}

static int is_virtual(void)
{
	char text[8192];

	slurp("/proc/cpuinfo", text, sizeof text);
	return strstr(text, " hypervisor") != NULL;
}

/* cgroup v2, then v1; "max" is no limit. */
static void add_quota(struct host_fact *f, size_t *n)
{
	char quota[64], period[64], text[140];

	if (slurp("/sys/fs/cgroup/cpu.max", text, sizeof text)) {
		add(f, n, "cpu_quota", text);
	} else if (slurp("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", quota, sizeof quota)) {
		slurp("/sys/fs/cgroup/cpu/cpu.cfs_period_us", period, sizeof period);
		quota[strcspn(quota, "\n")] = '\0';
		snprintf(text, sizeof text, "%s %s", *quota == '-' ? "max" : quota, period);
		add(f, n, "cpu_quota", text);
	} else {
		add(f, n, "cpu_quota", "");
	}
}

static void add_number(struct host_fact *f, size_t *n, const char *key, long v)
{
	char text[32];

	snprintf(text, sizeof text, "%ld", v);
	add(f, n, key, text);
}

size_t host_facts(struct host_fact *f)
{
	struct utsname u;
	char text[256];
	size_t n = 0;

	add_cpu(f, &n);
	add_number(f, &n, "processors", sysconf(_SC_NPROCESSORS_ONLN));
	add_number(f, &n, "allowed", (long)cpu_count());
	add_file(f, &n, "smt", "/sys/devices/system/cpu/smt/active");
	add_file(f, &n, "governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
	add_mitigations(f, &n);
	snprintf(text, sizeof text, "%s", "");
	if (uname(&u) == 0)
		snprintf(text, sizeof text, "%s %.90s %.90s", u.sysname, u.release, u.machine);
	add(f, &n, "kernel", text);
	add(f, &n, "virtual", is_virtual() ? "yes" : "no");
	add_file(f, &n, "clocksource",
	    "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	add_number(f, &n, "clock_call_ns", (long)clock_measure().call_ns);
	add_quota(f, &n);
	snprintf(text, sizeof text, "%.1f GiB",
	    (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 1073741824.0);
	add(f, &n, "memory", text);
	add_number(f, &n, "numa_nodes", cpu_nodes());
	add(f, &n, "compiler", COMPILER);
	add(f, &n, "flags", IPCTAX_FLAGS);
	add(f, &n, "commit", IPCTAX_COMMIT);
	add_file(f, &n, "load", "/proc/loadavg");
	return n;
}

int host_fact_identifies(const char *key)
{
	static const char *const passing[] = {"clock_call_ns", "commit", "compiler", "flags",
	    "load", "others_cpu", "steal_cpu", "sibling", "noise", NULL};

	for (int i = 0; passing[i]; i++)
		if (strcmp(passing[i], key) == 0)
			return 0;
	return 1;
}

static uint64_t ms_of(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_usec / 1000;
}

void host_watch(struct host_watch *w)
{
	unsigned long long v[8] = {0};
	struct rusage self, children;
	char text[512];
	uint64_t tick_ms = 1000 / (uint64_t)sysconf(_SC_CLK_TCK);

	memset(w, 0, sizeof *w);
	slurp("/proc/stat", text, sizeof text);
	/* user nice system idle iowait irq softirq steal */
	if (sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3],
		&v[4], &v[5], &v[6], &v[7]) != 8)
		return;
	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	w->wall_ns = clock_ns();
	w->busy_ms = (v[0] + v[1] + v[2] + v[5] + v[6]) * tick_ms;
	w->steal_ms = v[7] * tick_ms;
	w->own_ms = ms_of(self.ru_utime) + ms_of(self.ru_stime) + ms_of(children.ru_utime) +
		    ms_of(children.ru_stime);
}

int host_noise(const struct host_watch *from, double *others, double *steal)
{
	struct host_watch now;
	double wall_ms, foreign;

	host_watch(&now);
	if (!now.wall_ns || !from->wall_ns || now.wall_ns <= from->wall_ns)
		return -1;
	wall_ms = (double)(now.wall_ns - from->wall_ns) / 1e6;
	foreign = (double)(now.busy_ms - from->busy_ms) - (double)(now.own_ms - from->own_ms);
	*others = foreign > 0 ? foreign / wall_ms : 0;
	*steal = (double)(now.steal_ms - from->steal_ms) / wall_ms;
	return 0;
}
