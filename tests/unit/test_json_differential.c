/* 100,000 made lines, to the scanner and to the tree: the same fields.
 *
 * A line is the members of one family of writers, in any order, some left out, some given twice,
 * others put between them; then blanks are strewn about and the bytes of values written as escapes.
 * It stays strict JSON, and within what both promise: numbers of 15 digits, texts of 64 bytes where
 * a field is short. */
#include "format/json_lines.h"
#include "unit.h"

#include "base/random.h"

enum { LINES = 100000, LINE_MAX_LEN = 8192, MEMBERS_MAX = 24 };

/* ---- a line ---- */

typedef struct text {
    char bytes[LINE_MAX_LEN];
    size_t len;
} text;

static void add(text *t, const char *s)
{
    size_t n = strlen(s);

    check(t->len + n < LINE_MAX_LEN, "the line is too long");
    memcpy(t->bytes + t->len, s, n + 1);
    t->len += n;
}

static void add_byte(text *t, char c)
{
    const char s[2] = { c, '\0' };

    add(t, s);
}

static size_t below(lk_random *r, size_t n)
{
    return (size_t)(lk_random_u64(r) % n);
}

static bool one_in(lk_random *r, size_t n)
{
    return below(r, n) == 0;
}

/* ---- members ---- */

/* clang-format off */
typedef const char *const member_list[MEMBERS_MAX];

static const member_list FAMILIES[] = {
    { "\"msec\":1752580800.488", "\"remote_addr\":\"10.0.0.1\"", "\"request_method\":\"GET\"", "\"uri\":\"/a/b?c=d\"", "\"status\":\"503\"", "\"request_time\":0.004",
      "\"http_user_agent\":\"curl/8\"", "\"x_request_id\":\"bbbb-2\"", "\"amz_sdk_request\":\"attempt=2; max=3\"", "\"sent_http_retry_after\":\"3\"", "\"host\":\"h\"" },
    { "\"ts\":1752580800.25", "\"request\":{\"remote_ip\":\"10.0.0.1\",\"proto\":\"HTTP/1.1\",\"method\":\"GET\",\"host\":\"h:1\",\"uri\":\"/u?q\",\"headers\":{\"User-Agent\":[\"a b\"],\"X-Stainless-Retry-Count\":[\"1\"],\"X-Empty\":[],\"Idempotency-Key\":[\"k1\",\"k2\"]}}",
      "\"duration\":0.005435756", "\"size\":6", "\"status\":429", "\"resp_headers\":{\"Retry-After\":[\"3\"],\"Server\":[\"Caddy\",\"x\"]}", "\"level\":\"info\"" },
    { "\"ts\":\"2025/07/15 12:00:00.250\"", "\"request\":{\"client_ip\":\"::1\",\"proto\":\"HTTP/2.0\",\"uri\":\"/\",\"headers\":{}}", "\"duration\":\"10.876us\"", "\"status\":0" },
    { "\"StartUTC\":\"2025-07-15T12:00:00.310123456Z\"", "\"ClientHost\":\"10.0.0.1\"", "\"DownstreamStatus\":503", "\"Duration\":12345678", "\"RequestMethod\":\"GET\"", "\"RequestPath\":\"/api?x=1\"",
      "\"RetryAttempts\":2", "\"request_User-Agent\":\"x/1\"", "\"downstream_Retry-After\":\"3\"", "\"time\":\"2025-07-15T12:00:01Z\"" },
    { "\"start_time\":\"2025-07-15T12:00:00.310Z\"", "\"method\":\"GET\"", "\"path\":\"/a?b=1\"", "\"response_code\":\"503\"", "\"response_flags\":\"URX,DC\"", "\"duration\":226", "\"x_forwarded_for\":\"203.0.113.7, 10.0.0.1\"",
      "\"user_agent\":null", "\"request_id\":\"cc21d9b0-cf5c\"", "\"upstream_request_attempt_count\":3", "\"authority\":\"h\"" },
    { "\"httpRequest\":{\"latency\":\"0.025376s\",\"remoteIp\":\"10.0.0.1:1\",\"requestMethod\":\"POST\",\"requestUrl\":\"https://h.example/v1/jobs?q\",\"status\":503,\"userAgent\":\"p/2\"}", "\"timestamp\":\"2025-07-15T12:00:00.701888Z\"",
      "\"jsonPayload\":{\"statusDetails\":\"client_disconnected_before_any_response\",\"deep\":{\"a\":[{}]}}", "\"resource\":{\"labels\":{\"status\":\"9\"}}" },
    { "\"timeStamp\":\"2025-07-15T12:00:00+00:00\"", "\"properties\":{\"clientIP\":\"10.0.0.1\",\"httpMethod\":\"GET\",\"originalRequestUriWithArgs\":\"\\/api?x=1\",\"requestUri\":\"/api\",\"httpStatus\":502,\"timeTaken\":0.034,\"transactionId\":\"592d16\",\"error_info\":\"ERRORINFO_NO_ERROR\"}" },
    { "\"time\":\"2025-07-15T12:00:00Z\"", "\"properties\":{\"clientIP\":\"10.0.0.1\",\"httpMethod\":\"GET\",\"requestUri\":\"/x\",\"httpStatus\":404,\"timeTaken\":205,\"host\":\"h\"}" },
    { "\"time\":\"2025-07-15T12:00:00.3640748Z\"", "\"properties\":{\"clientIp\":\"10.0.0.1\",\"httpMethod\":\"GET\",\"requestUri\":\"https://h:443/api\",\"httpStatusCode\":\"503\",\"timeTaken\":\"0.065\",\"trackingReference\":\"0abc\",\"errorInfo\":\"ClientDisconnected\"}" },
    { "\"requestTime\":\"15/Jul/2025:12:00:00 +0000\"", "\"ip\":\"10.0.0.1\"", "\"httpMethod\":\"POST\"", "\"resourcePath\":\"/jobs/{id}\"", "\"status\":\"429\"", "\"requestId\":\"c6af\"", "\"responseLatency\":\"29\"" },
    { "\"requestTimeEpoch\":\"1752580800398\"", "\"sourceIp\":\"10.0.0.1\"", "\"routeKey\":\"POST /jobs\"", "\"status\":\"503\"", "\"identity\":{\"userAgent\":\"x\"}" },
    { "\"ClientIP\":\"10.0.0.1\"", "\"ClientRequestMethod\":\"GET\"", "\"ClientRequestURI\":\"/api?x=1\"", "\"EdgeStartTimestamp\":1752580800", "\"EdgeEndTimestamp\":\"2025-07-15T12:00:01Z\"", "\"EdgeResponseStatus\":503", "\"RayID\":\"8e1b2c3d\"" },
    { "\"@timestamp\":\"2025-07-15T12:00:00.5Z\"", "\"http\":{\"request\":{\"method\":\"GET\"},\"response\":{\"status_code\":503}}", "\"url\":{\"path\":\"/p\",\"domain\":\"h\"}", "\"source\":{\"ip\":\"10.0.0.1\"}", "\"user_agent\":{\"original\":\"x\"}", "\"event\":{\"duration\":1500000}" },
    { "\"@timestamp\":\"2025-07-15T12:00:00.5Z\"", "\"http.request.method\":\"GET\"", "\"http\":{\"response.status_code\":503}", "\"url.path\":\"/p\"", "\"client.ip\":\"10.0.0.1\"", "\"event.duration\":1500000" },
    { "\"usec\":\"1752580800531841\"", "\"r\":\"GET http://h/p?q HTTP/1.1\"", "\"s\":200", "\"ua\":\"x\"", "\"D\":1070" },
    { "\"mine\":[{\"at\":1752580800.25,\"code\":[{\"x\":1},418]},{\"code\":7}]", "\"ip\":\"10.0.0.1\"", "\"status\":200", "\"mine\":[{},{\"call\":\"c1\"}]", "\"mine\":[{\"call\":\"c2\"}]", "\"time\":1752580801" },
    { "\"mine\":{\"at\":1752580800.25,\"code\":[418]}", "\"ip\":\"10.0.0.1\"", "\"status\":200", "\"mine.call\":\"c1\"", "\"time\":1752580801" },
};

static const char *const OTHERS[] = {
    "\"other\":[1,[2,{\"a\":\"]}\"}],\"\\\"\"]", "\"more\":{\"status\":9,\"time\":\"x\",\"request\":{\"uri\":\"/no\"}}", "\"n\":null", "\"t\":true", "\"deep\":[[[[[]]]]]", "\"e\":{}", "\"\":\"\"", "\"k\":-1.5",
    "\"status\":200", "\"status\":\"-\"", "\"status\":2e2", "\"status\":[503]", "\"status\":{\"x\":1}", "\"status\":false", "\"st\":429", "\"time\":null", "\"time\":1752580799", "\"msec\":\"1752580801.5\"",
    "\"request_time\":0.25", "\"rt\":5e-05", "\"duration\":[0.125]", "\"duration_ms\":12.5", "\"latency_ms\":[]", "\"duration\":\"1m2s\"", "\"duration\":-1", "\"Duration\":200000000",
    "\"request\":\"GET /r HTTP/1.1\"", "\"request\":{\"method\":\"X\",\"uri\":[\"/list\"],\"headers\":[]}", "\"request\":[{\"uri\":\"/in-array\"}]", "\"path\":\"http:\\/\\/h\\/p\"", "\"uri\":\"/\\u00e9\\ud83d\\ude00\"",
    "\"user_agent\":\"a\\tb\\\"c\\\\\"", "\"agent\":\"caf\xc3\xa9\"", "\"user_agent\":[\"x\",\"y\"]", "\"attempt\":2", "\"attempt\":[\"attempt=3; max=5\"]", "\"retries\":1", "\"retry_count\":\"0\"", "\"retry_after_ms\":250", "\"retry_after\":\"1.5\"",
    "\"invocation_id\":\"aaaa-1\"", "\"idempotency_key\":\"\"", "\"task_id\":17", "\"ray_id\":[\"r\"]", "\"trace\":{\"id\":\"t1\"}", "\"err_id\":\"e\"", "\"upstream_request_attempt_count\":70", "\"response_flags\":\"DC\"",
    "\"properties\":{\"httpStatus\":\"500\"}", "\"properties\":null", "\"http\":{\"response\":{\"status_code\":404,\"body\":{\"bytes\":1}}}", "\"x-forwarded-for\":\"192.0.2.1 , 10.0.0.1\"", "\"mine\":{\"call\":\"c2\"}",
};
/* clang-format on */

enum { FAMILY_COUNT = ROWS(FAMILIES), OTHER_COUNT = ROWS(OTHERS) };

static size_t pick(lk_random *r, const char **out)
{
    const char *const *family = FAMILIES[below(r, FAMILY_COUNT)];
    size_t n = 0;

    for (size_t i = 0; i < MEMBERS_MAX && family[i]; i++) {
        if (!one_in(r, 16))
            out[n++] = family[i];
        if (one_in(r, 24))
            out[n++] = family[i];
        if (one_in(r, 6))
            out[n++] = OTHERS[below(r, OTHER_COUNT)];
    }
    return n;
}

static void shuffle(lk_random *r, const char **items, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t k = below(r, i);
        const char *kept = items[i - 1];

        items[i - 1] = items[k];
        items[k] = kept;
    }
}

static void strict_line(lk_random *r, text *out)
{
    const char *items[3 * MEMBERS_MAX];
    size_t n = pick(r, items);

    if (one_in(r, 2))
        shuffle(r, items, n);
    out->len = 0;
    add(out, "{");
    for (size_t i = 0; i < n; i++) {
        add(out, i > 0 ? "," : "");
        add(out, items[i]);
    }
    add(out, "}");
}

/* ---- the same in another spelling ---- */

static void add_blanks(lk_random *r, text *out)
{
    static const char *const BLANKS[] = { " ", "\t", "  ", " \t " };

    if (one_in(r, 4))
        add(out, BLANKS[below(r, ROWS(BLANKS))]);
}

static void add_escape(lk_random *r, char c, text *out)
{
    char escape[8];

    (void)snprintf(escape, sizeof(escape), one_in(r, 2) ? "\\u%04x" : "\\u%04X", (unsigned)c);
    add(out, escape);
}

static const char *string_end(const char *p)
{
    for (p++; *p != '"'; p++)
        p += *p == '\\';
    return p + 1;
}

/* A value's string, some bytes of it escaped and now and then some added. */
static void respell(lk_random *r, const char *p, const char *end, text *out)
{
    static const char *const SNIPPETS[] = { "\\ud83d\\ude00", "\\n",     "\\\"",        "\\\\",
                                            "\xe2\x82\xac",   "\\u00E9", "\\b\\f\\r\\t" };

    for (; p < end; p++) {
        if (*p == '\\') {
            for (size_t left = p[1] == 'u' ? 5 : 1; left > 0; left--)
                add_byte(out, *p++);
            add_byte(out, *p);
        } else if (*p == '/' && one_in(r, 3)) {
            add(out, "\\/");
        } else if ((unsigned char)*p < 0x80 && one_in(r, 20)) {
            add_escape(r, *p, out);
        } else {
            add_byte(out, *p);
        }
    }
    if (one_in(r, 64))
        add(out, SNIPPETS[below(r, ROWS(SNIPPETS))]);
}

static const char *take_text(lk_random *r, const char *p, bool escapes, text *out)
{
    const char *end = string_end(p);

    add_byte(out, '"');
    if (escapes && *end != ':')
        respell(r, p + 1, end - 1, out);
    else
        for (const char *q = p + 1; q < end - 1; q++)
            add_byte(out, *q);
    add_byte(out, '"');
    return end;
}

static void respelt_line(lk_random *r, const text *strict, text *out)
{
    bool blanks = one_in(r, 2), escapes = one_in(r, 2);
    const char *p = strict->bytes;

    out->len = 0;
    while (*p) {
        if (*p == '"') {
            p = take_text(r, p, escapes, out);
            continue;
        }
        if (blanks && strchr("{}[]:,", *p)) {
            if (p > strict->bytes)
                add_blanks(r, out);
            add_byte(out, *p++);
            add_blanks(r, out);
            continue;
        }
        add_byte(out, *p++);
    }
}

/* ---- the two readers ---- */

typedef struct reading {
    lk_parse_cache cache;
    lk_jsonl found;
    lk_fields fields;
    lk_reject why;
    bool ok;
} reading;

static bool same_text(lk_slice a, lk_slice b)
{
    return (a.p != NULL) == (b.p != NULL) && lk_slice_equal(a, b);
}

static void check_same(const lk_fields *a, const lk_fields *b, const char *line)
{
    check(a->stamp_ns == b->stamp_ns && a->fraction == b->fraction, "stamp: %.400s", line);
    check(a->moment == b->moment && a->zoneless == b->zoneless, "moment: %.400s", line);
    check(a->took_ns == b->took_ns, "took %lld, %lld: %.400s", (long long)a->took_ns,
          (long long)b->took_ns, line);
    check(a->retry_after_ns == b->retry_after_ns, "Retry-After: %.400s", line);
    check(a->status == b->status && a->gave_up == b->gave_up, "status: %.400s", line);
    check(a->attempt_no == b->attempt_no && a->attempt_max == b->attempt_max, "attempt: %.400s",
          line);
    check(a->try_count == b->try_count, "tries: %.400s", line);
    check(same_text(a->caller, b->caller) && same_text(a->method, b->method) &&
              same_text(a->target, b->target) && same_text(a->agent, b->agent) &&
              same_text(a->host, b->host),
          "text: %.400s", line);
    for (size_t i = 0; i < LK_IDS; i++)
        check(same_text(a->id[i], b->id[i]), "id %zu: %.400s", i, line);
}

/* The scanner's cache goes from line to line, as in use. */
static bool compare(const lk_layout *l, const text *line, reading *scanned, reading *grown)
{
    lk_slice s = { line->bytes, line->len };
    reading *both[] = { scanned, grown };

    scanned->cache.text_len = 0;
    lk_parse_cache_init(&grown->cache);
    check(lk_jsonl_scan(&scanned->cache, &l->paths, s, &scanned->found), "scanner: %.400s",
          line->bytes);
    check(lk_jsonl_tree(&grown->cache, &l->paths, s, &grown->found), "tree: %.400s", line->bytes);
    check(memcmp(scanned->found.seen, grown->found.seen, sizeof(grown->found.seen)) == 0 &&
              scanned->found.signs == grown->found.signs,
          "keys: %.400s", line->bytes);
    for (size_t i = 0; i < 2; i++) {
        both[i]->why = LK_REJECT_NONE;
        both[i]->ok =
            lk_jsonl_read(l, &both[i]->cache, &both[i]->found, &both[i]->fields, &both[i]->why);
    }
    check(scanned->ok == grown->ok && scanned->why == grown->why, "'%s', '%s': %.400s",
          lk_reject_name(scanned->why), lk_reject_name(grown->why), line->bytes);
    if (scanned->ok)
        check_same(&scanned->fields, &grown->fields, line->bytes);
    return scanned->ok;
}

static void learn(const char *option, lk_layout *out)
{
    static const char LINE[] = "{\"time\":1752580800,\"ip\":\"h\",\"status\":200,\"invocation_id\":"
                               "\"c\",\"request_id\":\"r\",\"idempotency_key\":\"k\"}";
    lk_sniffer *s = test_malloc(sizeof(*s));
    lk_err e = { 0 };

    lk_sniffer_init(s);
    if (option)
        check_ok(lk_json_keys_parse(option, &s->paths, &e), e);
    lk_sniffer_line(s, LK_SLICE(LINE));
    lk_sniffer_decide(s, out);
    test_free(s);
}

/* Returns the number of requests among the lines. */
static size_t compare_lines(uint64_t seed, size_t count, const lk_layout *l)
{
    reading *both = test_malloc(2 * sizeof(*both));
    text *texts = test_malloc(2 * sizeof(*texts));
    size_t requests = 0;
    lk_random r;

    lk_random_init(&r, seed);
    lk_parse_cache_init(&both[0].cache);
    for (size_t i = 0; i < count; i++) {
        strict_line(&r, &texts[0]);
        respelt_line(&r, &texts[0], &texts[1]);
        requests += compare(l, &texts[1], &both[0], &both[1]);
    }
    test_free(texts);
    test_free(both);
    return requests;
}

TEST(json_differential_readers_agree)
{
    size_t requests;
    lk_layout l;

    learn(NULL, &l);
    requests = compare_lines(1, LINES * 3 / 4, &l);
    check(requests > LINES / 2 && requests < LINES * 3 / 4, "%zu requests", requests);
}

TEST(json_differential_readers_agree_on_the_users_paths)
{
    size_t requests;
    lk_layout l;

    learn("time=mine.at,status=mine.code,id=mine.call,agent=request.headers.x,took_ms=duration,"
          "host=more.request.uri",
          &l);
    requests = compare_lines(2, LINES / 4, &l);
    check(requests > LINES / 8 && requests < LINES / 4, "%zu requests", requests);
}

TESTS(T(json_differential_readers_agree), T(json_differential_readers_agree_on_the_users_paths))
