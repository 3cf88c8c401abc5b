/* format/clf_plain — a combined line as most lines are, split by the places of its six quotes.
 *
 * Inline, so that who needs some of the fields pays for those alone: format/clf, which goes on more carefully with
 * what is no such line, and the short way of format/clf_lines.  */
#ifndef LK_FORMAT_CLF_PLAIN_H
#define LK_FORMAT_CLF_PLAIN_H

#include "base/seek.h"
#include "format/clf.h"

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline lk_slice between(const char *from, const char *to)
{
    return (lk_slice){ from, (size_t)(to - from) };
}

static inline unsigned status_value(const char *p, size_t len)
{
    unsigned value = 0;

    if (p[0] == '-' || len > 3)
        return LK_STATUS_UNKNOWN;
    for (size_t i = 0; i < len; i++)
        value = value * 10 + (unsigned)(p[i] - '0');
    return value;
}

/* "[30/Nov/2026:": the digits may be nonsense, the marks not. */
static inline bool opens_stamp(const char *p, const char *end)
{
    return end - p > 22 && is_digit(p[1]) && is_digit(p[2]) && p[3] == '/' && p[7] == '/' &&
           p[12] == ':';
}

static inline const char *skip_blank(const char *p, const char *end)
{
    return p < end && *p == ' ' ? p + 1 : p;
}

enum { STAMP_LEN = 26 }; /* 30/Nov/2026:12:00:00 +0000 */

/* The blank behind digits and points, which is what most callers are. */
static inline const char *past_quad(const char *p, const char *end)
{
    enum { QUAD_MAX = 15 };
    size_t n = lk_seek_past_quad(p, end);

    return n > 0 && n <= QUAD_MAX && p + n < end && p[n] == ' ' ? p + n : NULL;
}

/* host - user [stamp] ", with nothing that may be read in two ways; NULL: look more carefully.  Returns where
 * the request begins. */
static inline const char *take_plain_head(const char *p, const char *end, lk_clf *out)
{
    const char *blank = past_quad(p, end), *open;

    out->caller_is_plain = blank != NULL;
    if (!blank && *p != '[' && *p != ' ')
        blank = lk_seek(p, end, ' ');
    if (!blank || end - blank < STAMP_LEN + 8 || blank[-1] == ',' || blank[1] != '-' || blank[2] != ' ')
        return NULL;
    out->caller = between(p, blank);
    open = blank[3] == '-' && blank[4] == ' ' && blank[5] == '[' ? blank + 5
                                                                 : lk_seek(blank + 3, end, '[');
    if (!open || open[-1] != ' ' || end - open < STAMP_LEN + 4 || !opens_stamp(open, end) ||
        lk_seek(open, open + STAMP_LEN + 2, ']') != open + STAMP_LEN + 1 || open[STAMP_LEN + 2] != ' ' ||
        open[STAMP_LEN + 3] != '"')
        return NULL;
    out->stamp = between(open + 1, open + STAMP_LEN + 1);
    return open + STAMP_LEN + 4;
}

enum { PLAIN_QUOTES = 6 };

/* Where the first six quotes of the line stand: as was found before, or by looking.  False: it has not so many. */
static inline bool plain_quotes(lk_slice line, const lk_quotes *known, const char *q[PLAIN_QUOTES])
{
    const char *p = line.p, *end = line.p + line.len;

    if (known->base) {
        for (size_t i = 0; i < PLAIN_QUOTES && known->count >= PLAIN_QUOTES; i++)
            q[i] = known->base + known->at[i];
        return known->count >= PLAIN_QUOTES;
    }
    for (size_t i = 0; i < PLAIN_QUOTES; i++) {
        q[i] = lk_seek(p, end, '"');
        if (!q[i])
            return false;
        p = q[i] + 1;
    }
    return true;
}

/* Is it certain that the quote closes its field?  A blank or the end follows it. */
static inline bool closes(const char *q, const char *end)
{
    return (q + 1 == end || q[1] == ' ') && q[-1] != '\\';
}

/* " ddd bytes " between two quotes. */
static inline bool take_plain_status(const char *close, const char *open, lk_clf *out)
{
    const char *p = close + 2;

    if (open - close < 8 || !is_digit(p[0]) || !is_digit(p[1]) || !is_digit(p[2]) || p[3] != ' ')
        return false;
    out->status = status_value(p, 3);
    return lk_seek(p + 4, open, ' ') == open - 1 && open - 1 > p + 4;
}

/* The fields of a combined line as most lines are: six quotes where they are expected, and none that needs
 * thought.  False: the line may be one all the same. */
static inline bool lk_clf_split_plain(lk_slice line, const lk_quotes *known, lk_clf *out)
{
    const char *end = line.p + line.len, *q[PLAIN_QUOTES];

    if (line.len == 0 || !plain_quotes(line, known, q) ||
        take_plain_head(line.p, end, out) != q[0] + 1)
        return false;
    if (!closes(q[1], end) || !take_plain_status(q[1], q[2], out) || !closes(q[3], end) ||
        q[4] != q[3] + 2 || !closes(q[5], end))
        return false;
    out->request = between(q[0] + 1, q[1]);
    out->agent = between(q[4] + 1, q[5]);
    out->tail = between(skip_blank(q[5] + 1, end), end);
    out->host = LK_SLICE_NONE;
    out->has_agent = true;
    out->columns_before = 9;
    return true;
}

#endif
