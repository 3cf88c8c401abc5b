#include "format/tokens.h"

#include "base/time.h"

#include <string.h>

enum { STATUS_DIGITS = 3, PRODUCT_MAX = 64, SCHEME_MAX = 10, STAMP_MAX = 32 };

#define MS_LIMIT (UINT64_C(100000000) * 1000)

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

lk_slice lk_between(const char *from, const char *to)
{
    return (lk_slice){ from, (size_t)(to - from) };
}

const char *lk_find_byte(const char *p, const char *end, char c)
{
    return p < end ? memchr(p, c, (size_t)(end - p)) : NULL;
}

/* ---- words ---- */

lk_slice lk_token_take(const char **p, const char *end)
{
    const char *first, *blank;

    while (*p < end && **p == ' ')
        (*p)++;
    first = *p;
    blank = lk_find_byte(first, end, ' ');
    *p = blank ? blank : end;
    return lk_between(first, *p);
}

lk_slice lk_token_take_last(const char *first, const char **end)
{
    const char *last;

    while (*end > first && (*end)[-1] == ' ')
        (*end)--;
    last = *end;
    while (*end > first && (*end)[-1] != ' ')
        (*end)--;
    return lk_between(*end, last);
}

bool lk_token_status(lk_slice s, unsigned *status)
{
    uint64_t value;

    if (s.len > STATUS_DIGITS || !lk_slice_u64(s, &value))
        return false;
    *status = (unsigned)value;
    return true;
}

bool lk_token_ms(lk_slice s, int64_t *ns)
{
    bool negative = s.len > 0 && s.p[0] == '-';
    uint64_t value;

    if (s.len == 1 && negative)
        return true;
    if (negative || (s.len > 0 && s.p[0] == '+'))
        s = lk_slice_skip(s, 1);
    if (!lk_slice_u64(s, &value) || value > MS_LIMIT)
        return false;
    if (!negative)
        *ns = (int64_t)value * LK_NS_PER_MS;
    return true;
}

static bool is_product_byte(char c)
{
    return is_letter(c) || is_digit(c) || c == '-' || c == '_' || c == '.' || c == '+';
}

static bool is_media_type(lk_slice s)
{
    static const char *const TYPES[] = { "application/", "text/", "image/",     "audio/",
                                         "video/",       "font/", "multipart/", "HTTP/" };

    for (size_t i = 0; i < sizeof(TYPES) / sizeof(TYPES[0]); i++)
        if (lk_slice_starts(s, TYPES[i]))
            return true;
    return false;
}

bool lk_token_is_product(lk_slice s)
{
    size_t n = 0;

    while (n < s.len && n <= PRODUCT_MAX && is_product_byte(s.p[n]))
        n++;
    if (n == 0 || n > PRODUCT_MAX || !is_letter(s.p[0]) || n + 1 >= s.len || s.p[n] != '/')
        return false;
    return (is_digit(s.p[n + 1]) || is_letter(s.p[n + 1])) && !is_media_type(s);
}

static bool is_hex_letter(char c)
{
    return (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool lk_token_is_address(lk_slice s)
{
    size_t colons = 0, points = 0, digits = 0;

    for (size_t i = 0; i < s.len; i++) {
        char c = s.p[i];

        colons += c == ':';
        points += c == '.';
        digits += is_digit(c);
        if (c != ':' && c != '.' && !is_digit(c) && !is_hex_letter(c))
            return false;
    }
    return colons >= 2 || (colons == 0 && points == 3 && digits + points == s.len && digits >= 4);
}

/* ---- the request, and what follows ---- */

static bool is_status_at(const char *p, const char *end)
{
    size_t n = 0;

    while (n <= STATUS_DIGITS && p + n < end && is_digit(p[n]))
        n++;
    return n > 0 && n <= STATUS_DIGITS && (p + n == end || p[n] == ' ');
}

const char *lk_request_close(const char *open, const char *end)
{
    const char *q = open;

    while ((q = lk_find_byte(q + 1, end, '"')))
        if (end - q > 2 && q[1] == ' ' && is_status_at(q + 2, end))
            return q;
    return NULL;
}

lk_slice lk_behind_bytes(lk_slice line, lk_slice request)
{
    const char *end = line.p + line.len, *p = request.p + request.len;

    if (p >= end)
        return LK_SLICE_NONE;
    p++;
    (void)lk_token_take(&p, end);
    (void)lk_token_take(&p, end);
    while (p < end && *p == ' ')
        p++;
    return lk_between(p, end);
}

bool lk_pair_agent(lk_slice pair, lk_slice *agent)
{
    const char *end, *q = pair.p;

    if (pair.len < sizeof("\"\" \"\"") - 1)
        return false;
    end = q + pair.len;
    if (*q != '"' || end[-1] != '"')
        return false;
    while ((q = lk_find_byte(q + 1, end, '"'))) {
        if (end - q < 4 || q[1] != ' ' || q[2] != '"')
            continue;
        *agent = lk_between(q + 3, end - 1);
        return true;
    }
    return false;
}

/* ---- addresses ---- */

lk_slice lk_first_of_list(lk_slice list)
{
    const char *comma = list.len > 0 ? memchr(list.p, ',', list.len) : NULL;

    if (comma)
        list.len = (size_t)(comma - list.p);
    while (list.len > 0 && list.p[0] == ' ')
        list = lk_slice_skip(list, 1);
    while (list.len > 0 && list.p[list.len - 1] == ' ')
        list.len--;
    return list;
}

lk_slice lk_uri_host(lk_slice uri)
{
    size_t n = 0, first;

    while (n < uri.len && n <= SCHEME_MAX && uri.p[n] >= 'a' && uri.p[n] <= 'z')
        n++;
    if (n == 0 || uri.len < n + 3 || memcmp(uri.p + n, "://", 3) != 0)
        return LK_SLICE_NONE;
    first = n + 3;
    for (n = first; n < uri.len && uri.p[n] != '/' && uri.p[n] != '?' && uri.p[n] != ' '; n++)
        ;
    return n > first ? lk_between(uri.p + first, uri.p + n) : LK_SLICE_NONE;
}

lk_slice lk_without_port(lk_slice peer)
{
    size_t n = peer.len;

    while (n > 0 && is_digit(peer.p[n - 1]))
        n--;
    if (n > 1 && n < peer.len && peer.p[n - 1] == ':')
        peer.len = n - 1;
    return peer;
}

/* ---- stamps ---- */

bool lk_stamp_zoneless(lk_slice s, int64_t *at_ns, bool *fraction)
{
    static const char UTC[] = " +0000";
    char text[STAMP_MAX + sizeof(UTC)];

    if (s.len < sizeof("30/Nov/2026:03:27:39") - 1 || s.len > STAMP_MAX)
        return false;
    memcpy(text, s.p, s.len);
    if (text[11] == ' ')
        text[11] = ':';
    memcpy(text + s.len, UTC, sizeof(UTC) - 1);
    return lk_time_clf((lk_slice){ text, s.len + sizeof(UTC) - 1 }, at_ns, fraction);
}
