#include "format/outer.h"

#include "base/time.h"
#include "format/cache.h"
#include "format/fields.h"
#include "format/json_values.h"

static const int64_t QUARTER_NS = 900 * LK_NS_PER_S;
/* Lines are shipped within this time; zones lie within that. */
static const int64_t SHIPPED_NS = 300 * LK_NS_PER_S;
static const int64_t ZONE_MAX_NS = INT64_C(14) * 3600 * LK_NS_PER_S;

lk_outer lk_outer_read(const lk_outer_stamp *stamp, int64_t near_ns)
{
    lk_outer o = { .is_known = false };

    switch (stamp->kind) {
    case LK_OUTER_NONE: break;
    case LK_OUTER_TEXT:
        o.is_known = lk_jsonl_stamp(stamp->text, &o.at_ns, &o.fraction);
        o.zoneless = o.is_known && lk_jsonl_stamp_is_zoneless(stamp->text);
        break;
    case LK_OUTER_YEARLESS:
        o.zoneless = true;
        o.is_known = near_ns != LK_TIME_NONE &&
                     lk_time_yearless(stamp->text, near_ns, &o.at_ns, &o.fraction);
        break;
    }
    o.is_known = o.is_known && lk_stamp_is_plausible(o.at_ns);
    return o;
}

bool lk_outer_ahead(const lk_outer *outer, const lk_fields *f, int64_t *ahead_ns)
{
    int64_t end_ns = f->stamp_ns, apart_ns, rest_ns;

    if (!outer->is_known || outer->zoneless)
        return false;
    if (f->moment == LK_MOMENT_START && f->took_ns > 0)
        end_ns += f->took_ns;
    apart_ns = end_ns - outer->at_ns;
    if (apart_ns > ZONE_MAX_NS || apart_ns < -ZONE_MAX_NS)
        return false;
    rest_ns = (apart_ns + ZONE_MAX_NS) % QUARTER_NS; /* 14 h are whole quarters */
    if (rest_ns > QUARTER_NS / 2)
        rest_ns -= QUARTER_NS;
    *ahead_ns = apart_ns - rest_ns;
    return rest_ns <= SHIPPED_NS && rest_ns >= -SHIPPED_NS;
}
