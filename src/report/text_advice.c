#include "report/text_part.h"

#include "report/words.h"

#include <math.h>
#include <string.h>

enum { POLICIES_SHOWN = 8 };

/* "fixed 60.0 s", "full-jitter from 1.00 s up to 20.0 s" */
static const char *policy_words(lk_page *p, const lk_report_policy *row)
{
    const char *base =
        isnan(row->base_s) ? "" : lk_page_print(p, ", base %s", lk_word_seconds(row->base_s).text);
    const char *cap =
        isnan(row->cap_s) ? "" : lk_page_print(p, ", cap %s", lk_word_seconds(row->cap_s).text);

    if (!row->policy)
        return "not one that the log shows";
    return lk_page_print(p, "%s%s%s", row->policy, base, cap);
}

static void say_flags(lk_page *p, const lk_report_policy *row)
{
    lk_buf list;

    lk_buf_init(&list);
    for (size_t i = 0; i < row->flag_count; i++)
        lk_buf_printf(&list, "%s%s", i ? ", " : "", row->flags[i]);
    if (row->regime_change_at > 0)
        lk_buf_printf(&list, " (from attempt %lld on)", (long long)row->regime_change_at);
    if (list.failed)
        p->out->failed = true;
    else if (row->flag_count)
        lk_page_inked(p, LK_INK_YELLOW, 6, "%s %s", p->sign->warning, list.p);
    lk_buf_release(&list);
}

static void say_likely(lk_page *p, const lk_report_policy *row)
{
    lk_buf list;

    lk_buf_init(&list);
    for (size_t i = 0; i < row->looks_like_count; i++)
        lk_buf_printf(&list, "%s%s", i ? "; " : "", row->looks_like[i]);
    if (list.failed)
        p->out->failed = true;
    else if (row->looks_like_count)
        lk_page_para(p, 6, "as shipped by: %s", list.p);
    lk_buf_release(&list);
}

void lk_text_policies(lk_page *p, const lk_report *r)
{
    if (!r->policy_count)
        return;
    lk_page_heading(p, "How callers come back", "the wait between a failure and the next attempt");
    for (size_t i = 0; i < r->policy_count && i < POLICIES_SHOWN; i++) {
        const lk_report_policy *row = &r->policies[i];

        lk_page_row(p, "  %s", lk_page_safe(p, row->population, p->width - 2, LK_WORDS_NO_AGENT));
        lk_page_para(p, 4, "%s: %s (%s)", strcmp(row->layer, "job") == 0 ? "job runner" : "SDK",
                     policy_words(p, row), lk_word_counted(row->comebacks, "comeback").text);
        say_likely(p, row);
        say_flags(p, row);
    }
}

void lk_text_capacity(lk_page *p, const lk_report *r)
{
    const lk_report_capacity *c = &r->capacity;

    if (isnan(c->allowance_per_s))
        return;
    lk_page_heading(p, "Capacity", NULL);
    lk_page_para(p, 2, "The server admits about %s requests/s (%s); first attempts ask for %s/s.",
                 lk_word_real(c->allowance_per_s).text, c->source,
                 isnan(c->demand_per_s) ? "an unknown rate" : lk_word_real(c->demand_per_s).text);
    if (r->overload == LK_YES)
        lk_page_inked(p, LK_INK_RED, 2, "That is overload: no retry policy makes it fit.");
    if (!isnan(c->drain_s))
        lk_page_para(p, 2, "A backlog of %s drains in %s at best.",
                     lk_word_count((int64_t)c->backlog).text, lk_word_span(c->drain_s).text);
    if (r->outlook.waves_left > 0)
        lk_page_para(p, 2, "%s to come before one fits what is admitted in a period.",
                     lk_word_counted(r->outlook.waves_left, "wave").text);
}

void lk_text_advice(lk_page *p, const lk_report *r)
{
    if (!r->advice_count)
        return;
    lk_page_heading(p, "What to change first", NULL);
    for (size_t i = 0; i < r->advice_count; i++) {
        const lk_report_advice *a = &r->advice[i];
        const char *value =
            isnan(a->value) ? ""
                            : lk_page_print(p, " (%s %s)", lk_word_real(a->value).text, a->unit);

        lk_page_item(p, 2, lk_page_print(p, "%zu.", i + 1), 5, "%s%s: %s.", a->action, value,
                     a->why);
    }
}
