#include "infer/limiter.h"
#include "base/time.h"
#include "base/whole.h"

#include <math.h>
#include <stdlib.h>

enum { WINDOWS_MIN = 3, EXPECTED_MIN = 5, BLOCKS_MIN = 10, BLOCK_MEAN = 12, BLOCKS = 24, WAVE_MIN = 10, LOOK = 10 };

static const double WIDTH_S[] = { 1, 2, 5, 6, 10, 12, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600 };
enum { WIDTHS = sizeof(WIDTH_S) / sizeof(WIDTH_S[0]) };

/* One attempt. */
typedef struct mark {
    double at_s; /* since of->from_ns */
    bool rejected;
} mark;

struct marks {
    mark *items;
    size_t n;
    double grain_s;
    double from_s; /* of at_s = 0, since the epoch, within an hour: for windows that begin with it */
};

static bool is_limited(const lk_evidence *ev, const lk_limited *of, const lk_hop *h)
{
    if (h->from_ns < of->from_ns || h->from_ns > of->to_ns)
        return false;
    if (!of->all)
        return h->population == of->population;
    for (size_t i = 0; i < ev->population_count; i++)
        if (ev->populations[i] == h->population)
            return true;
    return false;
}

static lk_code marks_of(const lk_evidence *ev, const lk_limited *of, lk_arena *scratch,
                        struct marks *out, lk_err *e)
{
    const int64_t hour_ns = 3600 * LK_NS_PER_S;

    *out = (struct marks){ .grain_s = (double)ev->resolution_ns / 1e9,
                           .from_s = (double)(of->from_ns % hour_ns) / 1e9 };
    out->items = LK_NEW(scratch, mark, ev->hop_count + 1);
    if (!out->items)
        return lk_fail(e, LK_EOOM, "no memory to look at %zu attempts", ev->hop_count);
    for (size_t i = 0; i < ev->hop_count; i++)
        if (is_limited(ev, of, &ev->hops[i]))
            out->items[out->n++] =
                (mark){ (double)(ev->hops[i].from_ns - of->from_ns) / 1e9, ev->hops[i].rejected };
    return LK_OK;
}

/* ---- fixed windows ---- */

/* Sums over the windows that were used up. */
struct windows {
    size_t used, opened; /* opened: something was admitted before they were used up */
    size_t ended, renewed; /* used up and followed by the next at once; renewed: which then admitted */
    double refusing_s;   /* from the first refusal to the last */
    double late;       /* admitted between these two */
    double granted, squares; /* sums of what was admitted before */
    double *each;            /* NULL = not asked for; what was admitted before by each that was used up */
};

/* One window at work. */
struct window {
    double index, first_s, last_s; /* of its refusals; first < 0: none */
    bool refusing;                 /* its last attempt was refused     */
    double before, after, pending; /* admitted; pending: since the last refusal */
};

static void close_window(struct windows *sum, const struct window *w, double width_s)
{
    if (w->first_s < 0 || w->last_s - w->first_s < 0.2 * width_s)
        return;
    if (sum->each)
        sum->each[sum->used] = w->before;
    sum->used++;
    sum->opened += w->before > 0;
    sum->granted += w->before;
    sum->squares += w->before * w->before;
    sum->refusing_s += w->last_s - w->first_s;
    sum->late += w->after;
}

static struct windows tile(const struct marks *m, double width_s, double phase_s, double *each)
{
    struct window w = { -1, -1, -1, false, 0, 0, 0 };
    struct windows sum = { .each = each };

    for (size_t i = 0; i < m->n; i++) {
        double at = m->items[i].at_s, index = floor((m->from_s + at - phase_s) / width_s);

        if (index > w.index || i == 0) {
            close_window(&sum, &w, width_s);
            if (i && w.refusing && index < w.index + 1.5) {
                sum.ended++;
                sum.renewed += !m->items[i].rejected;
            }
            w = (struct window){ index, -1, -1, false, 0, 0, 0 };
        }
        w.refusing = m->items[i].rejected;
        if (m->items[i].rejected) {
            w.first_s = w.first_s < 0 ? at : w.first_s;
            w.last_s = at;
            w.after += w.pending;
            w.pending = 0;
        } else if (w.first_s < 0 || at <= w.first_s + m->grain_s) {
            w.before++;
        } else {
            w.pending++;
        }
    }
    close_window(&sum, &w, width_s);
    return sum;
}

/* A window grants the same number each time. */
static bool is_even(const struct windows *s)
{
    double mean = s->granted / (double)s->used;

    return s->squares / (double)s->used - mean * mean <= 0.12 * mean * mean;
}

/* Once it refuses it admits nothing any more, though a bucket would have, until the next begins. */
static bool is_window(const struct windows *s, double rate_per_s)
{
    double expected = rate_per_s * s->refusing_s;

    return s->used >= WINDOWS_MIN && 5 * s->opened >= 4 * s->used && expected >= EXPECTED_MIN &&
           s->late <= 0.1 * expected && s->renewed >= WINDOWS_MIN && 5 * s->renewed >= 4 * s->ended &&
           is_even(s);
}

/* Where a window may begin: at what was admitted after a row of refusals. */
static size_t openings(const struct marks *m, double *out, size_t most)
{
    size_t refused = 0, n = 0;

    for (size_t i = 0; i < m->n && n < most; i++) {
        if (m->items[i].rejected) {
            refused++;
            continue;
        }
        if (refused >= LOOK)
            out[n++] = m->from_s + m->items[i].at_s;
        refused = 0;
    }
    return n;
}

/* What is admitted in the long run. */
static double long_rate(const struct marks *m)
{
    double admitted = 0, span_s = m->n ? m->items[m->n - 1].at_s - m->items[0].at_s : 0;

    for (size_t i = 0; i < m->n; i++)
        admitted += !m->items[i].rejected;
    return span_s > 0 ? admitted / span_s : 0;
}

/* The width and phase of a window that is used up again and again. */
static bool find_window(const struct marks *m, double *width_s, double *phase_s)
{
    double at[4], rate = long_rate(m);
    size_t count = openings(m, at, sizeof(at) / sizeof(at[0]));

    for (size_t i = WIDTHS; i-- > 0;) { /* the widest: parts of a window look like windows, too */
        *width_s = WIDTH_S[i];
        if (*width_s < 5 * m->grain_s)
            continue;
        for (size_t k = 0; k <= count; k++) {
            struct windows s;

            *phase_s = k ? at[k - 1] - 2 * m->grain_s : 0; /* most begin with the clock */
            s = tile(m, *width_s, *phase_s, NULL);
            if (is_window(&s, rate))
                return true;
        }
    }
    return false;
}

static int ascending(const void *pa, const void *pb)
{
    double a = *(const double *)pa, b = *(const double *)pb;

    return (a > b) - (a < b);
}

/* What a window admits until it is used up is its count; of a sample of the attempts that is not known. */
static lk_code try_window(const struct marks *m, bool whole, lk_arena *scratch, lk_limiter *out, lk_err *e)
{
    double width_s, phase_s;
    double *each = LK_NEW(scratch, double, m->n + 1);
    size_t n;

    if (!each)
        return lk_fail(e, LK_EOOM, "no memory to look at %zu attempts", m->n);
    if (!find_window(m, &width_s, &phase_s))
        return LK_OK;
    out->kind = "fixed-window";
    out->window_s = width_s;
    if (!whole)
        return LK_OK;
    n = tile(m, width_s, phase_s, each).used;
    qsort(each, n, sizeof(*each), ascending);
    out->rate_per_s = each[n / 2] / width_s;
    out->rate_low = each[n / 4] / width_s;
    out->rate_high = each[3 * n / 4] / width_s;
    return LK_OK;
}

/* ---- buckets ---- */

/* The gap between refusals in which a bucket may fill unseen. */
static double gap_of(const struct marks *m, double *scratch)
{
    double last = -1;
    size_t n = 0;

    for (size_t i = 0; i < m->n; i++) {
        if (!m->items[i].rejected)
            continue;
        if (last >= 0)
            scratch[n++] = m->items[i].at_s - last;
        last = m->items[i].at_s;
    }
    if (!n)
        return (double)NAN;
    qsort(scratch, n, sizeof(*scratch), ascending);
    return fmax(5 * scratch[n / 2], fmax(2, 2 * m->grain_s));
}

/* Stretches in which refusals follow each other. */
struct run {
    size_t from, to; /* marks: the first and the last refusal */
};

static bool next_run(const struct marks *m, double gap_s, size_t *at, struct run *out)
{
    while (*at < m->n && !m->items[*at].rejected)
        (*at)++;
    if (*at == m->n)
        return false;
    out->from = out->to = *at;
    for (; *at < m->n; (*at)++) {
        if (!m->items[*at].rejected)
            continue;
        if (m->items[*at].at_s - m->items[out->to].at_s > gap_s)
            break;
        out->to = *at;
    }
    return true;
}

struct run_sums {
    double admitted, attempts, seconds, runs;
};

static struct run_sums sum_runs(const struct marks *m, double gap_s)
{
    struct run_sums s = { 0 };
    struct run r;

    for (size_t at = 0; next_run(m, gap_s, &at, &r);) {
        s.seconds += m->items[r.to].at_s - m->items[r.from].at_s;
        s.runs++;
        for (size_t i = r.from; i <= r.to; i++)
            s.admitted += !m->items[i].rejected;
        s.attempts += (double)(r.to - r.from + 1);
    }
    return s;
}

/* The wider the better: what a bucket keeps for a moment weighs less.  Some must fit a run. */
static double block_of(const struct run_sums *s, double grain_s)
{
    double most = fmax(BLOCK_MEAN, s->admitted / BLOCKS) * s->seconds / s->admitted;

    return fmax(fmin(most, s->seconds / s->runs / 1.5), 4 * grain_s);
}

/* What was admitted in even blocks of the runs. */
static size_t blocks_of(const struct marks *m, double gap_s, double width_s, double *counts)
{
    struct run r;
    size_t n = 0;

    for (size_t at = 0; next_run(m, gap_s, &at, &r);) {
        double start = m->items[r.from].at_s;
        size_t whole = lk_whole_size((m->items[r.to].at_s - start) / width_s);

        for (size_t k = 0; k < whole; k++)
            counts[n + k] = 0;
        for (size_t i = r.from; i <= r.to; i++) {
            size_t k = lk_whole_size((m->items[i].at_s - start) / width_s);

            if (k < whole && !m->items[i].rejected)
                counts[n + k]++;
        }
        n += whole;
    }
    return n;
}

static double variance(const double *x, size_t n, double *mean)
{
    double sum = 0, squares = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i];
    *mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - *mean) * (x[i] - *mean);
    return squares / (double)(n - 1);
}

/* While it refuses, an empty bucket admits as its tokens come: more evenly than a refusal by chance
 * would, even of arrivals that are as even as can be (a binomial's variance). */
static lk_code try_bucket(const struct marks *m, bool whole, lk_arena *scratch, lk_limiter *out,
                          lk_err *e)
{
    double *x = LK_NEW(scratch, double, m->n + 1), gap_s, width_s, mean, spread;
    struct run_sums s;
    size_t n;

    if (!x)
        return lk_fail(e, LK_EOOM, "no memory to look at %zu attempts", m->n);
    gap_s = gap_of(m, x);
    if (isnan(gap_s))
        return LK_OK;
    s = sum_runs(m, gap_s);
    if (!whole || s.admitted < BLOCKS_MIN * BLOCK_MEAN || s.seconds <= 0)
        return LK_OK;
    width_s = block_of(&s, m->grain_s);
    if (s.seconds / width_s > (double)m->n)
        return LK_OK;
    n = blocks_of(m, gap_s, width_s, x);
    if (n < BLOCKS_MIN)
        return LK_OK;
    spread = variance(x, n, &mean);
    if (!(spread < 0.4 * mean * (1 - s.admitted / s.attempts)))
        return LK_OK;
    qsort(x, n, sizeof(*x), ascending);
    out->kind = "token-bucket";
    out->rate_per_s = mean / width_s;
    out->rate_low = fmin(x[n / 4], mean) / width_s;
    out->rate_high = fmax(x[3 * n / 4], mean) / width_s;
    return LK_OK;
}

lk_code lk_limiter_find(const lk_evidence *ev, const lk_limited *of, lk_arena *scratch,
                        lk_limiter *out, lk_err *e)
{
    const double none = (double)NAN;
    struct marks m;

    *out = (lk_limiter){ NULL, none, none, none, none };
    LK_TRY(marks_of(ev, of, scratch, &m, e));
    LK_TRY(try_window(&m, ev->hop_share_log2 == 0, scratch, out, e));
    return out->kind ? LK_OK : try_bucket(&m, ev->hop_share_log2 == 0, scratch, out, e);
}

/* ---- waves ---- */

/* The first of a row of refusals, from mark `from` on; to = none. */
static size_t refusals_from(const struct marks *m, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        size_t look = i + LOOK < to ? i + LOOK : to, refused = 0;

        for (size_t k = i; k < look; k++)
            refused += m->items[k].rejected;
        if (m->items[i].rejected && 10 * refused >= 7 * (look - i))
            return i;
    }
    return to;
}

lk_code lk_limiter_emptied(const lk_evidence *ev, const lk_limited *of,
                           const lk_report_clock *clock, lk_arena *scratch, double *emptied_s,
                           double *admitted, lk_err *e)
{
    double *took = LK_NEW(scratch, double, 2 * clock->wave_count + 1),
           *before = took + clock->wave_count;
    struct marks m;
    size_t n = 0, at = 0;

    *emptied_s = *admitted = (double)NAN;
    if (!took)
        return lk_fail(e, LK_EOOM, "no memory for %zu waves", clock->wave_count);
    LK_TRY(marks_of(ev, of, scratch, &m, e));
    for (size_t w = 0; w < clock->wave_count; w++) {
        double start = (double)(clock->wave_list[w].start_ns - of->from_ns) / 1e9;
        double end = start + 1.5 * fmax(clock->wave_list[w].width_s, m.grain_s);
        size_t from, to, first;

        while (at < m.n && m.items[at].at_s < start - 1e-3)
            at++;
        for (from = to = at; to < m.n && m.items[to].at_s <= end;)
            to++;
        first = refusals_from(&m, from, to);
        if (to - from < WAVE_MIN || first == to)
            continue;
        took[n] = m.items[first].at_s - m.items[from].at_s;
        before[n++] = (double)(first - from) * (double)(UINT64_C(1) << ev->hop_share_log2);
    }
    if (!n)
        return LK_OK;
    qsort(took, n, sizeof(*took), ascending);
    qsort(before, n, sizeof(*before), ascending);
    *emptied_s = took[n / 2];
    *admitted = before[n / 2];
    return LK_OK;
}
