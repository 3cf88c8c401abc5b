#include "base/zone_rule.h"

#include "base/time.h"

enum { DAY_S = 86400, HOUR_S = 3600, ZONE_HOURS_MAX = 24, RULE_HOURS_MAX = 167, YEARS = 3 };

/* ---- reading ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool take(lk_slice *s, char c)
{
    if (s->len == 0 || s->p[0] != c)
        return false;
    *s = lk_slice_skip(*s, 1);
    return true;
}

/* A number from low to high. */
static bool take_number(lk_slice *s, int low, int high, int *out)
{
    int value = 0;
    size_t n = 0;

    for (; n < s->len && n < 3 && is_digit(s->p[n]); n++)
        value = value * 10 + (s->p[n] - '0');
    if (n == 0 || value < low || value > high)
        return false;
    *s = lk_slice_skip(*s, n);
    *out = value;
    return true;
}

/* "CET" or "<+0330>", of three letters or more. */
static bool take_name(lk_slice *s)
{
    size_t n = 0, first = 0;

    if (take(s, '<')) {
        while (n < s->len && (is_letter(s->p[n]) || is_digit(s->p[n]) || s->p[n] == '+' ||
                              s->p[n] == '-'))
            n++;
        *s = lk_slice_skip(*s, n);
        return n >= 3 && take(s, '>');
    }
    while (first + n < s->len && is_letter(s->p[n]))
        n++;
    *s = lk_slice_skip(*s, n);
    return n >= 3;
}

/* [+-]hh[:mm[:ss]] */
static bool take_offset(lk_slice *s, int hours_max, int32_t *out)
{
    int hours, minutes = 0, seconds = 0, sign = 1;

    if (take(s, '-'))
        sign = -1;
    else
        (void)take(s, '+');
    if (!take_number(s, 0, hours_max, &hours) ||
        (take(s, ':') &&
         (!take_number(s, 0, 59, &minutes) || (take(s, ':') && !take_number(s, 0, 59, &seconds)))))
        return false;
    *out = sign * (hours * HOUR_S + minutes * 60 + seconds);
    return true;
}

static bool take_day(lk_slice *s, lk_zone_date *out)
{
    if (take(s, 'M')) {
        out->kind = LK_ZONE_DAY_OF_WEEK;
        return take_number(s, 1, 12, &out->month) && take(s, '.') &&
               take_number(s, 1, 5, &out->week) && take(s, '.') && take_number(s, 0, 6, &out->day);
    }
    if (take(s, 'J')) {
        out->kind = LK_ZONE_DAY_NOT_LEAP;
        return take_number(s, 1, 365, &out->day);
    }
    out->kind = LK_ZONE_DAY_OF_YEAR;
    return take_number(s, 0, 365, &out->day);
}

/* ",M3.5.0/2" */
static bool take_date(lk_slice *s, lk_zone_date *out)
{
    *out = (lk_zone_date){ .at_s = 2 * HOUR_S };
    return take(s, ',') && take_day(s, out) &&
           (!take(s, '/') || take_offset(s, RULE_HOURS_MAX, &out->at_s));
}

bool lk_zone_rule_parse(lk_slice text, lk_zone_rule *out)
{
    static const char UNITED_STATES[] = ",M3.2.0,M11.1.0";
    lk_zone_rule r = { 0 };
    lk_slice s = text;

    if (!take_name(&s) || !take_offset(&s, ZONE_HOURS_MAX, &r.ahead_s))
        return false;
    r.ahead_s = -r.ahead_s; /* POSIX counts them west of Greenwich */
    if (s.len > 0) {
        r.has_summer = true;
        r.summer_ahead_s = r.ahead_s + HOUR_S;
        if (!take_name(&s))
            return false;
        if (s.len > 0 && s.p[0] != ',') {
            if (!take_offset(&s, ZONE_HOURS_MAX, &r.summer_ahead_s))
                return false;
            r.summer_ahead_s = -r.summer_ahead_s;
        }
        if (s.len == 0)
            s = (lk_slice){ UNITED_STATES, sizeof(UNITED_STATES) - 1 };
        if (!take_date(&s, &r.begin) || !take_date(&s, &r.end) || s.len > 0)
            return false;
    }
    *out = r;
    return true;
}

/* ---- when ---- */

static int64_t day_of_week_date(const lk_zone_date *d, int year)
{
    int64_t first = lk_days_from_civil(year, (unsigned)d->month, 1), day, next;

    next = d->month == 12 ? lk_days_from_civil(year + 1, 1, 1)
                          : lk_days_from_civil(year, (unsigned)d->month + 1, 1);
    /* 1970-01-01 was a Thursday */
    day = first + ((d->day - (first + 4)) % 7 + 7) % 7 + 7 * (d->week - 1);
    return day < next ? day : day - 7;
}

/* Local seconds since the epoch. */
static int64_t local_of(const lk_zone_date *d, int year)
{
    int64_t first = lk_days_from_civil(year, 1, 1);
    bool leap = lk_days_from_civil(year, 3, 1) - first == 60;
    int64_t day = first;

    switch (d->kind) {
    case LK_ZONE_DAY_OF_YEAR: day += d->day; break;
    case LK_ZONE_DAY_NOT_LEAP: day += d->day - 1 + (leap && d->day > 59); break;
    case LK_ZONE_DAY_OF_WEEK: day = day_of_week_date(d, year); break;
    }
    return day * DAY_S + d->at_s;
}

/* Each change of the years around at_s narrows the span from one side. */
static void narrow(lk_zone_span *span, int64_t at_s, int64_t change_s, int32_t before_s,
                   int32_t after_s)
{
    if (change_s <= at_s && change_s >= span->from_s) {
        span->from_s = change_s;
        span->ahead_s = after_s;
    } else if (change_s > at_s && change_s < span->until_s) {
        span->until_s = change_s;
        if (span->from_s == INT64_MIN)
            span->ahead_s = before_s;
    }
}

lk_zone_span lk_zone_rule_span(const lk_zone_rule *r, int64_t at_s)
{
    lk_zone_span span = { INT64_MIN, INT64_MAX, r->ahead_s };
    unsigned year, month, day;

    if (!r->has_summer)
        return span;
    lk_civil_from_days(at_s / DAY_S - (at_s % DAY_S < 0), &year, &month, &day);
    for (int y = (int)year - 1; y <= (int)year + 1; y++) {
        int64_t begin_s = local_of(&r->begin, y) - r->ahead_s;
        int64_t end_s = local_of(&r->end, y) - r->summer_ahead_s;

        if (begin_s <= end_s)
            narrow(&span, at_s, begin_s, r->ahead_s, r->summer_ahead_s);
        narrow(&span, at_s, end_s, r->summer_ahead_s, r->ahead_s);
        if (begin_s > end_s)
            narrow(&span, at_s, begin_s, r->ahead_s, r->summer_ahead_s);
    }
    return span;
}
