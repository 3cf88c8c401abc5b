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

/* What the allowance would have served, served[n], and how far that is from what was: squared deviations.
 * INFINITY, and no more replayed, as soon as they are not fewer than `enough`. */
typedef double replay(const lk_asked_served *a, double per_s, double bucket, double enough,
                      double *served);

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

static double through_bucket(const lk_asked_served *a, double per_s, double bucket, double enough,
                             double *served)
{
    double tokens = bucket, sum = 0;

    for (size_t i = 0; i < a->n; i++) {
        double coming = per_s * a->bin_s, have = tokens + coming;

        served[i] = lesser(a->asked[i], have);
        tokens = lesser(bucket, have - served[i]);
        sum += square(a, i, served[i]);
        if (sum >= enough)
            return (double)INFINITY;
    }
    return sum;
}

static double through_window(const lk_asked_served *a, double per_s, double bucket, double enough,
                             double *served)
{
    double left = bucket, minute = -1, sum = 0;

    (void)per_s;
    for (size_t i = 0; i < a->n; i++) {
        double at = floor((a->phase_s + (double)i * a->bin_s + a->bin_s / 2) / MINUTE_S);

        if (at > minute)
            left = bucket;
        minute = at;
        served[i] = lesser(a->asked[i], left);
        left -= served[i];
        sum += square(a, i, served[i]);
        if (sum >= enough)
            return (double)INFINITY;
    }
    return sum;
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
    double loss; /* of one share for it and the next block */
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

static double loss(const block *a, const block *b)
{
    return lk_share_likelihood(a->asked, a->served) + lk_share_likelihood(b->asked, b->served) -
           lk_share_likelihood(a->asked + b->asked, a->served + b->served);
}

/* The two losses that block i has a part in. */
static void weigh_losses(block *blocks, size_t count, size_t i)
{
    if (i + 1 < count)
        blocks[i].loss = loss(&blocks[i], &blocks[i + 1]);
    if (i > 0)
        blocks[i - 1].loss = loss(&blocks[i - 1], &blocks[i]);
}

/* Neighbours that one share explains as well become one, the most alike first. */
static size_t merge_blocks(block *blocks, size_t count, double penalty)
{
    for (size_t i = 0; i + 1 < count; i++)
        blocks[i].loss = loss(&blocks[i], &blocks[i + 1]);
    while (count > 1) {
        size_t at = 0;
        double least = (double)INFINITY;

        for (size_t i = 0; i + 1 < count; i++)
            if (blocks[i].loss < least) {
                least = blocks[i].loss;
                at = i;
            }
        if (least > penalty)
            break;
        blocks[at].to = blocks[at + 1].to;
        blocks[at].asked += blocks[at + 1].asked;
        blocks[at].served += blocks[at + 1].served;
        memmove(&blocks[at + 1], &blocks[at + 2], (count - at - 2) * sizeof(*blocks));
        count--;
        weigh_losses(blocks, count, at);
    }
    return count;
}

lk_code lk_admission_shares(const lk_asked_served *a, lk_arena *scratch, lk_shares *out,
                            double *refused, lk_err *e)
{
    block *blocks = LK_NEW(scratch, block, a->n + 1);

    if (!blocks)
        return lk_fail(e, LK_EOOM, "no memory to replay the arrivals");
    *out = (lk_shares){ merge_blocks(blocks, cut_blocks(a, blocks), lk_admission_penalty(a)), 0 };
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

typedef struct search {
    const lk_asked_served *a;
    replay *how;
    double *served; /* [n] scratch */
    double per_s, bucket, squares;
} search;

static void try_one(search *s, double per_s, double bucket)
{
    double found = s->how(s->a, per_s, bucket, s->squares, s->served);

    if (found < s->squares) {
        s->squares = found;
        s->per_s = per_s;
        s->bucket = bucket;
    }
}

static void try_grid(search *s, double rate, double rate_step, int rates, double depth,
                     double depth_step, int depths)
{
    for (int i = 0; i < rates; i++)
        for (int k = 0; k < depths; k++)
            try_one(s, rate * pow(rate_step, i), fmax(1, depth * pow(depth_step, k)));
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
    double per_s, most, step, deep;

    bounds(s->a, &per_s, &most);
    if (!(per_s > 0))
        return;
    step = pow(100, 1.0 / (RATES - 1));
    deep = pow(2 * most, 1.0 / (DEPTHS - 1));
    try_grid(s, per_s / 5, step, RATES, 1, deep, DEPTHS);
    for (int round = 0; round < ROUNDS; round++) {
        double rate = s->per_s, depth = s->bucket;

        step = pow(step, 0.4);
        deep = pow(deep, 0.4);
        try_grid(s, rate / (step * step), step, 5, depth / (deep * deep), deep, 5);
    }
}

static void find_window(search *s)
{
    double per_s, most, step = pow(100, 1.0 / 60);

    bounds(s->a, &per_s, &most);
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

    if (!served)
        return lk_fail(e, LK_EOOM, "no memory to replay the arrivals");
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        search s = { a, ROWS[i].how, served, 0, 0, (double)INFINITY };
        double fit;

        ROWS[i].find(&s);
        if (!(s.per_s > 0))
            continue;
        (void)ROWS[i].how(a, s.per_s, s.bucket, (double)INFINITY, served);
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
    (void)(out->kind == LK_ADMISSION_BUCKET ? through_bucket : through_window)(
        &all, out->per_s, out->bucket, (double)INFINITY, served);
    out->ln_likelihood = shared_likelihood(each, count, asked, served, own) -
                         3 * lk_admission_penalty(&all);
    return LK_OK;
}
