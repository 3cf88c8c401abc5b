/* Traffic with a planted clock: callers that failed together come back on a constant. */
#include "worlds.h"

#include <math.h>
#include <stdlib.h>

typedef struct herd {
    double period_s, trigger_s, size, survival, width_s, service_s;
    unsigned waves;
    double inner_s; /* a second wait inside the period; 0 = none */
} herd;

static void plant(world *w, const herd *h, uint32_t first_caller)
{
    unsigned callers = (unsigned)fmax(h->size, 5.0);

    for (unsigned c = 0; c < callers; c++) {
        double at = h->trigger_s + world_uniform(w, 0, h->width_s);

        for (unsigned k = 0; k <= h->waves; k++) {
            bool leaves = k > 0 && world_chance(w, 1.0 - h->survival);
            double took = h->service_s * world_uniform(w, 0.8, 1.2);

            world_add(w, at, took, first_caller + c, 8, leaves ? 200 : 429);
            if (leaves)
                break;
            if (h->inner_s > 0.0)
                world_add(w, at + took + h->inner_s, took, first_caller + c, 8, 429);
            at += h->period_s + took;
        }
    }
    w->period_s[w->period_count++] = h->period_s + h->service_s;
    if (h->inner_s > 0.0) {
        w->period_s[w->period_count++] = h->inner_s + h->service_s;
        w->period_s[w->period_count++] = h->period_s - h->inner_s;
    }
    w->survival = h->survival;
}

/* A first wave of 6 to 60 times the noise of the traffic below it. */
static herd some_herd(world *w, double rate, unsigned waves)
{
    double longest = fmin(120.0, 0.8 * w->span_s / (waves + 1.5));

    return (herd){ .period_s = world_log_uniform(w, 6, fmax(longest, 7)),
                   .trigger_s = world_uniform(w, 0.02, 0.15) * w->span_s,
                   .size = world_log_uniform(w, 6, 60) * sqrt(fmax(rate, 1.0)),
                   .survival = world_uniform(w, 0.6, 0.85),
                   .width_s = world_uniform(w, 0.2, 2.0),
                   .service_s = world_log_uniform(w, 0.02, 1.0),
                   .waves = waves };
}

static double background(world *w, double sigma)
{
    double mean = world_log_uniform(w, 2, 40), *rate = world_rate(w, mean);

    if (sigma > 0.0)
        world_redden(w, rate, world_quarters(w), world_log_uniform(w, 5, 120), sigma);
    world_traffic(w, rate, world_quarters(w));
    free(rate);
    return mean;
}

static void decay(world *w)
{
    herd h = some_herd(w, background(w, 0.0), 6 + (unsigned)world_uniform(w, 0, 7));

    plant(w, &h, 100000);
}

static void few(world *w)
{
    herd h = some_herd(w, background(w, 0.0), 3 + (unsigned)world_uniform(w, 0, 3));

    plant(w, &h, 100000);
}

static void weak(world *w)
{
    double rate = background(w, 0.0), share = world_uniform(w, 0.02, 0.1);
    herd h = some_herd(w, rate, 24);

    h.survival = 1.0;
    h.size = fmax(5.0, share * rate * h.period_s);
    plant(w, &h, 100000);
    w->survival = (double)NAN;
}

static void two(world *w)
{
    herd h = some_herd(w, background(w, 0.0), 8);

    h.inner_s = h.period_s * world_uniform(w, 0.25, 0.45);
    plant(w, &h, 100000);
}

static void red(world *w)
{
    herd h = some_herd(w, background(w, world_uniform(w, 0.3, 0.8)), 10);

    plant(w, &h, 100000);
}

static void holed(world *w)
{
    herd h = some_herd(w, background(w, 0.0), 10);
    double from = world_uniform(w, 0.2, 0.8) * w->span_s;

    plant(w, &h, 100000);
    world_cut_hole(w, from, from + world_uniform(w, 0.02, 0.1) * w->span_s);
}

static void wide(world *w)
{
    herd h = some_herd(w, background(w, 0.0), 10);

    h.width_s = world_uniform(w, 0.1, 0.3) * h.period_s;
    plant(w, &h, 100000);
}

static void six_hours(world *w)
{
    herd h;

    w->span_s = 21600;
    h = some_herd(w, background(w, 0.0), 6 + (unsigned)world_uniform(w, 0, 7));
    plant(w, &h, 100000);
}

const world_family POSITIVE_WORLDS[] = {
    { "decay", decay }, { "few", few },           { "weak", weak },
    { "two", two },     { "red", red },           { "holes", holed },
    { "wide", wide },   { "6 hours", six_hours }, { .name = NULL },
};
