#include "report/text_part.h"

#include "report/words.h"

#include <math.h>
#include <string.h>

enum { DETAIL_AT = 21 };

static void say_allowance(lk_page *p, const lk_report_capacity *c)
{
    const char *between = "";

    if (isnan(c->allowance_per_s))
        return;
    if (c->allowance_low < c->allowance_high)
        between = lk_page_print(p, ", half of the time between %s and %s",
                                lk_word_real(c->allowance_low).text,
                                lk_word_real(c->allowance_high).text);
    lk_page_item(p, 2, "allowance", DETAIL_AT, "%s requests/s are admitted (%s%s)",
                 lk_word_real(c->allowance_per_s).text, c->source ? c->source : "not known",
                 between);
    if (!isnan(c->demand_per_s))
        lk_page_item(p, 2, "demand", DETAIL_AT, "%s/s: attempts that are no comebacks",
                     lk_word_real(c->demand_per_s).text);
    if (c->population)
        lk_page_item(p, 2, "", DETAIL_AT, "counted are the requests of %s",
                     lk_page_safe(p, c->population, 50, ""));
}

static void say_overload(lk_page *p, const lk_report *r)
{
    const lk_report_capacity *c = &r->capacity;

    /* without an allowance here, the advice says it with the numbers that it rests on */
    if (r->overload == LK_YES && !(isnan(c->allowance_per_s) && isnan(c->deficit_per_s)))
        lk_page_inked(p, LK_INK_RED, 2, "That is overload: no retry policy makes it fit.");
    if (!isnan(c->deficit_per_s))
        lk_page_item(p, 2, "deficit", DETAIL_AT,
                     "%s requests a minute more than are admitted: %s in all, and no wait drains "
                     "them",
                     lk_word_real(60 * c->deficit_per_s).text,
                     lk_word_rounded(c->backlog).text);
    if (!isnan(c->drain_s))
        lk_page_item(p, 2, "backlog", DETAIL_AT, "%s requests, which drain in %s at best",
                     lk_word_rounded(c->backlog).text, lk_word_span(c->drain_s).text);
    if (r->outlook.waves_left > 0)
        lk_page_item(p, 2, "outlook", DETAIL_AT,
                     "%s to come before one fits what is admitted in a period",
                     lk_word_counted(r->outlook.waves_left, "wave").text);
}

static void say_limit(lk_page *p, const lk_report_capacity *c)
{
    if (c->kind && strcmp(c->kind, "fixed-window") == 0)
        lk_page_item(p, 2, "kind of limit", DETAIL_AT,
                     "a fixed window of %s: used up, it refuses until it ends, and all that waited "
                     "for its end come together",
                     lk_word_setting(c->window_s).text);
    else if (c->kind)
        lk_page_item(p, 2, "kind of limit", DETAIL_AT,
                     "a token bucket: empty, it goes on admitting at its rate");
    if (lk_words_finds_nothing(c))
        lk_page_item(p, 2, "a wave", DETAIL_AT, "%s", LK_WORDS_NOTHING_LEFT);
    else if (!isnan(c->bucket_emptied_in_s))
        lk_page_item(p, 2, "a wave", DETAIL_AT, "is refused after %s%s",
                     lk_word_seconds(c->bucket_emptied_in_s).text,
                     isnan(c->bucket) ? ""
                                      : lk_page_print(p, ", when %s of it had come",
                                                      lk_word_rounded(c->bucket).text));
}

static void say_cost(lk_page *p, const lk_report_capacity *c)
{
    double cost = c->failed_attempt_cost;

    if (isnan(cost))
        return;
    lk_page_item(p, 2, "cost of a failure", DETAIL_AT,
                 "a failed attempt keeps the server %s as long as a successful one: %s",
                 cost < 0.01 ? "less than a hundredth" : lk_page_print(p, "%s times", lk_word_real(cost).text),
                 cost < 0.5
                     ? "failures are cheap, and waiting longer frees little"
                     : "failures use capacity, and fewer attempts free more than longer waits do");
}

static void say_bystanders(lk_page *p, const lk_report_capacity *c)
{
    if (!isnan(c->bystanders_in_waves))
        lk_page_item(p, 2, "bystanders", DETAIL_AT,
                     "callers that do not come in waves: %s rejected while a wave arrives, %s "
                     "between the waves",
                     lk_word_share(c->bystanders_in_waves).text,
                     lk_word_share(c->bystanders_outside).text);
}

void lk_text_capacity(lk_page *p, const lk_report *r)
{
    const lk_report_capacity *c = &r->capacity;

    if (isnan(c->allowance_per_s) && !c->kind && isnan(c->bystanders_in_waves) &&
        isnan(c->bucket_emptied_in_s) && isnan(c->failed_attempt_cost))
        return;
    lk_page_heading(p, "Capacity", "what the server admits, and who is refused");
    say_allowance(p, c);
    say_overload(p, r);
    say_limit(p, c);
    say_cost(p, c);
    say_bystanders(p, c);
}
