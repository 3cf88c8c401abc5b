#include "infer/gaps.h"

#include "infer/stats.h"

#include <math.h>
#include <stdbool.h>

#define CELL_SHARE 0.02 /* width of a cell as a share of its gap    */
#define CELL_LEAST_S 0.02
#define LEAST_WEIGHT 4.0 /* gaps that make a peak                     */
#define ROOM 0.4         /* cells begin at this share of the shortest constant: side bands */
#define WIDEST 0.26      /* a peak's width as a share of its gap                            */
#define WIDEST_GROWN 0.28
#define FULL 0.5 /* cells beside a peak belong to it when they are half as full     */
#define TAIL 0.1
#define TAIL_OVER 3.0
#define HOLLOW 0.25
#define HOLLOW_DUE 6.0
#define BAND_LEFT 0.34 /* of a side band must be there, or that side cannot speak         */

/* The far band tells that there is a peak, the near one that it is no part of a plateau. */
enum { BAND_CELLS = 6, NEAR_CELLS = 3, PLATEAUS_MAX = 8 };

static const size_t WIDTHS[] = { 1, 2, 4, 8, 12 };
enum { WIDTH_COUNT = sizeof(WIDTHS) / sizeof(WIDTHS[0]) };

typedef struct cells {
    double *edge;   /* [n + 1] */
    double *before; /* [n + 1]: weight of the gaps below the edge */
    bool *taken;    /* [n]                                        */
    size_t n;
    double total;
} cells;

/* Edges between the values that the stamps allow: halfway where they are coarse. */
static double next_edge(double edge, double res)
{
    if (res < CELL_LEAST_S)
        return edge + fmax(CELL_LEAST_S, CELL_SHARE * edge);
    return edge + res * fmax(1.0, rint(CELL_SHARE * edge / res));
}

static double first_edge(const lk_gap_range *r)
{
    if (r->resolution_s < CELL_LEAST_S)
        return fmax(0.5 * r->resolution_s, ROOM * r->min_s);
    return 0.5 * r->resolution_s;
}

static size_t count_cells(const lk_gap_range *r)
{
    double edge = first_edge(r);
    size_t n = 0;

    while (edge < r->max_s) {
        edge = next_edge(edge, r->resolution_s);
        n++;
    }
    return n;
}

/* The cell of a value, n when it lies outside. */
static size_t cell_of(const cells *c, double value)
{
    size_t lo = 0, hi = c->n + 1;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (c->edge[mid] <= value)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo > 0 ? lo - 1 : c->n;
}

static void fill(cells *c, const lk_gap *gaps, size_t n, const lk_gap_range *r)
{
    double sum = 0.0;

    c->edge[0] = first_edge(r);
    for (size_t i = 0; i < c->n; i++)
        c->edge[i + 1] = next_edge(c->edge[i], r->resolution_s);
    for (size_t i = 0; i < n; i++) {
        size_t cell = cell_of(c, gaps[i].value_s);

        c->total += gaps[i].weight;
        if (cell < c->n)
            c->before[cell + 1] += gaps[i].weight;
    }
    for (size_t i = 0; i <= c->n; i++)
        sum = c->before[i] += sum;
}

static bool is_taken(const lk_gap_range *r, double low, double high)
{
    double middle = 0.5 * (low + high);

    for (size_t i = 0; i < r->taken_count; i++)
        if (middle >= r->taken[i].low_s && middle <= r->taken[i].high_s)
            return true;
    return false;
}

/* Weight and width of the free cells of a band. */
static double free_cells(const cells *c, size_t from, size_t to, double *width)
{
    double weight = 0.0;

    *width = 0.0;
    for (size_t i = from; i < to; i++)
        if (!c->taken[i]) {
            weight += c->before[i + 1] - c->before[i];
            *width += c->edge[i + 1] - c->edge[i];
        }
    return weight;
}

/* k in a cell of `width` against the band [from, to); where most of the band is taken there is no
 * telling. */
static double side(const cells *c, double k, double width, size_t from, size_t to)
{
    double beside, free;

    if (from >= to)
        return -1e9;
    beside = free_cells(c, from, to, &free);
    if (free < BAND_LEFT * (c->edge[to] - c->edge[from]))
        return 0.0;
    return lk_ln_binom_sf(k, beside, width, free);
}

/* The weaker of the two sides, one cell left free beside the peak. */
static double both_sides(const cells *c, size_t i, size_t width, size_t band)
{
    size_t end = i + width, reach = band + 1;
    double k = c->before[end] - c->before[i], w = c->edge[end] - c->edge[i];
    double left = side(c, k, w, i > reach ? i - reach : 0, i > 1 ? i - 1 : 0);
    double right =
        side(c, k, w, end + 1 < c->n ? end + 1 : c->n, end + reach < c->n ? end + reach : c->n);

    return fmax(left, right);
}

static bool is_any_taken(const cells *c, size_t i, size_t width)
{
    for (size_t j = i; j < i + width; j++)
        if (c->taken[j])
            return true;
    return false;
}

static bool is_too_wide(const cells *c, size_t i, size_t width)
{
    return width > 1 &&
           c->edge[i + width] - c->edge[i] > WIDEST * 0.5 * (c->edge[i + width] + c->edge[i]);
}

/* Two cells on end that are nearly empty: what stands before and behind them are two constants. */
static bool is_hollow(const cells *c, size_t i, size_t width)
{
    double density = (c->before[i + width] - c->before[i]) / (c->edge[i + width] - c->edge[i]);

    for (size_t j = i; j + 2 <= i + width; j++) {
        double due = density * (c->edge[j + 2] - c->edge[j]);

        if (due >= HOLLOW_DUE && c->before[j + 2] - c->before[j] < HOLLOW * due)
            return true;
    }
    return false;
}

static void try_cell(const cells *c, const lk_gap_range *r, size_t i, size_t width,
                     lk_gap_peak *best)
{
    double k = c->before[i + width] - c->before[i], ln_p;

    if (c->edge[i] < r->min_s - 1e-9 || k < LEAST_WEIGHT - 1e-9 || k < r->least_share * c->total ||
        is_too_wide(c, i, width) || is_any_taken(c, i, width) || is_hollow(c, i, width))
        return;
    ln_p = fmax(both_sides(c, i, width, BAND_CELLS + width / 2),
                both_sides(c, i, width, width / 2 > NEAR_CELLS ? width / 2 : NEAR_CELLS)) +
           log((double)(WIDTH_COUNT * c->n));
    if (ln_p < best->ln_p)
        *best = (lk_gap_peak){ .ln_p = ln_p,
                               .low_s = c->edge[i],
                               .high_s = c->edge[i + width],
                               .weight = k,
                               .share = k / c->total };
}

static bool is_as_full(const cells *c, size_t cell, double density)
{
    return !c->taken[cell] &&
           c->before[cell + 1] - c->before[cell] >= density * (c->edge[cell + 1] - c->edge[cell]);
}

/* A jittered constant is flat: the best cells may be but a part of it.  Gives whether it still is no
 * wider than a constant may be; a plateau's cells are taken, so that they are not found again. */
static bool grow(cells *c, lk_gap_peak *p)
{
    double density = p->weight / (p->high_s - p->low_s);
    size_t low = cell_of(c, p->low_s), high = cell_of(c, p->high_s);
    bool is_single = high == low + 1;

    while (low > 0 && low <= c->n && is_as_full(c, low - 1, FULL * density))
        low--;
    while (high < c->n && is_as_full(c, high, FULL * density))
        high++;
    p->low_s = c->edge[low];
    p->high_s = c->edge[high];
    if (p->high_s - p->low_s <= WIDEST_GROWN * 0.5 * (p->high_s + p->low_s) ||
        (is_single && high == low + 1))
        return true;
    for (size_t i = low; i < high; i++)
        c->taken[i] = true;
    return false;
}

/* How full the fuller side is, two cells clear of the grown peak. */
static double density_beside(const cells *c, const lk_gap_peak *p)
{
    size_t low = cell_of(c, p->low_s), high = cell_of(c, p->high_s);
    size_t left = low > 1 ? low - 1 : 0, right = high + 1 < c->n ? high + 1 : c->n;
    double wide, wide_right;
    double before = free_cells(c, left > BAND_CELLS ? left - BAND_CELLS : 0, left, &wide);
    double after =
        free_cells(c, right, right + BAND_CELLS < c->n ? right + BAND_CELLS : c->n, &wide_right);

    return fmax(wide > 0.0 ? before / wide : 0.0, wide_right > 0.0 ? after / wide_right : 0.0);
}

/* The tails of a jittered constant: cells that hold a tenth of the peak's density, and thrice that
 * beside it. */
static void find_tails(const cells *c, lk_gap_peak *p, double density)
{
    double least = density * fmax(TAIL, TAIL_OVER * p->beside);
    size_t low = cell_of(c, p->low_s), high = cell_of(c, p->high_s);
    double reach = 0.5 * WIDEST_GROWN * 0.5 * (p->low_s + p->high_s);

    while (low > 0 && p->low_s - c->edge[low - 1] <= reach && is_as_full(c, low - 1, least))
        low--;
    while (high < c->n && c->edge[high + 1] - p->high_s <= reach && is_as_full(c, high, least))
        high++;
    p->tail_low_s = c->edge[low];
    p->tail_high_s = c->edge[high];
}

/* Gives whether the search is over: a peak, or nothing; a plateau is taken off and out of the way. */
static bool find_peak(cells *c, const lk_gap_range *r, lk_gap_peak *best)
{
    double density;

    for (size_t w = 0; w < WIDTH_COUNT; w++)
        for (size_t i = 0; i + WIDTHS[w] <= c->n; i++)
            try_cell(c, r, i, WIDTHS[w], best);
    if (best->ln_p >= 0.0)
        return true;
    density = best->weight / (best->high_s - best->low_s);
    if (!grow(c, best))
        return false;
    best->beside = density_beside(c, best) / density;
    find_tails(c, best, density);
    return true;
}

lk_code lk_gap_peak_find(const lk_gap *gaps, size_t n, const lk_gap_range *range, lk_arena *scratch,
                         lk_gap_peak *out, lk_err *e)
{
    lk_mark mark = lk_arena_mark(scratch);
    cells c = { .n = count_cells(range) };

    *out = (lk_gap_peak){ 0 };
    c.edge = LK_NEW(scratch, double, c.n + 1);
    c.before = LK_NEW(scratch, double, c.n + 1);
    c.taken = LK_NEW(scratch, bool, c.n);
    if (!c.edge || !c.before || !c.taken)
        return lk_fail(e, LK_EOOM, "no memory for %zu cells of gaps", c.n);
    fill(&c, gaps, n, range);
    for (size_t i = 0; i < c.n; i++)
        c.taken[i] = is_taken(range, c.edge[i], c.edge[i + 1]);
    for (size_t tries = 0; tries < PLATEAUS_MAX && !find_peak(&c, range, out); tries++)
        *out = (lk_gap_peak){ 0 };
    lk_arena_rewind(scratch, mark);
    return LK_OK;
}
