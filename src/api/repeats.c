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
static outcome compare(const char *const paths[2], side pair[2])
{
    outcome out = { .lines = 0 };
    size_t opened = 0;
    lk_err e = { 0 };

    for (; opened < 2; opened++) {
        side *s = &pair[opened];

        if (lk_chunks_open(&s->chunks, paths[opened], &e) != LK_OK)
            break;
        s->rest = LK_SLICE_NONE;
        s->end = LK_STEP_ITEM;
        s->why = (lk_err){ 0 };
    }
    if (opened == 2)
        run_along(&pair[0], &pair[1], &out);
    for (size_t i = 0; i < opened; i++)
        lk_chunks_close(&pair[i].chunks);
    return out;
}

/* What goes on while repeats are searched for. */
typedef struct search {
    lk_queue *q;
    side *pair;    /* [2] */
    uint32_t *of;  /* [count] the file that counts in place of this one; NONE */
    uint32_t *same; /* [same_count] of those that begin alike, the ones that count */
    size_t same_count;
} search;

#define NONE UINT32_MAX

static bool is_same_file(const lk_waiting *a, const lk_waiting *b)
{
    return a->id.device == b->id.device && a->id.number == b->id.number;
}

static bool is_short(const lk_waiting *w)
{
    return w->start.len < LK_HEAD_MAX;
}

/* Of two that begin alike: may one be the start of the other, by the rest of what is known of them? */
static bool may_repeat(const lk_waiting *a, const lk_waiting *b)
{
    if (a->start.len == 0 || b->start.len == 0)
        return false;
    if (a->start.more && b->start.more && a->start.more != b->start.more)
        return false;
    return a->start.len != b->start.len || a->start.head == b->start.head;
}

static lk_code mark(search *s, uint32_t one, uint32_t of, const lk_repeat *what, const lk_err *why,
                    lk_err *e)
{
    lk_arena *arena = s->q->arena;
    lk_repeat *r = LK_NEW(arena, lk_repeat, 1);
    lk_err *copy = why ? LK_NEW(arena, lk_err, 1) : NULL;

    if (!r || (why && !copy))
        return lk_fail(e, LK_EOOM, "no memory for files that repeat others");
    *r = *what;
    if (copy)
        *copy = *why;
    r->why = copy;
    s->q->items[one].repeat = r;
    s->of[one] = of;
    return LK_OK;
}

static lk_code judge_read(search *s, uint32_t first, uint32_t second, lk_err *e)
{
    const lk_waiting *items = s->q->items;
    const char *const paths[2] = { items[first].path, items[second].path };
    const outcome out = compare(paths, s->pair);
    const bool is_equal = out.has_ended[0] && out.has_ended[1];
    size_t i; /* of the two, the one that repeats */

    s->q->compared++;
    if (out.lines == 0 || (!out.has_ended[0] && !out.has_ended[1]))
        return LK_OK;
    i = out.has_ended[1] && !(is_equal && out.has_failed[0] && !out.has_failed[1]);
    return mark(s, i ? second : first, i ? first : second,
                &(lk_repeat){ .kind = is_equal ? LK_REPEAT_ALL : LK_REPEAT_START,
                              .lines = out.lines,
                              .bytes = s->pair[i].chunks.in.total,
                              .bytes_out = s->pair[i].chunks.bytes_out },
                out.has_failed[i] ? &s->pair[i].why : NULL, e);
}

/* Marks one of the two if it repeats the other.  *first comes before *second. */
static lk_code judge(search *s, uint32_t a, uint32_t b, lk_err *e)
{
    const uint32_t first = a < b ? a : b, second = a < b ? b : a;
    const lk_waiting *items = s->q->items;

    if (is_same_file(&items[first], &items[second]))
        return mark(s, second, first, &(lk_repeat){ .kind = LK_REPEAT_FILE }, NULL, e);
    return may_repeat(&items[first], &items[second]) ? judge_read(s, first, second, e) : LK_OK;
}

/* Those that were found to repeat it, which are among the last, go; it joins them unless it repeats one itself. */
static void keep(search *s, uint32_t i)
{
    size_t kept = s->same_count > LK_REPEATS_TRIED ? s->same_count - LK_REPEATS_TRIED : 0;

    for (size_t k = kept; k < s->same_count; k++)
        if (s->of[s->same[k]] == NONE)
            s->same[kept++] = s->same[k];
    s->same_count = kept;
    if (s->of[i] == NONE)
        s->same[s->same_count++] = i;
}

/* It, and the last of those that begin alike; the others are told apart by their first bytes, or not at all. */
static lk_code look_back(search *s, uint32_t i, lk_err *e)
{
    const size_t least = s->same_count > LK_REPEATS_TRIED ? s->same_count - LK_REPEATS_TRIED : 0;
    const lk_waiting *w = &s->q->items[i];
    bool found = false;

    for (size_t k = s->same_count; k > least && s->of[i] == NONE; k--) {
        LK_TRY(judge(s, s->same[k - 1], i, e));
        found = found || s->of[s->same[k - 1]] != NONE;
    }
    if (s->of[i] == NONE && least > 0 && may_repeat(&s->q->items[s->same[least - 1]], w))
        s->q->untried++;
    if (found || s->of[i] != NONE)
        keep(s, i);
    else
        s->same[s->same_count++] = i;
    return LK_OK;
}

/* ---- orders ---- */

/* Sorted are pointers: a row of keys a file, and the room that a sort takes for as many, is more than all else
 * that a file takes while it waits.  The items stand in their order: of two the earlier has the lower address. */
static int in_place(const lk_waiting *a, const lk_waiting *b)
{
    return a < b ? -1 : a > b;
}

static int by_start(const void *pa, const void *pb)
{
    const lk_waiting *a = *(const lk_waiting *const *)pa, *b = *(const lk_waiting *const *)pb;

    if (a->start.data != b->start.data)
        return a->start.data < b->start.data ? -1 : 1;
    if (a->start.more != b->start.more)
        return a->start.more < b->start.more ? -1 : 1;
    if (a->start.head != b->start.head)
        return a->start.head < b->start.head ? -1 : 1;
    return in_place(a, b);
}

/* Those that begin with the same lines stand beside each other, those with the same bytes next to each other. */
static lk_code find_alike(search *s, const lk_waiting **rows, lk_err *e)
{
    const lk_waiting *items = s->q->items;
    size_t n = 0;

    for (size_t i = 0; i < s->q->count; i++)
        if (items[i].is_regular)
            rows[n++] = &items[i];
    if (n)
        qsort(rows, n, sizeof(*rows), by_start);
    for (size_t k = 0; k < n; k++) {
        if (k == 0 || rows[k]->start.data != rows[k - 1]->start.data)
            s->same_count = 0;
        LK_TRY(look_back(s, (uint32_t)(rows[k] - items), e));
    }
    return LK_OK;
}

static bool is_headless(const lk_waiting *w)
{
    return w->start.len > 0 && is_short(w) && !w->start.has_data;
}

static int by_first_line(const void *pa, const void *pb)
{
    const lk_waiting *a = *(const lk_waiting *const *)pa, *b = *(const lk_waiting *const *)pb;

    if (a->start.line != b->start.line)
        return a->start.line < b->start.line ? -1 : 1;
    if (is_headless(a) != is_headless(b))
        return is_headless(a) ? 1 : -1;
    return in_place(a, b);
}

/* A file of nothing but the comments that logs begin with may be the start of one that has more. */
static lk_code find_for_headless(search *s, const lk_waiting **rows, lk_err *e)
{
    const lk_waiting *items = s->q->items;
    size_t n = 0;

    for (size_t i = 0; i < s->q->count; i++)
        if (items[i].is_regular && s->of[i] == NONE && items[i].start.len)
            rows[n++] = &items[i];
    if (n)
        qsort(rows, n, sizeof(*rows), by_first_line);
    for (size_t k = 0, from = 0; k < n; k++) {
        const uint32_t one = (uint32_t)(rows[k] - items);

        if (k && rows[k]->start.line != rows[k - 1]->start.line)
            from = k;
        for (size_t t = from; is_headless(rows[k]) && t < k && t < from + LK_REPEATS_TRIED; t++) {
            const uint32_t other = (uint32_t)(rows[t] - items);

            if (s->of[one] == NONE && s->of[other] == NONE)
                LK_TRY(judge(s, other, one, e));
        }
    }
    return LK_OK;
}

/* What is repeated counts, not what repeats it. */
static void name_them(const search *s)
{
    lk_waiting *items = s->q->items;

    for (size_t i = 0; i < s->q->count; i++) {
        uint32_t of = s->of[i];

        if (of == NONE)
            continue;
        while (s->of[of] != NONE)
            of = s->of[of];
        s->of[i] = of;
        items[i].repeat->of = items[of].path;
    }
}

static bool has_headless(const lk_queue *q)
{
    for (size_t i = 0; i < q->count; i++)
        if (is_headless(&q->items[i]))
            return true;
    return false;
}

static lk_code find(search *s, const lk_waiting **rows, lk_err *e)
{
    for (size_t i = 0; i < s->q->count; i++)
        s->of[i] = NONE;
    LK_TRY(find_alike(s, rows, e));
    if (has_headless(s->q))
        LK_TRY(find_for_headless(s, rows, e));
    name_them(s);
    return LK_OK;
}

lk_code lk_repeats_find(lk_queue *q, lk_err *e)
{
    const size_t n = q->count ? q->count : 1;
    search s = { .q = q,
                 .pair = malloc(2 * sizeof(*s.pair)),
                 .of = calloc(n, sizeof(*s.of)),
                 .same = calloc(n, sizeof(*s.same)) };
    const lk_waiting **rows = calloc(n, sizeof(*rows));
    lk_code code = LK_OK;

    if (!s.pair || !s.of || !s.same || !rows)
        code = lk_fail(e, LK_EOOM, "no memory to compare files");
    else if (q->count > 1)
        code = find(&s, rows, e);
    free(s.pair);
    free(s.of);
    free(s.same);
    free(rows);
    return code;
}
