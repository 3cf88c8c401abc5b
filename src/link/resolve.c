/* Decides what the kept units were: links them, tells layers apart, counts calls and tasks. */
#include "base/time.h"
#include "link/chains.h"
#include "link/kinds.h"
#include "link/state.h"

#include <math.h>
#include <string.h>

static const int64_t GOING_ON_NS = 600 * LK_NS_PER_S; /* a failure younger than this may still be answered */

/* One run of the decision. */
struct resolution {
    struct lk_linker *l;
    lk_arena *scratch;
    lk_chains chains;
    int64_t end_ns;
    bool final;
    bool *keep; /* [count] units that go on */
    size_t kept;
};

/* The units order[from..to) of one group. */
struct part {
    lk_group *group;
    lk_grid grid;
    size_t from, to;
    bool by_id;
    double resolution_s;
    double far_s;      /* a failure older than this was given up */
    uint32_t full;     /* attempts at which calls gave up; 0 = not seen often enough */
    uint32_t longest;
};

static double seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

static bool may_go_on(const struct resolution *x, const lk_unit *u)
{
    return !x->final && u->failed && x->end_ns - u->end_ns < GOING_ON_NS;
}

/* Enters a unit's delay into the evidence of its group, once. */
static lk_code count_delay(struct resolution *x, lk_unit *u, lk_err *e)
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

static void learn(const struct lk_linker *l, const struct part *p, lk_comebacks *out)
{
    const lk_group_evidence *evidence = p->group->evidence[p->grid];
    lk_control control;

    memset(out, 0, sizeof(*out));
    if (!evidence)
        return;
    lk_control_build(evidence->successes, p->group->failures[p->grid], &control);
    lk_comebacks_learn(&evidence->failures, &control, &l->groups.edges[p->grid], out);
}

/* Delays between the units of chains, into the scratch arena. */
static lk_code chain_delays(struct resolution *x, const struct part *p, lk_chain_delay **out,
                            size_t *count, lk_err *e)
{
    const lk_unit *units = x->l->units.items;
    lk_chain_delay *d = LK_NEW(x->scratch, lk_chain_delay, p->to - p->from);
    size_t n = 0;

    if (!d)
        return lk_fail(e, LK_EOOM, "no memory for the delays of a population");
    for (size_t i = p->from; i < p->to; i++) {
        int32_t at = (int32_t)x->chains.order[i];
        uint32_t position = 1;

        if (x->chains.prev[at] != LK_UNIT_NONE)
            continue;
        for (int32_t b; (b = x->chains.next[at]) != LK_UNIT_NONE; at = b, position++)
            d[n++] = (lk_chain_delay){ seconds(units[b].first_ns - units[at].end_ns), position };
    }
    *out = d;
    *count = n;
    return LK_OK;
}

/* Share of the steps from start to start that fall within `tolerance` of `delay_s`. */
static double control_share(const lk_group *g, const lk_edges *edges, lk_grid grid, double delay_s,
                            double tolerance_s)
{
    double hits = 0, all = 0;

    if (!g->evidence[grid])
        return 0;
    for (size_t s = 0; s < LK_STRATA; s++) {
        const lk_delays *d = &g->evidence[grid]->successes[s];

        all += (double)d->total;
        for (size_t b = 0; b < edges->count; b++)
            if (edges->at[b + 1] > delay_s - tolerance_s && edges->at[b] < delay_s + tolerance_s)
                hits += d->seen[LK_FROM_START][b];
    }
    return all > 0 ? hits / all : 0;
}

/* Calls after a good call start as long after it as those after a failed one: a schedule. */
static bool is_scheduled(struct resolution *x, const struct part *p, lk_chain_delay *room)
{
    const lk_unit *units = x->l->units.items;
    double middle, tolerance, near = 0;
    size_t n = 0;

    for (size_t i = p->from; i < p->to; i++) {
        uint32_t at = x->chains.order[i];

        if (units[at].failed && x->chains.next[at] != LK_UNIT_NONE &&
            units[at].next_ns != LK_TIME_NONE)
            room[n++] = (lk_chain_delay){ seconds(units[at].next_ns - units[at].first_ns), 1 };
    }
    if (n < 5)
        return false;
    (void)lk_kinds_cap(room, n);
    middle = lk_kinds_quantile(room, n, 0.5);
    tolerance = fmax(1.5 * p->resolution_s, 0.05 * middle);
    for (size_t i = 0; i < n; i++)
        near += fabs(room[i].delay_s - middle) <= tolerance;
    return near > 0.4 * (double)n &&
           control_share(p->group, &x->l->groups.edges[p->grid], p->grid, middle, tolerance) *
                   (double)n >=
               0.5 * near;
}

/* Whose delays are these?  Settled once for a population, on its first decision. */
static lk_code judge_layers(struct resolution *x, struct part *p, lk_err *e)
{
    lk_group *g = p->group;
    lk_chain_delay *delays = NULL;
    size_t n = 0;
    int cap;

    LK_TRY(chain_delays(x, p, &delays, &n, e));
    if (g->judged || n < 5)
        return LK_OK;
    cap = lk_kinds_cap(delays, n);
    g->call_cap = p->by_id ? 0 : cap;
    g->is_job = !p->by_id && !cap && g->population != UINT32_MAX &&
                lk_kinds_is_job(lk_intern_text(&x->l->symbols->populations, g->population),
                                delays, n);
    g->has_tasks = p->by_id || g->call_cap || g->is_job;
    g->delay_s[g->has_tasks && !g->call_cap] = lk_kinds_quantile(delays, n, 0.5);
    if (g->call_cap)
        g->delay_s[1] = lk_kinds_quantile(delays, n, 1 - 0.5 / g->call_cap);
    if (g->has_tasks && is_scheduled(x, p, delays))
        g->has_tasks = false;
    g->judged = true;
    return LK_OK;
}

/* Units of the chain that make the call which begins at position `at`. */
static bool ends_call(const struct part *p, size_t position)
{
    const lk_group *g = p->group;

    if (p->by_id || g->is_job)
        return true;
    return g->call_cap && position % (size_t)g->call_cap == 0;
}

struct open_call {
    lk_call call;
    int64_t first_ns, end_ns;
    uint32_t cap;
    bool failed, timed, any;
};

static void add_unit(struct open_call *c, const lk_unit *u)
{
    if (!c->any) {
        *c = (struct open_call){ .first_ns = u->first_ns, .end_ns = u->first_ns, .any = true };
        c->timed = u->has_took;
    } else if (u->first_ns > c->end_ns) {
        c->call.waited_ns += u->first_ns - c->end_ns;
    }
    c->call.lines += u->lines;
    c->call.attempts += u->attempts;
    c->call.rejected += u->rejected;
    c->call.waited_ns += u->waited_ns;
    c->end_ns = u->end_ns;
    c->cap = u->cap;
    c->failed = u->failed;
}

/* Calls `visit` for every call of the part that is not kept, and `end_task` after each chain. */
typedef void visit_call(struct resolution *x, struct part *p, struct open_call *call);
typedef void visit_task(struct resolution *x, struct part *p, uint64_t calls, uint64_t http);

static void walk_chain(struct resolution *x, struct part *p, int32_t head, visit_call *visit,
                       visit_task *end_task)
{
    const lk_unit *units = x->l->units.items;
    struct open_call call = { .any = false };
    uint64_t calls = 0, http = 0;
    size_t position = 0;

    for (int32_t at = head; at != LK_UNIT_NONE; at = x->chains.next[at]) {
        add_unit(&call, &units[at]);
        http += units[at].lines > units[at].attempts ? units[at].lines : units[at].attempts;
        if (!ends_call(p, ++position) && x->chains.next[at] != LK_UNIT_NONE)
            continue;
        visit(x, p, &call);
        call.any = false;
        calls++;
        if (!p->group->has_tasks && end_task) {
            end_task(x, p, 1, http);
            http = 0;
        }
    }
    if (p->group->has_tasks && end_task)
        end_task(x, p, calls, http);
}

static void walk_calls(struct resolution *x, struct part *p, visit_call *visit,
                       visit_task *end_task)
{
    for (size_t i = p->from; i < p->to; i++) {
        uint32_t at = x->chains.order[i];

        if (x->chains.prev[at] == LK_UNIT_NONE && !x->keep[at])
            walk_chain(x, p, (int32_t)at, visit, end_task);
    }
}

/* Pauses between the units of one call (those inside a unit were counted as it grew). */
static void count_pauses(struct resolution *x, struct part *p)
{
    const lk_unit *units = x->l->units.items;
    size_t position;

    for (size_t i = p->from; i < p->to; i++) {
        int32_t at = (int32_t)x->chains.order[i];

        if (x->chains.prev[at] != LK_UNIT_NONE || x->keep[at])
            continue;
        position = 0;
        for (int32_t b; (b = x->chains.next[at]) != LK_UNIT_NONE; at = b)
            if (!ends_call(p, ++position)) {
                p->group->pauses[lk_pause_cell(units[b].first_ns - units[at].end_ns)]++;
                p->group->pause_count++;
                lk_count_obedience(x->l, units[b].first_ns - units[at].end_ns, units[at].asked_ns,
                                   units[b].fraction);
            }
    }
}

static double pause_quantile_s(const lk_group *g, double q)
{
    uint64_t seen = 0;

    for (size_t cell = 0; cell <= LK_PAUSES_MAX; cell++) {
        seen += g->pauses[cell];
        if ((double)seen >= q * (double)g->pause_count)
            return lk_pause_value_s(cell);
    }
    return lk_pause_value_s(LK_PAUSES_MAX);
}

static void note_length(struct resolution *x, struct part *p, struct open_call *c)
{
    uint32_t length = c->call.attempts < LK_LENGTHS ? (uint32_t)c->call.attempts : LK_LENGTHS;

    if (length > p->longest)
        p->longest = length;
    if (c->failed && seconds(x->end_ns - c->end_ns) > p->far_s)
        p->group->gave_up[length]++;
}

static bool is_open(const struct resolution *x, const struct part *p, const struct open_call *c)
{
    if (!x->final || !c->failed || seconds(x->end_ns - c->end_ns) > p->far_s)
        return false;
    if (c->cap)
        return c->call.attempts < c->cap;
    if (p->full)
        return c->call.attempts < p->full;
    return p->group->pause_count >= 5;
}

static void count_call(struct resolution *x, struct part *p, struct open_call *c)
{
    c->call.span_ns = c->timed && !c->failed ? c->end_ns - c->first_ns : -1;
    if (is_open(x, p, c))
        c->call.fate = LK_FATE_OPEN;
    else if (c->failed)
        c->call.fate = LK_FATE_FAILED;
    else
        c->call.fate = c->call.lines > 1 || c->call.attempts > 1 ? LK_FATE_RECOVERED
                                                                 : LK_FATE_FIRST;
    lk_count_call(x->l, p->group, &c->call);
}

static void count_task(struct resolution *x, struct part *p, uint64_t calls, uint64_t http)
{
    lk_call_counts *c = &p->group->counts;

    (void)x;
    c->tasks++;
    c->task_calls += calls;
    if (calls > c->task_most_calls)
        c->task_most_calls = calls;
    if (http > c->task_most_http)
        c->task_most_http = http;
}

static void count_tries(struct resolution *x, const struct part *p)
{
    for (size_t i = p->from; i < p->to; i++) {
        const lk_unit *u = &x->l->units.items[x->chains.order[i]];

        if (!u->last_no || x->keep[x->chains.order[i]])
            continue;
        p->group->counts.tries += u->lines;
        p->group->counts.tried += u->lines - u->tries;
    }
}

/* Marks the chains that may go on, unless they would fill the store. */
static void keep_open_chains(struct resolution *x)
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

static lk_code link_part(struct resolution *x, struct part *p, lk_err *e)
{
    lk_comebacks learnt;

    (void)e;
    learn(x->l, p, &learnt);
    lk_chains_link(&x->chains, &x->l->units, p->from, p->to, &learnt,
                   &x->l->groups.edges[p->grid], p->resolution_s);
    return LK_OK;
}

static lk_code count_part(struct resolution *x, struct part *p, lk_err *e)
{
    LK_TRY(judge_layers(x, p, e));
    count_pauses(x, p);
    p->far_s = p->group->pause_count >= 5
                   ? 1.3 * pause_quantile_s(p->group, 0.995) + 1.5 * p->resolution_s
                   : 0;
    walk_calls(x, p, note_length, NULL);
    for (uint32_t n = LK_LENGTHS; n > 0 && !p->full; n--)
        if (p->group->gave_up[n]) {
            p->full = p->group->gave_up[n] >= 3 ? n : 0;
            break;
        }
    walk_calls(x, p, count_call, count_task);
    count_tries(x, p);
    return LK_OK;
}

static lk_code each_part(struct resolution *x,
                         lk_code (*work)(struct resolution *x, struct part *p, lk_err *e),
                         lk_err *e)
{
    const lk_unit *units = x->l->units.items;
    size_t n = x->chains.count;

    for (size_t from = 0, to; from < n; from = to) {
        uint16_t group = units[x->chains.order[from]].group;
        struct part p = { .group = &x->l->groups.items[group], .from = from };

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

/* Old index to new one, in chains.prev, which nobody needs any more. */
static void move_kept(struct resolution *x)
{
    lk_units *u = &x->l->units;
    int32_t *moved = x->chains.prev;
    size_t to = 0;

    for (size_t i = 0; i < u->count; i++)
        moved[i] = x->keep[i] ? (int32_t)to++ : LK_UNIT_GONE;
    for (size_t i = 0; i < u->count; i++) {
        lk_unit unit = u->items[i];

        if (!x->keep[i])
            continue;
        unit.prev = unit.prev >= 0 && x->keep[unit.prev] ? moved[unit.prev] : LK_UNIT_NONE;
        u->items[moved[i]] = unit;
    }
    u->count = to;
}

static void move_key(void *ctx, uint64_t key, void *entry)
{
    const struct resolution *x = ctx;
    lk_key_state *k = entry;

    (void)key;
    if (k->unit >= 0)
        k->unit = x->chains.prev[k->unit];
}

static void move_id(void *ctx, uint64_t key, void *entry)
{
    const struct resolution *x = ctx;
    lk_id_state *id = entry;

    (void)key;
    if (id->unit >= 0)
        id->unit = x->chains.prev[id->unit];
}

static lk_code resolve(struct resolution *x, lk_err *e)
{
    lk_units *u = &x->l->units;

    LK_TRY(lk_chains_sort(u, x->scratch, &x->chains, e));
    x->keep = LK_NEW(x->scratch, bool, u->count ? u->count : 1);
    if (!x->keep)
        return lk_fail(e, LK_EOOM, "no memory to decide %zu units", u->count);
    for (size_t i = 0; i < u->count; i++)
        LK_TRY(count_delay(x, &u->items[i], e));
    LK_TRY(each_part(x, link_part, e));
    keep_open_chains(x);
    LK_TRY(each_part(x, count_part, e));
    move_kept(x);
    lk_lru_each(&x->l->keys, move_key, x);
    lk_lru_each(&x->l->ids, move_id, x);
    return LK_OK;
}

lk_code lk_units_resolve(struct lk_linker *l, int64_t end_ns, bool final, lk_err *e)
{
    lk_arena scratch;
    struct resolution x = { .l = l, .scratch = &scratch, .end_ns = end_ns, .final = final };
    lk_code code;

    lk_arena_init(&scratch, 0);
    code = resolve(&x, e);
    lk_arena_release(&scratch);
    return code;
}
