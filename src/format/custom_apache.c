/* LogFormat of Apache httpd: directives "%>s", "%{Retry-After}o", "%400,501{User-agent}i". */
#include "format/custom_part.h"

#include <string.h>

typedef struct directive {
    lk_slice name; /* all of it */
    lk_slice arg;  /* between the braces; p NULL = none */
    bool final, conditional, trailer;
    char letter;
} directive;

/* ---- its parts ---- */

static const char *take_modifiers(const char *p, directive *d)
{
    for (;; p++) {
        if (*p == '>')
            d->final = true;
        else if (*p == '!' || (*p >= '0' && *p <= '9'))
            d->conditional = true;
        else if (*p != '<' && *p != ',')
            return p;
    }
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* At the '%'; returns what is behind it, NULL when it makes no sense. */
static const char *take_directive(const char *percent, directive *d)
{
    const char *p = take_modifiers(percent + 1, d), *close;

    if (*p == '{') {
        close = strchr(p, '}');
        if (!close)
            return NULL;
        d->arg = (lk_slice){ p + 1, (size_t)(close - p) - 1 };
        p = take_modifiers(close + 1, d);
    }
    if (*p == '^') {
        d->trailer = true;
        p++;
        if (is_letter(*p)) /* the second letter is that of the kind */
            p++;
    }
    if (!is_letter(*p))
        return NULL;
    d->letter = *p++;
    d->name = (lk_slice){ percent, (size_t)(p - percent) };
    return p;
}

/* ---- times ---- */

/* clang-format off */
static const struct { const char *token; lk_custom_field field; } TOKENS[] = {
    { "sec",       LK_CUSTOM_EPOCH_S },
    { "msec",      LK_CUSTOM_EPOCH_MS },
    { "usec",      LK_CUSTOM_EPOCH_US },
    { "msec_frac", LK_CUSTOM_FRACTION_MS },
    { "usec_frac", LK_CUSTOM_FRACTION_US },
};
/* clang-format on */

static lk_code add_bracketed(lk_custom_builder *b, lk_custom_spec *spec)
{
    spec->field = LK_CUSTOM_TIME_CLF;
    LK_TRY(lk_custom_add_text(b, LK_SLICE("[")));
    LK_TRY(lk_custom_add_field(b, spec));
    return lk_custom_add_text(b, LK_SLICE("]"));
}

/* "begin:%T" is "%T" of the start. */
static lk_slice without_moment(lk_slice arg, bool *end)
{
    *end = lk_slice_starts(arg, "end:") || lk_slice_is(arg, "end");
    if (lk_slice_starts(arg, "begin:"))
        return lk_slice_skip(arg, sizeof("begin:") - 1);
    if (lk_slice_starts(arg, "end:"))
        return lk_slice_skip(arg, sizeof("end:") - 1);
    return lk_slice_is(arg, "begin") || *end ? LK_SLICE_NONE : arg;
}

static lk_code add_form(lk_custom_builder *b, lk_custom_spec *spec)
{
    const char *at = spec->name.p;
    unsigned parts = 0;

    if (!lk_custom_form_parts(spec->form, &parts, &at))
        return lk_custom_fail(b, at, "a time cannot be read by", spec->name);
    spec->field = LK_CUSTOM_TIME_FORM;
    return lk_custom_add_field(b, spec);
}

static lk_code add_time(lk_custom_builder *b, const directive *d, lk_custom_spec *spec)
{
    lk_slice arg = without_moment(d->arg, &spec->end);

    if (d->conditional) /* "-" on other lines: not one to go by */
        return lk_custom_add_field(b, spec);
    if (arg.len == 0)
        return add_bracketed(b, spec);
    for (size_t i = 0; i < sizeof(TOKENS) / sizeof(TOKENS[0]); i++) {
        if (lk_slice_is(arg, TOKENS[i].token)) {
            spec->field = TOKENS[i].field;
            return lk_custom_add_field(b, spec);
        }
    }
    spec->form = arg;
    return add_form(b, spec);
}

/* ---- the others ---- */

/* clang-format off */
static const struct {
    char letter;
    const char *arg;
    lk_custom_field field;
    uint8_t rank;
} ROWS[] = {
    { 'a', "",   LK_CUSTOM_CALLER,  0 },
    { 'h', "",   LK_CUSTOM_CALLER,  1 },
    { 'a', "c",  LK_CUSTOM_CALLER,  2 },
    { 'h', "c",  LK_CUSTOM_CALLER,  3 },
    { 'V', "",   LK_CUSTOM_HOST,    1 },
    { 'v', "",   LK_CUSTOM_HOST,    2 },
    { 'm', "",   LK_CUSTOM_METHOD,  0 },
    { 'U', "",   LK_CUSTOM_TARGET,  0 },
    { 'q', "",   LK_CUSTOM_QUERY,   0 },
    { 'r', "",   LK_CUSTOM_REQUEST, 0 },
    { 's', "",   LK_CUSTOM_STATUS,  1 },
    { 'D', "",   LK_CUSTOM_TOOK_US, 0 },
    { 'T', "us", LK_CUSTOM_TOOK_US, 0 },
    { 'T', "ms", LK_CUSTOM_TOOK_MS, 1 },
    { 'T', "s",  LK_CUSTOM_TOOK_S,  2 },
    { 'T', "",   LK_CUSTOM_TOOK_S,  2 },
    { 'X', "",   LK_CUSTOM_GAVE_UP, 0 },
};
/* clang-format on */

static void read_letter(const directive *d, lk_custom_spec *spec)
{
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        if (ROWS[i].letter == d->letter && lk_slice_is(d->arg, ROWS[i].arg)) {
            spec->field = ROWS[i].field;
            spec->rank = ROWS[i].rank;
        }
    }
    if (spec->field == LK_CUSTOM_STATUS && d->final)
        spec->rank = 0;
    if (spec->field == LK_CUSTOM_STATUS && d->conditional)
        spec->field = LK_CUSTOM_IGNORE;
}

/* What mod_unique_id calls UNIQUE_ID is one id a request. */
static void read_name(const directive *d, lk_custom_spec *spec)
{
    bool is_unique_id = d->letter == 'e' && lk_slice_is(d->arg, "UNIQUE_ID");

    lk_custom_name_header(is_unique_id ? LK_SLICE("request_id") : d->arg, spec);
    if (spec->field == LK_CUSTOM_ID)
        spec->form = d->arg;
}

static lk_code add_directive(lk_custom_builder *b, const directive *d)
{
    lk_custom_spec spec = { .name = d->name, .end = b->ends };

    if (!d->trailer && d->letter == 't')
        return add_time(b, d, &spec);
    if (!d->trailer && d->arg.p && strchr("ioen", d->letter))
        read_name(d, &spec);
    else if (!d->trailer)
        read_letter(d, &spec);
    if (d->conditional) /* "-" on other lines: the last to go by */
        spec.rank = UINT8_MAX;
    return lk_custom_add_field(b, &spec);
}

/* At a '%'. */
static lk_code take_percent(lk_custom_builder *b, const char **p)
{
    directive d = { .letter = '\0' };
    const char *past;

    if ((*p)[1] == '%') {
        *p += 2;
        return lk_custom_add_text(b, LK_SLICE("%"));
    }
    past = take_directive(*p, &d);
    if (!past)
        return lk_custom_fail(b, *p, "no directive is", lk_slice_from(*p));
    *p = past;
    return add_directive(b, &d);
}

lk_code lk_custom_apache(lk_custom_builder *b, const char *p)
{
    lk_code code = lk_custom_take_text(b, &p, '%');

    while (code == LK_OK && *p) {
        LK_TRY(take_percent(b, &p));
        code = lk_custom_take_text(b, &p, '%');
    }
    return code;
}
