/* The row of W3C extended logs as IIS writes them. */
#include "base/time.h"
#include "format/rows.h"
#include "format/w3c_lines.h"

static const lk_w3c_dialect IIS = {
    .is_edge = false,
    .took_unit = LK_NS_PER_MS,
    .escape = '+',
    .columns = "date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip "
               "cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken",
};

static bool parse_w3c(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                      lk_reject *why)
{
    return lk_w3c_read(&IIS, l, c, line, out, why);
}

static void each_column(const lk_layout *l, lk_parse_cache *c, lk_slice line,
                        lk_field_visit *visit, void *ctx)
{
    (void)l;
    lk_w3c_each(&IIS, c, line, visit, ctx);
}

static bool observe_w3c(lk_sniffer *s, lk_parse_cache *c, lk_slice line, lk_fields *out)
{
    return lk_w3c_observe(&IIS, s, c, line, out);
}

static bool observe_headless(lk_sniffer *s, lk_parse_cache *c, lk_slice line, lk_fields *out)
{
    return lk_w3c_observe_headless(&IIS, s, c, line, out);
}

static void decide_w3c(const lk_sniffer *s, lk_layout *out)
{
    lk_w3c_decide(&IIS, s, out);
}

const lk_format LK_FORMAT_W3C = {
    .name = "w3c",
    .moment = "end",
    .resolution = "1 s",
    .help = "W3C extended log of IIS, by its #Fields lines",
    .parse = parse_w3c,
    .each = each_column,
    .observe = observe_w3c,
    .observe_headless = observe_headless,
    .directive = lk_w3c_directive,
    .decide = decide_w3c,
};
