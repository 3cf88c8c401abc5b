/* A JSON object around a line.
 *
 *     {"log":"line\n","stream":"stdout","time":"2026-11-30T03:25:00.39Z"}       docker's json-file
 *     {"MESSAGE":"line","__REALTIME_TIMESTAMP":"1796010095803918",...}          journalctl -o json
 *     {"message":"line","@timestamp":"...",...}                                 log shippers
 *
 * journald writes a message that is no plain text as an array of its bytes.  docker cuts long lines:
 * one without its end of line goes on in the next object of the same stream.  Its drivers for other
 * stores mark such parts; so does journald where a line was longer than it takes.
 *
 * Source: docker's json-file and journald drivers; systemd, JOURNAL_EXPORT_FORMATS;
 *         systemd.journal-fields(7).  */
#include "base/hash.h"
#include "base/seek.h"
#include "format/json_lines.h"
#include "format/wrap.h"

#include <string.h>

typedef struct member {
    lk_slice key, value; /* value: between the quotes of a string, else all of it */
    bool quoted;
} member;

/* ---- members ---- */

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
        p++;
    return p;
}

/* p stands on the quote; gives what is behind the closing one, NULL when it never comes. */
static const char *take_string(const char *p, const char *end, lk_slice *text)
{
    const char *first = p + 1;

    for (p = lk_seek_quote(first, end); p < end && *p == '\\'; p = lk_seek_quote(p, end))
        do
            p += 2;
        while (p < end && *p == '\\');
    if (p >= end)
        return NULL;
    *text = (lk_slice){ first, (size_t)(p - first) };
    return p + 1;
}

/* Brackets of either kind are counted, strings stepped over. */
static const char *skip_nested(const char *p, const char *end)
{
    size_t depth = 0;
    lk_slice text;

    while (p < end) {
        if (*p == '"') {
            p = take_string(p, end, &text);
            if (!p)
                return NULL;
            continue;
        }
        if (*p == '{' || *p == '[')
            depth++;
        else if ((*p == '}' || *p == ']') && --depth == 0)
            return p + 1;
        p++;
    }
    return NULL;
}

static const char *take_value(const char *p, const char *end, member *m)
{
    const char *first = p;

    m->quoted = *p == '"';
    if (m->quoted)
        return take_string(p, end, &m->value);
    if (*p == '{' || *p == '[') {
        p = skip_nested(p, end);
        m->value = (lk_slice){ first, p ? (size_t)(p - first) : 0 };
        return p;
    }
    while (p < end && *p != ',' && *p != '}')
        p++;
    m->value = lk_wrap_trimmed((lk_slice){ first, (size_t)(p - first) });
    return p;
}

/* *p stands behind the brace or behind a value.  END: the object is over, and nothing follows. */
static lk_step next_member(const char **at, const char *end, member *m)
{
    const char *p = skip_blanks(*at, end);

    if (p < end && *p == ',')
        p = skip_blanks(p + 1, end);
    if (p < end && *p == '}') {
        p = skip_blanks(p + 1, end);
        if (p < end && *p == ',') /* of an array that is written one object a line */
            p = skip_blanks(p + 1, end);
        return p == end ? LK_STEP_END : LK_STEP_FAIL;
    }
    if (p >= end || *p != '"' || !(p = take_string(p, end, &m->key)))
        return LK_STEP_FAIL;
    p = skip_blanks(p, end);
    if (p >= end || *p != ':')
        return LK_STEP_FAIL;
    p = skip_blanks(p + 1, end);
    if (p >= end || !(p = take_value(p, end, m)))
        return LK_STEP_FAIL;
    *at = p;
    return LK_STEP_ITEM;
}

/* ---- what a member says ---- */

typedef enum meaning {
    LINE,   /* the line, or an object that is it */
    STAMP,
    STREAM,
    SOURCE, /* who wrote it */
    PART,   /* true: it goes on */
    LAST,   /* true: it does not, whatever PART says */
    LINE_BREAK
} meaning;

enum { NO_RANK = 255 };

/* Of several for one meaning the first of the table counts. */
/* clang-format off */
static const struct { const char *key; meaning means; } KEYS[] = {
    { "log",                        LINE },
    { "MESSAGE",                    LINE },
    { "message",                    LINE },
    { "msg",                        LINE },
    { "@message",                   LINE },
    { "textPayload",                LINE },
    { "full_message",               LINE },
    { "short_message",              LINE },
    { "line",                       LINE },
    { "_raw",                       LINE },
    { "jsonPayload",                LINE },
    { "event.original",             LINE },
    { "_SOURCE_REALTIME_TIMESTAMP", STAMP },
    { "__REALTIME_TIMESTAMP",       STAMP },
    { "time",                       STAMP },
    { "@timestamp",                 STAMP },
    { "timestamp",                  STAMP },
    { "ts",                         STAMP },
    { "date",                       STAMP },
    { "stream",                     STREAM },
    { "container_id",               SOURCE },
    { "CONTAINER_ID_FULL",          SOURCE },
    { "_PID",                       SOURCE },
    { "CONTAINER_PARTIAL_MESSAGE",  PART },
    { "partial_message",            PART },
    { "CONTAINER_PARTIAL_LAST",     LAST },
    { "partial_last",               LAST },
    { "_LINE_BREAK",                LINE_BREAK },
};
/* clang-format on */

typedef struct object {
    member line, stamp;
    unsigned line_rank, stamp_rank; /* rows of KEYS; NO_RANK = none so far */
    lk_slice stream;
    uint64_t source;
    bool goes_on, ends;
} object;

static bool keep_better(member *kept, unsigned *rank, const member *m, unsigned row)
{
    if (row >= *rank)
        return false;
    *kept = *m;
    *rank = row;
    return true;
}

static void keep(object *o, const member *m, unsigned row)
{
    switch (KEYS[row].means) {
    case LINE: (void)keep_better(&o->line, &o->line_rank, m, row); break;
    case STAMP: (void)keep_better(&o->stamp, &o->stamp_rank, m, row); break;
    case STREAM: o->stream = m->value; break;
    case SOURCE: o->source ^= lk_hash(m->value.p, m->value.len); break;
    case PART: o->goes_on |= lk_slice_is(m->value, "true"); break;
    case LAST: o->ends |= lk_slice_is(m->value, "true"); break;
    case LINE_BREAK: o->goes_on |= lk_slice_is(m->value, "line-max"); break;
    }
}

static unsigned row_of(lk_slice key)
{
    for (unsigned i = 0; i < sizeof(KEYS) / sizeof(KEYS[0]); i++)
        if (lk_slice_is(key, KEYS[i].key))
            return i;
    return NO_RANK;
}

/* A line may be a string, an object or, of journald, an array. */
static bool may_be_line(const member *m, unsigned row)
{
    return KEYS[row].means != LINE || m->quoted || (m->value.len > 0 && m->value.p[0] == '{') ||
           (m->value.len > 0 && m->value.p[0] == '[' && lk_slice_is(m->key, "MESSAGE"));
}

static bool read_object(lk_slice line, object *o)
{
    const char *p = line.p + 1, *end = line.p + line.len;
    lk_step got;
    member m;

    *o = (object){ .line_rank = NO_RANK, .stamp_rank = NO_RANK };
    if (line.len < 2 || line.p[0] != '{')
        return false;
    while ((got = next_member(&p, end, &m)) == LK_STEP_ITEM) {
        unsigned row = row_of(m.key);

        if (row != NO_RANK && may_be_line(&m, row))
            keep(o, &m, row);
    }
    return got == LK_STEP_END && o->line_rank != NO_RANK;
}

/* ---- the line inside ---- */

/* "[49,50,...]" */
static bool take_bytes(lk_slice list, lk_room *room, lk_slice *out)
{
    const char *p = list.p + 1, *end = list.p + list.len - 1;
    char *bytes = lk_room_reserve(room, list.len);
    size_t n = 0;

    if (!bytes)
        return false;
    while (p < end) {
        unsigned value = 0, digits = 0;

        for (; p < end && *p >= '0' && *p <= '9' && digits < 3; p++, digits++)
            value = value * 10 + (unsigned)(*p - '0');
        if (digits == 0 || value > 255)
            return false;
        bytes[n++] = (char)value;
        p = skip_blanks(p, end);
        if (p < end && *p++ != ',')
            return false;
        p = skip_blanks(p, end);
    }
    *out = (lk_slice){ bytes, n };
    return true;
}

static bool take_line(const member *m, lk_room *room, lk_slice *out)
{
    char *text;

    if (!m->quoted && m->value.p[0] == '[')
        return take_bytes(m->value, room, out);
    if (!m->quoted || !memchr(m->value.p, '\\', m->value.len)) {
        *out = m->value;
        return true;
    }
    text = lk_room_reserve(room, m->value.len);
    if (!text)
        return false;
    *out = (lk_slice){ text, lk_json_unescape(m->value, text, m->value.len) };
    return true;
}

static bool ends_line(lk_slice s)
{
    return s.len > 0 && s.p[s.len - 1] == '\n';
}

static lk_part part_of(const object *o, lk_slice text, bool keeps_ends)
{
    if (o->goes_on && !o->ends)
        return LK_PART_MARKED;
    return keeps_ends && !ends_line(text) ? LK_PART_GUESSED : LK_PART_WHOLE;
}

static bool peel(const object *o, bool keeps_ends, lk_room *room, lk_peeled *out)
{
    *out = (lk_peeled){ .source = o->source };
    if (!take_line(&o->line, room, &out->text))
        return false;
    out->part = part_of(o, out->text, keeps_ends);
    out->is_ended = keeps_ends && ends_line(out->text);
    if (out->part == LK_PART_WHOLE)
        out->text = lk_wrap_trimmed(out->text);
    if (o->stamp_rank != NO_RANK)
        out->stamp = (lk_outer_stamp){ o->stamp.value, LK_OUTER_TEXT };
    if (o->stream.len > 0)
        out->source ^= lk_hash(o->stream.p, o->stream.len);
    return true;
}

static bool is_key(unsigned rank, const char *key)
{
    return rank != NO_RANK && strcmp(KEYS[rank].key, key) == 0;
}

static bool peel_docker(lk_slice line, lk_room *room, lk_peeled *out)
{
    object o;

    return read_object(line, &o) && is_key(o.line_rank, "log") && o.line.quoted &&
           o.stream.len > 0 && is_key(o.stamp_rank, "time") && peel(&o, true, room, out);
}

static bool peel_journald(lk_slice line, lk_room *room, lk_peeled *out)
{
    object o;

    return read_object(line, &o) && is_key(o.line_rank, "MESSAGE") && peel(&o, false, room, out);
}

static bool peel_json(lk_slice line, lk_room *room, lk_peeled *out)
{
    object o;

    return read_object(line, &o) && peel(&o, false, room, out);
}

const lk_wrapper LK_WRAP_DOCKER = {
    .name = "docker",
    .help = "docker's json-file, parts joined",
    .is_sure = true,
    .peel = peel_docker,
};

const lk_wrapper LK_WRAP_JOURNALD = {
    .name = "journald",
    .help = "journalctl -o json, the message as text or as bytes",
    .is_sure = true,
    .peel = peel_journald,
};

const lk_wrapper LK_WRAP_JSON = {
    .name = "json",
    .help = "JSON with the line in log, message, msg, textPayload, ...; parts that are marked joined",
    .peel = peel_json,
};
