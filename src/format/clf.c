#include "format/clf.h"

#include "base/seek.h"
#include "format/clf_plain.h"
#include "format/request.h"

#include <string.h>

enum { STAMP_TEXT_MAX = 64 };

static const char *find(const char *p, const char *end, char c)
{
    return p < end ? memchr(p, c, (size_t)(end - p)) : NULL;
}

static bool reject(lk_reject *why, lk_reject reason)
{
    *why = reason;
    return false;
}

/* ---- quoted fields ---- */

static bool is_escaped(const char *first, const char *quote)
{
    const char *p = quote;

    while (p > first && p[-1] == '\\')
        p--;
    return (quote - p) % 2 == 1;
}

const char *lk_quoted_end(const char *p, const char *end)
{
    const char *first = p + 1, *q = p;

    while ((q = lk_seek(q + 1, end, '"')))
        if ((q + 1 == end || q[1] == ' ') && !is_escaped(first, q))
            return q + 1;
    return NULL;
}

/* ---- the status ---- */

/* Three digits, or the "0" of servers that sent nothing, then a blank or the end. */
static size_t status_len(const char *p, const char *end)
{
    size_t left = (size_t)(end - p);

    if (left >= 3 && is_digit(p[0]) && is_digit(p[1]) && is_digit(p[2]) &&
        (left == 3 || p[3] == ' '))
        return 3;
    return left >= 1 && p[0] == '0' && (left == 1 || p[1] == ' ') ? 1 : 0;
}

/* What stands where no status is known: "-", "-1", or a code of four digits that is none of HTTP's. */
static size_t unknown_status_len(const char *p, const char *end)
{
    const char *blank = find(p, end, ' ');
    size_t len = (size_t)((blank ? blank : end) - p);

    if (len == 1 || (len == 2 && p[1] == '1'))
        return p[0] == '-' ? len : 0;
    return len == 4 && is_digit(p[0]) && is_digit(p[1]) && is_digit(p[2]) && is_digit(p[3]) ? len : 0;
}

/* ---- host and stamp ---- */

static const char *find_stamp(const char *first, const char *end)
{
    const char *p = first;

    for (; (p = lk_seek_before_digit(p, end, '[')); p++)
        if (opens_stamp(p, end) && (p == first || p[-1] == ' '))
            return p;
    return NULL;
}

/* Is it a line of the family whose stamp has another form?  host ... [anything] "..." */
static lk_reject why_no_stamp(lk_slice line)
{
    const char *end = line.p + line.len, *p = find(line.p, end, '['), *close;

    if (!p || p == line.p || p[-1] != ' ')
        return LK_REJECT_UNRECOGNISED;
    close = find(p, end, ']');
    if (!close || end - close < 3 || close[1] != ' ' || close[2] != '"')
        return LK_REJECT_UNRECOGNISED;
    return lk_quoted_end(close + 2, end) ? LK_REJECT_TIMESTAMP : LK_REJECT_UNRECOGNISED;
}

static lk_slice take_token(const char **p, const char *end)
{
    const char *first, *blank;

    while (*p < end && **p == ' ')
        (*p)++;
    first = *p;
    blank = find(first, end, ' ');
    *p = blank ? blank : end;
    return between(first, *p);
}

static bool looks_like_address(lk_slice s)
{
    size_t colons = 0;

    for (size_t i = 0; i < s.len; i++) {
        char c = s.p[i];

        colons += c == ':';
        if (!is_digit(c) && c != '.' && c != ':' && !(c >= 'a' && c <= 'f') &&
            !(c >= 'A' && c <= 'F'))
            return false;
    }
    return colons >= 2 ||
           (s.len >= 7 && colons == 0 && is_digit(s.p[0]) && memchr(s.p, '.', s.len));
}

static bool has_port(lk_slice s)
{
    size_t digits = 0;

    while (digits < s.len && is_digit(s.p[s.len - 1 - digits]))
        digits++;
    return digits > 0 && digits + 1 < s.len && s.p[s.len - 1 - digits] == ':';
}

/* "vhost:port host ident user" or "vhost address ident user": is the second column the caller? */
static bool begins_with_vhost(lk_slice first, lk_slice second)
{
    if (looks_like_address(second))
        return true;
    return has_port(first) && !looks_like_address(first) && first.p[0] != '[' &&
           !(second.len == 1 && second.p[0] == '-');
}

/* Where the ident stands: "example.com", "127.0.0.1:8680", "localhost:80". */
static bool is_vhost(lk_slice ident)
{
    return has_port(ident) || (ident.len > 0 && memchr(ident.p, '.', ident.len));
}

static void take_host(const char *p, const char *end, lk_clf *out)
{
    lk_slice first = take_token(&p, end), second, third, fourth;

    out->caller = first;
    while (first.len > 1 && first.p[first.len - 1] == ',') /* a list of proxies: its first */
        first = take_token(&p, end);
    if (first.p != out->caller.p)
        return;
    if (p + 1 >= end)
        return;
    if (p[1] == '-' && p + 2 < end && p[2] == ' ') /* the usual ident; saves looking further */
        return;
    second = take_token(&p, end);
    third = take_token(&p, end);
    fourth = take_token(&p, end);
    if (fourth.len > 0 && begins_with_vhost(first, second)) {
        out->caller = second;
        out->host = first;
        out->columns_before++;
    } else if (third.len == 0 && looks_like_address(second)) { /* a word before the host */
        out->caller = second;
    } else if (fourth.len == 0 && is_vhost(second)) {
        out->host = second;
    }
}

/* ---- request, status and what follows ---- */

/* HTTP/1.1" - : the end of a request whose status is not known, though a number may follow further
 * on.  varnishncsa writes so what it handed on without looking (pipe). */
static bool ends_without_status(const char *first, const char *q, const char *end)
{
    return q - first >= 8 && q[-4] == '/' && q[-2] == '.' && memcmp(q - 8, "HTTP", 4) == 0 &&
           end - q > 2 && q[1] == ' ' && unknown_status_len(q + 2, end) > 0;
}

/* The request ends at the first quote that a status follows, whatever it holds. */
static const char *request_end(const char *open, const char *end)
{
    const char *q = open, *first = open + 1, *unescaped = NULL;

    while ((q = find(q + 1, end, '"'))) {
        if (q + 2 < end && q[1] == ' ' && status_len(q + 2, end) > 0) {
            if (!is_escaped(first, q))
                return q;
            if (!unescaped) /* a server that escapes quotes but not backslashes */
                unescaped = q;
        } else if (ends_without_status(first, q, end)) {
            return unescaped ? unescaped : q;
        }
    }
    return unescaped;
}

/* Why no status follows the request: there is none in the line, or the line is not all there. */
static lk_reject why_no_status(const char *open, const char *end)
{
    const char *close = lk_quoted_end(open, end);

    return close && end - close >= 2 ? LK_REJECT_STATUS : LK_REJECT_CUT;
}

/* At p: "referer" "agent" and the tail. */
static void take_rest(const char *p, const char *end, lk_clf *out)
{
    const char *referer_end, *agent, *agent_end;

    out->tail = between(p, end);
    if (p == end || *p != '"')
        return;
    referer_end = lk_quoted_end(p, end);
    if (!referer_end) { /* the line ends in the middle of it */
        out->tail = LK_SLICE_NONE;
        return;
    }
    agent = skip_blank(referer_end, end);
    if (agent == end || *agent != '"')
        return;
    out->has_agent = true;
    out->columns_before += 2;
    agent_end = lk_quoted_end(agent, end);
    if (!agent_end) { /* here too: not a name to count by */
        out->tail = LK_SLICE_NONE;
        return;
    }
    out->agent = between(agent + 1, agent_end - 1);
    out->tail = between(skip_blank(agent_end, end), end);
}

static bool take_status(const char *open, const char *end, lk_clf *out, lk_reject *why)
{
    const char *close = request_end(open, end), *p;
    size_t len;

    if (!close)
        return reject(why, why_no_status(open, end));
    out->request = between(open + 1, close);
    p = close + 2;
    len = status_len(p, end);
    if (len == 0)
        len = unknown_status_len(p, end);
    out->status = status_value(p, len);
    p = skip_blank(p + len, end);
    if (p < end && *p != '"') { /* bytes */
        (void)take_token(&p, end);
        p = skip_blank(p, end);
    }
    take_rest(p, end, out);
    return true;
}

bool lk_clf_split_careful(lk_slice line, lk_clf *out, lk_reject *why)
{
    const char *end = line.p + line.len, *open, *close;

    *out = (lk_clf){ .columns_before = 7 };
    open = find_stamp(line.p, end);
    if (!open)
        return reject(why, why_no_stamp(line));
    close = find(open, end, ']');
    if (!close || close - open > STAMP_TEXT_MAX)
        return reject(why, end - open < STAMP_TEXT_MAX ? LK_REJECT_CUT : LK_REJECT_TIMESTAMP);
    out->stamp = between(open + 1, close);
    take_host(line.p, open, out);
    open = skip_blank(close + 1, end);
    if (open == end)
        return reject(why, LK_REJECT_CUT);
    if (*open != '"')
        return reject(why, LK_REJECT_UNRECOGNISED);
    return take_status(open, end, out, why);
}

bool lk_clf_split_known(lk_slice line, const lk_quotes *quotes, lk_clf *out, lk_reject *why)
{
    return lk_clf_split_plain(line, quotes, out) || lk_clf_split_careful(line, out, why);
}

bool lk_clf_split(lk_slice line, lk_clf *out, lk_reject *why)
{
    return lk_clf_split_known(line, &LK_QUOTES_UNKNOWN, out, why);
}

void lk_clf_widen_agent(lk_clf *clf)
{
    const char *first = clf->agent.p, *end, *p;

    if (!first || clf->tail.len == 0)
        return;
    end = clf->tail.p + clf->tail.len;
    p = end;
    while (p > first && p[-1] != '"')
        p--;
    if (p == first)
        return;
    clf->agent = between(first, p - 1);
    clf->tail = between(skip_blank(p, end), end);
}
