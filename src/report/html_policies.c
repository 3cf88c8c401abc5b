#include "report/html_part.h"

#include "report/html_plot.h"
#include "report/words.h"

#include <math.h>
#include <string.h>

enum { POLICIES_SHOWN = 6, ATTEMPTS_SHOWN = 3, NAME_CUT = 120, LOOKS_SHOWN = 4 };

/* What a flag means to somebody who reads it for the first time. */
static const char *flag_words(const char *flag)
{
    static const struct {
        const char *flag, *text;
    } WORDS[] = {
        { "cap-binding", "the longest wait is reached sooner than intended" },
        { "zero-spike", "many come back at once, without a wait" },
        { "identical-draws", "many callers share one sequence of random delays" },
        { "draw-reused", "each caller draws once and keeps the delay" },
        { "ignores-retry-after", "the server's Retry-After is not obeyed" },
        { "no-cap", "the number of attempts has no bound" },
        { "deterministic-backoff", "the delays grow, but are the same for everybody" },
        { "attempt-counter-reset", "the attempt counter does not grow, or falls back, while the call fails" },
        { "no-jitter-on-first", "the first retry comes without jitter" },
        { "regime-change", "the delays follow another rule from some attempt on" },
        { "retries-after-client-left", "attempts begin after the client had left" },
        { "retries-non-retryable", "errors are retried that no wait can heal" },
    };

    for (size_t i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++)
        if (strcmp(WORDS[i].flag, flag) == 0)
            return WORDS[i].text;
    return "";
}

static void say_parameters(lk_html *h, const lk_report_policy *p)
{
    if (isfinite(p->base_s))
        lk_html_fact(h, "Base", lk_html_print(h, "%.6g s", p->base_s));
    if (isfinite(p->factor))
        lk_html_fact(h, "Factor", lk_html_print(h, "%.6g from a retry to the next", p->factor));
    if (isfinite(p->cap_s))
        lk_html_fact(h, "Longest wait", lk_html_print(h, "%.6g s", p->cap_s));
    if (isfinite(p->jitter))
        lk_html_fact(h, "Jitter", lk_html_print(h, "± %s", lk_word_share(p->jitter).text));
    lk_html_fact(h, "Most attempts",
                 p->max_attempts >= 0 ? lk_word_count(p->max_attempts).text : "no bound seen");
}

static void say_names(lk_html *h, const lk_report_policy *p)
{
    for (size_t i = 0; i < p->looks_like_count && i < LOOKS_SHOWN; i++)
        lk_html_fact(h, i == 0 ? "Looks like" : "or",
                     lk_html_safe(h, p->looks_like[i], NAME_CUT, ""));
    for (size_t i = 0; i < p->flag_count; i++)
        lk_html_fact(h, i == 0 ? "Note" : "and",
                     lk_html_print(h, "%s: %s", lk_html_safe(h, p->flags[i], 40, ""),
                                   flag_words(p->flags[i])));
}

/* ---- the delays of one attempt ---- */

static const char *describe(lk_html *h, const lk_report_delays *d)
{
    return lk_html_print(h,
                         "Waits before retry %s: %s, 5 %% below %s, half below %s, 95 %% below %s.",
                         lk_word_count(d->attempt).text, lk_word_counted(d->n, "comeback").text,
                         lk_word_seconds(d->p5_s).text, lk_word_seconds(d->p50_s).text,
                         lk_word_seconds(d->p95_s).text);
}

static void mark_delay(lk_plot *p, double delay_s, double span_s, size_t row, const char *word)
{
    if (isfinite(delay_s) && delay_s >= 0 && delay_s <= span_s)
        lk_plot_mark(p, "main", delay_s / span_s, row, "%s %s", word,
                     lk_word_seconds(delay_s).text);
}

/* Where the fitted policy puts its waits before retry k: the constant, or the edge of its window. */
static void mark_policy(lk_plot *p, const lk_report_policy *row, const lk_report_delays *d,
                        double span_s)
{
    bool grows = isfinite(row->factor) && row->factor > 1;
    double delay = row->base_s;

    if (!row->policy || !isfinite(delay))
        return;
    if (grows && d->attempt >= 1)
        delay *= pow(row->factor, (double)(d->attempt - 1));
    if (isfinite(row->cap_s))
        delay = fmin(delay, row->cap_s);
    mark_delay(p, delay, span_s, 0, strstr(row->policy, "jitter") ? "window ends" : "fitted");
}

static void draw_delays(lk_html *h, const lk_report_policy *row, const lk_report_delays *d)
{
    double *count = LK_NEW(h->arena, double, d->bins + 1), peak = 0;
    double span = d->bin_s * (double)d->bins;
    lk_plot p;

    if (!count) {
        h->out->failed = true;
        return;
    }
    for (size_t i = 0; i < d->bins; i++)
        peak = fmax(peak, count[i] = d->counts[i]);
    if (!(peak > 0) || !(span > 0) || !isfinite(span))
        return;
    lk_plot_open(&p, h, describe(h, d), peak, "comebacks", 0);
    lk_plot_bars(&p, "all", count, d->bins);
    mark_policy(&p, row, d, span);
    for (size_t i = 0; i < d->bins; i++)
        if (d->counts[i])
            lk_plot_hover(&p, (double)i / (double)d->bins, 1 / (double)d->bins,
                          "%.4g to %.4g s: %u", d->bin_s * (double)i, d->bin_s * (double)(i + 1),
                          (unsigned)d->counts[i]);
    lk_plot_seconds_axis(&p, span);
    lk_plot_close(&p, describe(h, d));
}

/* ---- a policy ---- */

static const char *population(lk_html *h, const lk_report_policy *p)
{
    return lk_html_safe(h, p->population, NAME_CUT, LK_WORDS_NO_AGENT);
}

static void say_basis(lk_html *h, const lk_report_policy *p)
{
    lk_html_how(
        h, &(lk_html_basis){
               .measured = "The likelihood of the comeback delays, attempt by attempt, under "
                           "each known policy; the one that explains most is named.",
               .population =
                   lk_html_print(h, "%s of %s", lk_word_counted(p->comebacks, "comeback").text,
                                 p->callers >= 0 ? lk_word_counted(p->callers, "caller").text
                                                 : "an unknown number of callers"),
               .sure = isfinite(p->support)
                           ? lk_html_print(h, "It explains %s of the comebacks; next best: %s.",
                                           lk_word_share(p->support).text,
                                           lk_html_safe(h, p->runner_up, 40, "none"))
                           : "The evidence is not enough to say.",
               .change = "More comebacks of later attempts, or the SDK's configuration.",
           });
}

static void say_policy(lk_html *h, const lk_report_policy *p)
{
    lk_html_element(h, "h3", NULL, "%s, %s layer: %s", population(h, p),
                    lk_html_safe(h, p->layer, 20, "unknown"),
                    lk_html_safe(h, p->policy, 40, "policy not known"));
    if (p->comebacks == 0) {
        lk_html_para(h, "What failed was not tried again: %s, of one attempt each.",
                     lk_word_counted(p->calls, "call").text);
        return;
    }
    lk_html_raw(h, "<dl class=\"facts\">\n");
    say_parameters(h, p);
    say_names(h, p);
    lk_html_raw(h, "</dl>\n");
    for (size_t i = 0; i < p->attempt_count && i < ATTEMPTS_SHOWN; i++)
        draw_delays(h, p, &p->by_attempt[i]);
    if (p->attempt_count > ATTEMPTS_SHOWN)
        lk_html_para(h, "Later retries that are not drawn: %zu.",
                     p->attempt_count - ATTEMPTS_SHOWN);
    say_basis(h, p);
}

void lk_html_policies(lk_html *h, const lk_report *r)
{
    size_t shown = r->policy_count < POLICIES_SHOWN ? r->policy_count : POLICIES_SHOWN;

    if (shown == 0)
        return;
    lk_html_section(h, "policies", "How callers wait: the retry policies");
    for (size_t i = 0; i < shown; i++)
        say_policy(h, &r->policies[i]);
    if (r->policy_count > shown)
        lk_html_para(h, "And %zu more.", r->policy_count - shown);
    lk_html_section_end(h);
}
