/* Calls and tasks from chains of units: where each begins and ends, and what became of it. */
#include "link/resolution.h"

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
    c->call.tries += u->tries;
    c->call.rejected += u->rejected;
    c->call.waited_ns += u->waited_ns;
    c->end_ns = u->end_ns;
    c->cap = u->cap;
    c->failed = u->failed;
}

/* Calls `visit` for every call of the part that is not kept, and `end_task` after each chain. */
typedef void visit_call(lk_resolution *x, lk_part *p, struct open_call *call);
typedef void visit_task(lk_resolution *x, lk_part *p, uint64_t calls, uint64_t http);

static void walk_chain(lk_resolution *x, lk_part *p, int32_t head, visit_call *visit,
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

static void walk_calls(lk_resolution *x, lk_part *p, visit_call *visit,
                       visit_task *end_task)
{
    for (size_t i = p->from; i < p->to; i++) {
        uint32_t at = x->chains.order[i];

        if (x->chains.prev[at] == LK_UNIT_NONE && !x->keep[at])
            walk_chain(x, p, (int32_t)at, visit, end_task);
    }
}

/* Pauses between the units of one call (those inside a unit were counted as it grew). */
static void count_pauses(lk_resolution *x, lk_part *p)
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

static void note_length(lk_resolution *x, lk_part *p, struct open_call *c)
{
    uint32_t length = c->call.attempts < LK_LENGTHS ? (uint32_t)c->call.attempts : LK_LENGTHS;

    if (length > p->longest)
        p->longest = length;
    if (c->failed && seconds(x->end_ns - c->end_ns) > p->far_s)
        p->group->gave_up[length]++;
}

static bool is_open(const lk_resolution *x, const lk_part *p, const struct open_call *c)
{
    if (!x->final || !c->failed || seconds(x->end_ns - c->end_ns) > p->far_s)
        return false;
    if (c->cap)
        return c->call.attempts < c->cap;
    if (p->full)
        return c->call.attempts < p->full;
    return p->group->pause_count >= 5;
}

static void count_call(lk_resolution *x, lk_part *p, struct open_call *c)
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

static void count_task(lk_resolution *x, lk_part *p, uint64_t calls, uint64_t http)
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

void lk_part_count(lk_resolution *x, lk_part *p)
{
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
}
