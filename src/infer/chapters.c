#include "infer/chapters.h"

#include "base/whole.h"
#include "infer/periodic.h"
#include "infer/rows.h"
#include "infer/steps.h"

#include <math.h>

/* Narrow bins, `merge` of them one of ours, as fine as the stamps are. */
typedef struct book {
    const lk_fine_series *fine;
    size_t merge, n, chapter; /* our bins: all, and of a chapter */
    double bin_s, zero_s;
    double ln_chapters;
    double *x[LK_LINES];
    uint32_t *all, *rejected; /* [merge] */
    lk_timing *timing;        /* of a chapter */
} book;

static size_t merge_of(const lk_case *c)
{
    double bin_s = (double)c->evidence->series.fine.bin_ns * 1e-9;

    if (!(bin_s > 0.0))
        return 1;
    return lk_whole_size(fmax(1.0, ceil(c->resolution_s / bin_s - 1e-6)));
}

static double bin_of(const lk_case *c)
{
    return (double)c->evidence->series.fine.bin_ns * 1e-9 * (double)merge_of(c);
}

bool lk_chapters_are_worth_it(const lk_case *c)
{
    return c->evidence->series.fine.n > 0 && bin_of(c) < 0.75 * c->line[LK_LINE_ALL].bin_s;
}

double lk_chapters_shortest(const lk_case *c)
{
    lk_line line = { .bin_s = bin_of(c) };

    return lk_timing_shortest(&line, &c->range);
}

static lk_code open_book(const lk_case *c, book *b, lk_err *e)
{
    lk_line like;

    *b = (book){ .fine = &c->evidence->series.fine, .merge = merge_of(c) };
    b->n = b->fine->n / b->merge;
    b->chapter = b->n < LK_CHAPTER_BINS ? b->n : LK_CHAPTER_BINS;
    b->bin_s = bin_of(c);
    b->zero_s = (double)(b->fine->start_ns - c->evidence->first_ns) * 1e-9;
    b->ln_chapters = log(1.0 + (double)b->n / (LK_CHAPTER_BINS - LK_CHAPTER_OVERLAP));
    b->all = LK_NEW(c->work, uint32_t, b->merge);
    b->rejected = LK_NEW(c->work, uint32_t, b->merge);
    for (size_t i = 0; i < LK_LINES; i++)
        b->x[i] = LK_NEW(c->work, double, LK_CHAPTER_BINS);
    if (!b->all || !b->rejected || !b->x[LK_LINE_ALL] || !b->x[LK_LINE_REJECTED])
        return lk_fail(e, LK_EOOM, "no memory for a chapter of %d bins", (int)LK_CHAPTER_BINS);
    like = (lk_line){ .n = b->chapter, .bin_s = b->bin_s };
    return lk_timing_open(&like, &c->range, c->work, &b->timing, e);
}

static void read_bins(const book *b, size_t from)
{
    for (size_t i = 0; i < b->chapter; i++) {
        double all = 0.0, rejected = 0.0;

        b->fine->read(b->fine->ctx, (from + i) * b->merge, b->merge, b->all, b->rejected);
        for (size_t k = 0; k < b->merge; k++) {
            all += b->all[k];
            rejected += b->rejected[k];
        }
        b->x[LK_LINE_ALL][i] = all;
        b->x[LK_LINE_REJECTED][i] = rejected;
    }
}

static lk_code search_chapter(lk_case *c, const book *b, size_t from, lk_err *e)
{
    lk_hits *hits = LK_NEW(c->work, lk_hits, LK_LINES);

    if (!hits)
        return lk_fail(e, LK_EOOM, "no memory for periods");
    read_bins(b, from);
    c->rest_zero_s = b->zero_s + (double)from * b->bin_s;
    for (size_t l = 0; l < c->line_count; l++)
        LK_TRY(lk_case_take_off(c, l, (lk_bins){ c->rest_zero_s, b->bin_s, b->chapter }, b->x[l], e));
    for (size_t l = 0; l < c->line_count; l++) {
        LK_TRY(lk_line_init(&c->rest[l], b->x[l], b->chapter, b->bin_s, c->work, e));
        LK_TRY(lk_timing_find(b->timing, &c->rest[l], c->scratch, &hits[l], e));
        for (size_t i = 0; i < hits[l].count; i++)
            hits[l].item[i].ln_p += b->ln_chapters;
    }
    return lk_periodic_rows(c, hits, e);
}

lk_code lk_chapters_search(lk_case *c, lk_err *e)
{
    lk_mark empty = lk_arena_mark(c->work);
    book b;

    LK_TRY(open_book(c, &b, e));
    c->chapter_rows = c->row_count;
    lk_steps_say(c->steps, 1, "%zu bins of %g s, %d at a time; chapters cost %.2f", b.n, b.bin_s,
                 (int)LK_CHAPTER_BINS, b.ln_chapters);
    for (size_t from = 0;; from += LK_CHAPTER_BINS - LK_CHAPTER_OVERLAP) {
        lk_mark mark = lk_arena_mark(c->work);
        size_t last = b.n - b.chapter; /* as long as the others, it overlaps the one before by more */

        LK_TRY(search_chapter(c, &b, from < last ? from : last, e));
        lk_arena_rewind(c->work, mark);
        if (from >= last)
            break;
    }
    c->chapter_rows = LK_CLOCKS_MAX;
    lk_arena_rewind(c->work, empty);
    return LK_OK;
}
