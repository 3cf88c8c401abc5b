#include "cli/option.h"

#include "base/slice.h"
#include "base/near.h"

#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

enum { LONG_BASE = 256, HELP_AT = 26, HELP_WIDTH = 79 };

/* ---- the rows as getopt wants them ---- */

typedef struct getopt_table {
    struct option longs[2 * LK_OPTS_MAX + 1];
    char shorts[2 * LK_OPTS_MAX + 2];
} getopt_table;

static int has_value(const lk_opt *o)
{
    return o->kind == LK_OPT_FLAG        ? no_argument
           : o->kind == LK_OPT_ELSEWHERE ? optional_argument
                                         : required_argument;
}

/* ':' first: a missing value is told from an unknown option. */
static void fill(getopt_table *t, const lk_opt *opts)
{
    size_t longs = 0, shorts = 0;

    memset(t, 0, sizeof(*t));
    t->shorts[shorts++] = ':';
    for (size_t i = 0; opts[i].kind != LK_OPT_END; i++) {
        const lk_opt *o = &opts[i];

        assert(i < LK_OPTS_MAX);
        t->longs[longs++] = (struct option){ o->name, has_value(o), NULL, LONG_BASE + (int)i };
        if (o->alias)
            t->longs[longs++] = (struct option){ o->alias, has_value(o), NULL, LONG_BASE + (int)i };
        if (o->letter)
            t->shorts[shorts++] = o->letter;
        if (o->letter && has_value(o) == required_argument)
            t->shorts[shorts++] = ':';
    }
}

/* NULL for a letter that no row has. */
static const lk_opt *row_of(const lk_opt *opts, int got)
{
    if (got >= LONG_BASE)
        return &opts[got - LONG_BASE];
    for (; opts->kind != LK_OPT_END; opts++)
        if (opts->letter && opts->letter == got)
            return opts;
    return NULL;
}

/* ---- what went wrong ---- */

static const char *suggestion(const lk_opt *opts, const char *typed)
{
    for (; lk_opt_is_own(opts); opts++)
        if (lk_near(typed, opts->name) || (opts->alias && lk_near(typed, opts->alias)))
            return opts->name;
    return NULL;
}

static size_t beginning_with(const lk_opt *opts, const char *typed)
{
    size_t count = 0;

    for (; opts->kind != LK_OPT_END; opts++)
        count += strncmp(opts->name, typed, strlen(typed)) == 0;
    return count;
}

static lk_code unknown_long(const lk_opt *opts, const char *argument, lk_err *e)
{
    char typed[64];
    const char *meant;

    (void)snprintf(typed, sizeof(typed), "%.*s", (int)strcspn(argument + 2, "="), argument + 2);
    if (beginning_with(opts, typed) > 1)
        return lk_fail(e, LK_EUSAGE, "option '--%s' is ambiguous", typed);
    meant = suggestion(opts, typed);
    if (meant)
        return lk_fail(e, LK_EUSAGE, "unknown option '--%s'; did you mean '--%s'?", typed, meant);
    return lk_fail(e, LK_EUSAGE, "unknown option '--%s'", typed);
}

static lk_code misuse(const lk_opt *opts, int got, const char *argument, lk_err *e)
{
    const lk_opt *o = row_of(opts, optopt);

    if (got == ':')
        return lk_fail(e, LK_EUSAGE, "option '%s' needs a value: %s", argument, o ? o->value : "");
    if (o)
        return lk_fail(e, LK_EUSAGE, "option '--%s' takes no value", o->name);
    if (strncmp(argument, "--", 2) == 0)
        return unknown_long(opts, argument, e);
    return lk_fail(e, LK_EUSAGE, "unknown option '-%c'", optopt);
}

/* ---- values ---- */

static lk_code store_seconds(const lk_opt *o, char *at, const char *text, lk_err *e)
{
    double seconds;
    int64_t nano;

    if (!lk_slice_nano(lk_slice_from(text), &nano) || nano <= 0)
        return lk_fail(e, LK_EUSAGE, "--%s: '%s' is not a number of seconds above 0", o->name,
                       text);
    seconds = (double)nano / 1e9;
    memcpy(at, &seconds, sizeof(seconds));
    return LK_OK;
}

static lk_code append(const lk_opt *o, void *at, const char *text, lk_err *e)
{
    lk_opt_list *list = at;

    if (list->count == LK_OPT_LIST_MAX)
        return lk_fail(e, LK_EUSAGE, "--%s is given more than %d times", o->name,
                       (int)LK_OPT_LIST_MAX);
    list->items[list->count++] = text;
    return LK_OK;
}

/* Binary multiples; at most a quarter of what a size holds, so that a few may be added. */
static lk_code store_size(const lk_opt *o, char *at, const char *text, lk_err *e)
{
    static const char UNITS[] = "KMG";
    const uint64_t most = SIZE_MAX >> 2 < UINT64_C(1) << 60 ? SIZE_MAX >> 2 : UINT64_C(1) << 60;
    lk_slice digits = lk_slice_from(text);
    const char *unit =
        digits.len > 1 ? strchr(UNITS, digits.p[digits.len - 1] & ~0x20) : NULL;
    const unsigned shift = unit ? 10 * (unsigned)(unit - UNITS + 1) : 0;
    uint64_t n;
    size_t size;

    if (unit)
        digits.len--;
    if (!lk_slice_u64(digits, &n) || n == 0 || n > most >> shift)
        return lk_fail(e, LK_EUSAGE, "--%s: '%s' is not a size such as 65536, 64K or 1M", o->name,
                       text);
    size = (size_t)n << shift;
    memcpy(at, &size, sizeof(size));
    return LK_OK;
}

static lk_code store(const lk_opt *o, void *values, const char *text, lk_err *e)
{
    char *at;

    assert(o); /* getopt knows the rows' letters only */
    at = (char *)values + o->offset;
    switch (o->kind) {
    case LK_OPT_FLAG: memcpy(at, &(bool){ true }, sizeof(bool)); break;
    case LK_OPT_TEXT: memcpy(at, &text, sizeof(text)); break;
    case LK_OPT_LIST: return append(o, at, text, e);
    case LK_OPT_SECONDS: return store_seconds(o, at, text, e);
    case LK_OPT_SIZE: return store_size(o, at, text, e);
    case LK_OPT_ELSEWHERE: return lk_fail(e, LK_EUSAGE, "--%s: %s", o->name, o->help);
    case LK_OPT_END: break;
    }
    return LK_OK;
}

lk_code lk_opt_parse(const lk_opt *opts, int argc, char **argv, void *values, int *operands,
                     lk_err *e)
{
    getopt_table t;
    int got;

    fill(&t, opts);
    opterr = 0;
    optind = 0; /* glibc, musl: start anew */
    while ((got = getopt_long(argc, argv, t.shorts, t.longs, NULL)) != -1) {
        if (got == '?' || got == ':')
            return misuse(opts, got, argv[optind - 1], e);
        LK_TRY(store(row_of(opts, got), values, optarg, e));
    }
    *operands = optind;
    return LK_OK;
}

/* ---- help ---- */

void lk_opt_help_row(const char *head, const char *text, lk_buf *out)
{
    size_t at = 2 + strlen(head);

    lk_buf_printf(out, "  %s", head);
    if (at + 2 > HELP_AT) {
        lk_buf_text(out, "\n");
        at = 0;
    }
    lk_buf_fill(out, ' ', HELP_AT - at);
    at = HELP_AT;
    while (*(text += strspn(text, " ")) != '\0') {
        size_t len = strcspn(text, " ");

        if (at > HELP_AT && at + 1 + len > HELP_WIDTH) {
            lk_buf_text(out, "\n");
            lk_buf_fill(out, ' ', HELP_AT);
            at = HELP_AT;
        }
        if (at > HELP_AT)
            lk_buf_text(out, " ");
        lk_buf_add(out, text, len);
        at += len + (at > HELP_AT);
        text += len;
    }
    lk_buf_text(out, "\n");
}

static void help_option(const lk_opt *o, lk_buf *out)
{
    char head[80], letter[8] = "    ";

    if (o->letter)
        (void)snprintf(letter, sizeof(letter), "-%c, ", o->letter);
    (void)snprintf(head, sizeof(head), "%s--%s%s%s%s%s", letter, o->name, o->alias ? ", --" : "",
                   o->alias ? o->alias : "", o->value ? " " : "", o->value ? o->value : "");
    lk_opt_help_row(head, o->help, out);
}

void lk_opt_help(const lk_opt *opts, lk_buf *out)
{
    for (; lk_opt_is_own(opts); opts++)
        help_option(opts, out);
}
