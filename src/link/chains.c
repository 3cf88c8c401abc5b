#include "link/chains.h"

#include <stdlib.h>
#include <string.h>

enum { WAITING_MAX = 24 }; /* open failures that one key may have at a time */

struct sorted {
    uint64_t key;
    int64_t first_ns;
    uint32_t index;
    uint16_t group;
};

static int by_key(const void *pa, const void *pb)
{
    const struct sorted *a = pa, *b = pb;

    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->first_ns != b->first_ns)
        return a->first_ns < b->first_ns ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

lk_code lk_chains_sort(const lk_units *u, lk_arena *scratch, lk_chains *out, lk_err *e)
{
    size_t n = u->count;
    struct sorted *s = LK_NEW(scratch, struct sorted, n ? n : 1);

    out->count = n;
    out->order = LK_NEW(scratch, uint32_t, n ? n : 1);
    out->prev = LK_NEW(scratch, int32_t, n ? n : 1);
    out->next = LK_NEW(scratch, int32_t, n ? n : 1);
    if (!s || !out->order || !out->prev || !out->next)
        return lk_fail(e, LK_EOOM, "no memory to link %zu units", n);
    for (size_t i = 0; i < n; i++) {
        const lk_unit *unit = &u->items[i];

        s[i] = (struct sorted){ unit->key, unit->first_ns, (uint32_t)i, unit->group };
        out->prev[i] = out->next[i] = LK_UNIT_NONE;
    }
    qsort(s, n, sizeof(*s), by_key);
    for (size_t i = 0; i < n; i++)
        out->order[i] = s[i].index;
    return LK_OK;
}

/* Failures of one key that nothing answered yet, oldest first. */
struct waiting {
    uint32_t unit[WAITING_MAX];
    size_t count;
};

static void forget(struct waiting *w, size_t i)
{
    memmove(&w->unit[i], &w->unit[i + 1], (w->count - i - 1) * sizeof(w->unit[0]));
    w->count--;
}

static void wait_for(struct waiting *w, uint32_t unit)
{
    if (w->count == WAITING_MAX)
        forget(w, 0);
    w->unit[w->count++] = unit;
}

/* How well a failure explains an arrival: density of caused comebacks at that delay; 0: not at all. */
static double explains(const lk_unit *failure, const lk_unit *arrival, const lk_comebacks *learnt,
                       const lk_edges *edges, double resolution_s)
{
    double from_end = (double)(arrival->first_ns - failure->end_ns) / 1e9;
    double from_start = (double)(arrival->first_ns - failure->first_ns) / 1e9;
    int end = lk_edges_cell(edges, from_end), start = lk_edges_cell(edges, from_start);

    if (from_end < -resolution_s || end < 0 || start < 0 || (size_t)end >= edges->count ||
        (size_t)start >= edges->count)
        return 0;
    if (learnt->caused[LK_FROM_END][end] <= 0.5 || learnt->caused[LK_FROM_START][start] <= 0.5)
        return 0;
    return learnt->density[end];
}

static void join(lk_chains *c, uint32_t failure, uint32_t arrival)
{
    c->prev[arrival] = (int32_t)failure;
    c->next[failure] = (int32_t)arrival;
}

/* Gives an arrival the open failure that explains it best. */
static void answer(lk_chains *c, const lk_units *u, struct waiting *w, uint32_t arrival,
                   const lk_comebacks *learnt, const lk_edges *edges, double resolution_s)
{
    double best = 0;
    size_t who = w->count;

    for (size_t i = w->count; i-- > 0;) {
        double d = explains(&u->items[w->unit[i]], &u->items[arrival], learnt, edges, resolution_s);

        if (d > best) {
            best = d;
            who = i;
        }
    }
    if (who == w->count)
        return;
    join(c, w->unit[who], arrival);
    forget(w, who);
}

static void answer_known(lk_chains *c, struct waiting *w, uint32_t failure, uint32_t arrival)
{
    if (c->next[failure] == LK_UNIT_NONE)
        join(c, failure, arrival);
    for (size_t i = 0; i < w->count; i++)
        if (w->unit[i] == failure) {
            forget(w, i);
            return;
        }
}

void lk_chains_link(lk_chains *c, const lk_units *u, size_t from, size_t to,
                    const lk_comebacks *learnt, const lk_edges *edges, double resolution_s)
{
    struct waiting w = { .count = 0 };

    for (size_t i = from; i < to; i++) {
        uint32_t at = c->order[i];
        const lk_unit *unit = &u->items[at];

        if (i > from && unit->key != u->items[c->order[i - 1]].key)
            w.count = 0;
        if (unit->prev >= 0)
            answer_known(c, &w, (uint32_t)unit->prev, at);
        else if (learnt->any)
            answer(c, u, &w, at, learnt, edges, resolution_s);
        if (unit->failed && c->next[at] == LK_UNIT_NONE)
            wait_for(&w, at);
    }
}

/* ---- what the server asked for ---- */

enum { MET_MIN = 3, MET_PER_NEAR = 3 };

/* Place in `order` of the unit that comes next to the failure at order[at], when the server asked for a wait that says
 * something and the time until then is near it: from half of it to twice.  0: none. */
static size_t next_near(const lk_chains *c, const lk_units *u, size_t at, size_t to, bool *met)
{
    const lk_unit *failure = &u->items[c->order[at]];
    const int64_t least_ns = (failure->fraction ? 1 : 4) * LK_NS_PER_S;
    size_t next = at + 1;
    int64_t pause_ns;

    if (!failure->failed || failure->asked_ns < least_ns || c->next[c->order[at]] != LK_UNIT_NONE)
        return 0;
    if (next == to || u->items[c->order[next]].key != failure->key || c->prev[c->order[next]] != LK_UNIT_NONE)
        return 0;
    pause_ns = u->items[c->order[next]].first_ns - failure->end_ns;
    if (pause_ns < failure->asked_ns / 2 || pause_ns / 2 > failure->asked_ns)
        return 0;
    *met = lk_attempt_obeyed(pause_ns, failure->asked_ns, failure->fraction) == LK_OBEYED_EXACTLY;
    return next;
}

/* Next calls would fall before and behind the moment as well as on it, and most of the failures that asked would be
 * followed by one at another time. */
void lk_chains_link_told(lk_chains *c, const lk_units *u, size_t from, size_t to)
{
    size_t told = 0, exact = 0, near = 0;

    for (size_t i = from; i < to; i++) {
        const lk_unit *unit = &u->items[c->order[i]];
        bool met = false;

        told += unit->failed && unit->asked_ns > 0 && unit->next_ns != LK_TIME_NONE;
        if (next_near(c, u, i, to, &met)) {
            exact += met;
            near += !met;
        }
    }
    if (exact < MET_MIN + MET_PER_NEAR * near || 2 * exact <= told)
        return;
    for (size_t i = from; i < to; i++) {
        bool met = false;
        size_t next = next_near(c, u, i, to, &met);

        if (!next || !met)
            continue;
        c->next[c->order[i]] = (int32_t)c->order[next];
        c->prev[c->order[next]] = (int32_t)c->order[i];
    }
}
