#include "report/text_part.h"

#include "report/words.h"

#include <math.h>

enum { DETAIL_AT = 21 };

/* ---- the incident ---- */

static void say_begin(lk_page *p, const lk_report_incident *in)
{
    if (in->start_ns != LK_TIME_NONE)
        lk_page_item(p, 2, "began", DETAIL_AT, "%s UTC%s", lk_word_instant(in->start_ns).text,
                     in->given ? " (as given)" : "");
    if (in->demand_back_ns != LK_TIME_NONE)
        lk_page_item(p, 2, "demand back", DETAIL_AT,
                     "%s UTC: first attempts were as many as before",
                     lk_word_instant(in->demand_back_ns).text);
    if (in->recovered_ns != LK_TIME_NONE)
        lk_page_item(p, 2, "over", DETAIL_AT, "%s UTC%s", lk_word_instant(in->recovered_ns).text,
                     in->given ? " (as given)" : "");
    else
        lk_page_item(p, 2, "over", DETAIL_AT, "not before the log ends");
}

static void say_tail(lk_page *p, const lk_report_incident *in)
{
    if (!isfinite(in->tail_s) || in->tail_s < 1)
        return;
    if (isfinite(in->tail_retry_share))
        lk_page_item(p, 2, "tail", DETAIL_AT,
                     "it stayed bad for %s without that load; %s of the attempts in that time are "
                     "comebacks",
                     lk_word_span(in->tail_s).text, lk_word_share(in->tail_retry_share).text);
    else
        lk_page_item(p, 2, "tail", DETAIL_AT, "it stayed bad for %s without that load",
                     lk_word_span(in->tail_s).text);
}

static void say_rates(lk_page *p, const lk_report_incident *in)
{
    lk_page_item(p, 2, "inside it", DETAIL_AT, "%s of %s rejected", 
                 lk_word_share(in->http.rejected_share).text,
                 lk_word_counted(in->http.attempts, "HTTP attempt").text);
    if (in->calls.total > 0)
        lk_page_item(p, 2, "", DETAIL_AT, "%s of %s failed",
                     lk_word_share(in->calls.failed_share).text,
                     lk_word_counted(in->calls.total, "call").text);
}

static void say_times(lk_page *p, const lk_report_calls *c)
{
    if (!isfinite(c->success_mean_s) || !isfinite(c->success_p50_s))
        return;
    lk_page_item(p, 2, "", DETAIL_AT, "time to success: mean %s; half within %s, 99 %% within %s%s",
                 lk_word_seconds(c->success_mean_s).text, lk_word_seconds(c->success_p50_s).text,
                 lk_word_seconds(c->success_p99_s).text,
                 isfinite(c->waiting_share)
                     ? lk_page_print(p, "; %s of it waiting", lk_word_share(c->waiting_share).text)
                     : "");
}

void lk_text_incident(lk_page *p, const lk_report *r)
{
    const lk_report_incident *in = r->incident;

    if (!in || in->http.attempts <= 0)
        return;
    lk_page_heading(p, "The incident",
                    in->given   ? "the time that was given"
                    : in->whole ? "the log holds nothing else: all of it is bad"
                                : "when attempts failed more than in the rest of the log");
    say_begin(p, in);
    say_tail(p, in);
    say_rates(p, in);
    say_times(p, &in->calls);
    if (in->others > 0)
        lk_page_para(p, 2, "%s outside it, smaller; --since and --until choose one.",
                     lk_word_counted((int64_t)in->others, "more incident").text);
}

/* ---- wasted work ---- */

static void say_wasted(lk_page *p, int64_t count, const char *what)
{
    if (count > 0)
        lk_page_item(p, 2, lk_page_print(p, "%9s", lk_word_count(count).text), 13, "%s", what);
}

void lk_text_wasted(lk_page *p, const lk_report *r)
{
    const lk_report_wasted *w = &r->wasted;

    if (w->after_client_left <= 0 && w->non_retryable <= 0 && w->ignored_retry_after <= 0 &&
        w->over_tenth <= 0)
        return;
    lk_page_heading(p, "Wasted attempts", "that could not help anybody, or that a retry budget would cut");
    say_wasted(p, w->ignored_retry_after, "came before the Retry-After they had been told");
    say_wasted(p, w->non_retryable, "repeated what no wait helps (wrong request, used-up quota)");
    say_wasted(p, w->after_client_left, "came after the client had left the attempt before");
    say_wasted(p, w->over_tenth,
               "retries more than a budget of 10 % allows: one for every ten first attempts, minute "
               "by minute");
    say_wasted(p, w->over_fifth, "retries more than a budget of 20 % allows");
}
