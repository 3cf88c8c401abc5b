#include "format/value.h"

#include "base/time.h"

#include <ctype.h>
#include <string.h>

#define SECONDS_LIMIT_NS (INT64_C(100000000) * LK_NS_PER_S)

enum {
    IDENT_MAX = 200, /* longer text is prose, not an id  */
    WORD_MIN = 4,
    HEX_MIN = 8,     /* $request_id has 32, trace ids 16 */
    TOKEN_MIN = 16,  /* letters and digits without any form */
    DIGITS_MIN = 15, /* snowflakes; 13 digits are a time */
    ATTEMPTS_MAX = 1000000
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex_letter(char c)
{
    return (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool lk_value_is_absent(lk_slice v)
{
    return v.len == 0 || (v.len == 1 && v.p[0] == '-');
}

/* ---- numbers ---- */

static bool times_ten(int64_t *n)
{
    if (*n > INT64_MAX / 10 || *n < INT64_MIN / 10)
        return false;
    *n *= 10;
    return true;
}

/* Where the 'e' of an exponent stands; NULL when there is none. */
static const char *exponent_of(lk_slice v)
{
    const char *e = memchr(v.p, 'e', v.len);

    return e ? e : memchr(v.p, 'E', v.len);
}

/* "1e-05": the mantissa's nanoseconds moved by so many places. */
static bool exponential(lk_slice v, int64_t *nano)
{
    const char *e = exponent_of(v);
    lk_slice digits;
    uint64_t places;
    bool down;

    if (!e || !lk_slice_nano((lk_slice){ v.p, (size_t)(e - v.p) }, nano))
        return false;
    digits = lk_slice_skip(v, (size_t)(e - v.p) + 1);
    down = lk_slice_starts(digits, "-");
    if (down || lk_slice_starts(digits, "+"))
        digits = lk_slice_skip(digits, 1);
    if (!lk_slice_u64(digits, &places))
        return false;
    for (; places > 0 && *nano != 0; places--) {
        if (down)
            *nano /= 10;
        else if (!times_ten(nano))
            return false;
    }
    return true;
}

bool lk_value_seconds(lk_slice v, int64_t *ns)
{
    int64_t value;

    if (v.len == 0 || !(lk_slice_nano(v, &value) || exponential(v, &value)))
        return false;
    if (value < 0 || value > SECONDS_LIMIT_NS)
        return false;
    *ns = value;
    return true;
}

bool lk_value_units(lk_slice v, int64_t unit_ns, int64_t *ns)
{
    uint64_t whole;
    int64_t nano;

    if (lk_slice_u64(v, &whole)) {
        if (whole > (uint64_t)(SECONDS_LIMIT_NS / unit_ns))
            return false;
        *ns = (int64_t)whole * unit_ns;
        return true;
    }
    if (v.len == 0 || !lk_slice_nano(v, &nano) || nano < 0)
        return false;
    *ns = nano / (LK_NS_PER_S / unit_ns);
    return true;
}

static size_t leading_digits(lk_slice v)
{
    size_t n = 0;

    while (n < v.len && is_digit(v.p[n]))
        n++;
    return n;
}

bool lk_value_epoch(lk_slice v, int64_t *at_ns, bool *fraction)
{
    size_t digits = leading_digits(v);
    uint64_t whole, unit = digits <= 13 ? 1000000 : digits <= 16 ? 1000 : 1;

    if (digits <= 11)
        return v.len > 0 && v.p[0] != '-' && lk_time_epoch(v, at_ns, fraction);
    if (digits != v.len || !lk_slice_u64(v, &whole) || whole > (uint64_t)INT64_MAX / unit)
        return false;
    *at_ns = (int64_t)(whole * unit);
    *fraction = true;
    return true;
}

bool lk_value_count(lk_slice v, uint64_t max, int32_t *out)
{
    uint64_t value;

    if (!lk_slice_u64(v, &value) || value > max || value > INT32_MAX)
        return false;
    *out = (int32_t)value;
    return true;
}

/* ---- durations with their units ---- */

typedef struct unit_row {
    const char *name;
    int64_t ns;
} unit_row;

/* Longer names before those that they begin with. */
static const unit_row UNITS[] = {
    { "nsec", 1 },
    { "ns", 1 },
    { "usec", 1000 },
    { "us", 1000 },
    { "\xc2\xb5s", 1000 }, /* micro sign */
    { "\xce\xbcs", 1000 }, /* Greek mu   */
    { "msec", LK_NS_PER_MS },
    { "ms", LK_NS_PER_MS },
    { "seconds", LK_NS_PER_S },
    { "secs", LK_NS_PER_S },
    { "sec", LK_NS_PER_S },
    { "s", LK_NS_PER_S },
    { "m", 60 * LK_NS_PER_S },
    { "h", 3600 * LK_NS_PER_S },
};

static const unit_row *unit_at(lk_slice text)
{
    for (size_t i = 0; i < sizeof(UNITS) / sizeof(UNITS[0]); i++)
        if (lk_slice_starts(text, UNITS[i].name))
            return &UNITS[i];
    return NULL;
}

bool lk_value_is_unit(lk_slice v)
{
    const unit_row *unit = v.len > 0 ? unit_at(v) : NULL;

    return unit && unit->ns <= LK_NS_PER_S && strlen(unit->name) == v.len;
}

/* `nano` billionths of a unit. */
static bool scale(int64_t nano, int64_t unit_ns, int64_t *ns)
{
    int64_t seconds = unit_ns / LK_NS_PER_S;

    if (nano < 0 || (seconds > 0 && nano > SECONDS_LIMIT_NS / seconds))
        return false;
    *ns = seconds > 0 ? nano * seconds : nano / (LK_NS_PER_S / unit_ns);
    return *ns <= SECONDS_LIMIT_NS;
}

/* "32.05s" or "32.05 s" off the front of *text. */
static bool take_part(lk_slice *text, int64_t *ns)
{
    const unit_row *unit;
    int64_t nano;
    size_t n = 0, blank;

    while (n < text->len && (is_digit(text->p[n]) || text->p[n] == '.'))
        n++;
    blank = n < text->len && text->p[n] == ' ';
    unit = unit_at(lk_slice_skip(*text, n + blank));
    if (n == 0 || !unit || !lk_slice_nano((lk_slice){ text->p, n }, &nano) ||
        !scale(nano, unit->ns, ns))
        return false;
    *text = lk_slice_skip(*text, n + blank + strlen(unit->name));
    return true;
}

bool lk_value_span(lk_slice v, int64_t *ns)
{
    int64_t sum = 0, part;

    if (v.len == 0)
        return false;
    while (v.len > 0) {
        if (!take_part(&v, &part))
            return false;
        sum += part;
        if (sum > SECONDS_LIMIT_NS)
            return false;
    }
    *ns = sum;
    return true;
}

/* "3/3123456", also between asterisks. */
bool lk_value_seconds_us(lk_slice v, uint64_t *seconds, uint64_t *us)
{
    const char *slash;

    while (v.len > 0 && v.p[0] == '*')
        v = lk_slice_skip(v, 1);
    while (v.len > 0 && v.p[v.len - 1] == '*')
        v.len--;
    slash = v.len > 0 ? memchr(v.p, '/', v.len) : NULL;
    return slash && lk_slice_u64((lk_slice){ v.p, (size_t)(slash - v.p) }, seconds) &&
           lk_slice_u64(lk_slice_skip(v, (size_t)(slash - v.p) + 1), us) &&
           *us <= SECONDS_LIMIT_NS / 1000;
}

/* ---- "attempt=2; max=3" ---- */

/* One member of the list, up to the next ';'. */
static bool take_member(lk_slice member, int32_t *no, int32_t *max)
{
    while (member.len > 0 && member.p[0] == ' ')
        member = lk_slice_skip(member, 1);
    while (member.len > 0 && member.p[member.len - 1] == ' ')
        member.len--;
    if (lk_slice_starts(member, "attempt="))
        return lk_value_count(lk_slice_skip(member, 8), ATTEMPTS_MAX, no);
    if (lk_slice_starts(member, "max="))
        (void)lk_value_count(lk_slice_skip(member, 4), ATTEMPTS_MAX, max);
    return false;
}

bool lk_value_attempt(lk_slice v, int32_t *no, int32_t *max)
{
    bool found = false;

    if (v.len < sizeof("attempt=1") - 1 || !memchr(v.p, '=', v.len))
        return false;
    while (v.len > 0) {
        const char *semicolon = memchr(v.p, ';', v.len);
        size_t len = semicolon ? (size_t)(semicolon - v.p) : v.len;

        found |= take_member((lk_slice){ v.p, len }, no, max);
        v = lk_slice_skip(v, len + 1);
    }
    return found;
}

/* ---- ids inside values ---- */

enum { TRACEPARENT_LEN = 55, TRACE_AT = 3, TRACE_LEN = 32 };

/* "00-<32 hex digits>-<16>-<2>": the middle one differs with each attempt. */
static bool is_traceparent(lk_slice v)
{
    if (v.len != TRACEPARENT_LEN || v.p[2] != '-' || v.p[35] != '-' || v.p[52] != '-')
        return false;
    for (size_t i = 0; i < v.len; i++)
        if (i != 2 && i != 35 && i != 52 && !isxdigit((unsigned char)v.p[i]))
            return false;
    return true;
}

/* What stands behind `name` up to the next blank; a blank or the start is before it. */
static lk_slice word_behind(lk_slice v, const char *name)
{
    while (v.len > 0) {
        const char *blank = memchr(v.p, ' ', v.len);
        size_t len = blank ? (size_t)(blank - v.p) : v.len;
        lk_slice word = { v.p, len };

        if (lk_slice_starts(word, name))
            return lk_slice_skip(word, strlen(name));
        v = lk_slice_skip(v, len + 1);
    }
    return LK_SLICE_NONE;
}

/* "gl-go/1.22 gccl/1.43 gccl-invocation-id/UUID gccl-attempt-count/2" */
static bool is_google_client(lk_slice v)
{
    return lk_slice_starts(v, "gl-") || lk_slice_starts(v, "gccl") || lk_slice_starts(v, "gapic/");
}

lk_slice lk_value_id(lk_slice v)
{
    if (v.len >= 2 && v.p[0] == '"' && v.p[v.len - 1] == '"')
        v = (lk_slice){ v.p + 1, v.len - 2 };
    if (v.len == TRACEPARENT_LEN && is_traceparent(v))
        return (lk_slice){ v.p + TRACE_AT, TRACE_LEN };
    if (v.len > 3 && v.p[0] == 'g' && is_google_client(v))
        return word_behind(v, "gccl-invocation-id/");
    return v;
}

bool lk_value_google_attempt(lk_slice v, int32_t *no)
{
    if (v.len < 4 || v.p[0] != 'g' || !is_google_client(v))
        return false;
    return lk_value_count(word_behind(v, "gccl-attempt-count/"), ATTEMPTS_MAX, no);
}

/* ---- shapes ---- */

typedef struct census {
    size_t digits, hex_letters, letters, capitals, joints, colons, others;
    bool digit_last; /* the last letter or digit was a digit */
} census;

static census count_bytes(lk_slice v)
{
    census n = { 0 };

    for (size_t i = 0; i < v.len; i++) {
        char c = v.p[i];

        if (is_digit(c))
            n.digits++;
        else if (is_letter(c))
            n.letters++;
        else if (c == '-' || c == '_' || c == '+' || c == '=' || c == '~' || c == '@')
            n.joints++;
        else if (c == ':')
            n.colons++;
        else
            n.others++;
        n.hex_letters += is_hex_letter(c);
        n.capitals += c >= 'A' && c <= 'Z';
        if (is_digit(c) || is_letter(c))
            n.digit_last = is_digit(c);
    }
    return n;
}

/* "123ms", "0.123 s": no more than seconds, and nothing behind the unit. */
static bool is_span(lk_slice rest)
{
    return lk_value_is_unit(lk_slice_skip(rest, rest.p[0] == ' '));
}

static lk_shape shape_of_number(lk_slice v)
{
    size_t whole = leading_digits(v), behind = leading_digits(lk_slice_skip(v, whole + 1));

    if (whole == v.len)
        return whole >= DIGITS_MIN ? LK_SHAPE_IDENT : LK_SHAPE_WHOLE;
    if (v.p[whole] != '.' && is_span(lk_slice_skip(v, whole)))
        return LK_SHAPE_SPAN;
    if (whole + 1 + behind < v.len && behind > 0 && v.p[whole] == '.' &&
        is_span(lk_slice_skip(v, whole + 1 + behind)))
        return LK_SHAPE_SPAN;
    if (whole == 0 || v.p[whole] != '.' || behind == 0 || whole + 1 + behind != v.len)
        return LK_SHAPE_OTHER;
    if (whole == 10 && behind == 3)
        return LK_SHAPE_MSEC;
    return behind >= 3 ? LK_SHAPE_REAL : LK_SHAPE_DECIMAL;
}

/* Base 64 and its like; names of ciphers are in capitals, words in small letters. */
static bool has_both_cases(const census *n)
{
    return n->capitals > 0 && n->letters > n->capitals;
}

/* Names of hosts and files hold a point or a slash, addresses points or colons, prose blanks. */
static lk_shape shape_of_token(lk_slice v)
{
    census n = count_bytes(v);

    if (n.others > 0 || n.digits == 0 || v.len < WORD_MIN || v.len > IDENT_MAX)
        return LK_SHAPE_OTHER;
    if (n.colons > 1 || (n.colons == 1 && n.hex_letters == n.letters)) /* a time or an address */
        return LK_SHAPE_OTHER;
    if (n.hex_letters == n.letters && n.digits + n.letters >= HEX_MIN &&
        (n.letters > 0 || n.digits >= DIGITS_MIN)) /* "2026-11-30" is none */
        return LK_SHAPE_IDENT;
    if (v.len >= TOKEN_MIN && n.colons == 0 && (n.joints == 0 || has_both_cases(&n)))
        return LK_SHAPE_IDENT;
    return n.digit_last || n.digits >= WORD_MIN ? LK_SHAPE_WORD : LK_SHAPE_OTHER;
}

lk_shape lk_value_shape(lk_slice v)
{
    int32_t no, max;
    lk_shape shape;

    if (lk_value_is_absent(v))
        return LK_SHAPE_ABSENT;
    if (is_digit(v.p[0]) && (shape = shape_of_number(v)) != LK_SHAPE_OTHER)
        return shape;
    if (lk_value_attempt(v, &no, &max))
        return LK_SHAPE_ATTEMPT;
    return shape_of_token(v);
}
