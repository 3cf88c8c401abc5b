/* Traffic without a clock: what a detector must not find anything in. */
#include "worlds.h"

#include <math.h>
#include <stdlib.h>

static double some_rate(world *w)
{
    return world_log_uniform(w, 1.5, 40);
}

static void poisson(world *w)
{
    double *rate = world_rate(w, some_rate(w));

    world_traffic(w, rate, world_quarters(w));
    free(rate);
}

static void ramp(world *w)
{
    size_t n = world_quarters(w);
    double *rate = world_rate(w, some_rate(w)), grows = world_uniform(w, -2.5, 2.5);

    for (size_t i = 0; i < n; i++)
        rate[i] *= exp(grows * ((double)i / (double)n - 0.5));
    world_traffic(w, rate, n);
    free(rate);
}

static void ar1(world *w)
{
    size_t n = world_quarters(w);
    double *rate = world_rate(w, some_rate(w));

    world_redden(w, rate, n, world_log_uniform(w, 3, 200), world_uniform(w, 0.2, 0.9));
    world_traffic(w, rate, n);
    free(rate);
}

/* A sum over octaves of correlation times has a spectrum of about 1/f. */
static void one_over_f(world *w)
{
    size_t n = world_quarters(w);
    double *rate = world_rate(w, some_rate(w)), sigma = world_uniform(w, 0.1, 0.4);

    for (double tau = 1.0; tau < w->span_s; tau *= 3.0)
        world_redden(w, rate, n, tau, sigma);
    world_traffic(w, rate, n);
    free(rate);
}

/* Rates from a gamma law (a sum of exponentials) over blocks of random length. */
static void blocks(world *w)
{
    size_t n = world_quarters(w);
    double *rate = world_rate(w, some_rate(w)), mean_s = world_log_uniform(w, 2, 40);
    unsigned shape = 1 + (unsigned)world_uniform(w, 0, 4);

    for (size_t i = 0; i < n;) {
        size_t to = i + 1 + (size_t)(lk_random_exponential(&w->random, mean_s) / 0.25);
        double factor = 0.0;

        for (unsigned k = 0; k < shape; k++)
            factor += lk_random_exponential(&w->random, 1.0 / shape);
        for (; i < to && i < n; i++)
            rate[i] *= factor;
    }
    world_traffic(w, rate, n);
    free(rate);
}

/* What one burst looks like: its rate at x = 0 .. 1 of its length, mean 1. */
static double square(double x)
{
    (void)x;
    return 1.0;
}
static double falling(double x)
{
    return 4.07 * exp(-4.0 * x);
}
static double rising(double x)
{
    return 2.0 * x;
}
static double bell(double x)
{
    return 2.39 * exp(-18.0 * (x - 0.5) * (x - 0.5));
}

static void add_burst(world *w, double *rate, double at_s, double size, double len_s)
{
    static double (*const SHAPES[])(double) = { square, falling, rising, bell };
    double (*shape)(double) = SHAPES[(size_t)world_uniform(w, 0, 4)];
    size_t n = world_quarters(w), from = (size_t)(at_s * 4.0);
    size_t len = (size_t)fmax(1.0, rint(len_s * 4.0));

    for (size_t i = 0; i < len && from + i < n; i++)
        rate[from + i] += 4.0 * size * shape(((double)i + 0.5) / (double)len) / (double)len;
}

/* Bursts at intervals from a gamma law: 1 = at random, more = somewhat evenly. */
static void add_bursts(world *w, double *rate, double mean_s, unsigned shape)
{
    double level = rate[0], size = world_log_uniform(w, 4, 60) * sqrt(fmax(level, 1.0));
    double len_s = world_log_uniform(w, 0.25, 15);

    for (double at = lk_random_exponential(&w->random, mean_s); at < w->span_s;) {
        add_burst(w, rate, at, lk_random_exponential(&w->random, size), len_s);
        for (unsigned k = 0; k < shape; k++)
            at += lk_random_exponential(&w->random, mean_s / shape);
    }
}

static void bursts(world *w)
{
    double *rate = world_rate(w, some_rate(w));

    add_bursts(w, rate, world_log_uniform(w, 8, 120), 1);
    world_traffic(w, rate, world_quarters(w));
    free(rate);
}

static void uneven_bursts(world *w)
{
    double *rate = world_rate(w, some_rate(w));

    add_bursts(w, rate, world_log_uniform(w, 12, 120), 2 + (unsigned)world_uniform(w, 0, 3));
    world_traffic(w, rate, world_quarters(w));
    free(rate);
}

/* Each arrival brings a few more soon after, of the same caller: pages with their pictures. */
static void clusters(world *w)
{
    double rate = some_rate(w), mean = world_uniform(w, 1, 8),
           apart_s = world_log_uniform(w, 0.3, 20);
    double errors = world_log_uniform(w, 0.002, 0.2);

    for (double at = 0.0; at < w->span_s;
         at += lk_random_exponential(&w->random, (1.0 + mean) / rate)) {
        uint32_t caller = (uint32_t)world_uniform(w, 0, 2000);
        double more = lk_random_exponential(&w->random, mean);

        for (unsigned k = 0; k <= (unsigned)more; k++)
            world_add(w, at + (k ? lk_random_exponential(&w->random, apart_s) : 0.0), 0.05, caller,
                      caller % 3, world_chance(w, errors) ? 503 : 200);
    }
}

/* Everything fails for a while, or nothing comes; nobody retries. */
static void outage(world *w)
{
    size_t n = world_quarters(w), first;
    double *rate = world_rate(w, some_rate(w)), from = world_uniform(w, 0.2, 0.7) * w->span_s;
    double to = from + world_uniform(w, 0.05, 0.25) * w->span_s, level = world_uniform(w, 0.2, 5);

    for (size_t i = 0; i < n; i++)
        if ((double)i * 0.25 >= from && (double)i * 0.25 < to)
            rate[i] *= level;
    first = w->count;
    world_traffic(w, rate, n);
    for (size_t i = first; i < w->count; i++)
        if (w->event[i].at_s >= from && w->event[i].at_s < to)
            w->event[i].status = 503;
    free(rate);
}

/* ---- retries that are spread -------------------------------------------------------------- */

typedef struct jitter {
    unsigned kind;
    double base_s, cap_s;
} jitter;

/* full, decorrelated, a fixed window, exponential draws, Retry-After plus as much. */
static double draw(world *w, const jitter *j, unsigned attempt, double before)
{
    switch (j->kind) {
    case 0: return world_uniform(w, 0, fmin(j->cap_s, ldexp(j->base_s, (int)attempt)));
    case 1: return fmin(j->cap_s, world_uniform(w, j->base_s, 3.0 * fmax(before, j->base_s)));
    case 2: return world_uniform(w, 0, j->cap_s);
    case 3: return lk_random_exponential(&w->random, j->cap_s / 2.0);
    default: return j->cap_s + world_uniform(w, 0, j->cap_s);
    }
}

static void jittered(world *w)
{
    double *rate = world_rate(w, some_rate(w)), trigger = world_uniform(w, 0.1, 0.5) * w->span_s;
    jitter j = { (unsigned)world_uniform(w, 0, 5), world_log_uniform(w, 0.2, 2),
                 world_log_uniform(w, 5, 60) };
    unsigned callers = (unsigned)world_log_uniform(w, 30, 800);
    double spread = world_log_uniform(w, 0.5, 60), leave = world_uniform(w, 0.08, 0.5);

    for (unsigned c = 0; c < callers; c++) {
        double at = trigger + world_uniform(w, 0, spread), before = 0.0;

        for (unsigned k = 0; k < 40 && at < w->span_s; k++) {
            bool failed = k == 0 || !world_chance(w, leave);

            world_add(w, at, 0.05, 100000 + c, 7, failed ? 429 : 200);
            if (!failed)
                break;
            before = draw(w, &j, k, before);
            at += 0.05 + before;
        }
    }
    world_traffic(w, rate, world_quarters(w));
    free(rate);
}

static void holes(world *w)
{
    static void (*const KINDS[])(world *) = { poisson, ar1, bursts, blocks, jittered };

    KINDS[(size_t)world_uniform(w, 0, 5)](w);
    for (unsigned k = 1 + (unsigned)world_uniform(w, 0, 4); k > 0; k--) {
        double from = world_uniform(w, 0, 0.9) * w->span_s;

        world_cut_hole(w, from, from + world_log_uniform(w, 10, 0.15 * w->span_s));
    }
}

static void six_hours(world *w)
{
    static void (*const KINDS[])(world *) = { poisson, ramp, ar1, one_over_f, blocks, bursts };

    w->span_s = 21600;
    KINDS[(size_t)world_uniform(w, 0, 6)](w);
}

const world_family NULL_WORLDS[] = {
    { "poisson", poisson },
    { "ramp", ramp },
    { "ar1", ar1 },
    { "1/f", one_over_f },
    { "blocks", blocks },
    { "bursts", bursts },
    { "uneven", uneven_bursts },
    { "clusters", clusters },
    { "outage", outage },
    { "jittered", jittered },
    { "holes", holes },
    { "6 hours", six_hours },
    { .name = NULL },
};
