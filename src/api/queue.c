#include "api/queue.h"
#include "api/lanes.h"
#include "api/repeats.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { KINDS_MAX = 64 };

/* A way to read lines, and what a file of that kind showed. */
typedef struct lk_kind {
    lk_sniffer like;
    lk_layout layout;
} kind;

/* A file past those that are kept, while it is read: what it takes goes with it. */
typedef struct guest {
    lk_logfile file; /* first */
    lk_arena arena;
} guest;

/* A vote depends on the order of those who vote: each file has its own, and all are counted as files end. */
typedef struct lk_addresses {
    lk_heavy own;
    lk_heavy *all;
} addresses;

static lk_step next_waiting(lk_source *s, lk_attempt *out, lk_err *e);
static void close_waiting(lk_source *s);

lk_code lk_queue_init(lk_queue *q, size_t inputs, size_t kept_max, lk_symbols *symbols,
                      const lk_reading *reading, const lk_queue_hooks *hooks, lk_arena *arena, lk_err *e)
{
    _Static_assert(sizeof(lk_waiting) <= LK_QUEUE_BYTES, "files that wait take what is said of them");
    *q = (lk_queue){ .kept_max = kept_max,
                     .is_long = inputs > kept_max,
                     .symbols = symbols,
                     .reading = reading,
                     .hooks = *hooks,
                     .arena = arena };
    q->items = calloc(inputs ? inputs : 1, sizeof(*q->items));
    return q->items ? LK_OK : lk_fail(e, LK_EOOM, "no memory for %zu files", inputs);
}

void lk_queue_release(lk_queue *q)
{
    for (size_t i = 0; i < q->count; i++)
        close_waiting(&q->items[i].source);
    lk_lanes_close(q->lanes);
    free(q->items);
    free(q->kinds);
    *q = (lk_queue){ .count = 0 };
}

/* ---- opening ---- */

/* The lines of files are told apart by their place among them, the same in every run. */
static void name_lines(const lk_queue *q, const lk_waiting *w)
{
    w->file->salt = lk_hash_mix((uint64_t)(w - q->items) + 1);
}

static void note(lk_waiting *w, const lk_logfile *f)
{
    w->source.first_ns = f->source.first_ns;
    w->id = f->id;
    w->start = f->start;
    w->size = f->size;
    w->is_regular = f->is_regular;
    w->is_packed = f->stats.compression && strcmp(f->stats.compression, "none") != 0;
}

/* Looks at it, and keeps it where all are kept or it cannot be opened again. */
static lk_code look(lk_queue *q, lk_waiting *w, lk_err *why, lk_err *e)
{
    lk_logfile *f = q->spare ? q->spare : LK_NEW(q->arena, lk_logfile, 1);

    if (!f)
        return lk_fail(e, LK_EOOM, "no memory to open '%s'", w->path);
    q->spare = f;
    if (lk_logfile_open(f, w->path, q->symbols, q->reading, q->arena, why) != LK_OK)
        return why->code == LK_EOOM ? lk_fail(e, LK_EOOM, "%s", why->msg) : LK_OK;
    note(w, f);
    if (q->is_long && f->is_regular) {
        lk_logfile_close(f);
        return LK_OK;
    }
    w->file = f;
    q->spare = NULL;
    return LK_OK;
}

lk_code lk_queue_add(lk_queue *q, const lk_input *in, lk_err *e)
{
    lk_waiting *w = &q->items[q->count];
    lk_err why = { 0 };
    lk_code code;

    *w = (lk_waiting){ .source = { .next = next_waiting, .close = close_waiting },
                       .queue = q,
                       .path = in->path };
    if (in->trouble)
        return q->hooks.failed(q->hooks.ctx, in->path, in->trouble, e);
    code = look(q, w, &why, e);
    if (code == LK_OK && why.code != LK_OK)
        return q->hooks.failed(q->hooks.ctx, in->path, &why, e);
    q->count += code == LK_OK;
    return code;
}

static int by_first_instant(const void *pa, const void *pb)
{
    const lk_waiting *a = pa, *b = pb;

    if (a->source.first_ns != b->source.first_ns)
        return a->source.first_ns < b->source.first_ns ? -1 : 1;
    return strcmp(a->path, b->path);
}

void lk_queue_sort(lk_queue *q)
{
    if (q->count)
        qsort(q->items, q->count, sizeof(*q->items), by_first_instant);
}

static void swap(lk_waiting *a, lk_waiting *b)
{
    const lk_waiting kept = *a;

    *a = *b;
    *b = kept;
}

lk_code lk_queue_set_repeats_aside(lk_queue *q, size_t *counting, lk_err *e)
{
    size_t n = 0;

    LK_TRY(lk_repeats_find(q, e));
    for (size_t i = 0; i < q->count; i++)
        if (!q->items[i].repeat)
            swap(&q->items[n++], &q->items[i]);
    if (n < q->count)
        qsort(q->items + n, q->count - n, sizeof(*q->items), by_first_instant);
    *counting = n;
    return LK_OK;
}

static lk_code open_kept(lk_queue *q, lk_waiting *w, lk_err *e)
{
    lk_logfile *f = LK_NEW(q->arena, lk_logfile, 1);

    if (!f)
        return lk_fail(e, LK_EOOM, "no memory to open '%s'", w->path);
    LK_TRY(lk_logfile_open(f, w->path, q->symbols, q->reading, q->arena, e));
    w->file = f;
    return LK_OK;
}

lk_code lk_queue_open_first(lk_queue *q, size_t counting, size_t *kept, lk_err *e)
{
    size_t i = 0;

    for (; i < counting && i < q->kept_max; i++) {
        lk_waiting *w = &q->items[i];
        lk_err why = { 0 };

        if (!w->file && open_kept(q, w, &why) != LK_OK) {
            if (why.code == LK_EOOM)
                return lk_fail(e, LK_EOOM, "%s", why.msg);
            break; /* it has gone meanwhile: that it is read, and fails, is for its turn */
        }
        w->is_kept = true;
        name_lines(q, w);
        q->hooks.prepare(q->hooks.ctx, w->file);
    }
    *kept = i;
    return LK_OK;
}

/* ---- the rest ---- */

lk_code lk_queue_add_kind(lk_queue *q, const lk_sniffer *like, const lk_layout *layout, lk_err *e)
{
    if (!q->is_long || q->kind_count == KINDS_MAX)
        return LK_OK;
    if (!q->kinds)
        q->kinds = calloc(KINDS_MAX, sizeof(*q->kinds));
    if (!q->kinds)
        return lk_fail(e, LK_EOOM, "no memory to recognise formats");
    q->kinds[q->kind_count].like = *like;
    q->kinds[q->kind_count++].layout = *layout;
    return LK_OK;
}

static void settle(const lk_queue *q, lk_logfile *f)
{
    lk_layout own;

    for (size_t i = 0; i < q->kind_count; i++)
        if (lk_sniffer_is_alike(&q->kinds[i].like, f->sniffer)) {
            lk_logfile_settle(f, &q->kinds[i].layout);
            return;
        }
    lk_reading_decide(q->reading, f->sniffer, &own);
    lk_logfile_settle(f, &own);
}

static void let_go(guest *g)
{
    lk_arena_release(&g->arena);
    free(g);
}

static lk_code open_guest(lk_waiting *w, lk_err *e)
{
    lk_queue *q = w->queue;
    guest *g = calloc(1, sizeof(*g));

    if (!g)
        return lk_fail(e, LK_EOOM, "no memory to open '%s'", w->path);
    lk_arena_init(&g->arena, 0);
    if (lk_logfile_open(&g->file, w->path, lk_lanes_symbols(w), q->reading, &g->arena, e) != LK_OK) {
        let_go(g);
        return e->code;
    }
    w->file = &g->file;
    return LK_OK;
}

static void begin_rest(lk_waiting *w)
{
    lk_queue *q = w->queue;

    name_lines(q, w);
    settle(q, w->file);
    q->hooks.prepare(q->hooks.ctx, w->file);
}

static lk_code count_addresses(lk_waiting *w, lk_err *e)
{
    lk_logfile *f = w->file;
    addresses *a;

    if (!f->addresses)
        return LK_OK;
    a = malloc(sizeof(*a));
    if (!a)
        return lk_fail(e, LK_EOOM, "no memory to read '%s'", w->path);
    lk_heavy_init(&a->own);
    a->all = f->addresses;
    f->addresses = &a->own;
    w->addresses = a;
    return LK_OK;
}

static void sum_addresses(lk_waiting *w)
{
    addresses *a = w->addresses;

    if (!a)
        return;
    lk_heavy_merge(a->all, &a->own);
    w->file->addresses = a->all;
    w->addresses = NULL;
    free(a);
}

static lk_code begin(lk_waiting *w, lk_err *e)
{
    if (!w->file)
        LK_TRY(open_guest(w, e));
    if (w->file->sniffer)
        begin_rest(w);
    LK_TRY(count_addresses(w, e));
    w->file->beside = lk_lanes_beside(w);
    w->is_begun = true;
    return LK_OK;
}

lk_step lk_queue_read(lk_waiting *w, lk_attempt *out, lk_err *e)
{
    if (!w->is_begun && begin(w, e) != LK_OK)
        return LK_STEP_FAIL;
    return w->file->source.next(&w->file->source, out, e);
}

static lk_step next_waiting(lk_source *s, lk_attempt *out, lk_err *e)
{
    lk_waiting *w = (lk_waiting *)s;

    if (!w->is_reached)
        lk_lanes_reach(w);
    w->is_reached = true;
    return w->lane ? lk_lanes_next(w, out, e) : lk_queue_read(w, out, e);
}

static void close_waiting(lk_source *s)
{
    lk_waiting *w = (lk_waiting *)s;

    lk_lanes_leave(w);
    if (!w->file)
        return;
    sum_addresses(w);
    lk_logfile_close(w->file);
    if (w->is_kept)
        return;
    if (w->file->is_begun)
        w->queue->hooks.done(w->queue->hooks.ctx, w->file);
    if (w->file->arena != w->queue->arena) /* a pipe lives in that */
        let_go((guest *)w->file);
    w->file = NULL;
}
