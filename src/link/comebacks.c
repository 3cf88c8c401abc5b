/* What comes back and should not: against the header, after the client left, where no wait helps. */
#include "base/time.h"
#include "link/state.h"

static const int64_t DROUGHT_NS = 900 * LK_NS_PER_S;
enum { DROUGHT_MIN = 50 };

void lk_count_obedience(struct lk_linker *l, const lk_unit *from, int64_t at_ns)
{
    if (from->asked_ns < 0)
        return;
    switch (lk_attempt_obeyed(at_ns - from->end_ns, from->asked_ns, from->fraction)) {
    case LK_OBEYED_EARLY: l->early++; break;
    case LK_OBEYED_EXACTLY: l->exact++; break;
    case LK_OBEYED_LATER: l->later++; break;
    }
}

static bool is_drought(const lk_drought *d)
{
    return d->from_ns != LK_TIME_NONE && d->rejected >= DROUGHT_MIN &&
           d->to_ns - d->from_ns >= DROUGHT_NS;
}

static bool is_within(const lk_drought *d, int64_t at_ns)
{
    return is_drought(d) && at_ns > d->from_ns && at_ns <= d->to_ns;
}

/* In a run of rejections that lasted, or lasts so far? */
static bool is_in_drought(const lk_group *g, int64_t at_ns)
{
    for (size_t i = 0; i < g->drought_count; i++)
        if (is_within(&g->droughts[i], at_ns))
            return true;
    return is_within(&g->drought, at_ns);
}

lk_code lk_count_comeback(struct lk_linker *l, lk_group *g, const lk_unit *from, int64_t at_ns,
                          lk_err *e)
{
    l->after_left += from->left;
    if (lk_status_is_hopeless(from->status))
        l->hopeless++;
    else if (from->status == 429 && from->asked_ns < 0 && is_in_drought(g, at_ns))
        l->hopeless++;
    return l->options.on_comeback
               ? l->options.on_comeback(l->options.ctx, at_ns, g->population, e)
               : LK_OK;
}

void lk_drought_follow(lk_group *g, const lk_attempt *a)
{
    lk_drought *d = &g->drought;

    if (a->status == 429 && a->retry_after_ns < 0) {
        if (d->from_ns == LK_TIME_NONE)
            *d = (lk_drought){ .from_ns = a->start_ns };
        d->to_ns = a->start_ns;
        d->rejected++;
        return;
    }
    if (d->from_ns == LK_TIME_NONE || (a->status >= 400 && a->retry_after_ns < 0))
        return; /* another error does not show that the quota is free */
    if (is_drought(d) && g->drought_count < LK_DROUGHTS_MAX)
        g->droughts[g->drought_count++] = *d;
    d->from_ns = LK_TIME_NONE;
}
