/* The development servers of Python: werkzeug (Flask) and http.server.
 *
 *     ip - - [30/Nov/2026 03:25:00] "GET / HTTP/1.1" 200 -
 *
 * The stamp has a blank where others have a colon and no zone; it is that of the end.  Logging may
 * put "INFO:werkzeug:" in front, and a terminal colours around the request.
 *
 * Source: Python http.server, log_request(); werkzeug serving.py.  */
#include "base/seek.h"
#include "format/request.h"
#include "format/rows.h"
#include "format/tokens.h"

enum { STAMP_LEN = sizeof("30/Nov/2026 03:25:00") - 1, COLOUR_MAX = 8 };

static bool reject(lk_reject *why, lk_reject reason)
{
    *why = reason;
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "[30/Nov/2026 03:25:00]" with any digits, behind a blank. */
static const char *find_stamp(lk_slice line)
{
    const char *end = line.p + line.len;

    for (const char *p = line.p; (p = lk_seek_before_digit(p, end, '[')); p++)
        if (p > line.p && p[-1] == ' ' && end - p > STAMP_LEN + 2 && is_digit(p[1]) &&
            is_digit(p[2]) && p[3] == '/' && p[7] == '/' && p[12] == ' ' && p[15] == ':' &&
            p[18] == ':' && p[STAMP_LEN + 1] == ']' && p[STAMP_LEN + 2] == ' ')
            return p;
    return NULL;
}

/* "INFO:werkzeug:127.0.0.1" */
static lk_slice without_logger(lk_slice caller)
{
    static const char MARK[] = ":werkzeug:";
    const size_t len = sizeof(MARK) - 1;

    for (size_t i = 0; i + len < caller.len; i++)
        if (lk_slice_starts(lk_slice_skip(caller, i), MARK))
            return lk_slice_skip(caller, i + len);
    return caller;
}

/* Past one "ESC[31m" at the front. */
static bool drop_colour(lk_slice *s)
{
    size_t n = 2;

    if (s->len < 3 || s->p[0] != '\x1b' || s->p[1] != '[')
        return false;
    while (n < s->len && n < COLOUR_MAX && (is_digit(s->p[n]) || s->p[n] == ';'))
        n++;
    if (n == s->len || s->p[n] != 'm')
        return false;
    *s = lk_slice_skip(*s, n + 1);
    return true;
}

static lk_slice without_colours(lk_slice request)
{
    const char *reset;

    while (drop_colour(&request))
        ;
    reset = lk_find_byte(request.p, request.p + request.len, '\x1b');
    return reset ? lk_between(request.p, reset) : request;
}

static lk_slice caller_before(lk_slice line, const char *stamp)
{
    lk_slice token = LK_SLICE_NONE;

    for (size_t i = 0; i < 3; i++)
        token = lk_token_take_last(line.p, &stamp);
    return without_logger(token);
}

static bool parse_werkzeug(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                           lk_reject *why)
{
    const char *end = line.p + line.len, *stamp = find_stamp(line), *open, *close;

    (void)l;
    (void)c;
    if (!stamp)
        return reject(why, LK_REJECT_UNRECOGNISED);
    open = stamp + STAMP_LEN + 3;
    if (open == end)
        return reject(why, LK_REJECT_CUT);
    if (*open != '"') /* "code 404, message Not Found": told before the line of the request */
        return reject(why, LK_REJECT_UNRECOGNISED);
    close = lk_request_close(open, end);
    if (!close)
        return reject(why, lk_find_byte(open + 1, end, '"') ? LK_REJECT_STATUS : LK_REJECT_CUT);
    if (end[-1] != '-' || end[-2] != ' ') /* the size is never known */
        return reject(why, LK_REJECT_UNRECOGNISED);
    lk_fields_init(out);
    if (!lk_stamp_zoneless(lk_between(stamp + 1, stamp + 1 + STAMP_LEN), &out->stamp_ns,
                           &out->fraction) ||
        !lk_stamp_is_plausible(out->stamp_ns))
        return reject(why, LK_REJECT_TIMESTAMP);
    open++;
    out->caller = lk_caller_address(caller_before(line, stamp));
    (void)lk_request_read(without_colours(lk_between(open, close)), out);
    open = close + 1;
    if (!lk_token_status(lk_token_take(&open, end), &out->status))
        return reject(why, LK_REJECT_STATUS);
    out->moment = LK_MOMENT_END;
    out->zoneless = true;
    return true;
}

static bool observe_werkzeug(lk_sniffer *s, lk_parse_cache *c, lk_slice line, lk_fields *out)
{
    lk_reject why;

    (void)s;
    return parse_werkzeug(NULL, c, line, out, &why);
}

static void decide_werkzeug(const lk_sniffer *s, lk_layout *out)
{
    (void)s;
    out->moment = LK_MOMENT_END;
}

const lk_format LK_FORMAT_WERKZEUG = {
    .name = "werkzeug",
    .moment = "end",
    .resolution = "1 s",
    .help = "werkzeug (Flask) and Python's http.server",
    .parse = parse_werkzeug,
    .observe = observe_werkzeug,
    .decide = decide_werkzeug,
};
