#include "lib/series_options.h"
#include "lib/num.h"
#include "lib/series_preset.h"

#include <string.h>

/* A character as users name it; 0: none. */
static char character(const char *text)
{
	unsigned char c = (unsigned char)*text;

	if (strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0)
		return '\t';
	if (strcmp(text, "space") == 0)
		return ' ';
	return strlen(text) != 1 || c < 0x20 || c > 0x7e || c == '"' ? '\0' : *text;
}

static int wanted(struct err *e, const char *name, const char *value, const char *what)
{
	char quoted[80];

	return err_set(e, STATUS_USAGE, "--%s: '%s' is not %s", name,
	    err_quote(quoted, sizeof quoted, value, strlen(value)), what);
}

static int flag_option(struct series_options *o, const char *name)
{
	const struct {
		const char *name;
		int *flag;
	} flags[] = {
	    {"reverse", &o->reverse},
	    {"unordered", &o->unordered},
	    {"allow-nonpositive", &o->policy.allow_nonpositive},
	    {"allow-nonfinite", &o->policy.allow_nonfinite},
	};

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (strcmp(name, flags[i].name) == 0)
			return *flags[i].flag = 1;
	return 0;
}

static int scale_option(struct series_options *o, const char *value, struct err *e)
{
	size_t used, n = strlen(value);

	if (num_parse(value, n, &o->scale, &used) != NUM_OK || used < n || !(o->scale > 0))
		return wanted(e, "scale", value, "a number above 0");
	return 0;
}

static int character_option(
    struct series_options *o, const char *name, const char *value, struct err *e)
{
	char c = character(value);

	if (strcmp(name, "decimal") == 0) {
		o->decimal = c;
		return c == '.' || c == ',' ? 0 : wanted(e, name, value, "a point or a comma");
	}
	if (c >= '0' && c <= '9')
		c = '\0';
	*(*name == 'd' ? &o->delimiter : &o->thousands) = c;
	return c ? 0 : wanted(e, name, value, "one character, no digit, or tab, or space");
}

int series_option(struct series_options *o, const char *name, const char *value, struct err *e)
{
	if (!value)
		return flag_option(o, name)
			   ? 0
			   : err_set(e, STATUS_USAGE, "there is no option --%s", name);
	if (strcmp(name, "column") == 0)
		o->column = value;
	else if (strcmp(name, "ticker") == 0)
		o->ticker = value;
	else if (strcmp(name, "preset") == 0)
		return series_preset(o->preset = value)
			   ? 0
			   : wanted(e, name, value, series_preset_list);
	else if (strcmp(name, "scale") == 0)
		return scale_option(o, value, e);
	else if (strcmp(name, "missing") == 0 && strcmp(value, "drop") == 0)
		o->policy.missing = SERIES_MISSING_DROP;
	else if (strcmp(name, "missing") == 0 && strcmp(value, "ffill") == 0)
		o->policy.missing = SERIES_MISSING_FFILL;
	else if (strcmp(name, "missing") == 0)
		return wanted(e, name, value, "drop or ffill");
	else if (strcmp(name, "decimal") == 0 || strcmp(name, "delimiter") == 0 ||
		 strcmp(name, "thousands") == 0)
		return character_option(o, name, value, e);
	else
		return err_set(e, STATUS_USAGE, "there is no option --%s", name);
	return 0;
}
