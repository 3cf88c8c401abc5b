#include "format/custom.h"

#include "format/custom_part.h"
#include "format/json_keys.h"

#include <string.h>

/* ---- building rows ---- */

lk_code lk_custom_fail(const lk_custom_builder *b, const char *at, const char *what, lk_slice name)
{
    return lk_fail(b->e, LK_EUSAGE, "log format: %s '%.*s' at column %zu", what,
                   (int)(name.len < 60 ? name.len : 60), name.p ? name.p : "",
                   (size_t)(at - b->text) + 1);
}

static bool put_bytes(lk_custom *out, const char *p, size_t len)
{
    if (len > LK_CUSTOM_TEXT - out->text_len)
        return false;
    memcpy(out->text + out->text_len, p, len);
    out->text_len += len;
    return true;
}

static lk_code too_long(const lk_custom_builder *b)
{
    return lk_fail(b->e, LK_EUSAGE, "log format is too long: more than %d bytes or %d fields",
                   (int)LK_CUSTOM_TEXT, (int)LK_CUSTOM_ROWS_MAX);
}

lk_code lk_custom_add_text(lk_custom_builder *b, lk_slice text)
{
    return put_bytes(b->out, text.p, text.len) ? LK_OK : too_long(b);
}

static char unescaped(char c)
{
    switch (c) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return c;
    }
}

lk_code lk_custom_take_text(lk_custom_builder *b, const char **p, char mark)
{
    for (; **p && **p != mark; ++*p) {
        char c = **p;

        if (c == '\\' && (*p)[1] != '\0')
            c = unescaped(*++*p);
        LK_TRY(lk_custom_add_text(b, (lk_slice){ &c, 1 }));
    }
    return LK_OK;
}

/* ---- fields with nothing between them ---- */

static bool is_dropped(uint8_t field)
{
    return field == LK_CUSTOM_IGNORE || field == LK_CUSTOM_QUERY || field == LK_CUSTOM_ARGS;
}

static bool ends_by_form(uint8_t field)
{
    return field >= LK_CUSTOM_TIME_FORM;
}

/* Where does `last` end, with `next` right behind it?  *merge: in one with it. */
static bool may_touch(lk_custom_row *last, lk_custom_field next, bool *merge)
{
    *merge = is_dropped(last->field) && (next == LK_CUSTOM_IGNORE || next == LK_CUSTOM_ARGS);
    if (*merge || ends_by_form(last->field))
        return true;
    if (next == LK_CUSTOM_QUERY)
        last->stop = '?';
    else if (next == LK_CUSTOM_TARGET)
        last->stop = '/';
    return last->stop != '\0';
}

/* ---- one field ---- */

static bool put_name(lk_custom *out, lk_slice text, uint16_t *at)
{
    *at = (uint16_t)out->text_len;
    return put_bytes(out, text.p ? text.p : "", text.len) && put_bytes(out, "", 1);
}

static void note_parts(lk_custom_builder *b, const lk_custom_spec *spec)
{
    const char *at;

    if (spec->field < LK_CUSTOM_TIME_CLF || spec->field >= LK_CUSTOM_FRACTION_MS)
        return;
    if (spec->field != LK_CUSTOM_TIME_FORM)
        b->parts[spec->end] = LK_CUSTOM_PART_ALL;
    else
        (void)lk_custom_form_parts(spec->form, &b->parts[spec->end], &at);
}

lk_code lk_custom_add_field(lk_custom_builder *b, const lk_custom_spec *spec)
{
    lk_custom *out = b->out;
    lk_custom_row *row = &out->rows[out->count];
    size_t before_len = out->text_len - b->text_begin;
    bool merge = false;

    if (before_len == 0 && out->count > 0 && !may_touch(row - 1, spec->field, &merge))
        return lk_custom_fail(b, spec->name.p, "nothing stands before the field", spec->name);
    if (merge)
        return LK_OK;
    if (out->count == LK_CUSTOM_ROWS_MAX)
        return too_long(b);
    *row = (lk_custom_row){
        .before = (uint16_t)b->text_begin,
        .before_len = (uint16_t)before_len,
        .form_len = (uint16_t)spec->form.len,
        .field = (uint8_t)spec->field,
        .rank = spec->rank,
        .end = spec->end,
        .slot = -1,
    };
    if (!put_name(out, spec->name, &row->name) || !put_name(out, spec->form, &row->form))
        return too_long(b);
    row->quoted = before_len > 0 && out->text[row->before + before_len - 1] == '"';
    note_parts(b, spec);
    b->text_begin = out->text_len;
    out->count++;
    return LK_OK;
}

/* The text behind the last field; blanks at the end of a line are not looked at. */
static lk_code add_end(lk_custom_builder *b)
{
    lk_custom *out = b->out;
    lk_custom_row *row = &out->rows[out->count];
    size_t len = out->text_len - b->text_begin;

    while (len > 0 && out->text[b->text_begin + len - 1] == ' ')
        len--;
    *row = (lk_custom_row){
        .before = (uint16_t)b->text_begin,
        .before_len = (uint16_t)len,
        .slot = -1,
    };
    return put_name(out, LK_SLICE("end of line"), &row->name) ? LK_OK : too_long(b);
}

/* ---- headers ---- */

/* clang-format off */
static const lk_custom_field HEADER_FIELDS[] = {
    [LK_JSONL_ATTEMPT]        = LK_CUSTOM_ATTEMPT,
    [LK_JSONL_RETRIES]        = LK_CUSTOM_RETRIES,
    [LK_JSONL_RETRY_AFTER]    = LK_CUSTOM_RETRY_AFTER,
    [LK_JSONL_RETRY_AFTER_MS] = LK_CUSTOM_RETRY_AFTER_MS,
    [LK_JSONL_ID]             = LK_CUSTOM_ID,
};
/* clang-format on */

static bool is_host(lk_slice name)
{
    return name.len == 4 && (name.p[0] | 0x20) == 'h' && lk_slice_is(lk_slice_skip(name, 1), "ost");
}

/* Other keys of JSON lines ("status", "client") are no headers. */
void lk_custom_name_header(lk_slice name, lk_custom_spec *spec)
{
    uint8_t row = lk_jsonl_row(name);
    lk_jsonl_field field;

    spec->field = is_host(name) ? LK_CUSTOM_HOST : LK_CUSTOM_IGNORE;
    spec->rank = 0;
    if (row == LK_JSONL_ROW_OTHER || spec->field == LK_CUSTOM_HOST)
        return;
    field = lk_jsonl_row_field(row);
    if (strcmp(lk_jsonl_row_key(row), "user_agent") == 0)
        spec->field = LK_CUSTOM_AGENT;
    else if (field < sizeof(HEADER_FIELDS) / sizeof(HEADER_FIELDS[0]))
        spec->field = HEADER_FIELDS[field];
    spec->rank = row;
    if (spec->field == LK_CUSTOM_ID)
        spec->form = name;
}

/* ---- the whole ---- */

static lk_code finish(lk_custom_builder *b)
{
    lk_custom *out = b->out;

    LK_TRY(add_end(b));
    if (out->count == 0)
        return lk_fail(b->e, LK_EUSAGE, "log format '%.60s' has no fields", b->text);
    lk_custom_pick(out);
    out->from_start = b->parts[0] == LK_CUSTOM_PART_ALL;
    if (!out->from_start && b->parts[1] != LK_CUSTOM_PART_ALL)
        return lk_fail(b->e, LK_EUSAGE, "log format has no date and time");
    if (!lk_custom_has(out, LK_CUSTOM_STATUS))
        return lk_fail(b->e, LK_EUSAGE, "log format has no status");
    out->moment = out->from_start ? LK_MOMENT_START : LK_MOMENT_END;
    return LK_OK;
}

/* clang-format off */
#define CLF "%h %l %u %t \"%r\" %>s "
#define REFERER_AGENT " \"%{Referer}i\" \"%{User-Agent}i\""
#define NGINX_COMBINED                                                                             \
    "$remote_addr - $remote_user [$time_local] \"$request\" $status $body_bytes_sent "             \
    "\"$http_referer\" \"$http_user_agent\""

enum { APACHE, NGINX };

static const struct server {
    const char *name;
    bool ends; /* its times denote the end */
    lk_code (*compile)(lk_custom_builder *b, const char *p);
} SERVERS[] = {
    [APACHE] = { "apache", false, lk_custom_apache },
    [NGINX]  = { "nginx",  true,  lk_custom_nginx },
};

static const struct known {
    const struct server *server;
    const char *name, *text;
} KNOWN[] = {
    { &SERVERS[APACHE], "common",         CLF "%b" },
    { &SERVERS[APACHE], "combined",       CLF "%b" REFERER_AGENT },
    { &SERVERS[APACHE], "vhost_combined", "%v:%p " CLF "%O" REFERER_AGENT },
    { &SERVERS[APACHE], "combinedio",     CLF "%b" REFERER_AGENT " %I %O" },
    { &SERVERS[NGINX],  "combined",       NGINX_COMBINED },
    { &SERVERS[NGINX],  "ingress-nginx",  NGINX_COMBINED " $request_length $request_time "
        "[$proxy_upstream_name] [$proxy_alternative_upstream_name] $upstream_addr "
        "$upstream_response_length $upstream_response_time $upstream_status $req_id" },
};
/* clang-format on */

/* NULL `server`: of any. */
static const struct known *find_known(const struct server *server, const char *name)
{
    for (size_t i = 0; i < sizeof(KNOWN) / sizeof(KNOWN[0]); i++)
        if ((!server || KNOWN[i].server == server) && strcmp(KNOWN[i].name, name) == 0)
            return &KNOWN[i];
    return NULL;
}

static const struct server *find_server(lk_slice name)
{
    for (size_t i = 0; i < sizeof(SERVERS) / sizeof(SERVERS[0]); i++)
        if (lk_slice_is(name, SERVERS[i].name))
            return &SERVERS[i];
    return NULL;
}

static lk_code compile(const struct server *server, const char *whole, const char *format,
                       lk_custom *out, lk_err *e)
{
    lk_custom_builder b = { .out = out, .text = whole, .ends = server->ends, .e = e };
    const struct known *known = find_known(server, format);

    if (known)
        b.text = format = known->text;
    LK_TRY(server->compile(&b, format));
    return finish(&b);
}

/* ",escape=json" in front of the ':'; only nginx has it. */
static lk_code take_options(const struct server *server, lk_slice options, lk_custom *out,
                            lk_err *e)
{
    static const char ESCAPE[] = ",escape=";
    lk_slice value = lk_slice_skip(options, sizeof(ESCAPE) - 1);

    if (options.len == 0)
        return LK_OK;
    out->raw_quotes = lk_slice_is(value, "none");
    out->json_escapes = lk_slice_is(value, "json");
    if (!server->ends || !lk_slice_starts(options, ESCAPE) ||
        !(out->raw_quotes || out->json_escapes || lk_slice_is(value, "default")))
        return lk_fail(e, LK_EUSAGE,
                       "log format: '%s%.*s' is none of nginx,escape=default, =json and =none",
                       server->name, (int)(options.len < 60 ? options.len : 60), options.p);
    return LK_OK;
}

/* Apache's formats and nginx's combined look alike: what the time denotes is not known. */
static lk_code compile_known(const char *text, lk_custom *out, lk_err *e)
{
    const struct known *known = find_known(NULL, text);

    if (!known)
        return lk_fail(e, LK_EUSAGE,
                       "log format '%.60s' is no known name and begins with neither "
                       "'apache:' nor 'nginx:'",
                       text);
    LK_TRY(compile(known->server, text, text, out, e));
    if (out->from_start)
        out->moment = LK_MOMENT_UNKNOWN;
    return LK_OK;
}

static lk_code compile_text(const char *text, lk_custom *out, lk_err *e)
{
    const char *colon = strchr(text, ':');
    size_t len = strcspn(text, ",:");
    const struct server *server = find_server((lk_slice){ text, len });

    if (!colon || !server)
        return compile_known(text, out, e);
    LK_TRY(take_options(server, (lk_slice){ text + len, (size_t)(colon - text) - len }, out, e));
    return compile(server, text, colon + 1, out, e);
}

lk_code lk_custom_compile(const char *text, lk_custom *out, lk_err *e)
{
    lk_custom built = { .count = 0 };

    LK_TRY(compile_text(text, &built, e));
    *out = built;
    return LK_OK;
}

const char *lk_custom_field_name(const lk_custom *custom, size_t row)
{
    return custom->text + custom->rows[row < custom->count ? row : custom->count].name;
}
