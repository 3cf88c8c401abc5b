#include "format/json_records.h"

#include "format/tokens.h"

#include <string.h>

static const char BLANKS[] = " \t\r\n";

static lk_slice without_front(lk_slice s, const char *set)
{
    const char *p = s.p, *end = s.p + s.len;

    while (p < end && *p != '\0' && strchr(set, *p))
        p++;
    return lk_between(p, end);
}

static bool take(lk_slice *s, char c)
{
    *s = without_front(*s, BLANKS);
    if (s->len == 0 || s->p[0] != c)
        return false;
    *s = lk_slice_skip(*s, 1);
    return true;
}

/* {"records":[ */
static bool take_wrapper(lk_slice *s)
{
    static const char *const KEYS[] = { "records\"", "Records\"" };

    if (!take(s, '{') || !take(s, '"'))
        return false;
    for (size_t i = 0; i < sizeof(KEYS) / sizeof(KEYS[0]); i++)
        if (lk_slice_starts(*s, KEYS[i])) {
            *s = lk_slice_skip(*s, strlen(KEYS[i]));
            return take(s, ':') && take(s, '[');
        }
    return false;
}

/* Behind the string that opens at p. */
static const char *string_end(const char *p, const char *end)
{
    for (p++; p < end && *p != '"'; p++)
        p += *p == '\\';
    return p < end ? p + 1 : end;
}

/* Behind the object or array that opens at p. */
static const char *value_end(const char *p, const char *end)
{
    size_t depth = 0;

    while (p < end) {
        char c = *p;

        if (c == '"') {
            p = string_end(p, end);
            continue;
        }
        p++;
        depth += c == '{' || c == '[';
        if ((c == '}' || c == ']') && --depth == 0)
            return p;
    }
    return end;
}

bool lk_json_records(lk_slice line, lk_slice *rest)
{
    lk_slice s = line, wrapped = line;
    const char *end = line.p + line.len;

    if (take_wrapper(&wrapped)) {
        *rest = wrapped;
        return true;
    }
    s = without_front(s, " \t\r\n,");
    if (s.len == 0)
        return false;
    *rest = s;
    if (s.p[0] == '[' || s.p[0] == ']') {
        s = without_front(s, " \t\r\n[]},");
        *rest = s;
        return s.len == 0 || s.p[0] == '{'; /* not the bracket of a stamp */
    }
    if (s.p[0] != '{')
        return false;
    s = lk_between(value_end(s.p, end), end); /* an object, and then what stands between them */
    if (rest->p == line.p && without_front(s, BLANKS).len == 0)
        return false;
    return without_front(s, " \t\r\n]},").len == 0;
}

bool lk_json_record_next(lk_slice *rest, lk_slice *record)
{
    lk_slice s = without_front(*rest, " \t\r\n,");
    const char *end = s.p + s.len;

    if (s.len == 0 || s.p[0] != '{') {
        *rest = LK_SLICE_NONE;
        return false;
    }
    *record = lk_between(s.p, value_end(s.p, end));
    *rest = lk_slice_skip(s, record->len);
    return true;
}
