#include "api/gate.h"
#include "base/near.h"
#include "base/slice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the figures ---- */

/* 1 found, 0 not, NAN not known */
static double known(lk_known k)
{
    return k == LK_NOT_KNOWN ? (double)NAN : (double)k;
}

static double synchronised(const lk_report *r)
{
    return known(r->synchronised);
}

static double overload(const lk_report *r)
{
    return known(r->overload);
}

static double amplification(const lk_report *r)
{
    double worst = (double)NAN;

    for (size_t i = 0; i < r->amplification_count; i++)
        worst = fmax(worst, r->amplification[i].mean);
    return worst;
}

static double error_share(const lk_report *r)
{
    return r->http.error_share;
}

static double rejected_share(const lk_report *r)
{
    return r->http.rejected_share;
}

static double failed_share(const lk_report *r)
{
    return r->calls.failed_share;
}

typedef struct lk_condition_row {
    const char *name;
    const char *takes; /* "=N", or "" where it is found or not */
    const char *alias;
    const char *found; /* the sentence of a finding; what the figure is of a number */
    double (*figure)(const lk_report *r);
} lk_condition_row;

static const lk_condition_row ROWS[] = {
    { "synchronised", "", "synchronized", "callers come back in step", synchronised },
    { "overload", "", NULL, "demand is above the allowance", overload },
    { "amplification", "=N", NULL, "HTTP attempts for each unit of work, of the worst population",
      amplification },
    { "error-share", "=N", NULL, "share of the HTTP attempts that are errors", error_share },
    { "rejected-share", "=N", NULL, "share of the HTTP attempts that were rejected",
      rejected_share },
    { "failed-share", "=N", NULL, "share of the calls that failed", failed_share },
};
enum { ROW_COUNT = sizeof(ROWS) / sizeof(ROWS[0]) };

/* ---- reading ---- */

static const lk_condition_row *row_of(lk_slice name)
{
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (lk_slice_is(name, ROWS[i].name) || (ROWS[i].alias && lk_slice_is(name, ROWS[i].alias)))
            return &ROWS[i];
    return NULL;
}

/* " a, b=N" */
static void list_names(char *out, size_t size)
{
    size_t at = 0;

    for (size_t i = 0; i < ROW_COUNT && at < size; i++)
        at += (size_t)snprintf(out + at, size - at, "%s %s%s", i ? "," : "", ROWS[i].name,
                               ROWS[i].takes);
}

static lk_code unknown_condition(lk_slice name, lk_err *e)
{
    char typed[40], names[160];
    size_t n = name.len < sizeof(typed) - 1 ? name.len : sizeof(typed) - 1;

    memcpy(typed, name.p, n);
    typed[n] = '\0';
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (lk_near(typed, ROWS[i].name))
            return lk_fail(e, LK_EUSAGE, "--fail-on: unknown condition '%s'; did you mean '%s%s'?",
                           typed, ROWS[i].name, ROWS[i].takes);
    list_names(names, sizeof(names));
    return lk_fail(e, LK_EUSAGE, "--fail-on: unknown condition '%s'; there are%s", typed, names);
}

static lk_code read_condition(lk_slice item, lk_condition *out, lk_err *e)
{
    const char *equals = memchr(item.p, '=', item.len);
    lk_slice name = { item.p, equals ? (size_t)(equals - item.p) : item.len };
    lk_slice number = { equals ? equals + 1 : item.p, equals ? item.len - name.len - 1 : 0 };
    int64_t nano = 0;

    out->row = row_of(name);
    if (!out->row)
        return unknown_condition(name, e);
    if (!out->row->takes[0] && equals)
        return lk_fail(e, LK_EUSAGE, "--fail-on: %s takes no number", out->row->name);
    if (out->row->takes[0] && !equals)
        return lk_fail(e, LK_EUSAGE, "--fail-on: %s needs the most that is allowed: %s=N",
                       out->row->name, out->row->name);
    if (equals && (!lk_slice_nano(number, &nano) || nano < 0))
        return lk_fail(e, LK_EUSAGE, "--fail-on: '%.*s' is no number of 0 or more for %s",
                       (int)number.len, number.p, out->row->name);
    out->most = (double)nano / 1e9;
    return LK_OK;
}

lk_code lk_gate_parse(const char *text, lk_gate *out, lk_err *e)
{
    out->count = 0;
    for (const char *at = text; at;) {
        const char *comma = strchr(at, ',');
        lk_slice item = { at, comma ? (size_t)(comma - at) : strlen(at) };

        if (item.len == 0)
            return lk_fail(e, LK_EUSAGE, "--fail-on: a condition is missing in '%s'", text);
        if (out->count == LK_CONDITIONS_MAX)
            return lk_fail(e, LK_EUSAGE, "--fail-on: more than %d conditions", LK_CONDITIONS_MAX);
        LK_TRY(read_condition(item, &out->conditions[out->count], e));
        out->count++;
        at = comma ? comma + 1 : NULL;
    }
    return LK_OK;
}

/* ---- judging ---- */

static const char *sentence(const lk_condition *c, double figure, lk_arena *arena)
{
    const lk_condition_row *row = c->row;

    if (isnan(figure))
        return lk_arena_printf(arena, "--fail-on %s: not known", row->name);
    if (!row->takes[0])
        return lk_arena_printf(arena, "--fail-on %s: %s", row->name, row->found);
    return lk_arena_printf(arena, "--fail-on %s=%.6g: it is %.6g (%s)", row->name, c->most, figure,
                           row->found);
}

lk_code lk_gate_judge(const lk_gate *gate, const lk_report *r, lk_arena *arena, lk_verdicts *out,
                      lk_err *e)
{
    *out = (lk_verdicts){ .broken_count = 0 };
    for (size_t i = 0; i < gate->count; i++) {
        const lk_condition *c = &gate->conditions[i];
        const double figure = c->row->figure(r);
        const char *text;

        if (figure <= c->most)
            continue;
        text = sentence(c, figure, arena);
        if (!text)
            return lk_fail(e, LK_EOOM, "no memory for what --fail-on found");
        if (isnan(figure))
            out->unknown[out->unknown_count++] = text;
        else
            out->broken[out->broken_count++] = text;
    }
    return LK_OK;
}
