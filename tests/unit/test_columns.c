#include "format/columns.h"
#include "unit.h"

#include "base/time.h"

#include <stdio.h>

#define HEAD "198.51.100.2 - - [15/Jul/2025:12:00:00 +0000] \"GET /a HTTP/1.1\" "
#define MSEC_NOON "1752580800.250"

/* ---- splitting ---- */

/* clang-format off */
static const struct { const char *tail, *columns; } TAILS[] = { /* columns: values with '|' between, NULL = no sense */
    { "",                                        "" },
    { "0.005",                                   "0.005" },
    { "0.005 1796014671.488 \"-\" \"a b\"",      "0.005|1796014671.488|-|a b" },
    { "\"a \\\"b\\\" c\" \"\"",                  "a \"b\" c|" },
    { "85 0.005 [default-api-80] [] 127.0.0.1:9102, 127.0.0.1:9103 0, 6 0.003, 0.002 503, 200 97807",
      "85|0.005|default-api-80||127.0.0.1:9102, 127.0.0.1:9103|0, 6|0.003, 0.002|503, 200|97807" },
    { "84 0.002 [x] [] 127.0.0.1:9102 : 127.0.0.1:9101 0 : 6 0.001 : 0.001 503 : 200 620e",
      "84|0.002|x||127.0.0.1:9102 : 127.0.0.1:9101|0 : 6|0.001 : 0.001|503 : 200|620e" },
    { "a, b : c, d e",                           "a, b : c, d|e" },
    { "1.2.3.4:80 :",                            "1.2.3.4:80 :" }, /* ends in an internal redirect */
    { "rt=0.002 us=\"502, 200\" rid=44bf conn=5/1", "rt:0.002|us:502, 200|rid:44bf|conn:5/1" },
    { "dGVzdA== k=",                             "dGVzdA==|k=" },
    { "a  b",                                    "a|b" },
    { "[broken 1",                               "[broken|1" },
    { "\"rt=0.123\" \"us=502, 200\" \"attempt=2\"", "rt:0.123|us:502, 200|attempt=2" },
    { "\"a=1; b=2\" \"a=b=c\" \"/x?a=b\"",        "a=1; b=2|a=b=c|/x?a=b" },
    { "\"rt=0.123 ut=0.120, us=200\" x",          "rt:0.123|ut:0.120|us:200|x" },
    { "\"rt=0.123 and more\" \"a b=1\"",           "rt:0.123 and more|a b=1" },
    { "rt=0.123, uct=0.000, urt=0.1",            "rt:0.123|uct:0.000|urt:0.1" },
    /* a colon where the word has a meaning */
    { "rt:0.123 urt:0.1, 0.2 rid:\"a b\" 5",     "rt:0.123|urt:0.1, 0.2|rid:a b|5" },
    { "12.345 ms 7",                             "12.345 ms|7" },
    { "- ms 7 s",                                "-|7 s" },
    { "12 sessions",                             "12|sessions" },
    { "(0.123) (a b)",                           "0.123|(a|b)" },
    { "b\\s\"",                                  NULL },
    { "b\\s\" TCP_MISS",                         NULL },
    { "\"open 0.1",                              NULL },
    { "k=\"open",                                NULL },
};
/* clang-format on */

/* "key:value|value" of what was split; escapes are shown undone. */
static void show(const lk_columns *columns, char *out)
{
    *out = '\0';
    for (size_t i = 0; i < columns->count; i++) {
        const lk_column *c = &columns->items[i];

        if (i > 0)
            strcat(out, "|");
        if (c->key.len > 0) {
            strncat(out, c->key.p, c->key.len);
            strcat(out, ":");
        }
        for (size_t k = 0; k < c->value.len; k++)
            if (c->value.p[k] != '\\')
                strncat(out, c->value.p + k, 1);
    }
}

TEST(columns_split_tails)
{
    for (size_t i = 0; i < ROWS(TAILS); i++) {
        lk_columns columns;
        char text[400];

        check(
            lk_columns_split(lk_slice_from(TAILS[i].tail), &columns) == (TAILS[i].columns != NULL),
            "'%s'", TAILS[i].tail);
        if (!TAILS[i].columns)
            continue;
        show(&columns, text);
        check(strcmp(text, TAILS[i].columns) == 0, "'%s': '%s'", TAILS[i].tail, text);
    }
}

static bool same_text(lk_slice a, lk_slice b)
{
    return a.len == b.len && (a.len == 0 || a.p == b.p);
}

static void check_ways(lk_slice tail)
{
    lk_columns quick, careful;
    const bool got = lk_columns_split(tail, &quick);

    check(got == lk_columns_split_careful(tail, &careful) && (!got || quick.count == careful.count),
          "'%.*s': %zu columns, %zu", (int)tail.len, tail.p, quick.count, careful.count);
    for (size_t i = 0; got && i < quick.count && i < LK_COLUMNS_MAX; i++) {
        const lk_column *a = &quick.items[i], *b = &careful.items[i];

        check(same_text(a->key, b->key) && same_text(a->value, b->value) && a->quoted == b->quoted &&
                  a->bracketed == b->bracketed,
              "'%.*s': column %zu", (int)tail.len, tail.p, i);
    }
}

/* Tails of all kinds of pieces, at every length, right before what is not to be read. */
TEST(columns_plain_and_careful_ways_agree)
{
    static const char *const PIECES[] = { " ", "\"", "\"-\"", "0.092", "-", ", ", " : ", "=", "rt=", "ms", " s", ";",
                                          "d935ee20466adfe4", "[1]", "(0.5)", "\\", "a/b", "upstream", ":", "\xc2\xb5s" };
    uint64_t x = 1;

    for (size_t round = 0; round < 20000; round++) {
        char text[128] = "", *copy;
        size_t len;

        for (size_t i = 0; i < 7; i++) {
            x = x * UINT64_C(6364136223846793005) + 1442695040888963407U;
            strcat(text, PIECES[(x >> 33) % ROWS(PIECES)]);
        }
        len = strlen(text) - round % 3;
        copy = test_malloc(len);
        memcpy(copy, text, len);
        check_ways((lk_slice){ copy, len });
        test_free(copy);
    }
}

TEST(columns_past_the_last_are_counted_once)
{
    char tail[200] = "";
    lk_columns columns;

    for (size_t i = 0; i < LK_COLUMNS_MAX + 5; i++)
        strcat(tail, "1 ");
    check(lk_columns_split(lk_slice_from(tail), &columns), "%s", tail);
    check(columns.count == LK_COLUMNS_MAX + 1, "%zu", columns.count);
}

/* ---- roles ---- */

/* Lines `first` .. of the rows as a layout, each seen `times` times. */
static void learn(const char *const *lines, size_t count, size_t times, lk_layout *out)
{
    lk_sniffer *s = test_malloc(sizeof(*s));

    lk_sniffer_init(s);
    for (size_t n = 0; n < times; n++)
        for (size_t i = 0; i < count; i++)
            lk_sniffer_line(s, lk_slice_from(lines[i]));
    lk_sniffer_decide(s, out);
    test_free(s);
}

static void check_roles(const lk_layout *l, const char *want)
{
    static const char LETTERS[] = ".oTMIARWSUtwHuspX"; /* in order of lk_role; W = Retry-After,
        S and U = lists of upstreams, t and w = milliseconds */
    char have[LK_COLUMNS_MAX + 1] = "";

    for (size_t i = 0; i < l->column_count; i++)
        have[i] = LETTERS[l->columns[i]];
    check(strcmp(have, want) == 0, "roles '%s', not '%s'", have, want);
}

static void parse(const lk_layout *l, const char *line, lk_fields *out)
{
    lk_parse_cache cache;
    lk_reject why;

    lk_parse_cache_init(&cache);
    check(lk_layout_parse(l, &cache, lk_slice_from(line), out, &why), "%s", line);
}

static bool is_id(lk_slice id, const char *want)
{
    return want ? id.p && lk_slice_is(id, want) : !id.p;
}

#define EXT(status, tail) HEAD #status " 12 \"-\" \"agent/1\" " tail

/* clang-format off */
static const struct { const char *tail, *roles; int64_t took_ns; lk_moment moment; } TIMES[] = {
    { "rt=123ms",                    "T",   123 * LK_NS_PER_MS, LK_MOMENT_END },
    { "123ms",                       "T",   123 * LK_NS_PER_MS, LK_MOMENT_END },
    { "123.456 ms",                  "T",   INT64_C(123456000), LK_MOMENT_END },
    { "0.123s \"x y\"",              "T.",  123 * LK_NS_PER_MS, LK_MOMENT_END },
    { "7001\xc2\xb5s",               "T",   7001000,            LK_MOMENT_END },
    { "\"rt=0.123\"",                "T",   123 * LK_NS_PER_MS, LK_MOMENT_END },
    { "\"rt=0.123 us=200 x=1\"",     "TS.", 123 * LK_NS_PER_MS, LK_MOMENT_END },
    { "rt=0.123, uct=0.000",         "T.",  123 * LK_NS_PER_MS, LK_MOMENT_END },
    { "rt:0.123 us:200 x:1",         "TS.", 123 * LK_NS_PER_MS, LK_MOMENT_END },
    { "[0.123] [-] [name]",          "To.", 123 * LK_NS_PER_MS, LK_MOMENT_END },
    { "(0.123)",                     "T",   123 * LK_NS_PER_MS, LK_MOMENT_END },
    { "D=123456",                    "u",   123456000,          LK_MOMENT_START },
    { "D=123456 T=0",                "u.",  123456000,          LK_MOMENT_START },
    { "T=3",                         "T",   3 * LK_NS_PER_S,    LK_MOMENT_END },
    { "latency_us=123456",           "u",   123456000,          LK_MOMENT_START },
    { "took_ms=123",                 "t",   123 * LK_NS_PER_MS, LK_MOMENT_END },
    { "elapsed=1.2s",                "T",   1200 * LK_NS_PER_MS, LK_MOMENT_END },
    { "elapsed=0.123",               "T",   123 * LK_NS_PER_MS, LK_MOMENT_END },
    { "elapsed=123",                 ".",   -1,                 LK_MOMENT_UNKNOWN }, /* of what? */
    { "3/3123456",                   "p",   INT64_C(3123456000), LK_MOMENT_START },
    { "**0/45678**",                 "p",   45678000,           LK_MOMENT_START },
    { "1/3",                         ".",   -1,                 LK_MOMENT_UNKNOWN }, /* one of three */
    { "0/45",                        ".",   -1,                 LK_MOMENT_UNKNOWN },
};
/* clang-format on */

TEST(columns_tell_times_in_all_spellings)
{
    for (size_t i = 0; i < ROWS(TIMES); i++) {
        char line[300];
        const char *const lines[] = { line };
        lk_layout l;
        lk_fields f;

        (void)snprintf(line, sizeof(line), EXT(200, "%s"), TIMES[i].tail);
        learn(lines, 1, 1, &l);
        check_roles(&l, TIMES[i].roles);
        parse(&l, line, &f);
        check(f.took_ns == TIMES[i].took_ns, "'%s': %lld", TIMES[i].tail, (long long)f.took_ns);
        check(f.moment == TIMES[i].moment, "'%s': %d", TIMES[i].tail, (int)f.moment);
    }
}

/* One stranger's "a=b" in a column of ids makes no key of it. */
TEST(columns_keep_their_ids_when_a_value_looks_like_a_key)
{
    static const char *const LINES[] = {
        EXT(200, "\"0a0a0a0a1\""), EXT(200, "\"0a0a0a0a2\""), EXT(200, "\"zz=0a0a0a0a3\""),
        EXT(200, "\"0a0a0a0a4\""), EXT(200, "\"0a0a0a0a1\""),
    };
    lk_layout l;

    learn(LINES, ROWS(LINES), 1, &l);
    check_roles(&l, "I");
    check(strcmp(l.id_name[0], "column 10") == 0, "'%s'", l.id_name[0]);
}

TEST(columns_of_nginx_get_their_roles)
{
    static const char *const LINES[] = {
        EXT(200, "0.120 " MSEC_NOON " \"0a0a0a0a1\" \"-\" \"-\" \"-\""),
        EXT(429, "0.003 " MSEC_NOON " \"0a0a0a0a2\" \"aaaa0001\" \"attempt=1; max=3\" \"12\""),
        EXT(200, "0.003 " MSEC_NOON " \"0a0a0a0a3\" \"aaaa0001\" \"attempt=2; max=3\" \"-\""),
        EXT(503, "0.003 " MSEC_NOON " \"0a0a0a0a4\" \"aaaa0002\" \"attempt=1; max=3\" \"7.5\""),
    };
    lk_layout l;
    lk_fields f;

    learn(LINES, ROWS(LINES), 1, &l);
    check(strcmp(l.format->name, "combined-ext") == 0, "%s", l.format->name);
    check_roles(&l, "TMIIAW");
    check(l.moment == LK_MOMENT_END, "$msec is the end");
    check(l.id_count == 2, "%zu", l.id_count);
    check(strcmp(l.id_name[0], "column 12") == 0 && strcmp(l.id_name[1], "column 13") == 0,
          "'%s', '%s'", l.id_name[0], l.id_name[1]);
    check(!l.id_is_call[0] && l.id_is_call[1], "the id that goes with attempt= is the call");
    parse(&l, LINES[3], &f);
    check(f.stamp_ns == INT64_C(1752580800250) * LK_NS_PER_MS && f.fraction, "stamp");
    check(f.moment == LK_MOMENT_END, "moment");
    check(f.took_ns == 3 * LK_NS_PER_MS, "took %lld", (long long)f.took_ns);
    check(f.attempt_no == 1 && f.attempt_max == 3, "attempt");
    check(f.retry_after_ns == 7500 * LK_NS_PER_MS, "Retry-After");
    check(is_id(f.id[0], "0a0a0a0a4") && is_id(f.id[1], "aaaa0002"), "ids");
    check(lk_slice_is(f.agent, "agent/1"), "agent");
    parse(&l, LINES[0], &f);
    check(f.attempt_no == 0 && f.retry_after_ns == -1 && is_id(f.id[1], NULL), "absent");
}

TEST(columns_tell_a_retry_counter_from_retry_after)
{
    static const char *const LINES[] = {
        EXT(200, "0.120 \"0\" \"-\""), EXT(429, "0.003 \"0\" \"2\""), EXT(429, "0.003 \"1\" \"2\""),
        EXT(200, "0.120 \"2\" \"-\""), EXT(200, "0.120 \"-\" \"-\""), EXT(429, "0.003 \"0\" \"1\""),
        EXT(200, "0.120 \"0\" \"-\""),
    };
    static const char *const SWAPPED[] = {
        EXT(200, "0.120 \"-\" \"0\""),
        EXT(429, "0.003 \"2\" \"0\""),
        EXT(429, "0.003 \"2\" \"1\""),
        EXT(200, "0.120 \"-\" \"1\""),
    };
    lk_layout l;
    lk_fields f;

    learn(LINES, ROWS(LINES), 1, &l);
    check_roles(&l, "TRW");
    parse(&l, LINES[2], &f);
    check(f.attempt_no == 2 && f.retry_after_ns == 2 * LK_NS_PER_S, "%d", (int)f.attempt_no);
    parse(&l, LINES[4], &f);
    check(f.attempt_no == 0 && f.retry_after_ns == -1, "absent");
    learn(SWAPPED, ROWS(SWAPPED), 1, &l);
    check_roles(&l, "TWR");
}

/* On refused lines only, both could be either: the right one is Retry-After. */
TEST(columns_of_a_log_without_good_lines)
{
    static const char *const LINES[] = {
        EXT(429, "0.003 \"3\" \"4\""), EXT(429, "0.003 \"1\" \"4\""), EXT(429, "0.003 \"0\" \"4\""),
        EXT(429, "0.003 \"0\" \"4\""), EXT(429, "0.003 \"2\" \"4\""),
    };
    lk_layout l;

    learn(LINES, ROWS(LINES), 1, &l);
    check_roles(&l, "TRW");
}

/* What looks like a counter or like Retry-After and is neither. */
TEST(columns_that_are_no_counters)
{
    static const char *const APACHE[] = {
        /* %D %T %k */
        EXT(200, "549 0 0"),
        EXT(200, "5382 0 0"),
        EXT(503, "1785 1 1"),
        EXT(200, "785 0 0"),
    };
    static const char *const UPSTREAM[] = {
        /* "$upstream_status" "$upstream_addr" "$gzip_ratio" */
        EXT(503, "\"503\" \"10.0.0.1:80\" \"-\""),
        EXT(503, "\"503\" \"10.0.0.2:80\" \"-\""),
        EXT(429, "\"429\" \"10.0.0.2:80\" \"-\""),
    };
    static const char *const LENGTHS[] = { EXT(503, "85 6"), EXT(503, "90 7"), EXT(503, "85 6") };
    lk_layout l;

    learn(APACHE, ROWS(APACHE), 1, &l);
    check_roles(&l, "...");
    learn(UPSTREAM, ROWS(UPSTREAM), 1, &l);
    check_roles(&l, "S.o");
    learn(LENGTHS, ROWS(LENGTHS), 1, &l);
    check_roles(&l, "..");
}

TEST(columns_take_the_whole_request_for_the_duration)
{
    static const char *const UPSTREAM_FIRST[] = {
        EXT(200, "0.100 0.120 \"9.999\""),
        EXT(200, "0.003 0.003 \"9.999\""),
    };
    static const char *const UPSTREAM_LAST[] = {
        EXT(200, "\"9.999\" 0.120 0.100"),
        EXT(502, "\"9.999\" 0.004 0.001, 0.002"),
    };
    lk_layout l;
    lk_fields f;

    learn(UPSTREAM_FIRST, ROWS(UPSTREAM_FIRST), 1, &l);
    check_roles(&l, ".T.");
    parse(&l, UPSTREAM_FIRST[0], &f);
    check(f.took_ns == 120 * LK_NS_PER_MS, "%lld", (long long)f.took_ns);
    learn(UPSTREAM_LAST, ROWS(UPSTREAM_LAST), 1, &l);
    check_roles(&l, ".TU");
}

/* A stamp of another day is not the time of the line. */
TEST(columns_of_other_instants_are_no_msec)
{
    static const char *const LINES[] = { EXT(200, "1752494400.250"), EXT(200, "1752494401.250") };
    lk_layout l;

    learn(LINES, ROWS(LINES), 1, &l);
    check_roles(&l, ".");
}

TEST(columns_of_few_values_are_no_ids)
{
    static const char *const BUILD[] = { EXT(200, "\"7f9c6d21\" \"web-01\""),
                                         EXT(200, "\"7f9c6d21\" \"web-02\"") };
    static const char *const CALL[] = { EXT(429, "\"7f9c6d21\" \"task-0001\""),
                                        EXT(200, "\"-\" \"task-0002\"") };
    lk_layout l;

    learn(BUILD, 2, 100, &l);
    check_roles(&l, "..");
    learn(CALL, 2, 1, &l);
    check_roles(&l, "II");
    learn(CALL, 2, 100, &l);
    check_roles(&l, "I."); /* two words, a hundred times each: names */
}

TEST(columns_that_name_themselves)
{
    static const char *const LINES[] = {
        HEAD "200 242 rt=0.024 ua=\"10.1.0.1:80\" urt=\"0.024\" msec=" MSEC_NOON " ra=\"-\" rid=1a",
        HEAD "429 242 rt=0.025 ua=\"-\" urt=\"-\" msec=" MSEC_NOON " ra=\"5\" rid=2b",
    };
    lk_layout l;
    lk_fields f;

    learn(LINES, ROWS(LINES), 1, &l);
    check_roles(&l, "T.UMWI");
    check(strcmp(l.id_name[0], "rid") == 0, "'%s'", l.id_name[0]);
    parse(&l, LINES[1], &f);
    check(f.took_ns == 25 * LK_NS_PER_MS && f.retry_after_ns == 5 * LK_NS_PER_S, "values");
    check(is_id(f.id[0], "2b"), "id");
}

/* Without callers other than the SDK a request id is on every line with attempt= as well. */
TEST(columns_of_request_ids_are_no_calls)
{
    char text[60][200];
    const char *lines[60];
    lk_layout l;

    for (size_t i = 0; i < ROWS(lines); i++) { /* 20 calls of three attempts */
        (void)snprintf(text[i], sizeof(text[i]),
                       EXT(429, "\"aaaa%08zu\" \"bbbb%08zu\" \"attempt=%zu; max=3\""), i, i / 3,
                       i % 3 + 1);
        lines[i] = text[i];
    }
    learn(lines, ROWS(lines), 1, &l);
    check_roles(&l, "IIA");
    check(!l.id_is_call[0] && l.id_is_call[1], "only the id that comes again is the call");
    learn(lines, 6, 1, &l);
    check(!l.id_is_call[0] && l.id_is_call[1], "with few lines as well");
    for (size_t i = 0; i < ROWS(lines); i++)
        (void)snprintf(text[i], sizeof(text[i]), EXT(429, "\"aaaa%08zu\" \"attempt=%zu; max=3\""),
                       i, i % 3 + 1);
    learn(lines, ROWS(lines), 1, &l);
    check(!l.id_is_call[0], "an id that never comes again joins nothing");
}

/* Columns that were '-' in the peek. */
TEST(columns_that_open_later_are_told_by_value)
{
    static const char *const QUIET[] = { EXT(200, "0.120 \"-\" \"-\" \"-\" \"-\"") };
    lk_layout l;
    lk_fields f;

    learn(QUIET, 1, 5, &l);
    check_roles(&l, "Toooo");
    parse(&l, EXT(503, "0.120 \"aaaa0001\" \"attempt=2; max=3\" \"-\" \"12\""), &f);
    check(is_id(f.id[0], "aaaa0001"), "id");
    check(f.attempt_no == 2 && f.attempt_max == 3, "attempt");
    check(f.retry_after_ns == 12 * LK_NS_PER_S, "Retry-After");
    parse(&l, EXT(200, "0.120 \"-\" \"-\" \"12\" \"12\""), &f);
    check(f.retry_after_ns == -1, "no Retry-After on a good line");
    parse(&l, EXT(503, "0.120 \"-\" \"503\" \"0\" \"0.004\""), &f);
    check(f.retry_after_ns == -1, "neither the status, nor zero, nor an upstream time");
    parse(&l, EXT(503, "0.120 \"-\" \"-\" \"-\" \"-\""), &f);
    check(f.retry_after_ns == -1 && f.attempt_no == 0 && is_id(f.id[0], NULL), "absent");
}

TEST(columns_of_a_line_with_another_count_are_left)
{
    static const char *const LINES[] = {
        EXT(429, "0.003 \"aaaa0001\" \"attempt=1; max=3\" \"12\""),
        EXT(200, "0.003 \"aaaa0001\" \"attempt=2; max=3\" \"-\""),
    };
    lk_layout l;
    lk_fields f;

    learn(LINES, ROWS(LINES), 1, &l);
    check_roles(&l, "TIAW");
    parse(&l, EXT(429, "0.003 \"extra\" \"aaaa0001\" \"attempt=3; max=3\" \"12\""), &f);
    check(f.attempt_no == 3, "what names itself is read");
    check(is_id(f.id[0], NULL) && f.retry_after_ns == -1 && f.took_ns == -1, "the rest is not");
}

/* ---- lists of upstreams ---- */

/* "502/1 > 200/25": status and milliseconds of each try; '>' before what a redirect led to, -1 unknown. */
static void show_tries(const lk_fields *f, char *out, size_t size)
{
    *out = '\0';
    for (size_t i = 0; i < f->try_count; i++) {
        const lk_try *t = &f->tries[i];
        size_t n = strlen(out);

        (void)snprintf(out + n, size - n, "%s%s%d/%d", i > 0 ? " " : "", t->redirect ? "> " : "",
                       t->status == LK_STATUS_UNKNOWN ? -1 : (int)t->status,
                       t->took_ns < 0 ? -1 : (int)(t->took_ns / LK_NS_PER_MS));
    }
}

typedef struct hidden {
    const char *line, *tries;
} hidden;

static void check_tries(const hidden *rows, size_t count, const lk_layout *l)
{
    for (size_t i = 0; i < count; i++) {
        lk_parse_cache cache;
        lk_reject why;
        lk_fields f;
        char text[300];

        lk_parse_cache_init(&cache);
        check(lk_layout_parse(l, &cache, lk_slice_from(rows[i].line), &f, &why), "%s",
              rows[i].line);
        show_tries(&f, text, sizeof(text));
        check(strcmp(text, rows[i].tries) == 0, "%s: '%s'", rows[i].line, text);
        check(f.try_count != 1, "one try is the line itself");
    }
}

static void learn_hidden(const hidden *rows, size_t count, lk_layout *out)
{
    const char *lines[16];

    assert_true(count <= ROWS(lines));
    for (size_t i = 0; i < count; i++)
        lines[i] = rows[i].line;
    learn(lines, count, 1, out);
}

/* testdata/format/ext-upstream-lists.log: 1 + 2 + 3 + 2 + 0 tries of upstreams. */
TEST(columns_read_upstream_lists_by_key)
{
    static const hidden LINES[] = {
        { HEAD "200 242 rt=0.024 ua=\"10.1.0.1:80\" us=\"200\" urt=\"0.024\"", "" },
        { HEAD "200 242 rt=0.025 ua=\"10.1.0.1:80, 10.1.0.2:80\" us=\"502, 200\" "
               "urt=\"0.000, 0.025\"",
          "502/0 200/25" },
        { HEAD "502 0 rt=0.003 ua=\"10.1.0.1:80, 10.1.0.2:80, 10.1.0.3:80\" "
               "us=\"502, 502, 502\" urt=\"0.001, 0.001, 0.001\"",
          "502/1 502/1 502/1" },
        { HEAD "200 5 rt=0.010 ua=\"10.1.0.1:80 : 10.2.0.1:80\" us=\"302 : 200\" "
               "urt=\"0.004 : 0.006\"",
          "302/4 > 200/6" },
        { HEAD "504 0 rt=1.000 ua=\"-\" us=\"-\" urt=\"-\"", "" },
    };
    lk_layout l;

    learn_hidden(LINES, ROWS(LINES), &l);
    check_roles(&l, "T.SU");
    check_tries(LINES, ROWS(LINES), &l);
}

TEST(columns_read_upstream_lists_by_shape)
{
    static const hidden LINES[] = {
        { EXT(200, "0.010 10.1.0.1:80 6 0.010 200 0.002"), "" },
        { EXT(200, "0.005 10.1.0.2:80, 10.1.0.1:80 0, 6 0.003, 0.002 503, 200 0.001, 0.001"),
          "503/3 200/2" },
        { EXT(499, "0.703 10.1.0.2:80, 10.1.0.1:80 0, 0 0.003, 0.700 502, - 0.001, -"),
          "502/3 499/700" },
        { EXT(404, "0.004 10.1.0.2:80, 10.1.0.1:80 :  0, 0 :  0.003, 0.001 :  502, 502 :  "
                   "0.001, 0.001 : "),
          "502/3 502/1 > 404/-1" },
        { EXT(429, "0.000 - - - - -"), "" },
    };
    lk_layout l;

    learn_hidden(LINES, ROWS(LINES), &l);
    check_roles(&l, "T..US.");
    check_tries(LINES, ROWS(LINES), &l);
}

/* Three digits are no status for that. */
TEST(columns_of_lengths_are_no_upstream_status)
{
    static const hidden LINES[] = {
        { EXT(200, "0.010 \"162\" \"140, 162\""), "" },
        { EXT(503, "0.010 \"503\" \"162, 512\""), "" },
        { EXT(200, "0.010 \"317\" \"-\""), "" },
    };
    lk_layout l;

    learn_hidden(LINES, ROWS(LINES), &l);
    check_roles(&l, "T..");
    check_tries(LINES, ROWS(LINES), &l);
}

TEST(columns_that_open_later_are_upstream_lists)
{
    static const char *const QUIET[] = { EXT(200, "0.120 \"-\"") };
    static const hidden LINES[] = {
        { EXT(200, "0.120 \"502, 200\""), "502/-1 200/-1" },
        { EXT(200, "0.120 \"502, 404\""), "" },
        { EXT(200, "0.120 \"200\""), "" },
    };
    lk_layout l;

    learn(QUIET, 1, 5, &l);
    check_roles(&l, "To");
    check_tries(LINES, ROWS(LINES), &l);
}

TEST(columns_read_so_many_tries_at_most)
{
    char text[1000] = EXT(200, "us=\"");
    const char *line = text;
    lk_layout l;
    lk_fields f;

    for (size_t i = 0; i < LK_TRIES_MAX + 5; i++)
        strcat(text, "502, ");
    strcat(text, "200\"");
    learn(&line, 1, 1, &l);
    parse(&l, line, &f);
    check(f.try_count == LK_TRIES_MAX, "%zu", f.try_count);
}

#define INGRESS(status, tail) EXT(status, "85 0.005 [default-api-80] [] " tail)

TEST(columns_of_ingress_nginx_are_known)
{
    static const hidden LINES[] = {
        { INGRESS(200, "10.0.0.1:9102, 10.0.0.2:9103 0, 6 0.003, 0.002 503, 200 978078c7"),
          "503/3 200/2" },
        { INGRESS(200, "10.0.0.1:80 : 10.0.0.2:80 0 : 6 0.001 : 0.001 503 : 200 620e1d20"),
          "503/1 > 200/1" },
        { INGRESS(499, "10.0.0.1:9101 0 0.703 - 36302a53"), "" },
        { INGRESS(429, "- - - - d211ea61"), "" },
    };

    for (size_t i = 0; i < ROWS(LINES); i++) {
        lk_layout l;
        lk_fields f;

        learn_hidden(&LINES[i], 1, &l); /* one line is enough */
        check(strcmp(l.format->name, "ingress-nginx") == 0, "%s", l.format->name);
        check_roles(&l, ".T....USI");
        check(l.moment == LK_MOMENT_END && strcmp(l.id_name[0], "req_id") == 0, "moment, id");
        check_tries(LINES, ROWS(LINES), &l);
        parse(&l, LINES[2].line, &f);
        check(f.took_ns == 5 * LK_NS_PER_MS && is_id(f.id[0], "36302a53"), "fields");
    }
}

/* ---- keys ---- */

TEST(columns_named_like_json_keys)
{
    static const char *const LINES[] = {
        HEAD "429 1 ts=" MSEC_NOON " took_ms=45 X-Stainless-Retry-Count=2 retry_after_ms=2500 "
             "amz_sdk_invocation_id=c1 host=shop.example ms=7 reqid=r1 st=200",
        HEAD "200 1 ts=" MSEC_NOON " took_ms=3 X-Stainless-Retry-Count=- retry_after_ms=- "
             "amz_sdk_invocation_id=- host=- ms=7 reqid=r2 st=200",
    };
    lk_layout l;
    lk_fields f;

    learn(LINES, ROWS(LINES), 1, &l);
    check_roles(&l, "MtRwIH.I.");
    check(l.id_is_call[0] && !l.id_is_call[1], "the invocation id is a call by its name");
    parse(&l, LINES[0], &f);
    check(f.took_ns == 45 * LK_NS_PER_MS && f.retry_after_ns == 2500 * LK_NS_PER_MS, "units");
    check(f.attempt_no == 3 && is_id(f.id[0], "c1") && is_id(f.id[1], "r1"), "ids");
    check(lk_slice_is(f.host, "shop.example"), "host");
    parse(&l, LINES[1], &f);
    check(f.retry_after_ns == -1 && f.attempt_no == 0 && !f.host.p, "absent");
}

/* Apache's %X: nothing but these three, and '+' among them. */
TEST(columns_tell_the_state_of_the_connection)
{
    static const struct { const char *tails[3], *roles; bool gave_up; } ROW[] = {
        { { "1200 +", "1300 X", "1400 -" }, ".X", true },
        { { "+ a", "+ b", "X c" },          "X.", false },
        { { "1200 X", "1300 -", "1400 -" }, "..", false }, /* may be anything */
        { { "1200 +", "1300 X", "1400 Y" }, "..", false },
        { { "1 \"+\"", "1 \"X\"", "1 -" },  "..", false },
    };

    for (size_t i = 0; i < ROWS(ROW); i++) {
        char text[3][200];
        const char *const lines[] = { text[0], text[1], text[2] };
        lk_layout l;
        lk_fields f;

        for (size_t k = 0; k < 3; k++)
            (void)snprintf(text[k], sizeof(text[k]), EXT(200, "%s"), ROW[i].tails[k]);
        learn(lines, 3, 1, &l);
        for (size_t k = 0; k < l.column_count; k++)
            check((l.columns[k] == LK_ROLE_CONNECTION) == (ROW[i].roles[k] == 'X'), "row %zu", i);
        parse(&l, text[1], &f);
        check(f.gave_up == ROW[i].gave_up, "row %zu", i);
    }
}

TESTS(T(columns_tell_the_state_of_the_connection), T(columns_split_tails), T(columns_plain_and_careful_ways_agree),
      T(columns_past_the_last_are_counted_once),
      T(columns_tell_times_in_all_spellings),
      T(columns_keep_their_ids_when_a_value_looks_like_a_key),
      T(columns_of_nginx_get_their_roles), T(columns_tell_a_retry_counter_from_retry_after),
      T(columns_of_a_log_without_good_lines), T(columns_that_are_no_counters),
      T(columns_take_the_whole_request_for_the_duration), T(columns_of_other_instants_are_no_msec),
      T(columns_of_few_values_are_no_ids), T(columns_that_name_themselves),
      T(columns_of_request_ids_are_no_calls), T(columns_that_open_later_are_told_by_value),
      T(columns_of_a_line_with_another_count_are_left), T(columns_read_upstream_lists_by_key),
      T(columns_read_upstream_lists_by_shape), T(columns_of_lengths_are_no_upstream_status),
      T(columns_that_open_later_are_upstream_lists), T(columns_read_so_many_tries_at_most),
      T(columns_of_ingress_nginx_are_known), T(columns_named_like_json_keys))
