#include "base/time.h"

/* Instants whose nanoseconds fit an int64, with room for a zone and a duration: until 2261. */
#define SECONDS_MAX INT64_C(9200000000)
#define SECONDS_PER_DAY INT64_C(86400)
#define MS_PER_DAY (SECONDS_PER_DAY * 1000)

/* clang-format off */
static const unsigned char DAYS_IN_MONTH[13] = { 0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
#define MONTH(a, b, c) ((uint32_t)(a) << 16 | (uint32_t)(b) << 8 | (uint32_t)(c))
static const uint32_t MONTHS[12] = {
    MONTH('J', 'a', 'n'), MONTH('F', 'e', 'b'), MONTH('M', 'a', 'r'), MONTH('A', 'p', 'r'),
    MONTH('M', 'a', 'y'), MONTH('J', 'u', 'n'), MONTH('J', 'u', 'l'), MONTH('A', 'u', 'g'),
    MONTH('S', 'e', 'p'), MONTH('O', 'c', 't'), MONTH('N', 'o', 'v'), MONTH('D', 'e', 'c'),
};
/* clang-format on */

typedef struct civil {
    unsigned year, month, day, hour, minute, second, nanos;
    int zone_s; /* east of UTC */
    bool fraction;
} civil;

/* Years begin in March, so that the leap day is the last of one; an era is 400 years. */
int64_t lk_days_from_civil(int year, unsigned month, unsigned day)
{
    int64_t y = (int64_t)year - (month <= 2);
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    unsigned year_of_era = (unsigned)(y - era * 400);
    unsigned day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    unsigned day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;

    return era * 146097 + (int64_t)day_of_era - 719468;
}

void lk_civil_from_days(int64_t days, unsigned *year, unsigned *month, unsigned *day)
{
    unsigned since_0000 = (unsigned)(days + 719468);
    unsigned era = since_0000 / 146097, day_of_era = since_0000 % 146097;
    unsigned year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    unsigned day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    unsigned shifted = (5 * day_of_year + 2) / 153; /* March = 0 */

    *day = day_of_year - (153 * shifted + 2) / 5 + 1;
    *month = shifted < 10 ? shifted + 3 : shifted - 9;
    *year = year_of_era + era * 400 + (*month <= 2);
}

static inline unsigned digit(char c)
{
    return (unsigned)(unsigned char)c - '0'; /* > 9 for anything else */
}

static inline bool two(const char *p, unsigned *out)
{
    unsigned a = digit(p[0]), b = digit(p[1]);

    *out = a * 10 + b;
    return a <= 9 && b <= 9;
}

static inline bool four(const char *p, unsigned *out)
{
    unsigned high, low;

    if (!two(p, &high) || !two(p + 2, &low))
        return false;
    *out = high * 100 + low;
    return true;
}

static bool is_leap(unsigned year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static bool date_is_valid(const civil *c)
{
    if (c->month < 1 || c->month > 12 || c->day < 1)
        return false;
    if (c->day <= DAYS_IN_MONTH[c->month])
        return true;
    return c->month == 2 && c->day == 29 && is_leap(c->year);
}

/* Checks the ranges and puts the parts together. */
static bool instant(const civil *c, int64_t *at_ns)
{
    int64_t seconds, nanos = c->nanos;

    if (!date_is_valid(c) || c->hour > 23 || c->minute > 59 || c->second > 60)
        return false;
    seconds = lk_days_from_civil((int)c->year, c->month, c->day) * SECONDS_PER_DAY +
              (int64_t)(c->hour * 3600 + c->minute * 60 + c->second) - c->zone_s;
    if (c->second == 60) {
        seconds--;
        nanos = LK_NS_PER_S - 1;
    }
    if (seconds < -SECONDS_MAX || seconds > SECONDS_MAX)
        return false;
    *at_ns = seconds * LK_NS_PER_S + nanos;
    return true;
}

/* "hh:mm:ss" and an optional ".digits" (past the ninth cut) at s->p; moves *s past them. */
static bool take_clock(lk_slice *s, civil *c)
{
    const char *p = s->p, *end = s->p + s->len;
    unsigned unit = 1000000000;

    if (s->len < 8 || !(two(p, &c->hour) && p[2] == ':' && two(p + 3, &c->minute) && p[5] == ':' &&
                        two(p + 6, &c->second)))
        return false;
    p += 8;
    if (p < end && *p == '.') {
        for (p++; p < end && digit(*p) <= 9; p++) {
            unit /= 10;
            c->nanos += unit * digit(*p);
            c->fraction = true;
        }
        if (!c->fraction)
            return false;
    }
    *s = (lk_slice){ p, (size_t)(end - p) };
    return true;
}

/* "+hhmm" or "+hh:mm", which must be all of s. */
static bool take_zone(lk_slice s, civil *c)
{
    unsigned hours, minutes;
    size_t at = s.len == 6 ? 4 : 3;

    if (s.len != 5 && !(s.len == 6 && s.p[3] == ':'))
        return false;
    if (s.p[0] != '+' && s.p[0] != '-')
        return false;
    if (!two(s.p + 1, &hours) || !two(s.p + at, &minutes) || hours > 23 || minutes > 59)
        return false;
    c->zone_s = (int)(hours * 3600 + minutes * 60);
    if (s.p[0] == '-')
        c->zone_s = -c->zone_s;
    return true;
}

static bool finish(const civil *c, int64_t *at_ns, bool *fraction)
{
    if (!instant(c, at_ns))
        return false;
    if (fraction)
        *fraction = c->fraction;
    return true;
}

static bool is_utc_letter(lk_slice s)
{
    return s.len == 1 && (s.p[0] == 'Z' || s.p[0] == 'z');
}

bool lk_time_rfc3339(lk_slice s, int64_t *at_ns, bool *fraction)
{
    civil c = { 0 };
    const char *p = s.p;

    if (s.len < sizeof("2026-11-30T03:25:00Z") - 1)
        return false;
    if (!four(p, &c.year) || p[4] != '-' || !two(p + 5, &c.month) || p[7] != '-' ||
        !two(p + 8, &c.day) || (p[10] != 'T' && p[10] != 't' && p[10] != ' '))
        return false;
    s = lk_slice_skip(s, 11);
    if (!take_clock(&s, &c) || !(is_utc_letter(s) || take_zone(s, &c)))
        return false;
    return finish(&c, at_ns, fraction);
}

static unsigned month_of(const char *p)
{
    uint32_t name = MONTH((unsigned char)p[0], (unsigned char)p[1], (unsigned char)p[2]);

    for (unsigned i = 0; i < 12; i++)
        if (MONTHS[i] == name)
            return i + 1;
    return 0;
}

bool lk_time_clf(lk_slice s, int64_t *at_ns, bool *fraction)
{
    civil c = { 0 };
    const char *p = s.p;

    if (s.len < sizeof("15/Jul/2025:12:00:00 +0545") - 1)
        return false;
    if (!two(p, &c.day) || p[2] != '/' || p[6] != '/' || !four(p + 7, &c.year) || p[11] != ':')
        return false;
    c.month = month_of(p + 3);
    s = lk_slice_skip(s, 12);
    if (!take_clock(&s, &c) || s.len != 6 || s.p[0] != ' ' || !take_zone(lk_slice_skip(s, 1), &c))
        return false;
    return finish(&c, at_ns, fraction);
}

static uint64_t distance(int64_t a, int64_t b)
{
    return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

/* The better of two instants by their distance from `near`; LK_TIME_NONE is none. */
static int64_t nearer(int64_t a, int64_t b, int64_t near_ns)
{
    return a == LK_TIME_NONE || distance(b, near_ns) < distance(a, near_ns) ? b : a;
}

/* Tries the years around: 8 lie between the leap days on both sides of 1900 and its like. */
static bool finish_near(civil *c, int64_t near_ns, int64_t *at_ns)
{
    int64_t best = LK_TIME_NONE, at;
    unsigned year, month, day;

    lk_civil_from_days(near_ns / (SECONDS_PER_DAY * LK_NS_PER_S), &year, &month, &day);
    for (c->year = year - 8; c->year <= year + 8; c->year++)
        if (instant(c, &at))
            best = nearer(best, at, near_ns);
    if (best == LK_TIME_NONE)
        return false;
    *at_ns = best;
    return true;
}

bool lk_time_yearless(lk_slice s, int64_t near_ns, int64_t *at_ns, bool *fraction)
{
    civil c = { 0 };
    const char *p = s.p;
    char padded[2];

    if (s.len < sizeof("Nov 30 03:25:00") - 1 || p[3] != ' ' || p[6] != ' ')
        return false;
    padded[0] = p[4] == ' ' ? '0' : p[4];
    padded[1] = p[5];
    c.month = month_of(p);
    s = lk_slice_skip(s, 7);
    if (!two(padded, &c.day) || !take_clock(&s, &c) || s.len > 0 ||
        !finish_near(&c, near_ns, at_ns))
        return false;
    if (fraction)
        *fraction = c.fraction;
    return true;
}

/* "hh:mm:ss" without a fraction. */
static bool take_plain_clock(lk_slice *s, civil *c)
{
    return take_clock(s, c) && !c->fraction;
}

/* "06 Nov 1994 08:49:37 GMT" or "06-Nov-94 08:49:37 GMT" behind the name of the day. */
static bool read_http_date(lk_slice s, civil *c)
{
    bool is_short = s.len > 2 && s.p[2] == '-';
    size_t clock_at = is_short ? 10 : 12;

    if (s.len != clock_at + sizeof("08:49:37 GMT") - 1 || s.p[6] != s.p[2] ||
        (!is_short && s.p[2] != ' ') || s.p[clock_at - 1] != ' ' || !two(s.p, &c->day))
        return false;
    c->month = month_of(s.p + 3);
    if (!(is_short ? two(s.p + 7, &c->year) : four(s.p + 7, &c->year)))
        return false;
    if (is_short)
        c->year += c->year < 70 ? 2000 : 1900;
    s = lk_slice_skip(s, clock_at);
    return take_plain_clock(&s, c) && lk_slice_is(s, " GMT");
}

/* "Nov  6 08:49:37 1994" behind the name of the day. */
static bool read_asctime(lk_slice s, civil *c)
{
    char day[2];

    if (s.len != sizeof("Nov  6 08:49:37 1994") - 1 || s.p[3] != ' ' || s.p[6] != ' ')
        return false;
    day[0] = s.p[4] == ' ' ? '0' : s.p[4];
    day[1] = s.p[5];
    c->month = month_of(s.p);
    s = lk_slice_skip(s, 7);
    return two(day, &c->day) && take_plain_clock(&s, c) && s.len == 5 && s.p[0] == ' ' &&
           four(s.p + 1, &c->year);
}

bool lk_time_http(lk_slice s, int64_t *at_ns)
{
    civil c = { 0 };
    size_t name = 0;

    while (name < s.len && s.p[name] != ' ' && s.p[name] != ',')
        name++;
    if (name < 3 || name > 9 || name + 2 > s.len) /* "Sun" .. "Wednesday" */
        return false;
    if (s.p[name] == ',')
        return s.p[name + 1] == ' ' && read_http_date(lk_slice_skip(s, name + 2), &c) &&
               finish(&c, at_ns, NULL);
    return name == 3 && read_asctime(lk_slice_skip(s, 4), &c) && finish(&c, at_ns, NULL);
}

bool lk_time_epoch(lk_slice s, int64_t *at_ns, bool *fraction)
{
    bool point = false;

    if (!lk_slice_nano(s, at_ns))
        return false;
    for (size_t i = 0; i < s.len; i++)
        point |= s.p[i] == '.';
    if (fraction)
        *fraction = point;
    return true;
}

/* The last `width` decimal digits of value, and what follows them; returns what comes next. */
static char *put(char *out, unsigned value, size_t width, char then)
{
    for (size_t i = width; i-- > 0; value /= 10)
        out[i] = (char)('0' + value % 10);
    out[width] = then;
    return out + width + 1;
}

void lk_time_format(int64_t at_ns, char *out)
{
    int64_t ms = lk_floor_div(at_ns, LK_NS_PER_MS);
    int64_t days = lk_floor_div(ms, MS_PER_DAY);
    unsigned rest = (unsigned)(ms - days * MS_PER_DAY), year, month, day;

    lk_civil_from_days(days, &year, &month, &day);
    out = put(out, year, 4, '-');
    out = put(out, month, 2, '-');
    out = put(out, day, 2, 'T');
    out = put(out, rest / 3600000, 2, ':');
    out = put(out, rest / 60000 % 60, 2, ':');
    out = put(out, rest / 1000 % 60, 2, '.');
    out = put(out, rest % 1000, 3, 'Z');
    *out = '\0';
}

static bool two_digits(const char *p, int64_t *out)
{
    if (p[0] < '0' || p[0] > '9' || p[1] < '0' || p[1] > '9')
        return false;
    *out = (p[0] - '0') * 10 + (p[1] - '0');
    return true;
}

bool lk_time_zone(lk_slice s, int64_t *ahead_ns)
{
    int64_t hours, minutes;
    size_t colon = s.len == 6 && s.p[3] == ':';

    if (lk_slice_is(s, "UTC") || lk_slice_is(s, "Z")) {
        *ahead_ns = 0;
        return true;
    }
    if (s.len != 5 + colon || (s.p[0] != '+' && s.p[0] != '-'))
        return false;
    if (!two_digits(s.p + 1, &hours) || !two_digits(s.p + 3 + colon, &minutes) || hours > 23 ||
        minutes > 59)
        return false;
    *ahead_ns = (hours * 60 + minutes) * 60 * LK_NS_PER_S * (s.p[0] == '-' ? -1 : 1);
    return true;
}
