#include "format/aws_balancer.h"

#include "base/time.h"
#include "format/aws_columns.h"
#include "format/cache.h"
#include "format/request.h"
#include "format/value.h"

#include <string.h>

enum column {
    STAMP,
    NAME,
    CLIENT,
    TARGET,
    TIMER,
    STATUS = TIMER + LK_BALANCER_TIMERS,
    TARGET_STATUS,
    RECEIVED,
    SENT,
    COLUMNS
};

static bool reject(lk_reject *why, lk_reject reason)
{
    *why = reason;
    return false;
}

static bool is_number(lk_slice v)
{
    uint64_t value;

    return lk_slice_u64(v, &value);
}

static bool is_peer(lk_slice v)
{
    return v.len > 0 && lk_aws_peer(v).len < v.len;
}

/* Is the value possible where it stands?  Stamp and status are looked at when all else is right. */
static bool fits(size_t column, lk_slice v)
{
    int64_t ns;

    if (column == CLIENT)
        return is_peer(v);
    if (column == TARGET)
        return lk_value_is_absent(v) || is_peer(v);
    if (column >= TIMER && column < STATUS)
        return lk_value_is_absent(v) || lk_slice_nano(v, &ns);
    if (column == RECEIVED || column == SENT)
        return lk_value_is_absent(v) || is_number(v);
    return true;
}

/* The bare columns and the request; *rest moves behind it.  What comes before the client's port
 * could be any line. */
static lk_reject split(lk_slice *rest, lk_slice columns[COLUMNS], lk_slice *request)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        if (!lk_aws_column(rest, &columns[i]))
            return i > CLIENT ? LK_REJECT_CUT : LK_REJECT_UNRECOGNISED;
        if (!fits(i, columns[i]))
            return i > CLIENT && rest->len == 0 ? LK_REJECT_CUT : LK_REJECT_UNRECOGNISED;
    }
    if (!lk_aws_column(rest, request))
        return LK_REJECT_CUT;
    return request->p[-1] == '"' ? LK_REJECT_NONE : LK_REJECT_UNRECOGNISED;
}

static int64_t sum_of(const lk_slice timers[LK_BALANCER_TIMERS])
{
    int64_t sum = 0, ns;

    for (size_t i = 0; i < LK_BALANCER_TIMERS; i++) {
        if (!lk_value_seconds(timers[i], &ns))
            return -1;
        sum += ns;
    }
    return sum;
}

bool lk_balancer_read(lk_slice from_stamp, lk_balancer *b, lk_fields *out, lk_reject *why)
{
    lk_slice columns[COLUMNS], request, agent;
    lk_reject reason;

    lk_fields_init(out);
    b->rest = from_stamp;
    reason = split(&b->rest, columns, &request);
    if (reason != LK_REJECT_NONE)
        return reject(why, reason);
    if (!lk_time_rfc3339(columns[STAMP], &out->stamp_ns, &out->fraction) ||
        !lk_stamp_is_plausible(out->stamp_ns))
        return reject(why, LK_REJECT_TIMESTAMP);
    if (!lk_aws_status(columns[STATUS], &out->status))
        return reject(why, LK_REJECT_STATUS);
    b->timed_ns = sum_of(columns + TIMER);
    out->caller = lk_aws_peer(columns[CLIENT]);
    if (lk_request_read(request, out))
        out->host = lk_aws_url_host(request);
    if (lk_aws_column(&b->rest, &agent) && !lk_value_is_absent(agent))
        out->agent = agent;
    return true;
}
