/* The row of application servers that write no time by themselves, where what is around the line has one:
 * uvicorn and morgan's short forms in containers, in syslog or behind a stamp.
 *
 *     INFO:     203.0.113.7:51234 - "GET /p HTTP/1.1" 200 OK
 *     GET /p 200 1.234 ms - 5
 *
 * They write when the request ends, and the stamp around is that of the writing.
 *
 * Source: uvicorn logging.py; expressjs/morgan index.js.  */
#include "base/time.h"
#include "format/request.h"
#include "format/rows.h"
#include "format/timeless.h"
#include "format/tokens.h"
#include "format/value.h"

enum { ROOM_MAX = 1024 };

static void read_words(const lk_timeless_places *at, const lk_slice *words, lk_fields *out)
{
    lk_slice method = words[at->method];

    if (at->caller >= 0)
        out->caller = lk_caller_address(words[at->caller]);
    out->method = lk_slice_skip(method, method.p[0] == '"');
    lk_target_read(words[at->target], out);
    if (!lk_token_status(words[at->status], &out->status))
        out->status = LK_STATUS_UNKNOWN;
    if (at->took_ms >= 0)
        (void)lk_value_units(words[at->took_ms], LK_NS_PER_MS, &out->took_ns);
}

static bool parse_app(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                      lk_reject *why)
{
    lk_slice words[LK_TIMELESS_WORDS];
    const lk_timeless_places *at;
    size_t max = ROOM_MAX;
    char *room;

    (void)l;
    *why = LK_REJECT_UNRECOGNISED;
    if (!c->outer || !c->outer->is_known || line.len > ROOM_MAX)
        return false;
    c->text_len = 0;
    room = lk_cache_room(c, &max);
    at = lk_timeless_split(line, room, max, words);
    if (!at)
        return false;
    *why = LK_REJECT_NONE;
    lk_cache_keep(c, line.len);
    lk_fields_init(out);
    read_words(at, words, out);
    out->stamp_ns = c->outer->at_ns;
    out->fraction = c->outer->fraction;
    out->zoneless = c->outer->zoneless;
    out->moment = LK_MOMENT_END;
    out->by_wrapper = true;
    return true;
}

static bool observe_app(lk_sniffer *s, lk_parse_cache *c, lk_slice line, lk_fields *out)
{
    lk_reject why;

    (void)s;
    return parse_app(NULL, c, line, out, &why);
}

static void decide_app(const lk_sniffer *s, lk_layout *out)
{
    (void)s;
    out->moment = LK_MOMENT_END;
}

const lk_format LK_FORMAT_APP = {
    .name = "app",
    .moment = "end",
    .resolution = "as around it",
    .help = "uvicorn, morgan dev, tiny and short, where a container, syslog or a stamp is around them",
    .parse = parse_app,
    .observe = observe_app,
    .decide = decide_app,
};
