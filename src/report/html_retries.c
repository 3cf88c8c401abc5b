#include "report/html_part.h"

#include "report/html_plot.h"
#include "report/words.h"

#include <math.h>
#include <string.h>

enum { POPULATIONS_SHOWN = 8, DELAYS_SHOWN = 16, ASKED_SHOWN = 10, NAME_CUT = 120,
       FINDING_CUT = 500 };

static bool is_same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static const char *population(lk_html *h, const char *raw)
{
    return lk_html_safe(h, raw, NAME_CUT, LK_WORDS_NO_AGENT);
}

static void say_left_out(lk_html *h, size_t count, size_t shown, const char *what)
{
    if (count > shown)
        lk_html_para(h, "And %s.", lk_word_counted((int64_t)(count - shown), what).text);
}

/* ---- layers multiply ---- */

static const char *layer_name(lk_html *h, const char *name)
{
    const char *known = lk_words_layer(name);

    return known ? known : lk_html_safe(h, name, 20, "a layer");
}

static const char *bound(lk_html *h, lk_known bounded, int64_t cap)
{
    if (bounded == LK_NO)
        return "no cap: it grows with the incident";
    if (cap < 0)
        return "no cap seen";
    return lk_html_print(h, "at most %s", lk_word_count(cap).text);
}

static void factor(lk_html *h, const char *class, const char *figure, const char *meaning)
{
    lk_html_raw(h, class ? "<li class=\"sum\">" : "<li>");
    lk_html_element(h, "b", NULL, "%s", figure);
    lk_html_element(h, "span", NULL, "%s", meaning);
    lk_html_raw(h, "</li>\n");
}

static void add_layer(lk_html *h, const lk_report_layer *l)
{
    factor(h, NULL, lk_word_real(l->amplification).text,
           lk_html_print(h, "%s, %s%s", layer_name(h, l->name), bound(h, l->bounded, l->cap),
                         isfinite(l->delay_s)
                             ? lk_html_print(h, ", waits %s", lk_word_seconds(l->delay_s).text)
                             : ""));
}

static void say_product(lk_html *h, const lk_report *r, const lk_report_amplification *a)
{
    lk_html_element(h, "h3", NULL, "%s", population(h, a->population));
    lk_html_raw(h, "<ul class=\"product\">\n");
    factor(h, NULL, lk_word_count(a->units).text, "units of work");
    for (size_t i = 0; i < r->layer_count; i++) {
        if (!is_same(r->layers[i].population, a->population))
            continue;
        lk_html_raw(h, "<li class=\"op\">×</li>\n");
        add_layer(h, &r->layers[i]);
    }
    lk_html_raw(h, "<li class=\"op\">=</li>\n");
    factor(h, "sum", lk_word_count(a->attempts).text,
           lk_html_print(h, "HTTP attempts: %s for each unit, at worst %s",
                         lk_word_real(a->mean).text, lk_word_count(a->max).text));
    lk_html_raw(h, "</ul>\n");
    if (a->bounded == LK_NO)
        lk_html_element(h, "p", "warn", "Unbounded: it grows as long as the incident lasts.");
}

void lk_html_amplification(lk_html *h, const lk_report *r)
{
    size_t shown =
        r->amplification_count < POPULATIONS_SHOWN ? r->amplification_count : POPULATIONS_SHOWN;

    if (r->amplification_count == 0)
        return;
    lk_html_section(h, "amplification", "Amplification: layers of retry multiply");
    for (size_t i = 0; i < shown; i++)
        say_product(h, r, &r->amplification[i]);
    say_left_out(h, r->amplification_count, shown, "more population");
    lk_html_how(h,
                &(lk_html_basis){
                    .measured = "Attempts below divided by units above, at each layer; the units "
                                "of the topmost layer seen are the units of work.",
                    .population = "Callers of one user agent each, whole log.",
                    .sure = "Where an id tells calls and tasks apart these are counts; where a "
                            "layer is told by its delay they are estimates.",
                    .change = "A layer above the log (a user who presses again, a queue that "
                              "renames its jobs) is not seen and would multiply further.",
                });
    lk_html_section_end(h);
}

/* ---- fixed delays ---- */

void lk_html_fixed_delays(lk_html *h, const lk_report *r)
{
    size_t shown = r->fixed_delay_count < DELAYS_SHOWN ? r->fixed_delay_count : DELAYS_SHOWN;

    if (r->fixed_delay_count == 0)
        return;
    lk_html_section(h, "delays", "Fixed delays");
    lk_html_table(h, "Constant waits between a failure and the next attempt");
    lk_html_raw(h,
                "<thead><tr><th scope=\"col\" class=\"n\">Delay</th><th scope=\"col\" class=\"n\">"
                "Comebacks</th><th scope=\"col\">In waves</th><th scope=\"col\">Population (user "
                "agent)</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < shown; i++) {
        const lk_report_fixed_delay *d = &r->fixed_delays[i];

        lk_html_raw(h, "<tr>");
        lk_html_number(h, "%s", lk_word_seconds(d->delay_s).text);
        lk_html_number(h, "%s", lk_word_count(d->comebacks).text);
        lk_html_cell(h, "%s", d->synchronised ? "yes" : "no");
        lk_html_element(h, "td", "who", "%s",
                        lk_html_safe(h, d->population, NAME_CUT, LK_WORDS_NOT_ONE_AGENT));
        lk_html_raw(h, "</tr>\n");
    }
    lk_html_raw(h, "</tbody>\n");
    lk_html_table_end(h);
    say_left_out(h, r->fixed_delay_count, shown, "more fixed delay");
    lk_html_how(h,
                &(lk_html_basis){
                    .measured = "Peaks in the times from the end of a failed attempt to the next "
                                "attempt of the same caller at the same target.",
                    .population = "Comebacks of each population.",
                    .sure = "A delay is listed where far more comebacks have it than chance gives.",
                    .change = "Jitter on the delay: the peak flattens and leaves this table.",
                });
    lk_html_section_end(h);
}

/* ---- Retry-After ---- */

static void say_asked(lk_html *h, const lk_report_retry_after *a)
{
    size_t shown = a->value_count < ASKED_SHOWN ? a->value_count : ASKED_SHOWN;

    if (shown == 0)
        return;
    lk_html_raw(h, "<p>Asked for: ");
    for (size_t i = 0; i < shown; i++)
        lk_html_say(h, "%s%s (%s times)", i > 0 ? ", " : "",
                    lk_word_seconds(a->values[i].value_s).text,
                    lk_word_count(a->values[i].count).text);
    lk_html_say(h, "%s.", a->value_count > shown ? " and other values" : "");
    lk_html_raw(h, "</p>\n");
}

static void say_forms(lk_html *h, const lk_report_retry_after *a)
{
    if (a->seconds < 0 || a->seconds == a->with_header)
        return;
    lk_html_raw(h, "<dl class=\"facts\">\n");
    lk_html_fact(h, "Whole seconds", lk_html_print(h, "%s", lk_word_count(a->seconds).text));
    if (a->fraction > 0)
        lk_html_fact(h, "Broken seconds", lk_html_print(h, "%s", lk_word_count(a->fraction).text));
    if (a->milliseconds > 0)
        lk_html_fact(h, "Milliseconds",
                     lk_html_print(h, "%s", lk_word_count(a->milliseconds).text));
    if (a->date > 0)
        lk_html_fact(h, "A date", lk_html_print(h, "%s", lk_word_count(a->date).text));
    if (a->past > 0)
        lk_html_fact(h, "A date that is over",
                     lk_html_print(h, "%s", lk_word_count(a->past).text));
    if (a->malformed > 0)
        lk_html_fact(h, "Malformed",
                     lk_html_print(h, "%s, of these negative: %s",
                                   lk_word_count(a->malformed).text,
                                   lk_word_count(a->negative).text));
    lk_html_raw(h, "</dl>\n");
}

static void say_findings(lk_html *h, const lk_report_retry_after *a)
{
    if (!a->finding_count)
        return;
    lk_html_raw(h, "<ul>\n");
    for (size_t i = 0; i < a->finding_count; i++)
        lk_html_element(h, "li", NULL, "%s.",
                        lk_html_safe(h, a->findings[i], FINDING_CUT, ""));
    lk_html_raw(h, "</ul>\n");
}

/* How many of the rejections carried the header, as time went on: drawn where that changes. */
static void draw_shares(lk_html *h, const lk_report_retry_after *a)
{
    double bars[LK_ASKED_SHARES], least = 1, most = 0;
    lk_plot p;

    for (size_t i = 0; i < a->share_count; i++) {
        bars[i] = isnan(a->shares[i]) ? 0 : a->shares[i];
        least = isnan(a->shares[i]) ? least : fmin(least, a->shares[i]);
        most = fmax(most, bars[i]);
    }
    if (a->share_count < 2 || most - least < 0.05 || a->share_from_ns == LK_TIME_NONE)
        return;
    lk_plot_open(&p, h, "The share of the rejections that carried Retry-After, over time.", 1,
                 "share of the rejections", 0);
    lk_plot_bars(&p, "all", bars, a->share_count);
    lk_plot_tick(&p, 0, 0, "%s", lk_word_time(a->share_from_ns).text);
    lk_plot_close(&p, lk_html_print(h, "Each bar is %s; none stands where nothing was rejected.",
                                    lk_word_span(a->share_bin_s).text));
}

void lk_html_retry_after(lk_html *h, const lk_report *r)
{
    const lk_report_retry_after *a = &r->retry_after;
    const lk_report_obedience *o = &a->obedience;

    if (a->with_header <= 0 && a->finding_count == 0)
        return;
    lk_html_section(h, "retry-after", "Retry-After: how long the server asked callers to wait");
    lk_html_para(h, "%s of %s rejected attempts carried it (%s).",
                 lk_word_count(a->with_header).text, lk_word_count(a->rejections).text,
                 lk_word_part(a->with_header, a->rejections).text);
    if (a->with_header > 0)
        say_asked(h, a);
    if (isfinite(o->exact) && isfinite(o->early) && isfinite(o->spread))
        lk_html_para(
            h,
            "Of the attempts that came after such an answer, %s came exactly then, %s came "
            "too early, %s came later, spread out.",
            lk_word_share(o->exact).text, lk_word_share(o->early).text,
            lk_word_share(o->spread).text);
    say_forms(h, a);
    draw_shares(h, a);
    say_findings(h, a);
    lk_html_how(h, &(lk_html_basis){
                       .measured = "The header as it was logged, against the wait that followed.",
                       .population = "Rejected attempts, and the comebacks after a valid value.",
                       .sure = "Exact where the log holds the header.",
                       .change = "A server that spreads the values it hands out.",
                   });
    lk_html_section_end(h);
}
