#include "format/w3c_split.h"

#include <string.h>

lk_w3c_cursor lk_w3c_cursor_at(lk_slice line)
{
    bool tabs = line.len > 0 && memchr(line.p, '\t', line.len);

    return (lk_w3c_cursor){ line.p, line.p + line.len, tabs ? '\t' : ' ', tabs };
}

/* The quote that closes what opens at p[0], the separator or the end behind it. */
static const char *closing_quote(const char *p, const char *end, char separator)
{
    const char *q = p;

    while (q + 1 < end && (q = memchr(q + 1, '"', (size_t)(end - q - 1))))
        if (q + 1 == end || q[1] == separator)
            return q;
    return NULL;
}

bool lk_w3c_next(lk_w3c_cursor *at, lk_slice *out)
{
    const char *close = NULL, *stop;

    if (!at->p)
        return false;
    if (at->quotes && at->p < at->end && *at->p == '"')
        close = closing_quote(at->p, at->end, at->separator);
    if (close) {
        *out = (lk_slice){ at->p + 1, (size_t)(close - at->p) - 1 };
        at->p = close + 1 < at->end ? close + 2 : NULL;
        return true;
    }
    stop = at->p < at->end ? memchr(at->p, at->separator, (size_t)(at->end - at->p)) : NULL;
    *out = (lk_slice){ at->p, (size_t)((stop ? stop : at->end) - at->p) };
    at->p = stop ? stop + 1 : NULL;
    return true;
}

static size_t split_from(lk_w3c_cursor at, size_t count, lk_slice *values)
{
    lk_slice value;
    size_t n = 0;

    for (; n <= count && lk_w3c_next(&at, &value); n++)
        if (n < count)
            values[n] = value;
    return n;
}

size_t lk_w3c_split(lk_slice line, size_t count, lk_slice *values)
{
    lk_w3c_cursor at = lk_w3c_cursor_at(line);
    size_t n = split_from(at, count, values);

    if (n <= count || at.quotes || !memchr(line.p, '"', line.len))
        return n;
    at.quotes = true;
    return split_from(at, count, values);
}
