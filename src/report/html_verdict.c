#include "report/html_part.h"

#include "report/words.h"

#include <math.h>
#include <string.h>

enum { CANDIDATES_SHOWN = 3, ADVICE_SHOWN = 3, POPULATION_CUT = 36, HEADLINE_CUT = 400 };

static const char *headline(lk_html *h, const lk_report *r)
{
    if (r->headline)
        return lk_html_safe(h, r->headline, HEADLINE_CUT, "");
    if (r->synchronised == LK_YES)
        return "Callers come back together: their retries are synchronised";
    if (r->synchronised == LK_NO)
        return "No synchronised retries were found";
    return "Nothing can be said: no line of the input is a request";
}

static void say_badge(lk_html *h, const lk_report *r)
{
    static const struct {
        lk_known known;
        const char *class, *text;
    } BADGES[] = {
        { LK_YES, "badge bad", "Retries are synchronised" },
        { LK_NO, "badge good", "No synchronised retries" },
        { LK_NOT_KNOWN, "badge unsure", "Whether retries are synchronised is not known" },
    };

    for (size_t i = 0; i < sizeof(BADGES) / sizeof(BADGES[0]); i++)
        if (BADGES[i].known == r->synchronised)
            lk_html_element(h, "p", BADGES[i].class, "%s", BADGES[i].text);
}

/* ---- tiles: the figures that everybody quotes ---- */

static void tile(lk_html *h, const char *figure, const char *meaning)
{
    lk_html_raw(h, "<li>");
    lk_html_element(h, "b", NULL, "%s", figure);
    lk_html_element(h, "span", NULL, "%s", meaning);
    lk_html_raw(h, "</li>\n");
}

static void tile_amplification(lk_html *h, const lk_report *r)
{
    const lk_report_amplification *a = r->amplification;

    if (r->amplification_count == 0)
        return;
    tile(h, lk_html_print(h, "%s×", lk_word_real(a->mean).text),
         lk_html_print(h, "HTTP attempts for each unit of work of %s%s",
                       lk_html_safe(h, a->population, POPULATION_CUT, "all callers"),
                       a->bounded == LK_NO ? ", and no bound to it" : ""));
}

static void tile_clock(lk_html *h, const lk_report *r)
{
    const lk_report_clock *c = lk_html_retry_clock(r);

    if (!c)
        return;
    tile(h, lk_html_period(h, c),
         lk_html_print(h, "from one wave to the next, %s",
                       c->waves >= 0 ? lk_word_counted(c->waves, "wave").text : "again and again"));
}

static void tile_tail(lk_html *h, const lk_report *r)
{
    if (r->incident && r->incident->tail_s >= 1)
        tile(h, lk_word_span(r->incident->tail_s).text,
             "of trouble after the load itself was back to normal");
}

static void say_tiles(lk_html *h, const lk_report *r)
{
    if (r->http.attempts <= 0)
        return;
    lk_html_raw(h, "<ul class=\"tiles\">\n");
    tile(h, lk_word_share(r->http.rejected_share).text,
         lk_html_print(h, "of %s were rejected for capacity",
                       lk_word_counted(r->http.attempts, "HTTP attempt").text));
    tile(h, lk_word_share(r->calls.failed_share).text,
         r->calls.total >= 0 ? lk_html_print(h, "of %s failed, after all their attempts",
                                             lk_word_counted(r->calls.total, "call").text)
                             : "of the calls failed: the log does not tell calls apart");
    tile_amplification(h, r);
    tile_clock(h, r);
    tile_tail(h, r);
    lk_html_raw(h, "</ul>\n");
}

/* ---- in short ---- */

static void open_short(lk_html *h, const char *term)
{
    lk_html_raw(h, "<div>");
    lk_html_element(h, "dt", NULL, "%s", term);
    lk_html_raw(h, "<dd>");
}

static void close_short(lk_html *h)
{
    lk_html_raw(h, "</dd></div>\n");
}

static void short_waves(lk_html *h, const lk_report_clock *c)
{
    if (c->cause_rejections > 0)
        lk_html_say(h, "%s between %s UTC were refused. ",
                    lk_word_counted(c->cause_rejections, "attempt").text,
                    lk_word_range(c->cause_start_ns, c->cause_end_ns).text);
    lk_html_say(h, "They came back in %s, one every %s, from %s UTC",
                c->waves >= 0 ? lk_word_counted(c->waves, "wave").text : "waves",
                lk_html_period(h, c), lk_word_range(c->start_ns, c->end_ns).text);
    if (isfinite(c->survival_ratio))
        lk_html_say(h, "; each wave was %.2f of the one before", c->survival_ratio);
    lk_html_raw(h, ". ");
    if (isfinite(c->rejected_share))
        lk_html_say(h, "%s of the attempts in waves were refused again.",
                    lk_word_share(c->rejected_share).text);
}

static void short_happened(lk_html *h, const lk_report *r)
{
    const lk_report_clock *c = lk_html_retry_clock(r);

    open_short(h, "What happened");
    if (c)
        short_waves(h, c);
    else if (r->http.attempts <= 0)
        lk_html_say(h, "Nothing is known: the input holds no request.");
    else if (r->http.rejected == 0)
        lk_html_say(h, "No attempt was rejected.");
    else
        lk_html_say(h, "%s of %s were rejected; %s.", lk_word_count(r->http.rejected).text,
                    lk_word_counted(r->http.attempts, "attempt").text,
                    r->synchronised == LK_YES
                        ? "their callers came back together, round after round"
                        : "nothing shows that callers came back together");
    close_short(h);
}

static void short_clockless(lk_html *h, const lk_report *r)
{
    const lk_report_clock *first = r->clocks;

    if (r->synchronised == LK_YES)
        lk_html_say(h, "Whoever failed waits the same growing delays, everybody alike: who failed together "
                       "comes back together, each round later than the one before. That makes no "
                       "single period.");
    else if (r->clock_count == 0)
        lk_html_say(h, "No period was found in the arrivals.");
    else
        lk_html_say(
            h, "%s every %s sets the rhythm of %s of the attempts of its time; it is no retry.",
            lk_html_clock_title(first), lk_html_period(h, first), lk_word_share(first->share).text);
}

static void short_why(lk_html *h, const lk_report *r)
{
    const lk_report_clock *c = lk_html_retry_clock(r);

    if (r->http.attempts <= 0)
        return;
    open_short(h, "Why");
    if (!c)
        short_clockless(h, r);
    else if (isfinite(c->delay_s))
        lk_html_say(
            h,
            "Whoever failed waited %s, everybody the same%s. A constant in a retry path, not "
            "chance, sets the time of the next wave.",
            lk_word_seconds(c->delay_s).text,
            isfinite(c->drift_s) && c->drift_s > 0.02 * c->period_s
                ? lk_html_print(h, "; attempts and other waits add %s to each round",
                                lk_word_seconds(c->drift_s).text)
                : "");
    else
        lk_html_say(h, "A constant in a retry path that all these callers share.");
    close_short(h);
}

static void short_look(lk_html *h, const lk_report *r)
{
    const lk_report_clock *c = lk_html_retry_clock(r);
    size_t shown;

    if (!c || c->candidate_count == 0)
        return;
    shown = c->candidate_count < CANDIDATES_SHOWN ? c->candidate_count : CANDIDATES_SHOWN;
    open_short(h, "Where to look");
    lk_html_raw(h, "<ul>");
    for (size_t i = 0; i < shown; i++)
        lk_html_element(h, "li", NULL, "a constant of %s: %s",
                        lk_word_setting(c->candidates[i].constant_s).text,
                        lk_html_safe(h, c->candidates[i].what, 200, "well known"));
    lk_html_raw(h, "</ul>");
    close_short(h);
}

static void short_advice(lk_html *h, const lk_report *r)
{
    if (r->advice_count == 0)
        return;
    open_short(h, "What to change");
    lk_html_advised(h, r, ADVICE_SHOWN);
    close_short(h);
}

static void short_unknown(lk_html *h, const lk_report *r)
{
    if (r->note_count == 0)
        return;
    open_short(h, "Not known");
    lk_html_say(h, "%s ", lk_html_safe(h, r->notes[0], 400, ""));
    lk_html_raw(h, "<a href=\"#notes\">");
    if (r->note_count == 1)
        lk_html_raw(h, "What could not be known");
    else
        lk_html_say(h, "and %s", lk_word_counted((int64_t)r->note_count - 1, "more point").text);
    lk_html_raw(h, "</a>");
    close_short(h);
}

static void say_overload(lk_html *h, lk_known overload)
{
    if (overload == LK_YES)
        lk_html_para(h, "Demand was above the allowance for most of the time.");
    if (overload == LK_NO)
        lk_html_para(h, "Demand was below the allowance: the limit itself was not too small.");
}

void lk_html_verdict(lk_html *h, const lk_report *r)
{
    const lk_report_input *in = &r->input;

    lk_html_raw(h, "<header>\n");
    if (in->span_start_ns != LK_TIME_NONE && in->span_end_ns != LK_TIME_NONE)
        lk_html_element(h, "p", "kicker", "lockstep report · %s UTC (%s)",
                        lk_word_range(in->span_start_ns, in->span_end_ns).text,
                        lk_word_span(in->span_s).text);
    else
        lk_html_element(h, "p", "kicker", "lockstep report");
    lk_html_element(h, "h1", NULL, "%s", headline(h, r));
    say_badge(h, r);
    say_overload(h, r->overload);
    if (in->partial)
        lk_html_element(h, "p", "warn",
                        "The run was interrupted: this covers only what was read until then.");
    say_tiles(h, r);
    lk_html_raw(h, "<dl class=\"short\">\n");
    short_happened(h, r);
    short_why(h, r);
    short_look(h, r);
    short_advice(h, r);
    short_unknown(h, r);
    lk_html_raw(h, "</dl>\n</header>\n<main>\n");
}
