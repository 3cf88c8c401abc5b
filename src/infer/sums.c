#include "infer/sums.h"

#include <math.h>
#include <string.h>

#define OTHER 0.05 /* a period so far from its delay is made of more than that    */
#define FITS 0.02  /* of the period: what attempts and timers may add to the waits */

enum { PARTS_MAX = 4, TIMES_MAX = 4, TERMS_LEAST = 2, TERMS_MAX = 6 };

/* How often each of the delays goes into a sum. */
typedef struct sum {
    unsigned times[PARTS_MAX];
    unsigned terms;
    double total_s, off_s;
} sum;

typedef struct parts {
    double delay_s[PARTS_MAX];
    size_t count;
} parts;

/* The delays that draw callers together, the clock's own first. */
static void list_parts(const lk_report *r, const lk_report_clock *c, parts *p)
{
    p->delay_s[0] = c->delay_s;
    p->count = 1;
    for (size_t i = 0; i < r->fixed_delay_count && p->count < PARTS_MAX; i++) {
        double d = r->fixed_delays[i].delay_s;

        if (r->fixed_delays[i].synchronised && d < c->period_s && fabs(d / c->delay_s - 1.0) > FITS)
            p->delay_s[p->count++] = d;
    }
}

/* The next choice of numbers, the first part once or more; false after the last. */
static bool step(unsigned *times, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (++times[i] <= TIMES_MAX)
            return true;
        times[i] = i == 0;
    }
    return false;
}

static sum add_up(const parts *p, const unsigned *times, double period_s)
{
    sum s = { .terms = 0 };

    for (size_t i = 0; i < p->count; i++) {
        s.times[i] = times[i];
        s.terms += times[i];
        s.total_s += times[i] * p->delay_s[i];
    }
    s.off_s = period_s - s.total_s;
    return s;
}

/* Waits do not add up to more than the cycle; of sums that fit the one of fewest terms. */
static sum best_sum(const parts *p, double period_s, double resolution_s)
{
    double reach = fmax(FITS * period_s, 2.0 * resolution_s),
           early = fmax(0.005 * period_s, resolution_s);
    unsigned times[PARTS_MAX] = { 1 };
    sum best = { .terms = TERMS_MAX + 1 };

    do {
        sum s = add_up(p, times, period_s);

        if (s.terms >= TERMS_LEAST && s.off_s <= reach && s.off_s >= -early &&
            (s.terms < best.terms || (s.terms == best.terms && fabs(s.off_s) < fabs(best.off_s))))
            best = s;
    } while (step(times, p->count));
    return best;
}

/* "2 x 12 s + 36 s" */
static const char *text_of(const parts *p, const sum *s, lk_arena *a)
{
    const char *text = "";

    for (size_t i = p->count; i-- > 0 && text;) {
        const char *plus = *text ? " + " : "";

        if (s->times[i] == 1)
            text = lk_arena_printf(a, "%s%s%.4g s", text, plus, p->delay_s[i]);
        else if (s->times[i] > 1)
            text = lk_arena_printf(a, "%s%s%u x %.4g s", text, plus, s->times[i], p->delay_s[i]);
    }
    return text;
}

static lk_code offer(lk_report_clock *c, const parts *p, const sum *s, lk_arena *a, lk_err *e)
{
    lk_report_candidate *list = LK_NEW(a, lk_report_candidate, c->candidate_count + 1);
    const char *text = text_of(p, s, a), *what = NULL;

    if (text)
        what = lk_arena_printf(a, "%s, delays that were seen, add up to the cycle", text);
    if (!list || !what)
        return lk_fail(e, LK_EOOM, "no memory for candidates");
    if (c->candidate_count > 0)
        memcpy(list, c->candidates, c->candidate_count * sizeof(*list));
    list[c->candidate_count] = (lk_report_candidate){ s->total_s, what };
    c->candidates = list;
    c->candidate_count++;
    return LK_OK;
}

lk_code lk_sums_offer(lk_report *r, double resolution_s, lk_arena *a, lk_err *e)
{
    for (size_t i = 0; i < r->clock_count; i++) {
        lk_report_clock *c = &r->clocks[i];
        parts p;
        sum s;

        if (isnan(c->delay_s) || c->period_s < (1.0 + OTHER) * c->delay_s)
            continue;
        list_parts(r, c, &p);
        s = best_sum(&p, c->period_s, resolution_s);
        if (s.terms <= TERMS_MAX)
            LK_TRY(offer(c, &p, &s, a, e));
    }
    return LK_OK;
}
