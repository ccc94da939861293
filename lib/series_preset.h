/* L1: layouts of price files by the name of who writes them. */
#ifndef IPCTAX_SERIES_PRESET_H
#define IPCTAX_SERIES_PRESET_H

/* What a preset says of a file; 0 or NULL: nothing. Columns count from 1. */
struct series_preset {
	const char *name;
	char delimiter;
	char thousands;
	unsigned columns;     /* how many a row has */
	unsigned close;       /* of the closes where there is no header (always, without a name) */
	unsigned time, clock; /* of the bar's time; clock: the time of day, where it stands apart */
	unsigned skip;        /* lines before the header */
	int heads;    /* lines of header that may follow the first, known by their first cell */
	int headless; /* 1: there may be no header */
	int newest_first;
	double scale;
	const char *missing; /* the text of a value that is not there */
};

/* The preset of that name, or NULL. */
const struct series_preset *series_preset(const char *name);

/* "one of binance, kraken, ...", for messages. */
extern const char *const series_preset_list;

#endif
