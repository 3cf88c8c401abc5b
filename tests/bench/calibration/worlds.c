#include "worlds.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
#define QUARTER_S 0.25

/* ---- draws -------------------------------------------------------------------------------- */

double world_uniform(world *w, double from, double to)
{
    return from + (to - from) * lk_random_unit(&w->random);
}

double world_log_uniform(world *w, double from, double to)
{
    return exp(world_uniform(w, log(from), log(to)));
}

double world_normal(world *w)
{
    double u = 1.0 - lk_random_unit(&w->random), v = lk_random_unit(&w->random);

    return sqrt(-2.0 * log(u)) * cos(2.0 * PI * v);
}

bool world_chance(world *w, double p)
{
    return lk_random_unit(&w->random) < p;
}

/* ---- events ------------------------------------------------------------------------------- */

static void *must(void *p)
{
    if (!p)
        abort();
    return p;
}

void world_add(world *w, double at_s, double took_s, uint32_t caller, uint32_t population,
               unsigned status)
{
    if (at_s < 0.0 || at_s >= w->span_s)
        return;
    if (w->count == w->cap) {
        w->cap = w->cap ? 2 * w->cap : 4096;
        w->event = must(realloc(w->event, w->cap * sizeof(*w->event)));
    }
    w->event[w->count++] = (world_event){ at_s, took_s, caller, population, (uint16_t)status };
}

size_t world_quarters(const world *w)
{
    return (size_t)ceil(w->span_s / QUARTER_S);
}

double *world_rate(world *w, double mean)
{
    size_t n = world_quarters(w);
    double *rate = must(malloc(n * sizeof(*rate)));

    for (size_t i = 0; i < n; i++)
        rate[i] = mean;
    return rate;
}

void world_redden(world *w, double *rate, size_t n, double tau_s, double sigma)
{
    double keep = exp(-QUARTER_S / tau_s), x = world_normal(w);

    for (size_t i = 0; i < n; i++) {
        x = keep * x + sqrt(1.0 - keep * keep) * world_normal(w);
        rate[i] *= exp(sigma * x - 0.5 * sigma * sigma);
    }
}

void world_traffic(world *w, const double *rate, size_t n)
{
    double mean = 0.0, took = world_log_uniform(w, 0.01, 0.5);
    uint32_t callers = (uint32_t)world_log_uniform(w, 10, 3000);
    double errors = world_chance(w, 0.3) ? 0.0 : world_log_uniform(w, 0.002, 0.3);
    double busy = world_chance(w, 0.5) ? world_uniform(w, 1.2, 3.0) : 1e9;

    for (size_t i = 0; i < n; i++)
        mean += rate[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        double left = QUARTER_S;

        while (rate[i] > 0.0 && (left -= lk_random_exponential(&w->random, 1.0 / rate[i])) > 0.0) {
            bool refused = rate[i] > busy * mean && world_chance(w, 1.0 - busy * mean / rate[i]);
            bool failed = refused || world_chance(w, errors);
            uint32_t caller = (uint32_t)world_uniform(w, 0, callers);

            world_add(w, (double)(i + 1) * QUARTER_S - left,
                      took * lk_random_exponential(&w->random, 1.0), caller, caller % 3,
                      failed ? 503 : 200);
        }
    }
}

void world_cut_hole(world *w, double from_s, double to_s)
{
    size_t kept = 0;

    for (size_t i = 0; i < w->count; i++)
        if (w->event[i].at_s < from_s || w->event[i].at_s >= to_s)
            w->event[kept++] = w->event[i];
    w->count = kept;
}

static int by_time(const void *a, const void *b)
{
    const world_event *x = a, *y = b;

    return (x->at_s > y->at_s) - (x->at_s < y->at_s);
}

void world_make(world *w, const world_family *family, uint64_t seed)
{
    *w = (world){ .survival = (double)NAN };
    lk_random_init(&w->random, seed);
    w->resolution_s = world_chance(w, 0.5) ? 1.0 : 0.001;
    w->span_s = world_log_uniform(w, 300, 3600);
    family->make(w);
    if (w->count > 0)
        qsort(w->event, w->count, sizeof(*w->event), by_time);
}

void world_close(world *w)
{
    free(w->event);
    *w = (world){ 0 };
}
