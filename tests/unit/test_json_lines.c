#include "format/json_lines.h"
#include "unit.h"

#include <stdlib.h>

#include "base/random.h"
#include "base/time.h"

#define NOON_NS (INT64_C(1752580800) * LK_NS_PER_S)
#define NOON "2025-07-15T12:00:00Z"
/* The least that makes a line a request. */
#define LEAST "\"time\":\"" NOON "\",\"remote_addr\":\"198.51.100.2\",\"status\":200"

static void learn(const char *const *lines, size_t count, lk_layout *out)
{
    lk_sniffer *s = test_malloc(sizeof(*s));

    lk_sniffer_init(s);
    for (size_t i = 0; i < count; i++)
        lk_sniffer_line(s, lk_slice_from(lines[i]));
    lk_sniffer_decide(s, out);
    test_free(s);
}

static bool is_text(lk_slice s, const char *want)
{
    return want ? s.p && lk_slice_is(s, want) : s.len == 0;
}

/* ---- members ---- */

/* clang-format off */
static const struct {
    const char *line, *caller, *method, *target, *agent; /* NULL = empty */
    unsigned status;
    int64_t after_ms, took_us, retry_after_ms; /* after noon; -1 = not logged */
    int32_t attempt_no, attempt_max;
} LINES[] = {
    { "{\"time_iso8601\":\"2025-07-15T12:00:00.250+00:00\",\"remote_addr\":\"10.0.0.1\",\"method\":\"GET\",\"uri\":\"/a?b=c\","
      "\"status\":503,\"bytes\":12,\"request_time\":0.25,\"user_agent\":\"curl/8\",\"attempt\":2,\"retry_after\":12}",
      "10.0.0.1", "GET", "/a", "curl/8", 503, 250, 250000, 12000, 2, 0 },
    /* $msec is exact and wins wherever it stands */
    { "{\"time\":\"" NOON "\",\"msec\":1752580800.488,\"remote_addr\":\"10.0.0.1\",\"status\":\"200\",\"request_time\":\"0.004\"}",
      "10.0.0.1", NULL, NULL, NULL, 200, 488, 4000, -1, 0, 0 },
    { "{\"msec\":\"1752580800.488\",\"time\":\"nonsense\",\"addr\":\"10.0.0.1\",\"st\":0}",
      "10.0.0.1", NULL, NULL, NULL, 0, 488, -1, -1, 0, 0 },
    { "{\"msec\":1752580801.000,\"ip\":\"10.0.0.1\",\"status\":200}",
      "10.0.0.1", NULL, NULL, NULL, 200, 1000, -1, -1, 0, 0 },
    { "{\"msec\":1752580801.000,\"ip\":\"10.0.0.1\",\"st\\u0061tus\":200}",
      "10.0.0.1", NULL, NULL, NULL, 200, 1000, -1, -1, 0, 0 },
    { "{\"@timestamp\":\"2025-07-15T17:45:00+05:45\",\"client_ip\":\"10.0.0.1\",\"status\":200}",
      "10.0.0.1", NULL, NULL, NULL, 200, 0, -1, -1, 0, 0 },
    { "{\"time_local\":\"15/Jul/2025:08:00:00 -0400\",\"ip\":\"10.0.0.1\",\"status\":200.0}",
      "10.0.0.1", NULL, NULL, NULL, 200, 0, -1, -1, 0, 0 },
    { "{\"ts\":1752580800250,\"client\":\"10.0.0.1:55123\",\"status\":200}",
      "10.0.0.1", NULL, NULL, NULL, 200, 250, -1, -1, 0, 0 },
    /* the request line in one */
    { "{" LEAST ",\"request\":\"GET http://h/p?q HTTP/1.1\"}", "198.51.100.2", "GET", "/p", NULL, 200, 0, -1, -1, 0, 0 },
    { "{" LEAST ",\"request\":\"\\u0016\\u0003\\u0001\"}",     "198.51.100.2", NULL, NULL, NULL, 200, 0, -1, -1, 0, 0 },
    /* absent in every spelling */
    { "{" LEAST ",\"user_agent\":\"-\",\"retry_after\":null,\"attempt\":\"\",\"request_time\":\"-\"}",
      "198.51.100.2", NULL, NULL, NULL, 200, 0, -1, -1, 0, 0 },
    { "{" LEAST ",\"user_agent\":null,\"retry_after\":\"-\",\"attempt\":false,\"request_time\":null}",
      "198.51.100.2", NULL, NULL, NULL, 200, 0, -1, -1, 0, 0 },
    /* attempts */
    { "{" LEAST ",\"http_amz_sdk_request\":\"attempt=2; max=3\"}", "198.51.100.2", NULL, NULL, NULL, 200, 0, -1, -1, 2, 3 },
    { "{" LEAST ",\"attempt\":\"attempt=2; max=3\"}", "198.51.100.2", NULL, NULL, NULL, 200, 0, -1, -1, 2, 3 },
    { "{" LEAST ",\"X-Stainless-Retry-Count\":\"1\"}", "198.51.100.2", NULL, NULL, NULL, 200, 0, -1, -1, 2, 0 },
    { "{" LEAST ",\"retryCount\":0}", "198.51.100.2", NULL, NULL, NULL, 200, 0, -1, -1, 1, 0 },
    { "{" LEAST ",\"attempt\":3,\"retry_count\":7}", "198.51.100.2", NULL, NULL, NULL, 200, 0, -1, -1, 3, 0 },
    /* units, exponents, a date that is no number of seconds */
    { "{" LEAST ",\"duration_ms\":12.5,\"sent_http_retry_after\":\"0.5\"}", "198.51.100.2", NULL, NULL, NULL, 200, 0, 12500, 500, 0, 0 },
    { "{" LEAST ",\"duration_ms\":12.5,\"retry_after\":\"5s\"}", "198.51.100.2", NULL, NULL, NULL, 200, 0, 12500, 5000, 0, 0 },
    { "{" LEAST ",\"duration\":5e-05,\"retry_after_ms\":1500}", "198.51.100.2", NULL, NULL, NULL, 200, 0, 50, 1500, 0, 0 },
    { "{" LEAST ",\"retry_after\":\"Wed, 21 Oct 2026 07:28:00 GMT\"}", "198.51.100.2", NULL, NULL, NULL, 200, 0, -1, -1, 0, 0 },
    /* the better key counts, in any order */
    { "{" LEAST ",\"uri\":\"/index.php\",\"request_uri\":\"/shop\"}", "198.51.100.2", NULL, "/shop", NULL, 200, 0, -1, -1, 0, 0 },
    { "{" LEAST ",\"request_uri\":\"/shop\",\"uri\":\"/index.php\"}", "198.51.100.2", NULL, "/shop", NULL, 200, 0, -1, -1, 0, 0 },
    { "{" LEAST ",\"ua\":\"127.0.0.1:9101\",\"agent\":\"curl/8\"}", "198.51.100.2", NULL, NULL, "curl/8", 200, 0, -1, -1, 0, 0 },
    { "{" LEAST ",\"path\":\"/first\",\"path\":\"/second\"}", "198.51.100.2", NULL, "/first", NULL, 200, 0, -1, -1, 0, 0 },
    /* strings */
    { "{" LEAST ",\"uri\":\"\\/a\\u0026b\\u003fq\",\"user_agent\":\"a\\\"b\\\\c\\u00e9\\ud83d\\ude00\\t\"}",
      "198.51.100.2", NULL, "/a&b", "a\"b\\c\xc3\xa9\xf0\x9f\x98\x80\t", 200, 0, -1, -1, 0, 0 },
    { "{" LEAST ",\"user_agent\":\"caf\xe9 \x80\"}", "198.51.100.2", NULL, NULL, "caf\xe9 \x80", 200, 0, -1, -1, 0, 0 },
    { "{" LEAST ",\"user_agent\":\"a\\x22b\\q \\ud800 \\u12\"}", "198.51.100.2", NULL, NULL, "a\\x22b\\q \xef\xbf\xbd \\u12", 200, 0, -1, -1, 0, 0 },
    /* nested values are passed over, whatever they hold */
    { "{\"a\":{\"status\":500,\"x\":[1,{\"y\":\"}\\\"]\"}]},\"b\":[], " LEAST " ,\"c\":{} }",
      "198.51.100.2", NULL, NULL, NULL, 200, 0, -1, -1, 0, 0 },
    { "  { \"time\" : \"" NOON "\" ,\t\"ip\" : \"10.0.0.1\" , \"status\" : 429 } , ", "10.0.0.1", NULL, NULL, NULL, 429, 0, -1, -1, 0, 0 },
    /* variables without quotes */
    { "{" LEAST ",\"ut\":-,\"us\":,\"rt\":0.004}", "198.51.100.2", NULL, NULL, NULL, 200, 0, 4000, -1, 0, 0 },
    { "{\"ut\":0.001, 0.002 : 0.003, -,\"us\":502, 502 : 200," LEAST ",\"ub\":1, 2}", "198.51.100.2", NULL, NULL, NULL, 200, 0, -1, -1, 0, 0 },
    /* a key with an escape: the slow reader */
    { "{" LEAST ",\"user\\u005fagent\":\"curl\\/8\",\"request_time\":0.25}", "198.51.100.2", NULL, NULL, "curl/8", 200, 0, 250000, -1, 0, 0 },
};

static const struct { const char *line; lk_reject why; } REJECTS[] = {
    { "{}",                                                         LK_REJECT_UNRECOGNISED },
    { "{\"level\":\"error\",\"ts\":1752580800.25,\"msg\":\"x\",\"status\":1}", LK_REJECT_UNRECOGNISED },
    { "{\"log\":\"h - - ...\",\"stream\":\"stdout\",\"time\":\"" NOON "\"}", LK_REJECT_UNRECOGNISED },
    { "[1]",                                                        LK_REJECT_UNRECOGNISED },
    { "{\"ip\":\"10.0.0.1\",\"status\":200}",                       LK_REJECT_NO_TIME },
    { "{\"ip\":\"10.0.0.1\",\"status\":200,\"time\":\"12:00\"}",    LK_REJECT_TIMESTAMP },
    { "{\"ip\":\"10.0.0.1\",\"status\":200,\"time\":\"2025-07-15T12:00:00\"}", LK_REJECT_TIMESTAMP },
    { "{\"ip\":\"10.0.0.1\",\"status\":200,\"time\":-5}",           LK_REJECT_TIMESTAMP },
    { "{\"ip\":\"10.0.0.1\",\"time\":\"" NOON "\"}",                LK_REJECT_STATUS },
    { "{\"ip\":\"10.0.0.1\",\"time\":\"" NOON "\",\"status\":\"x\"}", LK_REJECT_STATUS },
    { "{\"ip\":\"10.0.0.1\",\"time\":\"" NOON "\",\"status\":\"ok\"}", LK_REJECT_STATUS },
    { "{\"ip\":\"10.0.0.1\",\"time\":\"" NOON "\",\"status\":1000}", LK_REJECT_STATUS },
    { "{\"ip\":\"10.0.0.1\",\"time\":\"" NOON "\",\"status\":20.5}", LK_REJECT_STATUS },
    { "{",                                                          LK_REJECT_JSON },
    { "{" LEAST,                                                    LK_REJECT_JSON },
    { "{" LEAST ",",                                                LK_REJECT_JSON },
    { "{" LEAST ",}",                                               LK_REJECT_JSON },
    { "{" LEAST "} x",                                              LK_REJECT_JSON },
    { "{" LEAST ",\"a\":\"open}",                                   LK_REJECT_JSON },
    { "{" LEAST ",\"a\":\"open\\\"}",                               LK_REJECT_JSON },
    { "{" LEAST ",\"a\":{\"b\":[}]}",                               LK_REJECT_JSON },
    { "{" LEAST ",\"a\":what}",                                     LK_REJECT_JSON },
    { "{" LEAST ",\"a\" 1}",                                        LK_REJECT_JSON },
    { "{" LEAST " \"a\":1}",                                        LK_REJECT_JSON },
    { "{" LEAST ",a:1}",                                            LK_REJECT_JSON },
};
/* clang-format on */

TEST(json_lines_reads_members)
{
    lk_layout l;
    lk_parse_cache *cache = malloc(sizeof(*cache));

    lk_layout_init(&l);
    assert_non_null(cache);
    lk_parse_cache_init(cache);
    for (size_t i = 0; i < ROWS(LINES); i++) {
        lk_reject why = LK_REJECT_NONE;
        lk_fields f;

        check(lk_layout_parse(&l, cache, lk_slice_from(LINES[i].line), &f, &why), "row %zu: %s", i,
              lk_reject_name(why));
        check(is_text(f.caller, LINES[i].caller), "row %zu: caller '%.*s'", i, (int)f.caller.len,
              f.caller.p);
        check(is_text(f.method, LINES[i].method), "row %zu: method '%.*s'", i, (int)f.method.len,
              f.method.p);
        check(is_text(f.target, LINES[i].target), "row %zu: target '%.*s'", i, (int)f.target.len,
              f.target.p);
        check(is_text(f.agent, LINES[i].agent), "row %zu: agent '%.*s'", i, (int)f.agent.len,
              f.agent.p);
        check(f.status == LINES[i].status, "row %zu: status %u", i, f.status);
        check(f.stamp_ns == NOON_NS + LINES[i].after_ms * LK_NS_PER_MS, "row %zu: %lld", i,
              (long long)f.stamp_ns);
        check(f.fraction == (LINES[i].after_ms > 0), "row %zu: fraction", i);
        check(f.moment == (strstr(LINES[i].line, "\"msec\"") ? LK_MOMENT_END : LK_MOMENT_UNKNOWN),
              "row %zu: moment", i);
        check(f.took_ns == (LINES[i].took_us < 0 ? -1 : LINES[i].took_us * 1000),
              "row %zu: took %lld", i, (long long)f.took_ns);
        check(f.retry_after_ns ==
                  (LINES[i].retry_after_ms < 0 ? -1 : LINES[i].retry_after_ms * LK_NS_PER_MS),
              "row %zu: Retry-After %lld", i, (long long)f.retry_after_ns);
        check(f.attempt_no == LINES[i].attempt_no && f.attempt_max == LINES[i].attempt_max,
              "row %zu: attempt %d of %d", i, (int)f.attempt_no, (int)f.attempt_max);
    }
    free(cache);
}

TEST(json_lines_says_why_a_line_is_no_request)
{
    lk_layout l;
    lk_parse_cache cache;

    lk_layout_init(&l);
    lk_parse_cache_init(&cache);
    for (size_t i = 0; i < ROWS(REJECTS); i++) {
        lk_reject why = LK_REJECT_COUNT;
        lk_fields f;

        check(!lk_layout_parse(&l, &cache, lk_slice_from(REJECTS[i].line), &f, &why), "row %zu: %s",
              i, REJECTS[i].line);
        check(why == REJECTS[i].why, "row %zu: '%s': %s", i, lk_reject_name(why), REJECTS[i].line);
    }
}

/* ---- ids ---- */

TEST(json_lines_gives_ids_their_slots)
{
    static const char *const SEEN[] = {
        "{" LEAST
        ",\"http_x_task_id\":\"t1\",\"x-request-id\":\"r1\",\"http_amz_sdk_invocation_id\":\"\"}",
        "{" LEAST
        ",\"http_x_task_id\":\"t1\",\"x-request-id\":\"r2\",\"http_amz_sdk_invocation_id\":\"c1\"}",
    };
    lk_layout l;
    lk_parse_cache cache;
    lk_reject why;
    lk_fields f;

    learn(SEEN, ROWS(SEEN), &l);
    check(l.format && strcmp(l.format->name, "json") == 0, "format");
    check(l.id_count == LK_IDS, "%zu", l.id_count); /* the fourth: a kind that never stood there */
    check(strcmp(l.id_name[0], "http_amz_sdk_invocation_id") == 0, "'%s'", l.id_name[0]);
    check(strcmp(l.id_name[1], "x-request-id") == 0, "'%s'", l.id_name[1]);
    check(strcmp(l.id_name[2], "http_x_task_id") == 0, "'%s'", l.id_name[2]);
    check(l.id_is_call[0] && !l.id_is_call[1] && !l.id_is_call[2] && !l.id_is_call[3], "calls");
    lk_parse_cache_init(&cache);
    check(lk_layout_parse(&l, &cache, lk_slice_from(SEEN[1]), &f, &why), "parse");
    check(is_text(f.id[0], "c1") && is_text(f.id[1], "r2") && is_text(f.id[2], "t1"), "ids");
    check(!f.id[3].p, "absent");
    check(lk_layout_parse(&l, &cache, lk_slice_from(SEEN[0]), &f, &why), "parse");
    check(!f.id[0].p, "an empty string is absent");
    check(lk_layout_parse(&l, &cache,
                          LK_SLICE("{" LEAST ",\"idempotency_key\":\"k\\u002d1\",\"rid\":\"r9\"}"),
                          &f, &why),
          "parse");
    check(is_text(f.id[3], "k-1"), "a key that only comes later");
    check(is_text(f.id[1], "r9"), "another key of a kind that has a slot");
}

/* More ids than a line's list holds: the last ones still have names. */
TEST(json_lines_names_every_slot)
{
    char line[1024] = "{" LEAST;
    const char *lines[] = { line };
    lk_layout l;

    for (size_t i = 0; i < LK_JSONL_IDS_MAX; i++)
        strcat(line, ",\"rid\":\"x\"");
    strcat(line, ",\"job_id\":\"j\"}");
    learn(lines, 1, &l);
    check(l.id_count == LK_IDS, "%zu", l.id_count);
    for (size_t i = 0; i < LK_IDS; i++)
        check(l.id_name[i][0] != '\0', "slot %zu", i);
}

TEST(json_lines_counts_attempts_from_where_they_start)
{
    static const char *const FROM_0[] = { "{" LEAST ",\"attempt\":0}",
                                          "{" LEAST ",\"attempt\":1}" };
    static const char *const FROM_1[] = { "{" LEAST ",\"attempt\":1}",
                                          "{" LEAST ",\"attempt\":2}" };
    lk_layout l;
    lk_parse_cache cache;
    lk_reject why;
    lk_fields f;

    lk_parse_cache_init(&cache);
    learn(FROM_0, 2, &l);
    check(lk_layout_parse(&l, &cache, lk_slice_from(FROM_0[1]), &f, &why), "parse");
    check(f.attempt_no == 2, "%d", (int)f.attempt_no);
    learn(FROM_1, 2, &l);
    check(lk_layout_parse(&l, &cache, lk_slice_from(FROM_1[1]), &f, &why), "parse");
    check(f.attempt_no == 2, "%d", (int)f.attempt_no);
}

/* ---- two readers ---- */

static bool same_text(lk_slice a, lk_slice b)
{
    return (a.p != NULL) == (b.p != NULL) && lk_slice_equal(a, b);
}

static void check_same(const lk_fields *a, const lk_fields *b, const char *line)
{
    check(a->stamp_ns == b->stamp_ns && a->fraction == b->fraction, "stamp: %.200s", line);
    check(a->moment == b->moment, "moment: %.200s", line);
    check(a->took_ns == b->took_ns, "took %lld, %lld: %.200s", (long long)a->took_ns,
          (long long)b->took_ns, line);
    check(a->retry_after_ns == b->retry_after_ns, "Retry-After: %.200s", line);
    check(a->status == b->status, "status: %.200s", line);
    check(a->attempt_no == b->attempt_no && a->attempt_max == b->attempt_max, "attempt: %.200s",
          line);
    check(same_text(a->caller, b->caller) && same_text(a->method, b->method) &&
              same_text(a->target, b->target) && same_text(a->agent, b->agent),
          "text: %.200s", line);
    for (size_t i = 0; i < LK_IDS; i++)
        check(same_text(a->id[i], b->id[i]), "id %zu: %.200s", i, line);
}

/* Both readers on one line, which both must take.  Texts live in two caches. */
static void check_readers(const lk_layout *l, const char *line)
{
    lk_parse_cache *c = test_malloc(2 * sizeof(*c));
    lk_jsonl *found = test_malloc(2 * sizeof(*found));
    lk_reject why[2] = { LK_REJECT_NONE, LK_REJECT_NONE };
    lk_fields f[2];
    bool ok[2];

    lk_parse_cache_init(&c[0]);
    lk_parse_cache_init(&c[1]);
    check(lk_jsonl_scan(&c[0], &l->paths, lk_slice_from(line), &found[0]), "scanner: %.200s", line);
    check(lk_jsonl_tree(&c[1], &l->paths, lk_slice_from(line), &found[1]), "tree: %.200s", line);
    check(memcmp(found[0].seen, found[1].seen, sizeof(found[0].seen)) == 0, "keys: %.200s", line);
    for (size_t i = 0; i < 2; i++)
        ok[i] = lk_jsonl_read(l, &c[i], &found[i], &f[i], &why[i]);
    check(ok[0] == ok[1] && why[0] == why[1], "%s, %s: %.200s", lk_reject_name(why[0]),
          lk_reject_name(why[1]), line);
    if (ok[0])
        check_same(&f[0], &f[1], line);
    test_free(found);
    test_free(c);
}

/* clang-format off */
static const char *const MEMBERS[] = { /* strict JSON; several keys of one field on purpose */
    "\"time\":\"" NOON "\"", "\"time\":1752580800.25", "\"msec\":1752580800.488", "\"ts\":1752580800250", "\"time\":null",
    "\"remote_addr\":\"10.0.0.1\"", "\"client_ip\":\"[::1]:80\"", "\"ip\":\"\"", "\"method\":\"GET\"", "\"m\":\"P\\u004fST\"",
    "\"uri\":\"/a?b\"", "\"path_info\":\"/x\"", "\"path\":\"http:\\/\\/h\\/p\"", "\"request\":\"GET /r HTTP/1.1\"", "\"request\":{\"method\":\"X\",\"status\":1}",
    "\"status\":200", "\"status\":\"503\"", "\"st\":429.0", "\"status\":2e2", "\"code\":-1", "\"status\":true",
    "\"request_time\":0.004", "\"rt\":5e-05", "\"duration\":\"0.25\"", "\"duration_ms\":12.5", "\"request_time\":1e99",
    "\"user_agent\":\"a\\tb\\\"c\\\\\"", "\"agent\":\"caf\xc3\xa9 \\u00e9 \\ud83d\\ude00\"", "\"user_agent\":\"-\"",
    "\"attempt\":2", "\"attempt\":\"attempt=2; max=3\"", "\"amz_sdk_request\":\"ttl=x; attempt=3; max=5\"", "\"retries\":1",
    "\"retry_after\":4", "\"retry_after\":\"1.5\"", "\"ra\":\"Wed, 21 Oct 2026 07:28:00 GMT\"", "\"retry_after_ms\":250",
    "\"invocation_id\":\"aaaa-1\"", "\"x_request_id\":\"bbbb\\u002d2\"", "\"idempotency_key\":\"\"", "\"task_id\":17",
    "\"other\":[1,[2,{\"a\":\"]}\"}],\"\\\"\"]", "\"more\":{\"status\":9,\"time\":\"x\"}", "\"n\":null", "\"t\" : true", "\"deep\":[[[[[]]]]]",
};
/* clang-format on */

TEST(json_lines_readers_agree)
{
    static const char *const IDS[] = {
        "{" LEAST
        ",\"invocation_id\":\"c\",\"x_request_id\":\"r\",\"idempotency_key\":\"k\",\"task_id\":\"t\"}"
    };
    lk_random random;
    lk_layout l;
    char line[2048];

    learn(IDS, 1, &l);
    lk_random_init(&random, 1);
    for (size_t round = 0; round < 20000; round++) {
        size_t count = lk_random_u64(&random) % 16;

        strcpy(line, "{");
        for (size_t i = 0; i < count; i++) {
            strcat(line, i > 0 ? "," : "");
            strcat(line, MEMBERS[lk_random_u64(&random) % ROWS(MEMBERS)]);
        }
        strcat(line, "}");
        check_readers(&l, line);
    }
}

/* What was guessed from one line must not leak into the next, whose keys stand elsewhere. */
TEST(json_lines_cache_changes_nothing)
{
    lk_parse_cache *c = test_malloc(2 * sizeof(*c));
    lk_random random;
    lk_layout l;
    char line[2048];

    lk_layout_init(&l);
    lk_random_init(&random, 2);
    lk_parse_cache_init(&c[0]);
    for (size_t round = 0; round < 20000; round++) {
        lk_reject why[2] = { LK_REJECT_NONE, LK_REJECT_NONE };
        lk_fields f[2];
        bool ok[2];

        strcpy(line, "{");
        for (size_t i = 0; i < 16; i++) {
            strcat(line, i > 0 ? "," : "");
            strcat(line, MEMBERS[lk_random_u64(&random) % ROWS(MEMBERS)]);
        }
        strcat(line, "}");
        lk_parse_cache_init(&c[1]);
        for (size_t i = 0; i < 2; i++)
            ok[i] = lk_layout_parse(&l, &c[i], lk_slice_from(line), &f[i], &why[i]);
        check(ok[0] == ok[1] && why[0] == why[1], "%.200s", line);
        if (ok[0])
            check_same(&f[0], &f[1], line);
    }
    test_free(c);
}

TEST(json_lines_survives_every_cut_of_a_line)
{
    const char *line = "{" LEAST ",\"uri\":\"/\\u00e9\\ud83d\\ude00\\n\",\"a\":{\"b\":[1,\"]\"]},"
                       "\"ut\":0.1, 0.2,\"agent\":\"x\\\\\"}";
    lk_layout l;
    lk_parse_cache cache;

    lk_layout_init(&l);
    lk_parse_cache_init(&cache);
    for (size_t len = 0; len <= strlen(line); len++) {
        char *copy = test_malloc(len + 1);
        lk_reject why;
        lk_fields f;

        memcpy(copy, line, len);
        check(
            lk_layout_parse(&l, &cache, (lk_slice){ copy, len }, &f, &why) == (len == strlen(line)),
            "len %zu", len);
        test_free(copy);
    }
}

/* Strings longer than the room for them are cut, never written past it. */
TEST(json_lines_bounds_unescaped_text)
{
    size_t size = 100000, at;
    char *line = test_malloc(size);
    lk_parse_cache *cache = test_malloc(sizeof(*cache));
    static const char *const KEYS[] = { "uri", "user_agent", "request_id", "remote_addr",
                                        "method" };
    static const char *const SEEN[] = { "{" LEAST ",\"request_id\":\"r\"}" };
    lk_reject why;
    lk_layout l;
    lk_fields f;

    learn(SEEN, 1, &l);
    lk_parse_cache_init(cache);
    at = (size_t)snprintf(line, size, "{\"time\":\"%s\",\"status\":200", NOON);
    for (size_t i = 0; i < ROWS(KEYS); i++) {
        at += (size_t)snprintf(line + at, size - at, ",\"%s\":\"\\u002f", KEYS[i]);
        memset(line + at, 'x', 10000);
        at += 10000;
        at += (size_t)snprintf(line + at, size - at, "\"");
    }
    (void)snprintf(line + at, size - at, "}");
    check(lk_layout_parse(&l, cache, lk_slice_from(line), &f, &why), "%s", lk_reject_name(why));
    check(f.target.len > 1000 && f.target.len < 10000 && f.target.p[0] == '/', "%zu", f.target.len);
    check(f.agent.len > 1000 && f.agent.len < 10000, "%zu", f.agent.len);
    check(f.caller.len > 0 && f.method.len > 0 && f.id[0].len > 0, "the short ones have room");
    test_free(cache);
    test_free(line);
}

TESTS(T(json_lines_reads_members), T(json_lines_says_why_a_line_is_no_request),
      T(json_lines_gives_ids_their_slots), T(json_lines_names_every_slot),
      T(json_lines_counts_attempts_from_where_they_start), T(json_lines_readers_agree),
      T(json_lines_cache_changes_nothing), T(json_lines_survives_every_cut_of_a_line),
      T(json_lines_bounds_unescaped_text))
