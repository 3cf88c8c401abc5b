/* The contention simulator beside a plain 4-ary heap of all events, in turns, on one core.
 *
 * usage: bench_simulate
 * Prints a header and a TSV row a workload: millions of events a second (two an attempt: its start and
 * its end) as medians of the rounds, and their quotient.  Both give the same attempts, or it fails.  */
#include "heap_contention.h"

#include <stdio.h>
#include <time.h>

enum { ROUNDS = 5 };

typedef struct workload {
    const char *name;
    lk_conflict conflict;
    const char *policy;
    unsigned burst;
    double rate, horizon;
} workload;

static const workload WORKLOADS[] = {
    { "collisions, full jitter, 3000 stuck", LK_CONFLICT_COLLISIONS, "full-jitter", 3000, 0, 20000 },
    { "collisions, decorrelated, 1000 stuck", LK_CONFLICT_COLLISIONS, "decorrelated-jitter", 1000, 0.05, 20000 },
    { "free, full jitter, steady .8", LK_CONFLICT_FREE, "full-jitter", 0, 0.8, 400000 },
    { "shared, full jitter, steady .2", LK_CONFLICT_SHARED, "full-jitter", 0, 0.2, 40000 },
    { "free, at once, steady .95", LK_CONFLICT_FREE, "immediate", 0, 0.95, 200000 },
    { "free, at once, burst 3000", LK_CONFLICT_FREE, "immediate", 3000, 0, 1e9 },
};

static double cpu_seconds(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *x)
{
    qsort(x, ROUNDS, sizeof(*x), by_value);
    return x[ROUNDS / 2];
}

static int bench(lk_contention *c, const workload *w)
{
    lk_policy_params params = { 1, 2, 1000, 0.1, 0 };
    lk_contention_options o = LK_CONTENTION_INIT;
    double fast[ROUNDS], plain[ROUNDS], quick, slow;
    lk_err e = { 0 };
    lk_sampler s;

    lk_sampler_init(&s, lk_policy_find(w->policy), &params);
    o.conflict = w->conflict;
    o.policy = &s;
    o.burst = w->burst;
    o.rate = w->rate;
    o.horizon = w->horizon;
    for (unsigned i = 0; i < ROUNDS; i++) {
        lk_contention_result a, b;
        double t0 = cpu_seconds(), t1;

        if (lk_contention_run(c, &o, 1, i, &a, &e) != LK_OK) {
            (void)fprintf(stderr, "bench_simulate: %s\n", e.msg);
            return 1;
        }
        t1 = cpu_seconds();
        fast[i] = 2e-6 * (double)a.attempts / (t1 - t0);
        b = heap_contention(&o, 1, i);
        plain[i] = 2e-6 * (double)b.attempts / (cpu_seconds() - t1);
        if (a.attempts != b.attempts || a.latency_sum != b.latency_sum) {
            (void)fprintf(stderr, "bench_simulate: %s: the two differ\n", w->name);
            return 1;
        }
    }
    quick = median(fast);
    slow = median(plain);
    (void)printf("%s\t%.1f\t%.1f\t%.2f\n", w->name, quick, slow, quick / slow);
    return 0;
}

int main(void)
{
    lk_contention *c;
    lk_err e = { 0 };
    int failed = 0;

    if (lk_contention_open(&c, &e) != LK_OK)
        return 1;
    (void)printf("simulate\tmillion_events_per_s\tplain_heap\tquotient\n");
    for (size_t i = 0; i < sizeof(WORKLOADS) / sizeof(WORKLOADS[0]) && !failed; i++)
        failed = bench(c, &WORKLOADS[i]);
    lk_contention_close(c);
    return failed;
}
