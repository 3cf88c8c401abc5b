#include "report/words.h"

#include "base/time.h"
#include "base/whole.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NOT_KNOWN "not known"

static lk_word word(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static lk_word word(const char *fmt, ...)
{
    lk_word w;
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(w.text, sizeof(w.text), fmt, args);
    va_end(args);
    return w;
}

/* ---- counts and plain numbers ---- */

/* Commas between groups of three; `digits` holds nothing else, at most 20 of them. */
static lk_word grouped(const char *digits)
{
    lk_word w = { "" };
    size_t len = strlen(digits), at = 0;

    for (size_t i = 0; i < len && at + 2 < sizeof(w.text); i++) {
        if (i > 0 && (len - i) % 3 == 0)
            w.text[at++] = ',';
        w.text[at++] = digits[i];
    }
    w.text[at] = '\0';
    return w;
}

lk_word lk_word_count(int64_t count)
{
    char digits[24];

    if (count < 0)
        return word(NOT_KNOWN);
    (void)snprintf(digits, sizeof(digits), "%" PRId64, count);
    return grouped(digits);
}

lk_word lk_word_counted(int64_t count, const char *noun)
{
    return word("%s %s%s", lk_word_count(count).text, noun, count == 1 ? "" : "s");
}

/* Past what an int64 holds a number is printed as "1.2e+20". */
static lk_word whole(double x)
{
    return fabs(x) < 9e18 ? lk_word_count(lk_nearest(x)) : word("%.2g", x);
}

lk_word lk_word_rounded(double x)
{
    return isfinite(x) && x >= 0 ? whole(x) : word(NOT_KNOWN);
}

lk_word lk_word_real(double x)
{
    if (!isfinite(x))
        return word(NOT_KNOWN);
    if (x < 0)
        return word("%.3g", x);
    return x < 100 ? word("%.2f", x) : whole(x);
}

lk_word lk_word_scale(double x)
{
    static const struct {
        double from, unit;
        const char *suffix;
    } UNITS[] = { { 1e12, 1e12, "T" }, { 1e9, 1e9, "G" }, { 1e6, 1e6, "M" }, { 1e4, 1e3, "k" } };

    if (!isfinite(x))
        return word(NOT_KNOWN);
    for (size_t i = 0; i < sizeof(UNITS) / sizeof(UNITS[0]); i++)
        if (x >= UNITS[i].from * 0.9995)
            return word("%.3g%s", x / UNITS[i].unit, UNITS[i].suffix);
    return x >= 999.5 ? whole(x) : word("%.3g", x);
}

lk_word lk_word_share(double share)
{
    if (!isfinite(share))
        return word(NOT_KNOWN);
    if (share > 0 && share < 0.0005)
        return word("<0.1 %%");
    if (share < 1 && share >= 0.9995)
        return word(">99.9 %%");
    return word("%.1f %%", share * 100);
}

lk_word lk_word_part(int64_t part, int64_t of)
{
    return lk_word_share(part >= 0 && of > 0 ? (double)part / (double)of : (double)NAN);
}

enum { PARTS_MAX = 16, TENTHS = 1000 };

/* The one that lost most by being cut, the first of equals. */
static size_t most_cut(const int64_t *rest, size_t n)
{
    size_t at = 0;

    for (size_t i = 1; i < n; i++)
        if (rest[i] > rest[at])
            at = i;
    return at;
}

static lk_word tenths_word(int64_t tenths, int64_t part, int64_t of)
{
    if (part > 0 && tenths == 0)
        return word("<0.1 %%");
    if (part < of && tenths == TENTHS)
        return word(">99.9 %%");
    return word("%" PRId64 ".%" PRId64 " %%", tenths / 10, tenths % 10);
}

void lk_word_parts(const int64_t *part, size_t n, int64_t of, lk_word *out)
{
    int64_t tenths[PARTS_MAX], rest[PARTS_MAX], left = TENTHS, sum = 0;
    bool is_whole = n <= PARTS_MAX && of > 0 && of <= INT64_MAX / TENTHS;

    for (size_t i = 0; is_whole && i < n; i++) {
        is_whole = part[i] >= 0 && part[i] <= of - sum;
        sum += is_whole ? part[i] : 0;
        tenths[i] = is_whole ? part[i] * TENTHS / of : 0;
        rest[i] = is_whole ? part[i] * TENTHS % of : 0;
        left -= tenths[i];
    }
    if (!is_whole || sum != of) {
        for (size_t i = 0; i < n; i++)
            out[i] = lk_word_part(part[i], of);
        return;
    }
    for (; left > 0; left--) {
        const size_t at = most_cut(rest, n);

        tenths[at]++;
        rest[at] = -1;
    }
    for (size_t i = 0; i < n; i++)
        out[i] = tenths_word(tenths[i], part[i], of);
}

lk_word lk_word_bytes(int64_t bytes)
{
    static const char *const UNITS[] = { "kB", "MB", "GB", "TB", "PB" };
    double x = (double)bytes / 1000;
    size_t i = 0;

    if (bytes < 0)
        return word(NOT_KNOWN);
    if (bytes < 1000)
        return word("%" PRId64 " bytes", bytes);
    for (; x >= 999.5 && i + 1 < sizeof(UNITS) / sizeof(UNITS[0]); i++)
        x /= 1000;
    return x < 9.95 ? word("%.1f %s", x, UNITS[i]) : word("%.0f %s", x, UNITS[i]);
}

/* ---- durations ---- */

lk_word lk_word_seconds(double s)
{
    if (!isfinite(s))
        return word(NOT_KNOWN);
    if (s < 0)
        return word("%.3g s", s);
    if (s > 0 && s < 0.001)
        return word("<0.001 s");
    if (s < 0.9995)
        return word("%.3g s", s);
    return s < 999.95 ? word("%.1f s", s) : word("%s s", whole(s).text);
}

lk_word lk_word_span(double s)
{
    static const struct {
        double seconds;
        const char *name;
        const char *part;
        double part_s;
    } UNITS[] = { { 86400, "d", "h", 3600 }, { 3600, "h", "min", 60 }, { 60, "min", "s", 1 } };

    if (!isfinite(s) || s < 60)
        return lk_word_seconds(s);
    for (size_t i = 0; i < sizeof(UNITS) / sizeof(UNITS[0]); i++) {
        double parts = round(s / UNITS[i].part_s);
        double per_unit = UNITS[i].seconds / UNITS[i].part_s;

        if (s >= UNITS[i].seconds)
            return fmod(parts, per_unit) > 0
                       ? word("%s %s %.0f %s", whole(floor(parts / per_unit)).text, UNITS[i].name,
                              fmod(parts, per_unit), UNITS[i].part)
                       : word("%s %s", whole(parts / per_unit).text, UNITS[i].name);
    }
    return lk_word_seconds(s);
}

lk_word lk_word_setting(double s)
{
    if (!isfinite(s))
        return word(NOT_KNOWN);
    return s < 120 ? word("%.6g s", s) : word("%.6g s (%s)", s, lk_word_span(s).text);
}

lk_word lk_word_within(double s, double error)
{
    int digits = 1;

    if (!isfinite(s))
        return word(NOT_KNOWN);
    if (isfinite(error) && error > 0)
        digits = (int)fmin(fmax(ceil(-log10(error)), 0), 4);
    return word("%.*f", digits, s);
}

lk_word lk_word_chance(double ln)
{
    static const struct {
        double ln;
        const char *text;
    } STEPS[] = { { -20.723, "less than 1 in a billion" },
                  { -13.816, "less than 1 in a million" },
                  { -6.908, "less than 1 in a thousand" } };

    if (isnan(ln))
        return word(NOT_KNOWN);
    for (size_t i = 0; i < sizeof(STEPS) / sizeof(STEPS[0]); i++)
        if (ln <= STEPS[i].ln)
            return word("%s", STEPS[i].text);
    return ln < 0 ? word("about 1 in %s", whole(exp(-ln)).text) : word("certain");
}

/* ---- instants ---- */

lk_word lk_word_instant(int64_t at_ns)
{
    char text[64];

    if (at_ns == LK_TIME_NONE)
        return word(NOT_KNOWN);
    lk_time_format(at_ns, text);
    return word("%.10s %.8s", text, text + 11);
}

lk_word lk_word_time(int64_t at_ns)
{
    lk_word w = lk_word_instant(at_ns);

    return at_ns == LK_TIME_NONE ? w : word("%s", w.text + 11);
}

/* Short stretches need their milliseconds, long ones a date at both ends. */
lk_word lk_word_range(int64_t start_ns, int64_t end_ns)
{
    char a[64], b[64];
    int len;

    if (start_ns == LK_TIME_NONE || end_ns == LK_TIME_NONE)
        return word(NOT_KNOWN);
    lk_time_format(start_ns, a);
    lk_time_format(end_ns, b);
    a[10] = b[10] = ' ';
    len = (double)end_ns - (double)start_ns < 10e9 ? 23 : 19;
    if (strncmp(a, b, 10) == 0)
        return word("%.*s to %.*s", len, a, len - 11, b + 11);
    return word("%.*s to %.*s", len, a, len, b);
}

const char *lk_words_moment(const lk_report_input *in)
{
    if (!in->moment)
        return "Whether the log writes the start or the end of a request is not known";
    if (strcmp(in->moment, "start") == 0)
        return "The log writes the start of each request";
    return in->corrected_to_start
               ? "The log writes the end of each request; the start is the end minus the duration"
               : "The log writes the end of each request and no duration, so arrivals are ends";
}

const char *lk_words_layer(const char *name)
{
    static const struct {
        const char *name, *text;
    } NAMES[] = { { "sdk", "SDK" }, { "job", "job runner" }, { "proxy", "proxy" } };

    for (size_t i = 0; name && i < sizeof(NAMES) / sizeof(NAMES[0]); i++)
        if (strcmp(NAMES[i].name, name) == 0)
            return NAMES[i].text;
    return NULL;
}

/* ---- what the simulator expects of an advice ---- */

static lk_word lasting(double s)
{
    return isfinite(s) ? lk_word_span(round(s)) : word(NOT_KNOWN);
}

lk_word_line lk_word_expected_briefly(const lk_report_expected *x)
{
    lk_word_line line;

    (void)snprintf(line.text, sizeof(line.text), "%s requests in place of %s",
                   lk_word_rounded(x->requests_after).text, lk_word_rounded(x->requests_before).text);
    return line;
}

lk_word_line lk_word_expected(const lk_report_expected *x)
{
    lk_word_line line;

    (void)snprintf(line.text, sizeof(line.text),
                   "requests %s -> %s, rejected %s -> %s, drained in %s -> %s, lost %s -> %s%s",
                   lk_word_rounded(x->requests_before).text, lk_word_rounded(x->requests_after).text,
                   lk_word_share(x->rejected_before).text, lk_word_share(x->rejected_after).text,
                   lasting(x->drain_before_s).text, lasting(x->drain_after_s).text,
                   lk_word_rounded(x->lost_before).text, lk_word_rounded(x->lost_after).text,
                   x->lost_after > 1.2 * x->lost_before + 10
                       ? ". More work is lost: by itself this is no remedy"
                       : "");
    return line;
}

bool lk_words_finds_nothing(const lk_report_capacity *c)
{
    return isfinite(c->bucket_emptied_in_s) && (c->bucket < 1 || c->bucket_emptied_in_s <= 0);
}
