#include "report/text_part.h"

#include "base/text.h"
#include "report/chart_clocks.h"
#include "report/words.h"

#include <math.h>
#include <string.h>

#define COARSE_S 0.5 /* stamps of whole seconds */

enum { CLOCKS_SHOWN = 8, TARGETS_SHOWN = 3, WAVES_SHOWN = 10, LABEL = 5, AT = 18, READABLE = 76 };

/* What each kind of clock is called, and what that means. */
typedef struct kind {
    const char *name, *title, *meaning;
} kind;

static const kind KINDS[] = {
    { "retry", "Retry clock",
      "Callers that failed wait, all of them equally long, and so come back together." },
    { "scheduled", "Schedule",
      "A cron line, a probe or a poller: it comes whether or not it was refused. No retry." },
    { "unexplained", "Clock of unknown cause",
      "The arrivals are periodic. The log does not show whether retries or a schedule drive it." },
};

static const kind *kind_of(const lk_report_clock *c)
{
    for (size_t i = 0; c->kind && i < sizeof(KINDS) / sizeof(KINDS[0]); i++)
        if (strcmp(KINDS[i].name, c->kind) == 0)
            return &KINDS[i];
    return &KINDS[2];
}

/* ---- who, where, when ---- */

static void say_who(lk_page *p, const lk_report_clock *c)
{
    const char *owner = lk_page_safe(p, c->owner, 2 * (p->width - AT), NULL);
    const char *who = lk_page_safe(p, c->population, 2 * (p->width - AT), NULL);

    if (owner) {
        lk_page_item(p, LABEL, "who", AT, "%s", owner);
        return;
    }
    if (!who && c->callers < 0)
        return;
    if (c->callers < 0)
        lk_page_item(p, LABEL, "who", AT, "%s", who);
    else
        lk_page_item(p, LABEL, "who", AT, "%s%s%s", lk_word_counted(c->callers, "caller").text,
                     who ? ", user agent " : "", who ? who : "");
}

static void say_where(lk_page *p, const lk_report_clock *c)
{
    size_t shown = c->target_count < TARGETS_SHOWN ? c->target_count : TARGETS_SHOWN;

    for (size_t i = 0; i < shown; i++)
        lk_page_item(p, LABEL, i == 0 ? "where" : "", AT, "%s",
                     lk_page_safe(p, c->targets[i], p->width - AT, "(no target)"));
    if (c->target_count > shown)
        lk_page_item(p, LABEL, "", AT, "and %s",
                     lk_word_counted((int64_t)(c->target_count - shown), "more target").text);
}

/* Whole seconds cannot show how narrow a wave is. */
static bool is_below_stamps(double width_s, double resolution_s)
{
    return resolution_s >= COARSE_S && width_s <= resolution_s * 1.001;
}

static void say_when(lk_page *p, const lk_report_clock *c, double resolution_s)
{
    if (c->start_ns != LK_TIME_NONE && c->end_ns != LK_TIME_NONE)
        lk_page_item(p, LABEL, "when", AT, "%s UTC%s", lk_word_range(c->start_ns, c->end_ns).text,
                     c->at_whole_minutes ? ", at whole minutes" : "");
    if (c->waves >= 0 && is_below_stamps(c->width_s, resolution_s))
        lk_page_item(p, LABEL, "waves", AT,
                     "%s, each arriving within %s or less: the stamps show no finer",
                     lk_word_count(c->waves).text, lk_word_seconds(c->width_s).text);
    else if (c->waves >= 0 && isfinite(c->width_s))
        lk_page_item(p, LABEL, "waves", AT, "%s, each arriving within %s (%s of the period)",
                     lk_word_count(c->waves).text, lk_word_seconds(c->width_s).text,
                     lk_word_share(c->duty).text);
    else if (c->waves >= 0)
        lk_page_item(p, LABEL, "waves", AT, "%s", lk_word_count(c->waves).text);
}

static void say_cause(lk_page *p, const lk_report_clock *c)
{
    if (c->cause_rejections <= 0)
        return;
    lk_page_item(p, LABEL, "set off by", AT, "%s, %s UTC",
                 lk_word_counted(c->cause_rejections, "rejected attempt").text,
                 lk_word_range(c->cause_start_ns, c->cause_end_ns).text);
}

static void say_share(lk_page *p, const lk_report_clock *c)
{
    if (isfinite(c->share))
        lk_page_item(p, LABEL, "share", AT, "%s of all HTTP attempts of that time",
                     lk_word_share(c->share).text);
}

static void say_decay(lk_page *p, const lk_report_clock *c)
{
    if (!isfinite(c->survival_ratio))
        return;
    if (isfinite(c->survival_low) && isfinite(c->survival_high))
        lk_page_item(p, LABEL, "decay", AT, "each wave is %.2f of the one before (%.2f to %.2f)",
                     c->survival_ratio, c->survival_low, c->survival_high);
    else
        lk_page_item(p, LABEL, "decay", AT, "each wave is %.2f of the one before",
                     c->survival_ratio);
}

/* ---- evidence ---- */

static const char *witness_of(const lk_report_clock *c)
{
    static const struct {
        const char *name, *text;
    } WITNESSES[] = {
        { "callers", "seen in the steps of single callers" },
        { "rejections",
          "seen in the timing of the rejections; the log does not tell callers apart" },
        { "arrivals", "seen in the timing of all arrivals only" },
    };

    for (size_t i = 0; c->from && i < sizeof(WITNESSES) / sizeof(WITNESSES[0]); i++)
        if (strcmp(WITNESSES[i].name, c->from) == 0)
            return WITNESSES[i].text;
    return NULL;
}

static void say_evidence(lk_page *p, const lk_report_clock *c)
{
    const char *witness = witness_of(c);
    const char *label = "evidence";

    if (isfinite(c->comebacks_on_delay) && c->comebacks > 0) {
        lk_page_item(p, LABEL, label, AT,
                     "%s (attempts after a failure) came on this delay, %s of all comebacks of "
                     "these callers",
                     lk_word_counted(c->comebacks, "comeback").text,
                     lk_word_share(c->comebacks_on_delay).text);
        label = "";
    }
    if (isfinite(c->preceded_by_rejection)) {
        lk_page_item(p, LABEL, label, AT, "%s of the attempts in waves follow a rejection",
                     lk_word_share(c->preceded_by_rejection).text);
        label = "";
    }
    if (isfinite(c->rejected_share)) {
        lk_page_item(p, LABEL, label, AT, "%s of the attempts in waves were rejected",
                     lk_word_share(c->rejected_share).text);
        label = "";
    }
    if (witness)
        lk_page_item(p, LABEL, label, AT, "%s", witness);
    if (!isnan(c->ln_false_alarm))
        lk_page_item(p, LABEL, witness ? "" : label, AT, "chance that random traffic looks so: %s",
                     lk_word_chance(c->ln_false_alarm).text);
}

static void say_candidates(lk_page *p, const lk_report_clock *c)
{
    for (size_t i = 0; i < c->candidate_count; i++)
        lk_page_item(p, LABEL, i == 0 ? "look for" : "", AT, "a constant of %s: %s",
                     lk_word_setting(c->candidates[i].constant_s).text,
                     lk_page_safe(p, c->candidates[i].what, SIZE_MAX, "well known"));
}

/* ---- waves ---- */

/* A narrow page has room for three columns. */
static void wave_row(lk_page *p, const char *label, const char *const cells[5])
{
    if (p->width < READABLE)
        lk_page_row(p, "%*s%-10s %11s %11s", LABEL, "", cells[0], cells[1], cells[2]);
    else
        lk_page_row(p, "%*s%-*s%-10s %11s %11s %10s %12s", LABEL, "", AT - LABEL, label, cells[0],
                    cells[1], cells[2], cells[3], cells[4]);
}

static void add_wave(lk_page *p, const lk_report_wave *w, double resolution_s)
{
    const lk_word start = lk_word_time(w->start_ns), arrivals = lk_word_count(w->arrivals);
    const lk_word rejected = lk_word_count(w->rejected), seconds = lk_word_seconds(w->width_s);
    const char *sign = is_below_stamps(w->width_s, resolution_s) ? p->sign->at_most : "";
    const char *width = lk_page_print(p, "%s%s", sign, seconds.text);
    const lk_word peak = lk_word_scale(w->peak_per_s);
    const char *const cells[] = { start.text, arrivals.text, rejected.text, width, peak.text };

    wave_row(p, "", cells);
}

/* The first ones and the last; those of a schedule are all alike and tell nothing. */
static void say_waves(lk_page *p, const lk_report_clock *c, double resolution_s)
{
    static const char *const TITLES[] = { "from (UTC)", "attempts", "rejected", "width",
                                          "peak per s" };
    size_t head = c->wave_count <= WAVES_SHOWN ? c->wave_count : WAVES_SHOWN - 1;

    if (c->wave_count == 0 || kind_of(c) == &KINDS[1])
        return;
    wave_row(p, "each wave", TITLES);
    for (size_t i = 0; i < head; i++)
        add_wave(p, &c->wave_list[i], resolution_s);
    if (head == c->wave_count)
        return;
    if (c->wave_count - head > 1)
        lk_page_row(p, "%*s%s %zu more", AT, "", p->sign->more, c->wave_count - head - 1);
    add_wave(p, &c->wave_list[c->wave_count - 1], resolution_s);
}

/* ---- a clock ---- */

static void say_period(lk_page *p, const lk_report_clock *c, size_t number)
{
    const char *error =
        isfinite(c->period_error_s)
            ? lk_page_print(p, " %s %s s", p->sign->plus_minus,
                            lk_word_within(c->period_error_s, c->period_error_s).text)
            : "";
    const char *spoken =
        c->period_s >= 120 ? lk_page_print(p, " (%s)", lk_word_span(c->period_s).text) : "";
    bool retry = kind_of(c) == &KINDS[0];

    lk_page_inked(p, retry ? LK_INK_RED : LK_INK_BOLD, 2, "%zu. %s: every %s s%s%s", number,
                  kind_of(c)->title, lk_word_within(c->period_s, c->period_error_s).text, error,
                  spoken);
    lk_page_para(p, LABEL, "%s", kind_of(c)->meaning);
}

/* A cycle is longer than its delay where attempts and shorter waits lie in between. */
static void say_delay(lk_page *p, const lk_report_clock *c)
{
    if (!isfinite(c->delay_s))
        return;
    if (isfinite(c->drift_s) && c->drift_s > 0.02 * c->period_s)
        lk_page_item(p, LABEL, "delay", AT,
                     "%s is the constant; attempts and other waits make up the other %s",
                     lk_word_seconds(c->delay_s).text, lk_word_seconds(c->drift_s).text);
    else
        lk_page_item(p, LABEL, "delay", AT, "%s is the constant", lk_word_seconds(c->delay_s).text);
}

static void say_clock(lk_page *p, const lk_report_clock *c, size_t number, double resolution_s)
{
    if (number > 1)
        lk_page_blank(p);
    say_period(p, c, number);
    say_delay(p, c);
    say_candidates(p, c);
    say_who(p, c);
    say_where(p, c);
    say_when(p, c, resolution_s);
    lk_chart_phase(p, c, LABEL, AT);
    say_cause(p, c);
    say_share(p, c);
    say_decay(p, c);
    say_evidence(p, c);
    say_waves(p, c, resolution_s);
}

void lk_text_clocks(lk_page *p, const lk_report *r)
{
    size_t shown = r->clock_count < CLOCKS_SHOWN ? r->clock_count : CLOCKS_SHOWN;

    if (r->http.attempts <= 0)
        return;
    lk_page_heading(p, "Clocks", "periods at which attempts arrive together");
    if (r->clock_count == 0)
        lk_page_para(p, 2, "None was found.");
    lk_chart_spectrum(p, r);
    for (size_t i = 0; i < shown; i++)
        say_clock(p, &r->clocks[i], i + 1, r->input.resolution_s);
    if (r->clock_count > shown)
        lk_page_para(p, 2, "and %s",
                     lk_word_counted((int64_t)(r->clock_count - shown), "more clock").text);
}
