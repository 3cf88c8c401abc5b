#include "report/text_part.h"

#include "report/chart.h"
#include "report/words.h"

#include <math.h>
#include <string.h>

/* ---- the verdict ---- */

static const char *verdict_of(lk_page *p, const lk_report *r)
{
    if (r->headline)
        return lk_page_safe(p, r->headline, SIZE_MAX, "");
    if (r->synchronised == LK_YES)
        return "Callers come back together: their retries are synchronised";
    if (r->synchronised == LK_NO)
        return "No synchronised retries were found";
    return "Nothing can be said: no line of the input is a request";
}

static lk_ink ink_of(const lk_report *r)
{
    return r->synchronised == LK_YES  ? LK_INK_RED
           : r->synchronised == LK_NO ? LK_INK_GREEN
                                      : LK_INK_YELLOW;
}

static void say_overload(lk_page *p, lk_known overload)
{
    if (overload == LK_YES)
        lk_page_para(p, 0, "Demand was above the allowance for most of the time.");
    if (overload == LK_NO)
        lk_page_para(p, 0, "Demand was below the allowance: the limit itself was not too small.");
}

void lk_text_verdict(lk_page *p, const lk_report *r)
{
    const lk_report_input *in = &r->input;
    const char *verdict = verdict_of(p, r);
    size_t len = strlen(verdict);

    lk_page_rule(p);
    lk_page_inked(p, ink_of(r), 0, "%s%s", verdict, len > 0 && verdict[len - 1] == '.' ? "" : ".");
    lk_page_rule(p);
    say_overload(p, r->overload);
    if (in->span_start_ns != LK_TIME_NONE && in->span_end_ns != LK_TIME_NONE)
        lk_page_para(p, 0, "The log covers %s UTC (%s).",
                     lk_word_range(in->span_start_ns, in->span_end_ns).text,
                     lk_word_span(in->span_s).text);
    if (in->partial)
        lk_page_inked(p, LK_INK_YELLOW, 0,
                      "The run was interrupted: this covers only what was read until then.");
}

/* ---- the two rates ---- */

/* "31.0 % of 119,060 ..." with the percentages in one column. */
static void say_rate(lk_page *p, double share, const char *of_what)
{
    lk_word rate = isfinite(share) ? lk_word_share(share) : (lk_word){ "?" };

    lk_page_item(p, 2, lk_page_print(p, "%7s", rate.text), 10, "%s", of_what);
}

static void say_attempts(lk_page *p, const lk_report *r)
{
    const lk_report_http *h = &r->http;
    const char *rejection = lk_page_safe(p, r->input.rejection, 60, "429, 503, 529");

    if (h->attempts < 0) {
        lk_page_para(p, 2, "How many HTTP attempts were rejected is not known.");
        return;
    }
    say_rate(p, h->rejected_share,
             lk_page_print(p, "of %s were rejected (%s): %s",
                           lk_word_counted(h->attempts, "HTTP attempt").text, rejection,
                           lk_word_count(h->rejected).text));
}

static void say_calls(lk_page *p, const lk_report_calls *c)
{
    if (c->total < 0) {
        lk_page_para(p, 2, "How many calls failed is not known.");
        return;
    }
    say_rate(p, c->failed_share,
             lk_page_print(p, "of %s failed: %s", lk_word_counted(c->total, "call").text,
                           lk_word_count(c->failed).text));
}

static const char *source_of(const lk_report *r)
{
    const lk_report_calls *c = &r->calls;
    static const struct {
        const char *name, *text;
    } SOURCES[] = {
        { "sdk-log", "Calls were counted in the callers' own log." },
        { "identity", "Calls were told apart by an id that the log holds." },
        { "inferred", "The log holds no id of a call; calls were inferred from caller, target and "
                      "time, so their counts are estimates." },
    };

    if (c->source && strcmp(c->source, "identity") == 0 && r->input.identity_call &&
        strcmp(r->input.identity_call, "attempt number") == 0)
        return "Calls were told apart by the attempt numbers that the log holds.";
    if (c->counts_only && c->source && strcmp(c->source, "inferred") == 0)
        return "The log holds no id of a call, and one caller key stands for many calls at a time: "
               "how many calls there were and how many failed was estimated, not which attempt "
               "belongs to which.";
    for (size_t i = 0; c->source && i < sizeof(SOURCES) / sizeof(SOURCES[0]); i++)
        if (strcmp(SOURCES[i].name, c->source) == 0)
            return SOURCES[i].text;
    return "";
}

static void explain_rates(lk_page *p, const lk_report *r)
{
    if (r->calls.total < 0)
        return;
    if (r->http.rejected > 0 || r->calls.failed > 0)
        lk_page_para(p, 2,
                     "A call is one request of an application; it may take several HTTP attempts. "
                     "A rejected attempt that a later one made good counts in the first rate only. "
                     "%s",
                     source_of(r));
    else
        lk_page_para(p, 2, "%s", source_of(r));
}

/* ---- where every rejected attempt went ---- */

static void add_share(lk_page *p, int64_t count, int64_t of, const char *share, const char *where)
{
    int width = (int)strlen(lk_word_count(of).text);
    const char *numbers = lk_page_print(p, "%*s  %7s", width < 9 ? 9 : width,
                                        lk_word_count(count).text, share);

    lk_page_item(p, 4, numbers, 4 + strlen(numbers) + 2, "%s", where);
}

static void say_whereabouts(lk_page *p, const lk_report_reconciliation *c)
{
    static const char *const WHERE[] = { "in calls that recovered", "in calls that failed",
                                         "in calls still open when the log ends", "not attributable to a call" };
    enum { N = sizeof(WHERE) / sizeof(WHERE[0]) };
    const int64_t count[N] = { c->in_recovered_calls, c->in_failed_calls, c->in_open_calls, c->unattributed };
    lk_word share[N];

    if (c->rejected <= 0)
        return;
    lk_word_parts(count, N, c->rejected, share);
    lk_page_blank(p);
    lk_page_para(p, 2, "Where the %s went:", lk_word_counted(c->rejected, "rejected attempt").text);
    for (size_t i = 0; i < N; i++)
        add_share(p, count[i], c->rejected, share[i].text, WHERE[i]);
    add_share(p, c->rejected, c->rejected, "100.0 %", "in total");
}

/* ---- the rest of what is counted ---- */

enum { DETAIL_AT = 21 };

static void say_outcomes(lk_page *p, const lk_report_calls *c)
{
    if (c->total < 0)
        return;
    lk_page_item(p, 2, "calls", DETAIL_AT,
                 "%s succeeded at once, %s recovered by retrying, %s failed, %s still open when "
                 "the log ends",
                 lk_word_count(c->succeeded_first).text, lk_word_count(c->recovered).text,
                 lk_word_count(c->failed).text, lk_word_count(c->open).text);
}

static void say_attempts_per_call(lk_page *p, const lk_report_calls *c)
{
    if (!isfinite(c->attempts_mean))
        return;
    if (c->counts_only) {
        lk_page_item(p, 2, "attempts per call", DETAIL_AT,
                     "mean %s; how they spread over single calls is not known",
                     lk_word_real(c->attempts_mean).text);
        return;
    }
    lk_page_item(p, 2, "attempts per call", DETAIL_AT,
                 "mean %s; half of the calls need at most %s, 99 %% at most %s, the worst %s",
                 lk_word_real(c->attempts_mean).text, lk_word_count(c->attempts_p50).text,
                 lk_word_count(c->attempts_p99).text, lk_word_count(c->attempts_max).text);
}

static void say_time_to_success(lk_page *p, const lk_report_calls *c)
{
    if (!isfinite(c->success_mean_s))
        return;
    lk_page_item(p, 2, "time to success", DETAIL_AT,
                 "mean %s; half of the successful calls within %s, 99 %% within %s, the worst "
                 "after %s",
                 lk_word_seconds(c->success_mean_s).text, lk_word_seconds(c->success_p50_s).text,
                 lk_word_seconds(c->success_p99_s).text, lk_word_seconds(c->success_max_s).text);
    if (isfinite(c->waiting_share))
        lk_page_item(p, 2, "", DETAIL_AT, "%s of that time is spent waiting between attempts",
                     lk_word_share(c->waiting_share).text);
}

static void say_unseen(lk_page *p, const lk_report_calls *c)
{
    if (c->never_seen_in_http > 0)
        lk_page_item(p, 2, "missing", DETAIL_AT,
                     "%s calls of the callers' own log have no attempt in the access log",
                     lk_word_count(c->never_seen_in_http).text);
    if (c->never_seen_in_sdk > 0)
        lk_page_item(p, 2, "missing", DETAIL_AT,
                     "%s calls of the access log are not in the callers' own log",
                     lk_word_count(c->never_seen_in_sdk).text);
}

static void say_statuses(lk_page *p, const lk_report_http *h)
{
    lk_buf list;

    lk_buf_init(&list);
    for (unsigned status = 0; status < sizeof(h->by_status) / sizeof(h->by_status[0]); status++)
        if (h->by_status[status] > 0)
            lk_buf_printf(&list, "%s%03u: %s", list.len > 0 ? "; " : "", status,
                          lk_word_count(h->by_status[status]).text);
    if (list.failed)
        p->out->failed = true;
    else if (list.len > 0)
        lk_page_item(p, 2, "attempts by status", DETAIL_AT, "%s", list.p);
    lk_buf_release(&list);
}

static void say_retries(lk_page *p, const lk_report *r)
{
    if (isfinite(r->wasted.retry_share) && r->http.retries >= 0)
        lk_page_item(p, 2, "retries", DETAIL_AT, "%s of the HTTP attempts: %s",
                     lk_word_share(r->wasted.retry_share).text, lk_word_count(r->http.retries).text);
    if (r->http.client_gave_up > 0)
        lk_page_item(p, 2, "client left first", DETAIL_AT,
                     "%s HTTP attempts (status 499, 460, 000)",
                     lk_word_count(r->http.client_gave_up).text);
}

static const char *rates_title(const lk_report *r)
{
    const lk_word http = lk_word_share(r->http.rejected_share);
    const lk_word calls = lk_word_share(r->calls.failed_share);

    return strcmp(http.text, calls.text) == 0 ? "Error rates" : "Two error rates, both right";
}

void lk_text_rates(lk_page *p, const lk_report *r)
{
    if (r->http.attempts <= 0 && r->calls.total <= 0)
        return;
    lk_page_heading(p, rates_title(r), NULL);
    say_attempts(p, r);
    say_calls(p, &r->calls);
    explain_rates(p, r);
    say_whereabouts(p, &r->reconciliation);
    lk_page_blank(p);
    say_outcomes(p, &r->calls);
    say_attempts_per_call(p, &r->calls);
    say_time_to_success(p, &r->calls);
    say_unseen(p, &r->calls);
    say_retries(p, r);
    say_statuses(p, &r->http);
}

/* ---- the picture ---- */

/* The highest wave of a clock; NULL when it has none. */
static const lk_report_wave *highest_wave(const lk_report_clock *c)
{
    const lk_report_wave *best = NULL;

    for (size_t i = 0; i < c->wave_count; i++)
        if (isfinite(c->wave_list[i].peak_per_s) &&
            (!best || c->wave_list[i].peak_per_s > best->peak_per_s))
            best = &c->wave_list[i];
    return best;
}

/* A closer look at the first retry clock that has waves: the one that the headline speaks of. */
void lk_text_arrivals(lk_page *p, const lk_report *r)
{
    lk_chart_overview(p, &r->arrivals);
    for (size_t i = 0; i < r->clock_count; i++) {
        const lk_report_clock *c = &r->clocks[i];
        const lk_report_wave *wave = highest_wave(c);

        if (c->kind && strcmp(c->kind, "retry") == 0 && wave) {
            lk_chart_waves(p, &r->arrivals, c->period_s, wave->start_ns);
            return;
        }
    }
}
