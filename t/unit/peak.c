/* peak FILE COMMAND...: runs the command, writes its highest resident KiB to FILE. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct rusage use;
	FILE *f;
	int status;
	pid_t child;

	if (argc < 3)
		return 2;
	child = fork();
	if (child == 0) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &use) < 0)
		return 1;
	f = fopen(argv[1], "w");
	if (!f || fprintf(f, "%ld\n", use.ru_maxrss) < 0 || fclose(f) != 0)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
