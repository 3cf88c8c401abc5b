#include "infer/herd.h"

#include "base/whole.h"
#include "infer/stats.h"

#include <math.h>
#include <stdlib.h>

#define EPISODE_PAUSE 3.5 /* delays without a comeback end an episode                     */
#define REPEATS 0.25      /* share of the chances to repeat a delay that make it a period */
#define CYCLE_SPREAD 0.05 /* a cycle's turns differ by less than this share              */
#define SLOP_S 0.05       /* phases finer than this are the clients' own noise            */
#define SAME_CALLERS 0.6
#define WIDENED 0.2
#define GOLDEN 0.6180339887

enum { WALK_MAX = 64, CYCLE_TURNS_LEAST = 8, SYNC_MEMBERS_LEAST = 5, SYNC_CALLERS_LEAST = 4 };

static bool is_member(const lk_constant *c, const lk_stride *s)
{
    return s->failed && lk_constant_holds(c, s);
}

static int by_return(const void *a, const void *b)
{
    const lk_member *x = a, *y = b;

    if (x->back_s < y->back_s || x->back_s > y->back_s)
        return x->back_s < y->back_s ? -1 : 1;
    return (x->stride > y->stride) - (x->stride < y->stride);
}

/* `only` may be NULL: all callers.  `out` may be NULL: only counts. */
static size_t list_members(const lk_strides *s, const lk_constant *c, const bool *only,
                           lk_member *out)
{
    size_t count = 0;

    for (size_t i = 0; i < s->n; i++) {
        if (!is_member(c, &s->row[i]) || (only && !only[s->row[i].unit]))
            continue;
        if (out)
            out[count] = (lk_member){ .stride = i,
                                      .back_s = s->row[i].at_s + s->row[i].gap_s,
                                      .link = LK_NO_MEMBER };
        count++;
    }
    if (out)
        qsort(out, count, sizeof(*out), by_return);
    return count;
}

/* The next member of the same caller along failures; `of` maps strides to members. */
static size_t follow(const lk_strides *s, const lk_herd *h, const size_t *of, size_t i)
{
    uint32_t at = s->row[h->member[i].stride].next;

    for (size_t step = 0; step < WALK_MAX && at != LK_NO_STRIDE && s->row[at].failed; step++) {
        if (of[at] != 0)
            return of[at] - 1;
        at = s->row[at].next;
    }
    return LK_NO_MEMBER;
}

static void link_members(const lk_strides *s, lk_herd *h, size_t *of)
{
    for (size_t i = 0; i < h->count; i++)
        of[h->member[i].stride] = i + 1;
    for (size_t i = 0; i < h->count; i++)
        h->member[i].link = follow(s, h, of, i);
}

static double gap_of(const lk_strides *s, const lk_herd *h, size_t i)
{
    return s->row[h->member[i].stride].gap_s;
}

static double mean_gap(const lk_strides *s, const lk_herd *h, size_t from, size_t to)
{
    double sum = 0.0;

    for (size_t i = from; i < to; i++)
        sum += gap_of(s, h, i);
    return to > from ? sum / (double)(to - from) : (double)NAN;
}

/* The largest run of members without a long pause; a link that spans the pause bridges it. */
static void find_episode(const lk_strides *s, lk_herd *h)
{
    double pause = EPISODE_PAUSE * mean_gap(s, h, 0, h->count), reach = 0.0;
    size_t from = 0;

    for (size_t i = 0; i < h->count; i++) {
        const lk_member *m = &h->member[i];

        reach = fmax(reach, m->back_s + pause);
        if (m->link != LK_NO_MEMBER)
            reach = fmax(reach, h->member[m->link].back_s);
        if (i + 1 < h->count && h->member[i + 1].back_s <= reach)
            continue;
        if (i + 1 - from > h->to - h->from) {
            h->from = from;
            h->to = i + 1;
        }
        from = i + 1;
    }
}

/* Gaps that stray into each resolution of the constant, as those beside its peak do. */
static double strays(const lk_strides *s, const lk_herd *h)
{
    const lk_constant *c = &h->constant;
    double core = 0.0;

    for (size_t i = h->from; i < h->to; i++) {
        double value = lk_stride_value(&s->row[h->member[i].stride], c->measure);

        core += value >= c->core_low_s && value < c->core_high_s;
    }
    return c->beside * core * s->resolution_s / fmax(c->core_high_s - c->core_low_s, 1e-9);
}

/* The typed constant. */
static void measure_delay(const lk_strides *s, lk_herd *h, double *value)
{
    size_t n = h->to - h->from;
    double spread;

    for (size_t i = 0; i < n; i++)
        value[i] = lk_stride_value(&s->row[h->member[h->from + i].stride], LK_MEASURE_PAUSE);
    h->delay_s = lk_typical(value, n, s->resolution_s, strays(s, h));
    spread = fmax(lk_spread(value, n, h->delay_s), s->resolution_s / sqrt(12.0));
    h->delay_error_s = spread / sqrt((double)n);
}

/* What a turn usually takes where the delay repeats at once. */
static double typical_gap(const lk_strides *s, const lk_herd *h, double *value)
{
    for (size_t i = h->from; i < h->to; i++)
        value[i - h->from] = gap_of(s, h, i);
    return lk_typical(value, h->to - h->from, s->resolution_s, strays(s, h));
}

/* ---- do they come together? --------------------------------------------------------------- */

/* How often each caller returned in the episode; gives how many did. */
static size_t count_returns(const lk_strides *s, const lk_herd *h, double *returns)
{
    size_t callers = 0;

    for (size_t i = h->from; i < h->to; i++)
        callers += (returns[s->row[h->member[i].stride].unit] += 1.0) < 1.5;
    return callers;
}

/* One phase a caller that has a vote: its first return in the episode, coarse stamps spread over their width. */
static size_t first_phases(const lk_strides *s, const lk_herd *h, double *returns, double *phase)
{
    double least = lk_vote_least(returns, s->unit_count);
    size_t count = 0;

    for (size_t i = h->from; i < h->to; i++) {
        uint32_t unit = s->row[h->member[i].stride].unit;
        double at = h->member[i].back_s;

        if (returns[unit] <= 0.0 || returns[unit] < least)
            continue;
        returns[unit] = 0.0; /* it has voted */
        if (s->resolution_s > SLOP_S)
            at += s->resolution_s * fmod((double)unit * GOLDEN, 1.0);
        phase[count++] = fmod(at / h->gap_s, 1.0);
    }
    return count;
}

static void test_together(const lk_strides *s, lk_herd *h, double *returns, double *phase)
{
    double finest = h->gap_s / (3.0 * fmax(s->resolution_s, SLOP_S));
    unsigned most = lk_whole_u32(fmin(fmax(finest, 1.0), 10.0));
    size_t voters;

    h->callers = count_returns(s, h, returns);
    voters = first_phases(s, h, returns, phase);
    if (h->to - h->from < SYNC_MEMBERS_LEAST || voters < SYNC_CALLERS_LEAST)
        return;
    h->ln_sync = -0.4 * lk_h_test(phase, voters, most);
    h->resultant = lk_resultant(phase, voters);
}

/* ---- how often? --------------------------------------------------------------------------- */

static bool is_immediate(const lk_strides *s, const lk_herd *h, size_t i)
{
    return h->member[i].link != LK_NO_MEMBER &&
           s->row[h->member[i].stride].next == h->member[h->member[i].link].stride;
}

/* Did the return fail and its caller come again, so that the delay could have been repeated? */
static bool could_repeat(const lk_strides *s, const lk_member *m)
{
    uint32_t next = s->row[m->stride].next;

    return next != LK_NO_STRIDE && s->row[next].failed && isfinite(s->row[next].gap_s);
}

typedef struct repeats {
    size_t chances, at_once, turns;
} repeats;

static repeats count_repeats(const lk_strides *s, const lk_herd *h)
{
    repeats r = { 0 };

    for (size_t i = h->from; i < h->to; i++) {
        r.chances += could_repeat(s, &h->member[i]);
        r.at_once += is_immediate(s, h, i);
        r.turns += h->member[i].link != LK_NO_MEMBER;
    }
    return r;
}

static size_t list_turns(const lk_herd *h, double *turn)
{
    size_t count = 0;

    for (size_t i = h->from; i < h->to; i++)
        if (h->member[i].link != LK_NO_MEMBER)
            turn[count++] = h->member[h->member[i].link].back_s - h->member[i].back_s;
    return count;
}

/* The mean of the turns within the cycle's tolerance of their median; NAN when they differ. */
static double cycle_of(const lk_strides *s, const lk_herd *h, double *turn)
{
    size_t count = list_turns(h, turn), kept = 0;
    double middle = lk_median(turn, count), sum = 0.0;
    double reach = fmax(CYCLE_SPREAD * middle, 1.2 * s->resolution_s);

    if (count < CYCLE_TURNS_LEAST || lk_spread(turn, count, middle) > 1.4826 * reach)
        return (double)NAN;
    count = list_turns(h, turn);
    for (size_t i = 0; i < count; i++)
        if (fabs(turn[i] - middle) <= 2.0 * reach) {
            sum += turn[i];
            kept++;
        }
    return sum / (double)kept;
}

static void cut_long_links(const lk_strides *s, lk_herd *h)
{
    for (size_t i = 0; i < h->count; i++)
        if (!is_immediate(s, h, i))
            h->member[i].link = LK_NO_MEMBER;
}

static void find_period(const lk_strides *s, lk_herd *h, double *turn)
{
    repeats r = count_repeats(s, h);
    double least = REPEATS * (double)r.chances;

    h->period_s = (double)NAN;
    h->chances = r.chances;
    h->linked = r.chances > 0 ? (double)r.turns / (double)r.chances : (double)NAN;
    if (r.at_once >= 3 && (double)r.at_once >= least) {
        h->period_s = h->gap_s;
        h->links = r.at_once;
        h->linked = (double)r.at_once / (double)r.chances;
        cut_long_links(s, h);
    } else if ((double)r.turns >= least) {
        h->period_s = cycle_of(s, h, turn);
        h->is_cycle = true;
        h->links = r.turns;
    }
}

/* `only` may be NULL. */
typedef struct gathering {
    const lk_strides *s;
    const bool *only; /* callers */
    lk_arena *a, *scratch;
} gathering;

static lk_code gather(const gathering *g, const lk_constant *c, lk_herd *out, lk_err *e)
{
    const lk_strides *s = g->s;
    lk_herd h = { .constant = *c, .count = list_members(s, c, g->only, NULL) };
    size_t *of = LK_NEW(g->scratch, size_t, s->n);
    double *returns = LK_NEW(g->scratch, double, s->unit_count);
    double *work = LK_NEW(g->scratch, double, h.count);

    h.member = LK_NEW(g->a, lk_member, h.count);
    if (!h.member || !of || !returns || !work)
        return lk_fail(e, LK_EOOM, "no memory for the comebacks of %zu steps", s->n);
    h.count = list_members(s, c, g->only, h.member);
    h.period_s = h.delay_s = h.gap_s = (double)NAN;
    if (h.count > 0) {
        link_members(s, &h, of);
        find_episode(s, &h);
        h.gap_s = typical_gap(s, &h, work);
        test_together(s, &h, returns, work);
        find_period(s, &h, work);
        measure_delay(s, &h, work);
    }
    *out = h;
    return LK_OK;
}

lk_code lk_herd_gather(const lk_strides *s, const lk_constant *c, lk_arena *a, lk_arena *scratch,
                       lk_herd *out, lk_err *e)
{
    lk_mark mark = lk_arena_mark(scratch);
    gathering g = { s, NULL, a, scratch };

    LK_TRY(gather(&g, c, out, e));
    lk_arena_rewind(scratch, mark);
    return LK_OK;
}

lk_code lk_herd_widen(const lk_strides *s, const lk_herd *h, lk_arena *a, lk_arena *scratch,
                      lk_herd *out, lk_err *e)
{
    lk_mark mark = lk_arena_mark(scratch);
    lk_constant c = h->constant;
    bool *only = LK_NEW(scratch, bool, s->unit_count);
    gathering g = { s, only, a, scratch };
    double middle = lk_constant_middle(&c);

    if (!only)
        return lk_fail(e, LK_EOOM, "no memory for %zu callers", s->unit_count);
    for (size_t i = h->from; i < h->to; i++)
        only[s->row[h->member[i].stride].unit] = true;
    c.low_s = fmin(c.low_s, (1.0 - WIDENED) * middle);
    c.high_s = fmax(c.high_s, (1.0 + WIDENED) * middle);
    LK_TRY(gather(&g, &c, out, e));
    lk_arena_rewind(scratch, mark);
    return LK_OK;
}

lk_code lk_herd_is_of(const lk_strides *s, const lk_herd *inner, const lk_herd *outer,
                      lk_arena *scratch, bool *out, lk_err *e)
{
    lk_mark mark = lk_arena_mark(scratch);
    bool *seen = LK_NEW(scratch, bool, s->unit_count);
    size_t same = 0;

    if (!seen)
        return lk_fail(e, LK_EOOM, "no memory for %zu callers", s->unit_count);
    for (size_t i = 0; i < outer->count; i++)
        seen[s->row[outer->member[i].stride].unit] = true;
    for (size_t i = 0; i < inner->count; i++)
        same += seen[s->row[inner->member[i].stride].unit];
    *out = (double)same >= SAME_CALLERS * (double)inner->count;
    lk_arena_rewind(scratch, mark);
    return LK_OK;
}
