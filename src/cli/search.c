#include "cli/search.h"

#include "base/quantity.h"

#include <math.h>
#include <string.h>

static lk_code take_alpha(const lk_search_texts *o, lockstep_options *out, lk_err *e)
{
    if (o->alpha && (!lk_quantity_number(lk_slice_from(o->alpha), &out->clock_alpha) ||
                     out->clock_alpha <= 0 || out->clock_alpha >= 1))
        return lk_fail(e, LK_EUSAGE, "--clock-alpha: '%s' is not a probability between 0 and 1",
                       o->alpha);
    return LK_OK;
}

/* "3:600", "20s:2h"; either may be left out. */
static lk_code take_range(const lk_search_texts *o, lockstep_options *out, lk_err *e)
{
    lk_slice low, high;
    const char *colon = o->range ? strchr(o->range, ':') : NULL;
    double min_s = 0, max_s = 0;

    if (!o->range)
        return LK_OK;
    low = (lk_slice){ o->range, colon ? (size_t)(colon - o->range) : 0 };
    high = lk_slice_from(colon ? colon + 1 : "");
    if (!colon || (low.len && !lk_quantity_seconds(low, &min_s)) ||
        (high.len && !lk_quantity_seconds(high, &max_s)) || !isfinite(min_s) ||
        (max_s > 0 && min_s >= max_s) || (high.len && max_s <= 0))
        return lk_fail(e, LK_EUSAGE, "--period-range: '%s' is not LOW:HIGH in seconds", o->range);
    out->period_min_s = min_s;
    out->period_max_s = isfinite(max_s) ? max_s : 0;
    return LK_OK;
}

lk_code lk_search_take(const lk_search_texts *texts, lockstep_options *out, lk_err *e)
{
    LK_TRY(take_alpha(texts, out, e));
    return take_range(texts, out, e);
}
