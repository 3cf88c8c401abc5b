/* format_lines — rows of lines with what they say, and sample files, for the tests of log formats. */
#ifndef LK_TESTS_FORMAT_LINES_H
#define LK_TESTS_FORMAT_LINES_H

#include "base/time.h"
#include "format/layout.h"
#include "unit.h"

/* NULL = the line has none. */
typedef struct line_row {
    const char *line, *at; /* at: as lk_time_format writes it */
    int64_t took_ms;       /* -1 = not logged */
    const char *caller, *method, *target;
    unsigned status;
    const char *agent, *host;
    bool gave_up;
} line_row;

typedef struct reject_row {
    const char *line;
    lk_reject why;
} reject_row;

enum { SAMPLE_LINE_MAX = 20000 };

__attribute__((unused)) static bool is_text(lk_slice s, const char *want)
{
    return want ? s.p && lk_slice_is(s, want) : s.len == 0;
}

/* A line by itself, of a file that nothing is known of. */
__attribute__((unused)) static bool parse_alone(lk_parse_cache *c, const char *line, lk_fields *out,
                                                lk_reject *why)
{
    lk_layout layout;

    lk_layout_init(&layout);
    lk_parse_cache_init(c);
    return lk_layout_parse(&layout, c, lk_slice_from(line), out, why);
}

__attribute__((unused)) static void check_row(size_t i, const line_row *row, lk_moment moment,
                                              bool zoneless)
{
    lk_parse_cache cache;
    lk_reject why = LK_REJECT_NONE;
    lk_fields f;
    char at[40];

    check(parse_alone(&cache, row->line, &f, &why), "row %zu: %s", i, lk_reject_name(why));
    lk_time_format(f.stamp_ns, at);
    check(strcmp(at, row->at) == 0, "row %zu: at %s", i, at);
    check(f.took_ns == (row->took_ms < 0 ? -1 : row->took_ms * LK_NS_PER_MS), "row %zu: took %lld",
          i, (long long)f.took_ns);
    check(is_text(f.caller, row->caller), "row %zu: '%.*s'", i, (int)f.caller.len, f.caller.p);
    check(is_text(f.method, row->method), "row %zu: '%.*s'", i, (int)f.method.len, f.method.p);
    check(is_text(f.target, row->target), "row %zu: '%.*s'", i, (int)f.target.len, f.target.p);
    check(is_text(f.agent, row->agent), "row %zu: '%.*s'", i, (int)f.agent.len, f.agent.p);
    check(is_text(f.host, row->host), "row %zu: '%.*s'", i, (int)f.host.len, f.host.p);
    check(f.status == row->status, "row %zu: status %u", i, f.status);
    check(f.gave_up == row->gave_up, "row %zu", i);
    check(f.moment == moment && f.zoneless == zoneless, "row %zu: moment %d", i, (int)f.moment);
}

__attribute__((unused)) static void check_rejects(const reject_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        lk_parse_cache cache;
        lk_reject why = LK_REJECT_NONE;
        lk_fields f;

        check(!parse_alone(&cache, rows[i].line, &f, &why), "row %zu: '%s'", i, rows[i].line);
        check(why == rows[i].why, "row %zu: '%s' instead of '%s'", i, lk_reject_name(why),
              lk_reject_name(rows[i].why));
    }
}

/* Every cut of a line is read or refused with a reason, and never past its end. */
__attribute__((unused)) static void check_cuts(const char *line)
{
    for (size_t len = 1; len <= strlen(line); len++) {
        char *copy = test_malloc(len);
        lk_parse_cache cache;
        lk_layout layout;
        lk_reject why = LK_REJECT_NONE;
        lk_fields f;

        memcpy(copy, line, len);
        lk_layout_init(&layout);
        lk_parse_cache_init(&cache);
        if (!lk_layout_parse(&layout, &cache, (lk_slice){ copy, len }, &f, &why))
            check(why != LK_REJECT_NONE, "len %zu", len);
        test_free(copy);
    }
}

/* ---- sample files ---- */

typedef struct sample {
    FILE *file;
    lk_layout layout;
    lk_parse_cache cache;
    char line[SAMPLE_LINE_MAX];
    size_t len; /* NUL bytes counted */
} sample;

__attribute__((unused)) static bool sample_line(sample *s)
{
    int c = EOF;

    s->len = 0;
    while (s->len + 1 < sizeof(s->line) && (c = getc(s->file)) != EOF && c != '\n')
        s->line[s->len++] = (char)c;
    s->line[s->len] = '\0';
    return c != EOF || s->len > 0;
}

__attribute__((unused)) static lk_slice sample_text(const sample *s)
{
    return (lk_slice){ s->line, s->len };
}

/* Opens a file of testdata/format and learns its layout from all of its lines. */
__attribute__((unused)) static sample *sample_open(const char *name)
{
    sample *s = test_malloc(sizeof(*s));
    lk_sniffer *sniffer = test_malloc(sizeof(*sniffer));
    char path[200];

    (void)snprintf(path, sizeof(path), "testdata/format/%s", name);
    s->file = fopen(path, "r");
    check(s->file, "cannot open %s", path);
    lk_sniffer_init(sniffer);
    while (sample_line(s))
        lk_sniffer_line(sniffer, sample_text(s));
    lk_sniffer_decide(sniffer, &s->layout);
    test_free(sniffer);
    lk_parse_cache_init(&s->cache);
    rewind(s->file);
    return s;
}

__attribute__((unused)) static void sample_close(sample *s)
{
    (void)fclose(s->file);
    test_free(s);
}

typedef struct sample_counts {
    size_t lines, parsed, gave_up, tries, hidden, ids, waits; /* waits: with Retry-After */
    size_t status[LK_STATUS_UNKNOWN + 1];
} sample_counts;

__attribute__((unused)) static void count_fields(sample_counts *n, const lk_fields *f)
{
    n->parsed++;
    n->gave_up += f->gave_up;
    n->tries += f->try_count;
    n->hidden += f->try_count > 0 ? f->try_count - 1 : 0;
    n->ids += f->id[0].p != NULL;
    n->waits += f->retry_after_ns >= 0;
    n->status[f->status]++;
}

/* Reads a whole file by its layout. */
__attribute__((unused)) static sample_counts count_sample(const char *name, const char *format)
{
    sample_counts n = { .lines = 0 };
    sample *s = sample_open(name);
    lk_reject why;
    lk_fields f;

    check(s->layout.format && strcmp(s->layout.format->name, format) == 0, "%s: %s", name,
          s->layout.format ? s->layout.format->name : "no format");
    while (sample_line(s)) {
        n.lines++;
        if (lk_layout_parse(&s->layout, &s->cache, sample_text(s), &f, &why))
            count_fields(&n, &f);
    }
    sample_close(s);
    return n;
}

#endif
