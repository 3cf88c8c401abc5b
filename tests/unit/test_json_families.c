/* Lines of each family of JSON writers: what they say was written down from the writers' documents,
 * and the sums of whole files by other means. */
#include "format/json_keys.h"
#include "format/layout.h"
#include "unit.h"

#include "base/time.h"

#define AT(seconds, ns) (INT64_C(1796009100) * LK_NS_PER_S + (seconds)*LK_NS_PER_S + (ns))
#define US 1000
#define MS LK_NS_PER_MS
#define S LK_NS_PER_S

enum { LINES_MAX = 256, TEXT_MAX = 1 << 18 };

typedef struct lines {
    char text[TEXT_MAX];
    lk_slice items[LINES_MAX];
    size_t count;
} lines;

static lines *lines_read(const char *path)
{
    lines *l = test_malloc(sizeof(*l));
    FILE *f = fopen(path, "rb");
    size_t n;

    check(f, "cannot open '%s' (run from the top of the tree)", path);
    n = fread(l->text, 1, sizeof(l->text) - 1, f);
    (void)fclose(f);
    l->text[n] = '\0';
    l->count = 0;
    for (char *p = l->text, *end; (end = strchr(p, '\n')) != NULL; p = end + 1) {
        check(l->count < LINES_MAX, "'%s' is too long", path);
        l->items[l->count++] = (lk_slice){ p, (size_t)(end - p) };
    }
    return l;
}

static void learn(const lk_slice *items, size_t count, const lk_json_paths *paths, lk_layout *out)
{
    lk_sniffer *s = test_malloc(sizeof(*s));

    lk_sniffer_init(s);
    if (paths)
        s->paths = *paths;
    for (size_t i = 0; i < count; i++)
        lk_sniffer_line(s, items[i]);
    lk_sniffer_decide(s, out);
    test_free(s);
}

static bool is_text(lk_slice s, const char *want)
{
    return want ? s.p && lk_slice_is(s, want) : s.len == 0;
}

/* ---- first lines ---- */

typedef struct expected {
    lk_moment moment;
    int64_t stamp_ns, took_ns; /* stamp after 2026-11-30 03:25:00; -1 = not logged */
    unsigned status;
    const char *caller, *method, *target, *agent, *host, *id; /* NULL = empty; id of slot 0 */
    int32_t attempt_no, attempt_max;
    int64_t retry_after_ns;
    size_t tries;
    bool gave_up, zoneless;
} expected;

static void check_fields(const lk_fields *f, const expected *want, const char *name)
{
    check(f->stamp_ns == AT(0, want->stamp_ns), "%s: stamp %lld", name,
          (long long)(f->stamp_ns - AT(0, 0)));
    check(f->moment == want->moment, "%s: moment %d", name, (int)f->moment);
    check(f->took_ns == want->took_ns, "%s: took %lld", name, (long long)f->took_ns);
    check(f->status == want->status, "%s: status %u", name, f->status);
    check(is_text(f->caller, want->caller), "%s: caller '%.*s'", name, (int)f->caller.len,
          f->caller.p);
    check(is_text(f->method, want->method), "%s: method '%.*s'", name, (int)f->method.len,
          f->method.p);
    check(is_text(f->target, want->target), "%s: target '%.*s'", name, (int)f->target.len,
          f->target.p);
    check(is_text(f->agent, want->agent), "%s: agent '%.*s'", name, (int)f->agent.len, f->agent.p);
    check(is_text(f->host, want->host), "%s: host '%.*s'", name, (int)f->host.len, f->host.p);
    check(is_text(f->id[0], want->id), "%s: id '%.*s'", name, (int)f->id[0].len, f->id[0].p);
    check(f->attempt_no == want->attempt_no && f->attempt_max == want->attempt_max,
          "%s: attempt %d of %d", name, (int)f->attempt_no, (int)f->attempt_max);
    check(f->retry_after_ns == want->retry_after_ns, "%s: Retry-After %lld", name,
          (long long)f->retry_after_ns);
    check(f->try_count == want->tries, "%s: %zu tries", name, f->try_count);
    for (size_t i = 0; i < f->try_count; i++)
        check(f->tries[i].took_ns == -1 && !f->tries[i].redirect &&
                  f->tries[i].status == (i + 1 < f->try_count ? LK_STATUS_UNKNOWN : f->status),
              "%s: try %zu", name, i);
    check(f->gave_up == want->gave_up, "%s: gave up", name);
    check(f->zoneless == want->zoneless, "%s: zone", name);
}

/* clang-format off */
static const struct {
    const char *path, *format;
    expected first;
} FILES[] = {
    { "testdata/format/json-caddy.log", "caddy",
      { LK_MOMENT_END, 261 * S + 192479400, 7030, 0, "127.0.0.1", "GET", "/", "curl/7.88.1", "127.0.0.1:8580", NULL, 0, 0, -1, 0, false, false } },
    { "testdata/format/json-caddy-console.log", "caddy",
      { LK_MOMENT_END, 281 * S + 601 * MS, 12579, 200, "127.0.0.1", "GET", "/y", "curl/7.88.1", "127.0.0.1:8582", NULL, 0, 0, -1, 0, false, true } },
    { "testdata/format/json-caddy-iso.log", "caddy",
      { LK_MOMENT_END, 281 * S + 631 * MS, 10876, 200, "127.0.0.1", "GET", "/y", "curl/7.88.1", "127.0.0.1:8583", NULL, 0, 0, -1, 0, false, false } },
    { "testdata/format/json-traefik.log", "traefik",
      { LK_MOMENT_START, 310123456, 12345678, 503, "203.0.113.7", "GET", "/api", "OpenAI/JS 6.49.0", "api.example.com", NULL, 2, 0, 3 * S, 3, false, false } },
    { "testdata/format/json-envoy.log", "envoy-json",
      { LK_MOMENT_START, 310 * MS, 226 * MS, 503, "203.0.113.7", "GET", "/a", "curl/8.5.0", "api.example.com", "cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2", 2, 0, -1, 3, false, false } },
    { "testdata/format/json-gcp.log", "gcp",
      { LK_MOMENT_START, 701888 * US, 25376 * US, 503, "203.0.113.7", "POST", "/v1/jobs", "python-requests/2.28.1", "api.example.com", NULL, 0, 0, -1, 0, false, false } },
    { "testdata/format/json-appgw-v1.log", "azure-appgw",
      { LK_MOMENT_END, 0, 205 * MS, 404, "203.0.113.7", "GET", "/x", NULL, "api.example.com", NULL, 0, 0, -1, 0, false, false } },
    { "testdata/format/json-appgw-v2.log", "azure-appgw",
      { LK_MOMENT_END, 0, 34 * MS, 502, "203.0.113.7", "GET", "/api", "curl/8.5.0", "api.example.com", "592d1649f75a8d480a3c4dc6a975309d", 0, 0, -1, 0, false, false } },
    { "testdata/format/json-frontdoor.log", "azure-frontdoor",
      { LK_MOMENT_END, 364074800, 65 * MS, 503, "203.0.113.7", "GET", "/api", "curl/8.5.0", "www.example.com", "0abc", 0, 0, -1, 0, false, false } },
    { "testdata/format/json-api-gateway.log", "api-gateway",
      { LK_MOMENT_START, 0, -1, 429, "203.0.113.7", "POST", "/jobs/{id}", NULL, NULL, "c6af9ac6-7b61-11e6-9a41-93e8deadbeef", 0, 0, -1, 0, false, false } },
    { "testdata/format/json-cloudflare.log", "cloudflare",
      { LK_MOMENT_START, 0, 1 * S, 503, "203.0.113.7", "GET", "/api", "curl/8.5.0", "api.example.com", "8e1b2c3d4e5f6a7b", 0, 0, -1, 0, false, false } },
    { "testdata/format/json-varnishncsa.log", "json",
      { LK_MOMENT_START, 208 * S + 531841 * US, 1070 * US, 200, NULL, "GET", "/", "curl/7.88.1", NULL, NULL, 0, 0, -1, 0, false, false } },
    { "testdata/format/json-nginx.log", "json",
      { LK_MOMENT_END, 376 * MS, 0, 200, "127.0.0.1", "GET", "/", "curl/7.88.1", "127.0.0.1", NULL, 0, 0, -1, 0, false, false } },
    { "testdata/format/json-sdk.log", "json",
      { LK_MOMENT_END, 1141 * S + 240 * MS, 2 * MS, 503, "127.0.0.1", "POST", "/v1/chat/completions", "OpenAI/JS 6.49.0", NULL, NULL, 1, 0, 5 * S, 0, false, false } },
};

static const struct {
    const char *path;
    size_t lines, zero, rejected, failed, retry_after, agents, attempts;
    int64_t took_ns;
} SUMS[] = {
    { "testdata/format/json-caddy.log",         32, 16,   6,  10,  3,  24,  2,  9906640758 },
    { "testdata/format/json-nginx.log",         54,  0,   4,  39,  5,  32,  2, 10343000000 },
    { "testdata/format/json-sdk.log",          180,  0, 180, 180, 84, 168, 75,   637000000 },
    { "testdata/format/json-varnishncsa.log",   31,  2,  10,  11,  0,  22,  0,  6376430000 },
    { "testdata/format/json-api-gateway.log",    2,  0,   2,   2,  0,   1,  0, 29004000000 },
    { "testdata/format/json-cloudflare.log",     2,  0,   1,   1,  0,   1,  0,  2000000000 },
};
/* clang-format on */

TEST(json_families_reads_first_lines)
{
    for (size_t i = 0; i < ROWS(FILES); i++) {
        lines *l = lines_read(FILES[i].path);
        lk_parse_cache cache;
        lk_reject why;
        lk_layout layout;
        lk_fields f;

        learn(l->items, l->count, NULL, &layout);
        check(layout.format && strcmp(layout.format->name, FILES[i].format) == 0, "%s: format '%s'",
              FILES[i].path, layout.format ? layout.format->name : "");
        check(layout.moment == FILES[i].first.moment, "%s: moment of the layout", FILES[i].path);
        lk_parse_cache_init(&cache);
        check(lk_layout_parse(&layout, &cache, l->items[0], &f, &why), "%s: %s", FILES[i].path,
              lk_reject_name(why));
        check_fields(&f, &FILES[i].first, FILES[i].path);
        test_free(l);
    }
}

TEST(json_families_adds_up)
{
    for (size_t i = 0; i < ROWS(SUMS); i++) {
        lines *l = lines_read(SUMS[i].path);
        size_t zero = 0, rejected = 0, failed = 0, retry_after = 0, agents = 0, attempts = 0;
        int64_t took_ns = 0;
        lk_parse_cache cache;
        lk_layout layout;

        check(l->count == SUMS[i].lines, "%s: %zu lines", SUMS[i].path, l->count);
        learn(l->items, l->count, NULL, &layout);
        lk_parse_cache_init(&cache);
        for (size_t k = 0; k < l->count; k++) {
            lk_reject why;
            lk_fields f;

            check(lk_layout_parse(&layout, &cache, l->items[k], &f, &why), "%s: line %zu: %s",
                  SUMS[i].path, k + 1, lk_reject_name(why));
            zero += f.status == 0;
            rejected += lk_status_is_rejected(f.status);
            failed += f.status >= 400;
            retry_after += f.retry_after_ns >= 0;
            agents += f.agent.p != NULL;
            attempts += f.attempt_no > 0;
            took_ns += f.took_ns >= 0 ? f.took_ns : 0;
        }
        check(zero == SUMS[i].zero && rejected == SUMS[i].rejected && failed == SUMS[i].failed,
              "%s: %zu with status 0, %zu rejected, %zu failed", SUMS[i].path, zero, rejected,
              failed);
        check(retry_after == SUMS[i].retry_after, "%s: %zu with Retry-After", SUMS[i].path,
              retry_after);
        check(agents == SUMS[i].agents, "%s: %zu agents", SUMS[i].path, agents);
        check(attempts == SUMS[i].attempts, "%s: %zu attempts", SUMS[i].path, attempts);
        check(took_ns == SUMS[i].took_ns, "%s: took %lld", SUMS[i].path, (long long)took_ns);
        test_free(l);
    }
}

/* ---- lines of their own ---- */

#define CADDY_REQUEST \
    "\"request\":{\"remote_ip\":\"10.0.0.9\",\"client_ip\":\"10.0.0.1\",\"proto\":\"HTTP/1.1\",\"method\":\"GET\",\"host\":\"h\",\"uri\":\"/u?q\",\"headers\":{"
#define GCP \
    "\"requestMethod\":\"GET\",\"requestUrl\":\"https://h.example/p?q\",\"status\":502,\"remoteIp\":\"10.0.0.1:443\""
#define APPGW \
    "\"httpMethod\":\"GET\",\"requestUri\":\"\\/x\",\"clientIP\":\"10.0.0.1\",\"httpStatus\":499"
#define FRONTDOOR \
    "{\"time\":\"2026-11-30T03:25:00Z\",\"category\":\"FrontDoorAccessLog\",\"properties\":{\"httpMethod\":\"GET\",\"requestUri\":\"https://h:443/x\",\"clientIp\":\"10.0.0.1\",\"httpStatusCode\":\"0\""
#define TRAEFIK \
    "\"ClientHost\":\"10.0.0.1\",\"DownstreamStatus\":200,\"RequestMethod\":\"GET\",\"RequestPath\":\"/\",\"Duration\":2500000000"
#define ENVOY \
    "{\"start_time\":\"2026-11-30T03:25:00.310Z\",\"method\":\"GET\",\"path\":\"/\",\"response_code\":"
#define CLOUDFLARE \
    "\"ClientIP\":\"10.0.0.1\",\"ClientRequestMethod\":\"GET\",\"ClientRequestURI\":\"/\",\"EdgeResponseStatus\":200"

/* clang-format off */
static const struct {
    const char *format, *line;
    expected want;
} LINES[] = {
    /* Caddy: the trusted client before the peer, headers in any order, durations in each form */
    { "caddy", "{\"ts\":1796009100.25," CADDY_REQUEST "\"X-Stainless-Retry-Count\":[\"2\"],\"Idempotency-Key\":[\"k1\"],\"User-Agent\":[\"a\\\"b\",\"c\"]}},\"duration\":1.5,\"status\":503,\"resp_headers\":{\"Retry-After\":[\"2.5\"]}}",
      { LK_MOMENT_END, 250 * MS, 1500 * MS, 503, "10.0.0.1", "GET", "/u", "a\"b", "h", "k1", 3, 0, 2500 * MS, 0, false, false } },
    { "caddy", "{\"ts\":1796009100250.5," CADDY_REQUEST "}},\"duration\":12579,\"status\":200}", /* unix_milli_float, nanoseconds */
      { LK_MOMENT_END, 250 * MS + 500 * US, 12579, 200, "10.0.0.1", "GET", "/u", NULL, "h", NULL, 0, 0, -1, 0, false, false } },
    { "caddy", "{\"ts\":\"2026/11/30 03:25:01\"," CADDY_REQUEST "\"Status\":[\"9\"],\"Client-Ip\":[\"9\"]}},\"duration\":\"1m2.5s\",\"status\":200}", /* wall */
      { LK_MOMENT_END, 1 * S, 62500 * MS, 200, "10.0.0.1", "GET", "/u", NULL, "h", NULL, 0, 0, -1, 0, false, true } },
    { "caddy", "{\"ts\":1796009100,\"request\":{\"remote_addr\":\"[::1]:80\",\"proto\":\"HTTP/2.0\",\"uri\":\"/\",\"headers\":{}},\"duration\":\"6.31ms\",\"status\":200}",
      { LK_MOMENT_END, 0, 6310 * US, 200, "::1", NULL, "/", NULL, NULL, NULL, 0, 0, -1, 0, false, false } },
    /* Traefik: no RetryAttempts, no StartUTC: the time of writing */
    { "traefik", "{" TRAEFIK ",\"time\":\"2026-11-30T03:25:02Z\",\"RetryAttempts\":0}",
      { LK_MOMENT_END, 2 * S, 2500 * MS, 200, "10.0.0.1", "GET", "/", NULL, NULL, NULL, 0, 0, -1, 1, false, false } },
    { "traefik", "{" TRAEFIK ",\"time\":\"2026-11-30T03:25:02Z\",\"StartLocal\":\"2026-11-30T04:25:00.5+01:00\"}",
      { LK_MOMENT_START, 500 * MS, 2500 * MS, 200, "10.0.0.1", "GET", "/", NULL, NULL, NULL, 0, 0, -1, 0, false, false } },
    /* Envoy: numbers as strings, '-' for what is not set, the client gone */
    { "envoy-json", ENVOY "\"0\",\"response_flags\":\"UC,DC\",\"duration\":\"226\",\"x_forwarded_for\":\"203.0.113.7, 10.0.35.28\",\"downstream_remote_address\":\"10.0.0.1:1\",\"user_agent\":\"-\",\"upstream_request_attempt_count\":\"0\"}",
      { LK_MOMENT_START, 310 * MS, 226 * MS, 0, "203.0.113.7", "GET", "/", NULL, NULL, NULL, 0, 0, -1, 0, true, false } },
    { "envoy-json", ENVOY "200,\"response_flags\":\"-\",\"duration\":null,\"x_forwarded_for\":\"-\",\"downstream_remote_address\":\"10.0.0.1:1\",\"upstream_request_attempt_count\":\"2\"}",
      { LK_MOMENT_START, 310 * MS, -1, 200, "10.0.0.1", "GET", "/", NULL, NULL, NULL, 0, 0, -1, 2, false, false } },
    /* Google Cloud: client libraries' spelling; the client gone */
    { "gcp", "{\"httpRequest\":{" GCP "},\"timestamp\":\"2026-11-30T03:25:00Z\",\"jsonPayload\":{\"statusDetails\":\"client_disconnected_before_any_response\"}}",
      { LK_MOMENT_START, 0, -1, 502, "10.0.0.1", "GET", "/p", NULL, "h.example", NULL, 0, 0, -1, 0, true, false } },
    { "gcp", "{\"http_request\":{\"request_method\":\"GET\",\"request_url\":\"http://h/p\",\"status\":\"502\",\"remote_ip\":\"10.0.0.1\",\"user_agent\":\"x\",\"latency\":\"1.5s\"},\"timestamp\":\"2026-11-30T03:25:00Z\"}",
      { LK_MOMENT_START, 0, 1500 * MS, 502, "10.0.0.1", "GET", "/p", "x", "h", NULL, 0, 0, -1, 0, false, false } },
    /* Azure: what is no JSON in v1, seconds in v2 though whole, Front Door by shape */
    { "azure-appgw", "{\"time\":\"2026-11-30T03:25:00Z\",\"properties\":{\"clientPort\":-," APPGW ",\"timeTaken\":1500,\"error_info\":\"ERRORINFO_CLIENT_CLOSED_REQUEST\"}}",
      { LK_MOMENT_END, 0, 1500 * MS, 499, "10.0.0.1", "GET", "/x", NULL, NULL, NULL, 0, 0, -1, 0, true, false } },
    { "azure-appgw", "{\"timeStamp\":\"2026-11-30T03:25:00+00:00\",\"properties\":{" APPGW ",\"timeTaken\":2}}",
      { LK_MOMENT_END, 0, 2 * S, 499, "10.0.0.1", "GET", "/x", NULL, NULL, NULL, 0, 0, -1, 0, false, false } },
    { "azure-frontdoor", FRONTDOOR ",\"timeTaken\":\"65\",\"errorInfo\":\"ClientDisconnected\"}}",
      { LK_MOMENT_END, 0, 65 * MS, 0, "10.0.0.1", "GET", "/x", NULL, "h:443", NULL, 0, 0, -1, 0, true, false } },
    { "azure-frontdoor", FRONTDOOR ",\"timeTaken\":\"1.065\"}}",
      { LK_MOMENT_END, 0, 1065 * MS, 504, "10.0.0.1", "GET", "/x", NULL, "h:443", NULL, 0, 0, -1, 0, false, false } },
    { "azure-frontdoor", FRONTDOOR ",\"timeTaken\":\"1065.5\"}}",
      { LK_MOMENT_END, 0, 1065500 * US, 504, "10.0.0.1", "GET", "/x", NULL, "h:443", NULL, 0, 0, -1, 0, false, false } },
    { "azure-appgw", "{\"timeStamp\":\"2026-11-30T03:25:00+00:00\",\"properties\":{" APPGW ",\"timeTaken\":2,\"serverStatus\":\"-, 499\",\"serverResponseLatency\":\"-, -\"}}",
      { LK_MOMENT_END, 0, 2 * S, 499, "10.0.0.1", "GET", "/x", NULL, NULL, NULL, 0, 0, -1, 2, false, false } },
    /* API Gateway: its requestTime is no duration; a route that is no request line */
    { "api-gateway", "{\"requestTimeEpoch\":1796009100398,\"requestTime\":\"30/Nov/2026:03:25:00 +0000\",\"routeKey\":\"$default\",\"httpMethod\":\"GET\",\"path\":\"/p\",\"status\":\"200\",\"responseLatency\":\"29\",\"identity\":{\"sourceIp\":\"10.0.0.1\",\"userAgent\":\"x\"}}",
      { LK_MOMENT_START, 398 * MS, 29 * MS, 200, "10.0.0.1", "GET", "/p", "x", NULL, NULL, 0, 0, -1, 0, false, false } },
    /* Cloudflare: Unix seconds, nanoseconds, one end only */
    { "cloudflare", "{" CLOUDFLARE ",\"EdgeStartTimestamp\":1796009100,\"EdgeEndTimestamp\":1796009103}",
      { LK_MOMENT_START, 0, 3 * S, 200, "10.0.0.1", "GET", "/", NULL, NULL, NULL, 0, 0, -1, 0, false, false } },
    { "cloudflare", "{" CLOUDFLARE ",\"EdgeStartTimestamp\":1796009100310123456,\"EdgeEndTimestamp\":1796009101310123457}",
      { LK_MOMENT_START, 310123456, 1 * S + 1, 200, "10.0.0.1", "GET", "/", NULL, NULL, NULL, 0, 0, -1, 0, false, false } },
    { "cloudflare", "{" CLOUDFLARE ",\"EdgeEndTimestamp\":\"2026-11-30T03:25:01Z\"}",
      { LK_MOMENT_END, 1 * S, -1, 200, "10.0.0.1", "GET", "/", NULL, NULL, NULL, 0, 0, -1, 0, false, false } },
    /* ECS: nested, by points, and both */
    { "ecs", "{\"@timestamp\":\"2026-11-30T03:25:00.5Z\",\"http\":{\"request\":{\"method\":\"GET\"},\"response\":{\"status_code\":503}},\"url\":{\"path\":\"/p\",\"domain\":\"h\"},\"source\":{\"ip\":\"10.0.0.1\"},\"user_agent\":{\"original\":\"x\"},\"event\":{\"duration\":1500000000}}",
      { LK_MOMENT_END, 500 * MS, 1500 * MS, 503, "10.0.0.1", "GET", "/p", "x", "h", NULL, 0, 0, -1, 0, false, false } },
    { "ecs", "{\"@timestamp\":\"2026-11-30T03:25:00.5Z\",\"http.request.method\":\"GET\",\"http\":{\"response.status_code\":503},\"url.original\":\"/p?q\",\"client.ip\":\"10.0.0.1\",\"event.start\":\"2026-11-30T03:24:59Z\",\"event.end\":\"2026-11-30T03:25:01Z\"}",
      { LK_MOMENT_START, -1 * S, 2 * S, 503, "10.0.0.1", "GET", "/p", NULL, NULL, NULL, 0, 0, -1, 0, false, false } },
    /* nginx: variables without quotes */
    { "json", "{\"msec\":1796009100.250,\"remote_addr\":\"10.0.0.1\",\"status\":200,\"rt\":,\"ut\":-,\"us\":502, 200,\"ra\":}",
      { LK_MOMENT_END, 250 * MS, -1, 200, "10.0.0.1", NULL, NULL, NULL, NULL, NULL, 0, 0, -1, 0, false, false } },
    /* someone else's nested objects and flat keys: generic */
    { "json", "{\"msec\":1796009100.250,\"request\":{\"method\":\"GET\",\"uri\":\"/p\"},\"status\":200,\"duration\":2}",
      { LK_MOMENT_END, 250 * MS, 2 * S, 200, NULL, "GET", "/p", NULL, NULL, NULL, 0, 0, -1, 0, false, false } },
    { "json", "{\"msec\":1796009100.250,\"httpMethod\":\"GET\",\"path\":\"/p\",\"request_time\":0.5,\"retryAttempts\":4,\"status\":200}",
      { LK_MOMENT_END, 250 * MS, 500 * MS, 200, NULL, "GET", "/p", NULL, NULL, NULL, 0, 0, -1, 0, false, false } },
};
/* clang-format on */

TEST(json_families_reads_their_forms)
{
    for (size_t i = 0; i < ROWS(LINES); i++) {
        lk_slice line = lk_slice_from(LINES[i].line);
        lk_parse_cache cache;
        lk_reject why = LK_REJECT_NONE;
        lk_layout layout;
        lk_fields f;
        char name[64];

        (void)snprintf(name, sizeof(name), "row %zu", i);
        learn(&line, 1, NULL, &layout);
        check(layout.format && strcmp(layout.format->name, LINES[i].format) == 0, "%s: '%s'", name,
              layout.format ? layout.format->name : "");
        lk_parse_cache_init(&cache);
        for (size_t again = 0; again < 2; again++) {
            check(lk_layout_parse(&layout, &cache, line, &f, &why), "%s: %s", name,
                  lk_reject_name(why));
            check_fields(&f, &LINES[i].want, name);
        }
    }
}

/* Several families in one file: each line by its own keys, whatever the file's layout is. */
TEST(json_families_are_told_line_by_line)
{
    lk_parse_cache cache;

    lk_parse_cache_init(&cache);
    for (size_t file = 0; file < ROWS(LINES); file++) {
        lk_slice first = lk_slice_from(LINES[file].line);
        lk_layout layout;

        learn(&first, 1, NULL, &layout);
        for (size_t i = 0; i < ROWS(LINES); i++) {
            lk_reject why;
            lk_fields f;

            check(lk_layout_parse(&layout, &cache, lk_slice_from(LINES[i].line), &f, &why),
                  "row %zu after %zu", i, file);
            check(f.stamp_ns == AT(0, LINES[i].want.stamp_ns) &&
                      f.took_ns == LINES[i].want.took_ns && f.status == LINES[i].want.status,
                  "row %zu after %zu", i, file);
        }
    }
}

/* Caddy's record of an error is not a second request; other lines of its console are none. */
TEST(json_families_refuses_what_is_no_request)
{
    static const struct {
        const char *line;
        lk_reject why;
    } REJECTS[] = {
        { "{\"level\":\"error\",\"ts\":1796009100.2,\"logger\":\"http.log.error\"," CADDY_REQUEST
          "}},\"duration\":0.1,\"status\":502,\"err_id\":\"x\",\"err_trace\":\"y\"}",
          LK_REJECT_UNRECOGNISED },
        { "2026/11/30 03:29:41.601\tINFO\thttp\tstarted\t{\"address\": \":80\"}",
          LK_REJECT_UNRECOGNISED },
        { "2026/11/30 03:29:41.601\tINFO\tx\t{\"request\": {\"method\": \"GET\", \"uri\": \"/\"}",
          LK_REJECT_JSON },
        { "tabs\tand a brace}", LK_REJECT_UNRECOGNISED },
        { "no stamp\t{\"ip\":\"10.0.0.1\",\"status\":200}", LK_REJECT_TIMESTAMP },
        { "{\"DownstreamStatus\":200,\"StartUTC\":\"x\",\"ClientHost\":\"h\"}",
          LK_REJECT_TIMESTAMP },
        { "{\"time\":\"2026-11-30T03:25:00Z\",\"properties\":{\"clientIP\":\"h\",\"a\":[}}",
          LK_REJECT_JSON },
    };
    lk_layout layout;
    lk_parse_cache cache;

    lk_layout_init(&layout);
    lk_parse_cache_init(&cache);
    for (size_t i = 0; i < ROWS(REJECTS); i++) {
        lk_reject why = LK_REJECT_NONE;
        lk_fields f;

        check(!lk_layout_parse(&layout, &cache, lk_slice_from(REJECTS[i].line), &f, &why),
              "row %zu", i);
        check(why == REJECTS[i].why, "row %zu: %s", i, lk_reject_name(why));
    }
}

/* Every path of the table can be reached, by points and nested. */
TEST(json_families_reach_every_path_of_the_table)
{
    static const lk_json_paths NONE = { 0 };

    for (uint8_t row = LK_JSON_PATHS_MAX; row < lk_jsonl_row_count(); row++) {
        lk_slice rest = lk_slice_from(lk_jsonl_row_key(row));
        uint16_t object = LK_JSONL_ROOT;
        const char *point;

        check(rest.len < LK_JSON_PATH_MAX, "'%s' is too long", rest.p);
        check(lk_jsonl_row_in(&NONE, LK_JSONL_ROOT, rest) == row, "'%s' by points", rest.p);
        while ((point = memchr(rest.p, '.', rest.len)) != NULL) {
            size_t len = (size_t)(point - rest.p);

            object = lk_jsonl_object_in(&NONE, object, (lk_slice){ rest.p, len });
            check(object != LK_JSONL_ROOT, "'%s' is not entered", lk_jsonl_row_key(row));
            rest = lk_slice_skip(rest, len + 1);
        }
        check(lk_jsonl_row_in(&NONE, object, rest) == row, "'%s' nested", lk_jsonl_row_key(row));
    }
}

TESTS(T(json_families_reads_first_lines), T(json_families_adds_up),
      T(json_families_reads_their_forms), T(json_families_are_told_line_by_line),
      T(json_families_refuses_what_is_no_request), T(json_families_reach_every_path_of_the_table))
