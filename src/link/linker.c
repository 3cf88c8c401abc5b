#include "link/linker.h"
#include "base/time.h"
#include "base/whole.h"
#include "link/load.h"
#include "link/state.h"

#include <stdlib.h>

static const int64_t WATCH_NS =
    600 * LK_NS_PER_S; /* every unit of a key is kept so long after a failure */
static const int64_t EARLY_NS = 60 * LK_NS_PER_S;
enum { WATCH_UNITS = 32, SEEN_GOOD_MAX = 4096 }; /* ... and so many, up to an hour */

lk_code lk_linker_open(const lk_linker_options *options, const lk_symbols *symbols, lk_linker **out,
                       lk_err *e)
{
    lk_linker *l = calloc(1, sizeof(*l));
    lk_code code;

    if (!l)
        return lk_fail(e, LK_EOOM, "no memory to link attempts");
    l->options = *options;
    l->symbols = symbols;
    lk_units_init(&l->units, options->units_max);
    lk_groups_init(&l->groups);
    l->first_ns = LK_TIME_NONE;
    code = lk_recent_init(&l->keys, sizeof(lk_key_state), options->keys_max, options->seed, e);
    if (code == LK_OK)
        code = lk_lru_init(&l->ids, sizeof(lk_id_state), options->ids_max, options->seed, e);
    if (code == LK_OK)
        code = lk_lru_init(&l->good, sizeof(int32_t), SEEN_GOOD_MAX, options->seed, e);
    if (code != LK_OK) {
        lk_linker_close(l);
        return code;
    }
    *out = l;
    return LK_OK;
}

void lk_linker_close(lk_linker *l)
{
    if (!l)
        return;
    lk_groups_release(&l->groups);
    lk_units_release(&l->units);
    lk_recent_release(&l->keys);
    lk_lru_release(&l->ids);
    lk_lru_release(&l->good);
    free(l->pasts.items);
    free(l);
}

static lk_grid grid_of(bool fraction)
{
    return fraction ? LK_GRID_FINE : LK_GRID_WHOLE;
}

static double seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

/* So near the begin of the log that attempts before it may be missing: an SDK's longest waits. */
bool lk_is_early(const struct lk_linker *l, int64_t at_ns)
{
    return at_ns - l->first_ns < EARLY_NS;
}

static void count_success_time(struct lk_linker *l, int64_t span_ns, int64_t waited_ns)
{
    l->timed++;
    l->spans[lk_pause_cell(span_ns)]++;
    l->span_sum_ns = lk_later(l->span_sum_ns, span_ns);
    l->waited_sum_ns = lk_later(l->waited_sum_ns, waited_ns);
    if (span_ns > l->span_max_ns)
        l->span_max_ns = span_ns;
}

static uint16_t number_of(const struct lk_linker *l, const lk_group *g)
{
    return (uint16_t)(g - l->groups.items);
}

lk_code lk_count_call(struct lk_linker *l, lk_group *g, lk_call *call, lk_err *e)
{
    uint64_t http = lk_call_http(call);

    call->group = number_of(l, g);
    lk_call_counts_add(&g->counts, call);
    l->lengths[http < LK_LENGTHS_MAX ? http : LK_LENGTHS_MAX]++;
    if (call->span_ns >= 0)
        count_success_time(l, call->span_ns, call->waited_ns);
    return l->options.on_call ? l->options.on_call(l->options.ctx, call, g->population, e) : LK_OK;
}

lk_code lk_count_task(struct lk_linker *l, lk_group *g, lk_task *task, lk_err *e)
{
    task->group = number_of(l, g);
    lk_call_counts_add_task(&g->counts, task);
    return l->options.on_task ? l->options.on_task(l->options.ctx, task, e) : LK_OK;
}

/* A pause inside a unit that no attempt number places: the evidence for a second layer in it. */
static lk_code note_position(lk_group *g, uint32_t position, size_t cell, lk_err *e)
{
    if (!g->positions)
        g->positions = calloc(LK_POSITIONS, sizeof(*g->positions));
    if (!g->positions)
        return lk_fail(e, LK_EOOM, "no memory for the pauses of a population");
    g->positions[position < LK_POSITIONS ? position : LK_POSITIONS - 1][cell]++;
    return LK_OK;
}

static void set_last(lk_unit *u, const lk_attempt *a)
{
    u->end_ns = a->end_ns;
    u->asked_ns = a->retry_after_ns;
    u->status = a->status;
    u->failed = a->failed;
    u->left = a->gave_up;
    u->refused = a->rejected;
    if (a->attempt_max > 0)
        u->cap = (uint32_t)a->attempt_max;
}

static lk_code extend_unit(lk_unit *u, lk_unit_more *m, lk_group *g, const lk_attempt *a, uint8_t column,
                           lk_err *e)
{
    int64_t pause = a->start_ns > u->end_ns ? a->start_ns - u->end_ns : 0;
    uint32_t no = a->attempt_no > 0 ? (uint32_t)a->attempt_no : 0;
    bool is_try = a->try_no > 1, uncounted = lk_is_uncounted(g, u, a);

    m->last_ns = a->start_ns;
    m->last_caller = a->caller;
    m->rejected += a->rejected;
    m->refusals = m->refusals << 1 | a->rejected;
    g->has_grown |= no > u->last_no && u->last_no;
    if (!is_try) { /* a proxy's pauses are not the caller's */
        size_t cell = lk_pause_cell(pause);

        m->waited_ns = lk_later(m->waited_ns, pause);
        m->pause_ns = pause;
        g->pauses[cell]++;
        g->pause_count++;
        if (!no)
            LK_TRY(note_position(g, m->lines - m->tries, cell, e));
    }
    u->insists |= lk_status_is_hopeless(u->status);
    m->lines++;
    m->tries += is_try || (no && no == u->last_no && !uncounted);
    if (no) {
        u->attempts = uncounted ? m->lines - m->tries : no > u->attempts ? no : u->attempts;
        u->last_no = no;
    } else if (!u->last_no) {
        u->attempts = m->lines - m->tries;
    }
    if (column)
        u->column = column;
    u->by_id = true;
    set_last(u, a);
    return LK_OK;
}

/* Of the attempt that a kept unit took last; who prints attempts asks for it. */
static void place_in(lk_linker *l, const lk_unit *u, const lk_attempt *a, bool is_try,
                     int64_t pause_ns)
{
    lk_unit_more m;

    if (!l->options.on_unit)
        return;
    m = lk_units_more(&l->units, u);
    l->place = (lk_place){
        .unit = lk_unit_name(u->key, u->first_ns, u->alike),
        .index = m.lines - m.tries - 1,
        .no = a->attempt_no > 0 ? (uint32_t)a->attempt_no : 0,
        .pause_ns = pause_ns,
        .group = u->group,
        .is_try = is_try,
    };
}

static lk_unit begin_unit(const lk_attempt *a, uint16_t group)
{
    uint32_t no = a->attempt_no > 0 ? (uint32_t)a->attempt_no : 0;
    lk_unit u = {
        .key = a->key,
        .caller = a->caller,
        .first_ns = a->start_ns,
        .next_ns = LK_TIME_NONE,
        .prev = LK_UNIT_NONE,
        .after = LK_UNIT_NONE,
        .attempts = no > 1 ? no : 1,
        .last_no = no,
        .late = no > 1,
        .value = a->value,
        .above = a->above,
        .group = group,
        .fraction = a->fraction,
        .has_took = a->has_took,
    };

    set_last(&u, a);
    return u;
}

/* The key's last unit was a success that nobody watches: its delay goes to the control. */
static lk_code count_control(lk_linker *l, const lk_key_state *k, int64_t next_ns, lk_err *e)
{
    lk_grid grid = grid_of(k->fraction);
    const lk_edges *edges = &l->groups.edges[grid];
    const lk_key_past *past = lk_past_of(l, k);
    const int64_t first_ns = past ? past->unit_first_ns : k->start_ns;
    const int64_t end_ns = past ? past->unit_end_ns : k->end_ns;
    size_t stratum = lk_groups_stratum(&l->groups, first_ns);
    lk_group_evidence *evidence;

    LK_TRY(lk_groups_evidence(&l->groups, k->group, grid, &evidence, e));
    if (next_ns == LK_TIME_NONE)
        lk_delays_add_cut(&evidence->successes[stratum], edges,
                          seconds(l->now_ns - end_ns));
    else
        lk_delays_add(&evidence->successes[stratum], edges, seconds(next_ns - end_ns),
                      seconds(next_ns - first_ns));
    return LK_OK;
}

/* LK_UNIT_NONE = it is not kept. */
static int32_t last_unit(const lk_linker *l, const lk_key_state *k)
{
    const lk_key_past *past = lk_past_of(l, k);

    return past ? past->unit : LK_UNIT_NONE;
}

/* A unit begins: what the key's last unit waited for is known now. */
static lk_code follow_last_unit(lk_linker *l, lk_key_state *k, int64_t next_ns, lk_err *e)
{
    const int32_t unit = last_unit(l, k);

    if (unit == LK_UNIT_NONE)
        return count_control(l, k, next_ns, e);
    if (unit == LK_UNIT_GONE)
        return LK_OK;
    if (next_ns != LK_TIME_NONE && l->units.items[unit].next_ns == LK_TIME_NONE)
        l->units.items[unit].next_ns = next_ns;
    return LK_OK;
}

static bool is_watched(const lk_key_past *past, int64_t now_ns)
{
    if (now_ns < past->watch_until_ns)
        return true;
    return past->watched > 0 && past->watched < WATCH_UNITS &&
           now_ns - (LK_DELAY_MAX_NS - WATCH_NS) < past->watch_until_ns;
}

/* Of an attempt that is a call by itself; who prints attempts asks for it. */
static void place_settled(lk_linker *l, const lk_attempt *a, uint32_t alike, uint16_t group,
                          lk_fate fate)
{
    if (!l->options.on_unit)
        return;
    l->place = (lk_place){
        .unit = lk_unit_name(a->key, a->start_ns, alike),
        .no = a->attempt_no > 0 ? (uint32_t)a->attempt_no : 0,
        .pause_ns = -1,
        .group = group,
        .is_settled = true,
        .fate = fate,
    };
}

static lk_code count_first(lk_linker *l, const lk_attempt *a, uint16_t group, lk_err *e)
{
    int64_t span_ns = a->has_took ? a->end_ns - a->start_ns : -1;

    lk_call_counts_add_first(&l->groups.items[group].counts);
    l->lengths[1]++;
    if (span_ns >= 0)
        count_success_time(l, span_ns, 0);
    return l->options.on_first(l->options.ctx, a, group, span_ns, e);
}

static lk_code count_at_once(lk_linker *l, const lk_attempt *a, uint32_t alike, uint16_t group,
                             lk_err *e)
{
    lk_group *g = &l->groups.items[group];
    lk_fate fate = a->attempt_no > 1 ? LK_FATE_RECOVERED : LK_FATE_FIRST;
    lk_call call;
    lk_task task;

    place_settled(l, a, alike, group, fate);
    if (l->options.on_first && fate == LK_FATE_FIRST)
        return count_first(l, a, group, e);
    call = (lk_call){
        .fate = fate,
        .lines = 1,
        .attempts = a->attempt_no > 1 ? (uint64_t)a->attempt_no : 1,
        .first_ns = a->start_ns,
        .span_ns = a->has_took && a->attempt_no <= 1 ? a->end_ns - a->start_ns : -1,
        .value = a->value,
        .above = a->above,
    };
    task = (lk_task){ .calls = 1, .http = call.attempts, .value = a->value, .above = a->above };
    l->began_before += a->attempt_no > 1 && lk_is_early(l, a->start_ns);
    LK_TRY(lk_count_task(l, g, &task, e));
    return lk_count_call(l, g, &call, e);
}

static lk_code make_room(lk_linker *l, lk_err *e)
{
    if (lk_units_is_full(&l->units))
        LK_TRY(lk_units_resolve(l, l->now_ns, false, e));
    return LK_OK;
}

static lk_code forget_oldest_key(lk_linker *l, lk_err *e)
{
    lk_key_state *k = lk_recent_oldest(&l->keys);

    if (!k->stepped)
        LK_TRY(lk_step_by_key(l, k, NULL, e));
    if (last_unit(l, k) == LK_UNIT_NONE)
        LK_TRY(count_control(l, k, LK_TIME_NONE, e));
    lk_past_drop(l, k);
    lk_recent_drop_oldest(&l->keys);
    l->folded_keys++;
    return LK_OK;
}

static lk_code key_of(lk_linker *l, const lk_attempt *a, lk_key_state **out, bool *is_new,
                      lk_err *e)
{
    void *fresh;

    *out = lk_recent_find(&l->keys, a->key);
    *is_new = !*out;
    if (*out)
        return LK_OK;
    if (lk_recent_is_full(&l->keys))
        LK_TRY(forget_oldest_key(l, e));
    LK_TRY(lk_recent_add(&l->keys, a->key, &fresh, e));
    *out = fresh;
    return LK_OK;
}

static void update_key(const lk_linker *l, lk_key_state *k, const lk_attempt *a)
{
    const bool failed = a->failed;
    lk_key_past *past = lk_past_of(l, k);

    k->start_ns = a->start_ns;
    k->end_ns = a->end_ns;
    k->caller = a->caller;
    k->population = a->population;
    k->target = a->target;
    k->failed = failed;
    k->rejected = a->rejected;
    k->stepped = false;
    k->has_failed |= failed;
    k->fraction = a->fraction;
    if (past)
        past->asked_ns = failed ? a->retry_after_ns : -1;
    if (past && failed) {
        past->watch_until_ns = a->end_ns + WATCH_NS;
        past->watched = 1;
    }
}

/* A new unit: kept when it failed or when its key is watched. */
static lk_code start_unit(lk_linker *l, lk_key_state *k, const lk_attempt *a, uint16_t group,
                          int32_t task_of, int32_t *index, lk_err *e)
{
    lk_key_past *past = lk_past_of(l, k);

    *index = LK_UNIT_NONE;
    k->alike = (past ? past->unit_first_ns : k->start_ns) == a->start_ns ? k->alike + 1 : 0;
    if (lk_may_return(a) || task_of != LK_UNIT_NONE || (past && is_watched(past, a->start_ns))) {
        lk_unit u = begin_unit(a, group);

        LK_TRY(lk_past_make(l, k, &past, e));
        u.prev = task_of;
        u.by_id = task_of != LK_UNIT_NONE;
        u.alike = k->alike;
        LK_TRY(lk_units_add(&l->units, &u, index, e));
        place_in(l, &u, a, false, -1);
        past->watched = past->watched < UINT16_MAX ? (uint16_t)(past->watched + 1) : past->watched;
    } else {
        LK_TRY(count_at_once(l, a, k->alike, group, e));
    }
    if (past) {
        past->unit = *index;
        past->unit_first_ns = a->start_ns;
        past->unit_end_ns = a->end_ns;
    }
    k->group = group;
    return LK_OK;
}

static void count_columns(lk_linker *l, const lk_attempt *a, bool has_identity, uint16_t group)
{
    lk_group *g = &l->groups.items[group];

    g->lines++;
    if (has_identity) {
        l->numbered += a->attempt_no > 0;
        g->numbered += a->attempt_no > 0;
        for (size_t i = 0; i < LK_IDS; i++)
            g->with_id[i] += a->id[i] != 0;
    }
    lk_drought_take(g, a);
    if (!a->failed)
        return;
    g->failed_lines++;
    if (g->failed_from_ns == LK_TIME_NONE)
        g->failed_from_ns = a->start_ns;
    g->failed_to_ns = a->start_ns;
}

/* The attempt came back to the unit: as one more of its call, or as another call of its task. */
static lk_code join_unit(lk_linker *l, lk_key_state *k, bool is_new_key, const lk_attempt *a,
                         const lk_joined *joined, uint16_t group, lk_err *e)
{
    lk_unit *u = &l->units.items[joined->unit];
    lk_unit_more *more;
    lk_key_past *past;
    int64_t pause_ns;
    uint32_t tries;

    LK_TRY(lk_step_by_id(l, u, a, e));
    if (!is_new_key && k->start_ns == lk_units_more(&l->units, u).last_ns)
        k->stepped = true;
    if (joined->is_new_call)
        return LK_OK;
    LK_TRY(lk_past_make(l, k, &past, e)); /* its last unit is not what comes now */
    if (u->failed)
        lk_count_obedience(l, u, a->start_ns);
    if (u->failed)
        LK_TRY(lk_note_pause(l, u, a, e));
    LK_TRY(lk_count_comeback(l, &l->groups.items[group], u, a->start_ns, e));
    pause_ns = a->start_ns > u->end_ns ? a->start_ns - u->end_ns : 0;
    LK_TRY(lk_units_extend(&l->units, u, &more, e));
    tries = more->tries;
    LK_TRY(extend_unit(u, more, &l->groups.items[group], a, joined->column, e));
    place_in(l, u, a, more->tries > tries, pause_ns);
    return LK_OK;
}

void lk_linker_foresee(const lk_linker *l, const lk_attempt *a)
{
    lk_recent_foresee(&l->keys, a->key);
    for (size_t i = 0; i < LK_IDS; i++)
        if (a->id[i])
            lk_lru_foresee(&l->ids, a->id[i]);
}

void lk_linker_foresee_entries(const lk_linker *l, const lk_attempt *a)
{
    lk_recent_foresee_entry(&l->keys, a->key);
}

lk_code lk_linker_take(lk_linker *l, const lk_attempt *a, lk_err *e)
{
    const bool has_identity = lk_has_identity(a);
    bool is_new;
    lk_key_state *k;
    lk_joined joined;
    uint16_t group;

    if (a->start_ns > l->now_ns || !l->now_ns)
        l->now_ns = a->start_ns;
    if (l->first_ns == LK_TIME_NONE)
        l->first_ns = a->start_ns;
    LK_TRY(make_room(l, e));
    if (!lk_groups_has(&l->groups, a->population, &group))
        LK_TRY(lk_groups_find(&l->groups, a->population,
                              lk_intern_text(&l->symbols->populations, a->population), &group, e));
    count_columns(l, a, has_identity, group);
    joined = has_identity ? lk_unit_by_id(l, a, group) : (lk_joined){ .unit = LK_UNIT_NONE };
    LK_TRY(key_of(l, a, &k, &is_new, e));
    l->is_new = is_new;
    if (joined.unit != LK_UNIT_NONE)
        LK_TRY(join_unit(l, k, is_new, a, &joined, group, e));
    if (!is_new && !k->stepped)
        LK_TRY(lk_step_by_key(l, k, a, e));
    if (joined.unit == LK_UNIT_NONE || joined.is_new_call) {
        if (!is_new)
            LK_TRY(follow_last_unit(l, k, a->start_ns, e));
        LK_TRY(start_unit(l, k, a, group, joined.unit, &joined.unit, e));
    }
    update_key(l, k, a);
    return has_identity ? lk_remember_ids(l, a, &joined, e) : LK_OK;
}

bool lk_linker_is_new(const lk_linker *l)
{
    return l->is_new;
}

const lk_place *lk_linker_place(const lk_linker *l)
{
    return &l->place;
}

bool lk_linker_knows(const lk_linker *l, uint16_t group)
{
    return lk_group_is_known(l, &l->groups.items[group]);
}

/* lk_recent_each has no error channel: the first error is kept here. */
struct closing {
    lk_linker *l;
    lk_err *e;
    lk_code code;
};

static void close_key(void *ctx, uint64_t key, void *entry)
{
    struct closing *c = ctx;
    lk_key_state *k = entry;

    (void)key;
    if (c->code == LK_OK && !k->stepped)
        c->code = lk_step_by_key(c->l, k, NULL, c->e);
    if (c->code == LK_OK && last_unit(c->l, k) == LK_UNIT_NONE)
        c->code = count_control(c->l, k, LK_TIME_NONE, c->e);
}

lk_code lk_linker_finish(lk_linker *l, int64_t end_ns, lk_err *e)
{
    struct closing c = { l, e, LK_OK };

    if (end_ns > l->now_ns)
        l->now_ns = end_ns;
    lk_recent_each(&l->keys, close_key, &c);
    if (c.code != LK_OK)
        return c.code;
    return lk_units_resolve(l, l->now_ns, true, e);
}

size_t lk_linker_group(const lk_linker *l, uint32_t population)
{
    const lk_groups *g = &l->groups;

    if (population >= g->of_cap || !g->of_population[population])
        return 0;
    return g->of_population[population] - 1U;
}

uint32_t lk_linker_population(const lk_linker *l, size_t group)
{
    return group < l->groups.count ? l->groups.items[group].population : UINT32_MAX;
}
