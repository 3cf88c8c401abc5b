#include "format/json_keys.h"
#include "format/layout.h"
#include "unit.h"

#include "base/time.h"

#define NOON_NS (INT64_C(1752580800) * LK_NS_PER_S)

static void learn(const char *option, const char *line, lk_layout *out)
{
    lk_sniffer *s = test_malloc(sizeof(*s));
    lk_err e = { 0 };

    lk_sniffer_init(s);
    check_ok(lk_json_keys_parse(option, &s->paths, &e), e);
    lk_sniffer_line(s, lk_slice_from(line));
    lk_sniffer_decide(s, out);
    test_free(s);
}

static bool is_text(lk_slice s, const char *want)
{
    return want ? s.p && lk_slice_is(s, want) : s.len == 0;
}

/* ---- the option's text ---- */

/* clang-format off */
static const struct { const char *text, *msg; } ERRORS[] = {
    { "",                              "no FIELD=PATH: ''" },
    { "time=a,",                       "no FIELD=PATH: ''" },
    { "time",                          "no FIELD=PATH: 'time'" },
    { "time=[0]",                      "JSON key 'time': '[0]' names no member" },
    { "times=a",                       "unknown JSON key 'times'; there are time, status, caller, method, target, request, took, took_ms, agent, id, attempt, retry_after, host" },
    { "=a",                            "unknown JSON key ''; there are time, status, caller, method, target, request, took, took_ms, agent, id, attempt, retry_after, host" },
    { "status=",                       "JSON key 'status' has no path" },
    { "status=.a",                     "JSON key 'status': an empty key in '.a'" },
    { "status=a.",                     "JSON key 'status': an empty key in 'a.'" },
    { "status=a..b",                   "JSON key 'status': an empty key in 'a..b'" },
    { "status=a,time=b,status=c",      "JSON key 'status' is given twice" },
    { "id=a,id=b,id=c,id=d,id=e",      "JSON key 'id' is given more than 4 times" },
    { "took=a.b.c.d.e.f.g.h.i",        "JSON key 'took': more than 8 keys in 'a.b.c.d.e.f.g.h.i'" },
    { "took=abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl",
      "JSON key 'took': 'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefgh...' is longer than 63 bytes" },
};
/* clang-format on */

TEST(json_paths_says_what_is_wrong)
{
    for (size_t i = 0; i < ROWS(ERRORS); i++) {
        lk_json_paths paths = { .tag = 7 };
        lk_err e = { 0 };

        check(lk_json_keys_parse(ERRORS[i].text, &paths, &e) == LK_EUSAGE, "row %zu", i);
        check(strcmp(e.msg, ERRORS[i].msg) == 0, "row %zu: %s", i, e.msg);
        check(paths.tag == 7 && paths.count == 0, "row %zu: the result of a failure", i);
    }
}

TEST(json_paths_takes_every_field)
{
    lk_json_paths paths, other;
    lk_err e = { 0 };

    check_ok(lk_json_keys_parse("time=a,status=B-b,caller=c.Dd,method=d,target=e,request=f,took=g,"
                                "took_ms=h,agent=i,id=j,id=k,id=l,id=m,attempt=n,retry_after=o,"
                                "host=p.q.r.s.t.u.v.w",
                                &paths, &e),
             e);
    check(paths.count == LK_JSON_PATHS_MAX && paths.id_count == LK_IDS, "%zu", paths.count);
    check(strcmp(paths.path[1].text, "b_b") == 0, "'%s'", paths.path[1].text);
    check(strcmp(paths.path[2].text, "c.dd") == 0, "'%s'", paths.path[2].text);
    check(paths.path[12].slot == 3 && paths.path[12].means.field == LK_JSONL_ID, "the last id");
    check(paths.tag != 0, "tag");
    check_ok(lk_json_keys_parse("time=b", &other, &e), e);
    check(other.tag != 0 && other.tag != paths.tag, "tags differ");
}

/* ---- lines ---- */

/* clang-format off */
static const struct {
    const char *option, *line, *format;
    const char *caller, *method, *target, *agent, *host, *id; /* NULL = empty; id of slot 0 */
    unsigned status;
    int64_t after_ms, took_us, retry_after_ms; /* after noon; -1 = not logged */
    int32_t attempt_no;
} LINES[] = {
    { "time=a.when,status=a.b.code,caller=who,method=m1,target=t1,took=dur,agent=prog,id=call,attempt=n,retry_after=wait,host=vh",
      "{\"a\":{\"when\":\"2025-07-15T12:00:01Z\",\"b\":{\"code\":\"503\"}},\"who\":\"10.0.0.1:80\",\"m1\":\"GET\",\"t1\":\"/x?y\",\"dur\":0.25,\"prog\":\"p\",\"call\":\"c1\",\"n\":2,\"wait\":[4],\"vh\":\"h\"}",
      "json", "10.0.0.1", "GET", "/x", "p", "h", "c1", 503, 1000, 250000, 4000, 2 },
    /* they win over the table wherever they stand, by points as well as nested */
    { "status=x.y,target=x.z,took_ms=x.d,time=x.t",
      "{\"status\":200,\"x\":{\"y\":404,\"z\":\"/mine\",\"d\":12.5,\"t\":1752580800},\"uri\":\"/table\",\"request_time\":9,\"msec\":1752580805.000,\"ip\":\"10.0.0.1\"}",
      "json", "10.0.0.1", NULL, "/mine", NULL, NULL, NULL, 404, 0, 12500, -1, 0 },
    { "status=x.y,took=D",
      "{\"x.y\":404,\"time\":\"2025-07-15T12:00:00Z\",\"status\":200,\"D\":2,\"ip\":\"10.0.0.1\"}",
      "json", "10.0.0.1", NULL, NULL, NULL, NULL, NULL, 404, 0, 2000000, -1, 0 },
    { "request=line", "{\"line\":\"PUT /mine HTTP/1.1\",\"method\":\"GET\",\"uri\":\"/table\",\"time\":1752580800,\"status\":200}",
      "json", NULL, "PUT", "/mine", NULL, NULL, NULL, 200, 0, -1, -1, 0 },
    /* one without a value leaves the field to the table */
    { "status=x,caller=y", "{\"x\":\"-\",\"y\":{},\"status\":200,\"ip\":\"10.0.0.1\",\"time\":1752580800}",
      "json", "10.0.0.1", NULL, NULL, NULL, NULL, NULL, 200, 0, -1, -1, 0 },
    /* of an array the first counts, objects too, with or without its number */
    { "status=requests.res.code,time=when.0,caller=peers.0.addr.0", "{\"when\":[1752580800.5],\"requests\":[{\"u\":\"/a\",\"res\":[{\"code\":503},{\"code\":1}]},{\"res\":[{\"code\":2}]}],\"peers\":[ {\"addr\":[\"10.0.0.1\",\"10.0.0.2\"]}],\"path\":\"/p\",\"status\":200}",
      "json", "10.0.0.1", NULL, "/p", NULL, NULL, NULL, 503, 500, -1, -1, 0 },
    { "status=requests.0.res.0.code,time=when.0,caller=peers.0.addr.0", "{\"when\":[1752580800.5],\"requests\":[{\"u\":\"/a\",\"res\":[{\"code\":503},{\"code\":1}]},{\"res\":[{\"code\":2}]}],\"peers\":[ {\"addr\":[\"10.0.0.1\",\"10.0.0.2\"]}],\"path\":\"/p\",\"status\":200}",
      "json", "10.0.0.1", NULL, "/p", NULL, NULL, NULL, 503, 500, -1, -1, 0 },
    { "status=requests[0].res[0].code,time=when.0,caller=peers.0.addr.0", "{\"when\":[1752580800.5],\"requests\":[{\"u\":\"/a\",\"res\":[{\"code\":503},{\"code\":1}]},{\"res\":[{\"code\":2}]}],\"peers\":[ {\"addr\":[\"10.0.0.1\",\"10.0.0.2\"]}],\"path\":\"/p\",\"status\":200}",
      "json", "10.0.0.1", NULL, "/p", NULL, NULL, NULL, 503, 500, -1, -1, 0 },
    { "status=r.0.c", "{\"r.0.c\":404,\"time\":1752580800,\"ip\":\"10.0.0.1\",\"status\":200}",
      "json", "10.0.0.1", NULL, NULL, NULL, NULL, NULL, 404, 0, -1, -1, 0 },
    { "status=r.c", "{\"r\":[],\"x\":[[{\"c\":1}]],\"time\":1752580800,\"ip\":\"10.0.0.1\",\"status\":200}",
      "json", "10.0.0.1", NULL, NULL, NULL, NULL, NULL, 200, 0, -1, -1, 0 },
    /* a family keeps its name and its units for what is not named */
    { "caller=request.headers.X-Real-IP,target=request.uri,id=request.headers.x-call",
      "{\"ts\":1752580800.5,\"request\":{\"remote_ip\":\"10.0.0.9\",\"proto\":\"HTTP/1.1\",\"method\":\"GET\",\"uri\":\"/u\",\"headers\":{\"X-Call\":[\"c9\"],\"X-Real-Ip\":[\"10.0.0.1\"]}},\"duration\":\"5ms\",\"status\":200}",
      "caddy", "10.0.0.1", "GET", "/u", NULL, NULL, "c9", 200, 500, 5000, -1, 0 },
};
/* clang-format on */

TEST(json_paths_win_over_the_table)
{
    for (size_t i = 0; i < ROWS(LINES); i++) {
        lk_parse_cache cache;
        lk_reject why = LK_REJECT_NONE;
        lk_layout l;
        lk_fields f;

        learn(LINES[i].option, LINES[i].line, &l);
        check(l.format && strcmp(l.format->name, LINES[i].format) == 0, "row %zu: '%s'", i,
              l.format ? l.format->name : "");
        lk_parse_cache_init(&cache);
        check(lk_layout_parse(&l, &cache, lk_slice_from(LINES[i].line), &f, &why), "row %zu: %s", i,
              lk_reject_name(why));
        check(is_text(f.caller, LINES[i].caller) && is_text(f.method, LINES[i].method) &&
                  is_text(f.target, LINES[i].target) && is_text(f.agent, LINES[i].agent),
              "row %zu: texts", i);
        check(!LINES[i].host || is_text(f.host, LINES[i].host), "row %zu: host", i);
        check(is_text(f.id[0], LINES[i].id), "row %zu: id '%.*s'", i, (int)f.id[0].len, f.id[0].p);
        check(f.status == LINES[i].status, "row %zu: status %u", i, f.status);
        check(f.stamp_ns == NOON_NS + LINES[i].after_ms * LK_NS_PER_MS, "row %zu: stamp", i);
        check(f.took_ns == (LINES[i].took_us < 0 ? -1 : LINES[i].took_us * 1000),
              "row %zu: took %lld", i, (long long)f.took_ns);
        check(f.retry_after_ns ==
                  (LINES[i].retry_after_ms < 0 ? -1 : LINES[i].retry_after_ms * LK_NS_PER_MS),
              "row %zu: Retry-After", i);
        check(f.attempt_no == LINES[i].attempt_no, "row %zu: attempt", i);
    }
}

/* What the user's time denotes is told by evidence, not by the family. */
TEST(json_paths_time_is_of_no_family)
{
    static const char LINE[] =
        "{\"EdgeStartTimestamp\":\"2025-07-15T12:00:00Z\",\"EdgeEndTimestamp\":\"2025-07-15T12:00:"
        "01Z\",\"ClientIP\":\"h\",\"EdgeResponseStatus\":200}";
    lk_parse_cache cache;
    lk_reject why;
    lk_layout l;
    lk_fields f;

    learn("time=EdgeEndTimestamp", LINE, &l);
    lk_parse_cache_init(&cache);
    check(lk_layout_parse(&l, &cache, lk_slice_from(LINE), &f, &why), "parse");
    check(f.stamp_ns == NOON_NS + LK_NS_PER_S && f.moment == LK_MOMENT_UNKNOWN, "moment");
}

TEST(json_paths_give_ids_the_first_slots)
{
    static const char LINE[] = "{\"time\":1752580800,\"ip\":\"h\",\"status\":200,\"invocation_id\":"
                               "\"i\",\"b\":\"2\",\"a\":{\"x\":\"1\"}}";
    lk_parse_cache cache;
    lk_reject why;
    lk_layout l;
    lk_fields f;

    learn("id=a.x,id=b", LINE, &l);
    check(l.id_count == LK_IDS && strcmp(l.id_name[0], "a.x") == 0 &&
              strcmp(l.id_name[1], "b") == 0 && strcmp(l.id_name[2], "invocation_id") == 0,
          "names '%s', '%s', '%s'", l.id_name[0], l.id_name[1], l.id_name[2]);
    lk_parse_cache_init(&cache);
    check(lk_layout_parse(&l, &cache, lk_slice_from(LINE), &f, &why), "parse");
    check(is_text(f.id[0], "1") && is_text(f.id[1], "2") && is_text(f.id[2], "i"), "ids");
}

/* A cache that has seen one set of paths reads with another as a fresh one does. */
TEST(json_paths_do_not_stay_in_the_cache)
{
    static const char LINE[] =
        "{\"time\":1752580800,\"ip\":\"h\",\"status\":200,\"a\":404,\"b\":500}";
    static const struct {
        const char *option;
        unsigned status;
    } TURNS[] = { { "status=a", 404 },
                  { "status=b", 500 },
                  { "status=c", 200 },
                  { "status=a", 404 },
                  { "host=a", 200 } };
    lk_parse_cache cache;
    lk_reject why;
    lk_layout l;
    lk_fields f;

    lk_parse_cache_init(&cache);
    for (size_t i = 0; i < ROWS(TURNS); i++) {
        learn(TURNS[i].option, LINE, &l);
        check(lk_layout_parse(&l, &cache, lk_slice_from(LINE), &f, &why), "parse");
        check(f.status == TURNS[i].status, "turn %zu: %u", i, f.status);
    }
}

TESTS(T(json_paths_says_what_is_wrong), T(json_paths_takes_every_field),
      T(json_paths_win_over_the_table), T(json_paths_time_is_of_no_family),
      T(json_paths_give_ids_the_first_slots), T(json_paths_do_not_stay_in_the_cache))
