#include "report/html_part.h"

#include "report/words.h"

#include <math.h>

/* ---- the incident ---- */

static void say_tail(lk_html *h, const lk_report_incident *in)
{
    if (!isfinite(in->tail_s) || in->tail_s < 1)
        return;
    lk_html_fact(
        h, "Tail",
        lk_html_print(h, "it stayed bad for %s without that load%s", lk_word_span(in->tail_s).text,
                      isfinite(in->tail_retry_share)
                          ? lk_html_print(h, "; %s of the attempts in that time are comebacks",
                                          lk_word_share(in->tail_retry_share).text)
                          : ""));
}

static void say_inside(lk_html *h, const lk_report_incident *in)
{
    lk_html_fact(
        h, "Inside it",
        lk_html_print(
            h, "%s of %s rejected%s", lk_word_share(in->http.rejected_share).text,
            lk_word_counted(in->http.attempts, "HTTP attempt").text,
            in->calls.total > 0
                ? lk_html_print(h, "; %s of %s failed", lk_word_share(in->calls.failed_share).text,
                                lk_word_counted(in->calls.total, "call").text)
                : ""));
}

static void say_times(lk_html *h, const lk_report_calls *c)
{
    if (!isfinite(c->success_mean_s) || !isfinite(c->success_p50_s))
        return;
    lk_html_fact(h, "Time to success there",
                 lk_html_print(h, "mean %s; half within %s, 99 %% within %s%s",
                               lk_word_seconds(c->success_mean_s).text,
                               lk_word_seconds(c->success_p50_s).text,
                               lk_word_seconds(c->success_p99_s).text,
                               isfinite(c->waiting_share)
                                   ? lk_html_print(h, "; %s of it waiting",
                                                   lk_word_share(c->waiting_share).text)
                                   : ""));
}

static const char *instant(lk_html *h, int64_t at_ns, const char *absent)
{
    return at_ns == LK_TIME_NONE ? absent : lk_html_print(h, "%s UTC", lk_word_instant(at_ns).text);
}

void lk_html_incident(lk_html *h, const lk_report *r)
{
    const lk_report_incident *in = r->incident;

    if (!in || in->http.attempts <= 0)
        return;
    lk_html_section(h, "incident", "The incident and its tail");
    lk_html_raw(h, "<dl class=\"facts\">\n");
    lk_html_fact(h, "Began", instant(h, in->start_ns, "before the log begins, or not known"));
    lk_html_fact(h, "Demand was back", instant(h, in->demand_back_ns, "not known"));
    lk_html_fact(h, "Over", instant(h, in->recovered_ns, "not before the log ends"));
    say_tail(h, in);
    say_inside(h, in);
    say_times(h, &in->calls);
    if (in->whole)
        lk_html_fact(h, "Outside it", "next to nothing: all of the log is bad");
    lk_html_raw(h, "</dl>\n");
    if (isfinite(in->tail_s) && in->tail_s >= 1)
        lk_html_para(h,
                     "The tail is the time between the moment when new work was back at its "
                     "usual rate and the moment when the failures ended: what retries alone kept "
                     "alive.");
    lk_html_how(h,
                &(lk_html_basis){
                    .measured = "Failures for each stretch of time against the rest of the log; "
                                "demand counts first attempts only.",
                    .population = lk_html_print(h, "%s from its beginning to its end",
                                                lk_word_counted(in->http.attempts, "attempt").text),
                    .sure = r->http.first_attempts >= 0
                                ? "First attempts and comebacks are told apart in this log."
                                : "First attempts and comebacks are not told apart: the tail is "
                                  "not known better than the failures.",
                    .change = "Another beginning or end given by --since and --until.",
                });
    lk_html_section_end(h);
}

/* ---- wasted work ---- */

void lk_html_wasted(lk_html *h, const lk_report *r)
{
    const lk_report_wasted *w = &r->wasted;
    const struct {
        int64_t count;
        const char *what;
    } rows[] = {
        { w->ignored_retry_after, "came before the Retry-After they had been told" },
        { w->non_retryable, "repeated what no wait helps (wrong request, used-up quota)" },
        { w->after_client_left, "came after the client had left the attempt before" },
        { w->over_tenth, "a retry budget of 10 % of the first attempts would have cut" },
        { w->over_fifth, "a retry budget of 20 % would have cut" },
    };
    int64_t most = 0;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        most = rows[i].count > most ? rows[i].count : most;
    if (most == 0)
        return;
    lk_html_section(h, "wasted", "Wasted attempts");
    lk_html_table(h, "Attempts that could not help anybody; one attempt may stand in several rows");
    lk_html_raw(h,
                "<thead><tr><th scope=\"col\" class=\"n\">Attempts</th><th scope=\"col\" "
                "class=\"n\">Of all</th><th scope=\"col\">Why they were in vain</th></tr></thead>"
                "\n<tbody>\n");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        lk_html_raw(h, "<tr>");
        lk_html_number(h, "%s", lk_word_count(rows[i].count).text);
        lk_html_number(h, "%s", lk_word_part(rows[i].count, r->http.attempts).text);
        lk_html_cell(h, "%s", rows[i].what);
        lk_html_raw(h, "</tr>\n");
    }
    lk_html_raw(h, "</tbody>\n");
    lk_html_table_end(h);
    lk_html_section_end(h);
}
