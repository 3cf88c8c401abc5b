/* Lines wrapped by hand in every pair of wrappers give what the lines alone give. */
#include "unit.h"

#include "api/reading.h"
#include "base/buf.h"
#include "base/time.h"
#include "format/export.h"

#include <stdlib.h>

enum { LINES_MAX = 96, REQUESTS_MAX = 16 };

/* Physical lines. */
typedef struct lines {
    lk_buf text;
    size_t count;
    size_t at[LINES_MAX + 1];
} lines;

static void lines_init(lines *l)
{
    lk_buf_init(&l->text);
    l->count = 0;
    l->at[0] = 0;
}

static void lines_add(lines *l, const char *p, size_t len)
{
    assert_true(l->count < LINES_MAX);
    lk_buf_add(&l->text, p, len);
    l->at[++l->count] = l->text.len;
}

static lk_slice lines_get(const lines *l, size_t i)
{
    return (lk_slice){ l->text.p ? l->text.p + l->at[i] : "", l->at[i + 1] - l->at[i] };
}

static void add_buf(lines *l, lk_buf *b)
{
    lines_add(l, b->p ? b->p : "", b->len);
    lk_buf_release(b);
}

/* ---- wrappers, the other way round ---- */

#define STAMP "2026-11-30T03:25:20.398123456Z"

static void put_json(lk_buf *b, lk_slice s, const char *end)
{
    lk_buf_text(b, "\"");
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.p[i];

        if (c == '"' || c == '\\')
            lk_buf_printf(b, "\\%c", c);
        else if (c < 0x20)
            lk_buf_printf(b, "\\u%04x", c);
        else
            lk_buf_add(b, (const char *)&c, 1);
    }
    lk_buf_printf(b, "%s\"", end);
}

static void put_before(lines *out, const char *head, lk_slice s, const char *tail)
{
    lk_buf b;

    lk_buf_init(&b);
    lk_buf_text(&b, head);
    lk_buf_add(&b, s.p, s.len);
    lk_buf_text(&b, tail);
    add_buf(out, &b);
}

static void put_object(lines *out, const char *head, lk_slice s, const char *end, const char *tail)
{
    lk_buf b;

    lk_buf_init(&b);
    lk_buf_text(&b, head);
    put_json(&b, s, end);
    lk_buf_text(&b, tail);
    add_buf(out, &b);
}

#define PREFIX(name, head)                          \
    static void name(lk_slice s, lines *out)        \
    {                                               \
        put_before(out, (head), s, "");             \
    }

PREFIX(in_rfc3164, "Nov 30 03:25:20 web1 nginx[12]: ")
PREFIX(in_rfc3164_pri, "<190>Nov 30 03:25:20 web1 nginx: ")
PREFIX(in_rfc3164_hostless, "<134>Nov 30 03:25:20 haproxy[25083]: ")
PREFIX(in_rfc5424, "<190>1 " STAMP " web1 nginx 12 - [a@1 b=\"c\\]d\"][x y=\"\"] \xEF\xBB\xBF")
PREFIX(in_rfc5424_counted, "83 <190>1 " STAMP " web1 nginx - - - ")
PREFIX(in_rsyslog, "2026-11-30T03:25:20.301206+00:00 web1 nginx[12]: ")
PREFIX(in_rsyslog_no_colon, "2026-11-30T04:25:20.301206+01:00 web1 nginx[12] ")
PREFIX(in_cri, STAMP " stdout F ")
PREFIX(in_stamp, STAMP " ")
PREFIX(in_compose, "web-1     | ")
PREFIX(in_kubectl, "[pod/web-7d9c/nginx] ")
PREFIX(in_pod_bar, "pod/web-7d9c nginx | ")

static void in_colours(lk_slice s, lines *out)
{
    put_before(out, "\x1b[36mweb-1  | \x1b[0m", s, "\x1b[0m");
}

static void in_docker(lk_slice s, lines *out)
{
    put_object(out, "{\"log\":", s, "\\n", ",\"stream\":\"stdout\",\"time\":\"" STAMP "\"}");
}

static void in_json(lk_slice s, lines *out)
{
    put_object(out, "{\"@timestamp\":\"" STAMP "\",\"host\":{\"name\":\"vm\"},\"message\":", s, "",
               ",\"level\":\"info\"}");
}

static void in_journald(lk_slice s, lines *out)
{
    put_object(out, "{\"__REALTIME_TIMESTAMP\":\"1796009120398123\",\"MESSAGE\":", s, "",
               ",\"_PID\":\"12\"}");
}

static void in_journald_bytes(lk_slice s, lines *out)
{
    lk_buf b;

    lk_buf_init(&b);
    lk_buf_text(&b, "{\"_PID\":\"12\",\"MESSAGE\":[");
    for (size_t i = 0; i < s.len; i++)
        lk_buf_printf(&b, "%s%u", i ? "," : "", (unsigned char)s.p[i]);
    lk_buf_text(&b, "],\"__REALTIME_TIMESTAMP\":\"1796009120398123\"}");
    add_buf(out, &b);
}

/* Where a blank is, as the tools that take the layers off may trim one. */
static size_t middle(lk_slice s)
{
    size_t n = s.len / 2;

    while (n > 1 && (s.p[n - 1] == ' ' || s.p[n] == ' ' || s.p[n] == '\t'))
        n--;
    return n;
}

static void in_cri_parts(lk_slice s, lines *out)
{
    size_t n = middle(s);

    put_before(out, STAMP " stdout P ", (lk_slice){ s.p, n }, "");
    put_before(out, STAMP " stdout F ", lk_slice_skip(s, n), "");
}

static void in_docker_parts(lk_slice s, lines *out)
{
    size_t n = middle(s);
    const char *tail = ",\"stream\":\"stdout\",\"time\":\"" STAMP "\"}";

    put_object(out, "{\"log\":", (lk_slice){ s.p, n }, "", tail);
    put_object(out, "{\"log\":", lk_slice_skip(s, n), "\\n", tail);
}

static void in_export(lk_slice s, lines *out)
{
    lines_add(out, "__CURSOR=s=a;i=1", 16);
    lines_add(out, "__REALTIME_TIMESTAMP=1796009120398123", 37);
    put_before(out, "MESSAGE=", s, "");
    lines_add(out, "_PID=12", 7);
    lines_add(out, "", 0);
}

static void in_export_bytes(lk_slice s, lines *out)
{
    char size[8] = { 0 };

    if ((s.len & 0xff) <= ' ') { /* would be a line's end or a blank of the wrapper around */
        in_export(s, out);
        return;
    }
    size[0] = (char)(s.len & 0xff);
    size[1] = (char)(s.len >> 8 & 0xff);
    lines_add(out, "__REALTIME_TIMESTAMP=1796009120398123", 37);
    lines_add(out, "MESSAGE", 7);
    {
        lk_buf b;

        lk_buf_init(&b);
        lk_buf_add(&b, size, sizeof(size));
        lk_buf_add(&b, s.p, s.len);
        add_buf(out, &b);
    }
    lines_add(out, "_PID=12", 7);
    lines_add(out, "", 0);
}

typedef void wrap(lk_slice s, lines *out);

/* clang-format off */
static const struct { const char *name; wrap *in; bool is_export; } WRAPS[] = {
    { "rfc3164", in_rfc3164, false },           { "rfc3164 with PRI", in_rfc3164_pri, false },
    { "rfc3164 without host", in_rfc3164_hostless, false },
    { "rfc5424", in_rfc5424, false },           { "rfc5424, counted", in_rfc5424_counted, false },
    { "rsyslog", in_rsyslog, false },           { "rsyslog, no colon", in_rsyslog_no_colon, false },
    { "docker", in_docker, false },             { "docker, parts", in_docker_parts, false },
    { "cri", in_cri, false },                   { "cri, parts", in_cri_parts, false },
    { "json", in_json, false },
    { "journald", in_journald, false },         { "journald, bytes", in_journald_bytes, false },
    { "export", in_export, true },              { "export, bytes", in_export_bytes, true },
    { "compose", in_compose, false },           { "compose, coloured", in_colours, false },
    { "kubectl", in_kubectl, false },           { "pod and bar", in_pod_bar, false },
    { "timestamp", in_stamp, false },
};
/* clang-format on */

enum { WRAPS_COUNT = sizeof(WRAPS) / sizeof(WRAPS[0]) };

/* ---- lines inside ---- */

static const char *const COMBINED[] = {
    "203.0.113.7 - - [30/Nov/2026:03:25:00 +0000] \"GET /a?b=1 HTTP/1.1\" 503 6 \"-\" \"curl/8.5.0\"",
    "2001:db8::1 - bob [30/Nov/2026:05:25:01 +0200] \"POST /b HTTP/2.0\" 200 6 \"-\" \"q\\x22uote \\xC3\"",
    "foreign words amid",
    "203.0.113.9 - - [30/Nov/2026:03:25:02 +0000] \"\" 400 0 \"-\" \"-\"",
    NULL,
};
static const char *const TIMED[] = {
    "203.0.113.7 - - [30/Nov/2026:03:25:00 +0000] \"GET /a HTTP/1.1\" 503 6 \"-\" \"c\" 0.104 1796009100.310",
    "203.0.113.7 - - [30/Nov/2026:03:25:05 +0000] \"GET /a HTTP/1.1\" 200 6 \"-\" \"c\" 0.204 1796009105.310",
    "203.0.113.7 - - [30/Nov/2026:03:25:06 +0000] \"GET /c HTTP/1.1\" 200 6 \"-\" \"c\" 0.003 1796009106.250",
    NULL,
};
static const char *const COMMON[] = {
    "client.example - - [30/Nov/2026:03:25:00 +0000] \"GET /a HTTP/1.0\" 503 -",
    "203.0.113.7 - we ird [30/Nov/2026:03:25:03 +0000] \"HEAD / HTTP/1.0\" 200 0",
    NULL,
};
static const char *const HAPROXY[] = {
    "127.0.0.1:58346 [30/Nov/2026:03:25:19.267] fe be/app1 0/0/0/2/2 200 120 - - ---- 1/1/0/0/0 0/0 {curl/7.88.1|} {} \"GET / HTTP/1.1\"",
    "127.0.0.1:58426 [30/Nov/2026:03:25:19.411] fe be/r2 0/0/-1/-1/0 503 217 - - SC-- 1/1/0/0/+3 0/0 {curl/7.88.1|} {} \"GET /x HTTP/1.1\"",
    NULL,
};
static const char *const JSON[] = {
    "{\"time\":\"2026-11-30T03:25:00+00:00\",\"remote_addr\":\"203.0.113.7\",\"request\":\"GET /a HTTP/1.1\",\"status\":503,\"ua\":\"c\\\"d\",\"message\":\"not the line\"}",
    "{\"time\":\"2026-11-30T03:25:04+00:00\",\"remote_addr\":\"203.0.113.7\",\"request\":\"GET /a HTTP/1.1\",\"status\":200,\"ua\":\"-\"}",
    NULL,
};
static const char *const SQUID[] = {
    "1796009100.398    104 203.0.113.7 TCP_MISS/503 4012 GET http://ex.example/a - HIER_DIRECT/198.51.100.1 text/html",
    "1796009104.398     10 203.0.113.7 TCP_HIT/200 4012 GET http://ex.example/a - HIER_NONE/- text/html",
    NULL,
};
static const char *const ELB[] = {
    "2026-11-30T03:25:00.123456Z my-lb 203.0.113.7:51234 10.0.0.1:80 0.000073 0.001048 0.000057 503 503 0 29 \"GET http://ex.example:80/a HTTP/1.1\" \"curl/7.38.0\" - -",
    "2026-11-30T03:25:04.123456Z my-lb 203.0.113.7:51235 10.0.0.1:80 0.000073 0.001048 0.000057 200 200 0 29 \"GET http://ex.example:80/a HTTP/1.1\" \"curl/7.38.0\" - -",
    NULL,
};
static const char *const W3C[] = {
    "#Software: Microsoft Internet Information Services 10.0",
    "#Fields: date time c-ip cs-method cs-uri-stem sc-status time-taken cs(User-Agent)",
    "2026-11-30 03:25:00 203.0.113.7 GET /a 503 104 curl/8.5.0",
    "2026-11-30 03:25:04 203.0.113.7 GET /a 200 4 curl/8.5.0",
    NULL,
};
static const char *const HEROKU[] = {
    "2026-11-30T03:25:00.123456+00:00 heroku[router]: at=info method=GET path=\"/a\" host=h.example request_id=8601b555 fwd=\"203.0.113.7\" dyno=web.1 connect=1ms service=18ms status=503 bytes=13",
    "2026-11-30T03:25:02.123456+00:00 heroku[router]: at=info method=GET path=\"/a\" host=h.example request_id=8601b556 fwd=\"203.0.113.7\" dyno=web.1 connect=0ms service=8ms status=200 bytes=13",
    NULL,
};

static const struct {
    const char *name;
    const char *const *lines;
} INSIDE[] = {
    { "combined", COMBINED }, { "timed", TIMED }, { "common", COMMON },
    { "haproxy", HAPROXY },   { "json", JSON },   { "squid", SQUID },
    { "elb", ELB },           { "w3c", W3C },     { "heroku", HEROKU },
};

/* ---- reading ---- */

typedef struct request {
    int64_t stamp_ns, took_ns;
    unsigned status;
    size_t tries;
    char text[256]; /* caller, method, target, agent, first id */
} request;

typedef struct outcome {
    uint64_t total, parsed, rejected, ignored, held;
    request requests[REQUESTS_MAX];
    lk_buf lost; /* raw lines */
    uint64_t joined;
} outcome;

static void take_lost(void *ctx, const lk_lost *lost)
{
    outcome *o = ctx;

    o->held -= lost->lines;
    o->rejected += lost->lines;
    lk_buf_add(&o->lost, lost->raw.p, lost->raw.len);
    lk_buf_text(&o->lost, "\n");
}

static void keep(outcome *o, const lk_fields *f)
{
    request *r = &o->requests[o->parsed++ % REQUESTS_MAX];

    memset(r, 0, sizeof(*r));
    r->stamp_ns = f->stamp_ns;
    r->took_ns = f->took_ns;
    r->status = f->status;
    r->tries = f->try_count;
    (void)snprintf(r->text, sizeof(r->text), "%.*s|%.*s|%.*s|%.*s|%.*s", (int)f->caller.len,
                   f->caller.p ? f->caller.p : "", (int)f->method.len, f->method.p ? f->method.p : "",
                   (int)f->target.len, f->target.p ? f->target.p : "", (int)f->agent.len,
                   f->agent.p ? f->agent.p : "", (int)f->id[0].len, f->id[0].p ? f->id[0].p : "");
}

static void settle(outcome *o, lk_unwrap *u)
{
    o->held -= u->joined;
    o->ignored += u->joined;
    o->joined += u->joined;
}

static lk_line line_of(const lines *l, size_t i)
{
    return (lk_line){ .text = lines_get(l, i), .raw = lines_get(l, i), .number = i + 1 };
}

/* is_short: as the program reads, with a look at whether the line is an object like the one before it. */
static void read_line(outcome *o, lk_unwrap *u, const lk_layout *layout, lk_parse_cache *c,
                      const lk_line *line, bool is_short)
{
    const lk_unwrap_input in = { line->text, line->raw, line->number, line->nuls };
    lk_err e = { 0 };
    lk_reject why;
    lk_fields f;

    o->total++;
    if (is_short && lk_unwrap_itself(u, layout, c, line->text, &f)) {
        keep(o, &f);
        return;
    }
    switch (lk_unwrap_line(u, layout, c, &in, &f, &why, &e)) {
    case LK_UNWRAP_PARSED: keep(o, &f); break;
    case LK_UNWRAP_REJECTED: o->rejected++; break;
    case LK_UNWRAP_IGNORED: o->ignored++; break;
    case LK_UNWRAP_HELD: o->held++; break;
    case LK_UNWRAP_FAIL: fail_msg("%s", e.msg);
    }
    settle(o, u);
}

static void read_end(outcome *o, lk_unwrap *u, const lk_layout *layout, lk_parse_cache *c)
{
    lk_err e = { 0 };
    lk_fields f;

    if (lk_unwrap_end(u, layout, c, &f, &e) == LK_UNWRAP_PARSED) {
        o->held--;
        keep(o, &f);
    }
    settle(o, u);
}

/* As a file is read: a look at its first lines, then all of them. */
static void read_lines_by(const lines *l, outcome *o, bool is_short)
{
    lk_parse_cache *c = malloc(sizeof(*c));
    lk_sniffer *s = malloc(sizeof(*s));
    lk_reading reading = { .max_line = 1 << 20 };
    lk_layout layout;
    bool keeps_ends;
    lk_unwrap u;

    assert_non_null(c);
    assert_non_null(s);
    memset(o, 0, sizeof(*o));
    lk_buf_init(&o->lost);
    lk_sniffer_init(s);
    lk_parse_cache_init(c);
    lk_reading_unwrap(&reading, LK_TIME_NONE, &u);
    for (size_t i = 0; i < l->count; i++) {
        lk_line line = line_of(l, i);

        lk_reading_sniff(&reading, &u, c, &line, s);
    }
    lk_sniffer_decide(s, &layout);
    keeps_ends = u.keeps_ends;
    lk_unwrap_release(&u);
    lk_reading_unwrap(&reading, LK_TIME_NONE, &u);
    u.keeps_ends = keeps_ends;
    u.lost = take_lost;
    u.ctx = o;
    u.keep_raw = true;
    lk_parse_cache_init(c);
    for (size_t i = 0; i < l->count; i++) {
        lk_line line = line_of(l, i);

        read_line(o, &u, &layout, c, &line, is_short);
    }
    read_end(o, &u, &layout, c);
    lk_unwrap_release(&u);
    free(s);
    free(c);
}

static void read_lines(const lines *l, outcome *o)
{
    read_lines_by(l, o, true);
}

static void check_same(const outcome *alone, const outcome *got, const char *what)
{
    check(got->held == 0, "%s: %ju lines are held at the end", what, (uintmax_t)got->held);
    check(got->total == got->parsed + got->rejected + got->ignored, "%s: %ju lines, %ju %ju %ju",
          what, (uintmax_t)got->total, (uintmax_t)got->parsed, (uintmax_t)got->rejected,
          (uintmax_t)got->ignored);
    check(got->parsed == alone->parsed, "%s: %ju requests, alone %ju", what,
          (uintmax_t)got->parsed, (uintmax_t)alone->parsed);
    for (size_t i = 0; i < alone->parsed; i++) {
        const request *a = &alone->requests[i], *b = &got->requests[i];

        check(a->stamp_ns == b->stamp_ns, "%s: request %zu at %jd, alone %jd", what, i,
              (intmax_t)b->stamp_ns, (intmax_t)a->stamp_ns);
        check(a->took_ns == b->took_ns && a->status == b->status && a->tries == b->tries,
              "%s: request %zu", what, i);
        check(strcmp(a->text, b->text) == 0, "%s: request %zu is %.100s, alone %.100s", what,
              i, b->text, a->text);
    }
}

static void read_texts(const char *const *texts, outcome *o)
{
    lines l;

    lines_init(&l);
    for (size_t i = 0; texts[i]; i++)
        lines_add(&l, texts[i], strlen(texts[i]));
    read_lines_by(&l, o, false);
    lk_buf_release(&l.text);
}

static void wrap_all(wrap *in, const lines *from, lines *to)
{
    lines_init(to);
    for (size_t i = 0; i < from->count; i++)
        in(lines_get(from, i), to);
}

static void check_pair(size_t k, const outcome *alone, const lines *bare, size_t outer, size_t inner)
{
    outcome got;
    lines one, two;
    char what[160];

    if (WRAPS[outer].is_export && WRAPS[inner].is_export) /* a journal of a journal: one entry at a time */
        return;
    (void)snprintf(what, sizeof(what), "%s in %s in %s", INSIDE[k].name, WRAPS[inner].name,
                   WRAPS[outer].name);
    wrap_all(WRAPS[inner].in, bare, &one);
    wrap_all(WRAPS[outer].in, &one, &two);
    read_lines(&two, &got);
    check_same(alone, &got, what);
    lk_buf_release(&one.text);
    lk_buf_release(&two.text);
    lk_buf_release(&got.lost);
}

static void nests(size_t k)
{
    outcome alone;
    lines bare;

    read_texts(INSIDE[k].lines, &alone);
    check(alone.parsed >= 2, "%s: %ju requests", INSIDE[k].name, (uintmax_t)alone.parsed);
    lines_init(&bare);
    for (size_t i = 0; INSIDE[k].lines[i]; i++)
        lines_add(&bare, INSIDE[k].lines[i], strlen(INSIDE[k].lines[i]));
    for (size_t outer = 0; outer < WRAPS_COUNT; outer++)
        for (size_t inner = 0; inner < WRAPS_COUNT; inner++)
            check_pair(k, &alone, &bare, outer, inner);
    lk_buf_release(&bare.text);
    lk_buf_release(&alone.lost);
}

static void unwrap_peels_each_wrapper(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof(INSIDE) / sizeof(INSIDE[0]); k++) {
        outcome alone, got;
        lines bare, one;
        char what[160];

        read_texts(INSIDE[k].lines, &alone);
        lines_init(&bare);
        for (size_t i = 0; INSIDE[k].lines[i]; i++)
            lines_add(&bare, INSIDE[k].lines[i], strlen(INSIDE[k].lines[i]));
        for (size_t w = 0; w < WRAPS_COUNT; w++) {
            (void)snprintf(what, sizeof(what), "%s in %s", INSIDE[k].name, WRAPS[w].name);
            wrap_all(WRAPS[w].in, &bare, &one);
            read_lines(&one, &got);
            check_same(&alone, &got, what);
            lk_buf_release(&one.text);
            lk_buf_release(&got.lost);
        }
        lk_buf_release(&bare.text);
        lk_buf_release(&alone.lost);
    }
}

/* Objects by themselves, between objects that are wrapped, broken lines and others: the short way gives what the
 * long one does. */
static void unwrap_reads_objects_the_short_way(void **state)
{
    lines mixed;
    outcome by_long, by_short;

    (void)state;
    lines_init(&mixed);
    for (size_t i = 0; JSON[i]; i++) {
        lk_slice s = lk_slice_from(JSON[i]);

        lines_add(&mixed, s.p, s.len);
        in_docker(s, &mixed);
        lines_add(&mixed, s.p, s.len);
        lines_add(&mixed, s.p, s.len / 2);
        lines_add(&mixed, s.p, s.len);
        lines_add(&mixed, s.p, s.len);
        in_stamp(s, &mixed);
        lines_add(&mixed, "{}", 2);
        lines_add(&mixed, s.p, s.len);
        lines_add(&mixed, "", 0);
    }
    read_lines_by(&mixed, &by_long, false);
    read_lines_by(&mixed, &by_short, true);
    check_same(&by_long, &by_short, "objects");
    check(by_long.parsed == 14, "%ju requests", (uintmax_t)by_long.parsed);
    lk_buf_release(&mixed.text);
    lk_buf_release(&by_long.lost);
    lk_buf_release(&by_short.lost);
}

static void unwrap_peels_any_two_nested(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof(INSIDE) / sizeof(INSIDE[0]); k++)
        nests(k);
}

/* ---- parts ---- */

#define LINE_A "203.0.113.7 - - [30/Nov/2026:03:25:00 +0000] \"GET /a HTTP/1.1\" 503 6 \"-\" \"c\""
#define LINE_B "203.0.113.8 - - [30/Nov/2026:03:25:01 +0000] \"GET /long"
#define LINE_B_REST "-tail HTTP/1.1\" 200 6 \"-\" \"d\""

static void unwrap_joins_parts_by_stream(void **state)
{
    static const char *const TEXTS[] = {
        STAMP " stdout P " LINE_B,
        STAMP " stderr P something",
        STAMP " stderr F  else",
        STAMP " stdout P -more",
        STAMP " stderr F " LINE_A,
        STAMP " stdout F " LINE_B_REST,
        NULL,
    };
    outcome o;

    (void)state;
    read_texts(TEXTS, &o);
    check(o.parsed == 2 && o.ignored == 2 && o.rejected == 2 && o.held == 0, "%ju %ju %ju",
          (uintmax_t)o.parsed, (uintmax_t)o.ignored, (uintmax_t)o.rejected);
    assert_string_equal(o.requests[1].text, "203.0.113.8|GET|/long-more-tail|d|");
    assert_string_equal(o.lost.p, TEXTS[1] ? "" STAMP " stderr P something\n" : "");
    lk_buf_release(&o.lost);
}

static void unwrap_tells_parts_that_never_end(void **state)
{
    static const char *const TEXTS[] = {
        STAMP " stdout P " LINE_B,
        STAMP " stdout F no end of it",
        STAMP " stdout P " LINE_B,
        STAMP " stdout P " LINE_B,
        STAMP " stderr F " LINE_A,
        NULL,
    };
    outcome o;

    (void)state;
    read_texts(TEXTS, &o);
    check(o.total == 5 && o.parsed == 1 && o.rejected == 4 && o.held == 0, "%ju %ju",
          (uintmax_t)o.parsed, (uintmax_t)o.rejected);
    lk_buf_release(&o.lost);
}

/* Shippers write docker's objects without the ends of lines. */
static void unwrap_takes_texts_without_ends_of_lines(void **state)
{
    static const char *const TEXTS[] = {
        "{\"log\":\"203.0.113.7 - - [30/Nov/2026:03:25:00 +0000] \\\"GET /a HTTP/1.1\\\" 503 6\","
        "\"stream\":\"stdout\",\"time\":\"" STAMP "\"}",
        "{\"log\":\"hello\",\"stream\":\"stdout\",\"time\":\"" STAMP "\"}",
        "{\"log\":\"203.0.113.7 - - [30/Nov/2026:03:25:07 +0000] \\\"GET /b HTTP/1.1\\\" 200 6\","
        "\"stream\":\"stdout\",\"time\":\"" STAMP "\"}",
        NULL,
    };
    outcome o;

    (void)state;
    read_texts(TEXTS, &o);
    check(o.parsed == 2 && o.rejected == 1, "%ju %ju", (uintmax_t)o.parsed, (uintmax_t)o.rejected);
    assert_string_equal(o.requests[1].text, "203.0.113.7|GET|/b||");
    lk_buf_release(&o.lost);
}

static void unwrap_bounds_what_is_held(void **state)
{
    lk_unwrap u;
    lk_layout layout;
    lk_parse_cache *c = malloc(sizeof(*c));
    outcome o = { .total = 0 };
    char text[600];

    (void)state;
    assert_non_null(c);
    lk_buf_init(&o.lost);
    lk_layout_init(&layout);
    lk_parse_cache_init(c);
    lk_unwrap_init(&u, 1000);
    u.lost = take_lost;
    u.ctx = &o;
    for (size_t i = 0; i < 1000; i++) {
        lk_line line = { .number = i + 1 };

        (void)snprintf(text, sizeof(text), "c%zu-1 | " STAMP " stdout P %0400d", i % 50, 7);
        line.text = line.raw = lk_slice_from(text);
        read_line(&o, &u, &layout, c, &line, true);
        check(o.total == o.rejected + o.held, "%ju lines", (uintmax_t)o.total);
        check(o.held <= 2 * LK_UNWRAP_SLOTS, "%ju held", (uintmax_t)o.held);
    }
    for (size_t i = 0; i < LK_UNWRAP_SLOTS; i++)
        check(u.slots[i].text.cap <= 4096, "%zu bytes", u.slots[i].text.cap);
    read_end(&o, &u, &layout, c);
    check(o.held == 0 && o.rejected == 1000, "%ju", (uintmax_t)o.rejected);
    lk_unwrap_release(&u);
    lk_buf_release(&o.lost);
    free(c);
}

/* ---- stamps ---- */

static void check_first(const char *text, int64_t near_ns, const char *want, bool by_wrapper)
{
    lk_parse_cache *c = malloc(sizeof(*c));
    const lk_unwrap_input in = { .text = lk_slice_from(text), .number = 1 };
    lk_unwrapped got;
    lk_layout layout;
    lk_err e = { 0 };
    lk_unwrap u;
    lk_fields f;
    lk_reject why = LK_REJECT_NONE;
    char at[32] = "none";

    assert_non_null(c);
    lk_layout_init(&layout);
    lk_parse_cache_init(c);
    lk_unwrap_init(&u, 0);
    u.tells_zone = true;
    u.near_ns = near_ns;
    got = lk_unwrap_line(&u, &layout, c, &in, &f, &why, &e);
    if (got == LK_UNWRAP_PARSED)
        lk_time_format(f.stamp_ns, at);
    check(strcmp(at, want) == 0, "%s: %s", text, at);
    check(got != LK_UNWRAP_PARSED || f.by_wrapper == by_wrapper, "%s", text);
    lk_unwrap_release(&u);
    free(c);
}

#define NO_STAMP "{\"remote_addr\":\"203.0.113.7\",\"request\":\"GET /a HTTP/1.1\",\"status\":503}"
#define LOCAL "127.0.0.1:58346 [30/Nov/2026:05:25:19.267] fe be/app1 0/0/0/2/2 200 120 - - ---- " \
              "1/1/0/0/0 0/0 \"GET / HTTP/1.1\""

static void unwrap_takes_the_time_around_a_line_that_has_none(void **state)
{
    const int64_t near_ns = INT64_C(1798700000) * LK_NS_PER_S; /* 2026-12-31T06:53:20Z */

    (void)state;
    check_first(STAMP " stdout F " NO_STAMP, LK_TIME_NONE, "2026-11-30T03:25:20.398Z", true);
    check_first("Nov 30 03:25:20 web1 nginx: " NO_STAMP, near_ns, "2026-11-30T03:25:20.000Z", true);
    check_first("Jan  1 00:00:01 web1 nginx: " NO_STAMP, near_ns, "2027-01-01T00:00:01.000Z", true);
    check_first("Nov 30 03:25:20 web1 nginx: " NO_STAMP, LK_TIME_NONE, "none", false);
    check_first(STAMP " stdout F Nov 30 03:25:20 web1 nginx: " NO_STAMP, LK_TIME_NONE,
                "2026-11-30T03:25:20.000Z", true);
    check_first("<190>1 " STAMP " h app - - - method=GET path=/a status=503", LK_TIME_NONE,
                "2026-11-30T03:25:20.398Z", true);
    check_first(STAMP " stdout F " LINE_A, LK_TIME_NONE, "2026-11-30T03:25:00.000Z", false);
}

static void unwrap_takes_the_zone_around_a_line_that_has_none(void **state)
{
    (void)state;
    check_first("<134>1 2026-11-30T03:25:19.301206Z - haproxy 1 - - " LOCAL, LK_TIME_NONE,
                "2026-11-30T03:25:19.267Z", false);
    check_first("2026-11-30T05:25:21.301206+02:00 lb haproxy[1]: " LOCAL, LK_TIME_NONE,
                "2026-11-30T03:25:19.267Z", false);
    check_first("2026-11-29T05:25:21.301206Z lb haproxy[1]: " LOCAL, LK_TIME_NONE, /* not of it */
                "2026-11-30T05:25:19.267Z", false);
    check_first("Nov 30 05:25:19 haproxy[1]: " LOCAL, LK_TIME_NONE, "2026-11-30T05:25:19.267Z",
                false);
}

/* ---- what is no wrapper ---- */

static void unwrap_leaves_other_lines_alone(void **state)
{
    static const char *const PLAIN[] = {
        LINE_A,
        "vh.example:80 127.0.0.1 - - [30/Nov/2026:03:26:22 +0000] \"POST / HTTP/1.1\" 429 148",
        "client.example - - [30/Nov/2026:03:25:00 +0000] \"GET /a|b HTTP/1.0\" 503 -",
        "[2026-11-30T03:25:00.000Z] \"GET / HTTP/1.1\" 200 - 0 0 1 1 \"-\" \"-\" \"-\" \"-\" \"-\"",
        "::1 - - [30/Nov/2026:03:25:00 +0000] \"GET /a HTTP/1.0\" 503 -",
        "",
        "GET",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(PLAIN) / sizeof(PLAIN[0]); i++)
        check(!lk_wrap_may_begin(lk_slice_from(PLAIN[i])), "%s", PLAIN[i]);
}

TESTS(T(unwrap_peels_each_wrapper), T(unwrap_peels_any_two_nested),
      T(unwrap_reads_objects_the_short_way), T(unwrap_joins_parts_by_stream),
      T(unwrap_tells_parts_that_never_end), T(unwrap_takes_texts_without_ends_of_lines),
      T(unwrap_bounds_what_is_held), T(unwrap_takes_the_time_around_a_line_that_has_none),
      T(unwrap_takes_the_zone_around_a_line_that_has_none), T(unwrap_leaves_other_lines_alone))
