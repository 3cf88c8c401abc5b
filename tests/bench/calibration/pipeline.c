#include "pipeline.h"

#include "base/hash.h"
#include "link/linker.h"
#include "measure/arrivals.h"
#include "measure/hops.h"
#include "measure/tally.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define EPOCH_NS (INT64_C(1753185600) * LK_NS_PER_S)

typedef struct run {
    lk_symbols symbols;
    lk_linker *linker;
    lk_arrivals arrivals;
    lk_hops hops;
    lk_tally tally;
} run;

static void must(lk_code code, const lk_err *e)
{
    if (code == LK_OK)
        return;
    (void)fprintf(stderr, "calibration: %s\n", e->msg);
    exit(1);
}

static lk_code take_hop(void *ctx, const lk_hop *hop, bool has_failed, lk_err *e)
{
    run *r = ctx;

    return lk_hops_add(&r->hops, hop, has_failed, e);
}

static void open_run(run *r, lk_err *e)
{
    lk_linker_options options = LK_LINKER_OPTIONS_INIT;

    *r = (run){ 0 };
    options.on_hop = take_hop;
    options.ctx = r;
    lk_tally_init(&r->tally);
    lk_hops_init(&r->hops);
    must(lk_symbols_init(&r->symbols, 1, e), e);
    for (char name[2] = "a"; name[0] < 'k'; name[0]++) {
        uint32_t id;

        must(lk_intern_id(&r->symbols.populations, lk_slice_from(name), &id, e), e);
        must(lk_intern_id(&r->symbols.targets, lk_slice_from(name), &id, e), e);
    }
    must(lk_arrivals_init(&r->arrivals, LK_NS_PER_S / 4, e), e);
    must(lk_linker_open(&options, &r->symbols, &r->linker, e), e);
}

static void close_run(run *r)
{
    lk_linker_close(r->linker);
    lk_hops_release(&r->hops);
    lk_arrivals_release(&r->arrivals);
    lk_symbols_release(&r->symbols);
}

/* Whole seconds are those of the end, without a duration; finer ones come with it. */
static lk_attempt attempt_of(const world *w, const world_event *v)
{
    bool whole = w->resolution_s >= 0.5;
    double at = whole ? floor(v->at_s + v->took_s) : floor(v->at_s * 1e3) / 1e3;
    lk_attempt a = { .start_ns = EPOCH_NS + llrint(at * 1e9),
                     .caller = lk_hash_mix(v->caller + 1),
                     .retry_after_ns = -1,
                     .population = v->population,
                     .target = v->population,
                     .status = v->status,
                     .try_no = 1,
                     .failed = lk_status_is_failed(v->status),
                     .moment = whole ? LK_MOMENT_END : LK_MOMENT_START,
                     .fraction = !whole,
                     .has_took = !whole };

    a.end_ns = whole ? a.start_ns : a.start_ns + llrint(v->took_s * 1e3) * 1000000;
    a.stamp_ns = a.start_ns;
    a.key = lk_hash_mix(a.caller ^ lk_hash_mix(v->population));
    return a;
}

static int by_start(const void *a, const void *b)
{
    const lk_attempt *x = a, *y = b;

    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static void feed(run *r, const world *w, lk_err *e)
{
    lk_attempt *all = calloc(w->count + 1, sizeof(*all));

    if (!all)
        exit(1);
    for (size_t i = 0; i < w->count; i++)
        all[i] = attempt_of(w, &w->event[i]);
    qsort(all, w->count, sizeof(*all), by_start);
    for (size_t i = 0; i < w->count; i++) {
        lk_tally_add(&r->tally, &all[i]);
        must(
            lk_arrivals_add(&r->arrivals, all[i].start_ns, lk_status_is_rejected(all[i].status), e),
            e);
        must(lk_linker_take(r->linker, &all[i], e), e);
    }
    free(all);
    must(lk_linker_finish(r->linker, r->tally.end_ns, e), e);
}

static double cpu_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

void pipeline_open(pipeline *p)
{
    *p = (pipeline){ .infer_s = 0.0 };
    lk_arena_init(&p->kept, 0);
    lk_arena_init(&p->scratch, 0);
}

void pipeline_run(pipeline *p, const world *w, const lk_clock_search *how)
{
    lk_err e = { 0 };
    double before;
    run r;

    open_run(&r, &e);
    lk_report_init(&p->report);
    feed(&r, w, &e);
    lk_tally_report(&r.tally, &p->report);
    p->evidence = (lk_evidence){ .resolution_ns = lk_tally_resolution_ns(&r.tally),
                                 .first_ns = r.tally.first_ns,
                                 .last_ns = r.tally.last_ns,
                                 .attempts = r.tally.attempts,
                                 .rejected = (uint64_t)p->report.http.rejected };
    must(lk_arrivals_series(&r.arrivals,
                            p->evidence.resolution_ns > LK_NS_PER_S / 4 ? p->evidence.resolution_ns
                                                                        : LK_NS_PER_S / 4,
                            &p->kept, &p->evidence.series, &e),
         &e);
    must(lk_hops_evidence(&r.hops, &p->kept, &p->evidence, &e), &e);
    before = cpu_s();
    must(lk_infer_clocks(&p->evidence, &r.symbols, how, &p->kept, &p->scratch, &p->report, &e), &e);
    p->infer_s = cpu_s() - before;
    close_run(&r);
}

void pipeline_close(pipeline *p)
{
    lk_arena_release(&p->kept);
    lk_arena_release(&p->scratch);
}
