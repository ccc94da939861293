#include "lib/series_preset.h"

#include <stddef.h>
#include <string.h>

const char *const series_preset_list = "one of binance, kraken, mt4, mt5, stooq, histdata, "
				       "investing, cdd, yfinance, databento";

static const struct series_preset presets[] = {
    /* Monthly and daily dumps: open time (ms, us from 2025), open, high, low, close, ...; those
       of futures have a header. */
    {.name = "binance", .delimiter = ',', .columns = 12, .close = 5, .time = 1, .headless = 1},
    /* OHLCVT archive: time (s), open, high, low, close, volume, trades. */
    {.name = "kraken", .delimiter = ',', .columns = 7, .close = 5, .time = 1, .headless = 1},
    /* History centre: 2018.01.02,00:00,open,high,low,close,volume. */
    {.name = "mt4",
	.delimiter = ',',
	.columns = 7,
	.close = 6,
	.time = 1,
	.clock = 2,
	.headless = 1},
    /* <DATE> <TIME> <OPEN> <HIGH> <LOW> <CLOSE> <TICKVOL> <VOL> <SPREAD>, tabs; daily without
       <TIME>. */
    {.name = "mt5", .delimiter = '\t'},
    /* Date,Open,High,Low,Close,Volume, or the same in Polish; bulk files with <TICKER>. */
    {.name = "stooq", .delimiter = ','},
    /* Generic ASCII minute bars: 20120201 000000;open;high;low;close;volume. */
    {.name = "histdata", .delimiter = ';', .columns = 6, .close = 5, .time = 1, .headless = 1},
    /* "Date","Price","Open","High","Low","Vol.","Change %". */
    {.name = "investing", .delimiter = ',', .thousands = ',', .newest_first = 1},
    /* A URL, then unix,date,symbol,open,high,low,close,... */
    {.name = "cdd", .delimiter = ',', .skip = 1, .newest_first = 1},
    /* Price,Close,High,... then Ticker,AAPL,AAPL,... then Date,,,... */
    {.name = "yfinance", .delimiter = ',', .time = 1, .heads = 1},
    /* ts_event,rtype,publisher_id,instrument_id,open,high,low,close,volume,symbol; prices in 1e-9,
       the largest int64 where there is none. */
    {.name = "databento", .delimiter = ',', .scale = 1e-9, .missing = "9223372036854775807"},
};

const struct series_preset *series_preset(const char *name)
{
	for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
		if (strcmp(presets[i].name, name) == 0)
			return &presets[i];
	return NULL;
}
