#include "format/json_families.h"

#include "format/rows.h"

#include <string.h>

bool lk_jsonl_has_time_in_took(const lk_jsonl *line)
{
    const lk_jsonl_value *took = &line->fields[LK_JSONL_TOOK];

    return lk_jsonl_has(line, LK_JSONL_TOOK) && took->quoted &&
           memchr(took->text.p, ':', took->text.len);
}

/* clang-format off */
static const lk_json_family FAMILIES[] = {
    { LK_SIGN_CADDY_URI | LK_SIGN_CADDY_ERROR,     NULL, NULL,                            LK_MOMENT_END,     LK_JSONL_S_OR_NS, false },
    { LK_SIGN_CADDY_URI | LK_SIGN_CADDY_PROTO,     NULL, &LK_FORMAT_CADDY,                LK_MOMENT_END,     LK_JSONL_S_OR_NS, false },
    { LK_SIGN_TRAEFIK,                             NULL, &LK_FORMAT_TRAEFIK,              LK_MOMENT_END,     LK_JSONL_NS,      true  },
    { LK_SIGN_ENVOY_START | LK_SIGN_RESPONSE_CODE, NULL, &LK_FORMAT_ENVOY_JSON,           LK_MOMENT_START,   LK_JSONL_MS,      false },
    { LK_SIGN_GCP,                                 NULL, &LK_FORMAT_GCP,                  LK_MOMENT_START,   LK_JSONL_S,       false },
    { LK_SIGN_APPGW | LK_SIGN_APPGW_V2,            NULL, &LK_FORMAT_AZURE_APPGW,          LK_MOMENT_END,     LK_JSONL_S,       false },
    { LK_SIGN_APPGW,                               NULL, &LK_FORMAT_AZURE_APPGW,          LK_MOMENT_END,     LK_JSONL_MS,      false },
    { LK_SIGN_FRONTDOOR,                           NULL, &LK_FORMAT_AZURE_FRONTDOOR,      LK_MOMENT_END,     LK_JSONL_S_OR_MS, false },
    { LK_SIGN_CLOUDFLARE,                          NULL, &LK_FORMAT_CLOUDFLARE,           LK_MOMENT_UNKNOWN, LK_JSONL_S,       false },
    { LK_SIGN_APIGW_EPOCH,                         NULL, &LK_FORMAT_API_GATEWAY,          LK_MOMENT_START,   LK_JSONL_S,       false },
    { LK_SIGN_APIGW_KEY, lk_jsonl_has_time_in_took,      &LK_FORMAT_API_GATEWAY,          LK_MOMENT_START,   LK_JSONL_S,       false },
    { LK_SIGN_ECS,                                 NULL, &LK_FORMAT_ECS,                  LK_MOMENT_UNKNOWN, LK_JSONL_S,       false },
    { 0,                                           NULL, &LK_FORMAT_JSON,                 LK_MOMENT_UNKNOWN, LK_JSONL_S,       false },
};
/* clang-format on */

enum { GENERIC = sizeof(FAMILIES) / sizeof(FAMILIES[0]) - 1 };

static bool has_signs(const lk_json_family *f, const lk_jsonl *line)
{
    return (line->signs & f->signs) == f->signs && (!f->fits || f->fits(line));
}

const lk_json_family *lk_json_family_of(const lk_jsonl *line)
{
    size_t i = line->signs ? 0 : GENERIC;

    while (!has_signs(&FAMILIES[i], line))
        i++;
    return &FAMILIES[i];
}

/* ---- the rows: one parser, each its own name ---- */

/* clang-format off */
#define FAMILY_ROW(ROW, function, text, when, fine, about)                                   \
    static bool function(lk_sniffer *s, lk_parse_cache *c, lk_slice line, lk_fields *out)    \
    {                                                                                        \
        return lk_jsonl_observe(&LK_FORMAT_##ROW, s, c, line, out);                          \
    }                                                                                        \
    const lk_format LK_FORMAT_##ROW = {                                                      \
        .name = (text),                                                                      \
        .moment = (when),                                                                    \
        .resolution = (fine),                                                                \
        .help = (about),                                                                     \
        .parse = lk_jsonl_parse,                                                             \
        .each = lk_jsonl_each,                                                               \
        .find = lk_jsonl_find,                                                               \
        .observe = function,                                                                 \
        .decide = lk_jsonl_decide,                                                           \
        .is_alike = lk_jsonl_is_alike,                                                       \
    }

FAMILY_ROW(JSON, observe_json, "json", "by order", "as logged", "one JSON object a line, by the usual keys (lockstep-formats(5))");
FAMILY_ROW(CADDY, observe_caddy, "caddy", "end", "1 us", "Caddy 2, JSON or console");
FAMILY_ROW(TRAEFIK, observe_traefik, "traefik", "start", "1 ns", "Traefik, JSON");
FAMILY_ROW(ENVOY_JSON, observe_envoy, "envoy-json", "start", "1 ms", "Envoy or Istio, JSON");
FAMILY_ROW(GCP, observe_gcp, "gcp", "start", "1 us", "Google Cloud load balancers, log entries with httpRequest");
FAMILY_ROW(AZURE_APPGW, observe_appgw, "azure-appgw", "end", "1 s", "Azure Application Gateway, v1 and v2");
FAMILY_ROW(AZURE_FRONTDOOR, observe_frontdoor, "azure-frontdoor", "end", "100 ns", "Azure Front Door");
FAMILY_ROW(API_GATEWAY, observe_api_gateway, "api-gateway", "start", "1 ms or 1 s", "Amazon API Gateway, JSON");
FAMILY_ROW(CLOUDFLARE, observe_cloudflare, "cloudflare", "start", "as logged", "Cloudflare Logpush");
FAMILY_ROW(ECS, observe_ecs, "ecs", "by order", "as logged", "Elastic Common Schema");
/* clang-format on */
