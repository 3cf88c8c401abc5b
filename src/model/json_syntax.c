#include "model/json_syntax.h"

#include <string.h>

/* What is left of the text; each step below takes what it names off its front, or says no. */
typedef lk_slice cursor;

static bool is_next(const cursor *c, char byte)
{
    return c->len > 0 && c->p[0] == byte;
}

static bool take(cursor *c, char byte)
{
    if (!is_next(c, byte))
        return false;
    *c = lk_slice_skip(*c, 1);
    return true;
}

static void skip_blanks(cursor *c)
{
    while (is_next(c, ' ') || is_next(c, '\t') || is_next(c, '\n') || is_next(c, '\r'))
        *c = lk_slice_skip(*c, 1);
}

static bool word(cursor *c, const char *text)
{
    const size_t len = strlen(text);

    if (c->len < len || memcmp(c->p, text, len) != 0)
        return false;
    *c = lk_slice_skip(*c, len);
    return true;
}

static size_t digits(cursor *c)
{
    size_t n = 0;

    while (n < c->len && c->p[n] >= '0' && c->p[n] <= '9')
        n++;
    *c = lk_slice_skip(*c, n);
    return n;
}

static bool number(cursor *c)
{
    const size_t before = c->len;

    (void)take(c, '-');
    if (!take(c, '0') && digits(c) == 0)
        return false;
    if (take(c, '.') && digits(c) == 0)
        return false;
    if (take(c, 'e') || take(c, 'E')) {
        if (!take(c, '+'))
            (void)take(c, '-');
        if (digits(c) == 0)
            return false;
    }
    return before - c->len <= LK_JSON_SYNTAX_NUMBER;
}

/* Four hexadecimal digits; -1 when there are none. */
static long unit(cursor *c)
{
    static const char HEX[] = "0123456789abcdef";
    long value = 0;

    if (c->len < 4)
        return -1;
    for (size_t i = 0; i < 4; i++) {
        const char byte = c->p[i];
        const char *at = byte ? strchr(HEX, byte >= 'A' && byte <= 'F' ? byte | 0x20 : byte) : NULL;

        if (!at)
            return -1;
        value = 16 * value + (at - HEX);
    }
    *c = lk_slice_skip(*c, 4);
    return value;
}

/* Behind "\u"; a surrogate only before its other half. */
static bool code_point(cursor *c)
{
    const long first = unit(c);
    long second;

    if (first < 0 || (first >= 0xDC00 && first <= 0xDFFF))
        return false;
    if (first < 0xD800 || first > 0xDBFF)
        return true;
    second = word(c, "\\u") ? unit(c) : -1;
    return second >= 0xDC00 && second <= 0xDFFF;
}

static bool escape(cursor *c)
{
    if (take(c, 'u'))
        return code_point(c);
    if (c->len == 0 || !c->p[0] || !strchr("\"\\/bfnrt", c->p[0]))
        return false;
    *c = lk_slice_skip(*c, 1);
    return true;
}

static bool string(cursor *c)
{
    if (!take(c, '"'))
        return false;
    while (c->len > 0 && !is_next(c, '"')) {
        if (take(c, '\\')) {
            if (!escape(c))
                return false;
        } else {
            *c = lk_slice_skip(*c, 1);
        }
    }
    return take(c, '"');
}

static bool value(cursor *c, size_t depth);

static bool member(cursor *c, size_t depth)
{
    skip_blanks(c);
    if (!string(c))
        return false;
    skip_blanks(c);
    return take(c, ':') && value(c, depth);
}

/* Behind the bracket that opens it. */
static bool rest_of(cursor *c, char closing, bool (*item)(cursor *c, size_t depth), size_t depth)
{
    if (depth > LK_JSON_SYNTAX_DEPTH)
        return false;
    skip_blanks(c);
    if (take(c, closing))
        return true;
    do {
        if (!item(c, depth))
            return false;
        skip_blanks(c);
    } while (take(c, ','));
    return take(c, closing);
}

static bool value(cursor *c, size_t depth)
{
    skip_blanks(c);
    if (take(c, '{'))
        return rest_of(c, '}', member, depth + 1);
    if (take(c, '['))
        return rest_of(c, ']', value, depth + 1);
    if (is_next(c, '"'))
        return string(c);
    return word(c, "null") || word(c, "true") || word(c, "false") || number(c);
}

bool lk_json_syntax(lk_slice text)
{
    cursor c = text;

    if (!value(&c, 0))
        return false;
    skip_blanks(&c);
    return c.len == 0;
}
