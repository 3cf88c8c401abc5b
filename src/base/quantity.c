#include "base/quantity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 40 };

struct unit {
    const char *name;
    double seconds;
};

/* clang-format off */
static const struct unit UNITS[] = {
    { "", 1 }, { "s", 1 }, { "sec", 1 }, { "ms", 1e-3 }, { "us", 1e-6 },
    { "m", 60 }, { "min", 60 }, { "h", 3600 }, { "d", 86400 },
    { NULL, 0 },
};
/* clang-format on */

static const struct unit *unit_named(lk_slice s)
{
    for (const struct unit *u = UNITS; u->name; u++)
        if (lk_slice_is(s, u->name))
            return u;
    return NULL;
}

/* The number that s begins with; the rest goes to *rest.  strtod would read "inf" and hex too. */
static bool leading_number(lk_slice s, double *out, lk_slice *rest)
{
    char text[LONGEST];
    char *end;

    if (!s.len || s.len >= LONGEST || !strchr("0123456789.", s.p[0]) ||
        (s.len > 1 && (s.p[1] == 'x' || s.p[1] == 'X')))
        return false;
    memcpy(text, s.p, s.len);
    text[s.len] = '\0';
    *out = strtod(text, &end);
    *rest = lk_slice_skip(s, (size_t)(end - text));
    return end != text && isfinite(*out) && *out >= 0;
}

bool lk_quantity_number(lk_slice s, double *out)
{
    lk_slice rest;

    return leading_number(s, out, &rest) && !rest.len;
}

bool lk_quantity_seconds(lk_slice s, double *out)
{
    const struct unit *u;
    lk_slice rest;

    if (lk_slice_is(s, "none") || lk_slice_is(s, "inf")) {
        *out = (double)INFINITY;
        return true;
    }
    if (!leading_number(s, out, &rest) || !(u = unit_named(rest)))
        return false;
    *out *= u->seconds;
    return true;
}

bool lk_quantity_finite_seconds(lk_slice s, double *out)
{
    return lk_quantity_seconds(s, out) && isfinite(*out);
}

bool lk_quantity_per_second(lk_slice s, double *out)
{
    const struct unit *u;
    lk_slice rest;

    if (!leading_number(s, out, &rest))
        return false;
    if (!rest.len)
        return true;
    if (rest.p[0] != '/' || rest.len < 2 || !(u = unit_named(lk_slice_skip(rest, 1))))
        return false;
    *out /= u->seconds;
    return true;
}

bool lk_quantity_share(lk_slice s, double *out)
{
    bool percent = s.len && s.p[s.len - 1] == '%';

    s.len -= percent;
    if (!lk_quantity_number(s, out))
        return false;
    *out /= percent ? 100 : 1;
    return *out <= 1;
}

lk_code lk_quantity_read_rows(const lk_quantity_row *rows, size_t count, lk_err *e)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].text && !rows[i].read(lk_slice_from(rows[i].text), rows[i].out))
            return lk_fail(e, LK_EUSAGE, "--%s: '%.40s' is not %s", rows[i].name, rows[i].text,
                           rows[i].wants);
    return LK_OK;
}
