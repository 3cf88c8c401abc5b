#include "format/layout.h"
#include "unit.h"

#include "base/random.h"
#include "base/time.h"

#include <stdlib.h>

enum { LINES_MAX = 1000, REQUESTS = 3000 };

/* ---- a text as lines ---- */

typedef struct lines {
    char *text;
    lk_slice items[LINES_MAX];
    size_t count;
} lines;

static void lines_split(lines *l)
{
    char *p = l->text, *end;

    l->count = 0;
    for (; *p && l->count < LINES_MAX; p = end + 1) {
        end = strchr(p, '\n');
        check(end, "the last line has no end");
        l->items[l->count++] = (lk_slice){ p, (size_t)(end - p) };
    }
}

static lines *lines_read(const char *path)
{
    lines *l = test_malloc(sizeof(*l));
    size_t size = 1 << 20, n;
    FILE *f = fopen(path, "rb");

    check(f, "cannot open '%s' (run from the top of the tree)", path);
    l->text = test_malloc(size);
    n = fread(l->text, 1, size - 1, f);
    (void)fclose(f);
    l->text[n] = '\0';
    lines_split(l);
    return l;
}

static void lines_free(lines *l)
{
    test_free(l->text);
    test_free(l);
}

/* ---- sniffing ---- */

static lk_sniffer *sniff(const lines *l, size_t from, size_t to)
{
    lk_sniffer *s = test_malloc(sizeof(*s));

    lk_sniffer_init(s);
    for (size_t i = from; i < to; i++)
        lk_sniffer_line(s, l->items[i]);
    return s;
}

static void learn(const lines *l, lk_layout *out)
{
    lk_sniffer *s = sniff(l, 0, l->count);

    lk_sniffer_decide(s, out);
    test_free(s);
}

/* ---- real lines ---- */

/* clang-format off */
static const struct {
    const char *path, *format;
    lk_moment moment;
    const char *roles, *ids; /* in order of lk_role; names of the id slots */
    size_t lines, rejected, took, attempts, retry_after, agents, call_ids;
    int64_t took_us;
} FILES[] = {
    { "testdata/format/ext-openai.log", "combined-ext", LK_MOMENT_END, "TMIooRIIW", "column 12,column 13,column 16,column 17",
      100, 56, 100, 61, 56, 100, 0, 3231000 },
    { "testdata/format/ext-invocation.log", "combined-ext", LK_MOMENT_END, "TMIIAW", "column 12,column 13",
      70, 19, 70, 31, 19, 70, 31, 11527000 },
    { "testdata/format/json-openai.log", "json", LK_MOMENT_END, "", "amz_sdk_invocation_id,idempotency_key,request_id,x_task_id",
      100, 56, 100, 61, 56, 100, 0, 3231000 },
    { "testdata/format/json-short-keys.log", "json", LK_MOMENT_END, "", "amz_sdk_invocation_id,x_ms_client_request_id,idempotency_key,rid",
      30, 30, 30, 30, 30, 30, 6, 104000 },
    { "testdata/format/ext-ingress.log", "ingress-nginx", LK_MOMENT_END, ".T....USI", "req_id",
      54, 4, 54, 0, 0, 32, 0, 10343000 },
    { "testdata/format/ext-apache.log", "combined-ext", LK_MOMENT_START, "u..X.I.WAoI", "column 15,column 19,column 20",
      24, 4, 24, 1, 1, 22, 0, 5236721 },
    { "testdata/format/ext-shop.log", "combined-ext", LK_MOMENT_UNKNOWN, "o", "column 10",
      8, 0, 0, 0, 0, 8, 0, 0 },
    { "testdata/format/common-nasa.log", "common", LK_MOMENT_UNKNOWN, "", "",
      25, 0, 0, 0, 0, 0, 0, 0 },
};
/* clang-format on */

static void check_layout(const lk_layout *l, size_t row)
{
    static const char LETTERS[] = ".oTMIARWSUtwHuspX";
    char roles[LK_COLUMNS_MAX + 1] = "", ids[LK_IDS * LK_ID_NAME_MAX] = "";

    check(l->format && strcmp(l->format->name, FILES[row].format) == 0, "%s", FILES[row].path);
    check(l->moment == FILES[row].moment, "%s: moment %d", FILES[row].path, (int)l->moment);
    for (size_t i = 0; i < l->column_count; i++)
        roles[i] = LETTERS[l->columns[i]];
    check(strcmp(roles, FILES[row].roles) == 0, "%s: '%s'", FILES[row].path, roles);
    for (size_t i = 0; i < l->id_count; i++) {
        strcat(ids, i > 0 ? "," : "");
        strcat(ids, l->id_name[i]);
    }
    check(strcmp(ids, FILES[row].ids) == 0, "%s: '%s'", FILES[row].path, ids);
}

TEST(layout_reads_real_lines)
{
    for (size_t row = 0; row < ROWS(FILES); row++) {
        size_t rejected = 0, took = 0, attempts = 0, retry_after = 0, agents = 0, call_ids = 0;
        int64_t took_ns = 0;
        lines *l = lines_read(FILES[row].path);
        lk_parse_cache *cache = test_malloc(sizeof(*cache));
        lk_layout layout;

        learn(l, &layout);
        check_layout(&layout, row);
        check(l->count == FILES[row].lines, "%s: %zu lines", FILES[row].path, l->count);
        lk_parse_cache_init(cache);
        for (size_t i = 0; i < l->count; i++) {
            lk_reject why = LK_REJECT_NONE;
            lk_fields f;

            check(lk_layout_parse(&layout, cache, l->items[i], &f, &why), "%s:%zu: %s",
                  FILES[row].path, i + 1, lk_reject_name(why));
            check(f.moment == FILES[row].moment, "%s:%zu: moment", FILES[row].path, i + 1);
            rejected += lk_status_is_rejected(f.status);
            took += f.took_ns >= 0;
            took_ns += f.took_ns >= 0 ? f.took_ns : 0;
            attempts += f.attempt_no > 0;
            retry_after += f.retry_after_ns >= 0;
            agents += f.agent.len > 0;
            for (size_t k = 0; k < LK_IDS; k++)
                call_ids += layout.id_is_call[k] && f.id[k].len > 0;
        }
        check(rejected == FILES[row].rejected, "%s: %zu", FILES[row].path, rejected);
        check(took == FILES[row].took, "%s: %zu", FILES[row].path, took);
        check(took_ns == FILES[row].took_us * 1000, "%s: %lld ns", FILES[row].path,
              (long long)took_ns);
        check(attempts == FILES[row].attempts, "%s: %zu", FILES[row].path, attempts);
        check(retry_after == FILES[row].retry_after, "%s: %zu", FILES[row].path, retry_after);
        check(agents == FILES[row].agents, "%s: %zu", FILES[row].path, agents);
        check(call_ids == FILES[row].call_ids, "%s: %zu", FILES[row].path, call_ids);
        test_free(cache);
        lines_free(l);
    }
}

/* nginx wrote the same requests in two formats. */
TEST(layout_reads_the_same_from_two_formats)
{
    lines *ext = lines_read("testdata/format/ext-openai.log");
    lines *json = lines_read("testdata/format/json-openai.log");
    lk_parse_cache *cache = test_malloc(2 * sizeof(*cache));
    lk_layout layout[2];

    learn(ext, &layout[0]);
    learn(json, &layout[1]);
    lk_parse_cache_init(&cache[0]);
    lk_parse_cache_init(&cache[1]);
    for (size_t i = 0; i < ext->count; i++) {
        lk_fields a, b;
        lk_reject why;

        check(lk_layout_parse(&layout[0], &cache[0], ext->items[i], &a, &why), "line %zu", i + 1);
        check(lk_layout_parse(&layout[1], &cache[1], json->items[i], &b, &why), "line %zu", i + 1);
        check(a.stamp_ns == b.stamp_ns && a.fraction && b.fraction, "line %zu", i + 1);
        check(a.took_ns == b.took_ns && a.status == b.status, "line %zu", i + 1);
        check(a.attempt_no == b.attempt_no && a.retry_after_ns == b.retry_after_ns, "line %zu",
              i + 1);
        check(lk_slice_equal(a.caller, b.caller) && lk_slice_equal(a.method, b.method) &&
                  lk_slice_equal(a.target, b.target) && lk_slice_equal(a.agent, b.agent),
              "line %zu", i + 1);
        check(lk_slice_equal(a.id[0], b.id[2]) && lk_slice_equal(a.id[2], b.id[1]) &&
                  lk_slice_equal(a.id[3], b.id[3]),
              "line %zu: ids", i + 1);
    }
    test_free(cache);
    lines_free(json);
    lines_free(ext);
}

/* ---- pieces ---- */

static bool same_layout(const lk_layout *a, const lk_layout *b)
{
    if (a->format != b->format || a->moment != b->moment || a->column_count != b->column_count ||
        a->id_count != b->id_count || a->attempt_from_zero != b->attempt_from_zero)
        return false;
    return memcmp(a->columns, b->columns, sizeof(a->columns)) == 0 &&
           memcmp(a->column_slot, b->column_slot, sizeof(a->column_slot)) == 0 &&
           memcmp(a->key_slot, b->key_slot, sizeof(a->key_slot)) == 0 &&
           memcmp(a->id_name, b->id_name, sizeof(a->id_name)) == 0 &&
           memcmp(a->id_is_call, b->id_is_call, sizeof(a->id_is_call)) == 0;
}

/* Merges the pieces, either into the other, and decides. */
static void check_pieces(const lk_sniffer *a, const lk_sniffer *b, const lk_layout *whole,
                         const char *what)
{
    lk_sniffer *both = test_malloc(sizeof(*both));
    lk_layout pieces;

    check(lk_sniffer_is_alike(a, b) && lk_sniffer_is_alike(b, a), "%s", what);
    for (size_t i = 0; i < 2; i++) {
        *both = i == 0 ? *a : *b;
        lk_sniffer_merge(both, i == 0 ? b : a);
        lk_sniffer_decide(both, &pieces);
        check(same_layout(whole, &pieces), "%s, order %zu", what, i);
        check(both->lines == a->lines + b->lines, "%s", what);
        check(both->took_lines == a->took_lines + b->took_lines &&
                  both->backward_stamp == a->backward_stamp + b->backward_stamp &&
                  both->backward_end == a->backward_end + b->backward_end &&
                  both->backward_far == a->backward_far + b->backward_far,
              "%s", what);
        for (size_t k = 0; k < 2; k++)
            check(both->keys_used[k] == (a->keys_used[k] | b->keys_used[k]), "%s", what);
        for (size_t k = 0; k < LK_COLUMNS_MAX; k++)
            check(both->columns[k].seen_good == a->columns[k].seen_good + b->columns[k].seen_good,
                  "%s", what);
        check(both->first_ns == (a->first_ns < b->first_ns ? a->first_ns : b->first_ns), "%s",
              what);
    }
    test_free(both);
}

TEST(layout_of_pieces_is_that_of_the_whole)
{
    for (size_t row = 0; row < ROWS(FILES); row++) {
        lines *l = lines_read(FILES[row].path);
        lk_layout whole;

        learn(l, &whole);
        for (size_t cut = 1; cut < l->count; cut++) {
            lk_sniffer *a = sniff(l, 0, cut), *b = sniff(l, cut, l->count);
            char what[100];

            (void)snprintf(what, sizeof(what), "%s cut at %zu", FILES[row].path, cut);
            check_pieces(a, b, &whole, what);
            test_free(b);
            test_free(a);
        }
        lines_free(l);
    }
}

TEST(layout_of_other_files_is_not_alike)
{
    lk_sniffer *s[ROWS(FILES)];

    for (size_t i = 0; i < ROWS(FILES); i++) {
        lines *l = lines_read(FILES[i].path);

        s[i] = sniff(l, 0, l->count);
        lines_free(l);
    }
    for (size_t i = 0; i < ROWS(FILES); i++)
        for (size_t k = 0; k < ROWS(FILES); k++)
            check(lk_sniffer_is_alike(s[i], s[k]) == (i == k), "%s and %s", FILES[i].path,
                  FILES[k].path);
    for (size_t i = 0; i < ROWS(FILES); i++)
        test_free(s[i]);
}

/* ---- what stamps denote ---- */

typedef struct request {
    int64_t start_ms, took_ms;
} request;

static int by_end(const void *pa, const void *pb)
{
    const request *a = pa, *b = pb;
    int64_t ends = (a->start_ms + a->took_ms) - (b->start_ms + b->took_ms);

    return ends < 0 ? -1 : ends > 0;
}

/* As a server writes them: in order of their ends. */
static request *simulate(size_t count, double mean_took_ms)
{
    request *r = test_malloc(count * sizeof(*r));
    lk_random random;
    double at = 0;

    lk_random_init(&random, 7);
    for (size_t i = 0; i < count; i++) {
        at += lk_random_exponential(&random, 100);
        r[i] = (request){ INT64_C(1752580800000) + (int64_t)at,
                          1 + (int64_t)lk_random_exponential(&random, mean_took_ms) };
    }
    qsort(r, count, sizeof(*r), by_end);
    return r;
}

typedef enum log_kind { JSON_MS, JSON_S, EXT_S, COMBINED } log_kind;

static void write_line(const request *r, lk_moment moment, log_kind kind, char *out, size_t size)
{
    int64_t ms = r->start_ms + (moment == LK_MOMENT_END ? r->took_ms : 0);
    char iso[40];

    lk_time_format(ms * LK_NS_PER_MS, iso);
    if (kind == JSON_S)
        strcpy(iso + 19, "Z");
    if (kind == JSON_MS || kind == JSON_S)
        (void)snprintf(out, size,
                       "{\"time\":\"%s\",\"ip\":\"h\",\"status\":200,\"request_time\":%d.%03d}",
                       iso, (int)(r->took_ms / 1000), (int)(r->took_ms % 1000));
    else if (kind == EXT_S)
        (void)snprintf(
            out, size,
            "h - - [15/Jul/2025:%.8s +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"a\" %d.%03d", iso + 11,
            (int)(r->took_ms / 1000), (int)(r->took_ms % 1000));
    else
        (void)snprintf(out, size,
                       "h - - [15/Jul/2025:%.8s +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"a\"",
                       iso + 11);
}

static lk_sniffer *sniff_simulated(const request *r, size_t count, lk_moment moment, log_kind kind)
{
    lk_sniffer *s = test_malloc(sizeof(*s));
    size_t parsed = 0;
    char line[200];

    lk_sniffer_init(s);
    for (size_t i = 0; i < count; i++) {
        write_line(&r[i], moment, kind, line, sizeof(line));
        lk_sniffer_line(s, lk_slice_from(line));
    }
    for (size_t i = 0; i < LK_FORMATS_MAX; i++)
        parsed += s->parsed[i];
    check(parsed == count, "all lines are read");
    return s;
}

/* Of the whole, and of two pieces together. */
static lk_moment moment_of(const request *r, size_t count, lk_moment moment, log_kind kind)
{
    lk_sniffer *whole = sniff_simulated(r, count, moment, kind);
    lk_sniffer *a = sniff_simulated(r, count / 3, moment, kind);
    lk_sniffer *b = sniff_simulated(r + count / 3, count - count / 3, moment, kind);
    lk_layout layout;

    lk_sniffer_decide(whole, &layout);
    check_pieces(a, b, &layout, "pieces");
    test_free(b);
    test_free(a);
    test_free(whole);
    return layout.moment;
}

/* "12:00:07.000Z" on every line is a log of whole seconds, in pieces too; one other digit and it is not,
 * and neither is one of few lines or one whose stamps print no digits of the second. */
TEST(layout_knows_whole_seconds_behind_printed_zeros)
{
    enum { LINES = 40 };
    static const struct {
        const char *digits;
        int lines, odd; /* the line that ends in ".250", -1 = none */
        bool want;
    } rows[] = {
        { ".000", LINES, -1, true }, { ".000", LINES, 31, false }, { ".000", 8, -1, false },
        { ".000000", LINES, -1, true }, { "", LINES, -1, false },
    };

    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        lk_sniffer *s = test_malloc(sizeof(*s)), *rest = test_malloc(sizeof(*rest));
        char line[200];

        lk_sniffer_init(s);
        lk_sniffer_init(rest);
        for (int i = 0; i < rows[k].lines; i++) {
            (void)snprintf(line, sizeof(line),
                           "{\"time\":\"2026-03-01T12:00:%02d%sZ\",\"remote_addr\":\"10.0.0.1\",\"method\":\"GET\","
                           "\"uri\":\"/a\",\"status\":\"200\"}",
                           i, i == rows[k].odd ? ".250" : rows[k].digits);
            lk_sniffer_line(i < rows[k].lines / 2 ? s : rest, lk_slice_from(line));
        }
        lk_sniffer_merge(s, rest);
        check(s->lines == (uint32_t)rows[k].lines, "row %zu: %u lines", k, s->lines);
        check(lk_sniffer_whole_seconds(s) == rows[k].want, "row %zu", k);
        test_free(rest);
        test_free(s);
    }
}

TEST(layout_finds_what_stamps_denote)
{
    request *r = simulate(REQUESTS, 400);

    for (int kind = JSON_MS; kind <= EXT_S; kind++) {
        check(moment_of(r, REQUESTS, LK_MOMENT_END, (log_kind)kind) == LK_MOMENT_END, "kind %d",
              kind);
        check(moment_of(r, REQUESTS, LK_MOMENT_START, (log_kind)kind) == LK_MOMENT_START, "kind %d",
              kind);
    }
    check(moment_of(r, REQUESTS, LK_MOMENT_END, COMBINED) == LK_MOMENT_UNKNOWN,
          "without durations nothing speaks for the end");
    check(moment_of(r, REQUESTS, LK_MOMENT_START, COMBINED) == LK_MOMENT_START,
          "but steps back speak for the start");
    test_free(r);
}

/* Two workers swap neighbours now and then, with stamps that differ by a whole second. */
TEST(layout_bears_a_few_swapped_lines)
{
    request *r = simulate(REQUESTS, 20);

    for (size_t i = 1; i < 5; i++) {
        int64_t second = r[i * 700].start_ms / 1000 * 1000;

        r[i * 700] = (request){ second + 1000, 20 };    /* ends just past a whole second */
        r[i * 700 + 1] = (request){ second + 930, 50 }; /* just before it, and took longer */
    }
    check(moment_of(r, REQUESTS, LK_MOMENT_END, JSON_S) == LK_MOMENT_END, "whole seconds");
    check(moment_of(r, REQUESTS, LK_MOMENT_END, JSON_MS) == LK_MOMENT_END, "milliseconds");
    test_free(r);
}

TEST(layout_of_shuffled_lines_has_no_moment)
{
    request *r = simulate(REQUESTS, 400);
    lk_random random;

    lk_random_init(&random, 3);
    for (size_t i = REQUESTS - 1; i > 0; i--) {
        size_t k = (size_t)(lk_random_u64(&random) % (i + 1));
        request swap = r[i];

        r[i] = r[k];
        r[k] = swap;
    }
    check(moment_of(r, REQUESTS, LK_MOMENT_START, COMBINED) == LK_MOMENT_UNKNOWN, "no order");
    for (size_t i = 0; i < 100; i++)
        r[i] = (request){ INT64_C(1752580800000) + (int64_t)i * 1000 - (i == 50 ? 9000 : 0), 1 };
    check(moment_of(r, 100, LK_MOMENT_END, COMBINED) == LK_MOMENT_UNKNOWN,
          "one step back may be a clock that was set");
    test_free(r);
}

/* ---- falling back ---- */

#define CLF "h - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"a\""
#define JSON "{\"time\":\"2025-07-15T12:00:00Z\",\"ip\":\"h\",\"status\":200}"

TEST(layout_falls_back_to_the_other_formats)
{
    static const char *const BOTH[2] = { CLF, JSON };

    for (size_t mostly = 0; mostly < 2; mostly++) {
        lk_sniffer *s = test_malloc(sizeof(*s));
        lk_parse_cache cache;
        lk_layout layout;
        lk_reject why;
        lk_fields f;

        lk_sniffer_init(s);
        for (size_t i = 0; i < 3; i++)
            lk_sniffer_line(s, lk_slice_from(BOTH[i < 2 ? mostly : 1 - mostly]));
        lk_sniffer_line(s, LK_SLICE("# a comment"));
        lk_sniffer_line(s, LK_SLICE(""));
        check(s->lines == 3, "%u", s->lines);
        check(s->first_ns == INT64_C(1752580800) * LK_NS_PER_S, "%lld", (long long)s->first_ns);
        lk_sniffer_decide(s, &layout);
        check(strcmp(layout.format->name, mostly == 0 ? "combined" : "json") == 0, "%s",
              layout.format->name);
        lk_parse_cache_init(&cache);
        for (size_t i = 0; i < 2; i++)
            check(lk_layout_parse(&layout, &cache, lk_slice_from(BOTH[i]), &f, &why) &&
                      f.status == 200,
                  "%s", BOTH[i]);
        check(!lk_layout_parse(&layout, &cache, LK_SLICE("{\"a\":"), &f, &why) &&
                  why == LK_REJECT_JSON,
              "%s", lk_reject_name(why));
        check(!lk_layout_parse(&layout, &cache, LK_SLICE("h - - [x] \"GET\" 1"), &f, &why) &&
                  why == LK_REJECT_TIMESTAMP,
              "%s", lk_reject_name(why));
        check(!lk_layout_parse(&layout, &cache, LK_SLICE("hello"), &f, &why) &&
                  why == LK_REJECT_UNRECOGNISED,
              "%s", lk_reject_name(why));
        test_free(s);
    }
}

TEST(layout_of_nothing_has_no_format)
{
    lk_sniffer *s = test_malloc(sizeof(*s));
    lk_layout layout;

    lk_sniffer_init(s);
    lk_sniffer_decide(s, &layout);
    check(!layout.format && s->first_ns == LK_TIME_NONE, "no line at all");
    lk_sniffer_line(s, LK_SLICE("hello"));
    lk_sniffer_decide(s, &layout);
    check(!layout.format, "no line that is one");
    check(!lk_sniffer_is_alike(s, s), "unrecognised files are not pooled");
    test_free(s);
}

TEST(layout_rows_have_names_and_reasons_have_texts)
{
    size_t count = 0;

    for (; LK_FORMATS[count]; count++) {
        check(LK_FORMATS[count]->name[0] != '\0' && LK_FORMATS[count]->help[0] != '\0' &&
                  LK_FORMATS[count]->parse && LK_FORMATS[count]->observe,
              "row %zu", count);
        for (size_t i = 0; i < count; i++)
            check(strcmp(LK_FORMATS[i]->name, LK_FORMATS[count]->name) != 0, "'%s' twice",
                  LK_FORMATS[i]->name);
    }
    check(count > 0 && count <= LK_FORMATS_MAX, "%zu rows", count);
    check(strcmp(lk_reject_name(LK_REJECT_NONE), "") == 0, "none");
    check(strcmp(lk_reject_name(LK_REJECT_TIMESTAMP), "bad-timestamp") == 0, "a reason");
    check(strcmp(lk_reject_name(LK_REJECT_COUNT), "") == 0, "past the last");
}

TESTS(T(layout_reads_real_lines), T(layout_reads_the_same_from_two_formats),
      T(layout_of_pieces_is_that_of_the_whole), T(layout_of_other_files_is_not_alike),
      T(layout_knows_whole_seconds_behind_printed_zeros),
      T(layout_finds_what_stamps_denote), T(layout_bears_a_few_swapped_lines),
      T(layout_of_shuffled_lines_has_no_moment), T(layout_falls_back_to_the_other_formats),
      T(layout_of_nothing_has_no_format), T(layout_rows_have_names_and_reasons_have_texts))
