#include "sim/occ.h"

#include "base/xoshiro.h"
#include "sim/wheel.h"

#include <math.h>
#include <stdlib.h>

#define TICK_S 0.001

enum { WRITES_MAX = 100000000 };

/* What reaches the server next. */
enum step { READS, WRITES };

typedef struct client {
    uint64_t version;
    double previous_s;
    unsigned failures;
    enum step step;
} client;

typedef struct table {
    const lk_occ *o;
    lk_xoshiro hops, draws;
    lk_wheel *wheel;
    lk_wheel_node *nodes; /* [clients] */
    client *clients;      /* [clients] */
    uint64_t version, writes;
    double completed_s;
} table;

static double hop_s(table *t)
{
    return fabs(t->o->hop_s + t->o->deviation_s * lk_xoshiro_normal(&t->hops));
}

static void send(table *t, uint32_t id, enum step step, double leaves_s)
{
    t->clients[id].step = step;
    lk_wheel_push(t->wheel, t->nodes, id, leaves_s + hop_s(t));
}

static bool gives_up(const lk_sampler *p, unsigned failures)
{
    return p->kind == LK_SAMPLER_NEVER || (p->params.attempts && failures >= p->params.attempts);
}

static void write_row(table *t, uint32_t id, double now)
{
    client *c = &t->clients[id];
    double answered = now + hop_s(t);

    t->writes++;
    if (c->version == t->version) {
        t->version++;
        t->completed_s = fmax(t->completed_s, answered);
        return;
    }
    lk_wait w = { c->failures++, c->previous_s, -1 };
    if (gives_up(t->o->policy, c->failures)) {
        t->completed_s = fmax(t->completed_s, answered);
        return;
    }
    c->previous_s = lk_sampler_draw(t->o->policy, &w, lk_xoshiro_unit(&t->draws));
    send(t, id, READS, answered + c->previous_s);
}

static void read_row(table *t, uint32_t id, double now)
{
    t->clients[id].version = t->version;
    send(t, id, WRITES, now + hop_s(t));
}

static lk_code race(table *t, lk_err *e)
{
    uint32_t id;

    for (id = 0; id < t->o->clients; id++) {
        t->clients[id].previous_s = t->o->policy->params.base_s;
        send(t, id, READS, 0);
    }
    while ((id = lk_wheel_peek(t->wheel, t->nodes)) != LK_WHEEL_NONE) {
        double now = t->nodes[id].when;

        (void)lk_wheel_pop(t->wheel, t->nodes);
        if (t->clients[id].step == READS)
            read_row(t, id, now);
        else
            write_row(t, id, now);
        if (t->writes > WRITES_MAX)
            return lk_fail(e, LK_EUSAGE, "more than %d writes", WRITES_MAX);
    }
    return LK_OK;
}

static lk_code measure(const void *context, void *worker, uint64_t seed, uint64_t stream, double *m,
                       lk_err *e)
{
    const lk_occ *o = context;
    table t = { .o = o };
    lk_code code;

    (void)worker;
    LK_TRY(lk_wheel_open(TICK_S, &t.wheel, e));
    t.nodes = calloc(o->clients, sizeof(*t.nodes));
    t.clients = calloc(o->clients, sizeof(*t.clients));
    lk_xoshiro_init(&t.hops, seed, 2 * stream);
    lk_xoshiro_init(&t.draws, seed, 2 * stream + 1);
    if (t.nodes && t.clients)
        code = race(&t, e);
    else
        code = lk_fail(e, LK_EOOM, "no memory for %u clients", o->clients);
    lk_wheel_close(t.wheel);
    free(t.nodes);
    free(t.clients);
    m[LK_OCC_COMPLETION] = t.completed_s;
    m[LK_OCC_WRITES] = (double)t.writes;
    m[LK_OCC_PER_CLIENT] = (double)t.writes / o->clients;
    return code;
}

lk_code lk_occ_measure(lk_lab *lab, unsigned runs, const lk_occ *o, lk_estimate *out, lk_err *e)
{
    const lk_experiment x = { LK_OCC_MEASURES, runs, o, NULL, NULL, measure };

    if (!o->clients || !(o->hop_s + o->deviation_s > 0))
        return lk_fail(e, LK_EUSAGE, "nobody writes, or the network takes no time");
    return lk_lab_run(lab, &x, out, e);
}
