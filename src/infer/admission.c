#include "infer/admission.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const double MINUTE_S = 60;
static const double BLOCK_S = 5;     /* a share is taken over at least this ... */
static const double BLOCK_ASKED = 30; /* ... and as many requests */
static const double WORST = 16; /* squared deviations: a bin that something else decided counts no more */
static const double AGREED = 0.5; /* of what an allowance refuses and of what was refused: the common part */
enum { RATES = 24, DEPTHS = 12, ROUNDS = 4 };

/* fmin without its care of NaN: of which none comes here, and which costs a call a bin. */
static inline double lesser(double a, double b)
{
    return a < b ? a : b;
}

static inline double square(const lk_asked_served *a, size_t i, double served)
{
    double d = served - a->served[i];

    return a->asked[i] > 0 ? lesser(WORST, d * d / (1 + a->served[i])) : 0;
}

/* Normal, the variance 1 + spread * served, at the best of some spreads. */
static double likelihood(const lk_asked_served *a, const double *served)
{
    static const double SPREADS[] = { 0.02, 0.1, 0.5, 2, 8 };
    double best = -(double)INFINITY;

    for (size_t k = 0; k < sizeof(SPREADS) / sizeof(SPREADS[0]); k++) {
        double sum = 0;

        for (size_t i = 0; i < a->n; i++) {
            double d = served[i] - a->served[i], v = 1 + SPREADS[k] * served[i];

            if (a->asked[i] > 0)
                sum -= 0.5 * (log(v) + lesser(WORST, d * d / v));
        }
        best = fmax(best, sum);
    }
    return best;
}

double lk_admission_penalty(const lk_asked_served *a)
{
    size_t used = 0;

    for (size_t i = 0; i < a->n; i++)
        used += a->asked[i] > 0;
    return 0.5 * log(fmax(2, (double)used));
}

/* ---- a share ---- */

/* Bins [from, to) of one served share. */
typedef struct block {
    size_t from, to;
    double asked, served;
} block;

/* Blocks wide enough to have a share. */
static size_t cut_blocks(const lk_asked_served *a, block *blocks)
{
    size_t count = 0;
    block b = { 0 };

    for (size_t i = 0; i < a->n; i++) {
        b.asked += a->asked[i];
        b.served += a->served[i];
        b.to = i + 1;
        if (!((double)(b.to - b.from) * a->bin_s >= BLOCK_S && b.asked >= BLOCK_ASKED) && b.to < a->n)
            continue;
        blocks[count++] = b;
        b = (block){ .from = b.to, .to = b.to };
    }
    return count;
}

static double x_ln(double x, double of)
{
    return x > 0 ? x * log(x / of) : 0;
}

double lk_share_likelihood(double asked, double served)
{
    return x_ln(served, asked) + x_ln(asked - served, asked);
}

/* Of one share for both. */
static double loss(const block *a, const block *b)
{
    return lk_share_likelihood(a->asked, a->served) + lk_share_likelihood(b->asked, b->served) -
           lk_share_likelihood(a->asked + b->asked, a->served + b->served);
}

/* Blocks that become one, the most alike neighbours first: a tree of least losses over them as they were cut. */
struct merging {
    block *blocks;   /* [count] as cut; a merged one stands where its first was */
    size_t *after, *before; /* [count] the neighbours that still stand; count, SIZE_MAX: none */
    double *least;   /* [2 * leaves]: of leaf i at leaves + i, the loss of block i and the one after it */
    size_t count, leaves;
};

static void set_loss(struct merging *m, size_t i, double to)
{
    size_t at = m->leaves + i;

    m->least[at] = to;
    for (at /= 2; at > 0; at /= 2)
        m->least[at] = lesser(m->least[2 * at], m->least[2 * at + 1]);
}

/* The loss of block i and the one after it. */
static void weigh(struct merging *m, size_t i)
{
    const size_t next = m->after[i];

    set_loss(m, i, next < m->count ? loss(&m->blocks[i], &m->blocks[next]) : (double)INFINITY);
}

/* The first of those that lose least. */
static size_t most_alike(const struct merging *m)
{
    size_t at = 1;

    while (at < m->leaves)
        at = 2 * at + (m->least[2 * at] > m->least[2 * at + 1]);
    return at - m->leaves;
}

static void merge_with_next(struct merging *m, size_t i)
{
    const size_t gone = m->after[i];
    block *to = &m->blocks[i];

    to->to = m->blocks[gone].to;
    to->asked += m->blocks[gone].asked;
    to->served += m->blocks[gone].served;
    m->after[i] = m->after[gone];
    if (m->after[i] < m->count)
        m->before[m->after[i]] = i;
    set_loss(m, gone, (double)INFINITY);
    weigh(m, i);
    if (m->before[i] < m->count)
        weigh(m, m->before[i]);
}

/* Neighbours that one share explains as well become one, the most alike first; gives how many are left. */
static lk_code merge_blocks(block *blocks, size_t *count, double penalty, lk_arena *scratch, lk_err *e)
{
    struct merging m = { .blocks = blocks, .count = *count, .leaves = 1 };
    size_t left = 0;

    while (m.leaves < m.count)
        m.leaves *= 2;
    m.after = LK_NEW(scratch, size_t, m.count + 1);
    m.before = LK_NEW(scratch, size_t, m.count + 1);
    m.least = LK_NEW(scratch, double, 2 * m.leaves);
    if (!m.after || !m.before || !m.least)
        return lk_fail(e, LK_EOOM, "no memory to replay the arrivals");
    for (size_t i = 0; i < 2 * m.leaves; i++)
        m.least[i] = (double)INFINITY;
    for (size_t i = 0; i < m.count; i++) {
        m.after[i] = i + 1;
        m.before[i] = i - 1;
    }
    for (size_t i = 0; i < m.count; i++)
        weigh(&m, i);
    while (m.least[1] <= penalty)
        merge_with_next(&m, most_alike(&m));
    for (size_t i = 0; i < m.count; i = m.after[i])
        blocks[left++] = blocks[i];
    *count = left;
    return LK_OK;
}

lk_code lk_admission_shares(const lk_asked_served *a, lk_arena *scratch, lk_shares *out,
                            double *refused, lk_err *e)
{
    block *blocks = LK_NEW(scratch, block, a->n + 1);

    if (!blocks)
        return lk_fail(e, LK_EOOM, "no memory to replay the arrivals");
    *out = (lk_shares){ cut_blocks(a, blocks), 0 };
    LK_TRY(merge_blocks(blocks, &out->count, lk_admission_penalty(a), scratch, e));
    for (size_t b = 0; b < out->count; b++) {
        const block *own = &blocks[b];

        out->ln_likelihood += lk_share_likelihood(own->asked, own->served);
        for (size_t i = own->from; i < own->to; i++)
            refused[i] = own->asked > 0 ? 1 - own->served / own->asked : 0;
    }
    return LK_OK;
}

static double likelihood_by_bins(const lk_asked_served *a, const double *refused)
{
    double sum = 0;

    for (size_t i = 0; i < a->n; i++) {
        double served = a->asked[i] * (1 - refused[i]), v = 1 + served * refused[i];
        double d = served - a->served[i];

        if (a->asked[i] > 0)
            sum -= 0.5 * (log(v) + lesser(WORST, d * d / v));
    }
    return sum;
}

/* ---- an allowance ---- */

/* Bins in a row, as the search for an allowance passes over them. */
enum { STRETCH = 32 };
typedef struct stretch {
    double most;  /* asked in one of its bins */
    bool differs; /* served was not all that was asked */
} stretch;

/* The arrivals, made ready to be replayed hundreds of times. */
typedef struct arrivals {
    const lk_asked_served *a;
    double *open;         /* [n] squared deviations where all that is asked is served */
    bool *is_new_minute;  /* [n] */
    stretch *stretches;   /* [n / STRETCH + 1] */
} arrivals;

static double minute_of(const lk_asked_served *a, size_t i)
{
    return floor((a->phase_s + (double)i * a->bin_s + a->bin_s / 2) / MINUTE_S);
}

static lk_code prepare(const lk_asked_served *a, lk_arena *scratch, arrivals *out, lk_err *e)
{
    double minute = -1;

    *out = (arrivals){ .a = a,
                       .open = LK_NEW(scratch, double, a->n + 1),
                       .is_new_minute = LK_NEW(scratch, bool, a->n + 1),
                       .stretches = LK_NEW(scratch, stretch, a->n / STRETCH + 1) };
    if (!out->open || !out->is_new_minute || !out->stretches)
        return lk_fail(e, LK_EOOM, "no memory to replay the arrivals");
    for (size_t i = 0; i < a->n; i++) {
        stretch *own = &out->stretches[i / STRETCH];

        out->open[i] = square(a, i, a->asked[i]);
        out->is_new_minute[i] = minute_of(a, i) > minute;
        minute = minute_of(a, i);
        own->most = fmax(own->most, a->asked[i]);
        own->differs |= out->open[i] > 0;
    }
    return LK_OK;
}

/* How far what the allowance would have served is from what was: squared deviations.  INFINITY, and no more replayed,
 * as soon as they are not fewer than `enough`.  served[n] takes what it would have served; NULL: nobody asks. */
typedef double replay(const arrivals *r, double per_s, double bucket, double enough, double *served);

static double through_bucket(const arrivals *r, double per_s, double bucket, double enough, double *served)
{
    const lk_asked_served *a = r->a;
    const double coming = per_s * a->bin_s, full = bucket + coming;
    double tokens = bucket, sum = 0;

    for (size_t i = 0; i < a->n;) {
        const stretch *own = &r->stretches[i / STRETCH];
        const size_t end = (i / STRETCH + 1) * STRETCH < a->n ? (i / STRETCH + 1) * STRETCH : a->n;

        if (!served && tokens >= bucket && own->most <= full && full - own->most >= bucket) {
            /* it serves all of it, and is full again after every bin */
            for (; own->differs && i < end; i++)
                sum += r->open[i];
            i = end;
        }
        for (; i < end; i++) {
            const double have = tokens + coming, asked = a->asked[i];
            const bool is_enough = asked <= have;

            if (served)
                served[i] = is_enough ? asked : have;
            tokens = is_enough ? lesser(bucket, have - asked) : 0;
            sum += is_enough ? r->open[i] : square(a, i, have);
        }
        if (sum >= enough)
            return (double)INFINITY;
    }
    return sum;
}

/* So many in each whole minute. */
static double through_window(const arrivals *r, double per_s, double bucket, double enough, double *served)
{
    const lk_asked_served *a = r->a;
    double left = bucket, sum = 0;

    (void)per_s;
    for (size_t i = 0; i < a->n; i++) {
        const double have = r->is_new_minute[i] ? bucket : left, asked = a->asked[i];
        const bool is_enough = asked <= have;

        if (served)
            served[i] = is_enough ? asked : have;
        left = is_enough ? have - asked : 0;
        sum += is_enough ? r->open[i] : square(a, i, have);
        if (sum >= enough)
            return (double)INFINITY;
    }
    return sum;
}

typedef struct search {
    const arrivals *r;
    replay *how;
    double per_s, bucket, squares;
} search;

static void try_one(search *s, double per_s, double bucket)
{
    double found = s->how(s->r, per_s, bucket, s->squares, NULL);

    if (found < s->squares) {
        s->squares = found;
        s->per_s = per_s;
        s->bucket = bucket;
    }
}

/* `rates` rates and `depths` depths, each so many times the one before; every so-manieth of them. */
typedef struct grid {
    double rate, rate_step, depth, depth_step;
    int rates, depths;
} grid;

static void try_each(search *s, const grid *g, int rate_every, int depth_every)
{
    for (int i = 0; i < g->rates; i += rate_every)
        for (int k = 0; k < g->depths; k += depth_every)
            try_one(s, g->rate * pow(g->rate_step, i), fmax(1, g->depth * pow(g->depth_step, k)));
}

/* All of them; what some of them come to is where the replay of the others ends. */
static void try_grid(search *s, const grid *g)
{
    search some = *s;

    try_each(&some, g, 4, 3);
    if (some.squares < s->squares) /* as good as the best of some may come before it */
        s->squares = nextafter(some.squares, (double)INFINITY);
    try_each(s, g, 1, 1);
}

/* Requests served, a second of the log; the most in a few bins in a row. */
static void bounds(const lk_asked_served *a, double *per_s, double *most)
{
    double sum = 0, run = 0;

    *most = 1;
    for (size_t i = 0; i < a->n; i++) {
        sum += a->served[i];
        run += a->served[i] - (i >= 8 ? a->served[i - 8] : 0);
        *most = fmax(*most, run);
    }
    *per_s = sum / ((double)a->n * a->bin_s);
}

static void find_bucket(search *s)
{
    grid g = { .depth = 1, .rates = RATES, .depths = DEPTHS };
    double per_s, most;

    bounds(s->r->a, &per_s, &most);
    if (!(per_s > 0))
        return;
    g.rate = per_s / 5;
    g.rate_step = pow(100, 1.0 / (RATES - 1));
    g.depth_step = pow(2 * most, 1.0 / (DEPTHS - 1));
    try_grid(s, &g);
    g.rates = g.depths = 5;
    for (int round = 0; round < ROUNDS; round++) {
        g.rate_step = pow(g.rate_step, 0.4);
        g.depth_step = pow(g.depth_step, 0.4);
        g.rate = s->per_s / (g.rate_step * g.rate_step);
        g.depth = s->bucket / (g.depth_step * g.depth_step);
        try_each(s, &g, 1, 1);
    }
}

static void find_window(search *s)
{
    double per_s, most, step = pow(100, 1.0 / 60);

    bounds(s->r->a, &per_s, &most);
    if (!(per_s > 0))
        return;
    for (int i = 0; i < 60; i++)
        try_one(s, per_s / 5 * pow(step, i), per_s / 5 * pow(step, i) * MINUTE_S);
    for (int round = 0; round < ROUNDS; round++) {
        double at = s->per_s;

        step = pow(step, 0.4);
        for (int i = -2; i <= 2; i++)
            try_one(s, at * pow(step, i), at * pow(step, i) * MINUTE_S);
    }
}

/* Where bins hold few requests, to serve whatever is asked is never far from what was served, and neither is
 * an allowance that refuses anywhere: it explains the refusals only if it makes them, and where they were. */
static bool does_refuse(const lk_asked_served *a, const double *served)
{
    double was = 0, is = 0, both = 0;

    for (size_t i = 0; i < a->n; i++) {
        double logged = a->asked[i] - a->served[i], replayed = a->asked[i] - served[i];

        was += logged;
        is += replayed;
        both += lesser(logged, replayed);
    }
    return both >= AGREED * fmax(was, is);
}

static lk_code fit_allowances(const lk_asked_served *a, double penalty, lk_arena *scratch,
                              lk_admission *out, lk_err *e)
{
    static const struct {
        lk_admission_kind kind;
        replay *how;
        void (*find)(search *s);
        double parameters;
    } ROWS[] = { { LK_ADMISSION_BUCKET, through_bucket, find_bucket, 2 },
                 { LK_ADMISSION_WINDOW, through_window, find_window, 1 } };
    double *served = LK_NEW(scratch, double, a->n + 1);
    arrivals r;

    if (!served)
        return lk_fail(e, LK_EOOM, "no memory to replay the arrivals");
    LK_TRY(prepare(a, scratch, &r, e));
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        search s = { &r, ROWS[i].how, 0, 0, (double)INFINITY };
        double fit;

        ROWS[i].find(&s);
        if (!(s.per_s > 0))
            continue;
        (void)ROWS[i].how(&r, s.per_s, s.bucket, (double)INFINITY, served);
        if (!does_refuse(a, served))
            continue;
        fit = likelihood(a, served) - penalty * (ROWS[i].parameters + 1);
        if (fit > out->ln_likelihood)
            *out = (lk_admission){ ROWS[i].kind, s.per_s, s.bucket, fit };
    }
    return LK_OK;
}

lk_code lk_admission_fit(const lk_asked_served *a, lk_arena *scratch, lk_admission *out,
                         double *share, lk_err *e)
{
    double penalty = lk_admission_penalty(a);
    lk_shares shares;

    LK_TRY(lk_admission_shares(a, scratch, &shares, share, e));
    *out = (lk_admission){ LK_ADMISSION_SHARE, (double)NAN, (double)NAN,
                           likelihood_by_bins(a, share) - penalty * (double)shares.count };
    return fit_allowances(a, penalty, scratch, out, e);
}

/* What each got of what was served in a bin: in the share of what it asked. */
static double shared_likelihood(const lk_asked_served *each, size_t count, const double *asked,
                                const double *served, double *own)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < each[i].n; k++)
            own[k] = asked[k] > 0 ? served[k] * each[i].asked[k] / asked[k] : 0;
        sum += likelihood(&each[i], own);
    }
    return sum;
}

lk_code lk_admission_fit_shared(const lk_asked_served *each, size_t count, lk_arena *scratch,
                                lk_admission *out, lk_err *e)
{
    size_t n = each[0].n;
    double *asked = LK_NEW(scratch, double, n + 1), *given = LK_NEW(scratch, double, n + 1);
    double *served = LK_NEW(scratch, double, n + 1), *own = LK_NEW(scratch, double, n + 1);
    lk_asked_served all = { n, each[0].bin_s, each[0].phase_s, asked, given };
    arrivals r;

    if (!asked || !given || !served || !own)
        return lk_fail(e, LK_EOOM, "no memory to replay the arrivals");
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < n; k++) {
            asked[k] += each[i].asked[k];
            given[k] += each[i].served[k];
        }
    *out = (lk_admission){ LK_ADMISSION_OPEN, (double)NAN, (double)NAN, -(double)INFINITY };
    LK_TRY(fit_allowances(&all, lk_admission_penalty(&all), scratch, out, e));
    if (out->kind == LK_ADMISSION_OPEN)
        return LK_OK;
    LK_TRY(prepare(&all, scratch, &r, e));
    (void)(out->kind == LK_ADMISSION_BUCKET ? through_bucket : through_window)(
        &r, out->per_s, out->bucket, (double)INFINITY, served);
    out->ln_likelihood = shared_likelihood(each, count, asked, served, own) -
                         3 * lk_admission_penalty(&all);
    return LK_OK;
}
