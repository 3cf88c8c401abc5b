#include "report/html_part.h"

#include "base/time.h"
#include "report/html_plot.h"
#include "report/words.h"

#include <math.h>
#include <string.h>

enum {
    CLOCKS_SHOWN = 8,
    PICTURES = 4, /* of wave sizes */
    WAVES_SHOWN = 48,
    TARGETS_SHOWN = 3,
    CANDIDATES_SHOWN = 6,
    NAME_CUT = 160
};

typedef struct kind {
    const char *name, *title, *meaning, *change;
} kind;

static const kind KINDS[] = {
    { "retry", "Retry clock",
      "Callers that failed wait, all of them equally long, and so come back together.",
      "Comebacks that spread over a window, or waves whose callers had not been refused before." },
    { "scheduled", "Schedule",
      "A cron line, a probe or a poller: it comes whether or not it was refused. No retry.",
      "Waves that appear only after refusals, and shrink as callers succeed." },
    { "unexplained", "Clock of unknown cause",
      "The arrivals are periodic. The log does not show whether retries or a schedule drive it.",
      "A field that tells callers apart (--caller), or refusals in the log before the first wave." },
};

static const kind *kind_of(const lk_report_clock *c)
{
    for (size_t i = 0; c->kind && i < sizeof(KINDS) / sizeof(KINDS[0]); i++)
        if (strcmp(KINDS[i].name, c->kind) == 0)
            return &KINDS[i];
    return &KINDS[2];
}

const char *lk_html_clock_title(const lk_report_clock *c)
{
    return kind_of(c)->title;
}

const lk_report_clock *lk_html_retry_clock(const lk_report *r)
{
    for (size_t i = 0; i < r->clock_count; i++)
        if (kind_of(&r->clocks[i]) == &KINDS[0])
            return &r->clocks[i];
    return NULL;
}

const char *lk_html_period(lk_html *h, const lk_report_clock *c)
{
    return lk_html_print(h, "%s s", lk_word_within(c->period_s, c->period_error_s).text);
}

/* ---- facts ---- */

static void say_delay(lk_html *h, const lk_report_clock *c)
{
    if (kind_of(c) != &KINDS[0] && !isfinite(c->delay_s))
        return;
    if (!isfinite(c->delay_s))
        lk_html_fact(h, "Delay", "not known: comebacks could not be paired");
    else if (isfinite(c->drift_s) && c->drift_s > 0.02 * c->period_s)
        lk_html_fact(
            h, "Delay",
            lk_html_print(h, "%s is the constant; attempts and other waits make up the other %s",
                          lk_word_seconds(c->delay_s).text, lk_word_seconds(c->drift_s).text));
    else
        lk_html_fact(h, "Delay",
                     lk_html_print(h, "%s is the constant", lk_word_seconds(c->delay_s).text));
}

static void say_candidates(lk_html *h, const lk_report_clock *c)
{
    size_t shown = c->candidate_count < CANDIDATES_SHOWN ? c->candidate_count : CANDIDATES_SHOWN;

    for (size_t i = 0; i < shown; i++)
        lk_html_fact(h, "Look for",
                     lk_html_print(h, "a constant of %s: %s",
                                   lk_word_setting(c->candidates[i].constant_s).text,
                                   lk_html_safe(h, c->candidates[i].what, 300, "well known")));
}

static void say_who(lk_html *h, const lk_report_clock *c)
{
    const char *who = lk_html_safe(h, c->population, NAME_CUT, NULL);

    if (c->callers >= 0)
        lk_html_fact(h, "Who",
                     lk_html_print(h, "%s%s%s", lk_word_counted(c->callers, "caller").text,
                                   who ? ", user agent " : "", who ? who : ""));
    else
        lk_html_fact(h, "Who", who ? who : "not known");
}

static void say_where(lk_html *h, const lk_report_clock *c)
{
    size_t shown = c->target_count < TARGETS_SHOWN ? c->target_count : TARGETS_SHOWN;

    for (size_t i = 0; i < shown; i++)
        lk_html_fact(h, "Where", lk_html_safe(h, c->targets[i], NAME_CUT, "(no target)"));
    if (c->target_count > shown)
        lk_html_fact(
            h, "Where",
            lk_html_print(h, "and %s",
                          lk_word_counted((int64_t)(c->target_count - shown), "more target").text));
}

static void say_when(lk_html *h, const lk_report_clock *c)
{
    lk_html_fact(h, "When",
                 lk_html_print(h, "%s UTC%s", lk_word_range(c->start_ns, c->end_ns).text,
                               c->at_whole_minutes ? ", at whole minutes" : ""));
    if (c->waves >= 0)
        lk_html_fact(h, "Waves",
                     lk_html_print(h, "%s, each arriving within %s (%s of the period)",
                                   lk_word_count(c->waves).text, lk_word_seconds(c->width_s).text,
                                   lk_word_share(c->duty).text));
    if (c->cause_rejections > 0)
        lk_html_fact(h, "Set off by",
                     lk_html_print(h, "%s, %s UTC",
                                   lk_word_counted(c->cause_rejections, "rejected attempt").text,
                                   lk_word_range(c->cause_start_ns, c->cause_end_ns).text));
    if (isfinite(c->share))
        lk_html_fact(
            h, "Share",
            lk_html_print(h, "%s of all HTTP attempts of that time", lk_word_share(c->share).text));
}

static void say_decay(lk_html *h, const lk_report_clock *c)
{
    if (!isfinite(c->survival_ratio))
        return;
    if (isfinite(c->survival_low) && isfinite(c->survival_high))
        lk_html_fact(
            h, "Decay",
            lk_html_print(h, "each wave is %.2f of the one before (95 %% interval %.2f to %.2f)",
                          c->survival_ratio, c->survival_low, c->survival_high));
    else
        lk_html_fact(h, "Decay",
                     lk_html_print(h, "each wave is %.2f of the one before", c->survival_ratio));
}

/* ---- the picture of the waves ---- */

static double *sizes_of(lk_html *h, const lk_report_clock *c, size_t n, bool rejected)
{
    double *size = LK_NEW(h->arena, double, n);

    if (!size)
        h->out->failed = true;
    for (size_t i = 0; size && i < n; i++) {
        int64_t count = rejected ? c->wave_list[i].rejected : c->wave_list[i].arrivals;

        size[i] = count > 0 ? (double)count : 0;
    }
    return size;
}

/* The geometric decay through the middle of the waves' logarithms. */
static void draw_fit(lk_plot *p, const lk_report_clock *c, const double *size, size_t n)
{
    double mean = 0, x[WAVES_SHOWN], y[WAVES_SHOWN];
    size_t some = 0, middle = 0;

    for (size_t i = 0; i < n; i++) {
        if (size[i] <= 0)
            continue;
        mean += log(size[i]);
        middle += i;
        some++;
    }
    if (some < 2 || !isfinite(c->survival_ratio) || c->survival_ratio <= 0)
        return;
    for (size_t i = 0; i < n; i++) {
        x[i] = ((double)i + 0.5) / (double)n;
        y[i] = exp(mean / (double)some) *
               pow(c->survival_ratio, (double)i - (double)middle / (double)some);
    }
    lk_plot_curve(p, "fit", x, y, n);
}

static void draw_hovers(lk_plot *p, const lk_report_clock *c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const lk_report_wave *w = &c->wave_list[i];

        lk_plot_hover(p, (double)i / (double)n, 1 / (double)n,
                      "Wave %zu, %s UTC: %s, %s rejected, within %s", i + 1,
                      lk_word_time(w->start_ns).text, lk_word_counted(w->arrivals, "attempt").text,
                      lk_word_count(w->rejected).text, lk_word_seconds(w->width_s).text);
    }
}

static void draw_wave_ticks(lk_plot *p, const lk_report_clock *c, size_t n)
{
    size_t each = (n + 8) / 9, index = 0;

    for (size_t i = 0; i < n; i += each)
        lk_plot_tick(p, ((double)i + 0.5) / (double)n, index++, "%s",
                     lk_word_time(c->wave_list[i].start_ns).text);
}

static const char *caption(lk_html *h, const lk_report_clock *c, size_t n)
{
    const char *left_out =
        c->wave_count > n
            ? lk_html_print(h, " The first %zu of %zu waves are shown.", n, c->wave_count)
            : "";

    return lk_html_print(h,
                         "Wave sizes, a bar each, by the time (UTC) at which the wave began; in "
                         "front: rejected.%s%s",
                         isfinite(c->survival_ratio)
                             ? lk_html_print(h,
                                             " The dashed curve is the fitted decay, %.2f from "
                                             "a wave to the next.",
                                             c->survival_ratio)
                             : "",
                         left_out);
}

static void draw_waves(lk_html *h, const lk_report_clock *c)
{
    size_t n = c->wave_count < WAVES_SHOWN ? c->wave_count : WAVES_SHOWN;
    const double *all, *rejected;
    double peak = 0;
    lk_plot p;

    if (n < 2)
        return;
    all = sizes_of(h, c, n, false);
    rejected = sizes_of(h, c, n, true);
    if (!all || !rejected)
        return;
    for (size_t i = 0; i < n; i++)
        peak = fmax(peak, all[i]);
    lk_plot_open(&p, h,
                 lk_html_print(h, "Sizes of %zu waves of the %s clock: the first %s, the last %s.",
                               n, lk_html_period(h, c),
                               lk_word_counted(c->wave_list[0].arrivals, "attempt").text,
                               lk_word_counted(c->wave_list[n - 1].arrivals, "attempt").text),
                 peak, "attempts in the wave", 0);
    lk_plot_bars(&p, "all", all, n);
    lk_plot_bars(&p, "rej", rejected, n);
    draw_fit(&p, c, all, n);
    draw_hovers(&p, c, n);
    draw_wave_ticks(&p, c, n);
    lk_plot_close(&p, caption(h, c, n));
}

/* ---- evidence ---- */

static const char *witness_of(const lk_report_clock *c)
{
    static const struct {
        const char *name, *text;
    } WITNESSES[] = {
        { "callers", "Seen in the steps of single callers." },
        { "rejections",
          "Seen in the timing of the rejections; the log does not tell callers apart." },
        { "arrivals", "Seen in the timing of all arrivals only." },
    };

    for (size_t i = 0; c->from && i < sizeof(WITNESSES) / sizeof(WITNESSES[0]); i++)
        if (strcmp(WITNESSES[i].name, c->from) == 0)
            return WITNESSES[i].text;
    return "Which witness was used is not known.";
}

static const char *sureness(lk_html *h, const lk_report_clock *c)
{
    return isnan(c->ln_false_alarm)
               ? "The chance that random traffic looks so is not known."
               : lk_html_print(
                     h, "The chance that random traffic looks so, over all periods tried: %s.",
                     lk_word_chance(c->ln_false_alarm).text);
}

static const char *followed(lk_html *h, const lk_report_clock *c)
{
    const char *comebacks =
        isfinite(c->comebacks_on_delay) && c->comebacks > 0
            ? lk_html_print(h, " %s came on this delay, %s of all comebacks of these callers.",
                            lk_word_counted(c->comebacks, "comeback").text,
                            lk_word_share(c->comebacks_on_delay).text)
            : "";
    const char *preceded =
        isfinite(c->preceded_by_rejection)
            ? lk_html_print(h, " %s of the attempts in waves follow a rejection.",
                            lk_word_share(c->preceded_by_rejection).text)
            : "";

    return lk_html_print(h, "%s%s%s", witness_of(c), comebacks, preceded);
}

static void say_basis(lk_html *h, const lk_report_clock *c)
{
    const lk_html_basis basis = {
        .measured = followed(h, c),
        .population = lk_html_print(
            h, "%s%s, %s UTC",
            c->callers >= 0 ? lk_word_counted(c->callers, "caller").text : "all arrivals",
            c->population ? " of one user agent" : "", lk_word_range(c->start_ns, c->end_ns).text),
        .sure = sureness(h, c),
        .change = kind_of(c)->change,
    };

    lk_html_how(h, &basis);
}

/* ---- a clock ---- */

static void say_title(lk_html *h, const lk_report_clock *c, size_t number)
{
    const char *error =
        isfinite(c->period_error_s)
            ? lk_html_print(h, " ± %s s", lk_word_within(c->period_error_s, c->period_error_s).text)
            : "";
    const char *spoken =
        c->period_s >= 120 ? lk_html_print(h, " (%s)", lk_word_span(c->period_s).text) : "";

    lk_html_element(h, "h3", NULL, "%zu. %s: every %s%s%s", number, kind_of(c)->title,
                    lk_html_period(h, c), error, spoken);
    lk_html_para(h, "%s", kind_of(c)->meaning);
}

static void say_clock(lk_html *h, const lk_report_clock *c, size_t number)
{
    say_title(h, c, number);
    lk_html_raw(h, "<dl class=\"facts\">\n");
    say_delay(h, c);
    say_candidates(h, c);
    say_who(h, c);
    say_where(h, c);
    say_when(h, c);
    say_decay(h, c);
    lk_html_raw(h, "</dl>\n");
    if (number <= PICTURES && kind_of(c) != &KINDS[1])
        draw_waves(h, c);
    say_basis(h, c);
}

void lk_html_clocks(lk_html *h, const lk_report *r)
{
    size_t shown = r->clock_count < CLOCKS_SHOWN ? r->clock_count : CLOCKS_SHOWN;

    if (r->http.attempts <= 0)
        return;
    lk_html_section(h, "clocks", "Clocks: periods at which attempts arrive together");
    if (r->clock_count == 0)
        lk_html_para(h, "None was found.");
    for (size_t i = 0; i < shown; i++)
        say_clock(h, &r->clocks[i], i + 1);
    if (r->clock_count > shown)
        lk_html_para(h, "And %s.",
                     lk_word_counted((int64_t)(r->clock_count - shown), "more clock").text);
    lk_html_section_end(h);
}
