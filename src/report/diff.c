#include "report/diff.h"

#include "base/text.h"
#include "base/whole.h"
#include "model/json.h"
#include "report/page.h"
#include "report/words.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { ROWS_SHOWN = 12, NAME_CUT = 60 };

typedef enum kind { SHARE, REAL, SECONDS, COUNT } kind;

/* ---- single figures ---- */

typedef struct figure {
    const char *key, *name;
    kind kind;
    double (*of)(const lk_report *r);
} figure;

static double count(int64_t n)
{
    return n < 0 ? (double)NAN : (double)n;
}

static double rejected_share(const lk_report *r)
{
    return r->http.rejected_share;
}

static double failed_share(const lk_report *r)
{
    return r->calls.failed_share;
}

static double retry_share(const lk_report *r)
{
    return r->wasted.retry_share;
}

static double attempts(const lk_report *r)
{
    return count(r->http.attempts);
}

static double calls(const lk_report *r)
{
    return count(r->calls.total);
}

static double per_call(const lk_report *r)
{
    return r->calls.attempts_mean;
}

static double success_p99(const lk_report *r)
{
    return r->calls.success_p99_s;
}

static double tail(const lk_report *r)
{
    return r->incident ? r->incident->tail_s : (double)NAN;
}

static const figure FIGURES[] = {
    { "http.rejected_share", "attempts rejected", SHARE, rejected_share },
    { "calls.failed_share", "calls failed", SHARE, failed_share },
    { "wasted.retry_share", "attempts that are retries", SHARE, retry_share },
    { "calls.attempts_per_call.mean", "attempts per call, mean", REAL, per_call },
    { "calls.time_to_success_s.p99", "time to success, 99 %", SECONDS, success_p99 },
    { "incident.tail_s", "trouble after the load", SECONDS, tail },
    { "http.attempts", "HTTP attempts", COUNT, attempts },
    { "calls.total", "calls", COUNT, calls },
};

enum { FIGURE_COUNT = sizeof(FIGURES) / sizeof(FIGURES[0]) };

static lk_word word_of(kind k, double x)
{
    if (!isfinite(x))
        return lk_word_count(LK_COUNT_NONE);
    switch (k) {
    case SHARE: return lk_word_share(x);
    case SECONDS: return lk_word_seconds(x);
    case COUNT: return lk_word_count(lk_whole(x));
    case REAL: break;
    }
    return lk_word_real(x);
}

/* "down to a third" is read faster than two numbers. */
static const char *change(lk_page *p, double a, double b)
{
    if (!isfinite(a) || !isfinite(b))
        return "not comparable";
    if (fabs(a - b) <= 0.005 * fmax(fabs(a), fabs(b)))
        return "the same";
    if (a <= 0)
        return "new";
    if (b <= 0)
        return "gone";
    if (b / a >= 2)
        return lk_page_print(p, "up, %s times as much", lk_word_scale(b / a).text);
    return lk_page_print(p, "%s by %s", b < a ? "down" : "up", lk_word_share(fabs(b - a) / a).text);
}

static void say_figures(lk_page *p, const lk_report *a, const lk_report *b)
{
    lk_page_heading(p, "Rates", NULL);
    lk_page_row(p, "  %-26s %11s  %11s", "", "before", "after");
    for (size_t i = 0; i < FIGURE_COUNT; i++) {
        double x = FIGURES[i].of(a), y = FIGURES[i].of(b);

        lk_page_row(p, "  %-26s %11s  %11s   %s", FIGURES[i].name, word_of(FIGURES[i].kind, x).text,
                    word_of(FIGURES[i].kind, y).text, change(p, x, y));
    }
}

/* ---- clocks ---- */

static bool is_same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static const lk_report_clock *clock_like(const lk_report *r, const lk_report_clock *c)
{
    const lk_report_clock *best = NULL;

    for (size_t i = 0; i < r->clock_count; i++) {
        const lk_report_clock *other = &r->clocks[i];
        double gap = fabs(other->period_s - c->period_s);

        if (is_same(other->kind, c->kind) && gap <= 0.05 * c->period_s &&
            (!best || gap < fabs(best->period_s - c->period_s)))
            best = other;
    }
    return best;
}

static const char *clock_name(lk_page *p, const lk_report_clock *c)
{
    return lk_page_print(p, "%s clock of %s",
                         c->kind && strcmp(c->kind, "retry") == 0       ? "retry"
                         : c->kind && strcmp(c->kind, "scheduled") == 0 ? "scheduled"
                                                                        : "unexplained",
                         lk_word_seconds(c->period_s).text);
}

static void say_clocks(lk_page *p, const lk_report *a, const lk_report *b)
{
    lk_page_heading(p, "Clocks", NULL);
    if (a->clock_count + b->clock_count == 0)
        lk_page_para(p, 2, "None before, none after.");
    for (size_t i = 0; i < a->clock_count && i < ROWS_SHOWN; i++) {
        const lk_report_clock *c = &a->clocks[i], *d = clock_like(b, c);

        if (d)
            lk_page_item(p, 2, "still", 10, "%s: share %s before, %s after", clock_name(p, c),
                         lk_word_share(c->share).text, lk_word_share(d->share).text);
        else
            lk_page_item(p, 2, "gone", 10, "%s: share %s before", clock_name(p, c),
                         lk_word_share(c->share).text);
    }
    for (size_t i = 0; i < b->clock_count && i < ROWS_SHOWN; i++)
        if (!clock_like(a, &b->clocks[i]))
            lk_page_item(p, 2, "new", 10, "%s: share %s after", clock_name(p, &b->clocks[i]),
                         lk_word_share(b->clocks[i].share).text);
}

/* ---- amplification and policies, by population ---- */

static const lk_report_amplification *amplified(const lk_report *r, const char *population)
{
    for (size_t i = 0; i < r->amplification_count; i++)
        if (is_same(r->amplification[i].population, population))
            return &r->amplification[i];
    return NULL;
}

static const char *bound(const lk_report_amplification *a)
{
    return !a                     ? "absent"
           : a->bounded == LK_YES ? "bounded"
           : a->bounded == LK_NO  ? "unbounded"
                                  : "bound not known";
}

static void say_amplified(lk_page *p, const char *population, const lk_report_amplification *x,
                          const lk_report_amplification *y)
{
    lk_page_para(p, 2, "%s: %s attempts a unit before (%s), %s after (%s)",
                 lk_page_safe(p, population, NAME_CUT, LK_WORDS_NO_AGENT),
                 x ? lk_page_print(p, "%s", lk_word_real(x->mean).text) : "no", bound(x),
                 y ? lk_page_print(p, "%s", lk_word_real(y->mean).text) : "no", bound(y));
}

static void say_amplification(lk_page *p, const lk_report *a, const lk_report *b)
{
    if (a->amplification_count + b->amplification_count == 0)
        return;
    lk_page_heading(p, "Amplification", "HTTP attempts for each unit of work");
    for (size_t i = 0; i < a->amplification_count && i < ROWS_SHOWN; i++)
        say_amplified(p, a->amplification[i].population, &a->amplification[i],
                      amplified(b, a->amplification[i].population));
    for (size_t i = 0; i < b->amplification_count && i < ROWS_SHOWN; i++)
        if (!amplified(a, b->amplification[i].population))
            say_amplified(p, b->amplification[i].population, NULL, &b->amplification[i]);
}

static const lk_report_policy *policy_of(const lk_report *r, const lk_report_policy *like)
{
    for (size_t i = 0; i < r->policy_count; i++)
        if (is_same(r->policies[i].population, like->population) &&
            is_same(r->policies[i].layer, like->layer))
            return &r->policies[i];
    return NULL;
}

static const char *policy_words(lk_page *p, const lk_report_policy *x)
{
    if (!x)
        return "no comebacks";
    return lk_page_print(p, "%s%s", lk_page_safe(p, x->policy, 40, "not known"),
                         isfinite(x->base_s) ? lk_page_print(p, " (base %.6g s)", x->base_s) : "");
}

static void say_policy(lk_page *p, const lk_report_policy *who, const lk_report_policy *x,
                       const lk_report_policy *y)
{
    lk_page_para(p, 2, "%s, %s: %s before, %s after",
                 lk_page_safe(p, who->population, NAME_CUT, LK_WORDS_NO_AGENT),
                 lk_page_safe(p, who->layer, 20, "layer not known"), policy_words(p, x),
                 policy_words(p, y));
}

static void say_policies(lk_page *p, const lk_report *a, const lk_report *b)
{
    if (a->policy_count + b->policy_count == 0)
        return;
    lk_page_heading(p, "Retry policies", NULL);
    for (size_t i = 0; i < a->policy_count && i < ROWS_SHOWN; i++)
        say_policy(p, &a->policies[i], &a->policies[i], policy_of(b, &a->policies[i]));
    for (size_t i = 0; i < b->policy_count && i < ROWS_SHOWN; i++)
        if (!policy_of(a, &b->policies[i]))
            say_policy(p, &b->policies[i], NULL, &b->policies[i]);
}

/* ---- the values of --by ---- */

/* Both reports break down by the same field. */
static bool has_by(const lk_report *a, const lk_report *b)
{
    return a->by && b->by && is_same(a->by->field, b->by->field);
}

static const lk_report_value *value_like(const lk_report *r, const lk_report_value *v)
{
    for (size_t i = 0; i < r->by->value_count; i++)
        if (is_same(r->by->values[i].value, v->value))
            return &r->by->values[i];
    return NULL;
}

/* Calls `visit` for every value of either report: those before, then those that are new. */
static void each_value(const lk_report *a, const lk_report *b,
                       void (*visit)(void *ctx, const lk_report_value *x, const lk_report_value *y),
                       void *ctx)
{
    for (size_t i = 0; i < a->by->value_count; i++)
        visit(ctx, &a->by->values[i], value_like(b, &a->by->values[i]));
    for (size_t i = 0; i < b->by->value_count; i++)
        if (!value_like(a, &b->by->values[i]))
            visit(ctx, NULL, &b->by->values[i]);
}

struct saying {
    lk_page *page;
    size_t said;
};

static void say_value(void *ctx, const lk_report_value *x, const lk_report_value *y)
{
    struct saying *s = ctx;
    lk_page *p = s->page;
    double before = x ? x->http.rejected_share : (double)NAN;
    double after = y ? y->http.rejected_share : (double)NAN;

    if (s->said++ < ROWS_SHOWN)
        lk_page_row(p, "  %11s  %11s   %s", x ? word_of(SHARE, before).text : "absent",
                    y ? word_of(SHARE, after).text : "absent",
                    lk_page_safe(p, (x ? x : y)->value, NAME_CUT - 10, "(not in the log)"));
}

static void say_by(lk_page *p, const lk_report *a, const lk_report *b)
{
    struct saying s = { p, 0 };

    if (!has_by(a, b))
        return;
    lk_page_heading(p, lk_page_print(p, "By %s", a->by->field), "attempts rejected");
    lk_page_row(p, "  %11s  %11s", "before", "after");
    each_value(a, b, say_value, &s);
    if (s.said > ROWS_SHOWN)
        lk_page_para(p, 2, "and %s: --format json lists them",
                     lk_word_counted((int64_t)s.said - ROWS_SHOWN, "more value").text);
}

/* ---- the verdict ---- */

static const char *verdict(const lk_report *a, const lk_report *b)
{
    static const char *const WORDS[3][3] = {
        { "Retries were not synchronised before and are not now.",
          "Retries are synchronised now and were not before.",
          "Retries were not synchronised before; whether they are now is not known." },
        { "Retries were synchronised before and are not any more.",
          "Retries were synchronised before and still are.",
          "Retries were synchronised before; whether they are now is not known." },
        { "Retries are not synchronised now; whether they were before is not known.",
          "Retries are synchronised now; whether they were before is not known.",
          "Whether retries were or are synchronised is not known." },
    };
    int i = a->synchronised == LK_NOT_KNOWN ? 2 : (int)a->synchronised;
    int k = b->synchronised == LK_NOT_KNOWN ? 2 : (int)b->synchronised;

    return WORDS[i][k];
}

static void say_span(lk_page *p, const char *label, const lk_report *r)
{
    lk_page_item(p, 0, label, 8, "%s UTC (%s)",
                 lk_word_range(r->input.span_start_ns, r->input.span_end_ns).text,
                 lk_word_span(r->input.span_s).text);
}

static void diff_text(lk_page *p, const lk_report *a, const lk_report *b)
{
    lk_page_rule(p);
    lk_page_inked(p, LK_INK_BOLD, 0, "%s", verdict(a, b));
    lk_page_rule(p);
    say_span(p, "before", a);
    say_span(p, "after", b);
    say_figures(p, a, b);
    say_clocks(p, a, b);
    say_amplification(p, a, b);
    say_policies(p, a, b);
    say_by(p, a, b);
}

/* ---- JSON ---- */

static void add_text(lk_page *p, lk_json *o, const char *key, const char *raw)
{
    lk_json_add_text(o, key, raw ? lk_page_safe(p, raw, SIZE_MAX, NULL) : NULL);
}

static void add_known(lk_json *o, const char *key, lk_known known)
{
    if (known == LK_NOT_KNOWN)
        lk_json_add_null(o, key);
    else
        lk_json_add_bool(o, key, known == LK_YES);
}

static void add_clock(lk_json *array, const char *state, const lk_report_clock *x,
                      const lk_report_clock *y)
{
    lk_json *o = lk_json_object(array, NULL);
    const lk_report_clock *some = x ? x : y;

    assert(some);
    lk_json_add_text(o, "state", state);
    lk_json_add_text(o, "kind", some->kind);
    lk_json_add_real(o, "before_period_s", x ? x->period_s : (double)NAN);
    lk_json_add_real(o, "after_period_s", y ? y->period_s : (double)NAN);
    lk_json_add_real(o, "before_share", x ? x->share : (double)NAN);
    lk_json_add_real(o, "after_share", y ? y->share : (double)NAN);
}

static void add_clocks(lk_json *root, const lk_report *a, const lk_report *b)
{
    lk_json *array = lk_json_array(root, "clocks");

    for (size_t i = 0; i < a->clock_count; i++) {
        const lk_report_clock *d = clock_like(b, &a->clocks[i]);

        add_clock(array, d ? "still" : "gone", &a->clocks[i], d);
    }
    for (size_t i = 0; i < b->clock_count; i++)
        if (!clock_like(a, &b->clocks[i]))
            add_clock(array, "new", NULL, &b->clocks[i]);
}

static void add_amplified(lk_page *p, lk_json *array, const char *population,
                          const lk_report_amplification *x, const lk_report_amplification *y)
{
    lk_json *o = lk_json_object(array, NULL);

    add_text(p, o, "population", population);
    lk_json_add_real(o, "before_mean", x ? x->mean : (double)NAN);
    lk_json_add_real(o, "after_mean", y ? y->mean : (double)NAN);
    add_known(o, "before_bounded", x ? x->bounded : LK_NOT_KNOWN);
    add_known(o, "after_bounded", y ? y->bounded : LK_NOT_KNOWN);
}

static void add_policy(lk_page *p, lk_json *array, const lk_report_policy *who,
                       const lk_report_policy *x, const lk_report_policy *y)
{
    lk_json *o = lk_json_object(array, NULL);

    add_text(p, o, "population", who->population);
    add_text(p, o, "layer", who->layer);
    add_text(p, o, "before", x ? x->policy : NULL);
    add_text(p, o, "after", y ? y->policy : NULL);
}

static void add_populations(lk_page *p, lk_json *root, const lk_report *a, const lk_report *b)
{
    lk_json *array = lk_json_array(root, "amplification");

    for (size_t i = 0; i < a->amplification_count; i++)
        add_amplified(p, array, a->amplification[i].population, &a->amplification[i],
                      amplified(b, a->amplification[i].population));
    for (size_t i = 0; i < b->amplification_count; i++)
        if (!amplified(a, b->amplification[i].population))
            add_amplified(p, array, b->amplification[i].population, NULL, &b->amplification[i]);
    array = lk_json_array(root, "policies");
    for (size_t i = 0; i < a->policy_count; i++)
        add_policy(p, array, &a->policies[i], &a->policies[i], policy_of(b, &a->policies[i]));
    for (size_t i = 0; i < b->policy_count; i++)
        if (!policy_of(a, &b->policies[i]))
            add_policy(p, array, &b->policies[i], NULL, &b->policies[i]);
}

struct adding {
    lk_page *page;
    lk_json *array;
};

static void add_value(void *ctx, const lk_report_value *x, const lk_report_value *y)
{
    struct adding *to = ctx;
    lk_json *o = lk_json_object(to->array, NULL);

    add_text(to->page, o, "value", (x ? x : y)->value);
    lk_json_add_real(o, "before_rejected_share", x ? x->http.rejected_share : (double)NAN);
    lk_json_add_real(o, "after_rejected_share", y ? y->http.rejected_share : (double)NAN);
    lk_json_add_real(o, "before_failed_share", x ? x->calls.failed_share : (double)NAN);
    lk_json_add_real(o, "after_failed_share", y ? y->calls.failed_share : (double)NAN);
}

static void add_by(lk_page *p, lk_json *root, const lk_report *a, const lk_report *b)
{
    struct adding to = { p, NULL };

    if (!has_by(a, b)) {
        lk_json_add_null(root, "by");
        return;
    }
    to.array = lk_json_array(root, "by");
    each_value(a, b, add_value, &to);
}

static lk_code diff_json(lk_page *p, const lk_report *a, const lk_report *b, lk_err *e)
{
    lk_json *root = lk_json_object(NULL, NULL), *rates;
    lk_code code;

    lk_json_add_text(root, "schema", "lockstep.diff/1");
    add_known(root, "before_synchronised", a->synchronised);
    add_known(root, "after_synchronised", b->synchronised);
    lk_json_add_text(root, "verdict", verdict(a, b));
    rates = lk_json_array(root, "rates");
    for (size_t i = 0; i < FIGURE_COUNT; i++) {
        lk_json *o = lk_json_object(rates, NULL);

        lk_json_add_text(o, "name", FIGURES[i].key);
        lk_json_add_real(o, "before", FIGURES[i].of(a));
        lk_json_add_real(o, "after", FIGURES[i].of(b));
    }
    add_clocks(root, a, b);
    add_populations(p, root, a, b);
    add_by(p, root, a, b);
    code = lk_json_print(root, p->out, e);
    lk_json_free(root);
    return code;
}

lk_code lk_diff(const lk_report *before, const lk_report *after, const char *format,
                const lk_style *style, lk_buf *out, lk_err *e)
{
    lk_code code = LK_OK;
    lk_arena arena;
    lk_page page;

    lk_arena_init(&arena, 0);
    lk_page_init(&page, style, &arena, out);
    if (strcmp(format, "json") == 0)
        code = diff_json(&page, before, after, e);
    else if (strcmp(format, "text") == 0)
        diff_text(&page, before, after);
    else
        code = lk_fail(e, LK_EUSAGE, "unknown format '%s': text, json", format);
    out->failed |= arena.failed;
    lk_arena_release(&arena);
    if (code == LK_OK && out->failed)
        code = lk_fail(e, LK_EOOM, "no memory for a comparison");
    return code;
}
