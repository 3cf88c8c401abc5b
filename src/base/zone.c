#include "base/zone.h"

#include "base/time.h"

#include <string.h>

enum { HEADER = 44, COUNTS = 20, TYPE = 6, CHANGES_MAX = 20000, AHEAD_MAX_S = 93599, REACH_S = 93600 };

void lk_zone_fixed(lk_zone *z, int64_t ahead_ns)
{
    *z = (lk_zone){ .first_ahead_s = (int32_t)(ahead_ns / LK_NS_PER_S) };
}

/* ---- TZif ---- */

typedef struct tzif_block {
    uint32_t ut, std, leaps, changes, types, chars;
    size_t size; /* of the data */
} tzif_block;

static uint64_t big_endian(const char *p, size_t len)
{
    uint64_t v = 0;

    for (size_t i = 0; i < len; i++)
        v = v << 8 | (unsigned char)p[i];
    return v;
}

static bool take_header(lk_slice *s, size_t time_size, tzif_block *out)
{
    uint32_t n[6];

    if (s->len < HEADER || memcmp(s->p, "TZif", 4) != 0)
        return false;
    for (size_t i = 0; i < 6; i++) {
        n[i] = (uint32_t)big_endian(s->p + COUNTS + 4 * i, 4);
        if (n[i] > CHANGES_MAX)
            return false;
    }
    *out = (tzif_block){ n[0], n[1], n[2], n[3], n[4], n[5], 0 };
    out->size = n[3] * (time_size + 1) + n[4] * TYPE + n[5] + n[2] * (time_size + 4) + n[1] + n[0];
    *s = lk_slice_skip(*s, HEADER);
    return s->len >= out->size && out->types > 0;
}

static bool type_ahead(const char *types, const tzif_block *b, size_t type, int32_t *out)
{
    int64_t ahead;

    if (type >= b->types)
        return false;
    ahead = (int32_t)(uint32_t)big_endian(types + type * TYPE, 4);
    if (ahead < -AHEAD_MAX_S || ahead > AHEAD_MAX_S)
        return false;
    *out = (int32_t)ahead;
    return true;
}

static bool read_changes(const char *data, const tzif_block *b, size_t time_size, int64_t *change_s,
                         int32_t *ahead_s)
{
    const char *indexes = data + b->changes * time_size, *types = indexes + b->changes;

    for (size_t i = 0; i < b->changes; i++) {
        uint64_t raw = big_endian(data + i * time_size, time_size);

        change_s[i] = time_size == 8 ? (int64_t)raw : (int32_t)(uint32_t)raw;
        if ((i > 0 && change_s[i] <= change_s[i - 1]) ||
            !type_ahead(types, b, (unsigned char)indexes[i], &ahead_s[i]))
            return false;
    }
    return true;
}

/* "\nCET-1CEST,M3.5.0,M10.5.0/3\n"; an empty one says that there is no rule. */
static bool read_footer(lk_slice s, lk_zone *z)
{
    const char *end = s.len > 1 ? memchr(s.p + 1, '\n', s.len - 1) : NULL;

    if (!end || s.p[0] != '\n')
        return false;
    s = (lk_slice){ s.p + 1, (size_t)(end - s.p) - 1 };
    z->has_rule = s.len > 0;
    return s.len == 0 || lk_zone_rule_parse(s, &z->rule);
}

lk_code lk_zone_from_tzif(lk_slice bytes, lk_arena *a, lk_zone *out, lk_err *e)
{
    bool wide = bytes.len > 4 && bytes.p[4] >= '2';
    size_t time_size = wide ? 8 : 4;
    lk_zone z = { 0 };
    tzif_block b;
    int64_t *change_s;
    int32_t *ahead_s;

    if (!take_header(&bytes, 4, &b))
        return lk_fail(e, LK_EDATA, "no time zone file");
    if (wide) { /* the same again, with times of 8 bytes */
        bytes = lk_slice_skip(bytes, b.size);
        if (!take_header(&bytes, 8, &b))
            return lk_fail(e, LK_EDATA, "a time zone file that ends early");
    }
    if (b.leaps > 0)
        return lk_fail(e, LK_EDATA, "a time zone file that counts leap seconds");
    change_s = LK_NEW(a, int64_t, b.changes + 1);
    ahead_s = LK_NEW(a, int32_t, b.changes + 1);
    if (!change_s || !ahead_s)
        return lk_fail(e, LK_EOOM, "no memory for a time zone");
    if (!read_changes(bytes.p, &b, time_size, change_s, ahead_s) ||
        !type_ahead(bytes.p + b.changes * (time_size + 1), &b, 0, &z.first_ahead_s) ||
        (wide && !read_footer(lk_slice_skip(bytes, b.size), &z)))
        return lk_fail(e, LK_EDATA, "a damaged time zone file");
    z.count = b.changes;
    z.change_s = change_s;
    z.ahead_s = ahead_s;
    *out = z;
    return LK_OK;
}

/* ---- offsets ---- */

/* How many changes are not after at_s. */
static size_t changes_until(const lk_zone *z, int64_t at_s)
{
    size_t low = 0, high = z->count;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (z->change_s[mid] <= at_s)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static lk_zone_span span_at(const lk_zone *z, int64_t at_s)
{
    size_t n = changes_until(z, at_s);
    lk_zone_span span = { INT64_MIN, INT64_MAX, z->first_ahead_s };

    if (n == z->count && z->has_rule)
        span = lk_zone_rule_span(&z->rule, at_s);
    else if (n > 0)
        span.ahead_s = z->ahead_s[n - 1];
    if (n > 0 && span.from_s < z->change_s[n - 1])
        span.from_s = z->change_s[n - 1];
    if (n < z->count)
        span.until_s = z->change_s[n];
    return span;
}

static int64_t floor_seconds(int64_t ns)
{
    return ns / LK_NS_PER_S - (ns % LK_NS_PER_S < 0);
}

/* The local times that only this span shows: not those near its ends. */
static void set_safe(const lk_zone_span *span, lk_zone_local *out)
{
    const int64_t far_s = INT64_C(9200000000);
    int64_t from_s = span->from_s < -far_s ? -far_s : span->from_s + 2 * REACH_S;
    int64_t until_s = span->until_s > far_s ? far_s : span->until_s - 2 * REACH_S;

    out->from_ns = (from_s + span->ahead_s) * LK_NS_PER_S;
    out->until_ns = (until_s + span->ahead_s) * LK_NS_PER_S;
}

/* Offsets are below 26 h, so that all spans within 26 h can show the time. */
lk_zone_local lk_zone_local_of(const lk_zone *z, int64_t local_ns)
{
    lk_zone_local out = { 0 };
    int64_t local_s = floor_seconds(local_ns), rest_ns = local_ns - local_s * LK_NS_PER_S;
    int64_t never_s = local_s - z->first_ahead_s, at_s = local_s - REACH_S;
    lk_zone_span span;

    do {
        span = span_at(z, at_s);
        at_s = local_s - span.ahead_s;
        if (at_s >= span.from_s && at_s < span.until_s) {
            if (out.count == 0)
                set_safe(&span, &out);
            out.at_ns[out.count++ > 0] = at_s * LK_NS_PER_S + rest_ns;
        } else if (at_s >= span.until_s) {
            never_s = at_s;
        }
        at_s = span.until_s;
    } while (at_s <= local_s + REACH_S);
    if (out.count > 2)
        out.count = 2;
    if (out.count == 0)
        out.at_ns[0] = never_s * LK_NS_PER_S + rest_ns;
    if (out.count < 2)
        out.at_ns[1] = out.at_ns[0];
    return out;
}

/* ---- the times of a log ---- */

void lk_wall_clock_init(lk_wall_clock *c, const lk_zone *zone)
{
    *c = (lk_wall_clock){ .zone = zone, .latest_ns = LK_TIME_NONE };
}

/* In the repeat the clock is not set back any more, and goes on to hours that came once. */
void lk_wall_clock_foresee(lk_wall_clock *c, int64_t first_ns, int64_t top_ns, bool stepped)
{
    bool leaves = lk_zone_local_of(c->zone, top_ns).count != 2;

    if (lk_zone_local_of(c->zone, first_ns).count != 2)
        return;
    c->told = leaves || stepped;
    c->second = leaves;
}

static uint64_t distance(int64_t a, int64_t b)
{
    return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

static int64_t which(lk_wall_clock *c, const lk_zone_local *l)
{
    c->repeated++;
    if (c->latest_ns != LK_TIME_NONE)
        return l->at_ns[distance(l->at_ns[1], c->latest_ns) < distance(l->at_ns[0], c->latest_ns)];
    c->guessed |= !c->told;
    return l->at_ns[c->second];
}

static int64_t read_slowly(lk_wall_clock *c, int64_t local_ns)
{
    lk_zone_local l = lk_zone_local_of(c->zone, local_ns);

    if (l.count == 2)
        return which(c, &l);
    if (l.count == 0) {
        c->skipped++;
        return l.at_ns[0];
    }
    c->from_ns = l.from_ns;
    c->until_ns = l.until_ns;
    c->ahead_ns = local_ns - l.at_ns[0];
    return l.at_ns[0];
}

int64_t lk_wall_clock_read(lk_wall_clock *c, int64_t local_ns)
{
    int64_t at_ns = local_ns >= c->from_ns && local_ns < c->until_ns ? local_ns - c->ahead_ns
                                                                     : read_slowly(c, local_ns);

    if (c->latest_ns == LK_TIME_NONE || at_ns > c->latest_ns)
        c->latest_ns = at_ns;
    return at_ns;
}
