/* One run as an access log: what ends first is written first, as servers do. */
#include "lockstep/simulate.h"

#include "api/simulation.h"
#include "api/tell.h"
#include "input/gzip_writer.h"
#include "sim/log_line.h"

#include <stdlib.h>

enum { FLUSH_AT = 1 << 16 };

/* Requests and calls in order of their ends, equal ones in order of their starts. */
typedef struct record {
    lk_sat_attempt *attempts;
    lk_sat_call *calls;
    size_t attempt_count, attempt_capacity, call_count, call_capacity;
    bool failed;
} record;

static bool grow(void **items, size_t *capacity, size_t size)
{
    size_t count = *capacity ? 2 * *capacity : 1024;
    void *more = count > SIZE_MAX / size ? NULL : realloc(*items, count * size);

    if (!more)
        return false;
    *items = more;
    *capacity = count;
    return true;
}

static void note_attempt(void *context, const lk_sat_attempt *a)
{
    record *r = context;
    void *items = r->attempts;

    if (r->failed || (r->attempt_count == r->attempt_capacity &&
                      !grow(&items, &r->attempt_capacity, sizeof(*a)))) {
        r->failed = true;
        return;
    }
    r->attempts = items;
    r->attempts[r->attempt_count++] = *a;
}

static void note_call(void *context, const lk_sat_call *c)
{
    record *r = context;
    void *items = r->calls;

    if (r->failed ||
        (r->call_count == r->call_capacity && !grow(&items, &r->call_capacity, sizeof(*c)))) {
        r->failed = true;
        return;
    }
    r->calls = items;
    r->calls[r->call_count++] = *c;
}

static int by_end(const void *a, const void *b)
{
    const lk_sat_attempt *x = a, *y = b;

    if (x->end_s != y->end_s)
        return x->end_s < y->end_s ? -1 : 1;
    if (x->start_s != y->start_s)
        return x->start_s < y->start_s ? -1 : 1;
    if (x->call != y->call)
        return x->call < y->call ? -1 : 1;
    return x->attempt_no < y->attempt_no ? -1 : x->attempt_no > y->attempt_no;
}

static lk_code flush(lk_gzip_writer *w, lk_buf *text, size_t at_least, lk_err *e)
{
    if (text->failed)
        return lk_fail(e, LK_EOOM, "no memory for lines");
    if (text->len < at_least)
        return LK_OK;
    LK_TRY(lk_gzip_writer_add(w, text->p, text->len, e));
    text->len = 0;
    return LK_OK;
}

/* Line i of one of the two files. */
typedef struct lines {
    const record *r;
    const lk_log_writer *writer; /* NULL: the callers' record */
    const lk_log_style *style;
} lines;

static void put_line(const lines *l, size_t i, lk_buf *text)
{
    if (l->writer)
        l->writer->line(&l->r->attempts[i], l->style, text);
    else
        lk_log_sdk_line(&l->r->calls[i], l->style, text);
}

static lk_code write_lines(lk_gzip_writer *w, const lines *l, size_t count, lk_err *e)
{
    lk_code code = LK_OK;
    lk_buf text;

    lk_buf_init(&text);
    for (size_t i = 0; i < count && code == LK_OK; i++) {
        put_line(l, i, &text);
        code = flush(w, &text, FLUSH_AT, e);
    }
    if (code == LK_OK)
        code = flush(w, &text, 1, e);
    lk_buf_release(&text);
    return code;
}

static lk_code write_file(const char *path, const lines *l, size_t count, lk_err *e)
{
    lk_gzip_writer w;

    LK_TRY(lk_gzip_writer_open(path, &w, e));
    if (write_lines(&w, l, count, e) != LK_OK) {
        lk_gzip_writer_abandon(&w);
        return e->code;
    }
    return lk_gzip_writer_close(&w, e);
}

static lk_code write_both(record *r, const lockstep_log *log, const lk_log_writer *writer,
                          uint64_t seed, lk_err *e)
{
    const lk_log_style style = { !log->no_ids, log->whole_seconds, seed };

    if (r->failed)
        return lk_fail(e, LK_EOOM, "no memory for the requests of a run");
    if (r->attempt_count)
        qsort(r->attempts, r->attempt_count, sizeof(*r->attempts), by_end);
    if (log->path)
        LK_TRY(write_file(log->path, &(lines){ r, writer, &style }, r->attempt_count, e));
    if (log->sdk_path)
        LK_TRY(write_file(log->sdk_path, &(lines){ r, NULL, &style }, r->call_count, e));
    return LK_OK;
}

static lk_code emit(const lockstep_simulation *s, const lockstep_log *log, uint64_t seed, lk_err *e)
{
    const lk_log_writer *writer = log->format ? lk_log_writer_find(log->format) : &LK_LOG_WRITERS[0];
    record r = { 0 };
    const lk_sat_observer observer = { &r, note_attempt, note_call };
    lk_code code;

    if (!writer)
        return lk_fail(e, LK_EUSAGE, "--log-format: no writer for '%s'; 'lockstep help simulate' lists them",
                       log->format);
    if (!s->model || !s->model->watch)
        return lk_fail(e, LK_EUSAGE, "%s has no server whose log could be written",
                       s->model ? s->model->name : "a study");
    code = s->model->watch(s->settings, seed, &observer, e);
    if (code == LK_OK)
        code = write_both(&r, log, writer, seed, e);
    free(r.attempts);
    free(r.calls);
    return code;
}

int lockstep_simulation_log(const lockstep_simulation *s, const lockstep_log *log, uint64_t seed,
                            lockstep_error *error)
{
    lk_err e = { 0 };

    return emit(s, log, seed, &e) == LK_OK ? 0 : lk_tell(&e, error);
}

const char *lockstep_log_writer_name(size_t i)
{
    size_t count = 0;

    while (LK_LOG_WRITERS[count].name)
        count++;
    return i < count ? LK_LOG_WRITERS[i].name : NULL;
}

const char *lockstep_log_writer_help(size_t i)
{
    return lockstep_log_writer_name(i) ? LK_LOG_WRITERS[i].help : NULL;
}
