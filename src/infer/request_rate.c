#include "infer/request_rate.h"

#include <math.h>

static const double PARAMETERS = 5;  /* rate, depth, a refusal's cost, debt, slips */
static const double EXPLAINED = 0.9; /* of what shares of any course in time explain */
enum { RATES = 20, DEPTHS = 4, ROUNDS = 4, EPISODES_MIN = 2 };

/* Some slip through, or are refused by something else. */
static const double SLIPS[] = { 0.02, 0.1, 0.3 };
enum { SLIP_COUNT = sizeof(SLIPS) / sizeof(SLIPS[0]) };

typedef struct search {
    const lk_asked_served *waves, *others;
    size_t from;
    double *refused; /* [n] the share of a bin that it refuses */
    double usual[SLIP_COUNT], rare[SLIP_COUNT]; /* ln, of a fate as it should be in a bin that is wholly open or closed */
    lk_request_rate best;
    double ln_likelihood; /* of the best */
} search;

/* The log-likelihood of the fates of a bin's requests, so many of which are refused at each. */
static double fate(double slips, double f, double refused, double served)
{
    return refused * log(slips / 2 + (1 - slips) * f) + served * log(1 - slips / 2 - (1 - slips) * f);
}

static void add_fates(const search *s, double *sums, double f, double asked, double served)
{
    for (size_t k = 0; k < SLIP_COUNT; k++)
        if (f <= 0)
            sums[k] += (asked - served) * s->rare[k] + served * s->usual[k];
        else if (f >= 1)
            sums[k] += (asked - served) * s->usual[k] + served * s->rare[k];
        else
            sums[k] += fate(SLIPS[k], f, asked - served, served);
}

static double best_of(const double *sums)
{
    double best = sums[0];

    for (size_t k = 1; k < SLIP_COUNT; k++)
        best = best > sums[k] ? best : sums[k];
    return best;
}

/* refused[n] is the share of a bin's time in which there are no tokens.  Gives the likelihood of what the
 * others got; as soon as it is no better than `enough`, -INFINITY. */
static double replay(const search *s, const lk_request_rate *r, double enough)
{
    double tokens = r->depth, coming = r->per_s * s->others->bin_s, sums[SLIP_COUNT] = { 0 };

    for (size_t i = s->from; i < s->others->n; i++) {
        double waves = s->waves->asked[i], others = s->others->asked[i];
        double open = s->waves->served[i] + r->refused_cost * (waves - s->waves->served[i]) + others;
        double closed = r->refused_cost * (waves + others), have = tokens + coming, share = 1;

        if (have < open)
            share = open > closed ? (have - closed) / (open - closed) : have > 0;
        share = share < 0 ? 0 : share;
        tokens = have - share * open - (1 - share) * closed;
        tokens = tokens < r->depth ? tokens : r->depth;
        tokens = tokens > -r->debt ? tokens : -r->debt;
        s->refused[i] = 1 - share;
        if (!(others > 0))
            continue;
        add_fates(s, sums, 1 - share, others, s->others->served[i]);
        if (best_of(sums) <= enough)
            return -(double)INFINITY;
    }
    return best_of(sums);
}

static void try_one(search *s, lk_request_rate r)
{
    double found = replay(s, &r, s->ln_likelihood);

    if (found > s->ln_likelihood) {
        s->ln_likelihood = found;
        s->best = r;
    }
}

/* Around the best one, by these factors. */
static void refine(search *s, double rate, double depth, double cost, double debt)
{
    lk_request_rate at = s->best;

    for (int i = -2; i <= 2; i++)
        for (int k = -1; k <= 1; k++)
            for (int c = -2; c <= 2; c++)
                for (int d = -1; d <= 1; d++)
                    try_one(s, (lk_request_rate){ at.per_s * pow(rate, i), fmax(1, at.depth * pow(depth, k)),
                                                  fmin(1, at.refused_cost * pow(cost, c)),
                                                  at.debt * pow(debt, d) });
}

static void find(search *s, double per_s, double burst)
{
    static const double COSTS[] = { 0, 0.1, 0.2, 0.3, 0.5, 1 }, DEBTS[] = { 0, 0.02, 0.1, 0.4, 1e4 };
    double step = pow(100, 1.0 / (RATES - 1)), deep = pow(burst, 1.0 / (DEPTHS - 1)), other = 1.5;

    for (int i = 0; i < RATES; i++)
        for (int k = 0; k < DEPTHS; k++)
            for (size_t c = 0; c < sizeof(COSTS) / sizeof(COSTS[0]); c++)
                for (size_t d = 0; d < (c ? sizeof(DEBTS) / sizeof(DEBTS[0]) : 1); d++)
                    try_one(s, (lk_request_rate){ per_s / 5 * pow(step, i), pow(deep, k), COSTS[c],
                                                  burst * DEBTS[d] });
    for (int round = 0; round < ROUNDS && isfinite(s->ln_likelihood); round++) {
        step = pow(step, 0.5);
        deep = pow(deep, 0.5);
        refine(s, step, deep, other, other);
        other = pow(other, 0.5);
    }
}

/* How often it is closed, and most of those who ask are refused, and then open, and most are served. */
static size_t episodes(const search *s)
{
    double asked[2] = { 0, 0 }, refused[2] = { 0, 0 };
    size_t count = 0;
    bool is_closed = false;

    for (size_t i = s->from; i <= s->others->n; i++) {
        bool now = i < s->others->n && s->refused[i] > 0.5;

        if (i == s->others->n || (now && !is_closed)) { /* one more is over */
            count += refused[true] > 0.5 * asked[true] && refused[false] < 0.5 * asked[false];
            asked[0] = asked[1] = refused[0] = refused[1] = 0;
        }
        if (i < s->others->n && (now ? s->refused[i] > 0.9 : s->refused[i] < 0.1)) {
            asked[now] += s->others->asked[i];
            refused[now] += s->others->asked[i] - s->others->served[i];
        }
        is_closed = now;
    }
    return count;
}

/* Nearly as much as shares that follow the refusals wherever they go, which have no cause; and more than one
 * share throughout. */
static bool explains(const search *s, const lk_asked_served *rest, double by_shares)
{
    double asked = 0, served = 0, constant;

    for (size_t i = 0; i < rest->n; i++) {
        asked += rest->asked[i];
        served += rest->served[i];
    }
    constant = lk_share_likelihood(asked, served);
    return s->ln_likelihood - constant > PARAMETERS * lk_admission_penalty(rest) &&
           s->ln_likelihood - constant >= EXPLAINED * (by_shares - constant);
}

lk_code lk_request_rate_fit(const lk_asked_served *waves, const lk_asked_served *others, size_t from,
                            lk_arena *scratch, bool *found, lk_request_rate *out, double *refused,
                            lk_err *e)
{
    size_t n = others->n;
    lk_asked_served rest = *others;
    search s = { .waves = waves, .others = others, .from = from, .refused = refused,
                 .ln_likelihood = -(double)INFINITY };
    double sum = 0, most = 1, *shares = LK_NEW(scratch, double, n + 1);
    lk_shares blocks;

    *found = false;
    for (size_t k = 0; k < SLIP_COUNT; k++) {
        s.usual[k] = log1p(-SLIPS[k] / 2);
        s.rare[k] = log(SLIPS[k] / 2);
    }
    if (from >= n)
        return LK_OK;
    if (!shares)
        return lk_fail(e, LK_EOOM, "no memory to replay the arrivals");
    for (size_t i = from; i < n; i++) {
        double all = waves->asked[i] + others->asked[i];

        sum += all;
        most = fmax(most, all);
    }
    if (!(sum > 0))
        return LK_OK;
    rest.n = n - from;
    rest.asked += from;
    rest.served += from;
    LK_TRY(lk_admission_shares(&rest, scratch, &blocks, shares, e));
    find(&s, sum / ((double)(n - from) * others->bin_s), 2 * most);
    (void)replay(&s, &s.best, -(double)INFINITY);
    *found = explains(&s, &rest, blocks.ln_likelihood) && episodes(&s) >= EPISODES_MIN;
    *out = s.best;
    return LK_OK;
}
