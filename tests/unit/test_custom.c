#include "format/custom.h"
#include "unit.h"

#include "base/time.h"

/* The formats are those of apache_formats.conf and nginx_formats.conf, by which the servers wrote
 * the files; escapes as they stand there. */
#define APACHE_WIDE                                                                             \
    "apache:%h %l %u [%{%d/%b/%Y:%T}t.%{msec_frac}t %{%z}t] \\\"%r\\\" %>s %b "                 \
    "\\\"%{Referer}i\\\" \\\"%{User-Agent}i\\\" %D %T %{ms}T %X %k %L \\\"%{Retry-After}o\\\" " \
    "\\\"%{X-Stainless-Retry-Count}i\\\" \\\"%{amz-sdk-request}i\\\" "                          \
    "\\\"%{X-Forwarded-For}i\\\" %{UNIQUE_ID}e"
#define APACHE_TIMES                                                                        \
    "apache:begin=%{begin:usec}t end=%{end:usec}t sec=%{sec}t msec=%{msec}t usec=%{usec}t " \
    "mfrac=%{msec_frac}t ufrac=%{usec_frac}t def=%{begin:%FT%T%z}t ende=%{end:%FT%T%z}t "   \
    "D=%D T=%T ms=%{ms}T a=%a A=%A ca=%{c}a m=%m U=%U q=%q H=%H v=%v V=%V p=%p "            \
    "pl=%{local}p pr=%{remote}p s=%s fs=%>s B=%B b=%b I=%I O=%O P=%P "                      \
    "only=%400,501{User-agent}i %%"
#define APACHE_VHOST \
    "apache:%v:%p %h %l %u %t \\\"%r\\\" %>s %O \\\"%{Referer}i\\\" \\\"%{User-Agent}i\\\""
#define NGINX_TIMED                                                                           \
    "nginx:$remote_addr - $remote_user [$time_local] \"$request\" $status $body_bytes_sent "  \
    "\"$http_referer\" \"$http_user_agent\" rt=$request_time uct=\"$upstream_connect_time\" " \
    "uht=\"$upstream_header_time\" urt=\"$upstream_response_time\" us=\"$upstream_status\" "  \
    "ua=\"$upstream_addr\" ubs=\"$upstream_bytes_received\" ra=\"$sent_http_retry_after\" "   \
    "ura=\"$upstream_http_retry_after\" rid=$request_id conn=$connection/$connection_requests"
#define NGINX_NONE                                                                            \
    "nginx,escape=none:$remote_addr [$time_local] \"$request\" $status \"$http_user_agent\" " \
    "\"$http_referer\""
#define NGINX_JSON                                                                              \
    "nginx,escape=json:{\"time\":\"$time_iso8601\",\"msec\":\"$msec\","                         \
    "\"remote_addr\":\"$remote_addr\",\"remote_port\":\"$remote_port\","                        \
    "\"xff\":\"$http_x_forwarded_for\",\"method\":\"$request_method\","                         \
    "\"uri\":\"$request_uri\",\"proto\":\"$server_protocol\",\"status\":\"$status\","           \
    "\"bytes\":\"$body_bytes_sent\",\"rt\":\"$request_time\","                                  \
    "\"ut\":\"$upstream_response_time\",\"us\":\"$upstream_status\","                           \
    "\"ua\":\"$upstream_addr\",\"agent\":\"$http_user_agent\","                                 \
    "\"retry_after\":\"$sent_http_retry_after\",\"attempt\":\"$http_x_stainless_retry_count\"," \
    "\"idem\":\"$http_idempotency_key\",\"inv\":\"$http_amz_sdk_invocation_id\","               \
    "\"amz\":\"$http_amz_sdk_request\",\"rid\":\"$request_id\",\"host\":\"$host\","             \
    "\"completion\":\"$request_completion\",\"pipe\":\"$pipe\",\"conn\":\"$connection\","       \
    "\"creq\":\"$connection_requests\"}"

static void compile(const char *text, lk_custom *out)
{
    lk_err e = { .code = LK_OK };

    check_ok(lk_custom_compile(text, out, &e), e);
}

/* Both are too large for the stack of a test. */
typedef struct desk {
    lk_custom custom;
    lk_parse_cache cache;
} desk;

/* ---- files ---- */

typedef struct sums {
    size_t lines, rejected, retry_after, attempts, agents, ids, tries, statuses;
    int64_t took_us;
} sums;

/* clang-format off */
static const struct {
    const char *path, *format;
    lk_moment moment;
    bool fraction;
    sums want; /* counted with regular expressions over the files */
} FILES[] = {
    { "testdata/format/custom-apache-wide.log", APACHE_WIDE, LK_MOMENT_START, true,
      { 48, 4, 4, 2, 25, 33, 0, 17635, 12361379 } },
    { "testdata/format/custom-apache-times.log", APACHE_TIMES, LK_MOMENT_START, true,
      { 48, 4, 0, 0, 1, 0, 0, 17635, 12361379 } },
    { "testdata/format/custom-apache-vhost.log", APACHE_VHOST, LK_MOMENT_START, false,
      { 48, 4, 0, 0, 25, 0, 0, 17635, 0 } },
    { "testdata/format/custom-apache-vhost.log", "vhost_combined", LK_MOMENT_UNKNOWN, false,
      { 48, 4, 0, 0, 25, 0, 0, 17635, 0 } },
    { "testdata/format/custom-apache-combinedio.log", "apache:combinedio", LK_MOMENT_START, false,
      { 48, 4, 0, 0, 25, 0, 0, 17635, 0 } },
    { "testdata/format/custom-nginx-timed.log", NGINX_TIMED, LK_MOMENT_END, false,
      { 54, 4, 5, 0, 32, 54, 11, 19321, 10343000 } },
    { "testdata/format/custom-nginx-none.log", NGINX_NONE, LK_MOMENT_END, false,
      { 54, 4, 0, 0, 32, 0, 0, 19321, 0 } },
    { "testdata/format/custom-nginx-json.log", NGINX_JSON, LK_MOMENT_END, true,
      { 54, 4, 5, 2, 32, 56, 11, 19321, 10343000 } },
    { "testdata/format/ext-ingress.log", "nginx:ingress-nginx", LK_MOMENT_END, false,
      { 54, 4, 0, 0, 32, 54, 11, 19321, 10343000 } },
};
/* clang-format on */

static void add(sums *have, const lk_fields *f)
{
    have->lines++;
    have->rejected += lk_status_is_rejected(f->status);
    have->retry_after += f->retry_after_ns >= 0;
    have->attempts += f->attempt_no > 0;
    have->agents += f->agent.len > 0;
    for (size_t i = 0; i < LK_IDS; i++)
        have->ids += f->id[i].len > 0;
    have->tries += f->try_count;
    have->statuses += f->status;
    have->took_us += f->took_ns > 0 ? f->took_ns / 1000 : 0;
}

enum { LINE_MAX_LEN = 20000 };

static void check_file(size_t row, const lk_custom *custom, lk_parse_cache *cache)
{
    const sums *want = &FILES[row].want;
    sums have = { 0 };
    FILE *f = fopen(FILES[row].path, "rb");
    char *line = test_malloc(LINE_MAX_LEN);

    check(f, "cannot open '%s' (run from the top of the tree)", FILES[row].path);
    while (fgets(line, LINE_MAX_LEN, f)) {
        lk_reject why = LK_REJECT_NONE;
        lk_custom_place place = { 0, 0 };
        lk_slice text = lk_slice_from(line);
        lk_fields fields;

        /* with escape=none NUL stands in the line as it is */
        if (!memchr(text.p, '\n', text.len))
            text.len = (size_t)((char *)memchr(line, '\n', LINE_MAX_LEN) - line) + 1;
        text.len--;
        check(lk_custom_parse(custom, cache, text, &fields, &why, &place), "%s:%zu:%zu: %s at %s",
              FILES[row].path, have.lines + 1, place.column, lk_reject_name(why),
              lk_custom_field_name(custom, place.row));
        check(fields.moment == FILES[row].moment && fields.fraction == FILES[row].fraction,
              "%s:%zu: moment %d", FILES[row].path, have.lines + 1, (int)fields.moment);
        add(&have, &fields);
    }
    (void)fclose(f);
    test_free(line);
    check(have.lines == want->lines && have.rejected == want->rejected, "row %zu", row);
    check(have.retry_after == want->retry_after, "row %zu: %zu", row, have.retry_after);
    check(have.attempts == want->attempts, "row %zu: %zu", row, have.attempts);
    check(have.agents == want->agents, "row %zu: %zu", row, have.agents);
    check(have.ids == want->ids, "row %zu: %zu", row, have.ids);
    check(have.tries == want->tries, "row %zu: %zu", row, have.tries);
    check(have.statuses == want->statuses, "row %zu: %zu", row, have.statuses);
    check(have.took_us == want->took_us, "row %zu: %lld", row, (long long)have.took_us);
}

TEST(custom_reads_files_by_their_formats)
{
    lk_custom *custom = test_malloc(sizeof(*custom));
    lk_parse_cache *cache = test_malloc(sizeof(*cache));

    for (size_t row = 0; row < ROWS(FILES); row++) {
        lk_parse_cache_init(cache);
        compile(FILES[row].format, custom);
        check_file(row, custom, cache);
    }
    test_free(cache);
    test_free(custom);
}

/* ---- lines ---- */

#define NOON_S INT64_C(1752580800) /* 2025-07-15T12:00:00Z */
#define NOON(us) (NOON_S * LK_NS_PER_S + (int64_t)(us)*1000)
#define CLF_NOON "[15/Jul/2025:12:00:00 +0000]"

/* clang-format off */
static const struct {
    const char *format, *line;
    int64_t stamp_ns;
    unsigned status;
    int64_t took_ns;
    const char *caller, *host, *method, *target, *agent; /* NULL = absent */
} LINES[] = {
    /* which of several times counts, and what they denote */
    { "apache:%h %t %>s", "h " CLF_NOON " 200", NOON(0), 200, -1, "h", NULL, NULL, NULL, NULL },
    { "apache:%{begin}t %{end}t %>s", CLF_NOON " [15/Jul/2025:12:00:09 +0000] 200",
      NOON(0), 200, -1, NULL, NULL, NULL, NULL, NULL },
    { "apache:%{end:sec}t.%{end:usec_frac}t %>s", "1752580800.250001 200",
      NOON(250001), 200, -1, NULL, NULL, NULL, NULL, NULL },
    { "apache:%{sec}t%{msec_frac}t %>s", "1752580800 200", 0, 0, 0, NULL, NULL, NULL, NULL, NULL },
    { "apache:%t %{msec_frac}t %{usec_frac}t %>s", CLF_NOON " 250 250001 200",
      NOON(250001), 200, -1, NULL, NULL, NULL, NULL, NULL },
    { "apache:%{begin:usec}t %{end:usec}t %>s", "1752580800000000 1752580800250000 200",
      NOON(0), 200, 250 * LK_NS_PER_MS, NULL, NULL, NULL, NULL, NULL },
    { "apache:%{begin:usec}t %{end:usec}t %T %>s", "1752580800000000 1752580800250000 3 200",
      NOON(0), 200, 3 * LK_NS_PER_S, NULL, NULL, NULL, NULL, NULL },
    { "apache:%{%s}t %s", "1752580800 404", NOON(0), 404, -1, NULL, NULL, NULL, NULL, NULL },
    { "nginx:$time_local $msec $status", "15/Jul/2025:12:00:00 +0000 1752580800.250 200",
      NOON(250000), 200, -1, NULL, NULL, NULL, NULL, NULL },
    { "nginx:$time_iso8601|$status", "2025-07-15T14:00:00+02:00|200",
      NOON(0), 200, -1, NULL, NULL, NULL, NULL, NULL },
    /* strftime */
    { "apache:%{%Y-%m-%d %H:%M:%S %z}t %s", "2025-07-15 17:45:00 +0545 200",
      NOON(0), 200, -1, NULL, NULL, NULL, NULL, NULL },
    { "apache:%{%a %b %e %r %y %Z}t %s", "Tue Jul 15 12:00:00 PM 25 UTC 200",
      NOON(0), 200, -1, NULL, NULL, NULL, NULL, NULL },
    { "apache:%{%A, %d %B %Y %k:%M:%S}t %s", "Tuesday, 15 July 2025 12:00:00 200",
      NOON(0), 200, -1, NULL, NULL, NULL, NULL, NULL },
    { "apache:%{%D %R}t:%{%S}t %s", "07/15/25 12:00:00 200",
      NOON(0), 200, -1, NULL, NULL, NULL, NULL, NULL },
    { "apache:%{%Y%m%d%H%M%S}t %s", "20250715120000 200", NOON(0), 200, -1, NULL, NULL, NULL, NULL, NULL },
    { "apache:%{%I:%M:%S %p %F}t %s", "12:00:00 AM 2025-07-16 200",
      NOON(INT64_C(43200000000)), 200, -1, NULL, NULL, NULL, NULL, NULL },
    /* durations: the finest counts */
    { "apache:%t %>s %T %{ms}T %D", CLF_NOON " 200 0 45 45490", NOON(0), 200, 45490000, NULL, NULL, NULL, NULL, NULL },
    { "apache:%t %>s %T %{ms}T", CLF_NOON " 200 0 45", NOON(0), 200, 45 * LK_NS_PER_MS, NULL, NULL, NULL, NULL, NULL },
    { "apache:%t %>s %{us}T %{s}T", CLF_NOON " 200 45490 0", NOON(0), 200, 45490000, NULL, NULL, NULL, NULL, NULL },
    { "apache:%t %>s %D", CLF_NOON " 200 9999999999", NOON(0), 200, INT64_C(9999999999000), NULL, NULL, NULL, NULL, NULL },
    /* the status that was sent, not the first one */
    { "apache:%t %s %>s", CLF_NOON " 200 503", NOON(0), 503, -1, NULL, NULL, NULL, NULL, NULL },
    { "apache:%t %<s %>s %s", CLF_NOON " 200 503 201", NOON(0), 503, -1, NULL, NULL, NULL, NULL, NULL },
    { "nginx:[$time_local] $status", "[15/Jul/2025:12:00:00 +0000] 000", NOON(0), 0, -1, NULL, NULL, NULL, NULL, NULL },
    /* callers and hosts */
    { "apache:%h %a %{c}a %t %>s", "name 192.0.2.7 10.0.0.1 " CLF_NOON " 200", NOON(0), 200, -1, "192.0.2.7", NULL, NULL, NULL, NULL },
    { "apache:%v %V %{Host}i %t %>s", "a.example b.example c.example " CLF_NOON " 200", NOON(0), 200, -1, NULL, "c.example", NULL, NULL, NULL },
    { "nginx:${realip_remote_addr}${unknown} - $remote_addr $server_name [$time_local] $status",
      NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL },
    { "nginx:$realip_remote_addr - $remote_addr $server_name [$time_local] $status",
      "10.0.0.1 - 2001:db8::7 shop [15/Jul/2025:12:00:00 +0000] 200", NOON(0), 200, -1, "2001:db8::7", "shop", NULL, NULL, NULL },
    { "apache:%h %l %u %t %>s", "h - a [b] c " CLF_NOON " 200", 0, 0, 0, NULL, NULL, NULL, NULL, NULL },
    { "apache:%h %l %u %t %>s", "h - \"we ird " CLF_NOON " 200", NOON(0), 200, -1, "h", NULL, NULL, NULL, NULL },
    /* requests */
    { "apache:%t \"%m %U%q %H\" %>s", CLF_NOON " \"GET /a?b=1 HTTP/1.1\" 200", NOON(0), 200, -1, NULL, NULL, "GET", "/a", NULL },
    { "apache:%t \"%m %U%q %H\" %>s", CLF_NOON " \"GET /a HTTP/1.1\" 200", NOON(0), 200, -1, NULL, NULL, "GET", "/a", NULL },
    { "apache:%t \"%r\" %U %>s", CLF_NOON " \"GET /old HTTP/1.1\" /index.html 200", NOON(0), 200, -1, NULL, NULL, "GET", "/old", NULL },
    { "nginx:[$time_local] $scheme://$host$request_uri $uri$is_args$args $status",
      CLF_NOON " https://h.example/a?b=1 /x?b=1 200", NOON(0), 200, -1, NULL, "h.example", NULL, "/a", NULL },
    { "apache:%t \"%r\" %>s", CLF_NOON " \"-\" 408", NOON(0), 408, -1, NULL, NULL, NULL, NULL, NULL },
    { "apache:%t \"%r\" %>s", CLF_NOON " \"GET /a\\\" 200 HTTP/1.1\" 404", NOON(0), 404, -1, NULL, NULL, "GET", "/a\\\" 200", NULL },
    { "nginx,escape=none:[$time_local] \"$request\" $status", CLF_NOON " \"GET /a\" b HTTP/1.1\" 404", NOON(0), 404, -1, NULL, NULL, "GET", "/a\" b", NULL },
    { "nginx,escape=json:[$time_local] $status \"$http_user_agent\"", CLF_NOON " 200 \"a \\\"b\\\" \\\\ c\"", NOON(0), 200, -1, NULL, NULL, NULL, NULL, "a \"b\" \\ c" },
    /* what is not there */
    { "nginx,escape=json:[$time_local] $status $http_user_agent", CLF_NOON " 200 ", NOON(0), 200, -1, NULL, NULL, NULL, NULL, NULL },
    { "apache:%t %>s \"%{User-Agent}i\" ", CLF_NOON " 200 \"a b\"  \r", NOON(0), 200, -1, NULL, NULL, NULL, NULL, "a b" },
    /* what says nothing to us, cannot be told from its neighbour when that says nothing either */
    { "nginx:$a$b [$time_local] $status", "xy " CLF_NOON " 200", NOON(0), 200, -1, NULL, NULL, NULL, NULL, NULL },
    { "apache:%^FB %{X}^ti %{Foobar}C %!200,304{Referer}i %P %t %>s %%", "1 - c - 7 " CLF_NOON " 200 %",
      NOON(0), 200, -1, NULL, NULL, NULL, NULL, NULL },
};
/* clang-format on */

static bool is_text(lk_slice have, const char *want)
{
    return want ? have.p && lk_slice_is(have, want) : have.len == 0;
}

static void check_line(size_t i, const lk_fields *f)
{
    check(f->stamp_ns == LINES[i].stamp_ns, "row %zu: '%s': %lld", i, LINES[i].line,
          (long long)f->stamp_ns);
    check(f->status == LINES[i].status, "row %zu: %u", i, f->status);
    check(f->took_ns == LINES[i].took_ns, "row %zu: %lld", i, (long long)f->took_ns);
    check(is_text(f->caller, LINES[i].caller), "row %zu: '%.*s'", i, (int)f->caller.len,
          f->caller.p);
    check(is_text(f->host, LINES[i].host), "row %zu: '%.*s'", i, (int)f->host.len, f->host.p);
    check(is_text(f->method, LINES[i].method), "row %zu", i);
    check(is_text(f->target, LINES[i].target), "row %zu: '%.*s'", i, (int)f->target.len,
          f->target.p);
    check(is_text(f->agent, LINES[i].agent), "row %zu: '%.*s'", i, (int)f->agent.len, f->agent.p);
}

/* A row without a stamp does not compile, or its line is not of the format. */
TEST(custom_reads_lines)
{
    desk *d = test_malloc(sizeof(*d));
    for (size_t i = 0; i < ROWS(LINES); i++) {
        lk_reject why = LK_REJECT_NONE;
        lk_fields f;
        lk_err e = { .code = LK_OK };
        bool ok = lk_custom_compile(LINES[i].format, &d->custom, &e) == LK_OK;

        lk_parse_cache_init(&d->cache);
        check(ok || LINES[i].stamp_ns == 0, "row %zu: %s", i, e.msg);
        ok = ok &&
             lk_custom_parse(&d->custom, &d->cache, lk_slice_from(LINES[i].line), &f, &why, NULL);
        check(ok == (LINES[i].stamp_ns != 0), "row %zu: '%s': %s", i, LINES[i].line,
              lk_reject_name(why));
        if (ok)
            check_line(i, &f);
    }
    test_free(d);
}

static void parse(const lk_custom *custom, const char *line, lk_parse_cache *cache, lk_fields *out)
{
    lk_reject why = LK_REJECT_NONE;

    lk_parse_cache_init(cache);
    check(lk_custom_parse(custom, cache, lk_slice_from(line), out, &why, NULL), "'%s': %s", line,
          lk_reject_name(why));
}

/* ---- headers ---- */

TEST(custom_headers_mean_what_json_keys_do)
{
    desk *d = test_malloc(sizeof(*d));
    static const char *const FORMATS[] = {
        "apache:%t %>s %{Retry-After}o %{AMZ-SDK-Request}i %{X-Request-ID}i "
        "%{amz-sdk-invocation-id}i %{Idempotency-Key}i %{X-Task-ID}i %{X-Correlation-ID}i %X",
        "nginx:[$time_local] $status $sent_http_retry_after $http_amz_sdk_request $request_id "
        "$http_amz_sdk_invocation_id $http_idempotency_key $http_x_task_id "
        "$http_x_correlation_id $pipe",
    };
    static const char LINE[] = CLF_NOON " 503 7.5 attempt=2;max=3 r1 c1 k1 t1 o1 X";

    for (size_t i = 0; i < ROWS(FORMATS); i++) {
        lk_fields f;

        compile(FORMATS[i], &d->custom);
        parse(&d->custom, LINE, &d->cache, &f);
        check(f.retry_after_ns == 7500 * LK_NS_PER_MS, "Retry-After");
        check(f.attempt_no == 2 && f.attempt_max == 3, "attempt");
        check(d->custom.id_count == 4, "%zu", d->custom.id_count);
        check(lk_slice_is(f.id[0], "c1") && lk_slice_is(f.id[1], "k1"), "call, key");
        check(lk_slice_is(f.id[2], "r1"), "request id");
        check(lk_slice_is(f.id[3], "o1"), "correlation before task, as in the table of keys");
        check(d->custom.id_is_call[0], "an invocation id names a call");
        check(!d->custom.id_is_call[1] && !d->custom.id_is_call[2] && !d->custom.id_is_call[3],
              "others");
        check(f.gave_up == (i == 0), "%%X");
    }
    test_free(d);
}

TEST(custom_names_its_ids)
{
    desk *d = test_malloc(sizeof(*d));

    compile("apache:%t %>s %{UNIQUE_ID}e %{Idempotency-Key}i", &d->custom);
    check(d->custom.id_count == 2, "%zu", d->custom.id_count);
    check(strcmp(d->custom.id_name[0], "Idempotency-Key") == 0, "'%s'", d->custom.id_name[0]);
    check(strcmp(d->custom.id_name[1], "UNIQUE_ID") == 0, "'%s'", d->custom.id_name[1]);
    test_free(d);
}

TEST(custom_counts_retries)
{
    desk *d = test_malloc(sizeof(*d));
    lk_fields f;

    compile("apache:%t %>s \"%{X-Stainless-Retry-Count}i\" \"%{Retry-After-Ms}o\" "
            "\"%{Retry-After}o\"",
            &d->custom);
    parse(&d->custom, CLF_NOON " 503 \"0\" \"-\" \"3\"", &d->cache, &f);
    check(f.attempt_no == 1 && f.retry_after_ns == 3 * LK_NS_PER_S, "%d", (int)f.attempt_no);
    parse(&d->custom, CLF_NOON " 503 \"2\" \"2500\" \"3\"", &d->cache, &f);
    check(f.attempt_no == 3 && f.retry_after_ns == 2500 * LK_NS_PER_MS, "the finer one");
    parse(&d->custom, CLF_NOON " 503 \"-\" \"-\" \"Wed, 16 Jul 2025 12:00:00 GMT\"", &d->cache, &f);
    check(f.attempt_no == 0 && f.retry_after_ns == -1, "absent, and a date");
    test_free(d);
}

TEST(custom_lists_of_proxies_hold_blanks)
{
    desk *d = test_malloc(sizeof(*d));
    lk_fields f;

    compile("nginx:$http_x_forwarded_for $remote_addr [$time_local] $status", &d->custom);
    parse(&d->custom, "203.0.113.7, 10.0.0.1, 10.0.0.2 ::1 " CLF_NOON " 200", &d->cache, &f);
    check(lk_slice_is(f.caller, "::1"), "'%.*s'", (int)f.caller.len, f.caller.p);
    parse(&d->custom, "- ::1 " CLF_NOON " 200", &d->cache, &f);
    check(lk_slice_is(f.caller, "::1"), "'%.*s'", (int)f.caller.len, f.caller.p);
    check(lk_custom_pick_caller(&d->custom, "$http_x_forwarded_for"), "named");
    parse(&d->custom, "203.0.113.7, 10.0.0.1, 10.0.0.2 ::1 " CLF_NOON " 200", &d->cache, &f);
    check(lk_slice_is(f.caller, "203.0.113.7"), "'%.*s'", (int)f.caller.len, f.caller.p);
    test_free(d);
}

TEST(custom_conditions_come_last)
{
    desk *d = test_malloc(sizeof(*d));
    lk_fields f;

    compile("apache:%t %!200s %>s \"%400,501{User-Agent}i\" \"%{User-Agent}i\" %{X-Amz-Retry-After}o",
            &d->custom);
    parse(&d->custom, CLF_NOON " - 200 \"-\" \"curl\" 1500", &d->cache, &f);
    check(f.status == 200 && lk_slice_is(f.agent, "curl"), "%u", f.status);
    check(f.retry_after_ns == 1500 * LK_NS_PER_MS, "in ms");
    test_free(d);
}

TEST(custom_status_may_be_unknown)
{
    desk *d = test_malloc(sizeof(*d));
    lk_fields f;

    compile("apache:%{%c}t %>s \"%r\"", &d->custom);
    parse(&d->custom, "Tue Jul 15 12:00:00 2025 - \"GET / HTTP/1.1\"", &d->cache, &f);
    check(f.status == LK_STATUS_UNKNOWN && f.stamp_ns == NOON_S * LK_NS_PER_S, "%u", f.status);
    parse(&d->custom, "Tue Jul 15 12:00:00 2025 2000 \"GET / HTTP/1.1\"", &d->cache, &f);
    check(f.status == LK_STATUS_UNKNOWN, "%u", f.status);
    test_free(d);
}

TEST(custom_reads_upstream_lists)
{
    desk *d = test_malloc(sizeof(*d));
    lk_fields f;

    compile("nginx:[$time_local] $upstream_addr $upstream_status $upstream_response_time $status",
            &d->custom);
    parse(&d->custom,
          CLF_NOON " 10.0.0.1:80, 10.0.0.2:80 : [::1]:80 502, 302 : 200 "
                   "0.001, - : 0.025 200",
          &d->cache, &f);
    check(f.try_count == 3 && f.tries == d->cache.tries, "%zu", f.try_count);
    check(f.tries[0].status == 502 && f.tries[0].took_ns == LK_NS_PER_MS, "first");
    check(f.tries[1].status == 302 && f.tries[1].took_ns == -1 && !f.tries[1].redirect, "second");
    check(
        f.tries[2].status == 200 && f.tries[2].took_ns == 25 * LK_NS_PER_MS && f.tries[2].redirect,
        "answer");
    check(!f.tries[0].redirect, "only behind ' : '");
    parse(&d->custom, CLF_NOON " - - - 200", &d->cache, &f);
    check(f.try_count == 0, "none");
    parse(&d->custom, CLF_NOON " 10.0.0.1:80 :  502 :  0.001 :  404", &d->cache, &f);
    check(f.try_count == 2 && f.tries[1].redirect && f.tries[1].status == 404, "dangling");
    compile("nginx,escape=none:$upstream_addr $upstream_status [$time_local] $status", &d->custom);
    parse(&d->custom, "  " CLF_NOON " 200", &d->cache, &f);
    check(f.try_count == 0, "empty");
    test_free(d);
}

TEST(custom_times_without_zone_say_so)
{
    desk *d = test_malloc(sizeof(*d));
    lk_fields f;

    compile("apache:%{%F %T}t %s", &d->custom);
    parse(&d->custom, "2025-07-15 12:00:00 200", &d->cache, &f);
    check(f.zoneless && !f.fraction && f.stamp_ns == NOON(0), "zoneless");
    compile("apache:%{%F %T %z}t %s", &d->custom);
    parse(&d->custom, "2025-07-15 12:00:00 Z 200", &d->cache, &f);
    check(!f.zoneless, "with a zone");
    test_free(d);
}

/* ---- what does not compile ---- */

/* clang-format off */
static const struct { const char *format, *part_of_msg; } ERRORS[] = {
    { "",                          "is no known name" },
    { "combinde",                  "'combinde' is no known name" },
    { "iis:%h",                    "is no known name" },
    { "apache",                    "is no known name" },
    { "apache:",                   "has no fields" },
    { "apache:text",               "has no fields" },
    { "apache,escape=json:%h",     "'apache,escape=json'" },
    { "nginx,escape=yaml:$status", "'nginx,escape=yaml'" },
    { "nginx,quote=json:$status",  "'nginx,quote=json'" },
    { "apache:%t %>s %",           "no directive is '%' at column 15" },
    { "apache:%t %>s %\"",         "no directive is '%\"' at column 15" },
    { "apache:%{Referer %t %>s",   "no directive is '%{Referer %t %>s' at column 8" },
    { "apache:%t %{Referer}",      "no directive is '%{Referer}' at column 11" },
    { "apache:%t %>",              "no directive is '%>' at column 11" },
    { "apache:%t %^",              "no directive is '%^' at column 11" },
    { "apache:%{%Y-%Q}t %>s",      "a time cannot be read by '%{%Y-%Q}t' at column 13" },
    { "apache:%{%Y-%}t %>s",       "a time cannot be read by '%{%Y-%}t' at column 13" },
    { "apache:%h%t %h%u %>s",      "nothing stands before the field '%u' at column 15" },
    { "apache:%b%>s %t",           "nothing stands before the field '%>s' at column 10" },
    { "nginx:$host$remote_addr",   "nothing stands before the field '$remote_addr' at column 12" },
    { "nginx:$ $status",           "no variable is '$ $status' at column 7" },
    { "nginx:${status [$msec]",    "no variable is '${status [$msec]' at column 7" },
    { "nginx:$status",             "has no date and time" },
    { "apache:%>s %{msec_frac}t",  "has no date and time" },
    { "apache:%>s %{%H:%M:%S}t",   "has no date and time" },
    { "apache:%>s %{%F}t %{end:%T}t", "has no date and time" },
    { "apache:%>s %200t",          "has no date and time" },
    { "apache:%t",                 "has no status" },
    { "apache:%t %200>s",          "has no status" },
};
/* clang-format on */

TEST(custom_errors_say_where)
{
    desk *d = test_malloc(sizeof(*d));
    for (size_t i = 0; i < ROWS(ERRORS); i++) {
        lk_err e = { .code = LK_OK };

        d->custom.count = 7;
        check(lk_custom_compile(ERRORS[i].format, &d->custom, &e) == LK_EUSAGE, "'%s'",
              ERRORS[i].format);
        check(strstr(e.msg, ERRORS[i].part_of_msg), "'%s': '%s'", ERRORS[i].format, e.msg);
        check(d->custom.count == 7, "*out is untouched");
    }
    test_free(d);
}

TEST(custom_errors_of_long_formats)
{
    desk *d = test_malloc(sizeof(*d));
    char text[7000] = "apache:%t %>s";
    lk_err e = { .code = LK_OK };

    for (size_t i = 2; i <= LK_CUSTOM_ROWS_MAX; i++)
        strcat(text, " %b");
    check(lk_custom_compile(text, &d->custom, &e) == LK_EUSAGE, "one field too many");
    check(strstr(e.msg, "too long"), "'%s'", e.msg);
    text[strlen(text) - 3] = '\0';
    check_ok(lk_custom_compile(text, &d->custom, &e), e);
    check(d->custom.count == LK_CUSTOM_ROWS_MAX, "%zu", d->custom.count);
    memset(text + 7, 'x', sizeof(text) - 8);
    check(lk_custom_compile(text, &d->custom, &e) == LK_EUSAGE && strstr(e.msg, "too long"),
          "text");
    test_free(d);
}

/* ---- lines of another form ---- */

/* clang-format off */
static const struct {
    const char *line;
    lk_reject why;
    size_t column;
    const char *field;
} REJECTS[] = { /* of: h %t "%r" %>s "%{User-Agent}i" */
    { "h " CLF_NOON " \"GET / HTTP/1.1\" 200 \"a\"",      LK_REJECT_NONE,          0, "" },
    { "",                                                 LK_REJECT_UNRECOGNISED,  1, "%h" },
    { "{\"status\":200}",                                 LK_REJECT_UNRECOGNISED,  1, "%h" },
    { "h [15/Jul/2025] \"GET / HTTP/1.1\" 200 \"a\"",     LK_REJECT_TIMESTAMP,     4, "%t" },
    { "h [15/Jux/2025:12:00:00 +0000] \"-\" 200 \"a\"",   LK_REJECT_TIMESTAMP,     4, "%t" },
    { "h [15/Jul/2025:12:0",                              LK_REJECT_UNRECOGNISED,  4, "%t" },
    { "h " CLF_NOON " \"GET /",                           LK_REJECT_CUT,          33, "%r" },
    { "h " CLF_NOON " \"GET / HTTP/1.1\" x \"a\"",        LK_REJECT_STATUS,       49, "%>s" },
    { "h " CLF_NOON " \"GET / HTTP/1.1\" 20x0 \"a\"",     LK_REJECT_STATUS,       49, "%>s" },
    { "h " CLF_NOON " \"GET / HTTP/1.1\" abc \"a\"",      LK_REJECT_STATUS,       49, "%>s" },
    { "h " CLF_NOON " \"GET / HTTP/1.1\" 200",            LK_REJECT_CUT,          49, "%>s" },
    { "h " CLF_NOON " \"GET / HTTP/1.1\" 200 \"a",        LK_REJECT_CUT,          54, "%{User-Agent}i" },
    { "h " CLF_NOON " \"GET / HTTP/1.1\" 200 \"a\" more", LK_REJECT_CUT,          54, "%{User-Agent}i" },
};
/* clang-format on */

TEST(custom_rejects_say_where)
{
    desk *d = test_malloc(sizeof(*d));

    compile("apache:%h %t \"%r\" %>s \"%{User-Agent}i\"", &d->custom);
    for (size_t i = 0; i < ROWS(REJECTS); i++) {
        lk_custom_place place = { 0, SIZE_MAX };
        lk_reject why = LK_REJECT_NONE;
        lk_fields f;

        lk_parse_cache_init(&d->cache);
        check(lk_custom_parse(&d->custom, &d->cache, lk_slice_from(REJECTS[i].line), &f, &why,
                              &place) == (REJECTS[i].why == LK_REJECT_NONE),
              "'%s'", REJECTS[i].line);
        if (REJECTS[i].why == LK_REJECT_NONE)
            continue;
        check(why == REJECTS[i].why, "'%s': %s", REJECTS[i].line, lk_reject_name(why));
        check(place.column == REJECTS[i].column, "'%s': %zu", REJECTS[i].line, place.column);
        check(strcmp(lk_custom_field_name(&d->custom, place.row), REJECTS[i].field) == 0,
              "'%s': %s", REJECTS[i].line, lk_custom_field_name(&d->custom, place.row));
    }
    test_free(d);
}

TEST(custom_rejects_times_in_pieces)
{
    desk *d = test_malloc(sizeof(*d));
    /* clang-format off */
    static const struct { const char *line; lk_reject why; size_t column; } PIECES[] = {
        { "2025-02-28T12:00:00.250 200 .", LK_REJECT_NONE,         0 },
        { "2025-02-29T12:00:00.250 200 .", LK_REJECT_TIMESTAMP,    1 }, /* known at the end only */
        { "1969-02-28T12:00:00.250 200 .", LK_REJECT_TIMESTAMP,    1 },
        { "2025-02-28T12:00.250 200 .",    LK_REJECT_TIMESTAMP,    1 },
        { "2025-02-28T12:00:00.x 200 .",   LK_REJECT_TIMESTAMP,   21 },
        { "2025-02-28T12:00:00.9999 200 .", LK_REJECT_TIMESTAMP,  21 },
        { "2025-02-28T12:00:00,250 200 .", LK_REJECT_UNRECOGNISED, 20 },
        { "2025-02-28T12:00:00.250 200 !", LK_REJECT_CUT,         25 },
    };
    /* clang-format on */

    compile("apache:%{%FT%T}t.%{msec_frac}t %>s .", &d->custom);
    for (size_t i = 0; i < ROWS(PIECES); i++) {
        lk_custom_place place = { 0, SIZE_MAX };
        lk_reject why = LK_REJECT_NONE;
        lk_fields f;

        lk_parse_cache_init(&d->cache);
        (void)lk_custom_parse(&d->custom, &d->cache, lk_slice_from(PIECES[i].line), &f, &why,
                              &place);
        check(why == PIECES[i].why && place.column == PIECES[i].column, "'%s': %s at %zu",
              PIECES[i].line, lk_reject_name(why), place.column);
    }
    check(strcmp(lk_custom_field_name(&d->custom, d->custom.count), "end of line") == 0,
          "the last row");
    check(strcmp(lk_custom_field_name(&d->custom, SIZE_MAX), "end of line") == 0, "past it");
    test_free(d);
}

/* ---- as a layout ---- */

TEST(custom_layout_wins_over_detection)
{
    desk *d = test_malloc(sizeof(*d));
    static const char COMBINED[] = "h - - " CLF_NOON " \"GET / HTTP/1.1\" 200 1 \"-\" \"a\"";
    static const char OURS[] = "200 1752580800.250 r7";
    lk_sniffer *s = test_malloc(2 * sizeof(*s));
    lk_reject why;
    lk_layout l;
    lk_fields f;

    compile("nginx:$status $msec $request_id", &d->custom);
    for (size_t i = 0; i < 2; i++) {
        lk_sniffer_init(&s[i]);
        s[i].custom = &d->custom;
        lk_sniffer_line(&s[i], lk_slice_from(COMBINED));
        lk_sniffer_line(&s[i], lk_slice_from(OURS));
    }
    check(lk_sniffer_is_alike(&s[0], &s[1]), "one format");
    lk_sniffer_merge(&s[0], &s[1]);
    check(s[0].lines == 4 && s[0].custom_parsed == 2, "%u", s[0].custom_parsed);
    check(s[0].first_ns == NOON(250000), "first");
    lk_sniffer_decide(&s[0], &l);
    check(l.custom == &d->custom && strcmp(l.format->name, "custom") == 0, "%s", l.format->name);
    check(l.moment == LK_MOMENT_END && l.id_count == 1, "moment and ids");
    check(strcmp(l.id_name[0], "request_id") == 0, "'%s'", l.id_name[0]);
    lk_parse_cache_init(&d->cache);
    check(!lk_layout_parse(&l, &d->cache, lk_slice_from(COMBINED), &f, &why), "no falling back");
    check(why == LK_REJECT_STATUS, "%s", lk_reject_name(why));
    check(!lk_layout_parse(&l, &d->cache, lk_slice_from("  "), &f, &why) && why == LK_REJECT_NONE,
          "blank lines are ignored");
    check(lk_layout_parse(&l, &d->cache, lk_slice_from(OURS), &f, &why), "ours");
    check(lk_slice_is(f.id[0], "r7") && f.status == 200, "fields");
    test_free(s);
    test_free(d);
}

TESTS(T(custom_reads_files_by_their_formats), T(custom_reads_lines),
      T(custom_headers_mean_what_json_keys_do), T(custom_names_its_ids), T(custom_counts_retries),
      T(custom_lists_of_proxies_hold_blanks),
      T(custom_conditions_come_last), T(custom_status_may_be_unknown), T(custom_reads_upstream_lists), T(custom_times_without_zone_say_so),
      T(custom_errors_say_where), T(custom_errors_of_long_formats), T(custom_rejects_say_where),
      T(custom_rejects_times_in_pieces), T(custom_layout_wins_over_detection))
