#include "report/html_part.h"

#include "report/html_plot.h"
#include "report/words.h"

#include <math.h>
#include <string.h>

enum { WHY_CUT = 500, WHAT_CUT = 160 };

/* "bound-concurrency (12 requests in flight)" */
static const char *action(lk_html *h, const lk_report_advice *a)
{
    const char *what = lk_html_safe(h, a->action, 60, "");

    return isfinite(a->value) ? lk_html_print(h, "%s (%s %s)", what, lk_word_real(a->value).text,
                                              lk_html_safe(h, a->unit, 60, ""))
                              : what;
}

static void say_expected(lk_html *h, const lk_report_expected *x)
{
    if (x->why_not)
        lk_html_say(h, " Not simulated: %s.", lk_html_safe(h, x->why_not, WHY_CUT, ""));
    if (x->what)
        lk_html_say(h, " Simulated (%s): %s.", lk_html_safe(h, x->what, WHAT_CUT, ""),
                    lk_word_expected(x).text);
}

static void say_briefly(lk_html *h, const lk_report_expected *x)
{
    if (x->what)
        lk_html_say(h, " Simulated: %s.", lk_word_expected_briefly(x).text);
}

static void list(lk_html *h, const lk_report *r, size_t shown,
                 void (*effect)(lk_html *, const lk_report_expected *))
{
    lk_html_raw(h, "<ol>\n");
    for (size_t i = 0; i < r->advice_count && i < shown; i++) {
        lk_html_raw(h, "<li><strong>");
        lk_html_say(h, "%s", action(h, &r->advice[i]));
        lk_html_raw(h, "</strong>");
        lk_html_say(h, ": %s.", lk_html_safe(h, r->advice[i].why, WHY_CUT, "no reason known"));
        effect(h, &r->advice[i].expected);
        lk_html_raw(h, "</li>\n");
    }
    lk_html_raw(h, "</ol>\n");
}

void lk_html_advised(lk_html *h, const lk_report *r, size_t shown)
{
    list(h, r, shown, say_briefly);
}

void lk_html_advice(lk_html *h, const lk_report *r)
{
    if (r->advice_count == 0 && r->http.errors <= 0)
        return;
    lk_html_section(h, "advice", "What to change, first things first");
    if (r->advice_count == 0)
        lk_html_say(h, "%s", LK_WORDS_NO_ADVICE);
    else
        list(h, r, r->advice_count, say_expected);
    lk_html_section_end(h);
}

/* ---- allowance against demand ---- */

static void draw_demand(lk_html *h, const lk_report_capacity *c)
{
    const double demand[] = { c->demand_per_s }, allowance[] = { c->allowance_per_s };
    double values[2] = { demand[0], allowance[0] };
    lk_plot p;

    if (!isfinite(demand[0]) || !isfinite(allowance[0]) || fmax(demand[0], allowance[0]) <= 0)
        return;
    lk_plot_open(&p, h,
                 lk_html_print(h, "First attempts ask for %s a second; the server admits %s.",
                               lk_word_real(demand[0]).text, lk_word_real(allowance[0]).text),
                 fmax(demand[0], allowance[0]) * 1.15, "requests per second", 0);
    lk_plot_bars(&p, "all", values, 2);
    lk_plot_level(&p, allowance[0], "allowance");
    lk_plot_tick(&p, 0.25, 0, "demand: %s/s", lk_word_real(demand[0]).text);
    lk_plot_tick(&p, 0.75, 0, "allowance: %s/s", lk_word_real(allowance[0]).text);
    lk_plot_close(&p, "Demand is attempts that are no comebacks; the allowance is what the server "
                      "admits.");
}

static void say_allowance(lk_html *h, const lk_report_capacity *c)
{
    if (!isfinite(c->allowance_per_s))
        return;
    lk_html_fact(h, "Allowance",
                 lk_html_print(h, "%s requests per second%s", lk_word_real(c->allowance_per_s).text,
                               isfinite(c->allowance_low) && isfinite(c->allowance_high)
                                   ? lk_html_print(h, ", between %s and %s",
                                                   lk_word_real(c->allowance_low).text,
                                                   lk_word_real(c->allowance_high).text)
                                   : ""));
    lk_html_fact(h, "Demand",
                 lk_html_print(h, "%s requests per second", lk_word_real(c->demand_per_s).text));
    lk_html_fact(h, "Spare",
                 lk_html_print(h, "%s requests per second", lk_word_real(c->spare_per_s).text));
    if (c->population)
        lk_html_fact(h, "Counted are", lk_html_safe(h, c->population, 120, ""));
}

static void say_backlog(lk_html *h, const lk_report *r)
{
    const lk_report_capacity *c = &r->capacity;

    if (isfinite(c->deficit_per_s))
        lk_html_fact(h, "Deficit",
                     lk_html_print(h, "%s requests per minute; %s in all, which no wait drains",
                                   lk_word_real(60 * c->deficit_per_s).text,
                                   lk_word_rounded(c->backlog).text));
    if (isfinite(c->drain_s))
        lk_html_fact(
            h, "Drain time",
            lk_html_print(h, "a backlog of %s drains in %s at best, whatever the retry policy",
                          lk_word_rounded(c->backlog).text, lk_word_span(c->drain_s).text));
    if (r->outlook.waves_left > 0)
        lk_html_fact(
            h, "Outlook",
            lk_html_print(h, "%s to come before one fits what is admitted in a period: %s UTC",
                          lk_word_counted(r->outlook.waves_left, "wave").text,
                          lk_word_instant(r->outlook.below_allowance_ns).text));
}

static void say_limit(lk_html *h, const lk_report_capacity *c)
{
    if (c->kind)
        lk_html_fact(h, "Kind of limit",
                     strcmp(c->kind, "fixed-window") == 0
                         ? lk_html_print(h, "a fixed window of %s",
                                         lk_word_setting(c->window_s).text)
                         : "a token bucket");
    if (lk_words_finds_nothing(c))
        lk_html_fact(h, "Bucket", "a wave " LK_WORDS_NOTHING_LEFT);
    else if (isfinite(c->bucket_emptied_in_s))
        lk_html_fact(h, "Bucket",
                     lk_html_print(h, "a wave empties it in %s%s",
                                   lk_word_seconds(c->bucket_emptied_in_s).text,
                                   isfinite(c->bucket)
                                       ? lk_html_print(h, "; it holds %s",
                                                       lk_word_real(c->bucket).text)
                                       : ""));
    if (isfinite(c->failed_attempt_cost))
        lk_html_fact(h, "Cost of a failure",
                     lk_html_print(h, "%s of the service time of a success",
                                   lk_word_real(c->failed_attempt_cost).text));
    if (isfinite(c->bystanders_in_waves))
        lk_html_fact(h, "Bystanders",
                     lk_html_print(h, "%s rejected while a wave arrives, %s between the waves",
                                   lk_word_share(c->bystanders_in_waves).text,
                                   lk_word_share(c->bystanders_outside).text));
}

static void say_facts(lk_html *h, const lk_report *r)
{
    lk_html_raw(h, "<dl class=\"facts\">\n");
    say_allowance(h, &r->capacity);
    say_backlog(h, r);
    say_limit(h, &r->capacity);
    lk_html_raw(h, "</dl>\n");
}

void lk_html_capacity(lk_html *h, const lk_report *r)
{
    const lk_report_capacity *c = &r->capacity;

    if (!isfinite(c->allowance_per_s) && !c->kind && !isfinite(c->bystanders_in_waves) &&
        !isfinite(c->bucket_emptied_in_s) && !isfinite(c->failed_attempt_cost))
        return;
    lk_html_section(h, "capacity", "Allowance against demand");
    say_facts(h, r);
    draw_demand(h, c);
    lk_html_how(h, &(lk_html_basis){
                       .measured = "What was admitted while the server also refused, against the "
                                   "rate of attempts that are no comebacks.",
                       .population = "All HTTP attempts of the log.",
                       .sure = lk_html_print(h, "The allowance is %s.",
                                             lk_html_safe(h, c->source, 20, "of unknown origin")),
                       .change = "The configured limit, given by --allowance.",
                   });
    lk_html_section_end(h);
}
