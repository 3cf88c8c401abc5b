#include "link/load.h"

#include "base/whole.h"

#include <math.h>

/* BURST_MIN: retries at once that a caller makes in a row; shipped defaults end at 5. */
enum { FAILED_MIN = 20, STARTS_MAX = 64, BURST_MIN = 8 };

static const int64_t AT_ONCE_NS = INT64_C(1000000000);
static const int64_t BREAK_NS = 3 * INT64_C(1000000000);
static const double CLOSE_SHARE = 0.1;

static const double LINKED_MAX = 0.5; /* the next start is the comeback more often than not */
static const double COUNTED_MAX = 1.0;
/* Where no delay was learnt: retries wait for seconds, rarely longer than that at first. */
static const int64_t PLAUSIBLE_NS = 10 * INT64_C(1000000000);

/* Starts of the same key after the failure at order[at] and before until_ns, the comeback aside. */
static uint32_t starts_within(const lk_chains *c, const lk_units *u, size_t at, size_t to,
                              int64_t until_ns)
{
    const lk_unit *failure = &u->items[c->order[at]];
    int32_t comeback = c->next[c->order[at]];
    uint32_t n = 0;

    for (size_t j = at + 1; j < to && n < STARTS_MAX; j++) {
        const lk_unit *other = &u->items[c->order[j]];

        if (other->key != failure->key || other->first_ns >= until_ns)
            break;
        n += (int32_t)c->order[j] != comeback && other->first_ns >= failure->end_ns;
    }
    return n;
}

/* Is the next start of the key much nearer than those after it follow each other?  One caller's own
 * starts are spaced; those of several are not: of independent ones every sixth is so near. */
static bool is_out_of_turn(const lk_chains *c, const lk_units *u, size_t at, size_t to)
{
    const lk_unit *failure = &u->items[c->order[at]];
    const lk_unit *fourth = at + 4 < to ? &u->items[c->order[at + 4]] : NULL;
    const lk_unit *next = fourth ? &u->items[c->order[at + 1]] : NULL;
    int64_t reach_ns = fourth ? fourth->first_ns - failure->first_ns : 0;

    return fourth && fourth->key == failure->key &&
           next->first_ns - failure->first_ns < reach_ns / 16 + (reach_ns % 16 > 0);
}

/* A chain of many comebacks at once, then a pause, and again: no caller waits like that; several
 * behind one key, who come back together, do. */
static uint64_t burst_links(const lk_chains *c, const lk_units *u, int32_t head)
{
    uint64_t found = 0, run = 0;

    for (int32_t a = head, b; (b = c->next[a]) != LK_UNIT_NONE; a = b) {
        int64_t pause_ns = u->items[b].first_ns - u->items[a].end_ns;

        if (pause_ns <= AT_ONCE_NS) {
            run++;
            continue;
        }
        if (run >= BURST_MIN && pause_ns >= BREAK_NS)
            found += run;
        run = 0;
    }
    return found;
}

/* Delays that explain few of the failures are not those of the population. */
static int64_t typical_delay_ns(const lk_group *g, uint64_t links, uint64_t failures)
{
    double delay_s = !isnan(g->delay_s[0]) ? g->delay_s[0] : g->delay_s[1];

    return 3 * links >= failures && !isnan(delay_s) ? lk_whole(delay_s * 1e9) : PLAUSIBLE_NS;
}

void lk_load_measure(const lk_resolution *x, const lk_part *p)
{
    const lk_units *u = &x->l->units;
    lk_group *g = p->group;
    uint64_t failures = 0;
    int64_t typical_ns;

    if (p->by_id)
        return;
    for (size_t i = p->from; i < p->to; i++) {
        uint32_t at = x->chains.order[i];

        if (x->keep[at])
            continue;
        failures += u->items[at].failed;
        g->links += x->chains.next[at] != LK_UNIT_NONE;
        if (x->chains.prev[at] == LK_UNIT_NONE)
            g->burst_links += burst_links(&x->chains, u, (int32_t)at);
    }
    typical_ns = typical_delay_ns(g, g->links, g->load_failures + failures);
    for (size_t i = p->from; i < p->to; i++) {
        uint32_t at = x->chains.order[i];
        int32_t next = x->chains.next[at];
        int64_t until_ns = next != LK_UNIT_NONE ? u->items[next].first_ns
                                                : u->items[at].end_ns + typical_ns;

        if (!u->items[at].failed || x->keep[at])
            continue;
        g->load_failures++;
        g->load_close += is_out_of_turn(&x->chains, u, i, p->to);
        g->load_starts += starts_within(&x->chains, u, i, p->to, until_ns);
    }
}

double lk_group_load(const lk_group *g)
{
    return g->load_failures >= FAILED_MIN ? (double)g->load_starts / (double)g->load_failures
                                          : (double)NAN;
}

bool lk_group_is_known(const struct lk_linker *l, const lk_group *g)
{
    return lk_group_regime(l, g) != LK_REGIME_UNKNOWN;
}

/* One caller's own starts: what comes after a failure is all there is. */
static bool is_one_caller(const lk_group *g)
{
    return (double)g->load_close < CLOSE_SHARE * (double)g->load_failures;
}

lk_regime lk_group_regime(const struct lk_linker *l, const lk_group *g)
{
    double load = lk_group_load(g);

    if (isnan(load) || lk_group_has_identity(l, g))
        return LK_REGIME_LINKED;
    if (g->paired)
        return 5 * g->links >= 3 * g->load_failures ? LK_REGIME_COUNTED : LK_REGIME_UNKNOWN;
    if (!g->call_cap && g->links && 2 * g->burst_links > g->links)
        return LK_REGIME_UNKNOWN;
    if (load <= (g->links ? LINKED_MAX : COUNTED_MAX) || is_one_caller(g))
        return LK_REGIME_LINKED;
    return load <= COUNTED_MAX && g->narrow ? LK_REGIME_COUNTED : LK_REGIME_UNKNOWN;
}
