/* Calls and tasks from chains of units: where each begins and ends, and what became of it. */
#include "link/resolution.h"

#include "base/whole.h"

#include <math.h>

static double seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

/* Units of the chain that make the call which begins at position `at`. */
static bool ends_call(const lk_part *p, size_t position)
{
    const lk_group *g = p->group;

    if (p->by_id || g->is_job)
        return true;
    return g->call_cap && position % (size_t)g->call_cap == 0;
}

struct open_call {
    lk_call call;
    int64_t end_ns;
    uint32_t cap;
    bool failed, timed, late, any;
    int32_t from, to; /* its units; of a piece of a unit: that unit, once, with its last piece */
    uint32_t piece;   /* attempts a call inside that unit; 0 = the call has it all             */
};

/* A wrong request is answered, and the call done, unless its caller asks the same again. */
static bool has_failed(const lk_unit *u)
{
    return u->failed || (u->insists && lk_status_is_hopeless(u->status));
}

static void add_unit(struct open_call *c, const lk_unit *u, const lk_unit_more *m, int32_t at)
{
    if (!c->any) {
        *c = (struct open_call){ .end_ns = u->first_ns, .any = true, .late = u->late, .from = at };
        c->call.first_ns = u->first_ns;
        c->call.value = u->value;
        c->call.above = u->above;
        c->timed = u->has_took;
    } else if (u->first_ns > c->end_ns) {
        c->call.waited_ns = lk_later(c->call.waited_ns, u->first_ns - c->end_ns);
    }
    c->call.lines += m->lines;
    c->call.attempts += u->attempts;
    c->call.tries += m->tries;
    c->call.rejected += m->rejected;
    c->call.waited_ns = lk_later(c->call.waited_ns, m->waited_ns);
    c->end_ns = u->end_ns;
    c->cap = u->cap;
    c->failed = has_failed(u);
    c->to = at;
}

/* Attempts a call inside a unit whose id names the layer above; 0 = the unit is one call. */
static uint32_t piece_of(const lk_resolution *x, const lk_part *p, const lk_unit *u, const lk_unit_more *m)
{
    if (!p->by_id || u->last_no || m->tries || u->attempts != m->lines)
        return 0;
    if (u->column && lk_id_names_task(&x->l->uses[u->column - 1]))
        return 1;
    return (uint32_t)p->group->id_cap;
}

static uint32_t last_refusals(const lk_unit_more *m, uint32_t n)
{
    uint64_t bits = n < 64 ? m->refusals & ((UINT64_C(1) << n) - 1) : m->refusals;
    uint32_t count = 0;

    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

/* Calls `visit` for every call of the part that is not kept, and `end_task` after each chain. */
typedef lk_code visit_call(lk_resolution *x, lk_part *p, struct open_call *call, lk_err *e);
typedef lk_code visit_task(lk_resolution *x, lk_part *p, const lk_unit *last, lk_task *task,
                           lk_err *e);

/* About when the attempt of that number (from 0) of a unit began: only the first and the last are kept. */
static int64_t attempt_start_ns(const lk_unit *u, const lk_unit_more *m, uint32_t number)
{
    double share = m->lines > 1 ? (double)number / (m->lines - 1) : 0;

    return u->first_ns + lk_whole((double)(m->last_ns - u->first_ns) * share);
}

/* Every piece but the last of a unit failed; what was kept of them is their sum. */
static lk_code visit_pieces(lk_resolution *x, lk_part *p, const lk_unit *u, uint32_t piece,
                            visit_call *visit, uint64_t *calls, lk_err *e)
{
    const lk_unit_more m = lk_units_more(&x->l->units, u);
    uint32_t full = (m.lines - 1) / piece, rest = m.lines - full * piece;
    struct open_call c = { .any = true,
                           .late = u->late,
                           .failed = true,
                           .end_ns = u->first_ns,
                           .from = LK_UNIT_NONE,
                           .to = LK_UNIT_NONE,
                           .piece = piece };

    c.call = (lk_call){
        .lines = piece, .attempts = piece, .value = u->value, .above = u->above
    };
    c.call.rejected = m.rejected - last_refusals(&m, rest);
    for (uint32_t i = 0; i < full; i++) {
        c.call.first_ns = attempt_start_ns(u, &m, i * piece);
        LK_TRY(visit(x, p, &c, e));
        c.call.rejected = 0;
        c.late = false;
    }
    c.call = (lk_call){ .lines = rest,
                        .attempts = rest,
                        .rejected = last_refusals(&m, rest),
                        .value = u->value,
                        .above = u->above };
    c.call.first_ns = attempt_start_ns(u, &m, full * piece);
    c.timed = u->has_took && rest == 1;
    c.failed = has_failed(u);
    c.end_ns = u->end_ns;
    c.cap = u->cap;
    c.from = c.to = (int32_t)(u - x->l->units.items);
    LK_TRY(visit(x, p, &c, e));
    *calls += full + 1;
    return LK_OK;
}

static lk_code walk_chain(lk_resolution *x, lk_part *p, int32_t head, visit_call *visit,
                          visit_task *end_task, lk_err *e)
{
    const lk_unit *units = x->l->units.items;
    struct open_call call = { .any = false };
    lk_task task = { 0 };
    size_t position = 0;
    int32_t last = head;

    p->head = head;
    for (int32_t at = head; at != LK_UNIT_NONE; at = x->chains.next[at]) {
        const lk_unit *u = &units[at];
        const lk_unit_more m = lk_units_more(&x->l->units, u);
        uint32_t piece = piece_of(x, p, u, &m);

        last = at;
        if (!task.http) {
            task.value = u->value;
            task.above = u->above;
        }
        task.http += m.lines > u->attempts ? m.lines : u->attempts;
        if (piece && m.lines > piece) {
            LK_TRY(visit_pieces(x, p, u, piece, visit, &task.calls, e));
        } else {
            add_unit(&call, u, &m, at);
            if (!ends_call(p, ++position) && x->chains.next[at] != LK_UNIT_NONE)
                continue;
            LK_TRY(visit(x, p, &call, e));
            call.any = false;
            task.calls++;
        }
        if (!p->group->has_tasks && end_task) {
            task.calls = 1;
            LK_TRY(end_task(x, p, u, &task, e));
            task = (lk_task){ 0 };
        }
    }
    if (p->group->has_tasks && end_task)
        return end_task(x, p, &units[last], &task, e);
    return LK_OK;
}

static lk_code walk_calls(lk_resolution *x, lk_part *p, visit_call *visit, visit_task *end_task,
                          lk_err *e)
{
    for (size_t i = p->from; i < p->to; i++) {
        uint32_t at = x->chains.order[i];

        if (x->chains.prev[at] == LK_UNIT_NONE && !x->keep[at])
            LK_TRY(walk_chain(x, p, (int32_t)at, visit, end_task, e));
    }
    return LK_OK;
}

/* The step inside a chain from one unit to the next. */
static lk_code count_step(lk_resolution *x, lk_part *p, const lk_unit *from, const lk_unit *to,
                          bool inside_call, lk_err *e)
{
    if (inside_call) { /* those inside a unit were counted as it grew */
        p->group->pauses[lk_pause_cell(to->first_ns - from->end_ns)]++;
        p->group->pause_count++;
        lk_count_obedience(x->l, from, to->first_ns);
    }
    return lk_count_comeback(x->l, p->group, from, to->first_ns, e);
}

/* Where a walk over a chain's steps is: inside a call, and in the task of calls. */
struct place {
    size_t position; /* units passed */
    uint16_t retry, calls;
    int64_t call_first_ns, task_first_ns;
    int64_t pause_ns, requeue_ns; /* the last ones; -1 = none */
};

static lk_code note_step(const lk_resolution *x, struct place *at, const lk_unit *from,
                         const lk_unit *to, bool inside_call, lk_err *e)
{
    int64_t pause = to->first_ns > from->end_ns ? to->first_ns - from->end_ns : 0;

    if (inside_call) {
        LK_TRY(lk_note_link(x->l, from, to, LK_COMEBACK_CALL, at->retry, at->pause_ns,
                            at->call_first_ns, e));
        at->retry = at->retry < UINT16_MAX ? (uint16_t)(at->retry + 1) : at->retry;
        at->pause_ns = pause;
        return LK_OK;
    }
    LK_TRY(lk_note_link(x->l, from, to, LK_COMEBACK_TASK, at->calls, at->requeue_ns,
                        at->task_first_ns, e));
    at->calls = at->calls < UINT16_MAX ? (uint16_t)(at->calls + 1) : at->calls;
    at->requeue_ns = pause;
    at->retry = 0;
    at->pause_ns = -1;
    at->call_first_ns = to->first_ns;
    return LK_OK;
}

static lk_code count_steps(lk_resolution *x, lk_part *p, lk_err *e)
{
    const lk_unit *units = x->l->units.items;

    for (size_t i = p->from; i < p->to; i++) {
        int32_t at = (int32_t)x->chains.order[i];
        struct place place = { .pause_ns = -1, .requeue_ns = -1 };

        if (x->chains.prev[at] != LK_UNIT_NONE || x->keep[at])
            continue;
        place.call_first_ns = place.task_first_ns = units[at].first_ns;
        for (int32_t b; (b = x->chains.next[at]) != LK_UNIT_NONE; at = b) {
            bool inside_call = !ends_call(p, ++place.position);

            LK_TRY(count_step(x, p, &units[at], &units[b], inside_call, e));
            LK_TRY(note_step(x, &place, &units[at], &units[b], inside_call, e));
        }
    }
    return LK_OK;
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

static lk_code note_length(lk_resolution *x, lk_part *p, struct open_call *c, lk_err *e)
{
    uint32_t length = c->call.attempts < LK_LENGTHS ? (uint32_t)c->call.attempts : LK_LENGTHS;

    (void)e;
    if (length > p->longest)
        p->longest = length;
    if (c->failed && seconds(x->end_ns - c->end_ns) > p->far_s)
        p->group->gave_up[length]++;
    return LK_OK;
}

static bool is_open(const lk_resolution *x, const lk_part *p, const struct open_call *c)
{
    uint32_t cap = c->cap ? c->cap : x->l->options.attempts_max;

    if (!x->final || !c->failed || seconds(x->end_ns - c->end_ns) > p->far_s)
        return false;
    if (cap)
        return c->call.attempts < cap;
    if (p->full)
        return c->call.attempts < p->full;
    return p->group->pause_count >= 5;
}

static uint64_t name_of(const lk_unit *u)
{
    return lk_unit_name(u->key, u->first_ns, u->alike);
}

/* Tells what became of the units of a call. */
static lk_code tell_units(const lk_resolution *x, const lk_part *p, const struct open_call *c,
                          lk_err *e)
{
    const lk_linker_options *o = &x->l->options;
    const lk_unit *units = x->l->units.items;
    int32_t head = p->group->has_tasks ? p->head : c->from;
    uint32_t before = 0;

    for (int32_t at = c->from; at != LK_UNIT_NONE;
         at = at == c->to ? LK_UNIT_NONE : x->chains.next[at]) {
        int32_t prev = at == head ? LK_UNIT_NONE : x->chains.prev[at];
        lk_unit_fate fate = {
            .unit = name_of(&units[at]),
            .call = name_of(&units[c->from]),
            .task = name_of(&units[head]),
            .before = before,
            .piece = c->piece,
            .pause_ns = prev == LK_UNIT_NONE ? -1 : units[at].first_ns - units[prev].end_ns,
            .begins_call = at == c->from,
            .fate = c->call.fate,
        };

        if (prev != LK_UNIT_NONE && fate.pause_ns < 0)
            fate.pause_ns = 0;
        before += units[at].attempts;
        LK_TRY(o->on_unit(o->ctx, &fate, e));
    }
    return LK_OK;
}

static lk_code count_call(lk_resolution *x, lk_part *p, struct open_call *c, lk_err *e)
{
    c->call.span_ns = c->timed && !c->failed ? c->end_ns - c->call.first_ns : -1;
    if (is_open(x, p, c))
        c->call.fate = LK_FATE_OPEN;
    else if (c->failed)
        c->call.fate = LK_FATE_FAILED;
    else
        c->call.fate = c->call.lines > 1 || c->call.attempts > 1 ? LK_FATE_RECOVERED
                                                                 : LK_FATE_FIRST;
    x->l->began_before += c->late && lk_is_early(x->l, c->call.first_ns);
    if (x->l->options.on_unit)
        LK_TRY(tell_units(x, p, c, e));
    return lk_count_call(x->l, p->group, &c->call, e);
}

static lk_code count_task(lk_resolution *x, lk_part *p, const lk_unit *last, lk_task *task,
                          lk_err *e)
{
    double wait_s = p->group->delay_s[1];

    if (last->failed && (isnan(wait_s) || seconds(x->end_ns - last->end_ns) > 1.5 * wait_s))
        p->group->task_gave_up[task->calls < LK_LENGTHS ? task->calls : LK_LENGTHS]++;
    return lk_count_task(x->l, p->group, task, e);
}

lk_code lk_part_count(lk_resolution *x, lk_part *p, lk_err *e)
{
    LK_TRY(count_steps(x, p, e));
    p->far_s = p->group->pause_count >= 5
                   ? 1.3 * pause_quantile_s(p->group, 0.995) + 1.5 * p->resolution_s
                   : 0;
    LK_TRY(walk_calls(x, p, note_length, NULL, e));
    for (uint32_t n = LK_LENGTHS; n > 0 && !p->full; n--)
        if (p->group->gave_up[n]) {
            p->full = p->group->gave_up[n] >= 3 ? n : 0;
            break;
        }
    return walk_calls(x, p, count_call, count_task, e);
}
