#include "report/text_part.h"

#include "report/words.h"

#include <math.h>
#include <string.h>

enum { POPULATIONS_SHOWN = 12, DELAYS_SHOWN = 12, ASKED_SHOWN = 6, LAYERS_AT = 10, NAME_MIN = 20,
       FINDING_CUT = 500 };

static bool is_same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static void say_left_out(lk_page *p, size_t indent, size_t count, size_t shown, const char *what)
{
    if (count > shown)
        lk_page_para(p, indent, "and %s", lk_word_counted((int64_t)(count - shown), what).text);
}

/* ---- amplification, and the layers that multiply to it ---- */

static const char *bounds_of(lk_page *p, const lk_report_layer *l)
{
    if (l->bounded == LK_NO)
        return "no cap";
    if (l->cap < 0)
        return "no cap seen";
    return lk_page_print(p, "at most %s", lk_word_count(l->cap).text);
}

static const char *layer_name(lk_page *p, const char *name)
{
    const char *known = lk_words_layer(name);

    return known ? known : lk_page_safe(p, name, 20, "a layer");
}

/* Populations below retry in one call of twenty at most. */
#define AMPLIFIED_MIN 1.05

/* "SDK 3.00 (at most 3, waits 12.0 s)" */
static const char *layer_words(lk_page *p, const lk_report_layer *l)
{
    const char *wait = isfinite(l->delay_s)
                           ? lk_page_print(p, ", waits %s", lk_word_seconds(l->delay_s).text)
                           : "";

    return lk_page_print(p, "%s %s (%s%s)", layer_name(p, l->name),
                         lk_word_real(l->amplification).text, bounds_of(p, l), wait);
}

static void say_layers(lk_page *p, const lk_report *r, const char *of)
{
    lk_buf list;
    size_t count = 0;

    lk_buf_init(&list);
    for (size_t i = 0; i < r->layer_count; i++) {
        if (!is_same(r->layers[i].population, of))
            continue;
        if (count++ > 0)
            lk_buf_printf(&list, " %s ", p->sign->times);
        lk_buf_printf(&list, "%s", layer_words(p, &r->layers[i]));
    }
    if (list.failed)
        p->out->failed = true;
    else if (count > 0)
        lk_page_item(p, LAYERS_AT, "=", LAYERS_AT + 2, "%s", list.p);
    lk_buf_release(&list);
}

/* "2.81 attempts a call", "2.96 calls a task" */
static const char *units_words(lk_page *p, const lk_report_layer *l)
{
    static const struct {
        const char *layer, *words;
    } UNITS[] = { { "sdk", "attempts a call" },
                  { "job", "calls a task" },
                  { "proxy", "tries an attempt" } };

    for (size_t i = 0; i < sizeof(UNITS) / sizeof(UNITS[0]); i++)
        if (is_same(l->name, UNITS[i].layer))
            return lk_page_print(p, "%s %s", lk_word_real(l->amplification).text, UNITS[i].words);
    return lk_page_print(p, "%s for each unit of %s", lk_word_real(l->amplification).text,
                         layer_name(p, l->name));
}

/* What the factors are, where there are several. */
static void say_factors(lk_page *p, const lk_report *r, const lk_report_amplification *a)
{
    const char *words = NULL;
    size_t count = 0;

    for (size_t i = 0; i < r->layer_count; i++) {
        if (!is_same(r->layers[i].population, a->population))
            continue;
        words = words ? lk_page_print(p, "%s %s %s", words, p->sign->times,
                                      units_words(p, &r->layers[i]))
                      : units_words(p, &r->layers[i]);
        count++;
    }
    if (count > 1)
        lk_page_item(p, LAYERS_AT, "", LAYERS_AT + 2, "%s: %s HTTP attempts in all", words,
                     lk_word_real(a->mean).text);
}

/* "1,180 tasks x 3 = up to 3,540 attempts in each 60.0 s" */
static void say_cycle(lk_page *p, const lk_report_amplification *a)
{
    if (a->cycle_units <= 0 || a->cycle_attempts <= 0)
        return;
    lk_page_item(p, LAYERS_AT, "", LAYERS_AT + 2, "at worst %s %s %s = %s in each %s",
                 lk_word_counted(a->cycle_units, "task").text, p->sign->times,
                 lk_word_count(a->cycle_attempts / a->cycle_units).text,
                 lk_word_counted(a->cycle_attempts, "HTTP attempt").text,
                 lk_word_seconds(a->cycle_s).text);
}

static void say_expected(lk_page *p, const lk_report *r, const char *of)
{
    for (size_t i = 0; i < r->layer_count; i++)
        if (is_same(r->layers[i].population, of) && isfinite(r->layers[i].expected))
            lk_page_item(p, LAYERS_AT, "", LAYERS_AT + 2,
                         "check: if each attempt fails with the same chance, up to %s of them make "
                         "%s a call, close to the %s counted",
                         lk_word_count(r->layers[i].cap).text,
                         lk_word_real(r->layers[i].expected).text,
                         lk_word_real(r->layers[i].amplification).text);
}

/* Beside its numbers, or below them where the page is narrow. */
static void add_population(lk_page *p, const char *numbers, const char *name, const char *absent)
{
    size_t at = strlen(numbers) + 2;

    if (at + NAME_MIN > p->width) {
        lk_page_row(p, "%s", numbers);
        lk_page_row(p, "%*s%s", LAYERS_AT, "", lk_page_safe(p, name, p->width - LAYERS_AT, absent));
    } else {
        lk_page_row(p, "%s  %s", numbers, lk_page_safe(p, name, p->width - at, absent));
    }
}

static void add_amplified(lk_page *p, const lk_report *r, const lk_report_amplification *a)
{
    add_population(p,
                   lk_page_print(p, "%9s %8s %15s", lk_word_real(a->mean).text,
                                 lk_word_count(a->max).text, lk_word_count(a->units).text),
                   a->population, LK_WORDS_NO_AGENT);
    say_layers(p, r, a->population);
    say_factors(p, r, a);
    say_cycle(p, a);
    say_expected(p, r, a->population);
    if (a->bounded == LK_NO)
        lk_page_inked(p, LK_INK_YELLOW, LAYERS_AT,
                      "%s unbounded: it grows as long as the incident lasts", p->sign->warning);
}

/* What is worth a row: the others retry now and then. */
static size_t amplified_count(const lk_report *r)
{
    size_t n = 0;

    while (n < r->amplification_count && r->amplification[n].mean >= AMPLIFIED_MIN)
        n++;
    return n;
}

void lk_text_amplification(lk_page *p, const lk_report *r)
{
    size_t worth = amplified_count(r);
    size_t shown = worth < POPULATIONS_SHOWN ? worth : POPULATIONS_SHOWN;

    if (worth == 0)
        return;
    lk_page_heading(p, "Amplification",
                    "HTTP attempts for each unit of work; layers of retry multiply");
    lk_page_row(p, "%9s %8s %15s  %s", "mean", "most", "units of work", "population (user agent)");
    for (size_t i = 0; i < shown; i++)
        add_amplified(p, r, &r->amplification[i]);
    say_left_out(p, 36, worth, shown, "more population");
    if (r->amplification_count > worth)
        lk_page_para(
            p, 2, "%s now and then, below %s attempts for each unit.",
            r->amplification_count - worth == 1
                ? "1 more population retries"
                : lk_page_print(p, "%zu more populations retry", r->amplification_count - worth),
            lk_word_real(AMPLIFIED_MIN).text);
}

/* ---- fixed delays ---- */

void lk_text_fixed_delays(lk_page *p, const lk_report *r)
{
    size_t shown = r->fixed_delay_count < DELAYS_SHOWN ? r->fixed_delay_count : DELAYS_SHOWN;

    if (r->fixed_delay_count == 0)
        return;
    lk_page_heading(p, "Fixed delays", "constant waits between a failure and the next attempt");
    lk_page_row(p, "%10s %14s  %-8s  %s", "delay", "comebacks", "in waves",
                "population (user agent)");
    for (size_t i = 0; i < shown; i++) {
        const lk_report_fixed_delay *d = &r->fixed_delays[i];

        add_population(
            p,
            lk_page_print(p, "%10s %14s  %-8s", lk_word_seconds(d->delay_s).text,
                          lk_word_count(d->comebacks).text, d->synchronised ? "yes" : "no"),
            d->population, LK_WORDS_NOT_ONE_AGENT);
    }
    say_left_out(p, 2, r->fixed_delay_count, shown, "more fixed delay");
}

/* ---- Retry-After ---- */

static void say_asked(lk_page *p, const lk_report_retry_after *a)
{
    size_t shown = a->value_count < ASKED_SHOWN ? a->value_count : ASKED_SHOWN;
    lk_buf list;

    lk_buf_init(&list);
    for (size_t i = 0; i < shown; i++)
        lk_buf_printf(&list, "%s%s (%s times)", i > 0 ? ", " : "",
                      lk_word_seconds(a->values[i].value_s).text,
                      lk_word_count(a->values[i].count).text);
    if (list.failed)
        p->out->failed = true;
    else if (shown > 0)
        lk_page_para(p, 2, "Asked for: %s%s.", list.p,
                     a->value_count > shown ? " and other values" : "");
    lk_buf_release(&list);
}

/* Only where it is not all whole seconds. */
static void say_forms(lk_page *p, const lk_report_retry_after *a)
{
    const struct {
        int64_t count;
        const char *what;
    } form[] = {
        { a->seconds, "whole seconds" }, { a->fraction, "broken seconds" },
        { a->milliseconds, "milliseconds" }, { a->date, "a date" },
        { a->past, "a date that is over" }, { a->malformed, "malformed" },
    };
    lk_buf list;

    if (a->seconds == a->with_header || a->seconds < 0)
        return;
    lk_buf_init(&list);
    for (size_t i = 0; i < sizeof(form) / sizeof(form[0]); i++)
        if (form[i].count > 0)
            lk_buf_printf(&list, "%s%s %s times", list.len ? ", " : "", form[i].what,
                          lk_word_count(form[i].count).text);
    if (list.failed)
        p->out->failed = true;
    else if (list.len)
        lk_page_para(p, 2, "In these forms: %.*s.", (int)list.len, list.p);
    lk_buf_release(&list);
}

void lk_text_retry_after(lk_page *p, const lk_report *r)
{
    const lk_report_retry_after *a = &r->retry_after;
    const lk_report_obedience *o = &a->obedience;

    if (a->with_header <= 0 && a->finding_count == 0)
        return;
    lk_page_heading(p, "Retry-After", "how long the server asked callers to wait");
    if (a->with_header <= 0) {
        lk_page_para(p, 2, "%s.", lk_page_safe(p, a->findings[0], FINDING_CUT, ""));
        return;
    }
    lk_page_para(p, 2, "%s of %s rejected attempts carried it (%s).",
                 lk_word_count(a->with_header).text, lk_word_count(a->rejections).text,
                 lk_word_part(a->with_header, a->rejections).text);
    say_asked(p, a);
    say_forms(p, a);
    if (isfinite(o->exact) && isfinite(o->early) && isfinite(o->spread))
        lk_page_para(p, 2,
                     "Of the attempts that came after such an answer, %s came exactly then, %s "
                     "came too early, %s came later, spread out.",
                     lk_word_share(o->exact).text, lk_word_share(o->early).text,
                     lk_word_share(o->spread).text);
    for (size_t i = 0; i < a->finding_count; i++)
        lk_page_item(p, 2, p->sign->warning, 4, "%s.", lk_page_safe(p, a->findings[i], FINDING_CUT, ""));
}
