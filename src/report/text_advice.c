#include "report/text_part.h"

#include "base/whole.h"
#include "report/words.h"

#include <math.h>
#include <string.h>

enum { POLICIES_SHOWN = 8, TOLD_FROM = 12 };

/* "exponential, base 1.00 s, 2 times longer each time, cap 20.0 s", "percent-jitter, base 10.0 s, 20.0 % more or less" */
static const char *policy_words(lk_page *p, const lk_report_policy *row)
{
    const char *growth = !isfinite(row->factor) || row->factor <= 1
                             ? ""
                             : lk_page_print(p, ", %.3g times longer each time", row->factor);
    const char *jitter = !isfinite(row->jitter) ? "" : lk_page_print(p, ", %s more or less", lk_word_share(row->jitter).text);
    const char *base =
        isnan(row->base_s) ? "" : lk_page_print(p, ", base %s", lk_word_seconds(row->base_s).text);
    const char *cap =
        isnan(row->cap_s) ? "" : lk_page_print(p, ", cap %s", lk_word_seconds(row->cap_s).text);

    if (!row->policy)
        return row->comebacks < TOLD_FROM ? "too few comebacks to tell" : "not one that the log shows";
    return lk_page_print(p, "%s%s%s%s%s", row->policy, base, jitter, growth, cap);
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

/* What they do with the header, where they were told. */
static void say_obedience(lk_page *p, const lk_report_obedience *o)
{
    if (o->told <= 0)
        return;
    lk_page_para(p, 6, "after Retry-After (%s times): %s exactly then, %s early, %s later%s",
                 lk_word_count(o->told).text, lk_word_share(o->exact).text,
                 lk_word_share(o->early).text, lk_word_share(o->spread).text,
                 !isfinite(o->unit_factor)
                     ? ""
                     : lk_page_print(p, "; they wait %g times what they are told", o->unit_factor));
}

void lk_text_policies(lk_page *p, const lk_report *r)
{
    if (!r->policy_count)
        return;
    lk_page_heading(p, "How callers come back", "the wait between a failure and the next attempt");
    for (size_t i = 0; i < r->policy_count && i < POLICIES_SHOWN; i++) {
        const lk_report_policy *row = &r->policies[i];

        lk_page_row(p, "  %s", lk_page_safe(p, row->population, p->width - 2, LK_WORDS_NO_AGENT));
        if (row->comebacks == 0)
            lk_page_para(p, 4, "none: what failed was not tried again (%s)",
                         lk_word_counted(row->calls, "call").text);
        else
            lk_page_para(p, 4, "%s: %s (%s)", strcmp(row->layer, "job") == 0 ? "job runner" : "SDK",
                         policy_words(p, row), lk_word_counted(row->comebacks, "comeback").text);
        say_likely(p, row);
        say_obedience(p, &row->retry_after);
        say_flags(p, row);
    }
}

/* What the simulator makes of it, in one line or two. */
static void say_expected(lk_page *p, const lk_report_expected *x)
{
    if (x->why_not)
        lk_page_para(p, 5, "Not simulated: %s.", x->why_not);
    if (!x->what)
        return;
    lk_page_para(p, 5, "Simulated (%s): %s.", x->what, lk_word_expected(x).text);
}

void lk_text_advice(lk_page *p, const lk_report *r)
{
    if (!r->advice_count && r->http.errors <= 0)
        return;
    lk_page_heading(p, "What to change first", NULL);
    if (!r->advice_count)
        lk_page_para(p, 2, "%s", LK_WORDS_NO_ADVICE);
    for (size_t i = 0; i < r->advice_count; i++) {
        const lk_report_advice *a = &r->advice[i];
        const char *value = isnan(a->value)
                                ? ""
                                : lk_page_print(p, " (%s %s)",
                                                a->value >= 1 && floor(a->value) >= a->value
                                                    ? lk_word_count(lk_whole(a->value)).text
                                                    : lk_word_real(a->value).text,
                                                a->unit);

        lk_page_item(p, 2, lk_page_print(p, "%zu.", i + 1), 5, "%s%s: %s.", a->action, value,
                     a->why);
        say_expected(p, &a->expected);
    }
}
