/* Times in pieces: strftime forms, seconds and fractions of several fields of one line. */
#include "base/time.h"
#include "format/custom_part.h"

#include <string.h>

/* A cursor over the line. */
typedef struct scan {
    const char *p, *end;
} scan;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* `least` to `most` digits; where fewer will do a blank stands for a zero in front (%e, %k). */
static bool take_number(scan *s, size_t least, size_t most, unsigned *out)
{
    size_t width = 0, digits = 0;

    *out = 0;
    if (least < most && s->p < s->end && *s->p == ' ') {
        s->p++;
        width++;
    }
    for (; width < most && s->p < s->end && is_digit(*s->p); width++, digits++)
        *out = *out * 10 + (unsigned)(*s->p++ - '0');
    return digits > 0 && width >= least;
}

static void skip_letters(scan *s)
{
    while (s->p < s->end && is_letter(*s->p))
        s->p++;
}

/* The English name of a month, short or long. */
static bool take_month(scan *s, unsigned *month)
{
    static const char NAMES[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

    if (s->end - s->p < 3)
        return false;
    for (unsigned i = 0; i < 12; i++) {
        if (memcmp(s->p, NAMES + (size_t)i * 3, 3) == 0) {
            *month = i + 1;
            skip_letters(s);
            return true;
        }
    }
    return false;
}

static bool take_zone(scan *s, lk_custom_time *t)
{
    unsigned hours, minutes;
    char sign;

    if (s->p < s->end && *s->p == 'Z') {
        s->p++;
        t->has_zone = true;
        t->zone_s = 0;
        return true;
    }
    if (s->p == s->end || (*s->p != '+' && *s->p != '-'))
        return false;
    sign = *s->p++;
    if (!take_number(s, 2, 2, &hours))
        return false;
    if (s->p < s->end && *s->p == ':')
        s->p++;
    if (!take_number(s, 2, 2, &minutes) || hours > 23 || minutes > 59)
        return false;
    t->zone_s = (int)(hours * 3600 + minutes * 60) * (sign == '-' ? -1 : 1);
    t->has_zone = true;
    return true;
}

static bool take_half_day(scan *s, lk_custom_time *t)
{
    if (s->end - s->p < 2 || (s->p[1] | 0x20) != 'm')
        return false;
    t->is_half_day = true;
    t->is_pm = (s->p[0] | 0x20) == 'p';
    s->p += 2;
    return t->is_pm || (s->p[-2] | 0x20) == 'a';
}

static bool take_epoch(scan *s, lk_custom_time *t)
{
    const char *first = s->p;
    uint64_t seconds;

    while (s->p < s->end && is_digit(*s->p))
        s->p++;
    if (!lk_slice_u64((lk_slice){ first, (size_t)(s->p - first) }, &seconds) ||
        seconds > (uint64_t)(INT64_MAX / LK_NS_PER_S))
        return false;
    lk_custom_time_set(t, (int64_t)seconds * LK_NS_PER_S, 1);
    return true;
}

/* ---- conversions ---- */

/* clang-format off */
static const struct { char c; const char *form; } COMPOUNDS[] = {
    { 'T', "%H:%M:%S" }, { 'R', "%H:%M" }, { 'F', "%Y-%m-%d" }, { 'D', "%m/%d/%y" },
    { 'r', "%I:%M:%S %p" }, { 'X', "%H:%M:%S" }, { 'x', "%m/%d/%y" },
    { 'c', "%a %b %e %H:%M:%S %Y" }, /* of the C locale, which httpd keeps */
};
static const struct { char c; unsigned parts; } CONVERSIONS[] = {
    { 'Y', LK_CUSTOM_PART_YEAR },   { 'y', LK_CUSTOM_PART_YEAR },  { 'm', LK_CUSTOM_PART_MONTH },
    { 'b', LK_CUSTOM_PART_MONTH },  { 'B', LK_CUSTOM_PART_MONTH }, { 'h', LK_CUSTOM_PART_MONTH },
    { 'd', LK_CUSTOM_PART_DAY },    { 'e', LK_CUSTOM_PART_DAY },   { 'H', LK_CUSTOM_PART_HOUR },
    { 'I', LK_CUSTOM_PART_HOUR },   { 'k', LK_CUSTOM_PART_HOUR },  { 'l', LK_CUSTOM_PART_HOUR },
    { 'M', LK_CUSTOM_PART_MINUTE }, { 'S', LK_CUSTOM_PART_SECOND }, { 's', LK_CUSTOM_PART_ALL },
    { 'z', 0 }, { 'Z', 0 }, { 'p', 0 }, { 'P', 0 }, { 'a', 0 }, { 'A', 0 },
    { 'n', 0 }, { 't', 0 }, { '%', 0 },
};
/* clang-format on */

static const char *compound_of(char c)
{
    for (size_t i = 0; i < sizeof(COMPOUNDS) / sizeof(COMPOUNDS[0]); i++)
        if (COMPOUNDS[i].c == c)
            return COMPOUNDS[i].form;
    return NULL;
}

static bool parts_of(char c, unsigned *parts)
{
    for (size_t i = 0; i < sizeof(CONVERSIONS) / sizeof(CONVERSIONS[0]); i++) {
        if (CONVERSIONS[i].c == c) {
            *parts |= CONVERSIONS[i].parts;
            return true;
        }
    }
    return false;
}

bool lk_custom_form_parts(lk_slice form, unsigned *parts, const char **at)
{
    for (size_t i = 0; i < form.len; i++) {
        const char *compound;

        if (form.p[i] != '%')
            continue;
        *at = form.p + i;
        if (++i == form.len)
            return false;
        compound = compound_of(form.p[i]);
        for (; compound && *compound; compound++)
            (void)parts_of(*compound, parts);
        if (!compound && !parts_of(form.p[i], parts))
            return false;
    }
    return true;
}

static bool take_year(scan *s, lk_custom_time *t)
{
    if (!take_number(s, 2, 2, &t->year))
        return false;
    t->year += t->year < 69 ? 2000 : 1900; /* as POSIX has it */
    return true;
}

static bool take_mark(scan *s, char mark)
{
    if (s->p == s->end || *s->p != mark)
        return false;
    s->p++;
    return true;
}

static bool take_conversion(char c, scan *s, lk_custom_time *t)
{
    switch (c) {
    case 'Y': return take_number(s, 4, 4, &t->year);
    case 'y': return take_year(s, t);
    case 'm': return take_number(s, 2, 2, &t->month);
    case 'b':
    case 'B':
    case 'h': return take_month(s, &t->month);
    case 'd': return take_number(s, 2, 2, &t->day);
    case 'e': return take_number(s, 1, 2, &t->day);
    case 'H':
    case 'I': return take_number(s, 2, 2, &t->hour);
    case 'k':
    case 'l': return take_number(s, 1, 2, &t->hour);
    case 'M': return take_number(s, 2, 2, &t->minute);
    case 'S': return take_number(s, 2, 2, &t->second);
    case 's': return take_epoch(s, t);
    case 'z': return take_zone(s, t);
    case 'p':
    case 'P': return take_half_day(s, t);
    case 'n': return take_mark(s, '\n');
    case 't': return take_mark(s, '\t');
    case '%': return take_mark(s, '%');
    default: skip_letters(s); return true; /* names of days and zones */
    }
}

/* A form without compounds. */
static bool take_plain(lk_slice form, scan *s, lk_custom_time *t)
{
    for (size_t i = 0; i < form.len; i++) {
        if (form.p[i] != '%' || i + 1 == form.len) {
            if (!take_mark(s, form.p[i]))
                return false;
        } else if (!take_conversion(form.p[++i], s, t)) {
            return false;
        }
    }
    return true;
}

static bool take_next(lk_slice form, size_t *i, scan *s, lk_custom_time *t)
{
    const char *compound;

    if (form.p[*i] != '%' || *i + 1 == form.len)
        return take_mark(s, form.p[*i]);
    ++*i;
    compound = compound_of(form.p[*i]);
    return compound ? take_plain(lk_slice_from(compound), s, t) : take_conversion(form.p[*i], s, t);
}

const char *lk_custom_form_read(lk_slice form, const char *p, const char *end, lk_custom_time *t)
{
    scan s = { p, end };
    const char *at;

    for (size_t i = 0; i < form.len; i++)
        if (!take_next(form, &i, &s, t))
            return NULL;
    (void)lk_custom_form_parts(form, &t->parts, &at);
    return s.p;
}

/* ---- the whole ---- */

void lk_custom_time_init(lk_custom_time *t)
{
    *t = (lk_custom_time){ .at_ns = LK_TIME_NONE, .fraction_ns = -1 };
}

void lk_custom_time_set(lk_custom_time *t, int64_t at_ns, unsigned precision)
{
    if (t->at_ns != LK_TIME_NONE && t->precision >= precision)
        return;
    t->at_ns = at_ns;
    t->precision = precision;
}

static unsigned hour_of(const lk_custom_time *t)
{
    if (!t->is_half_day)
        return t->hour;
    return t->hour % 12 + (t->is_pm ? 12 : 0);
}

/* By way of RFC 3339, which knows leap years and leap seconds. */
static bool civil(const lk_custom_time *t, int64_t *at_ns)
{
    const unsigned parts[6] = { t->year / 100, t->year % 100, t->month,
                                t->day,        hour_of(t),    t->minute };
    static const char FORM[] = "0000-00-00T00:00:00Z";
    static const unsigned char PLACES[6] = { 0, 2, 5, 8, 11, 14 };
    char text[sizeof(FORM)];

    if ((t->parts & LK_CUSTOM_PART_ALL) != LK_CUSTOM_PART_ALL || t->second > 60)
        return false;
    memcpy(text, FORM, sizeof(FORM));
    for (size_t i = 0; i < 6; i++) {
        if (parts[i] > 99)
            return false;
        text[PLACES[i]] = (char)('0' + parts[i] / 10);
        text[PLACES[i] + 1] = (char)('0' + parts[i] % 10);
    }
    text[17] = (char)('0' + t->second / 10);
    text[18] = (char)('0' + t->second % 10);
    if (!lk_time_rfc3339((lk_slice){ text, sizeof(FORM) - 1 }, at_ns, NULL))
        return false;
    *at_ns -= t->zone_s * LK_NS_PER_S;
    return true;
}

bool lk_custom_time_finish(const lk_custom_time *t, int64_t *at_ns, bool *fraction, bool *zoneless)
{
    *zoneless = false;
    *at_ns = t->at_ns;
    if (t->at_ns == LK_TIME_NONE) {
        if (!civil(t, at_ns))
            return false;
        *zoneless = !t->has_zone;
    }
    *fraction = t->precision > 1 || t->fraction_ns >= 0;
    if (t->precision <= 1 && t->fraction_ns >= 0 && t->second < 60)
        *at_ns += t->fraction_ns;
    return true;
}
