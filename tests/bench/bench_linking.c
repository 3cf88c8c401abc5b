/* What the load lets one know of calls without ids: worlds whose calls are known, linked blindly.
 *
 *     bench_linking [WORLDS]
 *
 * Every world has keys of several callers each, whose calls fail in the middle third of an hour and
 * come back by one policy.  Odd worlds are those that the bounds of link/load.c were set on, even ones
 * the hold-out.  A fifth of the worlds lose half of their keys, a fifth one line in five, a fifth their
 * last fifth: lost lines are no part of what is asked for in the others.
 *
 * One TSV row a half, set and regime: worlds, share of them whose failed share of calls is within 2 and
 * within 5 points, whose attempts a call are within 15 %.  Then the same by the load as it was measured. */
#include "base/random.h"
#include "base/time.h"
#include "link/linker.h"
#include "link/load.h"
#include "link/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ATTEMPTS_MAX = 400000, SPAN_S = 3600, WHOLE = 0, FEWER = 1, EARLY_END = 2, LOST = 3, CUTS = 4 };

typedef enum policy { FIXED, EXPONENTIAL, FULL_JITTER, EQUAL_JITTER, PERCENT, POLICIES } policy;

typedef struct one {
    double start_s, end_s;
    uint32_t key;
    bool failed;
} one;

typedef struct world {
    one *attempts; /* [count] by start */
    size_t count;
    double calls, failed, sent; /* what is true of the lines that are there */
    bool fraction;
    policy retries;
} world;

typedef struct outcome {
    lk_regime regime;
    double load, share_off, amplification_off; /* points, share */
    bool told, narrow, paired;
    double linked; /* links for each failure */
} outcome;

static double delay_of(policy p, double base_s, unsigned retry, lk_random *r)
{
    double d = fmin(60, base_s * pow(2, retry));

    switch (p) {
    case FIXED: return base_s;
    case EXPONENTIAL: return d;
    case FULL_JITTER: return d * lk_random_unit(r);
    case EQUAL_JITTER: return d / 2 + d / 2 * lk_random_unit(r);
    case PERCENT: return base_s * (0.9 + 0.2 * lk_random_unit(r));
    case POLICIES: break;
    }
    return 0;
}

static double mean_delay(policy p, double base_s)
{
    return p == FULL_JITTER ? base_s / 2 : p == EQUAL_JITTER ? 0.75 * base_s : base_s;
}

static int by_start(const void *pa, const void *pb)
{
    const one *a = pa, *b = pb;

    if (a->start_s != b->start_s)
        return a->start_s < b->start_s ? -1 : 1;
    return (a->key > b->key) - (a->key < b->key);
}

/* One call: its attempts, and what became of it in the lines that are kept. */
static void add_call(world *w, lk_random *r, uint32_t key, double at_s, policy p, double base_s,
                     unsigned cap, int cut)
{
    double until_s = cut == EARLY_END ? 0.8 * SPAN_S : SPAN_S;
    bool is_seen = false, failed = false;

    for (unsigned i = 0; i < cap && w->count < ATTEMPTS_MAX && at_s < until_s; i++) {
        bool bad = at_s > SPAN_S / 3.0 && at_s < 2 * SPAN_S / 3.0 && lk_random_unit(r) < 0.7;
        bool lost = cut == LOST && lk_random_unit(r) < 0.2;
        double took_s = 0.02 + lk_random_exponential(r, 0.03);

        failed = bad;
        if (!lost) {
            w->attempts[w->count++] = (one){ at_s, at_s + took_s, key, bad };
            is_seen = true;
            w->sent++;
        }
        if (!bad)
            break;
        at_s += took_s + delay_of(p, base_s, i, r);
    }
    w->calls += is_seen;
    w->failed += is_seen && failed;
}

/* rate: first attempts of one key a second, so that load = rate * mean delay. */
static void make_world(world *w, uint64_t seed)
{
    lk_random r;
    policy p;
    double load, base_s, rate;
    unsigned cap, keys;
    int cut;

    lk_random_init(&r, seed);
    p = (policy)(lk_random_u64(&r) % POLICIES);
    cut = (int)(lk_random_u64(&r) % 5);
    base_s = 2 + 13 * lk_random_unit(&r);
    load = 0.01 * pow(300, lk_random_unit(&r)); /* 0.01 .. 3 */
    cap = 3 + (unsigned)(lk_random_u64(&r) % 3);
    rate = load / mean_delay(p, base_s);
    keys = (unsigned)fmax(1, fmin(400, 8000 / (rate * SPAN_S)));
    *w = (world){ .attempts = w->attempts, .retries = p, .fraction = lk_random_u64(&r) & 1 };
    for (uint32_t key = 1; key <= keys; key++)
        for (double at = lk_random_exponential(&r, 1 / rate); at < SPAN_S;
             at += lk_random_exponential(&r, 1 / rate))
            if (cut != FEWER || key % 2)
                add_call(w, &r, key, at, p, base_s, cap, cut);
    qsort(w->attempts, w->count, sizeof(*w->attempts), by_start);
}

static int64_t stamp(const world *w, double s)
{
    return (w->fraction ? (int64_t)(s * 1e3) * LK_NS_PER_MS : (int64_t)s * LK_NS_PER_S) +
           INT64_C(1800000000) * LK_NS_PER_S;
}

static lk_attempt line(const world *w, const one *o)
{
    unsigned status = o->failed ? 503 : 200;

    return (lk_attempt){ .start_ns = stamp(w, o->start_s),
                         .stamp_ns = stamp(w, w->fraction ? o->end_s : o->start_s),
                         .end_ns = stamp(w, w->fraction ? o->end_s : o->start_s),
                         .caller = o->key,
                         .key = o->key * UINT64_C(0x9E3779B97F4A7C15),
                         .retry_after_ns = -1,
                         .status = (uint16_t)status,
                         .try_no = 1,
                         .fraction = w->fraction,
                         .has_took = w->fraction,
                         .failed = o->failed,
                         .rejected = o->failed };
}

static lk_code link_world(const world *w, outcome *out, lk_err *e)
{
    static const char *const NAMES[LK_IDS] = { NULL };
    static lk_report report;
    lk_linker_options options = LK_LINKER_OPTIONS_INIT;
    lk_symbols symbols;
    lk_linker *l;
    lk_arena arena;
    uint32_t id;
    int64_t end_ns = 0;

    lk_arena_init(&arena, 0);
    lk_report_init(&report);
    LK_TRY(lk_symbols_init(&symbols, 1, e));
    LK_TRY(lk_intern_id(&symbols.populations, LK_SLICE("service/1.0"), &id, e));
    LK_TRY(lk_linker_open(&options, &symbols, &l, e));
    for (size_t i = 0; i < w->count; i++) {
        lk_attempt a = line(w, &w->attempts[i]);

        end_ns = a.end_ns > end_ns ? a.end_ns : end_ns;
        report.http.rejected = (i ? report.http.rejected : 0) + a.rejected;
        LK_TRY(lk_linker_take(l, &a, e));
    }
    report.http.attempts = (int64_t)w->count;
    LK_TRY(lk_linker_finish(l, end_ns, e));
    LK_TRY(lk_linker_report(l, NAMES, &arena, &report, e));
    for (size_t i = 0; i < l->groups.count; i++)
        if (l->groups.items[i].lines) {
            out->load = lk_group_load(&l->groups.items[i]);
            out->regime = lk_group_regime(l, &l->groups.items[i]);
            out->narrow = l->groups.items[i].narrow;
            out->paired = l->groups.items[i].paired;
            out->linked = (double)l->groups.items[i].links / (double)l->groups.items[i].load_failures;
        }
    out->told = report.calls.source != NULL;
    out->share_off = out->amplification_off = (double)INFINITY;
    if (out->told) {
        double sent = w->sent / w->calls, calls = (double)report.calls.total;

        out->share_off = fabs((double)report.calls.failed / calls - w->failed / w->calls);
        out->amplification_off = fabs((double)w->count / calls / sent - 1);
    }
    lk_linker_close(l);
    lk_symbols_release(&symbols);
    lk_arena_release(&arena);
    return LK_OK;
}

typedef struct cell {
    double n, two, five, amplified;
} cell;

static void count(cell *c, const outcome *o)
{
    c->n++;
    c->two += o->share_off <= 0.02;
    c->five += o->share_off <= 0.05;
    c->amplified += o->amplification_off <= 0.15;
}

static void print(const char *half, const char *what, const cell *c)
{
    if (c->n > 0)
        printf("%s\t%s\t%.0f\t%.3f\t%.3f\t%.3f\n", half, what, c->n, c->two / c->n, c->five / c->n,
               c->amplified / c->n);
}

static const double LOADS[] = { 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 1e9 };
enum { LOAD_CELLS = sizeof(LOADS) / sizeof(LOADS[0]) };

static size_t load_cell(double load)
{
    size_t i = 0;

    while (i + 1 < LOAD_CELLS && !(load <= LOADS[i]))
        i++;
    return i;
}

int main(int argc, char **argv)
{
    static const char *const REGIMES[] = { "linked", "counted", "unknown" };
    static const char *const HALVES[] = { "hold-out", "set on" };
    static cell by_regime[2][3], by_load[2][2][LOAD_CELLS];
    size_t worlds = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 400;
    world w = { .attempts = malloc(ATTEMPTS_MAX * sizeof(one)) };
    lk_err e = { 0 };

    if (!w.attempts)
        return 1;
    printf("half\tregime\tworlds\tfailed within 2 points\tfailed within 5\tattempts a call within 15 %%\n");
    for (size_t i = 1; i <= worlds; i++) {
        outcome o = { 0 };

        make_world(&w, 7000 + i);
        if (link_world(&w, &o, &e) != LK_OK) {
            fprintf(stderr, "%s\n", e.msg);
            return 1;
        }
        if (getenv("LINKING_ROWS"))
            printf("row\t%zu\t%s\t%.3f\t%d\t%d\t%d\t%.3f\t%.4f\t%.4f\n", i, REGIMES[o.regime], o.load, o.narrow, o.paired, w.retries, o.linked,
                   o.share_off, o.amplification_off);
        count(&by_regime[i % 2][o.regime], &o);
        count(&by_load[i % 2][o.narrow][load_cell(o.load)], &o);
    }
    for (size_t half = 0; half < 2; half++)
        for (size_t i = 0; i < 3; i++)
            print(HALVES[half], REGIMES[i], &by_regime[half][i]);
    for (size_t half = 0; half < 2; half++)
        for (size_t narrow = 0; narrow < 2; narrow++)
            for (size_t i = 0; i < LOAD_CELLS; i++) {
                char what[64];

                (void)snprintf(what, sizeof(what), "load up to %g, delays %s",
                               LOADS[i] < 1e8 ? LOADS[i] : (double)INFINITY,
                               narrow ? "alike" : "spread");
                print(HALVES[half], what, &by_load[half][narrow][i]);
            }
    free(w.attempts);
    return 0;
}
