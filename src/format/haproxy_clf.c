/* HAProxy "option httplog clf": combined without referer and agent, then what httplog has.
 *
 *     ip - - [START] "request" status bytes "" "" port ms "frontend" "backend" "server"
 *     TR Tw Tc Tr Ta flags actconn feconn beconn srvconn retries srvqueue backendqueue "CC" "CS"
 *
 * The stamp is GMT; ms are those of the connection, not of the request.  A syslog header may stand
 * before it, and captured headers behind it.
 *
 * Source: HAProxy 2.6 configuration manual, section 8.2.3.  */
#include "base/time.h"
#include "format/columns.h"
#include "format/haproxy.h"
#include "format/request.h"
#include "format/rows.h"
#include "format/tokens.h"
#include "format/value.h"

static bool reject(lk_reject *why, lk_reject reason)
{
    *why = reason;
    return false;
}

/* Columns behind the two empty fields of combined. */
enum { CLF_FRONTEND = 2, CLF_TIMERS = 5, CLF_FLAGS = 10, CLF_RETRIES = 15, CLF_HEADERS = 20 };

static bool is_clf_tail(const lk_columns *t)
{
    int32_t n;
    int64_t ns;

    if (t->count < CLF_HEADERS || t->count > LK_COLUMNS_MAX)
        return false;
    if (!lk_value_count(t->items[0].value, 65535, &n) || t->items[1].value.len != 3 ||
        !lk_value_count(t->items[1].value, 999, &n) || t->items[CLF_FLAGS].value.len != 4)
        return false;
    for (size_t i = CLF_FRONTEND; i < CLF_TIMERS; i++)
        if (!t->items[i].quoted)
            return false;
    for (size_t i = CLF_TIMERS; i < CLF_FLAGS; i++)
        if (!lk_token_ms(t->items[i].value, &ns))
            return false;
    return true;
}

/* "ip - - " before the stamp, behind whatever syslog put there. */
static lk_slice caller_before(lk_slice line, const char *stamp)
{
    lk_slice token = LK_SLICE_NONE;

    for (size_t i = 0; i < 3; i++)
        token = lk_token_take_last(line.p, &stamp);
    return token;
}

/* Why other lines of the common family fail, that family says. */
static bool read_clf(lk_parse_cache *c, lk_slice line, lk_fields *out, lk_reject *why)
{
    lk_clf clf;
    lk_columns tail;
    lk_reject of_family;

    if (!lk_clf_split(line, &clf, &of_family) || !clf.has_agent || clf.tail.len == 0 ||
        !lk_columns_split(clf.tail, &tail) || !is_clf_tail(&tail))
        return reject(why, LK_REJECT_UNRECOGNISED);
    lk_fields_init(out);
    if (!lk_cache_stamp(c, clf.stamp, lk_time_clf, &out->stamp_ns, &out->fraction))
        return reject(why, LK_REJECT_TIMESTAMP);
    out->moment = LK_MOMENT_START;
    out->status = clf.status == LK_STATUS_UNKNOWN ? 0 : clf.status; /* -1: none was sent */
    out->caller = lk_caller_address(caller_before(line, clf.stamp.p - 1));
    (void)lk_token_ms(tail.items[CLF_FLAGS - 1].value, &out->took_ns);
    out->gave_up = tail.items[CLF_FLAGS].value.p[0] == 'C';
    lk_haproxy_request(clf.request, out);
    for (size_t i = CLF_HEADERS; i < tail.count && !out->agent.p; i++)
        if (lk_token_is_product(tail.items[i].value))
            out->agent = tail.items[i].value;
    lk_haproxy_tries(tail.items[CLF_RETRIES].value, c, out);
    return true;
}

static bool parse_clf(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                      lk_reject *why)
{
    (void)l;
    return read_clf(c, line, out, why);
}

static bool observe_clf(lk_sniffer *s, lk_parse_cache *c, lk_slice line, lk_fields *out)
{
    lk_reject why;

    (void)s;
    return read_clf(c, line, out, &why);
}

static void decide_clf(const lk_sniffer *s, lk_layout *out)
{
    (void)s;
    out->moment = LK_MOMENT_START;
}

const lk_format LK_FORMAT_HAPROXY_CLF = {
    .name = "haproxy-clf",
    .moment = "start",
    .resolution = "1 s",
    .help = "HAProxy \"option httplog clf\"",
    .parse = parse_clf,
    .observe = observe_clf,
    .decide = decide_clf,
};
