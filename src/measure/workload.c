#include "measure/workload.h"

#include "base/time.h"
#include "base/whole.h"

#include <stdlib.h>
#include <string.h>

lk_code lk_workload_init(lk_workload *w, int64_t bin_ns, lk_err *e)
{
    *w = (lk_workload){ .bin_ns = bin_ns, .max = LK_WORKLOAD_PAGES };
    if (bin_ns <= 0)
        return lk_fail(e, LK_EUSAGE, "a bin must be wider than nothing");
    w->crowds = calloc(LK_WORKLOAD_CROWDS, sizeof(*w->crowds));
    return w->crowds ? LK_OK : lk_fail(e, LK_EOOM, "no memory for the workload");
}

void lk_workload_limit(lk_workload *w, size_t pages_max)
{
    if (pages_max < 2 * LK_WORKLOAD_CROWDS)
        pages_max = 2 * LK_WORKLOAD_CROWDS;
    if (pages_max < w->max)
        w->max = pages_max;
}

void lk_workload_release(lk_workload *w)
{
    for (size_t i = 0; w->crowds && i < LK_WORKLOAD_CROWDS; i++)
        for (size_t k = 0; k < LK_WORKLOAD_REACH; k++)
            free(w->crowds[i].pages[k]);
    free(w->crowds);
    *w = (lk_workload){ 0 };
}

static void add_bin(lk_workload_bin *to, const lk_workload_bin *from)
{
    to->span_ns = lk_later(to->span_ns, from->span_ns);
    to->attempts = lk_sum_u32(to->attempts, from->attempts);
    to->failed = lk_sum_u32(to->failed, from->failed);
    to->rejected = lk_sum_u32(to->rejected, from->rejected);
    to->calls = lk_sum_u32(to->calls, from->calls);
    to->requeued = lk_sum_u32(to->requeued, from->requeued);
    to->failed_calls = lk_sum_u32(to->failed_calls, from->failed_calls);
    to->timed = lk_sum_u32(to->timed, from->timed);
}

/* Two pages become the halves of one, in the place of the first that there is. */
static void join(lk_workload *w, lk_workload_bin **left, lk_workload_bin **right)
{
    lk_workload_bin half[LK_WORKLOAD_PAGE / 2], *page = *left ? *left : *right;

    memset(half, 0, sizeof(half));
    for (size_t i = 0; *right && i < LK_WORKLOAD_PAGE; i++)
        add_bin(&half[i / 2], &(*right)[i]);
    for (size_t i = 0; *left && i < LK_WORKLOAD_PAGE / 2; i++) {
        lk_workload_bin one = (*left)[2 * i];

        add_bin(&one, &(*left)[2 * i + 1]);
        page[i] = one;
    }
    if (!*left)
        memset(page, 0, sizeof(half));
    memcpy(page + LK_WORKLOAD_PAGE / 2, half, sizeof(half));
    if (*left && *right) {
        free(*right);
        w->pages--;
    }
    *left = page;
    *right = NULL;
}

/* Bins twice as wide. */
static void halve(lk_workload *w)
{
    int64_t first = lk_floor_div(w->first_page, 2);
    int64_t last = lk_floor_div(w->first_page + (int64_t)w->reach - 1, 2);

    for (size_t i = 0; i < LK_WORKLOAD_CROWDS; i++) {
        lk_workload_bin **p = w->crowds[i].pages, *old[LK_WORKLOAD_REACH + 2] = { NULL };

        memcpy(old + (w->first_page - 2 * first), p, w->reach * sizeof(*p));
        memset(p, 0, LK_WORKLOAD_REACH * sizeof(*p));
        for (size_t k = 0; k <= (size_t)(last - first); k++) {
            if (old[2 * k] || old[2 * k + 1])
                join(w, &old[2 * k], &old[2 * k + 1]);
            p[k] = old[2 * k];
        }
    }
    w->first_page = first;
    w->reach = (size_t)(last - first + 1);
    w->bin_ns *= 2;
    w->begin_ns = w->end_ns = 0;
}

/* Room so that the page is inside, which it is not yet. */
static void move_down(lk_workload *w, size_t by)
{
    for (size_t i = 0; i < LK_WORKLOAD_CROWDS; i++) {
        lk_workload_bin **p = w->crowds[i].pages;

        memmove(p + by, p, w->reach * sizeof(*p));
        memset(p, 0, by * sizeof(*p));
    }
    w->first_page -= (int64_t)by;
    w->reach += by;
}

static int64_t page_of(const lk_workload *w, int64_t at_ns)
{
    return lk_floor_div(at_ns, w->bin_ns * LK_WORKLOAD_PAGE);
}

static void reach(lk_workload *w, int64_t at_ns)
{
    int64_t page = page_of(w, at_ns), first, last;

    if (!w->reach) {
        w->first_page = page;
        w->reach = 1;
    }
    for (;;) {
        first = page < w->first_page ? page : w->first_page;
        last = w->first_page + (int64_t)w->reach - 1;
        last = page > last ? page : last;
        if (last - first < LK_WORKLOAD_REACH)
            break;
        halve(w);
        page = page_of(w, at_ns);
    }
    if (first < w->first_page)
        move_down(w, (size_t)(w->first_page - first));
    w->reach = (size_t)(last - first + 1);
}

/* Makes the bin of the instant the one used last. */
static void look_up(lk_workload *w, int64_t at_ns)
{
    int64_t number = page_of(w, at_ns), bin;

    if (!w->reach || number < w->first_page || number >= w->first_page + (int64_t)w->reach)
        reach(w, at_ns);
    bin = lk_floor_div(at_ns, w->bin_ns);
    w->page_at = (size_t)(lk_floor_div(bin, LK_WORKLOAD_PAGE) - w->first_page);
    w->at = (size_t)(bin - lk_floor_div(bin, LK_WORKLOAD_PAGE) * LK_WORKLOAD_PAGE);
    w->begin_ns = bin * w->bin_ns;
    w->end_ns = w->begin_ns + w->bin_ns;
}

/* Makes the page that the bin used last lies on, where that crowd has none yet. */
static lk_code make_page(lk_workload *w, size_t crowd, int64_t at_ns, lk_err *e)
{
    lk_workload_bin **page;

    while (!w->crowds[crowd].pages[w->page_at] && w->pages >= w->max) {
        halve(w);
        look_up(w, at_ns);
    }
    page = &w->crowds[crowd].pages[w->page_at];
    if (*page)
        return LK_OK;
    *page = calloc(LK_WORKLOAD_PAGE, sizeof(**page));
    if (!*page)
        return lk_fail(e, LK_EOOM, "no memory for the workload");
    w->pages++;
    w->crowds[crowd].is_seen = true;
    return LK_OK;
}

static inline lk_code find(lk_workload *w, size_t crowd, int64_t at_ns, lk_workload_bin **out, lk_err *e)
{
    if (at_ns < w->begin_ns || at_ns >= w->end_ns)
        look_up(w, at_ns);
    if (!w->crowds[crowd].pages[w->page_at])
        LK_TRY(make_page(w, crowd, at_ns, e));
    *out = &w->crowds[crowd].pages[w->page_at][w->at];
    return LK_OK;
}

lk_code lk_workload_attempt(lk_workload *w, size_t crowd, const lk_attempt *a, lk_err *e)
{
    lk_workload_crowd *c = &w->crowds[crowd];
    lk_workload_bin *bin;

    LK_TRY(find(w, crowd, a->start_ns, &bin, e));
    lk_count_u32(&bin->attempts, true);
    lk_count_u32(&bin->failed, a->failed);
    lk_count_u32(&bin->rejected, a->rejected);
    if (a->has_took && a->failed) {
        c->refused++;
        c->refused_ns = lk_later(c->refused_ns, a->end_ns - a->start_ns);
    } else if (a->has_took) {
        c->served++;
        c->served_ns = lk_later(c->served_ns, a->end_ns - a->start_ns);
    }
    return LK_OK;
}

/* Eight cells an octave: the number's length, then its next three bits. */
static size_t span_cell(int64_t ns)
{
    unsigned length = ns >= 16 ? 60 - (unsigned)__builtin_clzll((uint64_t)ns) : 0;

    return 8 * (size_t)length + (size_t)((uint64_t)ns >> length & 7) + ((uint64_t)ns >= 8 ? 8 : 0);
}

/* The middle of a cell. */
static int64_t span_of(size_t cell)
{
    size_t length = cell >= 16 ? cell / 8 - 1 : 0;
    int64_t head = cell >= 16 ? (int64_t)(8 + cell % 8) : (int64_t)cell;

    return (head << length) + ((INT64_C(1) << length) >> 1);
}

static int64_t span_quantile(const uint32_t *spans, double share)
{
    uint64_t total = 0, seen = 0;

    for (size_t i = 0; i < LK_WORKLOAD_SPANS; i++)
        total += spans[i];
    for (size_t i = 0; total && i < LK_WORKLOAD_SPANS; i++) {
        seen += spans[i];
        if ((double)seen >= share * (double)total)
            return span_of(i);
    }
    return -1;
}

static lk_code add_call(lk_workload *w, size_t crowd, int64_t first_ns, int64_t span_ns, bool failed,
                        lk_err *e)
{
    lk_workload_bin *bin;

    w->crowds[crowd].calls++;
    if (span_ns >= 0)
        lk_count_u32(&w->crowds[crowd].spans[span_cell(span_ns)], true);
    LK_TRY(find(w, crowd, first_ns, &bin, e));
    lk_count_u32(&bin->calls, true);
    lk_count_u32(&bin->failed_calls, failed);
    if (span_ns >= 0) {
        lk_count_u32(&bin->timed, true);
        bin->span_ns = lk_later(bin->span_ns, span_ns);
    }
    return LK_OK;
}

lk_code lk_workload_call(lk_workload *w, const lk_call *call, lk_err *e)
{
    return add_call(w, call->group, call->first_ns, call->span_ns, call->fate == LK_FATE_FAILED, e);
}

lk_code lk_workload_first(lk_workload *w, size_t crowd, int64_t at_ns, int64_t span_ns, lk_err *e)
{
    return add_call(w, crowd, at_ns, span_ns, false, e);
}

lk_code lk_workload_requeue(lk_workload *w, size_t crowd, int64_t at_ns, lk_err *e)
{
    lk_workload_bin *bin;

    LK_TRY(find(w, crowd, at_ns, &bin, e));
    lk_count_u32(&bin->requeued, true);
    return LK_OK;
}

/* The bins of one crowd, merged. */
static void collect(const lk_workload *w, const lk_workload_crowd *c, int64_t first_bin,
                    int64_t merged, size_t n, lk_workload_bin *to)
{
    for (size_t k = 0; k < w->reach; k++) {
        int64_t at = (w->first_page + (int64_t)k) * LK_WORKLOAD_PAGE;

        for (int64_t i = 0; c->pages[k] && i < LK_WORKLOAD_PAGE; i++) {
            int64_t bin = lk_floor_div(at + i - first_bin, merged);

            if (bin >= 0 && bin < (int64_t)n)
                add_bin(&to[bin], &c->pages[k][i]);
        }
    }
}

lk_code lk_workload_evidence(const lk_workload *w, int64_t from_ns, int64_t to_ns,
                             int64_t grain_ns, lk_arena *arena, lk_workload_window *out, lk_err *e)
{
    int64_t first = lk_floor_div(from_ns, w->bin_ns), last = lk_floor_div(to_ns, w->bin_ns), merged = 1;

    *out = (lk_workload_window){ .start_ns = first * w->bin_ns };
    if (!w->reach || last < first)
        return LK_OK;
    while ((last - first) / merged + 1 > LK_WORKLOAD_BINS || merged * w->bin_ns < grain_ns)
        merged *= 2;
    out->n = (size_t)((last - first) / merged + 1);
    out->bin_ns = merged * w->bin_ns;
    out->crowds = LK_NEW(arena, lk_workload_evidence_of, LK_WORKLOAD_CROWDS);
    if (!out->crowds)
        return lk_fail(e, LK_EOOM, "no memory for the workload");
    for (size_t i = 0; i < LK_WORKLOAD_CROWDS; i++) {
        const lk_workload_crowd *c = &w->crowds[i];
        lk_workload_evidence_of *to = &out->crowds[out->count];
        lk_workload_bin *bins;

        if (!c->is_seen)
            continue;
        bins = LK_NEW(arena, lk_workload_bin, out->n);
        if (!bins)
            return lk_fail(e, LK_EOOM, "no memory for the workload");
        collect(w, c, first, merged, out->n, bins);
        *to = (lk_workload_evidence_of){ .crowd = i,
                                         .calls = c->calls,
                                         .served = c->served,
                                         .refused = c->refused,
                                         .served_ns = c->served_ns,
                                         .refused_ns = c->refused_ns,
                                         .span_p99_ns = span_quantile(c->spans, 0.99),
                                         .bins = bins };
        out->count++;
    }
    return LK_OK;
}
