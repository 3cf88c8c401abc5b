#include "api/repeats.h"
#include "input/chunks.h"

#include <stdlib.h>
#include <string.h>

/* One of two files that are read side by side. */
typedef struct side {
    lk_chunks chunks;
    lk_slice rest;
    lk_step end; /* ITEM while there is more */
    lk_err why;
} side;

typedef struct outcome {
    bool has_ended[2], has_failed[2];
    uint64_t lines; /* that both begin with */
} outcome;

static void refill(side *s)
{
    if (s->rest.len == 0 && s->end == LK_STEP_ITEM)
        s->end = lk_chunks_next(&s->chunks, &s->rest, &s->why);
    if (s->end != LK_STEP_ITEM)
        s->rest = LK_SLICE_NONE;
}

static uint64_t newlines(lk_slice s)
{
    uint64_t n = 0;

    for (size_t i = 0; i < s.len; i++)
        n += s.p[i] == '\n';
    return n;
}

/* Until they differ or one ends.  A half line at the end counts as one. */
static void run_along(side *a, side *b, outcome *out)
{
    bool is_inside = false;

    for (;;) {
        size_t len;

        refill(a);
        refill(b);
        if (a->end != LK_STEP_ITEM || b->end != LK_STEP_ITEM)
            break;
        len = a->rest.len < b->rest.len ? a->rest.len : b->rest.len;
        if (memcmp(a->rest.p, b->rest.p, len) != 0)
            return;
        out->lines += newlines((lk_slice){ a->rest.p, len });
        is_inside = a->rest.p[len - 1] != '\n';
        a->rest = lk_slice_skip(a->rest, len);
        b->rest = lk_slice_skip(b->rest, len);
    }
    out->lines += is_inside;
    out->has_ended[0] = a->end != LK_STEP_ITEM;
    out->has_ended[1] = b->end != LK_STEP_ITEM;
    out->has_failed[0] = a->end == LK_STEP_FAIL;
    out->has_failed[1] = b->end == LK_STEP_FAIL;
}

/* A file that cannot be opened is none of these: the reader meets that again, and tells. */
static outcome compare(lk_logfile *a, lk_logfile *b, side pair[2])
{
    lk_logfile *const files[] = { a, b };
    outcome out = { .lines = 0 };
    size_t opened = 0;
    lk_err e = { 0 };

    for (; opened < 2; opened++) {
        side *s = &pair[opened];

        if (lk_chunks_open(&s->chunks, files[opened]->path, &e) != LK_OK)
            break;
        s->rest = LK_SLICE_NONE;
        s->end = LK_STEP_ITEM;
        s->why = (lk_err){ 0 };
    }
    if (opened == 2)
        run_along(&pair[0], &pair[1], &out);
    for (size_t i = 0; i < opened; i++) {
        if (out.has_ended[i])
            files[i]->stats.bytes = pair[i].chunks.in.total;
        if (out.has_ended[i])
            files[i]->stats.bytes_out = pair[i].chunks.bytes_out;
        lk_chunks_close(&pair[i].chunks);
    }
    return out;
}

static bool is_same_file(const lk_logfile *a, const lk_logfile *b)
{
    return a->id.device == b->id.device && a->id.number == b->id.number;
}

static bool may_repeat(const lk_logfile *a, const lk_logfile *b)
{
    const size_t len = a->head.len < b->head.len ? a->head.len : b->head.len;

    return len > 0 && memcmp(a->head.p, b->head.p, len) == 0;
}

static void mark(lk_logfile *f, lk_logfile *of, lk_repeat_kind kind, uint64_t lines,
                 const lk_err *why)
{
    f->repeats = of;
    f->repeat_kind = kind;
    f->repeat_lines = lines;
    if (why)
        f->trouble = *why;
}

/* Marks one of the two if it repeats the other.  `first` comes before `second`. */
static void judge(lk_logfile *first, lk_logfile *second, side pair[2])
{
    outcome out;
    bool is_equal;

    if (is_same_file(first, second)) {
        mark(second, first, LK_REPEAT_FILE, 0, NULL);
        return;
    }
    if (!may_repeat(first, second))
        return;
    out = compare(first, second, pair);
    is_equal = out.has_ended[0] && out.has_ended[1];
    if (out.lines == 0 || (!out.has_ended[0] && !out.has_ended[1]))
        return;
    if (out.has_ended[1] && !(is_equal && out.has_failed[0] && !out.has_failed[1]))
        mark(second, first, is_equal ? LK_REPEAT_ALL : LK_REPEAT_START, out.lines,
             out.has_failed[1] ? &pair[1].why : NULL);
    else
        mark(first, second, is_equal ? LK_REPEAT_ALL : LK_REPEAT_START, out.lines,
             out.has_failed[0] ? &pair[0].why : NULL);
}

static void look_back(lk_logfile **files, size_t i, side pair[2])
{
    for (size_t k = 0; k < i && !files[i]->repeats; k++)
        if (files[k]->is_regular && !files[k]->repeats)
            judge(files[k], files[i], pair);
}

lk_code lk_repeats_find(lk_logfile **files, size_t count, lk_err *e)
{
    side *pair = malloc(2 * sizeof(*pair));

    if (!pair)
        return lk_fail(e, LK_EOOM, "no memory to compare files");
    for (size_t i = 0; i < count; i++)
        if (files[i]->is_regular)
            look_back(files, i, pair);
    free(pair);
    for (size_t i = 0; i < count; i++)
        while (files[i]->repeats && files[i]->repeats->repeats)
            files[i]->repeats = files[i]->repeats->repeats;
    return LK_OK;
}
