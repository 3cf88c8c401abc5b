/* Heroku's router.
 *
 *     END heroku[router]: at=info method=GET path="/" host=h request_id=u fwd="client, proxies"
 *     dyno=web.1 connect=1ms service=30ms status=200 bytes=0 protocol=https
 *
 * A log drain writes `<158>1 END host heroku router - at=...`.  Error H27 is a client that left
 * first; the answer to the others (H12, a timeout) is the router's own 503.
 *
 * Source: Heroku's documentation of HTTP routing and error codes.  */
#include "base/time.h"
#include "format/logfmt.h"
#include "format/request.h"
#include "format/rows.h"
#include "format/tokens.h"
#include "format/value.h"

#include <stddef.h>
#include <string.h>

enum { HEAD_MAX = 200, STAMP_WORDS = 3 };

typedef struct heroku_line {
    lk_slice code, method, path, host, request_id, fwd, connect, service, status;
} heroku_line;

/* clang-format off */
static const struct { const char *key; size_t at; } MEMBERS[] = {
    { "code",       offsetof(heroku_line, code) },
    { "method",     offsetof(heroku_line, method) },
    { "path",       offsetof(heroku_line, path) },
    { "host",       offsetof(heroku_line, host) },
    { "request_id", offsetof(heroku_line, request_id) },
    { "fwd",        offsetof(heroku_line, fwd) },
    { "connect",    offsetof(heroku_line, connect) },
    { "service",    offsetof(heroku_line, service) },
    { "status",     offsetof(heroku_line, status) },
};
/* clang-format on */

static bool parse_heroku(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                         lk_reject *why);

static bool reject(lk_reject *why, lk_reject reason)
{
    *why = reason;
    return false;
}

/* Behind "heroku[router]: " or "heroku router - ", near the front of the line. */
static const char *find_members(lk_slice line)
{
    static const char *const MARKS[] = { "heroku[router]: at=", "heroku router - at=" };
    const char *end = line.p + line.len, *last = line.len > HEAD_MAX ? line.p + HEAD_MAX : end;

    for (const char *p = line.p; (p = lk_find_byte(p, last, 'h')); p++)
        for (size_t i = 0; i < sizeof(MARKS) / sizeof(MARKS[0]); i++)
            if (lk_slice_starts(lk_between(p, end), MARKS[i]))
                return p + strlen(MARKS[i]) - strlen("at=");
    return NULL;
}

static void keep(const lk_member *m, heroku_line *out)
{
    for (size_t i = 0; i < sizeof(MEMBERS) / sizeof(MEMBERS[0]); i++)
        if (m->has_value && lk_slice_is(m->key, MEMBERS[i].key))
            memcpy((char *)out + MEMBERS[i].at, &m->value, sizeof(m->value));
}

/* One of the first words. */
static bool read_stamp(const char *p, const char *end, lk_fields *out)
{
    for (size_t i = 0; i < STAMP_WORDS; i++)
        if (lk_time_rfc3339(lk_token_take(&p, end), &out->stamp_ns, &out->fraction))
            return lk_stamp_is_plausible(out->stamp_ns);
    return false;
}

/* The router's time is that of connecting and of being served. */
static int64_t took_of(const heroku_line *h)
{
    int64_t service, connect;

    if (!lk_value_span(h->service, &service))
        return -1;
    return lk_value_span(h->connect, &connect) ? service + connect : service;
}

static bool parse_heroku(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                         lk_reject *why)
{
    const char *end = line.p + line.len, *p = find_members(line);
    heroku_line h = { .code = LK_SLICE_NONE };
    lk_member m;

    (void)c;
    if (!p)
        return reject(why, LK_REJECT_UNRECOGNISED);
    lk_fields_init(out);
    if (!read_stamp(line.p, p, out))
        return reject(why, p == line.p ? LK_REJECT_NO_TIME : LK_REJECT_TIMESTAMP);
    while (lk_member_take(&p, end, &m))
        keep(&m, &h);
    if (!h.status.p)
        return reject(why, LK_REJECT_CUT);
    if (h.status.len != 3 || !lk_token_status(h.status, &out->status))
        return reject(why, LK_REJECT_STATUS);
    out->moment = LK_MOMENT_END;
    out->took_ns = took_of(&h);
    out->caller = lk_caller_address(lk_first_of_list(h.fwd));
    out->method = h.method;
    lk_target_read(h.path, out);
    out->host = h.host;
    out->gave_up = lk_slice_is(h.code, "H27");
    if (l && l->format && l->format->parse == parse_heroku && !lk_value_is_absent(h.request_id))
        out->id[0] = h.request_id;
    return true;
}

static bool observe_heroku(lk_sniffer *s, lk_parse_cache *c, lk_slice line, lk_fields *out)
{
    lk_reject why;

    (void)s;
    return parse_heroku(NULL, c, line, out, &why);
}

static void each_member(const lk_layout *l, lk_parse_cache *c, lk_slice line,
                        lk_field_visit *visit, void *ctx)
{
    const char *end = line.p + line.len, *p = find_members(line);
    lk_member m;

    (void)l;
    (void)c;
    while (p && lk_member_take(&p, end, &m))
        if (m.has_value)
            visit(ctx, m.key, m.value);
}

/* The client's X-Request-ID where it sent one, else one for each attempt. */
static void decide_heroku(const lk_sniffer *s, lk_layout *out)
{
    static const char NAME[] = "request_id";

    (void)s;
    out->moment = LK_MOMENT_END;
    memcpy(out->id_name[0], NAME, sizeof(NAME));
    out->id_is_call[0] = false;
    out->id_count = 1;
}

const lk_format LK_FORMAT_HEROKU = {
    .name = "heroku",
    .moment = "end",
    .resolution = "1 us",
    .help = "Heroku's router",
    .parse = parse_heroku,
    .each = each_member,
    .observe = observe_heroku,
    .decide = decide_heroku,
};
