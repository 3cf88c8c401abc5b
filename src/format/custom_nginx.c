/* log_format of nginx: variables "$status" and "${status}". */
#include "format/custom_part.h"

#include <string.h>

/* clang-format off */
static const struct { const char *name; lk_custom_field field; uint8_t rank; } VARIABLES[] = {
    { "remote_addr",              LK_CUSTOM_CALLER,          0 },
    { "realip_remote_addr",       LK_CUSTOM_CALLER,          1 },
    { "host",                     LK_CUSTOM_HOST,            0 },
    { "http_host",                LK_CUSTOM_HOST,            1 },
    { "server_name",              LK_CUSTOM_HOST,            2 },
    { "time_local",               LK_CUSTOM_TIME_CLF,        0 },
    { "time_iso8601",             LK_CUSTOM_TIME_ISO,        0 },
    { "msec",                     LK_CUSTOM_EPOCH_REAL,      0 },
    { "request",                  LK_CUSTOM_REQUEST,         0 },
    { "request_method",           LK_CUSTOM_METHOD,          0 },
    { "request_uri",              LK_CUSTOM_TARGET,          0 },
    { "uri",                      LK_CUSTOM_TARGET,          1 },
    { "document_uri",             LK_CUSTOM_TARGET,          2 },
    { "is_args",                  LK_CUSTOM_QUERY,           0 },
    { "args",                     LK_CUSTOM_ARGS,            0 },
    { "query_string",             LK_CUSTOM_ARGS,            0 },
    { "status",                   LK_CUSTOM_STATUS,          0 },
    { "request_time",             LK_CUSTOM_TOOK_S,          0 },
    { "upstream_status",          LK_CUSTOM_UPSTREAM_STATUS, 0 },
    { "upstream_response_time",   LK_CUSTOM_UPSTREAM_TOOK,   0 },
    { "upstream_addr",            LK_CUSTOM_LIST,            0 },
    { "upstream_connect_time",    LK_CUSTOM_LIST,            0 },
    { "upstream_header_time",     LK_CUSTOM_LIST,            0 },
    { "upstream_response_length", LK_CUSTOM_LIST,            0 },
    { "upstream_bytes_received",  LK_CUSTOM_LIST,            0 },
    { "upstream_bytes_sent",      LK_CUSTOM_LIST,            0 },
    { "upstream_first_byte_time", LK_CUSTOM_LIST,            0 },
    { "upstream_session_time",    LK_CUSTOM_LIST,            0 },
    { "upstream_queue_time",      LK_CUSTOM_LIST,            0 },
};
/* clang-format on */

/* Behind "sent_http_" and "upstream_http_"; "http_" is known to the table of keys. */
static lk_slice header_of(lk_slice name)
{
    static const char *const PREFIXES[] = { "sent_http_", "upstream_http_" };

    for (size_t i = 0; i < sizeof(PREFIXES) / sizeof(PREFIXES[0]); i++)
        if (lk_slice_starts(name, PREFIXES[i]))
            return lk_slice_skip(name, strlen(PREFIXES[i]));
    return name;
}

static void read_variable(lk_slice name, lk_custom_spec *spec)
{
    for (size_t i = 0; i < sizeof(VARIABLES) / sizeof(VARIABLES[0]); i++) {
        if (lk_slice_is(name, VARIABLES[i].name)) {
            spec->field = VARIABLES[i].field;
            spec->rank = VARIABLES[i].rank;
            return;
        }
    }
    lk_custom_name_header(name, spec);
    if (spec->field == LK_CUSTOM_IGNORE)
        lk_custom_name_header(header_of(name), spec);
    if (spec->field == LK_CUSTOM_ID)
        spec->form = name;
}

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* At the '$'; returns what is behind it, NULL when it makes no sense. */
static const char *take_variable(const char *dollar, lk_slice *name)
{
    const char *p = dollar + 1;
    bool braced = *p == '{';

    p += braced;
    *name = (lk_slice){ p, 0 };
    while (is_name_byte(p[name->len]))
        name->len++;
    p += name->len;
    if (name->len == 0 || (braced && *p != '}'))
        return NULL;
    return p + braced;
}

/* At a '$'. */
static lk_code take_dollar(lk_custom_builder *b, const char **p)
{
    lk_custom_spec spec = { .end = b->ends };
    lk_slice name;
    const char *past = take_variable(*p, &name);

    if (!past)
        return lk_custom_fail(b, *p, "no variable is", lk_slice_from(*p));
    spec.name = (lk_slice){ *p, (size_t)(past - *p) };
    read_variable(name, &spec);
    *p = past;
    return lk_custom_add_field(b, &spec);
}

lk_code lk_custom_nginx(lk_custom_builder *b, const char *p)
{
    lk_code code = lk_custom_take_text(b, &p, '$');

    while (code == LK_OK && *p) {
        LK_TRY(take_dollar(b, &p));
        code = lk_custom_take_text(b, &p, '$');
    }
    return code;
}
