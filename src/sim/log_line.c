#include "sim/log_line.h"

#include "base/hash.h"
#include "base/time.h"
#include "base/whole.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const int64_t EPOCH_S = INT64_C(1767225600); /* 2026-01-01 */

enum { ID = 40, STAMP = 40 };

/* ---- what stands in a line ---- */

static int64_t instant_us(double at_s)
{
    return EPOCH_S * 1000000 + lk_nearest(at_s * 1e6);
}

/* "2026-01-01T00:00:00" and, behind it, `digits` digits of the second. */
static void iso(double at_s, int digits, char *out)
{
    char text[STAMP];
    int64_t us = instant_us(at_s);

    lk_time_format(us * 1000, text); /* milliseconds, cut */
    if (digits == 0)
        (void)snprintf(out, STAMP, "%.19s", text);
    else if (digits == 3)
        (void)snprintf(out, STAMP, "%.23s", text);
    else
        (void)snprintf(out, STAMP, "%.19s.%06" PRId64, text, us % 1000000);
}

/* For formats that always print digits of the second: of whole seconds they are 0. */
static double settled(double at_s, const lk_log_style *style)
{
    return style->whole_seconds ? floor((double)instant_us(at_s) / 1e6) - (double)EPOCH_S : at_s;
}

/* "01/Jan/2026:00:00:00 +0000" */
static void clf_stamp(double at_s, char *out)
{
    static const char *const MONTHS[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
    char text[STAMP];
    int month;

    iso(at_s, 0, text);
    month = (text[5] - '0') * 10 + text[6] - '0';
    (void)snprintf(out, STAMP, "%.2s/%s/%.4s:%.8s +0000", text + 8, MONTHS[month - 1], text, text + 11);
}

static uint64_t mixed(uint64_t a, uint64_t b)
{
    return lk_hash_mix(lk_hash_mix(a) + b);
}

/* As a UUID; `salt` 0 names the call, others the request. */
static void id_of(uint64_t call, uint64_t salt, uint64_t seed, char *out)
{
    uint64_t x = mixed(call + 1, seed), y = mixed(x, salt);

    (void)snprintf(out, ID, "%08" PRIx64 "-%04" PRIx64 "-4%03" PRIx64 "-a%03" PRIx64 "-%012" PRIx64,
                   x & 0xffffffff, x >> 32 & 0xffff, x >> 48 & 0xfff, y & 0xfff,
                   y >> 12 & UINT64_C(0xffffffffffff));
}

static void request_id(const lk_sat_attempt *a, uint64_t seed, char *out)
{
    uint64_t x = mixed(a->call + 1, seed) ^ a->attempt_no, y = mixed(x, 7);

    (void)snprintf(out, ID, "%016" PRIx64 "%016" PRIx64, lk_hash_mix(x), lk_hash_mix(y));
}

/* 10.POPULATION.x.y: bystanders are many, but not each a stranger. */
static void address(const lk_sat_attempt *a, char *out)
{
    uint64_t n = a->population ? a->caller % 997 : a->caller;

    (void)snprintf(out, ID, "10.%u.%u.%u", (unsigned)(a->population * 16 + (n >> 16 & 15)) & 255,
                   (unsigned)(n >> 8 & 255), (unsigned)(n & 255));
}

static const char *agent(size_t population)
{
    static const char *const AGENTS[] = { "batch-client/1.4", "web-client/2.0", "other-client/3.1" };

    return AGENTS[population < 3 ? population : 2];
}

static const char *method(size_t population)
{
    return population ? "GET" : "POST";
}

static const char *path(size_t population)
{
    return population ? "/v1/items" : "/v1/jobs";
}

static unsigned bytes(const lk_sat_attempt *a)
{
    return a->status == 200 ? 1480 : 162;
}

/* ---- combined, and with the columns that nginx users add ---- */

static void combined_part(const lk_sat_attempt *a, lk_buf *out)
{
    char where[ID], stamp[STAMP];

    address(a, where);
    clf_stamp(a->end_s, stamp);
    lk_buf_printf(out, "%s - - [%s] \"%s %s HTTP/1.1\" %u %u \"-\" \"%s\"", where, stamp,
                  method(a->population), path(a->population), a->status, bytes(a),
                  agent(a->population));
}

static void combined(const lk_sat_attempt *a, const lk_log_style *style, lk_buf *out)
{
    (void)style;
    combined_part(a, out);
    lk_buf_text(out, "\n");
}

static void retry_after(const lk_sat_attempt *a, char *out)
{
    if (a->retry_after_s < 0)
        (void)snprintf(out, ID, "-");
    else
        (void)snprintf(out, ID, "%.0f", ceil(a->retry_after_s));
}

static void nginx_ext(const lk_sat_attempt *a, const lk_log_style *style, lk_buf *out)
{
    char rid[ID], call[ID], asked[ID];
    int64_t ms = instant_us(a->end_s) / 1000;

    request_id(a, style->seed, rid);
    id_of(a->call, 0, style->seed, call);
    retry_after(a, asked);
    combined_part(a, out);
    if (!style->whole_seconds)
        lk_buf_printf(out, " %.3f %" PRId64 ".%03" PRId64, a->end_s - a->start_s, ms / 1000, ms % 1000);
    lk_buf_printf(out, " \"%s\"", rid);
    if (style->ids)
        lk_buf_printf(out, " \"%s\" \"attempt=%u\"", call, a->attempt_no);
    lk_buf_printf(out, " \"%s\"\n", asked);
}

/* ---- JSON, as an nginx log_format with escape=json ---- */

static void json(const lk_sat_attempt *a, const lk_log_style *style, lk_buf *out)
{
    char where[ID], stamp[STAMP], rid[ID], call[ID], asked[ID];
    int64_t ms = instant_us(a->end_s) / 1000;

    address(a, where);
    iso(a->end_s, 0, stamp);
    request_id(a, style->seed, rid);
    id_of(a->call, 0, style->seed, call);
    retry_after(a, asked);
    lk_buf_printf(out, "{\"time\":\"%s+00:00\"", stamp);
    if (!style->whole_seconds)
        lk_buf_printf(out, ",\"msec\":\"%" PRId64 ".%03" PRId64 "\",\"rt\":\"%.3f\"", ms / 1000, ms % 1000,
                      a->end_s - a->start_s);
    lk_buf_printf(out, ",\"remote_addr\":\"%s\",\"method\":\"%s\",\"uri\":\"%s\",\"status\":\"%u\",\"bytes\":\"%u\""
                       ",\"agent\":\"%s\",\"retry_after\":\"%s\"",
                  where, method(a->population), path(a->population), a->status, bytes(a),
                  agent(a->population), a->retry_after_s < 0 ? "" : asked);
    if (style->ids)
        lk_buf_printf(out, ",\"inv\":\"%s\",\"attempt\":\"%u\"", call, a->attempt_no);
    lk_buf_printf(out, ",\"rid\":\"%s\"}\n", rid);
}

/* ---- AWS Application Load Balancer ---- */

static void alb(const lk_sat_attempt *a, const lk_log_style *style, lk_buf *out)
{
    char where[ID], made[STAMP], came[STAMP], rid[ID];

    address(a, where);
    iso(settled(a->end_s, style), 6, made);
    iso(settled(a->start_s, style), 6, came);
    request_id(a, style->seed, rid);
    lk_buf_printf(out,
                  "https %sZ app/sim/50dc6c495c0c9188 %s:%u 10.200.0.1:8080 0.000 %.3f 0.000 %u %u 312 %u "
                  "\"%s https://api.example.com:443%s HTTP/1.1\" \"%s\" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 "
                  "arn:aws:elasticloadbalancing:eu-west-1:111122223333:targetgroup/sim/0123456789abcdef "
                  "\"Root=1-%.8s-%.24s\" \"api.example.com\" \"-\" 0 %sZ \"forward\" \"-\" \"-\" "
                  "\"10.200.0.1:8080\" \"%u\" \"-\" \"-\" TID_%s\n",
                  made, where, 1024 + (unsigned)(a->caller % 60000), a->end_s - a->start_s, a->status, a->status,
                  bytes(a), method(a->population), path(a->population), agent(a->population), rid,
                  rid + 8, came, a->status, rid);
}

/* ---- Envoy's default ---- */

static void envoy(const lk_sat_attempt *a, const lk_log_style *style, lk_buf *out)
{
    char where[ID], stamp[STAMP], id[ID];
    long took_ms = (long)lk_nearest((a->end_s - a->start_s) * 1e3);

    address(a, where);
    iso(settled(a->start_s, style), 3, stamp);
    if (style->ids) /* callers keep X-Request-ID from attempt to attempt, or Envoy makes one for each */
        id_of(a->call, 0, style->seed, id);
    else
        id_of(a->call * 4096 + a->attempt_no, 1, style->seed, id);
    lk_buf_printf(out,
                  "[%sZ] \"%s %s HTTP/1.1\" %u - 0 %u %ld %ld \"%s\" \"%s\" \"%s\" "
                  "\"api.example.com\" \"10.200.0.1:8080\"\n",
                  stamp, method(a->population), path(a->population), a->status, bytes(a),
                  took_ms, took_ms, where, agent(a->population), id);
}

/* ---- the rows ---- */

/* clang-format off */
const lk_log_writer LK_LOG_WRITERS[] = {
    { "combined",  "NCSA combined: whole seconds, no ids",                                combined },
    { "nginx-ext", "combined with durations, milliseconds, ids, attempts and Retry-After", nginx_ext },
    { "json",      "nginx JSON lines with the same",                                      json },
    { "alb",       "AWS Application Load Balancer: microseconds, no ids",                 alb },
    { "envoy",     "Envoy's default: milliseconds, the call id as X-Request-ID",          envoy },
    { .name = NULL },
};
/* clang-format on */

const lk_log_writer *lk_log_writer_find(const char *name)
{
    for (const lk_log_writer *w = LK_LOG_WRITERS; w->name; w++)
        if (strcmp(w->name, name) == 0)
            return w;
    return NULL;
}

void lk_log_sdk_line(const lk_sat_call *c, const lk_log_style *style, lk_buf *out)
{
    char call[ID];
    int64_t ms = instant_us(c->end_s) / 1000;

    id_of(c->call, 0, style->seed, call);
    lk_buf_printf(out,
                  "{\"ts\":%" PRId64 ".%03" PRId64 ",\"call_id\":\"%s\",\"duration_s\":%.3f,\"outcome\":\"%s\","
                  "\"attempts\":%u,\"client\":\"%s\"}\n",
                  ms / 1000, ms % 1000, call, c->end_s - c->start_s, c->ok ? "ok" : "failed",
                  c->attempts, agent(c->population));
}
