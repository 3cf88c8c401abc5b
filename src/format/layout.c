#include "format/layout.h"

#include "format/custom.h"
#include "format/rows.h"
#include "format/timeless.h"

#include <string.h>

const lk_format *const LK_FORMATS[] = {
    &LK_FORMAT_ENVOY,
    &LK_FORMAT_ISTIO,
    &LK_FORMAT_HAPROXY,
    &LK_FORMAT_HAPROXY_CLF,
    &LK_FORMAT_SQUID,
    &LK_FORMAT_SQUID_COMBINED,
    &LK_FORMAT_TRAEFIK_CLF,
    &LK_FORMAT_WERKZEUG,
    &LK_FORMAT_LTSV,
    &LK_FORMAT_HEROKU,
    &LK_FORMAT_COMBINED,
    &LK_FORMAT_COMBINED_EXT,
    &LK_FORMAT_COMMON,
    &LK_FORMAT_JSON,
    &LK_FORMAT_INGRESS,
    &LK_FORMAT_CADDY,
    &LK_FORMAT_TRAEFIK,
    &LK_FORMAT_ENVOY_JSON,
    &LK_FORMAT_GCP,
    &LK_FORMAT_AZURE_APPGW,
    &LK_FORMAT_AZURE_FRONTDOOR,
    &LK_FORMAT_API_GATEWAY,
    &LK_FORMAT_CLOUDFLARE,
    &LK_FORMAT_ECS,
    &LK_FORMAT_AWS_ALB,
    &LK_FORMAT_AWS_ELB,
    &LK_FORMAT_AWS_S3,
    &LK_FORMAT_AWS_CLOUDFRONT,
    &LK_FORMAT_W3C,
    &LK_FORMAT_LOGFMT,
    &LK_FORMAT_APP,
    NULL,
};

const lk_format *lk_format_find(const char *name)
{
    for (size_t i = 0; LK_FORMATS[i]; i++)
        if (strcmp(LK_FORMATS[i]->name, name) == 0)
            return LK_FORMATS[i];
    return NULL;
}

void lk_layout_init(lk_layout *l)
{
    memset(l, 0, sizeof(*l));
    memset(l->column_slot, -1, sizeof(l->column_slot));
    memset(l->key_slot, -1, sizeof(l->key_slot));
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static lk_slice trimmed(lk_slice line)
{
    while (line.len > 0 && is_blank(line.p[line.len - 1]))
        line.len--;
    while (line.len > 0 && is_blank(line.p[0])) {
        line.p++;
        line.len--;
    }
    return line;
}

static bool is_comment(lk_slice body)
{
    return body.len > 0 && body.p[0] == '#';
}

lk_slice lk_line_body(lk_slice line)
{
    line = trimmed(line);
    return is_comment(line) ? LK_SLICE_NONE : line;
}

void lk_line_directive(lk_parse_cache *c, lk_slice line)
{
    line = trimmed(line);
    if (!is_comment(line))
        return;
    for (size_t i = 0; LK_FORMATS[i]; i++)
        if (LK_FORMATS[i]->directive)
            LK_FORMATS[i]->directive(c, line);
}

/* Was the row's parser tried before, as that of the layout or of an earlier row? */
static bool was_tried(const lk_layout *l, size_t row)
{
    if (l->format && l->format->parse == LK_FORMATS[row]->parse)
        return true;
    for (size_t i = 0; i < row; i++)
        if (LK_FORMATS[i]->parse == LK_FORMATS[row]->parse)
            return true;
    return false;
}

static bool parse_by_any(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                         lk_reject *why)
{
    for (size_t i = 0; LK_FORMATS[i]; i++) {
        lk_reject reason = LK_REJECT_UNRECOGNISED;

        if (was_tried(l, i))
            continue;
        c->row = LK_FORMATS[i];
        if (LK_FORMATS[i]->parse(l, c, line, out, &reason))
            return true;
        if (*why == LK_REJECT_UNRECOGNISED)
            *why = reason;
    }
    return false;
}

bool lk_layout_parse(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                     lk_reject *why)
{
    lk_slice body = lk_line_body(line);

    *why = LK_REJECT_NONE;
    if (body.len == 0) {
        lk_line_directive(c, line);
        return false;
    }
    c->row = l->format;
    c->body = l->custom ? line : body;
    if (l->custom)
        return lk_custom_parse(l->custom, c, line, out, why, NULL);
    c->text_len = 0;
    *why = LK_REJECT_UNRECOGNISED;
    if (l->format && l->format->parse(l, c, body, out, why))
        return true;
    if (!l->only && parse_by_any(l, c, body, out, why))
        return true;
    if (*why == LK_REJECT_UNRECOGNISED && lk_timeless_of(body))
        *why = LK_REJECT_NO_TIME;
    return false;
}
