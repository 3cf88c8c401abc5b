/* Every identity on the wire in every spelling of every kind of log. */
#include "unit.h"

#include "base/hash.h"
#include "format/attempt.h"
#include "format/custom.h"
#include "format/value.h"

#include <ctype.h>
#include <stdio.h>

#define UUID "0b0e7c1c-5f3a-4c56-9d3e-0a9f4f4a7e11"
#define TRACE "4bf92f3577b34da6a3ce929d0e0e4736"

/* What the second attempt sends, and what it must give; no id: NULL. */
static const struct {
    const char *header, *value, *id;
    int32_t attempt_no, attempt_max;
} ROWS_[] = {
    { "amz-sdk-invocation-id", UUID, UUID, 0, 0 },
    { "amz-sdk-request", "attempt=2; max=3", NULL, 2, 3 },
    { "amz-sdk-request", "ttl=20261130T050000Z; attempt=2; max=5", NULL, 2, 5 },
    { "X-Stainless-Retry-Count", "1", NULL, 2, 0 },
    { "x-goog-api-client", "gl-go/1.22.1 gccl/1.43.0 gccl-invocation-id/" UUID " gccl-attempt-count/2", UUID, 2, 0 },
    { "x-goog-api-client", "gl-node/20.9.0 gccl/7.1.0 gccl-invocation-id/" UUID, UUID, 0, 0 },
    { "x-goog-api-client", "gl-python/3.11 grpc/1.60 gax/2.15", NULL, 0, 0 },
    { "x-goog-gcs-idempotency-token", UUID, UUID, 0, 0 },
    { "x-ms-client-request-id", UUID, UUID, 0, 0 },
    { "grpc-previous-rpc-attempts", "1", NULL, 2, 0 },
    { "grpc-previous-rpc-attempts", "-", NULL, 0, 0 }, /* absent on the first */
    { "x-envoy-attempt-count", "2", NULL, 2, 0 },
    { "x-request-id", UUID, UUID, 0, 0 },
    { "Idempotency-Key", "stripe-node-retry-" UUID, "stripe-node-retry-" UUID, 0, 0 },
    { "X-CloudTasks-TaskRetryCount", "1", NULL, 2, 0 },
    { "X-CloudTasks-TaskName", "8471233412734", "8471233412734", 0, 0 },
    { "X-AppEngine-TaskRetryCount", "1", NULL, 2, 0 },
    { "X-AppEngine-TaskName", "8471233412734", "8471233412734", 0, 0 },
    { "X-GitHub-Delivery", UUID, UUID, 0, 0 },
    { "webhook-id", "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W", "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W", 0, 0 },
    { "svix-id", "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W", "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W", 0, 0 },
    { "x-amz-sns-message-id", UUID, UUID, 0, 0 },
    { "X-Aws-Sqsd-Msgid", UUID, UUID, 0, 0 },
    { "X-Aws-Sqsd-Receive-Count", "2", NULL, 2, 0 },
    { "Message-Id", UUID, UUID, 0, 0 },
    { "Approximate-Receive-Count", "2", NULL, 2, 0 },
    { "jid", "b4a577edbccf1d805744efa9", "b4a577edbccf1d805744efa9", 0, 0 },
    { "X-Sidekiq-Jid", "b4a577edbccf1d805744efa9", "b4a577edbccf1d805744efa9", 0, 0 },
    { "X-Task-Id", "task-0042", "task-0042", 0, 0 },
    { "ce-id", "A234-1234-1234", "A234-1234-1234", 0, 0 },
    { "traceparent", "00-" TRACE "-00f067aa0ba902b7-01", TRACE, 0, 0 },
};

#define CLF "198.51.100.2 - - [15/Jul/2025:12:00:%02d +0000] \"GET /a HTTP/1.1\" 503 19 \"-\" \"sdk/1\""
#define JSON                                                                                       \
    "{\"time\":\"2025-07-15T12:00:%02dZ\",\"remote_addr\":\"198.51.100.2\",\"method\":\"GET\","     \
    "\"uri\":\"/a\",\"status\":503,"

/* ---- names ---- */

/* "x_task_id" */
static const char *snake(const char *header, char *out)
{
    size_t i = 0;

    for (; header[i]; i++)
        out[i] = header[i] == '-' ? '_' : (char)tolower((unsigned char)header[i]);
    out[i] = '\0';
    return out;
}

/* "xTaskId" */
static const char *camel(const char *header, char *out)
{
    size_t n = 0;

    for (size_t i = 0; header[i]; i++)
        if (header[i] != '-')
            out[n++] = i > 0 && header[i - 1] == '-' ? (char)toupper((unsigned char)header[i])
                       : i == 0                      ? (char)tolower((unsigned char)header[i])
                                                     : header[i];
    out[n] = '\0';
    return out;
}

/* ---- kinds of logs ---- */

typedef enum kind { EXT, EXT_HTTP, FLAT, CAMEL, NGINX_JSON, CADDY, PINO, TRAEFIK, APACHE, NGINX, KINDS } kind;

static const char *const KIND_NAMES[] = { "key=value", "http_key=value", "JSON", "JSON camel", "JSON http_",
                                          "request.headers", "req.headers", "request_", "%{}i", "$http_" };

static void write_line(kind k, const char *header, const char *value, int second, char *out)
{
    char name[80];

    switch (k) {
    case EXT: (void)sprintf(out, CLF " %s=\"%s\"", second, snake(header, name), value); break;
    case EXT_HTTP: (void)sprintf(out, CLF " http_%s=\"%s\"", second, snake(header, name), value); break;
    case FLAT: (void)sprintf(out, JSON "\"%s\":\"%s\"}", second, header, value); break;
    case CAMEL: (void)sprintf(out, JSON "\"%s\":\"%s\"}", second, camel(header, name), value); break;
    case NGINX_JSON: (void)sprintf(out, JSON "\"http_%s\":\"%s\"}", second, snake(header, name), value); break;
    case CADDY:
        (void)sprintf(out, JSON "\"request\":{\"headers\":{\"User-Agent\":[\"sdk/1\"],\"%s\":[\"%s\"]}}}",
                      second, header, value);
        break;
    case PINO:
        (void)sprintf(out, JSON "\"req\":{\"headers\":{\"user-agent\":\"sdk/1\",\"%s\":\"%s\"}}}", second,
                      header, value);
        break;
    case TRAEFIK: (void)sprintf(out, JSON "\"request_%s\":\"%s\"}", second, header, value); break;
    case APACHE:
    case NGINX: (void)sprintf(out, CLF " \"%s\"", second, value); break;
    case KINDS: break;
    }
}

/* The format that the user gives; NULL: recognised. */
static bool own_format(kind k, const char *header, char *out)
{
    char name[80];

    if (k == APACHE)
        (void)sprintf(out, "apache:%%h %%l %%u %%t \"%%r\" %%>s %%b \"%%{Referer}i\" \"%%{User-Agent}i\" \"%%{%s}i\"",
                      header);
    else if (k == NGINX)
        (void)sprintf(out, "nginx:$remote_addr - $remote_user [$time_local] \"$request\" $status "
                           "$body_bytes_sent \"$http_referer\" \"$http_user_agent\" \"$http_%s\"",
                      snake(header, name));
    return k == APACHE || k == NGINX;
}

enum { LINES = 6 };

typedef struct desk {
    lk_custom custom;
    lk_parse_cache cache;
    lk_sniffer sniffer;
    lk_layout layout;
    lk_symbols symbols;
    lk_err e;
} desk;

static void learn(desk *d, kind k, size_t row)
{
    char text[800];

    lk_layout_init(&d->layout);
    if (own_format(k, ROWS_[row].header, text)) {
        check_ok(lk_custom_compile(text, &d->custom, &d->e), d->e);
        lk_custom_layout(&d->custom, &d->layout);
        return;
    }
    lk_sniffer_init(&d->sniffer);
    for (int i = 0; i < LINES; i++) {
        write_line(k, ROWS_[row].header, ROWS_[row].value, i, text);
        lk_sniffer_line(&d->sniffer, lk_slice_from(text));
    }
    lk_sniffer_decide(&d->sniffer, &d->layout);
}

static bool has_id(const lk_attempt *a, const char *id)
{
    bool any = false;

    for (size_t i = 0; i < LK_IDS; i++) {
        any |= a->id[i] != 0;
        if (id && a->id[i] == lk_hash(id, strlen(id)))
            return true;
    }
    return !id && !any;
}

static void check_row(desk *d, kind k, size_t row)
{
    lk_reject why = LK_REJECT_NONE;
    char text[800];
    lk_fields f;
    lk_attempt a;

    learn(d, k, row);
    write_line(k, ROWS_[row].header, ROWS_[row].value, 7, text);
    lk_parse_cache_init(&d->cache);
    check(lk_layout_parse(&d->layout, &d->cache, lk_slice_from(text), &f, &why), "%s, %.300s: %s",
          KIND_NAMES[k], text, lk_reject_name(why));
    check_ok(lk_attempt_from(&f, &d->layout, &d->symbols, &a, &d->e), d->e);
    check(a.attempt_no == ROWS_[row].attempt_no && a.attempt_max == ROWS_[row].attempt_max,
          "%s, %.300s: attempt %d of %d", KIND_NAMES[k], text, (int)a.attempt_no, (int)a.attempt_max);
    check(has_id(&a, ROWS_[row].id), "%s, %.300s: another id", KIND_NAMES[k], text);
}

TEST(identity_in_every_spelling)
{
    desk *d = test_malloc(sizeof(*d));

    check_ok(lk_symbols_init(&d->symbols, 1, &d->e), d->e);
    for (size_t row = 0; row < ROWS(ROWS_); row++)
        for (kind k = EXT; k < KINDS; k = (kind)(k + 1))
            check_row(d, k, row);
    lk_symbols_release(&d->symbols);
    test_free(d);
}

TEST(identity_inside_values)
{
    static const struct { const char *value, *id; } INSIDE[] = {
        { "\"8e03978e-40d5-43dd-bc93-6894a57f9324\"", "8e03978e-40d5-43dd-bc93-6894a57f9324" },
        { "00-" TRACE "-00f067aa0ba902b7-0x", "00-" TRACE "-00f067aa0ba902b7-0x" }, /* no traceparent */
        { "gl-php/8.2 gccl-invocation-id/abc", "abc" },
        { "gl-php/8.2 gccl-invocation-id/", "" },
        { "g", "g" },
        { "\"", "\"" },
        { "\"\"", "" },
        { "", "" },
    };

    for (size_t i = 0; i < ROWS(INSIDE); i++)
        check(lk_slice_is(lk_value_id(lk_slice_from(INSIDE[i].value)), INSIDE[i].id) ||
                  !INSIDE[i].id[0],
              "row %zu", i);
}

TESTS(T(identity_in_every_spelling), T(identity_inside_values))
