/* format_rows — lines of a log format and the fields that each must give. */
#ifndef LK_TESTS_FORMAT_ROWS_H
#define LK_TESTS_FORMAT_ROWS_H

#include "unit.h"

#include "base/time.h"
#include "format/layout.h"
#include "format/rows.h"

#define US INT64_C(1000)

typedef struct format_row {
    const char *line;          /* NULL = the next one of the file */
    int64_t stamp_us, took_us; /* took -1 = not logged */
    unsigned status;
    const char *caller, *method, *target, *agent, *host, *id; /* NULL = none */
    bool gave_up;
} format_row;

typedef struct reject_row {
    const char *line;
    lk_reject why;
} reject_row;

static inline bool is_text(lk_slice s, const char *want)
{
    return want ? s.p && lk_slice_is(s, want) : s.len == 0;
}

static inline void check_text(lk_slice s, const char *want, size_t i)
{
    check(is_text(s, want), "row %zu: '%.*s' instead of '%s'", i, (int)s.len, s.p ? s.p : "",
          want ? want : "");
}

static inline void check_row(const format_row *row, lk_moment moment, const lk_fields *f, size_t i)
{
    int64_t took_ns = row->took_us < 0 ? -1 : row->took_us * US;

    check(f->stamp_ns == row->stamp_us * US, "row %zu: stamp %lld", i, (long long)f->stamp_ns);
    check(f->moment == moment, "row %zu: moment %d", i, (int)f->moment);
    check(f->took_ns == took_ns, "row %zu: took %lld", i, (long long)f->took_ns);
    check(f->status == row->status, "row %zu: status %u", i, f->status);
    check(f->gave_up == row->gave_up, "row %zu: gave up", i);
    check(f->retry_after_ns == -1 && f->attempt_no == 0 && f->try_count == 0 && !f->zoneless,
          "row %zu: what is not logged", i);
    check_text(f->caller, row->caller, i);
    check_text(f->method, row->method, i);
    check_text(f->target, row->target, i);
    check_text(f->agent, row->agent, i);
    check_text(f->host, row->host, i);
    check_text(f->id[0], row->id, i);
}

/* As for a file of this format, of which nothing was seen yet. */
static inline void layout_of(const lk_format *format, lk_layout *out)
{
    lk_sniffer *s = test_malloc(sizeof(*s));

    lk_sniffer_init(s);
    lk_layout_init(out);
    out->format = format;
    if (format->decide)
        format->decide(s, out);
    test_free(s);
}

static inline void check_rows(const lk_format *format, lk_moment moment, const format_row *rows,
                              size_t count)
{
    lk_layout layout;
    lk_parse_cache cache;

    layout_of(format, &layout);
    check(layout.moment == moment, "%s: moment", format->name);
    lk_parse_cache_init(&cache);
    for (size_t i = 0; i < count; i++) {
        lk_reject why = LK_REJECT_NONE;
        lk_fields f;

        check(lk_layout_parse(&layout, &cache, lk_slice_from(rows[i].line), &f, &why),
              "row %zu: %s: %s", i, lk_reject_name(why), rows[i].line);
        check_row(&rows[i], moment, &f, i);
    }
}

static inline void check_rejects(const lk_format *format, const reject_row *rows, size_t count)
{
    lk_layout layout;
    lk_parse_cache cache;

    layout_of(format, &layout);
    lk_parse_cache_init(&cache);
    for (size_t i = 0; i < count; i++) {
        lk_reject why = LK_REJECT_COUNT;
        lk_fields f;

        check(!lk_layout_parse(&layout, &cache, lk_slice_from(rows[i].line), &f, &why),
              "row %zu: '%s'", i, rows[i].line);
        if (why != LK_REJECT_NONE) /* what this format has to say, not the next one */
            check(!format->parse(&layout, &cache, lk_slice_from(rows[i].line), &f, &why), "row %zu",
                  i);
        check(why == rows[i].why, "row %zu: '%s' instead of '%s': %s", i, lk_reject_name(why),
              lk_reject_name(rows[i].why), rows[i].line);
    }
}

/* ---- files ---- */

typedef struct format_file {
    char text[1 << 16];
    lk_slice lines[64];
    size_t count;
} format_file;

static inline format_file *file_read(const char *path)
{
    format_file *file = test_malloc(sizeof(*file));
    FILE *f = fopen(path, "rb");
    size_t n;

    check(f, "cannot open '%s' (run from the top of the tree)", path);
    n = fread(file->text, 1, sizeof(file->text) - 1, f);
    (void)fclose(f);
    file->text[n] = '\0';
    file->count = 0;
    for (char *p = file->text, *end; (end = strchr(p, '\n')); p = end + 1) {
        check(file->count < ROWS(file->lines), "%s has too many lines", path);
        file->lines[file->count++] = (lk_slice){ p, (size_t)(end - p) };
    }
    return file;
}

static inline lk_sniffer *file_sniff(const format_file *file, size_t from, size_t to)
{
    lk_sniffer *s = test_malloc(sizeof(*s));

    lk_sniffer_init(s);
    for (size_t i = from; i < to; i++)
        lk_sniffer_line(s, file->lines[i]);
    return s;
}

static inline void file_learn(const format_file *file, size_t from, size_t to, lk_layout *out)
{
    lk_sniffer *s = file_sniff(file, from, to);

    lk_sniffer_decide(s, out);
    test_free(s);
}

/* Lines from..to are read by the layout and give the rows; gives how many are ignored and how many
 * rejected, all for the same reason. */
static inline void check_lines(const format_file *file, size_t from, size_t to,
                               const lk_layout *layout, const format_row *rows, size_t count,
                               size_t ignored, size_t rejected, lk_reject reason)
{
    size_t parsed = 0, no_lines = 0, bad = 0;
    lk_parse_cache cache;

    lk_parse_cache_init(&cache);
    for (size_t i = from; i < to; i++) {
        lk_reject why = LK_REJECT_NONE;
        lk_fields f;

        if (lk_layout_parse(layout, &cache, file->lines[i], &f, &why)) {
            check(parsed < count, "line %zu is one too many", i + 1);
            check_row(&rows[parsed++], layout->moment, &f, i);
            continue;
        }
        check(why == LK_REJECT_NONE || why == reason, "line %zu: %s", i + 1, lk_reject_name(why));
        no_lines += why == LK_REJECT_NONE;
        bad += why != LK_REJECT_NONE;
    }
    check(parsed == count && no_lines == ignored && bad == rejected, "%zu, %zu ignored, %zu bad",
          parsed, no_lines, bad);
}

/* The file is recognised as of the format, and its lines give the rows. */
static inline void check_file(const char *path, const lk_format *format, lk_moment moment,
                              const format_row *rows, size_t count, size_t ignored, size_t rejected,
                              lk_reject reason)
{
    format_file *file = file_read(path);
    lk_layout layout;

    file_learn(file, 0, file->count, &layout);
    check(layout.format == format, "%s is %s", path, layout.format ? layout.format->name : "?");
    check(layout.moment == moment, "%s: moment", path);
    check_lines(file, 0, file->count, &layout, rows, count, ignored, rejected, reason);
    test_free(file);
}

/* Every cut of a line is read or rejected for a reason, and never past its end. */
static inline void check_cuts(const lk_format *format, const char *line, unsigned status)
{
    lk_layout layout;
    lk_parse_cache cache;

    layout_of(format, &layout);
    lk_parse_cache_init(&cache);
    for (size_t len = 1; len <= strlen(line); len++) {
        char *copy = test_malloc(len); /* as long as the line: a read past it is seen */
        lk_reject why = LK_REJECT_NONE;
        lk_fields f;

        memcpy(copy, line, len);
        if (lk_layout_parse(&layout, &cache, (lk_slice){ copy, len }, &f, &why))
            check(f.status == status, "len %zu", len);
        else
            check(why == LK_REJECT_CUT || why == LK_REJECT_UNRECOGNISED ||
                      (why == LK_REJECT_STATUS || why == LK_REJECT_TIMESTAMP),
                  "len %zu: %s", len, lk_reject_name(why));
        test_free(copy);
    }
}

/* A line of a megabyte of each filling: milliseconds, or this test takes hours. */
static inline void check_long_lines(const lk_format *format, const char *head)
{
    static const char *const FILLS[] = {
        "\"", "\" ", "\\", " ", "- ", "\t", "a:1 ", "+", "%20", "1"
    };
    size_t size = 1 << 20, at = strlen(head);
    char *line = test_malloc(size);
    lk_layout layout;
    lk_parse_cache cache;

    layout_of(format, &layout);
    lk_parse_cache_init(&cache);
    memcpy(line, head, at);
    for (size_t i = 0; i < ROWS(FILLS); i++) {
        size_t len = strlen(FILLS[i]), n = at;
        lk_reject why;
        lk_fields f;

        for (; n + len <= size; n += len)
            memcpy(line + n, FILLS[i], len);
        (void)lk_layout_parse(&layout, &cache, (lk_slice){ line, n }, &f, &why);
    }
    test_free(line);
}

#endif
