/* worlds — made-up traffic: without any clock (nulls), and with a planted one (positives).
 *
 * Units:  seconds after the start.
 * Owner:  world_open/world_close; the same seed gives the same world everywhere.  */
#ifndef LK_BENCH_WORLDS_H
#define LK_BENCH_WORLDS_H

#include "base/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct world_event {
    double at_s, took_s;
    uint32_t caller, population;
    uint16_t status;
} world_event;

enum { WORLD_PERIODS = 4 };

typedef struct world {
    lk_random random;
    double span_s, resolution_s;
    world_event *event; /* in order of at_s once made */
    size_t count, cap;
    double period_s[WORLD_PERIODS]; /* that a detector may name */
    size_t period_count;
    double survival; /* planted ratio of waves; NAN = none */
} world;

typedef struct world_family {
    const char *name;
    void (*make)(world *w);
} world_family;

extern const world_family NULL_WORLDS[];     /* ends with name == NULL */
extern const world_family POSITIVE_WORLDS[]; /* the same               */

void world_make(world *w, const world_family *family, uint64_t seed);
void world_close(world *w);

/* What the families are made of. */
double world_uniform(world *w, double from, double to);
double world_log_uniform(world *w, double from, double to);
double world_normal(world *w);
bool world_chance(world *w, double p);
void world_add(world *w, double at_s, double took_s, uint32_t caller, uint32_t population,
               unsigned status);
/* Arrivals of callers that do not know each other, by rate[i] a second in second-quarter i. */
void world_traffic(world *w, const double *rate, size_t n);
size_t world_quarters(const world *w);
double *world_rate(world *w, double mean); /* constant, to be freed */
void world_redden(world *w, double *rate, size_t n, double tau_s, double sigma);
void world_cut_hole(world *w, double from_s, double to_s);

#endif
