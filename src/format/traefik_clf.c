/* Traefik's common format, which is combined with four more columns.
 *
 *     host - user [START] "request" status bytes "referer" "user agent" N "router" "service" 12ms
 *
 * Before May 2026 quotes were not escaped, so those columns are taken from the right.  The number of
 * the request N is the only word there that is not for us: router and service name no caller.
 *
 * Source: Traefik pkg/middlewares/accesslog/logger_formatters.go (StartUTC).  */
#include "base/time.h"
#include "format/clf.h"
#include "format/request.h"
#include "format/rows.h"
#include "format/tokens.h"
#include "format/value.h"

static bool reject(lk_reject *why, lk_reject reason)
{
    *why = reason;
    return false;
}

/* "12ms" */
static bool take_took(const char *first, const char **end, int64_t *ns)
{
    lk_slice took = lk_token_take_last(first, end);

    if (took.len < 3 || took.p[took.len - 2] != 'm' || took.p[took.len - 1] != 's')
        return false;
    took.len -= 2;
    return lk_token_ms(took, ns);
}

/* Past one quoted name, from the right. */
static bool drop_quoted(const char *first, const char **end)
{
    const char *p = *end;

    while (p > first && p[-1] == ' ')
        p--;
    if (p - first < 2 || *--p != '"')
        return false;
    while (p > first && *--p != '"')
        ;
    if (*p != '"')
        return false;
    *end = p;
    return true;
}

/* Off the end of the line: the duration, two names and the number of the request. */
static bool take_tail(const char *first, const char **end, int64_t *took_ns)
{
    lk_slice number;
    uint64_t n;

    if (!take_took(first, end, took_ns) || !drop_quoted(first, end) || !drop_quoted(first, end))
        return false;
    number = lk_token_take_last(first, end);
    while (*end > first && (*end)[-1] == ' ')
        (*end)--;
    return lk_slice_u64(number, &n);
}

static bool parse_traefik(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                          lk_reject *why)
{
    const char *end = line.p + line.len;
    lk_clf clf;
    lk_slice agent;

    (void)l;
    lk_fields_init(out);
    *why = LK_REJECT_UNRECOGNISED;
    if (!take_tail(line.p, &end, &out->took_ns) || !lk_clf_split(line, &clf, why))
        return false;
    if (!lk_pair_agent(lk_behind_bytes(lk_between(line.p, end), clf.request), &agent))
        return reject(why, LK_REJECT_UNRECOGNISED);
    if (!lk_cache_stamp(c, clf.stamp, lk_time_clf, &out->stamp_ns, &out->fraction))
        return reject(why, LK_REJECT_TIMESTAMP);
    out->moment = LK_MOMENT_START;
    out->status = clf.status;
    out->caller = lk_caller_address(clf.caller);
    if (!lk_value_is_absent(agent))
        out->agent = agent;
    (void)lk_request_read(clf.request, out);
    return true;
}

static bool observe_traefik(lk_sniffer *s, lk_parse_cache *c, lk_slice line, lk_fields *out)
{
    lk_reject why;

    (void)s;
    return parse_traefik(NULL, c, line, out, &why);
}

static void decide_traefik(const lk_sniffer *s, lk_layout *out)
{
    (void)s;
    out->moment = LK_MOMENT_START;
}

const lk_format LK_FORMAT_TRAEFIK_CLF = {
    .name = "traefik-clf",
    .moment = "start",
    .resolution = "1 s",
    .help = "Traefik's common format",
    .parse = parse_traefik,
    .observe = observe_traefik,
    .decide = decide_traefik,
};
