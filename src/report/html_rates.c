#include "report/html_part.h"

#include "report/words.h"

#include <math.h>
#include <string.h>

enum { FLOW_HEIGHT = 170, BAR = 34, OUTCOMES = 4, SEGMENTS_MAX = 6, NAMED_FROM = 4 /* percent */ };

/* ---- the two rates ---- */

static void say_rate(lk_html *h, double share, const char *of_what)
{
    lk_html_raw(h, "<li>");
    lk_html_element(h, "b", NULL, "%s", lk_word_share(share).text);
    lk_html_element(h, "span", NULL, "%s", of_what);
    lk_html_raw(h, "</li>\n");
}

static void say_both(lk_html *h, const lk_report *r)
{
    lk_html_raw(h, "<ul class=\"tiles\">\n");
    say_rate(h, r->http.rejected_share,
             lk_html_print(h, "as the HTTP layer sees it: %s of %s were rejected",
                           lk_word_count(r->http.rejected).text,
                           lk_word_counted(r->http.attempts, "attempt").text));
    say_rate(h, r->calls.failed_share,
             r->calls.total < 0 ? "as the application sees it: the log does not tell calls apart"
                                : lk_html_print(h, "as the application sees it: %s of %s failed",
                                                lk_word_count(r->calls.failed).text,
                                                lk_word_counted(r->calls.total, "call").text));
    lk_html_raw(h, "</ul>\n");
}

/* ---- the account: calls above, attempts below, ribbons between ---- */

typedef struct segment {
    const char *class, *name;
    int64_t count;
    double from, to; /* share of its bar */
} segment;

typedef struct bar {
    segment part[SEGMENTS_MAX];
    size_t n;
    int64_t total;
} bar;

static void add_segment(bar *b, const char *class, const char *name, int64_t count)
{
    b->part[b->n++] = (segment){ class, name, count < 0 ? 0 : count, 0, 0 };
    b->total += count < 0 ? 0 : count;
}

static void place(bar *b)
{
    double at = 0;

    for (size_t i = 0; i < b->n; i++) {
        b->part[i].from = at;
        at += b->total ? (double)b->part[i].count / (double)b->total : 0;
        b->part[i].to = at;
    }
}

/* Both in the order: made it at once, recovered, failed, open. */
static void account(const lk_report *r, bar *calls, bar *attempts)
{
    const lk_report_calls *c = &r->calls;
    const lk_report_reconciliation *k = &r->reconciliation;

    *calls = *attempts = (bar){ .n = 0 };
    add_segment(calls, "n1", "succeeded at once", c->succeeded_first);
    add_segment(calls, "n2", "recovered by retrying", c->recovered);
    add_segment(calls, "n3", "failed", c->failed);
    add_segment(calls, "n4", "still open when the log ends", c->open);
    add_segment(attempts, "n1", "not rejected", r->http.attempts - k->rejected);
    add_segment(attempts, "n2", "rejected, in calls that recovered", k->in_recovered_calls);
    add_segment(attempts, "n3", "rejected, in calls that failed", k->in_failed_calls);
    add_segment(attempts, "n4", "rejected, in calls still open", k->in_open_calls);
    add_segment(attempts, "n4", "rejected, not attributable to a call", k->unattributed);
    place(calls);
    place(attempts);
}

static void draw_bar(lk_html *h, const bar *b, size_t y, char first)
{
    lk_html_draw(h,
                 "<svg y=\"%zu\" width=\"100%%\" height=\"%d\" viewBox=\"0 0 1000 %d\" "
                 "preserveAspectRatio=\"none\">",
                 y, BAR, BAR);
    for (size_t i = 0; i < b->n; i++) {
        if (!b->part[i].count)
            continue;
        lk_html_draw(h, "<path class=\"%s\" d=\"M%.4g 0H%.4gV%dH%.4gZ\"/>", b->part[i].class,
                     1000 * b->part[i].from, 1000 * b->part[i].to, BAR, 1000 * b->part[i].from);
    }
    lk_html_raw(h, "</svg>\n");
    for (size_t i = 0; i < b->n; i++)
        if (100 * (b->part[i].to - b->part[i].from) >= NAMED_FROM)
            lk_html_draw(h,
                         "<text class=\"halo\" text-anchor=\"middle\" x=\"%.2f%%\" y=\"%zu\">%c"
                         "</text>\n",
                         50 * (b->part[i].from + b->part[i].to), y + BAR / 2 + 4,
                         (char)(first + (int)i));
}

static void draw_ribbons(lk_html *h, const bar *calls, const bar *attempts)
{
    lk_html_draw(h,
                 "<svg y=\"%d\" width=\"100%%\" height=\"%d\" viewBox=\"0 0 1000 100\" "
                 "preserveAspectRatio=\"none\">",
                 BAR, FLOW_HEIGHT - 2 * BAR);
    for (size_t i = 0; i < OUTCOMES; i++) {
        const segment *up = &calls->part[i], *low = &attempts->part[i];

        if (up->count || (low->count && i > 0))
            lk_html_draw(
                h,
                "<path class=\"ribbon %s\" d=\"M%.4g 0H%.4gC%.4g 50 %.4g 50 %.4g 100H%.4gC%.4g "
                "50 %.4g 50 %.4g 0Z\"/>",
                up->class, 1000 * up->from, 1000 * up->to, 1000 * up->to, 1000 * low->to,
                1000 * low->to, 1000 * low->from, 1000 * low->from, 1000 * up->from,
                1000 * up->from);
    }
    lk_html_raw(h, "</svg>\n");
}

static void table_of(lk_html *h, const bar *b, char first)
{
    int64_t count[SEGMENTS_MAX];
    lk_word share[SEGMENTS_MAX];

    for (size_t i = 0; i < b->n; i++)
        count[i] = b->part[i].count;
    lk_word_parts(count, b->n, b->total, share);
    for (size_t i = 0; i < b->n; i++) {
        lk_html_raw(h, "<tr>");
        lk_html_draw(h, "<td>%c</td>", (char)(first + (int)i));
        lk_html_cell(h, "%s", b->part[i].name);
        lk_html_number(h, "%s", lk_word_count(b->part[i].count).text);
        lk_html_number(h, "%s", share[i].text);
        lk_html_raw(h, "</tr>\n");
    }
}

static void tables(lk_html *h, const bar *calls, const bar *attempts)
{
    lk_html_table(h, "The account of calls and attempts, by the letters of the picture");
    lk_html_raw(h,
                "<thead><tr><th scope=\"col\">Key</th><th scope=\"col\">What became of them</th>"
                "<th scope=\"col\" class=\"n\">Count</th><th scope=\"col\" class=\"n\">Share</th>"
                "</tr></thead>\n<tbody><tr><th colspan=\"4\" scope=\"rowgroup\">");
    lk_html_say(h, "%s", lk_word_counted(calls->total, "call").text);
    lk_html_raw(h, "</th></tr>\n");
    table_of(h, calls, 'A');
    lk_html_raw(h, "</tbody><tbody><tr><th colspan=\"4\" scope=\"rowgroup\">");
    lk_html_say(h, "%s", lk_word_counted(attempts->total, "HTTP attempt").text);
    lk_html_raw(h, "</th></tr>\n");
    table_of(h, attempts, 'P');
    lk_html_raw(h, "</tbody>\n");
    lk_html_table_end(h);
}

static void draw_account(lk_html *h, const lk_report *r)
{
    bar calls, attempts;

    account(r, &calls, &attempts);
    if (calls.total <= 0 || attempts.total <= 0 || r->http.rejected <= 0)
        return;
    lk_html_element(h, "h3", NULL, "From calls to attempts");
    lk_html_draw(h, "<figure><svg class=\"flow\" height=\"%d\" role=\"img\" aria-label=\"",
                 FLOW_HEIGHT);
    lk_html_say(h,
                "Two bars. Above, %s by their end; below, the %s that they made, by whether they "
                "were rejected. The table that follows has the counts.",
                lk_word_counted(calls.total, "call").text,
                lk_word_counted(attempts.total, "HTTP attempt").text);
    lk_html_raw(h, "\">\n");
    draw_ribbons(h, &calls, &attempts);
    draw_bar(h, &calls, 0, 'A');
    draw_bar(h, &attempts, FLOW_HEIGHT - BAR, 'P');
    lk_html_raw(h, "</svg>\n");
    lk_html_element(h, "figcaption", NULL,
                    "Above: %s (100 %% of the width). Below: %s they made. A ribbon that widens is "
                    "work that only retries made.",
                    lk_word_counted(calls.total, "call").text,
                    lk_word_counted(attempts.total, "HTTP attempt").text);
    lk_html_raw(h, "</figure>\n");
    tables(h, &calls, &attempts);
}

/* ---- the rest of what is counted ---- */

static void say_calls(lk_html *h, const lk_report_calls *c)
{
    if (isfinite(c->attempts_mean))
        lk_html_fact(h, "Attempts per call",
                     lk_html_print(
                         h,
                         "mean %s; half of the calls need at most %s, 99 %% at most %s, the "
                         "worst %s",
                         lk_word_real(c->attempts_mean).text, lk_word_count(c->attempts_p50).text,
                         lk_word_count(c->attempts_p99).text, lk_word_count(c->attempts_max).text));
    if (isfinite(c->success_mean_s))
        lk_html_fact(
            h, "Time to success",
            lk_html_print(
                h,
                "mean %s; half of the successful calls within %s, 99 %% within %s, the worst "
                "after %s; %s of that time is waiting between attempts",
                lk_word_seconds(c->success_mean_s).text, lk_word_seconds(c->success_p50_s).text,
                lk_word_seconds(c->success_p99_s).text, lk_word_seconds(c->success_max_s).text,
                isfinite(c->waiting_share) ? lk_word_share(c->waiting_share).text
                                           : "an unknown share"));
    if (c->never_seen_in_http > 0)
        lk_html_fact(
            h, "Missing",
            lk_html_print(h, "%s calls of the callers' own log have no attempt in the access log",
                          lk_word_count(c->never_seen_in_http).text));
    if (c->never_seen_in_sdk > 0)
        lk_html_fact(h, "Missing",
                     lk_html_print(h, "%s calls of the access log are not in the callers' own log",
                                   lk_word_count(c->never_seen_in_sdk).text));
}

static void say_statuses(lk_html *h, const lk_report_http *http)
{
    const char *sign = "";

    lk_html_raw(h, "<div><dt>Attempts by status</dt><dd>");
    for (unsigned status = 0; status < sizeof(http->by_status) / sizeof(http->by_status[0]);
         status++) {
        if (http->by_status[status] <= 0)
            continue;
        lk_html_say(h, "%s%03u: %s", sign, status, lk_word_count(http->by_status[status]).text);
        sign = "; ";
    }
    lk_html_raw(h, "</dd></div>\n");
}

static void say_facts(lk_html *h, const lk_report *r)
{
    lk_html_raw(h, "<dl class=\"facts\">\n");
    say_calls(h, &r->calls);
    lk_html_fact(
        h, "Retries",
        r->http.retries >= 0
            ? lk_html_print(h, "%s, %s of the HTTP attempts", lk_word_count(r->http.retries).text,
                            lk_word_share(r->wasted.retry_share).text)
            : "not known: the log does not tell retries from first attempts");
    if (r->http.client_gave_up > 0)
        lk_html_fact(h, "Client left first",
                     lk_html_print(h, "%s HTTP attempts (status 499, 460, 000)",
                                   lk_word_count(r->http.client_gave_up).text));
    say_statuses(h, &r->http);
    lk_html_raw(h, "</dl>\n");
}

static void say_basis(lk_html *h, const lk_report *r)
{
    static const struct {
        const char *source, *sure;
    } SOURCES[] = {
        { "sdk-log", "The calls are the callers' own record: counts, not estimates." },
        { "identity", "The log holds an id of each call: counts, not estimates." },
        { "inferred",
          "The log holds no id of a call; calls were joined by caller, target and time, "
          "so the counts of calls are estimates. Those of attempts are exact." },
    };
    lk_html_basis basis = {
        .measured = lk_html_print(
            h,
            "Rejected attempts (%s) divided by attempts; failed calls divided by calls. A call is "
            "one request of an application and may take several attempts; it fails when its last "
            "one does.",
            lk_html_safe(h, r->input.rejection, 60, "429, 503, 529")),
        .population = lk_html_print(
            h, "%s and %s of the whole log", lk_word_counted(r->http.attempts, "HTTP attempt").text,
            r->calls.total < 0 ? "an unknown number of calls"
                               : lk_word_counted(r->calls.total, "call").text),
        .sure = "Counts of lines are exact.",
        .change = "An id of the call in the log format, or the callers' own log (--sdk-log), makes "
                  "the second rate certain.",
    };

    for (size_t i = 0; r->calls.source && i < sizeof(SOURCES) / sizeof(SOURCES[0]); i++)
        if (strcmp(SOURCES[i].source, r->calls.source) == 0)
            basis.sure = SOURCES[i].sure;
    lk_html_how(h, &basis);
}

void lk_html_rates(lk_html *h, const lk_report *r)
{
    const lk_word http = lk_word_share(r->http.rejected_share);
    const lk_word calls = lk_word_share(r->calls.failed_share);

    if (r->http.attempts <= 0 && r->calls.total <= 0)
        return;
    lk_html_section(
        h, "rates",
        r->calls.total < 0 || r->http.rejected <= 0 || strcmp(http.text, calls.text) == 0
            ? "Error rates"
            : "Two error rates, both right");
    say_both(h, r);
    if (r->http.rejected > 0 || r->calls.failed > 0)
        lk_html_para(h,
                     "A rejected attempt that a later one made good counts in the first rate and "
                     "not in the second; a call that failed counts once, however often it tried.");
    draw_account(h, r);
    say_facts(h, r);
    say_basis(h, r);
    lk_html_section_end(h);
}
