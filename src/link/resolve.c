/* Decides what the kept units were: learns their delays, links them, and has them counted. */
#include "base/time.h"
#include "link/load.h"
#include "link/pairing.h"

#include <math.h>
#include <string.h>

static const int64_t GOING_ON_NS = 600 * LK_NS_PER_S; /* a failure younger than this may still be answered */

static double seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

static bool may_go_on(const lk_resolution *x, const lk_unit *u)
{
    return !x->final && u->failed && x->end_ns - u->end_ns < GOING_ON_NS;
}

/* Enters a unit's delay into the evidence of its group, once. */
static lk_code count_delay(lk_resolution *x, lk_unit *u, lk_err *e)
{
    lk_grid grid = u->fraction ? LK_GRID_FINE : LK_GRID_WHOLE;
    const lk_edges *edges = &x->l->groups.edges[grid];
    size_t stratum = lk_groups_stratum(&x->l->groups, u->first_ns);
    lk_group_evidence *evidence;
    lk_delays *delays;

    if (u->counted || (u->next_ns == LK_TIME_NONE && may_go_on(x, u)))
        return LK_OK;
    LK_TRY(lk_groups_evidence(&x->l->groups, u->group, grid, &evidence, e));
    delays = u->failed ? &evidence->failures : &evidence->successes[stratum];
    if (u->failed)
        x->l->groups.items[u->group].failures[grid][stratum]++;
    if (u->next_ns == LK_TIME_NONE)
        lk_delays_add_cut(delays, edges, seconds(x->end_ns - u->end_ns));
    else
        lk_delays_add(delays, edges, seconds(u->next_ns - u->end_ns),
                      seconds(u->next_ns - u->first_ns));
    u->counted = true;
    return LK_OK;
}

/* The resolution that most of a group's failures have. */
static lk_grid main_grid(const lk_group *g)
{
    uint64_t fine = g->evidence[LK_GRID_FINE] ? g->evidence[LK_GRID_FINE]->failures.total : 0;
    uint64_t whole = g->evidence[LK_GRID_WHOLE] ? g->evidence[LK_GRID_WHOLE]->failures.total : 0;

    return whole > fine ? LK_GRID_WHOLE : LK_GRID_FINE;
}

static void learn(const struct lk_linker *l, const lk_part *p, lk_comebacks *out)
{
    const lk_group_evidence *evidence = p->group->evidence[p->grid];
    lk_control control;

    memset(out, 0, sizeof(*out));
    if (!evidence)
        return;
    lk_control_build(evidence->successes, p->group->failures[p->grid], &control);
    lk_comebacks_learn(&evidence->failures, &control, &l->groups.edges[p->grid], out);
}

/* Marks the chains that may go on, unless they would fill the store. */
static void keep_open_chains(lk_resolution *x)
{
    const lk_unit *units = x->l->units.items;
    size_t n = x->chains.count, open = 0;

    for (size_t i = 0; !x->final && i < n; i++) {
        size_t length = 1;
        int32_t tail = (int32_t)i;

        if (x->chains.prev[i] != LK_UNIT_NONE)
            continue;
        for (; x->chains.next[tail] != LK_UNIT_NONE; length++)
            tail = x->chains.next[tail];
        if (!may_go_on(x, &units[tail]))
            continue;
        open++;
        x->kept += length;
        for (int32_t at = (int32_t)i; at != LK_UNIT_NONE; at = x->chains.next[at])
            x->keep[at] = true;
    }
    if (x->kept <= x->l->units.max / 2)
        return;
    memset(x->keep, 0, n * sizeof(*x->keep));
    x->kept = 0;
    x->l->evicted += open;
}

static lk_code link_part(lk_resolution *x, lk_part *p, lk_err *e)
{
    lk_comebacks learnt;

    if (p->group->is_scheduled && !p->by_id)
        return LK_OK;
    if (!p->by_id && lk_pairing_is_crowded(&x->chains, &x->l->units, p->from, p->to)) {
        lk_pairing delay;

        LK_TRY(lk_pairing_delay(&x->chains, &x->l->units, p->from, p->to, p->resolution_s,
                                x->scratch, &delay, e));
        if (!isnan(delay.low_s)) {
            p->group->paired = true;
            return lk_pairing_link(&x->chains, &x->l->units, p->from, p->to, &delay, x->scratch,
                                   e);
        }
    }
    learn(x->l, p, &learnt);
    lk_chains_link(&x->chains, &x->l->units, p->from, p->to, &learnt,
                   &x->l->groups.edges[p->grid], p->resolution_s);
    if (!p->by_id && !learnt.any)
        lk_chains_link_told(&x->chains, &x->l->units, p->from, p->to);
    return LK_OK;
}

static lk_code count_part(lk_resolution *x, lk_part *p, lk_err *e)
{
    LK_TRY(lk_part_judge(x, p, e));
    lk_load_measure(x, p);
    return lk_part_count(x, p, e);
}

static lk_code each_part(lk_resolution *x,
                         lk_code (*work)(lk_resolution *x, lk_part *p, lk_err *e),
                         lk_err *e)
{
    const lk_unit *units = x->l->units.items;
    size_t n = x->chains.count;

    for (size_t from = 0, to; from < n; from = to) {
        uint16_t group = units[x->chains.order[from]].group;
        lk_part p = { .group = &x->l->groups.items[group], .from = from };

        for (to = from; to < n && units[x->chains.order[to]].group == group; to++)
            ;
        p.to = to;
        p.grid = main_grid(p.group);
        p.resolution_s = lk_grid_resolution_s(p.grid);
        p.by_id = lk_group_has_identity(x->l, p.group);
        LK_TRY(work(x, &p, e));
    }
    return LK_OK;
}

/* The new index of the unit, or of the first behind it in its queue that is kept. */
static int32_t next_kept(const lk_resolution *x, int32_t unit)
{
    while (unit >= 0 && !x->keep[unit])
        unit = x->l->units.items[unit].after;
    return unit >= 0 ? x->chains.prev[unit] : LK_UNIT_NONE;
}

/* Old index to new one, in chains.prev, which nobody needs any more. */
static size_t place_kept(lk_resolution *x)
{
    int32_t *moved = x->chains.prev;
    size_t to = 0;

    for (size_t i = 0; i < x->l->units.count; i++)
        moved[i] = x->keep[i] ? (int32_t)to++ : LK_UNIT_GONE;
    return to;
}

static void move_kept(lk_resolution *x, size_t count)
{
    lk_units *u = &x->l->units;
    const int32_t *moved = x->chains.prev;

    for (size_t i = 0; i < u->count; i++) { /* while the queues' old indices hold */
        lk_unit *unit = &u->items[i];

        if (!x->keep[i]) {
            lk_units_drop_more(u, unit);
            continue;
        }
        unit->prev = unit->prev >= 0 && x->keep[unit->prev] ? moved[unit->prev] : LK_UNIT_NONE;
        unit->after = next_kept(x, unit->after);
    }
    for (size_t i = 0; i < u->count; i++)
        if (x->keep[i])
            u->items[moved[i]] = u->items[i];
    u->count = count;
}

static void move_key(void *ctx, uint64_t key, void *entry)
{
    const lk_resolution *x = ctx;
    lk_key_past *past = lk_past_of(x->l, entry);

    (void)key;
    if (past && past->unit >= 0)
        past->unit = x->chains.prev[past->unit];
}

/* The kept ones of a queue, by their new places. */
static void move_queue(const lk_resolution *x, lk_id_state *queue)
{
    int32_t first = LK_UNIT_NONE, last = LK_UNIT_NONE;

    for (int32_t at = queue->unit; at >= 0; at = x->l->units.items[at].after)
        if (x->keep[at]) {
            first = first == LK_UNIT_NONE ? at : first;
            last = at;
        }
    queue->unit = first >= 0 ? x->chains.prev[first] : LK_UNIT_GONE;
    queue->last = last >= 0 ? x->chains.prev[last] : LK_UNIT_GONE;
}

static void move_id(void *ctx, uint64_t key, void *entry)
{
    const lk_resolution *x = ctx;
    lk_id_state *id = entry;

    (void)key;
    if (id->last >= 0)
        move_queue(x, id);
    else if (id->unit >= 0)
        id->unit = x->chains.prev[id->unit];
}

static lk_code resolve(lk_resolution *x, lk_err *e)
{
    lk_units *u = &x->l->units;
    size_t count;

    LK_TRY(lk_chains_sort(u, x->scratch, &x->chains, e));
    x->keep = LK_NEW(x->scratch, bool, u->count ? u->count : 1);
    if (!x->keep)
        return lk_fail(e, LK_EOOM, "no memory to decide %zu units", u->count);
    for (size_t i = 0; i < u->count; i++)
        LK_TRY(count_delay(x, &u->items[i], e));
    LK_TRY(each_part(x, link_part, e));
    keep_open_chains(x);
    LK_TRY(each_part(x, count_part, e));
    count = place_kept(x);
    lk_recent_each(&x->l->keys, move_key, x);
    lk_lru_each(&x->l->ids, move_id, x);
    move_kept(x, count);
    return LK_OK;
}

lk_code lk_units_resolve(struct lk_linker *l, int64_t end_ns, bool final, lk_err *e)
{
    lk_arena scratch;
    lk_resolution x = { .l = l, .scratch = &scratch, .end_ns = end_ns, .final = final };
    lk_code code;

    lk_arena_init(&scratch, 0);
    code = resolve(&x, e);
    return lk_arena_close(&scratch, code, e);
}
