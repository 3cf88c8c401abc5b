#include "format/json_values.h"

#include "base/time.h"
#include "format/value.h"

#include <string.h>

#define DURATION_MAX_NS (INT64_C(100000000) * LK_NS_PER_S) /* that of lk_value_seconds */

enum { MS_DIGITS = 13, WALL_MIN = sizeof("2026/11/30 03:29:41") - 1, WALL_MAX = WALL_MIN + 10 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ---- instants ---- */

bool lk_jsonl_stamp_is_zoneless(lk_slice text)
{
    return text.len >= WALL_MIN && text.p[4] == '/' && text.p[7] == '/' && text.p[10] == ' ';
}

/* By way of RFC 3339. */
static bool read_wall(lk_slice text, int64_t *at_ns, bool *fraction)
{
    char iso[WALL_MAX + 1];

    if (!lk_jsonl_stamp_is_zoneless(text) || text.len > WALL_MAX || !is_digit(text.p[text.len - 1]))
        return false;
    memcpy(iso, text.p, text.len);
    iso[4] = iso[7] = '-';
    iso[text.len] = 'Z';
    return lk_time_rfc3339((lk_slice){ iso, text.len + 1 }, at_ns, fraction);
}

/* "1796009361192.4794", milliseconds with a fraction. */
static bool read_epoch_ms(lk_slice text, int64_t *at_ns, bool *fraction)
{
    lk_slice whole = { text.p, MS_DIGITS };
    int64_t ms_part;

    if (text.len <= MS_DIGITS || text.p[MS_DIGITS] != '.' ||
        !lk_slice_nano(lk_slice_skip(text, MS_DIGITS - 1), &ms_part) ||
        !lk_value_epoch(whole, at_ns, fraction))
        return false;
    *at_ns += ms_part % LK_NS_PER_S / 1000; /* what is behind the point */
    return true;
}

bool lk_jsonl_stamp(lk_slice text, int64_t *at_ns, bool *fraction)
{
    return lk_time_rfc3339(text, at_ns, fraction) || lk_time_clf(text, at_ns, fraction) ||
           lk_value_epoch(text, at_ns, fraction) || read_wall(text, at_ns, fraction) ||
           read_epoch_ms(text, at_ns, fraction);
}

/* ---- durations ---- */

/* `nano` billionths of a unit. */
static bool scale(int64_t nano, int64_t unit_ns, int64_t *ns)
{
    if (nano < 0)
        return false;
    *ns = unit_ns == LK_NS_PER_S ? nano : nano / (LK_NS_PER_S / unit_ns);
    return *ns <= DURATION_MAX_NS;
}

static bool has_point(lk_slice text)
{
    return memchr(text.p, '.', text.len) || memchr(text.p, 'e', text.len) ||
           memchr(text.p, 'E', text.len);
}

static int64_t ns_of(lk_jsonl_unit unit, lk_slice text)
{
    int64_t seconds;

    switch (unit) {
    case LK_JSONL_FAMILY:
    case LK_JSONL_S: return LK_NS_PER_S;
    case LK_JSONL_MS: return LK_NS_PER_MS;
    case LK_JSONL_US: return 1000;
    case LK_JSONL_NS: return 1;
    case LK_JSONL_OWN: return 0;
    case LK_JSONL_S_OR_NS: return has_point(text) ? LK_NS_PER_S : 1;
    case LK_JSONL_S_OR_MS:
        return has_point(text) && lk_value_seconds(text, &seconds) && seconds < 1000 * LK_NS_PER_S
                   ? LK_NS_PER_S
                   : LK_NS_PER_MS;
    }
    return LK_NS_PER_S;
}

static bool read_whole(lk_slice text, int64_t unit_ns, int64_t *ns)
{
    uint64_t n;

    if (!lk_slice_u64(text, &n) || n > (uint64_t)(DURATION_MAX_NS / unit_ns))
        return false;
    *ns = (int64_t)n * unit_ns;
    return true;
}

bool lk_jsonl_duration(lk_slice text, lk_jsonl_unit unit, int64_t *ns)
{
    int64_t nano, unit_ns;

    if (text.len == 0)
        return false;
    unit_ns = ns_of(unit, text);
    if (unit_ns == 0)
        return lk_value_span(text, ns);
    if (unit_ns < LK_NS_PER_S && read_whole(text, unit_ns, ns))
        return true;
    if (lk_value_seconds(text, &nano))
        return scale(nano, unit_ns, ns);
    return lk_value_span(text, ns);
}
