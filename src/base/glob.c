#include "base/glob.h"

#include <string.h>

static unsigned char folded(char c, bool caseless)
{
    return (unsigned char)(caseless && c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

/* Just behind the ']' of the set that p[0] == '[' opens; NULL when it never closes. */
static const char *set_end(const char *p, const char *end)
{
    const char *first = ++p;

    if (p < end && *p == '!')
        first = ++p;
    for (; p < end; p++) {
        if (*p == '\\' && p + 1 < end)
            p++;
        else if (*p == ']' && p > first)
            return p + 1;
    }
    return NULL;
}

static char take_byte(const char **p, const char *close)
{
    if (**p == '\\' && *p + 1 < close)
        ++*p;
    return *(*p)++;
}

/* The set stands in [p, past). */
static bool is_in_set(const char *p, const char *past, char c, bool caseless)
{
    const char *close = past - 1;
    unsigned char want = folded(c, caseless);
    bool inverted = p[1] == '!', found = false;

    p += 1 + inverted;
    while (p < close) {
        char low = take_byte(&p, close), high = low;

        if (p + 1 < close && *p == '-') {
            p++;
            high = take_byte(&p, close);
        }
        found |= folded(low, caseless) <= want && want <= folded(high, caseless);
    }
    return found != inverted;
}

/* Does what stands at *p, which is no '*', take the byte?  *p moves past it then. */
static bool takes(const char **p, const char *end, char c, bool caseless)
{
    const char *at = *p, *past;

    if (*at == '[' && (past = set_end(at, end))) {
        *p = past;
        return is_in_set(at, past, c, caseless);
    }
    if (*at == '?') {
        *p = at + 1;
        return true;
    }
    if (*at == '\\' && at + 1 < end)
        at++;
    *p = at + 1;
    return folded(*at, caseless) == folded(c, caseless);
}

/* Only the last '*' needs to be come back to: what is before it has found its place. */
static bool matches(lk_slice pattern, lk_slice text, bool caseless)
{
    const char *p = pattern.p ? pattern.p : "", *end = p + pattern.len;
    const char *t = text.p ? text.p : "", *last = t + text.len;
    const char *star = NULL, *resume = NULL;

    while (t < last) {
        const char *next = p;

        if (p < end && *p == '*') {
            star = ++p;
            resume = t;
        } else if (p < end && takes(&next, end, *t, caseless)) {
            p = next;
            t++;
        } else if (star) {
            p = star;
            t = ++resume;
        } else {
            return false;
        }
    }
    while (p < end && *p == '*')
        p++;
    return p == end;
}

bool lk_glob_matches(lk_slice pattern, lk_slice text)
{
    return matches(pattern, text, false);
}

bool lk_glob_matches_caseless(lk_slice pattern, lk_slice text)
{
    return matches(pattern, text, true);
}
