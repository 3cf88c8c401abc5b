#include "model/attempt.h"
#include "base/time.h"

#include <stdlib.h>

bool lk_status_is_hopeless(unsigned status)
{
    switch (status) {
    case 400:
    case 401:
    case 402:
    case 403:
    case 404:
    case 405:
    case 406:
    case 410:
    case 411:
    case 414:
    case 415:
    case 422:
    case 451:
    case 501:
    case 505: return true;
    default: return false;
    }
}

lk_code lk_symbols_init(lk_symbols *s, uint64_t seed, lk_err *e)
{
    return lk_symbols_init_within(s, LK_POPULATIONS_MAX, LK_TARGETS_MAX, seed, e);
}

static size_t lesser(size_t a, size_t b)
{
    return a < b ? a : b;
}

lk_code lk_symbols_init_within(lk_symbols *s, size_t populations_max, size_t targets_max,
                               uint64_t seed, lk_err *e)
{
    *s = (lk_symbols){ 0 };
    s->lately = calloc(2, sizeof(*s->lately));
    if (!s->lately)
        return lk_fail(e, LK_EOOM, "no memory for user agents and targets");
    LK_TRY(lk_intern_init(&s->populations, lesser(populations_max, LK_POPULATIONS_MAX), seed, e));
    return lk_intern_init(&s->targets, lesser(targets_max, LK_TARGETS_MAX), seed, e);
}

lk_code lk_symbols_keep_past(lk_symbols *s, lk_err *e)
{
    s->past = calloc(LK_PASTS, sizeof(*s->past));
    return s->past ? LK_OK : lk_fail(e, LK_EOOM, "no memory for user agents and targets");
}

void lk_symbols_release(lk_symbols *s)
{
    lk_intern_release(&s->populations);
    lk_intern_release(&s->targets);
    free(s->lately);
    free(s->past);
    s->lately = NULL;
    s->past = NULL;
}

lk_asked_form lk_attempt_asked_form(const lk_attempt *a)
{
    if (a->asked_form == LK_ASKED_NOTHING && a->retry_after_ns >= 0)
        return LK_ASKED_SECONDS;
    return (lk_asked_form)a->asked_form;
}

lk_obeyed lk_attempt_obeyed(int64_t pause_ns, int64_t asked_ns, bool fine_stamps)
{
    int64_t before = fine_stamps ? 20 * LK_NS_PER_MS : LK_NS_PER_S + LK_NS_PER_S / 100;
    int64_t late = asked_ns / 40, least = fine_stamps ? 50 * LK_NS_PER_MS : before;

    if (pause_ns < asked_ns - before)
        return LK_OBEYED_EARLY;
    return pause_ns > asked_ns + (late > least ? late : least) ? LK_OBEYED_LATER : LK_OBEYED_EXACTLY;
}
