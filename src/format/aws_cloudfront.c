/* The row of AWS CloudFront standard logs: W3C extended with tabs and %20. */
#include "base/time.h"
#include "format/rows.h"
#include "format/w3c_lines.h"

static const lk_w3c_dialect CLOUDFRONT = {
    .is_edge = true,
    .took_unit = LK_NS_PER_S,
    .escape = '%',
    .columns =
        "date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status "
        "cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id "
        "x-host-header cs-protocol cs-bytes time-taken x-forwarded-for ssl-protocol ssl-cipher "
        "x-edge-response-result-type cs-protocol-version fle-status fle-encrypted-fields c-port "
        "time-to-first-byte x-edge-detailed-result-type sc-content-type sc-content-len "
        "sc-range-start sc-range-end",
};

static bool parse_cloudfront(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                             lk_reject *why)
{
    return lk_w3c_read(&CLOUDFRONT, l, c, line, out, why);
}

static void each_column(const lk_layout *l, lk_parse_cache *c, lk_slice line,
                        lk_field_visit *visit, void *ctx)
{
    (void)l;
    lk_w3c_each(&CLOUDFRONT, c, line, visit, ctx);
}

static bool observe_cloudfront(lk_sniffer *s, lk_parse_cache *c, lk_slice line, lk_fields *out)
{
    return lk_w3c_observe(&CLOUDFRONT, s, c, line, out);
}

static bool observe_headless(lk_sniffer *s, lk_parse_cache *c, lk_slice line, lk_fields *out)
{
    return lk_w3c_observe_headless(&CLOUDFRONT, s, c, line, out);
}

static void decide_cloudfront(const lk_sniffer *s, lk_layout *out)
{
    lk_w3c_decide(&CLOUDFRONT, s, out);
}

const lk_format LK_FORMAT_AWS_CLOUDFRONT = {
    .name = "aws-cloudfront",
    .moment = "end",
    .resolution = "1 s",
    .help = "standard log of AWS CloudFront, by its #Fields lines",
    .parse = parse_cloudfront,
    .each = each_column,
    .observe = observe_cloudfront,
    .observe_headless = observe_headless,
    .directive = lk_w3c_directive,
    .decide = decide_cloudfront,
};
